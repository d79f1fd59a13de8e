/* What the subcommands share: flags of scenario commands, output, messages, progress. Only this folder prints. */
#ifndef FW_CLI_CLI_H
#define FW_CLI_CLI_H

#include <signal.h>

#include "sim/cli/flags.h"
#include "sim/report/report.h"

extern const fwi_command fwi_run_command;
extern const fwi_command fwi_compare_command;
extern const fwi_command fwi_authority_command;
extern const fwi_command fwi_plan_command;
extern const fwi_command fwi_reproduce_command;
extern const fwi_command fwi_windows_command;
extern const fwi_command fwi_import_command;
extern const fwi_command fwi_check_command;
extern const fwi_command fwi_calibrate_command;
extern const fwi_command fwi_validate_command;
extern const fwi_command fwi_sweep_command;
extern const fwi_command fwi_results_command;
extern const fwi_command fwi_train_command;
extern const fwi_command fwi_evaluate_command;
extern const fwi_command fwi_contest_command;
extern const fwi_command fwi_schema_command;

/* One call of a command: its flags, and what to do once they are read. */
typedef struct fwi_invocation {
  const fwi_command *command;
  const fwi_flag *flags;
  size_t flag_count;
  fw_status (*action)(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics);
  void *values;       /* the struct that the flags point into */
  const bool *failed; /* what the action sets when all was done and a check failed; NULL: it checks nothing */
} fwi_invocation;

/* Parses, helps or acts, prints what there is to say, frees what the flags own, and returns the exit status. */
int fwi_invoke(const fwi_invocation *invocation, int argc, char **argv);

/* Writes to `path` (atomically), or to standard output when it is NULL. */
fw_status fwi_output(const fw_text *text, const char *path, fw_diagnostics *diagnostics);

/* The folder that holds models/ and scenarios/: FLEETWATT_SHARE, or where the program was built or installed. */
const char *fwi_share_folder(void);

/* A progress line on standard error, when it is a terminal; `context` is a fwi_progress. */
typedef struct fwi_progress {
  const char *what;
  bool active;
  size_t shown; /* per mille */
} fwi_progress;

fwi_progress fwi_progress_start(const char *what);
void fwi_progress_show(void *context, size_t done, size_t total);
void fwi_progress_end(fwi_progress *progress);

/* Set by the first Ctrl-C or SIGTERM; another one, two seconds later or more, ends the program at once. */
const volatile sig_atomic_t *fwi_watch_interrupt(void);

#endif
