/* The log of one training seed: a CSV of one row for each iteration, from which a resumed training takes what it had
 * found so far. */
#ifndef FW_STUDY_TRAIN_LOG_H
#define FW_STUDY_TRAIN_LOG_H

#include "sim/base/text.h"
#include "sim/study/train/train.h"

typedef struct fwi_train_log {
  fw_text text;
  fw_train_check best; /* of the rows, by the rule of fwi_train_beats */
  uint64_t decisions;  /* of the last row */
  uint64_t episodes;   /* of all rows */
} fwi_train_log;

/* Within the limit more tokens win, beyond it the lower rate; the earlier one on a tie, and anything against none. */
bool fwi_train_beats(const fw_train_check *challenger, const fw_train_check *holder, double limit);

/* A log without rows, for the windows of a scenario. */
void fwi_train_log_start(const fw_scenario *scenario, fwi_train_log *out);

/* Adds a row; `check` is NULL where nothing was judged. */
void fwi_train_log_add(fwi_train_log *log, const fw_scenario *scenario, const fw_ppo_progress *progress,
                       const fw_train_check *check, double limit);

/* Reads the rows of a log before iteration `before`. A file that is no log of such a scenario is FW_ERROR_INPUT. */
fw_status fwi_train_log_read(const char *path, const fw_scenario *scenario, uint64_t before, double limit,
                             fwi_train_log *out, fw_diagnostics *diagnostics);

void fwi_train_log_clear(fwi_train_log *log);

#endif
