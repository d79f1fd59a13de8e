/* fleetwatt plan */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/scenario_flags.h"
#include "sim/study/plan/plan.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {{"--markdown", FWI_EXCLUDES, "--json", "one of them is printed"}, {0}};

const fwi_command fwi_plan_command = {
    "plan",
    "how far a feed can be oversubscribed at a stated risk",
    "SCENARIO",
    rules,
    "fleetwatt plan scenarios/fleet16-staggered.json --risk time-share=1% --window 30",
    run};

#define MOST_RUNS 1e6

typedef struct plan_flags {
  fwi_scenario_flags scenario;
  const char *risk;
  fwi_numbers windows_s;
  const char *most_loss;
  const char *vary;
  double from;
  double to;
  double step;
  uint64_t runs;
  uint64_t look;
  uint64_t surface;
  const char *store;
  const char *csv;
  bool markdown;
} plan_flags;

/* ---- Flags ---- */

/* A number, or one in percent. */
static bool parse_share(const char *text, double *out) {
  const size_t length = strlen(text);
  const bool percent = length > 0 && text[length - 1] == '%';
  if (!fw_number_parse(text, length - percent, out)) {
    return false;
  }
  *out = percent ? *out / 100.0 : *out;
  return true;
}

static fw_status find_word(const char *flag, const char *word, size_t length, const char *const *names, int *out,
                           fw_diagnostics *diagnostics) {
  for (int i = 0; names[i] != NULL; i++) {
    if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0) {
      *out = i;
      return FW_OK;
    }
  }
  fw_text choices = FW_TEXT_INIT;
  for (int i = 0; names[i] != NULL; i++) {
    fw_text_add_format(&choices, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  const fw_status status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s: \"%.*s\" is none of %s", flag,
                                    (int)length, word, choices.failed ? "its choices" : choices.data);
  fw_text_clear(&choices);
  return status;
}

static fw_status read_risk(const char *text, fw_plan_options *out, fw_diagnostics *diagnostics) {
  int kind = 0;
  const char *equals = text != NULL ? strchr(text, '=') : NULL;
  if (equals == NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "--risk is to say what may happen how often, for example --risk time-share=1%%");
  }
  fw_status status = find_word("--risk", text, (size_t)(equals - text), fw_plan_risk_names, &kind, diagnostics);
  out->risk = (fw_plan_risk)kind;
  if (status == FW_OK && !parse_share(equals + 1, &out->limit)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--risk: \"%s\" is no number", equals + 1);
  }
  return status;
}

static fw_status read_loss(const char *text, double *out, fw_diagnostics *diagnostics) {
  if (parse_share(text, out) && *out > 0.0 && *out < 1.0) {
    return FW_OK;
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "--max-token-loss %s: expected a share above 0 and below 1, such as 5%% or 0.05", text);
}

static fw_status read_windows(const fwi_numbers *seconds, fw_time_ns *windows, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < seconds->count; i++) {
    if (!fw_time_from_seconds(seconds->values[i], &windows[i]) || windows[i] == 0) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "--window: expected between 1 ns and 292 years, in s");
    }
  }
  return FW_OK;
}

static fw_status read_options(const plan_flags *flags, fw_time_ns *windows, fw_plan_options *out,
                              fw_diagnostics *diagnostics) {
  int axis = FW_PLAN_BUDGET;
  *out = fw_plan_defaults;
  out->from = flags->from;
  out->to = flags->to;
  out->step = flags->step;
  out->windows = windows;
  out->window_count = flags->windows_s.count;
  out->look = (size_t)flags->look;
  out->survey = (size_t)flags->surface;
  out->most_runs = (size_t)flags->runs;
  fw_status status = read_risk(flags->risk, out, diagnostics);
  if (status == FW_OK && out->risk == FW_PLAN_TRIPS_PER_YEAR && out->window_count > 0) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "--window: trips of a breaker have no window; leave it out, or ask for another --risk");
  }
  if (status == FW_OK && flags->most_loss != NULL) {
    status = read_loss(flags->most_loss, &out->most_loss, diagnostics);
  }
  if (status == FW_OK && flags->vary != NULL) {
    status = find_word("--vary", flags->vary, strlen(flags->vary), fw_plan_axis_names, &axis, diagnostics);
  }
  out->axis = (fw_plan_axis)axis;
  if (status == FW_OK &&
      ((double)flags->runs > MOST_RUNS || (double)flags->look > MOST_RUNS || (double)flags->surface > MOST_RUNS)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "--runs, --look and --surface: expected at most a million");
  }
  return status == FW_OK ? read_windows(&flags->windows_s, windows, diagnostics) : status;
}

/* ---- Output ---- */

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_plan_text(result, diagnostics, out);
}

