/* What nobody can pass, who knew all the noise beforehand and could change settings at any moment.
 *
 * Take the power of the controlled jobs as a level that depends on the setting alone, plus a residual r(t) that does
 * not depend on it (nor does what else the site draws, which r(t) holds). Then over any window of length W that keeps
 * the budget the mean level is at most h(t) = mean budget - mean r, and the tokens made in it at most W G(h), where G
 * is the concave envelope of tokens per second over level, through the settings that the contest is about (and the
 * lowest setting's tokens where not even that keeps the budget). A window in violation makes at most W G(highest
 * level). Every moment but those within W of an end lies in windows of total length W, so the tokens of a run are at
 * most the mean over its windows, times its length, plus W G(highest) for the two ends. Among all windows of all runs
 * the share of time that the limit allows is spent where it gains most: the bound on the mean tokens of any policy
 * whose mean violation rate keeps the limit.
 *
 * Levels, tokens and residuals are taken from the constant settings on the same runs. How far the residuals of the
 * highest and the lowest setting differ is reported: were they the same, the bound would be exact about the noise. It
 * is loose in that it lets settings change inside a generation batch. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/run.h"
#include "sim/scenario/arm.h"
#include "sim/study/train/contest.h"

/* A setting: mean power of the controlled jobs and their tokens per second. */
typedef struct setting {
  double level_w;
  double tokens_per_s;
} setting;

/* Sliding means of one run. */
typedef struct recorder {
  size_t window_ticks;
  const uint8_t *controlled; /* of each job */
  double *ring_site;         /* of the last window_ticks ticks, W */
  double *ring_budget;
  size_t seen;
  size_t warmup_ticks; /* windows that end by then do not count */
  double site_sum;
  double budget_sum;
  double controlled_sum; /* over all ticks */
  double *headroom;      /* mean budget less mean site, of each full window */
  size_t windows;
} recorder;

typedef struct bound {
  const fw_contest_entry *entry;
  const fw_scenario *scenario;
  uint8_t *controlled;
  size_t window_ticks;
  size_t warmup_ticks;
  size_t windows;                     /* of a run */
  setting settings[FW_POLICY_LEVELS]; /* rising */
  size_t setting_count;
  double others_per_s;   /* tokens of the jobs that are left alone */
  double *headroom_high; /* runs x windows, under the highest setting */
  double *headroom_low;
  double *gain; /* of breaking the budget in each window, tokens per second */
} bound;

/* ---- Recording ---- */

static void record_tick(void *context, const fw_sim_tick *tick) {
  recorder *record = context;
  const size_t at = record->seen % record->window_ticks;
  double controlled = 0.0;
  for (size_t j = 0; j < tick->job_count; j++) {
    controlled += record->controlled[j] ? fw_power_to_watts(tick->job_truth[j]) : 0.0;
  }
  record->controlled_sum += controlled;
  if (record->seen >= record->window_ticks) {
    record->site_sum -= record->ring_site[at];
    record->budget_sum -= record->ring_budget[at];
  }
  record->ring_site[at] = fw_power_to_watts(tick->truth);
  record->ring_budget[at] = fw_power_to_watts(tick->budget);
  record->site_sum += record->ring_site[at];
  record->budget_sum += record->ring_budget[at];
  record->seen++;
  if (record->seen >= record->window_ticks && record->seen > record->warmup_ticks) {
    record->headroom[record->windows++] = (record->budget_sum - record->site_sum) / (double)record->window_ticks;
  }
}

static void ignore_event(void *context, const fw_sim_event *event) {
  (void)context;
  (void)event;
}

/* Runs one arm and seed; `headroom` gets what every full window leaves, `sum` and `others_per_s` grow by what the run
 * came to. */
