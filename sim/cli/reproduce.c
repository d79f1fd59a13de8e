/* fleetwatt reproduce */
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/file.h"
#include "sim/cli/beyond.h"
#include "sim/cli/cli.h"

static int run(int argc, char **argv);

#define FIT_PRINTS "it writes its own file and prints one line"

static const fwi_rule rules[] = {{"--csv", FWI_NEEDS, "--beyond", "it has the rates that are found there"},
                                 {"--markdown", FWI_EXCLUDES, "--json", "one of them is printed"},
                                 {"--fit", FWI_EXCLUDES, "--beyond", "they answer different questions"},
                                 {"--fit", FWI_EXCLUDES, "--json", FIT_PRINTS},
                                 {"--fit", FWI_EXCLUDES, "--markdown", FIT_PRINTS},
                                 {"--fit", FWI_EXCLUDES, "--output", FIT_PRINTS},
                                 {"--fit", FWI_EXCLUDES, "--save", FIT_PRINTS},
                                 {0}};

const fwi_command fwi_reproduce_command = {"reproduce",
                                           "the published study: every figure simulated and judged",
                                           NULL,
                                           rules,
                                           "fleetwatt reproduce\n  fleetwatt reproduce --markdown --output "
                                           "docs/validation.md",
                                           run};

#define LEDGER "scenarios/study/ledger.json"
#define MOST_SEEDS UINT64_C(1000000)

typedef struct reproduce_flags {
  const char *ledger;
  uint64_t seeds;
  uint64_t threads;
  bool fit;
  bool beyond;
  const char *csv;
  bool json;
  bool markdown;
  const char *output;
  const char *save;
  bool fell_out; /* some figure that was inside its tolerance */
} reproduce_flags;

static fw_reproduce_options make_options(const reproduce_flags *flags, fwi_progress *progress) {
  return (fw_reproduce_options){.share = fwi_share_folder(),
                                .seeds = (size_t)flags->seeds,
                                .study = {.threads = (unsigned)flags->threads,
                                          .progress = fwi_progress_show,
                                          .progress_context = progress,
                                          .cancel = fwi_watch_interrupt()}};
}

/* ---- All figures ---- */

static fw_status save_json(const fw_reproduce_result *result, const char *path, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_report_ledger_json(result, diagnostics, &text);
  const fw_status status = fwi_output(&text, path, diagnostics);
  fw_text_clear(&text);
  return status;
}

static fw_status print_result(const fw_reproduce_result *result, const reproduce_flags *flags,
                              fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  if (flags->save != NULL) {
    const fw_status status = save_json(result, flags->save, diagnostics);
    if (status != FW_OK) {
      return status;
    }
  }
  if (flags->json) {
    fw_report_ledger_json(result, diagnostics, &text);
  } else if (flags->markdown) {
    fw_report_ledger_markdown(result, &text);
  } else {
    fw_report_ledger_text(result, diagnostics, &text);
  }
  const fw_status status = fwi_output(&text, flags->output, diagnostics);
  fw_text_clear(&text);
  return status;
}

static fw_status reproduce(const fw_ledger *ledger, const char *path, reproduce_flags *flags,
                           fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("reproduce");
  const fw_reproduce_options options = make_options(flags, &progress);
  fw_reproduce_result result = {0};
  fw_status status = fw_reproduce(ledger, path, &options, &result, diagnostics);
  fwi_progress_end(&progress);
  if (status == FW_OK) {
    flags->fell_out = result.fell_out > 0;
    status = print_result(&result, flags, diagnostics);
    fw_reproduce_clear(&result);
  }
  return status;
}

/* ---- The fit ---- */

static fw_status write_fit(const fw_ledger *ledger, const char *path, double level_w, fw_diagnostics *diagnostics) {
  char *file = fw_path_beside(path, ledger->fit.file);
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     "{\n  \"fleetwatt_fleet_fit\": 1,\n  \"source\": \"%s\",\n  \"notes\": \"Written by fleetwatt "
                     "reproduce --fit, read by fit-a100: watts of one GPU in the updates of class %s, at which the row "
                     "%s of scenarios/study/ledger.json is ",
                     ledger->source, ledger->fit.job_class, ledger->fit.row);
  fw_text_add_number(&text, ledger->fit.value, 9);
  fw_text_add_format(&text, ".\",\n  \"%s\": ", ledger->fit.key);
  fw_text_add_number(&text, level_w, 9);
  fw_text_add(&text, "\n}\n");
  const fw_status status = file == NULL || text.failed ? fw_error_memory(diagnostics, "the file of a fit")
                                                       : fw_file_write(file, text.data, text.length, diagnostics);
  fw_text_clear(&text);
  free(file);
  return status;
}

