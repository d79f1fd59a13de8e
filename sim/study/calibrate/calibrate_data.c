/* Recordings behind each other, and what is read off them without a fit of the work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "sim/study/calibrate/calibrate_room.h"

/* A tick of one phase alone, but for the rounding of shares. */
static const double WHOLE = 0.999;

void fwi_calibration_data_clear(fwi_calibration_data *data) {
  free(data->ticks);
  free(data->power_w);
  free(data->mean_w);
  free(data->run);
  *data = (fwi_calibration_data){0};
}

static bool allocate_data(size_t count, size_t gpus, fwi_calibration_data *out) {
  size_t cells = 0;
  *out = (fwi_calibration_data){.gpus = gpus};
  if (fw_size_multiply(count, gpus, &cells)) {
    out->ticks = fw_allocate(count, sizeof *out->ticks);
    out->power_w = fw_allocate(cells, sizeof *out->power_w);
    out->mean_w = fw_allocate(count, sizeof *out->mean_w);
    out->run = fw_allocate(count, sizeof *out->run);
  }
  if (out->ticks != NULL && out->power_w != NULL && out->mean_w != NULL && out->run != NULL) return true;
  fwi_calibration_data_clear(out);
  return false;
}

/* --- reading --- */

static fw_status hash_into(uint64_t *hash, const char *path, fw_diagnostics *diagnostics) {
  if (path == NULL) return FW_OK;
  fw_text content = FW_TEXT_INIT;
  const fw_status status = fw_file_read(path, SIZE_MAX / 2, &content, diagnostics);
  if (status == FW_OK) *hash = fw_hash_bytes(*hash, content.data, content.length);
  fw_text_clear(&content);
  return status;
}

fw_status fwi_calibration_name_run(const fw_occupancy_options *files, fw_calibration_run *out,
                                   fw_diagnostics *diagnostics) {
  uint64_t hash = FW_HASH_START;
  fw_status status = hash_into(&hash, files->trace, diagnostics);
  if (status == FW_OK) status = hash_into(&hash, files->counters, diagnostics);
  if (status == FW_OK) status = hash_into(&hash, files->phases, diagnostics);
  if (status != FW_OK) return status;
  *out = (fw_calibration_run){.file = fw_copy_text(fw_path_name(files->trace))};
  (void)snprintf(out->hash, sizeof out->hash, "%016llx", (unsigned long long)hash);
  return out->file != NULL ? FW_OK : fw_error_memory(diagnostics, "the name of a recording");
}

static fw_status check_alike(const fw_occupancy *first, const fw_occupancy *other, fw_diagnostics *diagnostics) {
  const fw_place place = {.file = other->file};
  if (other->gpus != first->gpus) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "the job has %zu GPUs here and %zu in %s: calibrate one at a time", other->gpus, first->gpus,
                    first->file);
  }
  if (other->source != first->source) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "what the job did comes from %s here and from %s in %s: their work in flight does not compare",
                    fw_occupancy_source_names[other->source], fw_occupancy_source_names[first->source], first->file);
  }
  if (other->by_utilization != first->by_utilization) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "the utilisation counts here or in %s, but not in both: their work does not compare", first->file);
  }
  return FW_OK;
}

/* Adds the ticks of run `run` that the filter lets through. */
static void add_run(const fw_calibrate_options *options, size_t run, const fw_occupancy *occupancy,
                    fwi_calibration_data *data, fw_calibration_run *about) {
  const size_t gpus = occupancy->gpus;
  size_t segment = data->count > 0 ? data->ticks[data->count - 1].segment + 1 : 0;
  size_t last = SIZE_MAX; /* tick of the recording that was taken last */
  double sum = 0.0;
  for (size_t i = 0; i < occupancy->count; i++) {
    if (options->filter != NULL && !options->filter(options->filter_context, run, occupancy, i)) continue;
    const bool goes_on =
        last != SIZE_MAX && i == last + 1 && occupancy->data[i].segment == occupancy->data[last].segment;
    segment += last != SIZE_MAX && !goes_on;
    last = i;
    data->ticks[data->count] = occupancy->data[i];
    data->ticks[data->count].segment = segment;
    data->mean_w[data->count] = fw_occupancy_mean_w(occupancy, i);
    data->run[data->count] = run;
    sum += data->mean_w[data->count];
    memcpy(data->power_w + data->count * gpus, occupancy->power_w + i * gpus, gpus * sizeof(double));
    data->count++;
    about->ticks++;
  }
  about->mean_w = about->ticks > 0 ? sum / (double)about->ticks : 0.0;
}

