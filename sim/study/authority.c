/* One-at-a-time sweeps: each actuator over its range, the others as the job starts with them, on common random numbers.
 *
 * The extremes of a swing are chosen by their means over all seeds and then compared seed by seed. Choosing them anew
 * for each seed would count the noise of the settings between them as swing. */
#include "sim/study/authority.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/sim.h"

const char *const fw_authority_figure_names[FW_AUTHORITY_FIGURE_COUNT] = {
    [FW_AUTHORITY_MEAN_W] = "mean_w",
    [FW_AUTHORITY_PEAK_W] = "peak_w",
    [FW_AUTHORITY_TOKENS_PER_S] = "tokens_per_s",
    [FW_AUTHORITY_WH_PER_1K_TOKENS] = "wh_per_1k_tokens",
};

const char *const fw_authority_verdict_names[] = {
    [FW_AUTHORITY_MOVES_POWER] = "moves power",
    [FW_AUTHORITY_MOVES_THROUGHPUT] = "moves throughput only",
    [FW_AUTHORITY_MOVES_NOTHING] = "no authority",
};

/* A run at one setting. */
typedef struct sample {
  double figures[FW_AUTHORITY_FIGURE_COUNT];
  bool extrapolated;
} sample;

/* A setting to run, and the row it belongs to. */
typedef struct point {
  size_t row;
  size_t setting;
} point;

/* A fleet of one job on its own GPUs. */
typedef struct lone_job {
  fw_scenario scenario;
  fw_scenario_job job;
} lone_job;

typedef struct sweep {
  const fw_scenario *scenario;
  fw_time_ns window;
  fw_authority_row *rows;
  lone_job *jobs; /* one for each row */
  size_t row_count;
  point *points;
  size_t point_count;
  sample *samples; /* seeds x points, the points of one seed side by side */
} sweep;

/* ---- What is run ---- */

static void isolate(const sweep *work, size_t job, lone_job *out) {
  out->job = work->scenario->jobs[job];
  out->job.first_gpu = out->job.member = 0;
  out->job.class_size = 1;
  out->job.start = 0;
  out->scenario = *work->scenario;
  out->scenario.jobs = &out->job;
  out->scenario.job_count = 1;
  out->scenario.start = FW_START_ALIGNED;
  out->scenario.windows = &work->window;
  out->scenario.window_count = 1;
  out->scenario.nameplate = (fw_power_mw)out->job.gpus * work->scenario->gpu.tdp;
  out->scenario.topology =
      (fw_topology){.gpus = out->job.gpus, .gpus_per_node = out->job.gpus, .nodes_per_rack = 1, .racks_per_row = 1};
}

/* Holds the setting from the first decision on, which comes before the first batch. */
static fw_status drive(fw_sim *sim, fw_actuator actuator, double value, fw_diagnostics *diagnostics) {
  fw_job_action action = {.set = 1u << actuator};
  action.settings[actuator] = value;
  fw_sim_batch batch;
  fw_status status = fw_sim_advance(sim, &batch, diagnostics);
  while (status == FW_OK && batch.job_count > 0) {
    status = fw_sim_act_job(sim, batch.jobs[0], &action, diagnostics);
    status = status == FW_OK ? fw_sim_advance(sim, &batch, diagnostics) : status;
  }
  return status;
}

static void keep(const fw_result *result, sample *out) {
  const double seconds = fw_time_to_seconds(result->measured);
  const double tokens = (double)result->tokens;
  out->figures[FW_AUTHORITY_MEAN_W] = fw_energy_to_joules(result->energy) / seconds;
  out->figures[FW_AUTHORITY_PEAK_W] = result->windows[0].peak_w;
  out->figures[FW_AUTHORITY_TOKENS_PER_S] = tokens / seconds;
  out->figures[FW_AUTHORITY_WH_PER_1K_TOKENS] =
      result->tokens > 0 ? fw_energy_to_watt_hours(result->energy) / (tokens / 1000.0) : (double)NAN;
  out->extrapolated = result->jobs[0].extrapolated;
}

