/* What each kind of rule may choose from, and the search for its best. Every rule gets the same number of runs at every
 * limit; where a kind comes with several signals, each of them does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/environment.h"
#include "sim/base/fields.h"
#include "sim/base/memory.h"
#include "sim/scenario/arm.h"
#include "sim/study/search.h"
#include "sim/study/train/contest.h"

/* A little more than half of the runs look for good settings, the others choose among the best. */
#define ROUNDS ((size_t)5)
#define POINTS ((size_t)24)
#define FINALISTS ((size_t)6)
#define SEARCH_SHARE 0.6

#define MOST_LEAD_S 60.0 /* twice the window, and more than any batch takes */
#define MOST_DWELL_S 60.0

const double fw_contest_limits[FW_CONTEST_LIMITS] = {0.6, 1.0, 1.4};

/* A kind of rule as it is searched. */
typedef struct family {
  fw_contest_kind kind;
  const char *policy; /* its type */
  char name[FW_CONTEST_NAME_SIZE];
  fw_text json; /* the settings that are not searched, and a first value of those that are */
  char keys[FW_SEARCH_DIMENSIONS][48];
  fw_search_dimension dimensions[FW_SEARCH_DIMENSIONS];
  size_t dimension_count;
} family;

typedef struct tuner {
  const fw_contest_entry *entry;
  const fw_contest_result *contest;
  const fw_study_options *study;
  const fw_actuator_range *range; /* concurrency of the controlled jobs */
  double levels[FW_POLICY_LEVELS];
  size_t level_count;
  fwi_contest_rules *out;
} tuner;

/* ---- Families ---- */

static fw_search_dimension *add_dimension(family *of, const char *key) {
  fw_search_dimension *dimension = &of->dimensions[of->dimension_count];
  (void)snprintf(of->keys[of->dimension_count], sizeof of->keys[0], "%s", key);
  *dimension = (fw_search_dimension){.setting = of->keys[of->dimension_count++]};
  return dimension;
}

static void add_range(family *of, const char *key, double from, double to) {
  fw_search_dimension *dimension = add_dimension(of, key);
  dimension->from = from;
  dimension->to = to;
}

static void add_choice(family *of, const char *key, const double *choices, size_t count) {
  fw_search_dimension *dimension = add_dimension(of, key);
  dimension->choices = choices;
  dimension->choice_count = count;
}

static family make_mix(const tuner *work) {
  family made = {.kind = FW_CONTEST_MIX, .policy = "mix", .name = "mix", .json = FW_TEXT_INIT};
  char first[FW_NUMBER_TEXT_SIZE];
  (void)fw_number_format_exact(work->levels[0], first);
  fw_text_add_format(&made.json, "{\"low\": %s, \"high\": %s, \"share\": 0}", first, first);
  add_choice(&made, "low", work->levels, work->level_count);
  add_choice(&made, "high", work->levels, work->level_count);
  add_range(&made, "share", 0.0, 1.0);
  return made;
}

static void add_step(fw_text *json, fw_time_ns from, double setting, bool first) {
  char time[FW_UNITS_TEXT_SIZE];
  char number[FW_NUMBER_TEXT_SIZE];
  fw_text_add_format(json, "%s{\"from_s\": %s, \"setting\": %s}", first ? "" : ", ", fw_time_format(from, time),
                     fw_number_format_exact(setting, number));
}

/* One step for each of the budget's, or one. */
static family make_schedule(const tuner *work) {
  family made = {.kind = FW_CONTEST_SCHEDULE, .policy = "schedule", .name = "schedule", .json = FW_TEXT_INIT};
  const fw_budget_schedule *budget = &work->contest->scenario->schedule;
  const size_t steps = budget->step_count > 0 ? budget->step_count : 1;
  char repeat[FW_UNITS_TEXT_SIZE];
  fw_text_add(&made.json, "{");
  if (budget->repeat > 0) {
    fw_text_add_format(&made.json, "\"repeat_s\": %s, ", fw_time_format(budget->repeat, repeat));
  }
  fw_text_add(&made.json, "\"steps\": [");
  for (size_t i = 0; i < steps; i++) {
    char key[48];
    add_step(&made.json, budget->step_count > 0 ? budget->steps[i].from : 0, work->range->min, i == 0);
    (void)snprintf(key, sizeof key, "steps[%zu].setting", i);
    add_range(&made, key, work->range->min, work->range->max);
  }
  fw_text_add(&made.json, "]}");
  if (steps > 1) {
    add_range(&made, "lead", 0.0, MOST_LEAD_S);
  }
  return made;
}

