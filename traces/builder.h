/* Rows into a trace: what every reader of this folder ends in.
 *
 * Rows of several GPUs may come in any order; the stamps of each GPU must strictly increase. A row without a power
 * reading is counted and its stamp is checked, but it leaves no sample: it is never 0 W. */
#ifndef FWI_TRACES_BUILDER_H
#define FWI_TRACES_BUILDER_H

#include "traces/trace.h"

/* Within these bounds no difference of stamps, no time covered (a last bin can be as long as all before it) and no sum
 * of power over all GPUs leaves 64 bits. 73 years from the origin hold any recording, those in Unix time until 2043
 * included; 10 MW is the limit of plausible power. */
#define FWI_TIME_LIMIT (FW_TIME_MAX / 4)
#define FWI_POWER_LIMIT (INT64_C(10000000) * FW_MW_PER_W)
#define FWI_GPU_LIMIT ((size_t)1000000)

typedef struct fwi_row {
  const char *gpu; /* not terminated */
  size_t gpu_length;
  fw_time_ns time;
  bool has_power;
  fw_power_mw power;
  double occupancy; /* NaN where not recorded */
  size_t line;
  size_t time_column; /* of the line, for messages */
  size_t power_column;
} fwi_row;

typedef struct fwi_growth fwi_growth;

typedef struct fwi_builder {
  fw_trace *trace;
  bool with_occupancy;
  fwi_growth *growth; /* beside each series */
  size_t *by_name;    /* indices of the series in order of their names */
  size_t series_capacity;
  size_t growth_capacity;
  size_t by_name_capacity;
  size_t latest; /* the series of the row before */
} fwi_builder;

/* Starts an empty trace. After a failure of any function below, clear both the builder and the trace. */
fw_status fwi_builder_begin(fwi_builder *builder, fw_trace *trace, const char *file, fw_series_kind kind,
                            bool with_occupancy, fw_diagnostics *diagnostics);

/* A row that is out of order or out of range is FW_ERROR_INPUT and is left out; the builder stays usable. */
fw_status fwi_builder_add(fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics);

/* Completes the series: finds their intervals. */
void fwi_builder_end(const fwi_builder *builder);

/* Checks the whole: some power was read; warns of missing readings. */
fw_status fwi_builder_check(const fwi_builder *builder, fw_diagnostics *diagnostics);

/* The builder only, not the trace, which must still be there. */
void fwi_builder_clear(fwi_builder *builder);

#endif