static fw_status run_one(void *context, size_t index, fw_diagnostics *diagnostics) {
  const sweep *work = context;
  const point *at = &work->points[index % work->point_count];
  const fw_authority_row *row = &work->rows[at->row];
  const fw_sim_options options = {.seed = work->scenario->seed + index / work->point_count};
  fw_sim *sim = NULL;
  fw_result result = {0};
  fw_status status = fw_sim_create(&work->jobs[at->row].scenario, &options, &sim, diagnostics);
  status = status == FW_OK ? drive(sim, row->actuator, row->settings[at->setting].value, diagnostics) : status;
  status = status == FW_OK ? fw_sim_result(sim, &result, diagnostics) : status;
  if (status == FW_OK) {
    keep(&result, &work->samples[index]);
  }
  fw_result_clear(&result);
  fw_sim_free(sim);
  return status;
}

/* ---- What is to run ---- */

static void add_row(sweep *work, size_t job, fw_actuator actuator) {
  double values[FW_POLICY_LEVELS];
  const size_t count = fw_authority_settings(&work->scenario->jobs[job], actuator, values);
  if (count == 0) {
    return;
  }
  const size_t row = work->row_count++;
  work->rows[row] = (fw_authority_row){.job = job, .actuator = actuator, .setting_count = count};
  isolate(work, job, &work->jobs[row]);
  for (size_t i = 0; i < count; i++) {
    work->rows[row].settings[i].value = values[i];
    work->points[work->point_count++] = (point){.row = row, .setting = i};
  }
}

static fw_status plan(sweep *work, fw_diagnostics *diagnostics) {
  size_t classes = 0;
  size_t rows = 0;
  size_t points = 0;
  for (size_t j = 0; j < work->scenario->job_count; j++) {
    classes += work->scenario->jobs[j].member == 0;
  }
  if (!fw_size_multiply(classes, FW_ACTUATOR_COUNT, &rows) || !fw_size_multiply(rows, FW_POLICY_LEVELS, &points) ||
      (work->rows = fw_allocate(rows, sizeof *work->rows)) == NULL ||
      (work->jobs = fw_allocate(rows, sizeof *work->jobs)) == NULL ||
      (work->points = fw_allocate(points, sizeof *work->points)) == NULL) {
    return fw_error_memory(diagnostics, "the settings of a sweep");
  }
  for (size_t j = 0; j < work->scenario->job_count; j++) {
    for (size_t a = 0; a < FW_ACTUATOR_COUNT && work->scenario->jobs[j].member == 0; a++) {
      add_row(work, j, (fw_actuator)a);
    }
  }
  size_t runs = 0;
  if (!fw_size_multiply(work->point_count, work->scenario->seeds, &runs) ||
      (work->samples = fw_allocate(runs, sizeof *work->samples)) == NULL) {
    return fw_error_memory(diagnostics, "the runs of a sweep");
  }
  return FW_OK;
}

/* ---- What it came to ---- */

static double figure_of(const sweep *work, size_t at, fw_authority_figure figure, size_t seed) {
  return work->samples[seed * work->point_count + at].figures[figure];
}

static void reduce_setting(const sweep *work, size_t at, double *scratch, fw_authority_setting *out) {
  const size_t seeds = work->scenario->seeds;
  for (size_t f = 0; f < FW_AUTHORITY_FIGURE_COUNT; f++) {
    for (size_t seed = 0; seed < seeds; seed++) {
      scratch[seed] = figure_of(work, at, (fw_authority_figure)f, seed);
    }
    out->figures[f] = fw_estimate_mean(scratch, seeds);
  }
  for (size_t seed = 0; seed < seeds; seed++) {
    out->extrapolated = out->extrapolated || work->samples[seed * work->point_count + at].extrapolated;
  }
}

typedef struct extremes {
  size_t lowest;
  size_t highest;
} extremes;

static extremes find_extremes(const fw_authority_row *row, fw_authority_figure figure) {
  extremes found = {0, 0};
  for (size_t i = 1; i < row->setting_count; i++) {
    const double mean = row->settings[i].figures[figure].mean;
    found.lowest = mean < row->settings[found.lowest].figures[figure].mean ? i : found.lowest;
    found.highest = mean > row->settings[found.highest].figures[figure].mean ? i : found.highest;
  }
  return found;
}

static double swing(double lowest, double highest) {
  return (highest - lowest) / highest; /* 0 / 0, no tokens at all, is NaN */
}

