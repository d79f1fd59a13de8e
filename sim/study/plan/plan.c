/* One search for each policy and window, over the same runs. */
#include "sim/study/plan/plan.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/profile.h"
#include "sim/study/plan/plan_runs.h"

#define ALPHA 0.05
#define BATCH ((size_t)8)
#define SECONDS_PER_DAY 86400.0
#define SECONDS_PER_YEAR (365.25 * SECONDS_PER_DAY)

const char *const fw_plan_risk_names[] = {"time-share", "episodes-per-day", "trips-per-year", NULL};
const char *const fw_plan_axis_names[] = {"budget", "fleet", NULL};

const fw_plan_options fw_plan_defaults = {
    .most_loss = (double)NAN, .from = 1.0, .to = 4.0, .step = 0.05, .look = 4, .most_runs = 200};

/* One search. */
typedef struct search {
  fwi_plan_runs *runs;
  size_t window;
  double quantum;  /* step of a share of time */
  double exposure; /* of a run, in days or years; 1 for shares */
  bool limits_loss;
} search;

static double measured_s(const fw_scenario *scenario) {
  return fw_time_to_seconds(scenario->duration - scenario->warmup);
}

/* Stretches of violation are counted for each day that is not in violation: a fleet that is always above its budget has
 * a single one, and is no safer for it. */
static double risk_of(const search *work, const double *figures) {
  const double above = figures[fw_metric_slot(FW_METRIC_VIOLATION_RATE, work->window)];
  switch (work->runs->options->risk) {
  case FW_PLAN_EPISODES_PER_DAY:
    return figures[fw_metric_slot(FW_METRIC_EPISODES, work->window)] /
           (work->exposure * fmax(1.0 - above, work->quantum));
  case FW_PLAN_TRIPS_PER_YEAR:
    return figures[fw_metric_slot(FW_METRIC_TRIPS, 0)] / work->exposure;
  default:
    return above;
  }
}

static fw_status run_one(void *context, size_t point, uint64_t replication, double *risk, double *loss,
                         fw_diagnostics *diagnostics) {
  const search *work = context;
  const double *figures = NULL;
  fw_status status = fwi_plan_run(work->runs, point, replication, &figures, diagnostics);
  if (status == FW_OK) {
    *risk = risk_of(work, figures);
    *loss = 0.0;
    status = work->limits_loss ? fwi_plan_loss(work->runs, point, replication, loss, diagnostics) : FW_OK;
  }
  return status;
}

static search search_of(fwi_plan_runs *runs, size_t window) {
  const double seconds = measured_s(&runs->base);
  search work = {.runs = runs,
                 .window = window,
                 .quantum = fw_time_to_seconds(runs->base.tick) / seconds,
                 .exposure = 1.0,
                 .limits_loss = !isnan(runs->options->most_loss)};
  if (runs->options->risk == FW_PLAN_EPISODES_PER_DAY) {
    work.exposure = seconds / SECONDS_PER_DAY;
  } else if (runs->options->risk == FW_PLAN_TRIPS_PER_YEAR) {
    work.exposure = seconds / SECONDS_PER_YEAR;
  }
  return work;
}

static fw_frontier_spec spec_of(search *work) {
  const fw_plan_options *options = work->runs->options;
  const bool share = options->risk == FW_PLAN_TIME_SHARE;
  const double quantum = share ? work->quantum : 1.0 / work->exposure;
  return (fw_frontier_spec){
      .point_count = work->runs->point_count,
      .risk = {.kind = share ? FW_SEQUENCE_SHARE : FW_SEQUENCE_COUNT, .quantum = quantum, .exposure = work->exposure},
      .limit = options->limit,
      .limits_loss = work->limits_loss,
      .loss_limit = options->most_loss,
      .loss_quantum = 1e-9, /* a run has far fewer than 10^9 tokens to differ by */
      .alpha = ALPHA,
      .look = options->look,
      .survey = options->survey,
      .batch = BATCH,
      .most_runs = options->most_runs,
      .run = run_one,
      .context = work,
  };
}

/* The first ratio that is tested has half of the chance of error. */
static double find_clean_runs(fwi_plan_runs *runs) {
  search work = search_of(runs, 0);
  const fw_frontier_spec spec = spec_of(&work);
  return fw_sequence_clean_runs(&spec.risk, spec.limit, spec.alpha / (spec.limits_loss ? 4.0 : 2.0));
}

