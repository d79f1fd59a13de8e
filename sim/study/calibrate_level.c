/* Forms of the level held against each other on data that they did not see. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/calibrate_room.h"

enum { FOLDS = 5 };

/* Whole runs where there are two or more; else phases in turn, so that a level is left out between its neighbours; else
 * five stretches of time. */
static void make_split(const fwi_calibration_data *data, const size_t *place, size_t count, size_t runs,
                       fwi_calibration_split *out) {
  const bool phases = data->ticks[place[0]].phase > 0;
  out->folds = runs > 1 ? runs : FOLDS;
  out->words = runs > 1 ? "leave one run out"
               : phases ? "leave every fifth phase out"
                        : "leave out one of five stretches";
  for (size_t i = 0; i < count; i++) {
    const fw_occupancy_tick *tick = &data->ticks[place[i]];
    out->fold[i] = runs > 1 ? data->run[place[i]] : phases ? tick->phase % FOLDS : i * FOLDS / count;
  }
}

typedef struct contest {
  const fw_level_point *points;
  size_t count;
  const fwi_calibration_split *parts;
  const fw_timing *timing;
  double most_w;
  const fw_calibration_score *scores;
  size_t score_count;
  fw_level_fit *fits; /* per score: fitted to all */
  double *errors;     /* [score * count + point]: held out, W */
} contest;

/* Task 0 of a form fits all data, task 1 + f all but fold f. */
static fw_status run_task(void *context, size_t index, fw_diagnostics *diagnostics) {
  const contest *all = context;
  const size_t tasks = all->parts->folds + 1;
  const size_t score = index / tasks;
  const size_t task = index % tasks;
  const fw_calibration_score *form = &all->scores[score];
  fw_level_point *seen = fw_allocate(all->count, sizeof *seen);
  if (seen == NULL) return fw_error_memory(diagnostics, "the points of a level");
  size_t kept = 0;
  for (size_t i = 0; i < all->count; i++) {
    if (task == 0 || all->parts->fold[i] != task - 1) seen[kept++] = all->points[i];
  }
  fw_level_fit fit;
  const fw_status status =
      fw_fit_level(form->form, form->prefill, seen, kept, all->timing, all->most_w, NULL, &fit, diagnostics);
  free(seen);
  if (status != FW_OK) return status;
  if (task == 0) {
    all->fits[score] = fit;
    return FW_OK;
  }
  for (size_t i = 0; i < all->count; i++) {
    if (all->parts->fold[i] != task - 1) continue;
    const fw_level_point *point = &all->points[i];
    const double work_w = fw_level_fit_work_w(&fit, point->in_flight, point->prompt_per_s, all->timing);
    all->errors[score * all->count + i] = point->work * work_w - point->power_w;
  }
  return FW_OK;
}

static double mean_square(const double *errors, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += errors[i] * errors[i];
  return sum / (double)count;
}

/* Mean of the differences of squares between two forms, and its standard error over blocks of points. */
static void compare_to_best(const double *errors, const double *best, size_t count, fw_calibration_score *out) {
  double sum = 0.0;
  double squares = 0.0;
  double blocks = 0.0;
  for (size_t first = 0; first < count; first += FWI_CALIBRATION_BLOCK) {
    const size_t end = first + FWI_CALIBRATION_BLOCK < count ? first + FWI_CALIBRATION_BLOCK : count;
    double block = 0.0;
    for (size_t i = first; i < end; i++)
      block += errors[i] * errors[i] - best[i] * best[i];
    block /= (double)(end - first);
    sum += block;
    squares += block * block;
    blocks += 1.0;
  }
  out->excess = sum / blocks;
  const double variance = fmax(squares / blocks - out->excess * out->excess, 0.0);
  out->excess_error = blocks > 1.0 ? sqrt(variance / (blocks - 1.0)) : 0.0;
}

/* The fewest parameters within a standard error of the best; of equal ones the better (Hastie, Tibshirani, Friedman,
 * "The Elements of Statistical Learning", 2nd ed., 7.10: the one-standard-error rule, here on paired differences). */
static size_t choose(const fw_calibration_score *scores, size_t count, size_t best) {
  size_t chosen = best;
  for (size_t i = 0; i < count; i++) {
    const fw_calibration_score *score = &scores[i];
    if (score->excess > score->excess_error) continue;
    const bool simpler = score->free_count < scores[chosen].free_count;
    const bool equal = score->free_count == scores[chosen].free_count;
    if (simpler || (equal && score->held_out_rms_w < scores[chosen].held_out_rms_w)) chosen = i;
  }
  return chosen;
}