/* A signal that rules may read, and the thresholds that make sense on it. */
typedef struct band_signal {
  const char *name;
  bool windowed;
  bool site;
} band_signal;

static const band_signal signals[] = {{"interval", false, false},
                                      {"reading", false, false},
                                      {"window", true, false},
                                      {"fleet", false, true},
                                      {"fleet_window", true, true}};

/* The site varies less around its budget than one of its jobs does around its share. */
static void add_band(family *of, const band_signal *signal) {
  add_range(of, "lower_above", signal->site ? 0.92 : 0.88, signal->site ? 1.04 : 1.06);
  fw_search_dimension *below = add_dimension(of, "raise_below");
  below->under = of->keys[0];
  below->from = 0.002;
  below->to = signal->site ? 0.1 : 0.15;
}

/* Those of the levels that are at least twice the one before: a step that moves power by as much everywhere. */
static size_t doubling_levels(const tuner *work, double *levels) {
  size_t count = 0;
  for (size_t i = 0; i < work->level_count; i++) {
    if (count == 0 || work->levels[i] >= 2.0 * levels[count - 1]) {
      levels[count++] = work->levels[i];
    }
  }
  return count;
}

static void add_levels(const tuner *work, fw_text *json) {
  double levels[FW_POLICY_LEVELS];
  char number[FW_NUMBER_TEXT_SIZE];
  const size_t count = doubling_levels(work, levels);
  for (size_t i = 0; i < count; i++) {
    fw_text_add_format(json, "%s%s", i == 0 ? ", \"levels\": [" : ", ", fw_number_format_exact(levels[i], number));
  }
  fw_text_add(json, "]");
}

static family make_band(const tuner *work, const band_signal *signal, fw_contest_kind kind, bool doubling) {
  static const double several[] = {1, 2};
  family made = {.kind = kind, .policy = fw_contest_kind_names[kind], .json = FW_TEXT_INIT};
  char window[FW_UNITS_TEXT_SIZE];
  (void)snprintf(made.name, sizeof made.name, "%s on %s%s", made.policy, signal->name, doubling ? ", doubling" : "");
  fw_text_add_format(&made.json, "{\"signal\": \"%s\"", signal->name);
  if (signal->windowed) {
    fw_text_add_format(&made.json, ", \"window_s\": %s", fw_time_format(work->entry->window, window));
  }
  if (doubling) {
    add_levels(work, &made.json);
  }
  fw_text_add(&made.json, "}");
  add_band(&made, signal);
  if (kind == FW_CONTEST_HYSTERESIS) {
    add_range(&made, "dwell", 0.0, MOST_DWELL_S);
    add_choice(&made, "lower_steps", several, FW_COUNT_OF(several));
    add_choice(&made, "raise_steps", several, FW_COUNT_OF(several));
  }
  return made;
}

/* ---- Searching ---- */

static fw_status decode(const family *of, const fw_record *record, void **out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  void *settings = fw_allocate(1, record->size);
  if (settings == NULL || of->json.failed) {
    free(settings);
    return fw_error_memory(diagnostics, "the settings of a rule");
  }
  fw_status status = fw_json_parse(of->json.data, of->json.length, of->name, &document, diagnostics);
  status = status == FW_OK ? fw_record_decode(record, fw_json_root(document), settings, diagnostics) : status;
  fw_json_free(document);
  if (status != FW_OK) {
    fw_record_clear(record, settings);
    free(settings);
    return status;
  }
  *out = settings;
  return FW_OK;
}

static void describe(const family *of, const double *values, fw_contest_arm *arm) {
  fw_text text = FW_TEXT_INIT;
  for (size_t i = 0; i < of->dimension_count; i++) {
    fw_text_add_format(&text, "%s%s ", i > 0 ? ", " : "", of->keys[i]);
    fw_text_add_number(&text, values[i], 4);
  }
  (void)snprintf(arm->settings, sizeof arm->settings, "%s", text.data != NULL ? text.data : "");
  fw_text_clear(&text);
}