static double ratio(double lowest, double highest) {
  return lowest > 0.0 ? highest / lowest : (double)NAN;
}

/* `first` is the row's first point. */
static fw_estimate between_extremes(const sweep *work, size_t first, const fw_authority_row *row,
                                    fw_authority_figure figure, double (*compare)(double, double), double *scratch) {
  const extremes of = find_extremes(row, figure);
  for (size_t seed = 0; seed < work->scenario->seeds; seed++) {
    scratch[seed] =
        compare(figure_of(work, first + of.lowest, figure, seed), figure_of(work, first + of.highest, figure, seed));
  }
  return fw_estimate_mean(scratch, work->scenario->seeds);
}

static fw_authority_verdict judge(const fw_authority_row *row, double threshold) {
  if (row->mean_swing.mean >= threshold) {
    return FW_AUTHORITY_MOVES_POWER;
  }
  return row->throughput_swing.mean >= threshold ? FW_AUTHORITY_MOVES_THROUGHPUT : FW_AUTHORITY_MOVES_NOTHING;
}

static void reduce_row(const sweep *work, size_t first, double threshold, double *scratch, fw_authority_row *row) {
  for (size_t i = 0; i < row->setting_count; i++) {
    reduce_setting(work, first + i, scratch, &row->settings[i]);
  }
  row->mean_swing = between_extremes(work, first, row, FW_AUTHORITY_MEAN_W, swing, scratch);
  row->peak_swing = between_extremes(work, first, row, FW_AUTHORITY_PEAK_W, swing, scratch);
  row->throughput_swing = between_extremes(work, first, row, FW_AUTHORITY_TOKENS_PER_S, swing, scratch);
  row->throughput_ratio = between_extremes(work, first, row, FW_AUTHORITY_TOKENS_PER_S, ratio, scratch);
  row->verdict = judge(row, threshold);
}

static fw_status reduce(sweep *work, double threshold, fw_diagnostics *diagnostics) {
  double *scratch = fw_allocate(work->scenario->seeds, sizeof *scratch);
  if (scratch == NULL) {
    return fw_error_memory(diagnostics, "the result of a sweep");
  }
  size_t first = 0;
  for (size_t i = 0; i < work->row_count; i++) {
    reduce_row(work, first, threshold, scratch, &work->rows[i]);
    first += work->rows[i].setting_count;
  }
  free(scratch);
  return FW_OK;
}

/* A window that no run fills leaves the peaks without a value; why should not be a riddle. */
static void warn_of_window(const sweep *work, fw_diagnostics *diagnostics) {
  char window[FW_UNITS_TEXT_SIZE];
  char duration[FW_UNITS_TEXT_SIZE];
  if (work->window > work->scenario->duration) {
    fw_warning(diagnostics, (fw_place){0},
               "the window of %s s is longer than the run of %s s, so there are no peak swings; give a shorter window "
               "or a longer run",
               fw_time_format(work->window, window), fw_time_format(work->scenario->duration, duration));
  }
}

void fw_authority_clear(fw_authority_result *result) {
  free(result->rows);
  *result = (fw_authority_result){0};
}

fw_status fw_authority(const fw_scenario *scenario, const fw_authority_options *options, fw_authority_result *out,
                       fw_diagnostics *diagnostics) {
  sweep work = {.scenario = scenario, .window = options->window};
  fw_status status = plan(&work, diagnostics);
  if (status == FW_OK) {
    const fwi_replications runs = {
        .count = work.point_count * scenario->seeds, .heard = work.point_count, .run = run_one, .context = &work};
    warn_of_window(&work, diagnostics);
    status = fwi_replicate(&runs, &options->study, diagnostics);
  }
  status = status == FW_OK ? reduce(&work, options->threshold, diagnostics) : status;
  free(work.samples);
  free(work.points);
  free(work.jobs);
  if (status != FW_OK) {
    free(work.rows);
    work.rows = NULL;
    work.row_count = 0;
  }
  *out = (fw_authority_result){.scenario = scenario,
                               .window = options->window,
                               .threshold = options->threshold,
                               .rows = work.rows,
                               .row_count = work.row_count};
  return status;
}
