/* What is left of a start offset as a day goes on, and what a policy keeps of it: every policy of the scenario from
 * every kind of start, watched through an observer that meters the site and counts steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/engine/meter.h"
#include "sim/fleet/run.h"
#include "sim/study/reproduce/beyond.h"
#include "sim/study/reproduce/coherence.h"

#define MINUTES (60 * FW_NS_PER_S)
#define HOURS (60 * MINUTES)
#define LATTICE (10 * FW_NS_PER_S) /* of the instants at which phases are compared */
#define KINDS ((size_t)3)          /* of starts */

const fw_beyond_stretch fw_beyond_stretches[FW_BEYOND_STRETCHES] = {
    {0, 5 * MINUTES},       {5 * MINUTES, 10 * MINUTES}, {10 * MINUTES, 20 * MINUTES}, {20 * MINUTES, 1 * HOURS},
    {1 * HOURS, 3 * HOURS}, {3 * HOURS, 8 * HOURS},      {8 * HOURS, 24 * HOURS},
};

const fw_beyond_stretch fw_beyond_peak_stretches[FW_BEYOND_PEAK_STRETCHES] = {
    {0, 20 * MINUTES},      {20 * MINUTES, 1 * HOURS}, {1 * HOURS, 3 * HOURS},
    {3 * HOURS, 8 * HOURS}, {8 * HOURS, 24 * HOURS},
};

/* Figures of one run: metrics, then peaks by stretch, then coherences by class and stretch. */
#define PEAK_SLOT FW_METRIC_SLOTS
#define COHERENCE_SLOT (PEAK_SLOT + FW_BEYOND_PEAK_STRETCHES)
#define SLOTS (COHERENCE_SLOT + FW_BEYOND_CLASSES * FW_BEYOND_STRETCHES)

typedef struct start_study {
  const fw_beyond_options *options;
  fw_beyond_starts *out;
  double *values; /* seeds x arms x SLOTS */
} start_study;

/* ---- Watching a run ---- */

typedef struct watch {
  fw_sim_observer observer;
  fw_meter *meter;
  fw_time_ns tick;
  fw_power_mw *peaks; /* of each whole peak length of the run */
  size_t peak_count;
  fwi_steps *steps; /* of each job */
  size_t job_count;
  fw_status status;
} watch;

static void see_tick(void *context, const fw_sim_tick *tick) {
  watch *seen = context;
  fw_power_mw mean = 0;
  if (seen->status == FW_OK) {
    seen->status =
        fw_meter_push(seen->meter, seen->tick, fw_energy_of(tick->truth, seen->tick), FW_METER_NO_BUDGET, NULL);
  }
  const size_t at = (size_t)((tick->end - 1) / FW_BEYOND_PEAK_LENGTH);
  if (seen->status == FW_OK && at < seen->peak_count && fw_meter_mean(seen->meter, 0, &mean) &&
      mean > seen->peaks[at]) {
    seen->peaks[at] = mean;
  }
}

static void see_event(void *context, const fw_sim_event *event) {
  watch *seen = context;
  if (event->kind != FW_SIM_STEP_END) {
    return;
  }
  fwi_steps *steps = &seen->steps[event->job];
  if (!fw_grow(&steps->ends, &steps->capacity, steps->count + 1, sizeof *steps->ends)) {
    seen->status = FW_ERROR_MEMORY;
    return;
  }
  steps->ends[steps->count++] = event->time;
}

static void watch_free(watch *seen) {
  for (size_t j = 0; seen->steps != NULL && j < seen->job_count; j++) {
    free(seen->steps[j].ends);
  }
  free(seen->steps);
  free(seen->peaks);
  fw_meter_free(seen->meter);
}

static fw_status watch_create(const fw_scenario *scenario, watch *out, fw_diagnostics *diagnostics) {
  static const fw_time_ns window = FW_BEYOND_PEAK_WINDOW;
  const fw_meter_options options = {.windows = &window, .window_count = 1};
  *out = (watch){.observer = {.context = out, .tick = see_tick, .event = see_event},
                 .tick = scenario->tick,
                 .peak_count = (size_t)(scenario->duration / FW_BEYOND_PEAK_LENGTH),
                 .job_count = scenario->job_count};
  out->peaks = fw_allocate(out->peak_count, sizeof *out->peaks);
  out->steps = fw_allocate(out->job_count, sizeof *out->steps);
  if (out->peaks == NULL || out->steps == NULL) {
    return fw_error_memory(diagnostics, "the steps of a run");
  }
  return fw_meter_create(&options, &out->meter, diagnostics);
}