/* ---- From a search to an answer ---- */

static fw_status estimate_metrics(fwi_plan_runs *runs, size_t index, bool looked, size_t count, fw_plan_point *out,
                                  fw_diagnostics *diagnostics) {
  double *values = fw_allocate(count, sizeof *values);
  if (values == NULL) {
    return fw_error_memory(diagnostics, "the figures of a plan");
  }
  fw_status status = FW_OK;
  for (size_t slot = 0; slot < FW_METRIC_SLOTS && status == FW_OK; slot++) {
    for (size_t i = 0; i < count && status == FW_OK; i++) {
      const double *figures = NULL;
      status = fwi_plan_run(runs, index, looked ? FW_FRONTIER_LOOK + i : i, &figures, diagnostics);
      values[i] = status == FW_OK ? figures[slot] : (double)NAN;
    }
    out->metrics[slot] = fw_estimate_figure(fw_metric_table[slot / FW_POLICY_WINDOWS].rate, values, count);
  }
  free(values);
  return status;
}

static fw_status take_point(const search *work, const fw_frontier_spec *spec, const fw_frontier_point *from,
                            size_t index, fw_plan_point *out, fw_diagnostics *diagnostics) {
  const fwi_plan_grid_point *grid = &work->runs->grid[index];
  const size_t count = fw_frontier_best_runs(from)->count;
  *out = (fw_plan_point){.oversubscription = grid->oversubscription,
                         .budget = grid->budget.power,
                         .gpus = fwi_plan_gpus(work->runs, index),
                         .state = from->state,
                         .runs = count,
                         .risk = fw_frontier_risk(spec, from),
                         .loss = {(double)NAN, (double)NAN, (double)NAN}};
  if (spec->limits_loss) {
    out->loss = fw_frontier_loss(spec, from);
  }
  const fw_status status = fwi_plan_list(work->runs, index, from->tests.count, diagnostics);
  return status == FW_OK ? estimate_metrics(work->runs, index, from->tests.count == 0, count, out, diagnostics)
                         : status;
}

/* Points that were not run are left out; indices follow. */
static fw_status take_points(const search *work, const fw_frontier_spec *spec, const fw_frontier *found,
                             fw_plan_answer *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  out->points = fw_allocate(found->point_count, sizeof *out->points);
  if (out->points == NULL) {
    return fw_error_memory(diagnostics, "the ratios of a plan");
  }
  for (size_t i = 0; i < found->point_count && status == FW_OK; i++) {
    if (fw_frontier_best_runs(&found->points[i])->count > 0) {
      out->meets = i == found->meets ? out->point_count : out->meets;
      out->fails = i == found->fails ? out->point_count : out->fails;
      out->falls_from = i == found->falls_from ? out->point_count : out->falls_from;
      status = take_point(work, spec, &found->points[i], i, &out->points[out->point_count++], diagnostics);
    }
  }
  return status;
}

static fw_status answer_one(fwi_plan_runs *runs, size_t window, fw_plan_answer *out, fw_diagnostics *diagnostics) {
  search work = search_of(runs, window);
  const fw_frontier_spec spec = spec_of(&work);
  fw_frontier found;
  *out = (fw_plan_answer){.policy = runs->policy, .window = window, .meets = FW_NO_POINT, .fails = FW_NO_POINT};
  fw_status status = fw_frontier_find(&spec, &runs->options->study, &found, diagnostics);
  if (status == FW_OK) {
    out->decided = found.decided;
    out->falls = found.falls;
    status = take_points(&work, &spec, &found, out, diagnostics);
    fw_frontier_clear(&found);
  }
  return status;
}

/* ---- The plan ---- */

static fw_status check_windows(const fw_scenario *scenario, const fw_plan_options *options,
                               fw_diagnostics *diagnostics) {
  char text[FW_UNITS_TEXT_SIZE];
  fw_status status = FW_OK;
  for (size_t i = 0; i < options->window_count; i++) {
    bool known = false;
    for (size_t w = 0; w < scenario->window_count; w++) {
      known = known || scenario->windows[w] == options->windows[i];
    }
    if (!known) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                        "the scenario is not judged at a window of %s s; add it to its \"windows_s\"",
                        fw_time_format(options->windows[i], text));
    }
  }
  for (size_t w = 0; w < scenario->window_count && status == FW_OK; w++) {
    if (scenario->windows[w] > scenario->duration - scenario->warmup && options->risk != FW_PLAN_TRIPS_PER_YEAR) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                        "the window of %s s is longer than what is measured of a run; make runs longer or take it out",
                        fw_time_format(scenario->windows[w], text));
    }
  }
  return status;
}