/* What a tick repeats of the one before it looks like memory of the job's. A tenth: loggers are not on time. */
static void warn_of_interval(const fw_occupancy *occupancy, fw_diagnostics *diagnostics) {
  if (occupancy->interval - occupancy->interval / 10 <= occupancy->tick) return;
  char interval[FW_UNITS_TEXT_SIZE], tick[FW_UNITS_TEXT_SIZE];
  fw_warning(diagnostics, (fw_place){.file = occupancy->file},
             "there is a reading every %s s, so ticks of %s s repeat them and the residual moves too slowly: give a "
             "--tick that is as long (and the scenario the same \"tick_s\"), or log faster",
             fw_time_format(occupancy->interval, interval), fw_time_format(occupancy->tick, tick));
}

static fw_status read_runs(const fw_calibrate_options *options, fw_occupancy *runs, size_t *ticks, fw_calibration *out,
                           fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < options->run_count; i++) {
    fw_status status = fw_occupancy_read(&options->runs[i], &runs[i], diagnostics);
    if (status == FW_OK) status = check_alike(&runs[0], &runs[i], diagnostics);
    if (status == FW_OK) status = fwi_calibration_name_run(&options->runs[i], &out->runs[i], diagnostics);
    if (status != FW_OK) return status;
    warn_of_interval(&runs[i], diagnostics);
    out->run_count++;
    out->runs[i].source = runs[i].source;
    out->runs[i].by_utilization = runs[i].by_utilization;
    out->runs[i].dropped = runs[i].dropped;
    out->peak_w = fmax(out->peak_w, runs[i].peak_w);
    out->requests += (double)runs[i].requests;
    *ticks += runs[i].count;
  }
  return FW_OK;
}

fw_status fwi_calibration_read(const fw_calibrate_options *options, fw_calibration *out, fwi_calibration_data *data,
                               fw_diagnostics *diagnostics) {
  size_t ticks = 0;
  fw_occupancy *runs = fw_allocate(options->run_count, sizeof *runs);
  out->runs = fw_allocate(options->run_count, sizeof *out->runs);
  if (runs == NULL || out->runs == NULL) {
    free(runs);
    return fw_error_memory(diagnostics, "the runs of a calibration");
  }
  fw_status status = read_runs(options, runs, &ticks, out, diagnostics);
  const bool room = status == FW_OK && allocate_data(ticks, runs[0].gpus, data);
  if (status == FW_OK && !room) status = fw_error_memory(diagnostics, "the ticks of a calibration");
  if (room) {
    for (size_t i = 0; i < options->run_count; i++)
      add_run(options, i, &runs[i], data, &out->runs[i]);
    out->gpus = runs[0].gpus;
    out->tick = runs[0].tick;
    out->ticks = data->count;
    out->per_pass = runs[0].source == FW_OCCUPANCY_PHASES;
  }
  for (size_t i = 0; i < options->run_count; i++)
    fw_occupancy_clear(&runs[i]);
  free(runs);
  return status;
}

fw_status fwi_calibration_pick(const fwi_calibration_data *data, const size_t *index, size_t count,
                               fwi_calibration_data *out, fw_diagnostics *diagnostics) {
  const size_t gpus = data->gpus;
  if (!allocate_data(count, gpus, out)) return fw_error_memory(diagnostics, "the ticks of a resample");
  size_t segment = 0;
  for (size_t i = 0; i < count; i++) {
    const fw_occupancy_tick *tick = &data->ticks[index[i]];
    const bool goes_on = i > 0 && index[i] == index[i - 1] + 1 && tick->segment == data->ticks[index[i - 1]].segment;
    segment += i > 0 && !goes_on;
    out->ticks[i] = *tick;
    out->ticks[i].segment = segment;
    out->mean_w[i] = data->mean_w[index[i]];
    out->run[i] = data->run[index[i]];
    memcpy(out->power_w + i * gpus, data->power_w + index[i] * gpus, gpus * sizeof(double));
    out->count++;
  }
  return FW_OK;
}

/* --- measuring --- */