static fw_search_spec spec_of(const tuner *work, const family *of, size_t limit) {
  const size_t runs = (size_t)work->entry->runs;
  const size_t seeds = (size_t)(SEARCH_SHARE * (double)runs) / (ROUNDS * POINTS);
  const size_t searching = seeds * ROUNDS * POINTS;
  return (fw_search_spec){.dimensions = of->dimensions,
                          .dimension_count = of->dimension_count,
                          .objective = fw_metric_slot(FW_METRIC_TOKENS, 0),
                          .limited = fw_metric_slot(FW_METRIC_VIOLATION_RATE, work->contest->window),
                          .limit = fw_contest_limits[limit] * work->entry->limit,
                          .first_seed = FW_PPO_TRAINING_SEED,
                          .rounds = ROUNDS,
                          .points = POINTS,
                          .seeds = seeds,
                          .finalists = FINALISTS,
                          .final_seeds = (runs - searching) / FINALISTS};
}

static fw_status search(const tuner *work, const family *of, size_t limit, fwi_contest_rule *rule,
                        fw_diagnostics *diagnostics) {
  const fw_search_spec spec = spec_of(work, of, limit);
  fw_search_result found = {0};
  fw_scenario scenario = *work->contest->scenario;
  scenario.policies = &rule->policy;
  scenario.policy_count = 1;
  const fw_status status = fw_search(&scenario, &spec, work->study, &found, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  rule->settings = found.settings;
  rule->policy.job_settings = found.settings;
  rule->arm.runs = found.runs;
  describe(of, found.values, &rule->arm);
  return FW_OK;
}

static void clear_rule(fwi_contest_rule *rule) {
  if (rule->base != NULL) {
    fw_record_clear(rule->policy.job->settings, rule->base);
    free(rule->base);
  }
  free(rule->settings);
}

static fw_status tune_at(const tuner *work, const family *of, size_t limit, fw_diagnostics *diagnostics) {
  fwi_contest_rules *rules = work->out;
  fwi_contest_rule rule = {.arm = {.kind = of->kind, .tuned_for = limit}};
  (void)snprintf(rule.arm.name, sizeof rule.arm.name, "%s", of->name);
  rule.policy = (fw_scenario_policy){.name = of->name,
                                     .job = fw_policy_find(FW_POLICY_JOB, of->policy),
                                     .classes = work->entry->classes.data,
                                     .class_count = work->entry->classes.count};
  if (!fw_grow(&rules->data, &rules->capacity, rules->count + 1, sizeof *rules->data)) {
    return fw_error_memory(diagnostics, "the rules of a contest");
  }
  fw_status status = decode(of, rule.policy.job->settings, &rule.base, diagnostics);
  rule.policy.job_settings = rule.base;
  status = status == FW_OK && of->dimension_count > 0 ? search(work, of, limit, &rule, diagnostics) : status;
  if (status != FW_OK) {
    clear_rule(&rule);
    return status;
  }
  rules->data[rules->count] = rule;
  rules->data[rules->count].policy.name = rules->data[rules->count].arm.name;
  rules->count++;
  return FW_OK;
}

static fw_status tune(const tuner *work, family of, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < of.dimension_count; i++) {
    of.dimensions[i].setting = of.keys[i]; /* the family was copied */
    of.dimensions[i].under = of.dimensions[i].under != NULL ? of.keys[0] : NULL;
  }
  for (size_t limit = 0; limit < FW_CONTEST_LIMITS && status == FW_OK; limit++) {
    status = tune_at(work, &of, limit, diagnostics);
  }
  fw_text_clear(&of.json);
  return status;
}

static fw_status tune_bands(const tuner *work, fw_contest_kind kind, fw_diagnostics *diagnostics) {
  const bool alone = work->contest->scenario->job_count == 1; /* then the site is the job, a second late */
  double levels[FW_POLICY_LEVELS];
  const size_t doubling = doubling_levels(work, levels);
  const bool some_double = doubling >= 2 && doubling < work->level_count;
  fw_status status = FW_OK;
  for (size_t i = 0; i < FW_COUNT_OF(signals) && status == FW_OK; i++) {
    if (!alone || !signals[i].site) {
      status = tune(work, make_band(work, &signals[i], kind, false), diagnostics);
    }
    if (status == FW_OK && kind == FW_CONTEST_HYSTERESIS && some_double && (!alone || !signals[i].site)) {
      status = tune(work, make_band(work, &signals[i], kind, true), diagnostics);
    }
  }
  return status;
}

