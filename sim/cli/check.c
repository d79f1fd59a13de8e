/* fleetwatt check */
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/cli.h"

static int run(int argc, char **argv);

const fwi_command fwi_check_command = {"check",
                                       "scenario files held to what they expect of themselves",
                                       "PATH...",
                                       NULL,
                                       "fleetwatt check scenarios/\n  fleetwatt check scenarios/ --junit check.xml",
                                       run};

typedef struct check_flags {
  uint64_t threads;
  bool update;
  const char *junit;
  const char *tap;
  bool json;
  const char *output;
  bool failed; /* some check, and it was not updated */
} check_flags;

/* ---- Output ---- */

typedef void (*render)(const fw_check_result *result, fw_text *out);

static fw_status write_report(render as, const fw_check_result *result, const char *path, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  as(result, &text);
  const fw_status status = fwi_output(&text, path, diagnostics);
  fw_text_clear(&text);
  return status;
}

/* Files first, so that a closed pipe does not lose them. */
static fw_status deliver(const check_flags *flags, const fw_check_result *result, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  if (flags->junit != NULL) {
    status = write_report(fw_report_check_junit, result, flags->junit, diagnostics);
  }
  if (flags->tap != NULL) {
    const fw_status tap = write_report(fw_report_check_tap, result, flags->tap, diagnostics);
    status = status != FW_OK ? status : tap;
  }
  const fw_status printed =
      write_report(flags->json ? fw_report_check_json : fw_report_check_text, result, flags->output, diagnostics);
  return status != FW_OK ? status : printed;
}

/* ---- Update ---- */

typedef struct update_counts {
  size_t written; /* values */
  size_t files;   /* that hold them */
  size_t left;    /* failed checks that stay as they are */
} update_counts;

/* Shows the difference, then writes it. */
static fw_status update_file(const fw_check_file *file, bool silent, update_counts *counts,
                             fw_diagnostics *diagnostics) {
  fw_check_changes changes = {0};
  fw_text text = FW_TEXT_INIT;
  fw_status status = fw_check_propose(file, &changes, diagnostics);
  if (status == FW_OK && changes.count > 0) {
    fw_report_check_changes(file, &changes, &text);
    status = silent ? FW_OK : fwi_output(&text, NULL, diagnostics);
    status = status == FW_OK ? fw_check_rewrite(file, &changes, diagnostics) : status;
  }
  if (status == FW_OK && changes.count > 0) {
    counts->written += changes.count;
    counts->files++;
  }
  counts->left += file->failed - changes.count;
  fw_text_clear(&text);
  free(changes.list);
  return status;
}

static fw_status say_written(const update_counts *counts, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, "--update: %zu value%s written into %zu file%s\n", counts->written,
                     counts->written == 1 ? "" : "s", counts->files, counts->files == 1 ? "" : "s");
  const fw_status status = fwi_output(&text, NULL, diagnostics);
  fw_text_clear(&text);
  return status;
}

/* `silent`: standard output holds JSON, which says what was expected and what came. */
static fw_status update(const fw_check_result *result, bool silent, size_t *left, fw_diagnostics *diagnostics) {
  update_counts counts = {0};
  fw_status status = FW_OK;
  for (size_t i = 0; i < result->count; i++) {
    if (result->files[i].state == FW_CHECK_FAILS) {
      const fw_status one = update_file(&result->files[i], silent, &counts, diagnostics);
      status = status != FW_OK ? status : one;
    }
  }
  if (!silent) {
    const fw_status said = say_written(&counts, diagnostics);
    status = status != FW_OK ? status : said;
  }
  *left = counts.left;
  if (*left > 0) {
    fw_warning(diagnostics, (fw_place){0},
               "%zu failed checks are ranges or comparisons, or have no figure: --update leaves them to you", *left);
  }
  return status;
}

/* ---- The command ---- */

static fw_status check(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  check_flags *flags = values;
  fw_paths paths = {0};
  fw_check_result result = {0};
  fw_status status = fw_check_gather(operands->values, operands->count, &paths, diagnostics);
  if (status == FW_OK) {
    fwi_progress progress = fwi_progress_start("check");
    const fw_check_options options = {.share = fwi_share_folder(),
                                      .study = {.threads = (unsigned)flags->threads,
                                                .progress = fwi_progress_show,
                                                .progress_context = &progress,
                                                .cancel = fwi_watch_interrupt()}};
    status = fw_check(&paths, &options, &result, diagnostics);
    fwi_progress_end(&progress);
    const fw_status told = deliver(flags, &result, diagnostics);
    size_t failed = result.states[FW_CHECK_FAILS];
    if (flags->update && status == FW_OK) {
      status = update(&result, flags->json && flags->output == NULL, &failed, diagnostics);
    }
    flags->failed = failed > 0;
    status = status != FW_OK ? status : told;
    status = status != FW_OK ? status : result.status;
  }
  fw_check_clear(&result);
  fw_paths_clear(&paths);
  return status;
}

static int run(int argc, char **argv) {
  check_flags values = {0};
  const fwi_flag flags[] = {
      {"--update", FWI_FLAG_SWITCH, &values.update, NULL,
       "show how recorded values and digests differ, and write them into the files"},
      {"--junit", FWI_FLAG_OUTPUT, &values.junit, "FILE", "also write JUnit XML to FILE"},
      {"--tap", FWI_FLAG_OUTPUT, &values.tap, "FILE", "also write TAP to FILE"},
      {"--threads", FWI_FLAG_COUNT, &values.threads, "N", "threads; results do not depend on it (default: all)"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print JSON instead of lines"},
      {"--output", FWI_FLAG_OUTPUT, &values.output, "FILE", "write to FILE instead of standard output"},
  };
  const fwi_invocation invocation = {&fwi_check_command, flags, sizeof flags / sizeof flags[0], check, &values,
                                     &values.failed};
  return fwi_invoke(&invocation, argc, argv);
}