static void as_markdown(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  (void)diagnostics;
  fw_report_plan_markdown(result, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_plan_json(result, diagnostics, out);
}

static fw_status write_csv(const fw_plan_result *result, const char *path, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_report_plan_csv(result, &text);
  const fw_status status = fwi_output(&text, path, diagnostics);
  fw_text_clear(&text);
  return status;
}

static fw_status deliver(const plan_flags *flags, const fw_plan_result *result, fw_diagnostics *diagnostics) {
  fw_status status = flags->csv != NULL ? write_csv(result, flags->csv, diagnostics) : FW_OK;
  return status == FW_OK
             ? fwi_deliver(&flags->scenario, flags->markdown ? as_markdown : as_text, as_json, result, diagnostics)
             : status;
}

/* ---- The command ---- */

/* How many runs a search takes is not known beforehand, so what is shown is how many were done. */
typedef struct counter {
  fwi_progress progress;
  size_t runs;
} counter;

static void count_run(void *context, size_t done, size_t total) {
  counter *all = context;
  (void)done;
  (void)total;
  all->runs++;
  if (all->progress.active) {
    (void)fprintf(stderr, "\rplan: %zu runs", all->runs);
  }
}

static fw_status search(const fw_scenario *scenario, fw_plan_options *options, const plan_flags *flags,
                        fw_diagnostics *diagnostics) {
  counter all = {.progress = fwi_progress_start("plan")};
  fw_plan_result result = {0};
  options->study = (fw_study_options){.threads = (unsigned)flags->scenario.threads,
                                      .progress = count_run,
                                      .progress_context = &all,
                                      .cancel = fwi_watch_interrupt()};
  fw_status status = fw_authority_warn(scenario, scenario->policy_count, FW_AUTHORITY_THRESHOLD, diagnostics);
  status = status == FW_OK ? fw_plan(scenario, options, &result, diagnostics) : status;
  fwi_progress_end(&all.progress);
  if (status == FW_OK) {
    status = deliver(flags, &result, diagnostics);
    fw_plan_clear(&result);
  }
  return status;
}

static fw_status plan(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const plan_flags *flags = values;
  fw_time_ns windows[FWI_LIST_LIMIT];
  fw_plan_options options;
  fw_scenario *scenario = NULL;
  fw_status status = read_options(flags, windows, &options, diagnostics);
  status = status == FW_OK ? fwi_read_scenario(operands->values[0], &flags->scenario, &scenario, diagnostics) : status;
  if (status == FW_OK && flags->store != NULL) {
    status = fw_store_open(flags->store, FW_STORE_CREATE, &options.store, diagnostics);
  }
  if (status == FW_OK) {
    status = search(scenario, &options, flags, diagnostics);
  }
  fw_store_close(options.store);
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  plan_flags values = {.from = fw_plan_defaults.from,
                       .to = fw_plan_defaults.to,
                       .step = fw_plan_defaults.step,
                       .runs = fw_plan_defaults.most_runs,
                       .look = fw_plan_defaults.look};
  const fwi_flag flags[] = {
      {"--risk", FWI_FLAG_TEXT, &values.risk, "KIND=VALUE",
       "what may happen how often: time-share=1%, episodes-per-day=2 or trips-per-year=0.1"},
      {"--window", FWI_FLAG_NUMBERS, &values.windows_s, "S,S", "only these of the scenario's windows, in seconds"},
      {"--max-token-loss", FWI_FLAG_TEXT, &values.most_loss, "P%",
       "and at most this share of the uncontrolled fleet's tokens is lost"},
      {"--vary", FWI_FLAG_TEXT, &values.vary, "WHAT",
       "budget: this fleet on ever smaller feeds (default); fleet: ever larger fleets on the file's budget"},
      {"--from", FWI_FLAG_NUMBER, &values.from, "R", "smallest ratio of nameplate to budget (default 1)"},
      {"--to", FWI_FLAG_NUMBER, &values.to, "R", "largest ratio (default 4)"},
      {"--step", FWI_FLAG_NUMBER, &values.step, "R", "step of the answer (default 0.05)"},
      {"--runs", FWI_FLAG_COUNT, &values.runs, "N", "most runs at one ratio before it is left undecided (default 200)"},
      {"--look", FWI_FLAG_COUNT, &values.look, "N", "runs of a first look at a ratio (default 4)"},
      {"--surface", FWI_FLAG_COUNT, &values.surface, "N", "also look at N ratios over the whole range"},
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "A,B", "only these of the file's policies"},
      FWI_HOURS_FLAG(values.scenario),
      FWI_TRACE_FLAG(values.scenario),
      {"--store", FWI_FLAG_TEXT, &values.store, "FILE", "keeps every run there and takes those that it has"},
      {"--csv", FWI_FLAG_OUTPUT, &values.csv, "FILE", "also write every ratio that was run to FILE"},
      {"--markdown", FWI_FLAG_SWITCH, &values.markdown, NULL, "print a page in Markdown instead of tables"},
      FWI_THREADS_FLAG(values.scenario),
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {&fwi_plan_command, flags, sizeof flags / sizeof flags[0], plan, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}