static fw_status fit(const fw_ledger *ledger, const char *path, const reproduce_flags *flags,
                     fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("fit");
  const fw_reproduce_options options = make_options(flags, &progress);
  double level_w = 0.0;
  fw_status status = fw_reproduce_fit(ledger, path, &options, &level_w, diagnostics);
  fwi_progress_end(&progress);
  status = status != FW_OK ? status : write_fit(ledger, path, level_w, diagnostics);
  if (status == FW_OK) {
    char number[FW_NUMBER_TEXT_SIZE];
    printf("%s %s; now fit the parameter files again with fit-a100\n", ledger->fit.key,
           fw_number_format(level_w, 9, number));
  }
  return status;
}

/* ---- Beyond ---- */

static fw_status beyond(const char *path, const reproduce_flags *flags, fw_diagnostics *diagnostics) {
  const fwi_beyond_flags wanted = {.ledger = path,
                                   .seeds = (size_t)flags->seeds,
                                   .threads = (unsigned)flags->threads,
                                   .json = flags->json,
                                   .markdown = flags->markdown,
                                   .output = flags->output,
                                   .save = flags->save,
                                   .csv = flags->csv};
  return fwi_beyond(&wanted, diagnostics);
}

static fw_status choose(const fw_ledger *ledger, const char *path, reproduce_flags *flags,
                        fw_diagnostics *diagnostics) {
  if (flags->fit) {
    return fit(ledger, path, flags, diagnostics);
  }
  return flags->beyond ? beyond(path, flags, diagnostics) : reproduce(ledger, path, flags, diagnostics);
}

/* ---- The command ---- */

static fw_status act(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  (void)operands; /* the command has none */
  reproduce_flags *flags = values;
  fw_text shipped = FW_TEXT_INIT;
  fw_ledger ledger = {0};
  if (flags->seeds > MOST_SEEDS) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--seeds is too large");
  }
  fw_text_add_format(&shipped, "%s/" LEDGER, fwi_share_folder());
  const char *path = flags->ledger != NULL ? flags->ledger : shipped.data;
  fw_status status =
      shipped.failed ? fw_error_memory(diagnostics, "a path") : fw_ledger_read(path, &ledger, diagnostics);
  if (status == FW_OK) {
    status = choose(&ledger, path, flags, diagnostics);
  }
  fw_ledger_clear(&ledger);
  fw_text_clear(&shipped);
  return status;
}

static int run(int argc, char **argv) {
  reproduce_flags values = {.fell_out = false};
  const fwi_flag flags[] = {
      {"--ledger", FWI_FLAG_TEXT, &values.ledger, "FILE", "instead of the shipped " LEDGER},
      {"--seeds", FWI_FLAG_COUNT, &values.seeds, "N", "of every arm and search instead of the files': quick and rough"},
      {"--fit", FWI_FLAG_SWITCH, &values.fit, NULL, "solve the one number that is fitted by simulation, and write it"},
      {"--beyond", FWI_FLAG_SWITCH, &values.beyond, NULL, "answer what the study leaves open (docs/beyond.md)"},
      {"--csv", FWI_FLAG_OUTPUT, &values.csv, "FILE",
       "with --beyond: also write the rates over oversubscription to FILE"},
      {"--threads", FWI_FLAG_COUNT, &values.threads, "N", "threads; results do not depend on it (default: all)"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print JSON instead of tables"},
      {"--markdown", FWI_FLAG_SWITCH, &values.markdown, NULL, "print the page in docs/ instead of tables"},
      {"--output", FWI_FLAG_OUTPUT, &values.output, "FILE", "write to FILE instead of standard output"},
      {"--save", FWI_FLAG_OUTPUT, &values.save, "FILE", "also write the JSON to FILE, whatever is printed"},
  };
  const fwi_invocation invocation = {&fwi_reproduce_command, flags, sizeof flags / sizeof flags[0], act, &values,
                                     &values.fell_out};
  return fwi_invoke(&invocation, argc, argv);
}