/* ---- Figures of a run ---- */

/* The mean over the peak lengths of the stretch; NaN where the run ends before. */
static double mean_peak_w(const watch *seen, fw_beyond_stretch stretch) {
  const size_t first = (size_t)(stretch.from / FW_BEYOND_PEAK_LENGTH);
  const size_t end = (size_t)(stretch.to / FW_BEYOND_PEAK_LENGTH);
  double sum_w = 0.0;
  if (end > seen->peak_count) {
    return (double)NAN;
  }
  for (size_t i = first; i < end; i++) {
    sum_w += fw_power_to_watts(seen->peaks[i]);
  }
  return sum_w / (double)(end - first);
}

/* The mean over the instants of the stretch at which every job of the class has a phase. */
static double mean_coherence(const watch *seen, const size_t *jobs, size_t count, size_t *cursors, double *phases,
                             fw_beyond_stretch stretch) {
  double sum = 0.0;
  size_t instants = 0;
  memset(cursors, 0, count * sizeof *cursors);
  for (fw_time_ns time = stretch.from + LATTICE; time <= stretch.to; time += LATTICE) {
    for (size_t i = 0; i < count; i++) {
      phases[i] = fwi_phase_at(&seen->steps[jobs[i]], time, &cursors[i]);
    }
    const double coherence = fwi_coherence(phases, count);
    if (!isnan(coherence)) {
      sum += coherence;
      instants++;
    }
  }
  return instants > 0 ? sum / (double)instants : (double)NAN;
}

static size_t gather_class(const fw_scenario *scenario, const char *job_class, size_t *jobs) {
  size_t count = 0;
  for (size_t j = 0; j < scenario->job_count; j++) {
    if (strcmp(scenario->jobs[j].job_class, job_class) == 0) {
      jobs[count++] = j;
    }
  }
  return count;
}

static fw_status keep(const fw_beyond_starts *study, const fw_scenario *scenario, const watch *seen,
                      const fw_result *result, double *values, fw_diagnostics *diagnostics) {
  size_t *jobs = fw_allocate(scenario->job_count, sizeof *jobs);
  size_t *cursors = fw_allocate(scenario->job_count, sizeof *cursors);
  double *phases = fw_allocate(scenario->job_count, sizeof *phases);
  const bool ready = jobs != NULL && cursors != NULL && phases != NULL;
  fw_metric_extract(result, values);
  for (size_t s = 0; s < FW_BEYOND_PEAK_STRETCHES; s++) {
    values[PEAK_SLOT + s] = mean_peak_w(seen, fw_beyond_peak_stretches[s]);
  }
  for (size_t s = 0; ready && s < FW_BEYOND_STRETCHES; s++) {
    const fw_beyond_stretch stretch = fw_beyond_stretches[s];
    for (size_t c = 0; c < study->class_count; c++) {
      const size_t count = gather_class(scenario, study->classes[c], jobs);
      values[COHERENCE_SLOT + c * FW_BEYOND_STRETCHES + s] =
          stretch.to <= scenario->duration ? mean_coherence(seen, jobs, count, cursors, phases, stretch) : (double)NAN;
    }
  }
  free(jobs);
  free(cursors);
  free(phases);
  return ready ? FW_OK : fw_error_memory(diagnostics, "the phases of jobs");
}

static fw_status run_one(void *context, size_t index, fw_diagnostics *diagnostics) {
  const start_study *work = context;
  const fw_beyond_starts *study = work->out;
  const fw_beyond_start *arm = &study->arms[index % study->arm_count];
  fw_scenario scenario = *study->scenario;
  watch seen;
  fw_result result = {0};
  scenario.start = arm->start;
  fw_status status = watch_create(&scenario, &seen, diagnostics);
  const fw_run_options options = {
      .policy = arm->policy, .seed = scenario.seed + index / study->arm_count, .observer = &seen.observer};
  status = status != FW_OK ? status : fw_run(&scenario, &options, &result, diagnostics);
  if (status == FW_OK && seen.status != FW_OK) {
    status = fw_error(diagnostics, seen.status, (fw_place){0}, "the steps of a run could not be recorded");
  }
  if (status == FW_OK) {
    status = keep(study, &scenario, &seen, &result, &work->values[index * SLOTS], diagnostics);
  }
  fw_result_clear(&result);
  watch_free(&seen);
  return status;
}

