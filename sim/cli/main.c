/* fleetwatt: finds the subcommand and runs it. */
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/cli.h"

static const fwi_command *const commands[] = {
    &fwi_run_command,       &fwi_compare_command,  &fwi_authority_command, &fwi_plan_command,
    &fwi_reproduce_command, &fwi_check_command,    &fwi_windows_command,   &fwi_import_command,
    &fwi_calibrate_command, &fwi_validate_command, &fwi_sweep_command,     &fwi_results_command,
    &fwi_train_command,     &fwi_evaluate_command, &fwi_contest_command,   &fwi_schema_command};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_usage(FILE *stream) {
  (void)fprintf(stream,
                "fleetwatt %s: GPU fleets under a power budget, simulated\n\nusage: fleetwatt COMMAND [...]\n\n",
                fw_report_version);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    (void)fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  }
  (void)fprintf(stream, "\nfleetwatt COMMAND --help explains a command. Exit status: 0 done, 1 a check failed, "
                        "2 bad input or usage, 3 fault while running.\n");
}

static int unknown_command(const char *name) {
  const char *names[COMMAND_COUNT];
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    names[i] = commands[i]->name;
  }
  const char *nearest = fw_nearest_word(name, names, COMMAND_COUNT);
  (void)fprintf(stderr, "error: unknown command %s%s%s\n", name,
                nearest != NULL ? "; did you mean " : "; see fleetwatt --help", nearest != NULL ? nearest : "");
  return 2;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return 2;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_usage(stdout);
    return 0;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("fleetwatt %s\n", fw_report_version);
    return 0;
  }
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(argv[1], commands[i]->name) == 0) {
      return commands[i]->run(argc - 2, argv + 2);
    }
  }
  return unknown_command(argv[1]);
}

/* Help and versions are printed without a look at what became of them. */
static int flushed(int status) {
  if (fflush(stdout) == 0 && ferror(stdout) == 0) {
    return status;
  }
  if (status == 0) {
    (void)fprintf(stderr, "error: standard output: %s\n", strerror(errno));
  }
  return status == 0 ? 3 : status;
}

int main(int argc, char **argv) {
  (void)gsl_set_error_handler_off(); /* GSL's own would abort */
  (void)signal(SIGPIPE, SIG_IGN);    /* a closed pipe is an error to report, not a death */
  return flushed(dispatch(argc, argv));
}
