/* fleetwatt results */
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/cli.h"
#include "sim/study/sweep/stored.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {{"--csv", FWI_NEEDS, "--study", "it exports one"},
                                 {"--against", FWI_NEEDS, "--study", "that is what it compares"},
                                 {"--in", FWI_NEEDS, "--against", "it says where the study of that lies"},
                                 {"--csv", FWI_EXCLUDES, "--json", "one of them is printed"},
                                 {"--csv", FWI_EXCLUDES, "--against", "it exports one study"},
                                 {"--delete", FWI_EXCLUDES, "--study", "it stands alone"},
                                 {"--delete", FWI_EXCLUDES, "--json", "it prints nothing"},
                                 {"--delete", FWI_EXCLUDES, "--output", "it prints nothing"},
                                 {0}};

const fwi_command fwi_results_command = {"results",
                                         "studies of a result store: list, export, compare, delete",
                                         "STORE",
                                         rules,
                                         "fleetwatt results results.db\n"
                                         "  fleetwatt results results.db --study demo --csv --output demo.csv\n"
                                         "  fleetwatt results results.db --study after --against before",
                                         run};

typedef struct results_flags {
  const char *study;
  const char *against;
  const char *other_store;
  const char *delete;
  bool csv;
  bool json;
  const char *output;
  bool moved; /* some answer lies beyond its interval */
} results_flags;

static fw_status deliver(fw_text *text, const results_flags *flags, fw_diagnostics *diagnostics) {
  const fw_status status = fwi_output(text, flags->output, diagnostics);
  fw_text_clear(text);
  return status;
}

static fw_status list(fw_store *store, const results_flags *flags, fw_diagnostics *diagnostics) {
  fw_stored_list studies;
  fw_status status = fw_stored_list_read(store, &studies, diagnostics);
  if (status == FW_OK) {
    fw_text text = FW_TEXT_INIT;
    (flags->json ? fw_report_stored_list_json : fw_report_stored_list_text)(&studies, &text);
    status = deliver(&text, flags, diagnostics);
    fw_stored_list_clear(&studies);
  }
  return status;
}

static fw_status show(fw_store *store, const results_flags *flags, fw_diagnostics *diagnostics) {
  fw_stored_study study;
  fw_status status = fw_stored_read(store, flags->study, &study, diagnostics);
  if (status == FW_OK) {
    fw_text text = FW_TEXT_INIT;
    if (flags->csv) {
      fw_report_stored_csv(&study, &text);
    } else if (flags->json) {
      fw_report_stored_json(&study, "results", diagnostics, &text);
    } else {
      fw_report_stored_text(&study, diagnostics, &text);
    }
    status = deliver(&text, flags, diagnostics);
    fw_stored_clear(&study);
  }
  return status;
}

static fw_status report_changes(const fw_stored_study *before, const fw_stored_study *after, results_flags *flags,
                                fw_diagnostics *diagnostics) {
  fw_stored_comparison comparison;
  fw_status status = fw_stored_compare(before, after, &comparison, diagnostics);
  if (status == FW_OK) {
    fw_text text = FW_TEXT_INIT;
    (flags->json ? fw_report_stored_comparison_json : fw_report_stored_comparison_text)(&comparison, &text);
    flags->moved = comparison.verdicts[FW_STORED_BEYOND] > 0;
    status = deliver(&text, flags, diagnostics);
    free(comparison.changes);
  }
  return status;
}

/* The study against an earlier one, of the same store or of another. */
static fw_status compare(fw_store *store, results_flags *flags, fw_diagnostics *diagnostics) {
  fw_store *other = NULL;
  fw_stored_study before = {0};
  fw_stored_study after = {0};
  fw_status status = FW_OK;
  if (flags->other_store != NULL) {
    status = fw_store_open(flags->other_store, FW_STORE_EXISTING, &other, diagnostics);
  }
  if (status == FW_OK) {
    status = fw_stored_read(other != NULL ? other : store, flags->against, &before, diagnostics);
  }
  status = status == FW_OK ? fw_stored_read(store, flags->study, &after, diagnostics) : status;
  status = status == FW_OK ? report_changes(&before, &after, flags, diagnostics) : status;
  fw_stored_clear(&before);
  fw_stored_clear(&after);
  fw_store_close(other);
  return status;
}

static fw_status results(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  results_flags *flags = values;
  fw_store *store = NULL;
  fw_status status = fw_store_open(operands->values[0], FW_STORE_EXISTING, &store, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  if (flags->delete != NULL) {
    status = fw_stored_delete(store, flags->delete, diagnostics);
  } else if (flags->against != NULL) {
    status = compare(store, flags, diagnostics);
  } else if (flags->study != NULL) {
    status = show(store, flags, diagnostics);
  } else {
    status = list(store, flags, diagnostics);
  }
  fw_store_close(store);
  return status;
}

static int run(int argc, char **argv) {
  results_flags values = {.moved = false};
  const fwi_flag flags[] = {
      {"--study", FWI_FLAG_TEXT, &values.study, "NAME", "show this study (default: list all)"},
      {"--csv", FWI_FLAG_SWITCH, &values.csv, NULL, "export the study: a row for each run and figure"},
      {"--against", FWI_FLAG_TEXT, &values.against, "NAME", "which answers moved since that study; status 1 if beyond"},
      {"--in", FWI_FLAG_TEXT, &values.other_store, "STORE", "the store that holds the study of --against"},
      {"--delete", FWI_FLAG_TEXT, &values.delete, "NAME", "delete this study and the runs that only it names"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print JSON instead of tables"},
      {"--output", FWI_FLAG_OUTPUT, &values.output, "FILE", "write to FILE instead of standard output"},
  };
  const fwi_invocation invocation = {&fwi_results_command, flags, sizeof flags / sizeof flags[0], results, &values,
                                     &values.moved};
  return fwi_invoke(&invocation, argc, argv);
}