/* Rules without anything to tune: constant settings, and random ones. */
static fw_status add_untuned(const tuner *work, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < work->level_count && status == FW_OK; i++) {
    family constant = {.kind = FW_CONTEST_STATIC, .policy = "static", .json = FW_TEXT_INIT};
    (void)snprintf(constant.name, sizeof constant.name, "static %d", (int)work->levels[i]);
    fw_text_add_format(&constant.json, "{\"concurrency\": %d}", (int)work->levels[i]);
    status = tune_at(work, &constant, 0, diagnostics);
    fw_text_clear(&constant.json);
  }
  family random = {.kind = FW_CONTEST_RANDOM, .policy = "random", .name = "random", .json = FW_TEXT_INIT};
  fw_text_add(&random.json, "{}");
  status = status == FW_OK ? tune_at(work, &random, 0, diagnostics) : status;
  fw_text_clear(&random.json);
  return status;
}

static const fw_scenario_job *first_controlled(const tuner *work) {
  const fw_scenario *scenario = work->contest->scenario;
  const fw_scenario_policy controller = {.classes = work->entry->classes.data,
                                         .class_count = work->entry->classes.count};
  for (size_t j = 0; j < scenario->job_count; j++) {
    if (fw_arm_controls(&controller, &scenario->jobs[j])) {
      return &scenario->jobs[j];
    }
  }
  return NULL;
}

static fw_status prepare(tuner *work, fw_diagnostics *diagnostics) {
  const fw_scenario_job *job = first_controlled(work);
  if (job == NULL || job->actuators[FW_ACTUATOR_CONCURRENCY].level_count < 2) {
    return fw_error(
        diagnostics, FW_ERROR_INPUT, (fw_place){0},
        "a contest is about concurrency, and no job of the scenario \"%s\" in \"classes\" has levels of it; name "
        "classes of jobs with two levels or more",
        work->contest->scenario->name);
  }
  if (work->entry->runs < 2 * ROUNDS * POINTS) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the contest on \"%s\" gives a rule %llu runs, and tuning one takes at least %zu; raise \"runs\"",
                    work->contest->scenario->name, (unsigned long long)work->entry->runs, 2 * ROUNDS * POINTS);
  }
  if (work->contest->scenario->schedule.step_count + 1 > FW_SEARCH_DIMENSIONS) {
    return fw_error(
        diagnostics, FW_ERROR_INPUT, (fw_place){0},
        "the budget of the scenario \"%s\" has too many steps to search a setting for each; give it at most %zu",
        work->contest->scenario->name, FW_SEARCH_DIMENSIONS - 1);
  }
  work->range = &job->actuators[FW_ACTUATOR_CONCURRENCY];
  work->level_count = work->range->level_count;
  memcpy(work->levels, work->range->levels, sizeof work->levels);
  return FW_OK;
}

fw_status fwi_contest_tune(const fw_contest_entry *entry, const fw_contest_result *contest,
                           const fw_study_options *study, fwi_contest_rules *out, fw_diagnostics *diagnostics) {
  tuner work = {.entry = entry, .contest = contest, .study = study, .out = out};
  *out = (fwi_contest_rules){0};
  fw_status status = prepare(&work, diagnostics);
  status = status == FW_OK ? add_untuned(&work, diagnostics) : status;
  status = status == FW_OK ? tune(&work, make_mix(&work), diagnostics) : status;
  status = status == FW_OK ? tune(&work, make_schedule(&work), diagnostics) : status;
  status = status == FW_OK ? tune_bands(&work, FW_CONTEST_THRESHOLD, diagnostics) : status;
  status = status == FW_OK ? tune_bands(&work, FW_CONTEST_HYSTERESIS, diagnostics) : status;
  return status;
}

void fwi_contest_rules_clear(fwi_contest_rules *rules) {
  for (size_t i = 0; i < rules->count; i++) {
    clear_rule(&rules->data[i]);
  }
  free(rules->data);
  *rules = (fwi_contest_rules){0};
}