static fw_status check_options(const fw_scenario *scenario, const fw_plan_options *options,
                               fw_diagnostics *diagnostics) {
  const bool share = options->risk == FW_PLAN_TIME_SHARE;
  if (!(options->limit > 0.0) || (share && options->limit >= 1.0)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "a risk of %g cannot be a limit: it must be above 0%s",
                    options->limit, share ? " and below 1, which may be written as 1%" : "");
  }
  if (options->axis == FW_PLAN_FLEET && scenario->budgets[0].power <= 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the fleet cannot grow on a feed of no size; give the scenario a budget");
  }
  return check_windows(scenario, options, diagnostics);
}

static bool is_asked(const fw_scenario *scenario, const fw_plan_options *options, size_t window) {
  if (options->risk == FW_PLAN_TRIPS_PER_YEAR) {
    return window == 0;
  }
  for (size_t i = 0; i < options->window_count; i++) {
    if (options->windows[i] == scenario->windows[window]) {
      return true;
    }
  }
  return options->window_count == 0;
}

/* A trip costs the outage and, of each job that works in steps, half a step: by GPUs. Where trips take the power, the
 * runs' own tokens say it. */
static fw_status find_trip_loss(const fwi_plan_runs *runs, double *out, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = &runs->base;
  double weighted_s = 0.0;
  double gpus = 0.0;
  fw_status status = FW_OK;
  if (fw_electrical_opens(&scenario->electrical)) {
    *out = (double)NAN;
    return FW_OK;
  }
  for (size_t j = 0; j < scenario->job_count && status == FW_OK; j++) {
    const fw_scenario_job *job = &scenario->jobs[j];
    fw_profile profile = {0};
    if (job->kind == FW_JOB_GRPO && job->member == 0) {
      status = fw_job_profile(scenario, j, job->initial, &profile, diagnostics);
      const double weight = (double)(job->gpus * job->class_size);
      weighted_s += weight * fw_time_to_seconds(profile.cycle) / 2.0;
      gpus += weight;
    }
  }
  *out = fw_time_to_seconds(scenario->electrical.breaker.outage) + (gpus > 0.0 ? weighted_s / gpus : 0.0);
  return status;
}

static fw_status answer_all(fwi_plan_runs *runs, fw_plan_result *out, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = out->scenario;
  fw_status status = find_trip_loss(runs, &out->trip_loss_s, diagnostics);
  out->answers = fw_allocate(scenario->policy_count * scenario->window_count, sizeof *out->answers);
  if (out->answers == NULL) {
    return fw_error_memory(diagnostics, "the answers of a plan");
  }
  for (size_t policy = 0; policy < scenario->policy_count && status == FW_OK; policy++) {
    fwi_plan_runs_turn_to(runs, policy);
    for (size_t window = 0; window < scenario->window_count && status == FW_OK; window++) {
      if (is_asked(scenario, &out->options, window)) {
        status = answer_one(runs, window, &out->answers[out->answer_count++], diagnostics);
      }
    }
  }
  return status;
}

fw_status fw_plan(const fw_scenario *scenario, const fw_plan_options *options, fw_plan_result *out,
                  fw_diagnostics *diagnostics) {
  *out =
      (fw_plan_result){.scenario = scenario, .options = *options, .breaker_assumed = !scenario->electrical.has_breaker};
  fwi_plan_runs runs;
  fw_status status = check_options(scenario, options, diagnostics);
  status = status == FW_OK ? fwi_plan_runs_create(scenario, &out->options, &runs, diagnostics) : status;
  if (status == FW_OK) {
    out->clean_runs = find_clean_runs(&runs);
    status = answer_all(&runs, out, diagnostics);
    out->runs = runs.count;
    fwi_plan_runs_free(&runs);
  }
  if (status != FW_OK) {
    fw_plan_clear(out);
  }
  return status;
}

void fw_plan_clear(fw_plan_result *result) {
  for (size_t i = 0; result->answers != NULL && i < result->answer_count; i++) {
    free(result->answers[i].points);
  }
  free(result->answers);
  *result = (fw_plan_result){0};
}
