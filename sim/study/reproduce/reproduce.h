/* Reproduce: every figure of a ledger simulated and judged (docs/validation.md). */
#ifndef FW_STUDY_REPRODUCE_H
#define FW_STUDY_REPRODUCE_H

#include "sim/study/reproduce/ledger.h"
#include "sim/study/search.h"

typedef struct fw_reproduce_options {
  const char *share; /* installed folder that holds models/ */
  size_t seeds;      /* of every scenario and search instead of those of the files; 0: theirs */
  fw_study_options study;
} fw_reproduce_options;

typedef struct fw_reproduce_row {
  fw_estimate simulated;
  double deviation; /* from run to run; NaN where it is not of single runs */
  double tolerance; /* fw_tolerance_width */
  bool inside;
} fw_reproduce_row;

typedef struct fw_reproduce_search {
  double values[FW_SEARCH_DIMENSIONS];
  fw_estimate objective;
  fw_estimate limited;
  size_t runs;
} fw_reproduce_search;

typedef struct fw_reproduce_result {
  const fw_ledger *ledger;
  fw_reproduce_row *rows;        /* as the ledger's */
  fw_reproduce_search *searches; /* as the ledger's */
  size_t predicted;              /* independent figures that were predicted */
  size_t predicted_inside;
  size_t fell_out; /* rows that the ledger says are inside and that are not */
} fw_reproduce_result;

/* `path` is the ledger's file, beside which the scenarios lie. The result points to the ledger. Free with
 * fw_reproduce_clear. */
fw_status fw_reproduce(const fw_ledger *ledger, const char *path, const fw_reproduce_options *options,
                       fw_reproduce_result *out, fw_diagnostics *diagnostics);
void fw_reproduce_clear(fw_reproduce_result *result);

/* Solves the level of the ledger's fit: the power of a job class in its updates at which the row's simulated mean is
 * `value` of the fit. */
fw_status fw_reproduce_fit(const fw_ledger *ledger, const char *path, const fw_reproduce_options *options,
                           double *level_w, fw_diagnostics *diagnostics);

#endif