static fw_status record_run(bound *work, const fw_scenario_policy *policy, uint64_t seed, double *headroom,
                            setting *sum, fw_diagnostics *diagnostics) {
  fw_scenario scenario = *work->scenario;
  recorder record = {.window_ticks = work->window_ticks,
                     .controlled = work->controlled,
                     .warmup_ticks = work->warmup_ticks,
                     .ring_site = fw_allocate(work->window_ticks, sizeof(double)),
                     .ring_budget = fw_allocate(work->window_ticks, sizeof(double)),
                     .headroom = headroom};
  const fw_sim_observer observer = {&record, record_tick, ignore_event};
  const fw_run_options options = {.seed = seed, .observer = &observer};
  fw_result result = {0};
  fw_status status = FW_OK;
  scenario.policies = policy;
  scenario.policy_count = 1;
  scenario.warmup = 0;
  if (record.ring_site == NULL || record.ring_budget == NULL) {
    status = fw_error_memory(diagnostics, "the windows of a bound");
  }
  status = status == FW_OK ? fw_run(&scenario, &options, &result, diagnostics) : status;
  if (status == FW_OK) {
    sum->level_w += record.controlled_sum / (double)record.seen;
    for (size_t j = 0; j < scenario.job_count; j++) {
      double *tokens = work->controlled[j] ? &sum->tokens_per_s : &work->others_per_s;
      *tokens += (double)result.jobs[j].tokens / fw_time_to_seconds(scenario.duration);
    }
    fw_result_clear(&result);
  }
  free(record.ring_site);
  free(record.ring_budget);
  return status;
}

/* The static arm of level `index`, as the contest has it. */
static fw_status record_level(bound *work, const fwi_contest_rule *rule, size_t index, bool lowest,
                              fw_diagnostics *diagnostics) {
  setting *own = &work->settings[index];
  fw_status status = FW_OK;
  work->others_per_s = 0.0; /* the same at every level */
  for (size_t run = 0; run < work->scenario->seeds && status == FW_OK; run++) {
    double *headroom = (lowest ? work->headroom_low : work->headroom_high) + run * work->windows;
    status = record_run(work, &rule->policy, work->scenario->seed + run, headroom, own, diagnostics);
  }
  own->level_w /= (double)work->scenario->seeds;
  own->tokens_per_s /= (double)work->scenario->seeds;
  work->others_per_s /= (double)work->scenario->seeds;
  return status;
}

/* Levels in turn; the highest comes last and leaves its headroom. */
static fw_status record_levels(bound *work, const fwi_contest_rules *rules, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  size_t level = 0;
  for (size_t i = 0; i < rules->count && status == FW_OK; i++) {
    if (rules->data[i].arm.kind == FW_CONTEST_STATIC) {
      status = record_level(work, &rules->data[i], level, level == 0, diagnostics);
      level++;
    }
  }
  work->setting_count = level;
  return status;
}

/* ---- The envelope ---- */

/* Keeps the settings on the concave envelope of tokens over level: those that no mix of two others beats. */
static size_t make_envelope(setting *settings, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const setting next = settings[i];
    while (kept >= 2) {
      const setting *a = &settings[kept - 2];
      const setting *b = &settings[kept - 1];
      const double straight = (b->level_w - a->level_w) * (next.tokens_per_s - a->tokens_per_s);
      if (straight < (b->tokens_per_s - a->tokens_per_s) * (next.level_w - a->level_w)) {
        break;
      }
      kept--;
    }
    settings[kept++] = next;
  }
  return kept;
}

/* Most tokens per second at a mean level of at most `level_w`. */
static double envelope_at(const bound *work, double level_w) {
  const setting *settings = work->settings;
  size_t above = 0;
  while (above < work->setting_count && settings[above].level_w < level_w) {
    above++;
  }
  if (above == 0 || above == work->setting_count) {
    return settings[above == 0 ? 0 : above - 1].tokens_per_s;
  }
  const setting *low = &settings[above - 1];
  const double share = (level_w - low->level_w) / (settings[above].level_w - low->level_w);
  return low->tokens_per_s + share * (settings[above].tokens_per_s - low->tokens_per_s);
}