static void judge(contest *all, fw_calibration *out) {
  size_t best = 0;
  for (size_t i = 0; i < all->score_count; i++) {
    fw_calibration_score *score = &out->scores[i];
    score->rms_w = all->fits[i].rms_w;
    score->held_out_rms_w = sqrt(mean_square(all->errors + i * all->count, all->count));
    if (score->held_out_rms_w < out->scores[best].held_out_rms_w) best = i;
  }
  for (size_t i = 0; i < all->score_count; i++)
    compare_to_best(all->errors + i * all->count, all->errors + best * all->count, all->count, &out->scores[i]);
  out->chosen = choose(out->scores, all->score_count, best);
  out->level = all->fits[out->chosen];
}

/* The forms that the data allow, the simpler first. */
static void list_forms(const fw_level_point *points, size_t count, fw_calibration *out) {
  bool prompts = false;
  for (size_t i = 0; i < count; i++)
    prompts = prompts || points[i].prompt_per_s > 0.0;
  for (size_t f = 0; f < FW_LEVEL_FORMS; f++) {
    if (!fw_level_form_suits((fw_level_form)f, points, count, &out->timing)) continue;
    for (int prefill = 0; prefill <= (prompts ? 1 : 0); prefill++) {
      const fw_level_form form = (fw_level_form)f;
      out->scores[out->score_count++] = (fw_calibration_score){
          .form = form, .prefill = prefill != 0, .free_count = fw_level_free_count(form, prefill != 0)};
    }
  }
}

static fw_status hold_contest(const fw_level_point *points, size_t count, const fwi_calibration_split *parts,
                              const fw_study_options *study, fw_calibration *out, fw_diagnostics *diagnostics) {
  contest all = {.points = points,
                 .count = count,
                 .parts = parts,
                 .timing = &out->timing,
                 .most_w = out->peak_w,
                 .scores = out->scores,
                 .score_count = out->score_count};
  size_t cells = 0;
  all.fits = fw_allocate(out->score_count, sizeof *all.fits);
  if (fw_size_multiply(out->score_count, count, &cells)) all.errors = fw_allocate(cells, sizeof *all.errors);
  fw_status status = FW_OK;
  if (all.fits == NULL || all.errors == NULL) status = fw_error_memory(diagnostics, "the scores of a calibration");
  const fwi_replications work = {
      .count = out->score_count * (parts->folds + 1), .heard = 1, .run = run_task, .context = &all};
  if (status == FW_OK) status = fwi_replicate(&work, study, diagnostics);
  if (status == FW_OK) judge(&all, out);
  free(all.fits);
  free(all.errors);
  return status;
}

/* A fold that would leave too little to fit: then nothing is held out and the mean is taken. */
static bool folds_suffice(const fwi_calibration_split *parts, size_t count) {
  static const size_t LEAST = 12; /* twice the parameters of the richest form */
  for (size_t f = 0; f < parts->folds; f++) {
    size_t inside = 0;
    for (size_t i = 0; i < count; i++)
      inside += parts->fold[i] == f;
    if (inside == 0 || count - inside < LEAST) return false;
  }
  return true;
}

static fw_status take_constant(const fw_level_point *points, size_t count, fw_calibration *out,
                               fw_diagnostics *diagnostics) {
  out->split = "none: too few ticks";
  out->score_count = 1;
  out->scores[0] = (fw_calibration_score){.form = FW_LEVEL_CONSTANT, .free_count = 1};
  const fw_status status =
      fw_fit_level(FW_LEVEL_CONSTANT, false, points, count, &out->timing, out->peak_w, NULL, &out->level, diagnostics);
  out->scores[0].rms_w = out->level.rms_w;
  out->scores[0].held_out_rms_w = (double)NAN;
  return status;
}

fw_status fwi_calibration_contest(const fw_level_point *points, size_t count, const fwi_calibration_split *parts,
                                  const fw_study_options *study, fw_calibration *out, fw_diagnostics *diagnostics) {
  if (!folds_suffice(parts, count)) return take_constant(points, count, out, diagnostics);
  out->split = parts->words;
  out->folds = parts->folds;
  list_forms(points, count, out);
  return hold_contest(points, count, parts, study, out, diagnostics);
}

fw_status fwi_calibration_choose(const fwi_calibration_data *data, const fw_study_options *study, fw_calibration *out,
                                 fw_diagnostics *diagnostics) {
  fw_level_point *points = NULL;
  size_t *place = NULL;
  size_t count = 0;
  fw_status status = fwi_calibration_points(data, out, &points, &place, &count, diagnostics);
  fwi_calibration_split parts = {.fold = status == FW_OK ? fw_allocate(count, sizeof *parts.fold) : NULL};
  if (status == FW_OK && parts.fold == NULL) status = fw_error_memory(diagnostics, "the parts of a calibration");
  if (status == FW_OK) {
    make_split(data, place, count, out->run_count, &parts);
    status = fwi_calibration_contest(points, count, &parts, study, out, diagnostics);
  }
  if (status == FW_OK && out->level.has_prefill) out->timing.prefill_per_token_s = out->level.prefill_per_token_s;
  free(parts.fold);
  free(place);
  free(points);
  return status;
}