/* Mean power of the ticks that were of one activity for at least the share `least`; NaN where there are none. */
static double mean_of(const fwi_calibration_data *data, fw_activity activity, double least) {
  double sum = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < data->count; i++) {
    if (data->ticks[i].share[activity] < least) continue;
    sum += data->mean_w[i];
    count++;
  }
  return count > 0 ? sum / (double)count : (double)NAN;
}

fw_status fwi_calibration_ready_w(const fwi_calibration_data *data, double *out, fw_diagnostics *diagnostics) {
  double *seen_w = fw_allocate(data->count, sizeof *seen_w);
  if (seen_w == NULL) return fw_error_memory(diagnostics, "the power of an engine that waits");
  size_t count = 0;
  for (size_t i = 0; i < data->count; i++) {
    if (data->ticks[i].share[FW_ACTIVITY_READY] >= FWI_CALIBRATION_NEARLY_ALL) seen_w[count++] = data->mean_w[i];
  }
  fw_sort_numbers(seen_w, count);
  *out = count > 0 ? fw_fit_quantile(seen_w, count, 0.5) : (double)NAN;
  if (*out >= mean_of(data, FW_ACTIVITY_WORK, FWI_CALIBRATION_NEARLY_ALL)) *out = (double)NAN;
  free(seen_w);
  return FW_OK;
}

static double least_power(const fwi_calibration_data *data) {
  double least = INFINITY;
  for (size_t i = 0; i < data->count; i++)
    least = fmin(least, data->mean_w[i]);
  return least;
}

static fw_status measure_levels(const fwi_calibration_data *data, fw_calibration *out, fw_diagnostics *diagnostics) {
  double ready_w = (double)NAN;
  const fw_status status = fwi_calibration_ready_w(data, &ready_w, diagnostics);
  out->idle_w = mean_of(data, FW_ACTIVITY_IDLE, WHOLE);
  out->load_w = mean_of(data, FW_ACTIVITY_LOAD, WHOLE);
  out->ready_assumed = isnan(ready_w);
  out->ready_w = out->ready_assumed ? out->ready_w : ready_w;
  out->least_w = least_power(data);
  return status;
}

static void measure_totals(const fwi_calibration_data *data, fw_calibration *out) {
  const double tick_s = fw_time_to_seconds(out->tick);
  out->in_flight_min = (double)NAN;
  out->in_flight_max = (double)NAN;
  for (size_t i = 0; i < data->count; i++) {
    const fw_occupancy_tick *tick = &data->ticks[i];
    const double seconds = tick->share[FW_ACTIVITY_WORK] * tick_s;
    if (!(seconds > 0.0)) continue;
    out->in_flight_min = fmin(out->in_flight_min, tick->in_flight); /* fmin passes over NaN */
    out->in_flight_max = fmax(out->in_flight_max, tick->in_flight);
    if (tick->prompt_per_s > 0.0) out->prompt_tokens += tick->prompt_per_s * seconds;
    if (tick->generated_per_s > 0.0) out->generated_tokens += tick->generated_per_s * seconds;
  }
}

/* Pairs of work in flight and token time, of ticks that wrote for at least the share `least` and, where `quiet`, read
 * nothing. */
static size_t token_times(const fwi_calibration_data *data, bool per_pass, double least, bool quiet, double *in_flight,
                          double *token_s) {
  size_t count = 0;
  for (size_t i = 0; i < data->count; i++) {
    const fw_occupancy_tick *tick = &data->ticks[i];
    if (tick->share[FW_ACTIVITY_WORK] < least || !(tick->generated_per_s > 0.0) || isnan(tick->in_flight)) continue;
    if (quiet && tick->prompt_per_s > 0.0) continue;
    in_flight[count] = tick->in_flight;
    token_s[count++] = (per_pass ? 1.0 : tick->in_flight) / tick->generated_per_s;
  }
  return count;
}

void fwi_calibration_token_time(const double *in_flight, const double *token_s, size_t count, fw_calibration *out) {
  static const double ASSUMED_S = 0.03;
  double t0 = 0.0;
  double t1 = 0.0;
  const bool known = fw_fit_token_time(in_flight, token_s, count, &t0, &t1);
  out->timing.token_base_s = known ? t0 : ASSUMED_S;
  out->timing.token_per_sequence_s = known ? t1 : 0.0;
  out->timing_ticks = known ? count : 0;
}