/* ---- The bound ---- */

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Tokens per second within the budget, as a mean over all windows; gains of breaking it, the largest first. */
static double keep_budget(const bound *work, size_t total) {
  const setting *highest = &work->settings[work->setting_count - 1];
  double sum = 0.0;
  for (size_t i = 0; i < total; i++) {
    const double kept = envelope_at(work, highest->level_w + work->headroom_high[i]);
    work->gain[i] = highest->tokens_per_s - kept;
    sum += kept;
  }
  qsort(work->gain, total, sizeof *work->gain, falling);
  return sum / (double)total;
}

static double bound_at(const bound *work, double kept_per_s, size_t total, double rate) {
  const fw_scenario *scenario = work->scenario;
  const double measured_s = fw_time_to_seconds(scenario->duration - scenario->warmup);
  const double highest = work->settings[work->setting_count - 1].tokens_per_s;
  const size_t broken = (size_t)(rate * (double)total);
  double sum = 0.0;
  for (size_t i = 0; i < broken && i < total; i++) {
    sum += work->gain[i];
  }
  const double window_s = fw_time_to_seconds(work->entry->window);
  return (kept_per_s + sum / (double)total + work->others_per_s) * measured_s + window_s * highest;
}

static double difference_w(const bound *work, size_t total) {
  const setting *highest = &work->settings[work->setting_count - 1];
  const double between = highest->level_w - work->settings[0].level_w;
  double squares = 0.0;
  for (size_t i = 0; i < total; i++) {
    const double off = work->headroom_low[i] - work->headroom_high[i] - between;
    squares += off * off;
  }
  return sqrt(squares / (double)total);
}

static fw_status prepare(bound *work, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = work->scenario;
  const fw_scenario_policy controller = {.classes = work->entry->classes.data,
                                         .class_count = work->entry->classes.count};
  size_t total = 0;
  work->window_ticks = (size_t)(work->entry->window / scenario->tick);
  work->warmup_ticks = (size_t)(scenario->warmup / scenario->tick);
  const size_t before = work->warmup_ticks >= work->window_ticks ? work->warmup_ticks : work->window_ticks - 1;
  work->windows = (size_t)(scenario->duration / scenario->tick) - before;
  if (!fw_size_multiply(work->windows, scenario->seeds, &total) ||
      (work->headroom_high = fw_allocate(total, sizeof(double))) == NULL ||
      (work->headroom_low = fw_allocate(total, sizeof(double))) == NULL ||
      (work->gain = fw_allocate(total, sizeof(double))) == NULL ||
      (work->controlled = fw_allocate(scenario->job_count, 1)) == NULL) {
    (void)fw_error_memory(diagnostics, "a bound");
    return FW_ERROR_MEMORY;
  }
  for (size_t j = 0; j < scenario->job_count; j++) {
    work->controlled[j] = fw_arm_controls(&controller, &scenario->jobs[j]);
  }
  return FW_OK;
}

fw_status fwi_contest_bound(const fw_contest_entry *entry, const fwi_contest_rules *rules, double rate,
                            fw_contest_result *out, fw_diagnostics *diagnostics) {
  bound work = {.entry = entry, .scenario = out->scenario};
  fw_status status = prepare(&work, diagnostics);
  status = status == FW_OK ? record_levels(&work, rules, diagnostics) : status;
  if (status == FW_OK) {
    const size_t total = work.windows * work.scenario->seeds;
    out->bound_additivity_w = difference_w(&work, total);
    work.setting_count = make_envelope(work.settings, work.setting_count);
    const double kept_per_s = keep_budget(&work, total);
    out->bound_at_limit = bound_at(&work, kept_per_s, total, entry->limit);
    out->bound_at_ppo = bound_at(&work, kept_per_s, total, rate);
  }
  free(work.headroom_high);
  free(work.headroom_low);
  free(work.gain);
  free(work.controlled);
  return status;
}
