/* A model from a table of operating points: level and times, no residual. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/calibrate/calibrate_room.h"
#include "traces/points.h"

static const fw_time_ns TICK = FW_NS_PER_S / 2; /* what shipped scenarios sample at; nothing here depends on it */

/* Prompts are read at so many seconds a token, through the origin; 0 where the table does not say. */
static double prefill_per_token(const fw_operating_points *table) {
  double products = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < table->count; i++) {
    const fw_operating_point *point = &table->data[i];
    const double tokens = point->concurrency * point->prompt_tokens;
    if (isnan(tokens) || isnan(point->prefill_s)) continue;
    products += tokens * point->prefill_s;
    squares += tokens * tokens;
  }
  return squares > 0.0 ? products / squares : 0.0;
}

/* Share of a point's time that went into prompts. */
static double prefill_share(const fw_operating_point *point) {
  const double output_s = point->token_s * point->output_tokens;
  const double share = point->prefill_s / (point->prefill_s + output_s);
  return isnan(share) ? 0.0 : share;
}

static fw_status fit_times(const fw_operating_points *table, fw_calibration *out, fw_diagnostics *diagnostics) {
  double *in_flight = fw_allocate(table->count, sizeof *in_flight);
  double *token_s = fw_allocate(table->count, sizeof *token_s);
  const bool usable = in_flight != NULL && token_s != NULL;
  size_t count = 0;
  for (size_t i = 0; usable && i < table->count; i++) {
    if (isnan(table->data[i].token_s)) continue;
    in_flight[count] = table->data[i].concurrency;
    token_s[count++] = table->data[i].token_s;
  }
  if (usable) fwi_calibration_token_time(in_flight, token_s, count, out);
  out->timing.prefill_per_token_s = prefill_per_token(table);
  free(in_flight);
  free(token_s);
  return usable ? FW_OK : fw_error_memory(diagnostics, "the times of a table");
}

/* Each point is a part of its own. */
static void split_by_point(size_t count, fwi_calibration_split *out) {
  out->words = "leave one point out";
  out->folds = count;
  for (size_t i = 0; i < count; i++)
    out->fold[i] = i;
}

static void count_tokens(const fw_operating_point *point, fw_calibration *out) {
  if (isnan(point->prompt_tokens) || isnan(point->output_tokens)) return;
  out->requests += point->concurrency;
  out->prompt_tokens += point->concurrency * point->prompt_tokens;
  out->generated_tokens += point->concurrency * point->output_tokens;
}

/* Means over a run that worked cannot lie below what a GPU draws that waits: such a figure averaged something else. */
static bool is_plausible(const fw_operating_point *point, const fw_calibration *out, fw_diagnostics *diagnostics) {
  if (!(point->power_w < out->ready_w)) return true; /* not known: NaN */
  const fw_place place = {.file = out->runs[0].file, .line = point->line};
  char shown[FW_NUMBER_TEXT_SIZE];
  fw_warning(diagnostics, place, "%s W is less than a GPU draws that stands ready: left out",
             fw_number_format(point->power_w, 6, shown));
  return false;
}

/* The points that have a power; returns how many. */
static size_t make_points(const fw_operating_points *table, fw_calibration *out, fw_level_point *points,
                          fw_diagnostics *diagnostics) {
  const double per_token_s = out->timing.prefill_per_token_s;
  size_t count = 0;
  out->in_flight_min = INFINITY;
  out->least_w = INFINITY;
  for (size_t i = 0; i < table->count; i++) {
    const fw_operating_point *point = &table->data[i];
    if (isnan(point->power_w) || !is_plausible(point, out, diagnostics)) continue;
    points[count++] = (fw_level_point){.power_w = point->power_w,
                                       .work = 1.0,
                                       .in_flight = point->concurrency,
                                       .prompt_per_s = per_token_s > 0.0 ? prefill_share(point) / per_token_s : 0.0,
                                       .weight = 1.0};
    out->in_flight_min = fmin(out->in_flight_min, point->concurrency);
    out->in_flight_max = fmax(out->in_flight_max, point->concurrency);
    out->least_w = fmin(out->least_w, point->power_w);
    out->peak_w = fmax(out->peak_w, fmax(point->power_w, point->peak_w)); /* fmax passes over NaN */
    count_tokens(point, out);
  }
  return count;
}

static fw_status fit_table(const fw_operating_points *table, const fw_study_options *study, fw_calibration *out,
                           fw_diagnostics *diagnostics) {
  fwi_calibration_split parts = {.fold = fw_allocate(table->count, sizeof *parts.fold)};
  fw_level_point *points = fw_allocate(table->count, sizeof *points);
  fw_status status = fit_times(table, out, diagnostics);
  if (parts.fold == NULL || points == NULL) {
    status = fw_error_memory(diagnostics, "the points of a table");
  } else if (status == FW_OK) {
    out->ticks = make_points(table, out, points, diagnostics);
    out->runs[0].ticks = out->ticks;
    split_by_point(out->ticks, &parts);
    status = fwi_calibration_contest(points, out->ticks, &parts, study, out, diagnostics);
  }
  free(parts.fold);
  free(points);
  return status;
}

static fw_status name_table(const char *path, fw_calibration *out, fw_diagnostics *diagnostics) {
  out->runs = fw_allocate(1, sizeof *out->runs);
  if (out->runs == NULL) return fw_error_memory(diagnostics, "the name of a table");
  out->run_count = 1;
  return fwi_calibration_name_run(&(fw_occupancy_options){.trace = path}, &out->runs[0], diagnostics);
}

fw_status fwi_calibration_table(const fw_calibrate_options *options, const fw_study_options *study, fw_calibration *out,
                                fw_diagnostics *diagnostics) {
  fw_operating_points table = {0};
  fw_status status = fw_operating_points_read(options->points, &table, diagnostics);
  if (status != FW_OK) return status;
  out->from_table = true;
  out->gpus = (size_t)options->point_gpus;
  out->tick = TICK;
  out->ready_assumed = true;
  status = name_table(options->points, out, diagnostics);
  if (status == FW_OK) status = fit_table(&table, study, out, diagnostics);
  fw_operating_points_clear(&table);
  return status;
}