/* Where few ticks read nothing, all count: token time then holds the reading that goes on beside. Measured shares of
 * work are hardly ever whole, and where few ticks are nearly all work, those that are mostly work count too. */
static size_t find_token_times(const fwi_calibration_data *data, const fw_calibration *measured, double *in_flight,
                               double *token_s) {
  static const size_t FEW = 20;
  const bool by_share = measured->runs[0].by_utilization;
  const double most = by_share ? FWI_CALIBRATION_NEARLY_ALL : WHOLE;
  size_t count = token_times(data, measured->per_pass, most, true, in_flight, token_s);
  if (count < FEW) count = token_times(data, measured->per_pass, most, false, in_flight, token_s);
  if (count < FEW && by_share) {
    count = token_times(data, measured->per_pass, FWI_CALIBRATION_MOSTLY, false, in_flight, token_s);
  }
  return count;
}

static fw_status measure_token_time(const fwi_calibration_data *data, fw_calibration *out,
                                    fw_diagnostics *diagnostics) {
  double *in_flight = fw_allocate(data->count, sizeof *in_flight);
  double *token_s = fw_allocate(data->count, sizeof *token_s);
  const bool usable = in_flight != NULL && token_s != NULL;
  if (usable) {
    const size_t count = find_token_times(data, out, in_flight, token_s);
    fwi_calibration_token_time(in_flight, token_s, count, out);
  }
  free(in_flight);
  free(token_s);
  return usable ? FW_OK : fw_error_memory(diagnostics, "the token times of a recording");
}

fw_status fwi_calibration_measure(const fwi_calibration_data *data, fw_calibration *out, fw_diagnostics *diagnostics) {
  const fw_status status = measure_levels(data, out, diagnostics);
  if (status != FW_OK) return status;
  measure_totals(data, out);
  return measure_token_time(data, out, diagnostics);
}

static double or_else(double value, double otherwise) {
  return isnan(value) ? otherwise : value;
}

fwi_tick_levels fwi_calibration_quiet(const fw_calibration *measured) {
  const double ready_w = or_else(measured->ready_w, or_else(measured->load_w, measured->least_w));
  return (fwi_tick_levels){.idle_w = or_else(measured->idle_w, measured->least_w),
                           .load_w = or_else(measured->load_w, ready_w),
                           .ready_w = ready_w};
}

fw_level_range fwi_calibration_prefill_w(const fw_calibration *measured) {
  return (fw_level_range){.least_w = fwi_calibration_quiet(measured).ready_w, .most_w = measured->peak_w};
}

bool fwi_calibration_tells(const fw_calibration *measured, const fw_occupancy_tick *tick) {
  return !measured->ready_assumed || tick->share[FW_ACTIVITY_READY] <= 1.0 - FWI_CALIBRATION_NEARLY_ALL;
}

fw_status fwi_calibration_points(const fwi_calibration_data *data, const fw_calibration *measured,
                                 fw_level_point **points, size_t **place, size_t *count, fw_diagnostics *diagnostics) {
  *points = fw_allocate(data->count, sizeof **points);
  *place = fw_allocate(data->count, sizeof **place);
  *count = 0;
  if (*points == NULL || *place == NULL) return fw_error_memory(diagnostics, "the points of a level");
  const fwi_tick_levels quiet = fwi_calibration_quiet(measured);
  for (size_t i = 0; i < data->count; i++) {
    const fw_occupancy_tick *tick = &data->ticks[i];
    if (!(tick->share[FW_ACTIVITY_WORK] > 0.0) || !fwi_calibration_tells(measured, tick)) continue;
    const double others_w = tick->share[FW_ACTIVITY_IDLE] * quiet.idle_w +
                            tick->share[FW_ACTIVITY_LOAD] * quiet.load_w +
                            tick->share[FW_ACTIVITY_READY] * quiet.ready_w;
    (*place)[*count] = i;
    (*points)[(*count)++] = (fw_level_point){.power_w = data->mean_w[i] - others_w,
                                             .work = tick->share[FW_ACTIVITY_WORK],
                                             .in_flight = or_else(tick->in_flight, 1.0),
                                             .prompt_per_s = or_else(tick->prompt_per_s, 0.0),
                                             .weight = 1.0};
  }
  if (*count > 0) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "the recordings hold no tick in which the job worked");
}
