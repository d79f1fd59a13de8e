/* Output, messages, progress and interrupts for all subcommands. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"

enum { A_CHECK_FAILED = 1 };

/* As when 32 jobs of a scenario read one recording. */
static bool is_said(const fw_diagnostics *diagnostics, size_t index) {
  char line[2048], earlier[2048];
  if (!fw_diagnostics_repeated(diagnostics, index)) return false;
  (void)fw_diagnostic_format(&diagnostics->entries[index], line, sizeof line);
  for (size_t i = 0; i < index; i++) {
    (void)fw_diagnostic_format(&diagnostics->entries[i], earlier, sizeof earlier);
    if (strcmp(line, earlier) == 0) return true;
  }
  return false;
}

static void print_diagnostics(const fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < diagnostics->count; i++) {
    char line[2048];
    if (is_said(diagnostics, i)) continue;
    (void)fw_diagnostic_format(&diagnostics->entries[i], line, sizeof line);
    (void)fprintf(stderr, "%s\n", line);
  }
  if (diagnostics->lost > 0) {
    (void)fprintf(stderr, "error: %zu further messages were lost: out of memory\n", diagnostics->lost);
  }
}

int fwi_invoke(const fwi_invocation *invocation, int argc, char **argv) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fwi_operands operands;
  bool help = false;
  fw_status status = fwi_flags_parse(invocation->command, invocation->flags, invocation->flag_count, argc, argv,
                                     &operands, &help, &diagnostics);
  if (help) {
    fwi_flags_print_help(invocation->command, invocation->flags, invocation->flag_count);
  } else if (status == FW_OK) {
    status = invocation->action(&operands, invocation->values, &diagnostics);
  }
  print_diagnostics(&diagnostics);
  fw_diagnostics_clear(&diagnostics);
  fwi_flags_clear(invocation->flags, invocation->flag_count);
  return status == FW_OK && invocation->failed != NULL && *invocation->failed ? A_CHECK_FAILED
                                                                              : fw_status_exit_code(status);
}

fw_status fwi_output(const fw_text *text, const char *path, fw_diagnostics *diagnostics) {
  if (text->failed) {
    return fw_error_memory(diagnostics, "the output");
  }
  if (path != NULL) {
    return fw_file_write(path, text->data, text->length, diagnostics);
  }
  if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout) != 0) {
    return fw_error(diagnostics, FW_ERROR_IO, (fw_place){0}, "standard output: %s", strerror(errno));
  }
  return FW_OK;
}

const char *fwi_share_folder(void) {
  const char *share = getenv("FLEETWATT_SHARE");
  return share != NULL && share[0] != '\0' ? share : FW_SHARE_DIR;
}

fwi_progress fwi_progress_start(const char *what) {
  return (fwi_progress){.what = what, .active = isatty(STDERR_FILENO) != 0, .shown = SIZE_MAX};
}

void fwi_progress_show(void *context, size_t done, size_t total) {
  fwi_progress *progress = context;
  const size_t mille = total > 0 ? done * 1000 / total : 1000;
  if (progress->active && mille != progress->shown) {
    progress->shown = mille;
    (void)fprintf(stderr, "\r%s: %zu of %zu runs (%zu %%)", progress->what, done, total, mille / 10);
  }
}

void fwi_progress_end(fwi_progress *progress) {
  if (progress->active) {
    (void)fprintf(stderr, "\r\033[K");
  }
}

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t interrupted_s;

static sig_atomic_t now_s(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (sig_atomic_t)now.tv_sec;
}

/* `timeout` and job schedulers signal a process and its group, so that one interrupt comes twice: what follows on the
 * heels of the first is the same. */
static void on_interrupt(int signal_number) {
  const sig_atomic_t now = now_s();
  if (interrupted == 0) {
    interrupted_s = now;
    interrupted = 1;
  } else if (now - interrupted_s > 1) {
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
  }
}

const volatile sig_atomic_t *fwi_watch_interrupt(void) {
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
  (void)sigemptyset(&action.sa_mask);
  (void)sigaddset(&action.sa_mask, SIGINT);
  (void)sigaddset(&action.sa_mask, SIGTERM);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