/* ---- Over the seeds ---- */

static fw_estimate reduce(const start_study *work, size_t arm, size_t slot, bool rate, double *scratch) {
  const size_t seeds = work->out->scenario->seeds;
  for (size_t seed = 0; seed < seeds; seed++) {
    scratch[seed] = work->values[(seed * work->out->arm_count + arm) * SLOTS + slot];
  }
  return fw_estimate_figure(rate, scratch, seeds);
}

static void reduce_arm(const start_study *work, size_t index, double *scratch) {
  fw_beyond_start *arm = &work->out->arms[index];
  arm->figures.tokens = reduce(work, index, fw_metric_slot(FW_METRIC_TOKENS, 0), false, scratch);
  arm->figures.wh_per_1k_tokens = reduce(work, index, fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0), false, scratch);
  arm->figures.mean_w = reduce(work, index, fw_metric_slot(FW_METRIC_MEAN_W, 0), false, scratch);
  for (size_t w = 0; w < work->out->scenario->window_count; w++) {
    arm->figures.rate[w] = reduce(work, index, fw_metric_slot(FW_METRIC_VIOLATION_RATE, w), true, scratch);
  }
  for (size_t s = 0; s < FW_BEYOND_PEAK_STRETCHES; s++) {
    arm->peak_w[s] = reduce(work, index, PEAK_SLOT + s, false, scratch);
  }
  for (size_t s = 0; s < FW_BEYOND_STRETCHES; s++) {
    for (size_t c = 0; c < work->out->class_count; c++) {
      arm->coherence[c][s] = reduce(work, index, COHERENCE_SLOT + c * FW_BEYOND_STRETCHES + s, false, scratch);
    }
  }
}

/* ---- What is run ---- */

static void find_classes(fw_beyond_starts *out) {
  for (size_t j = 0; j < out->scenario->job_count && out->class_count < FW_BEYOND_CLASSES; j++) {
    const fw_scenario_job *job = &out->scenario->jobs[j];
    if (job->member == 0 && job->class_size > 1) {
      out->class_sizes[out->class_count] = job->class_size;
      out->classes[out->class_count++] = job->job_class;
    }
  }
}

static fw_status run_all(start_study *work, fw_diagnostics *diagnostics) {
  static const fw_start_kind kinds[KINDS] = {FW_START_ALIGNED, FW_START_RANDOM, FW_START_STAGGERED};
  fw_beyond_starts *out = work->out;
  const size_t policies = out->scenario->policy_count;
  const size_t seeds = out->scenario->seeds;
  out->arms = fw_allocate(KINDS * policies, sizeof *out->arms);
  out->arm_count = out->arms != NULL ? KINDS * policies : 0;
  work->values = fw_allocate(seeds, KINDS * policies * SLOTS * sizeof *work->values);
  double *scratch = fw_allocate(seeds, sizeof *scratch);
  fw_status status = FW_OK;
  if (out->arms == NULL || work->values == NULL || scratch == NULL) {
    status = fw_error_memory(diagnostics, "a study of starts");
  }
  for (size_t i = 0; i < out->arm_count; i++) {
    out->arms[i] = (fw_beyond_start){.start = kinds[i / policies], .policy = i % policies};
  }
  if (status == FW_OK) {
    const fwi_replications runs = {
        .count = seeds * out->arm_count, .heard = out->arm_count, .run = run_one, .context = work};
    status = fwi_replicate(&runs, &work->options->study, diagnostics);
  }
  for (size_t i = 0; status == FW_OK && i < out->arm_count; i++) {
    reduce_arm(work, i, scratch);
  }
  free(scratch);
  return status;
}

void fw_beyond_starts_clear(fw_beyond_starts *starts) {
  free(starts->arms);
  fw_scenario_free(starts->scenario);
  *starts = (fw_beyond_starts){0};
}

fw_status fw_beyond_starts_run(const fw_beyond_options *options, fw_beyond_starts *out, fw_diagnostics *diagnostics) {
  start_study work = {.options = options, .out = out};
  *out = (fw_beyond_starts){0};
  fw_status status = fwi_beyond_read(options, "beyond-starts.json", &out->scenario, diagnostics);
  if (status == FW_OK) {
    find_classes(out);
    status = run_all(&work, diagnostics);
  }
  free(work.values);
  if (status != FW_OK) {
    fw_beyond_starts_clear(out);
  }
  return status;
}
