/* What the readers of all formats share: the text they read, the rules they feed, and how they refuse. */
#ifndef FWI_TRACES_READER_H
#define FWI_TRACES_READER_H

#include "traces/cells.h"
#include "traces/field.h"
#include "traces/rules.h"
#include "traces/source.h"

typedef struct fwi_reader {
  fwi_source *source;
  fwi_rules *rules;
  const fw_import_options *options;
  fw_diagnostics *diagnostics;
  const fwi_scale *unit; /* options.unit; NULL: none */
  fwi_stamper stamper;
  fwi_cells cells;
  size_t line_count; /* of rows, readable or not */
  size_t unreadable_count;
} fwi_reader;

/* Each reads the whole source, which stands at its start. */
fw_status fwi_read_csv(fwi_reader *reader);
fw_status fwi_read_wide(fwi_reader *reader);
fw_status fwi_read_table(fwi_reader *reader); /* nvidia-smi dmon and dcgmi dmon */
fw_status fwi_read_scrapes(fwi_reader *reader);
fw_status fwi_read_range(fwi_reader *reader);

/* The format of the source by what stands at its start; FW_IMPORT_CSV where it is none of the others. */
fw_status fwi_detect_format(fwi_source *source, fw_import_format *out, fw_diagnostics *diagnostics);

/* A record with nothing in it, for the present line. */
fwi_record fwi_reader_record(const fwi_reader *reader);

/* Drops the present line as unreadable and says why. */
fw_status fwi_reader_unreadable(fwi_reader *reader, const char *format, ...) FW_PRINTF(2, 3);

/* Refuses where more than a tenth of all rows were unreadable. */
fw_status fwi_reader_check(const fwi_reader *reader);

/* Reads a stamp. `good` false: the row was dropped. FW_ERROR_INPUT: a number without a unit, which no row can do with.
 */
fw_status fwi_reader_time(fwi_reader *reader, fwi_cell cell, fw_time_ns *out, bool *good);
fw_status fwi_reader_time_fault(fwi_reader *reader, fwi_cell cell, fwi_stamp_fault fault);

/* The unit of power that has none of its own; NULL: none was given. */
const fwi_scale *fwi_reader_unit(const fwi_reader *reader);

/* Refuses a power reading without a unit; says mW where that is the plausible one. */
fw_status fwi_reader_no_unit(const fwi_reader *reader, const char *column, size_t column_length, fwi_cell cell);

/* Splits the present line; `good` false: it was dropped. */
fw_status fwi_reader_split(fwi_reader *reader, char separator, bool *good);

#endif
