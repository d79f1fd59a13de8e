/* Forms of the level held against each other on data that they did not see. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "sim/study/calibrate/calibrate_room.h"

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
  fw_level_range prefill_w;
  const fw_calibration_score *scores;
  size_t score_count;
  fw_level_fit *fits; /* per score: fitted to all */
  double *errors;     /* [score * count + point]: held out, W */
  double *crps;       /* likewise: of the law that was predicted, W */
} contest;

/* The law around a level, as the points that a fit saw show it. */
typedef struct seen_law {
  double *sorted; /* watts less level */
  double *sums;   /* sums[i]: of the first i */
  size_t count;
  double spread; /* half the mean distance of two of them */
} seen_law;

static double error_of(const contest *all, const fw_level_fit *fit, const fw_level_point *point) {
  const double work_w = fw_level_fit_work_w(fit, point->in_flight, point->prompt_per_s, all->timing);
  return point->power_w - point->work * work_w;
}

static void seen_law_clear(seen_law *law) {
  free(law->sorted);
  free(law->sums);
}

/* False, with nothing to clear, when memory is short. */
static bool make_seen_law(const contest *all, const fw_level_fit *fit, const fw_level_point *seen, size_t count,
                          seen_law *out) {
  *out = (seen_law){.sorted = fw_allocate(count, sizeof *out->sorted),
                    .sums = fw_allocate(count + 1, sizeof *out->sums),
                    .count = count};
  if (out->sorted == NULL || out->sums == NULL) {
    seen_law_clear(out);
    return false;
  }
  for (size_t i = 0; i < count; i++)
    out->sorted[i] = error_of(all, fit, &seen[i]);
  fw_sort_numbers(out->sorted, count);
  const double n = (double)count;
  for (size_t i = 0; i < count; i++) {
    out->sums[i + 1] = out->sums[i] + out->sorted[i];
    out->spread += out->sorted[i] * (2.0 * (double)i + 1.0 - n) / (n * n);
  }
  return true;
}

/* Continuous ranked probability score of a value under the law, E|X - y| - E|X - X'| / 2, in W: small where the law is
 * both sharp and right (Gneiting and Raftery, "Strictly proper scoring rules, prediction, and estimation", Journal of
 * the American Statistical Association 102, 2007). */
static double crps_of(const seen_law *law, double value) {
  size_t low = 0;
  size_t high = law->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (law->sorted[middle] <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const double below = (double)low * value - law->sums[low];
  const double above = law->sums[law->count] - law->sums[low] - (double)(law->count - low) * value;
  return (below + above) / (double)law->count - law->spread;
}

/* What a fit that did not see fold `fold` says of it. */
static fw_status score_fold(const contest *all, size_t score, size_t fold, const fw_level_fit *fit,
                            const fw_level_point *seen, size_t kept, fw_diagnostics *diagnostics) {
  seen_law law;
  if (!make_seen_law(all, fit, seen, kept, &law)) return fw_error_memory(diagnostics, "the law around a level");
  for (size_t i = 0; i < all->count; i++) {
    if (all->parts->fold[i] != fold) continue;
    const double error = error_of(all, fit, &all->points[i]);
    all->errors[score * all->count + i] = error;
    all->crps[score * all->count + i] = crps_of(&law, error);
  }
  seen_law_clear(&law);
  return FW_OK;
}

static fw_status fit_to_all(void *context, size_t score, fw_diagnostics *diagnostics) {
  const contest *all = context;
  const fw_calibration_score *form = &all->scores[score];
  return fw_fit_level(form->form, form->prefill, all->points, all->count, all->timing, all->prefill_w, NULL,
                      &all->fits[score], diagnostics);
}

/* A form without one part of the data, beginning where the fit to all of them ended. */
static fw_status fit_without(void *context, size_t index, fw_diagnostics *diagnostics) {
  const contest *all = context;
  const size_t score = index / all->parts->folds;
  const size_t fold = index % all->parts->folds;
  const fw_calibration_score *form = &all->scores[score];
  fw_level_point *seen = fw_allocate(all->count, sizeof *seen);
  if (seen == NULL) return fw_error_memory(diagnostics, "the points of a level");
  size_t kept = 0;
  for (size_t i = 0; i < all->count; i++) {
    if (all->parts->fold[i] != fold) seen[kept++] = all->points[i];
  }
  fw_level_fit fit;
  fw_status status = fw_fit_level(form->form, form->prefill, seen, kept, all->timing, all->prefill_w, &all->fits[score],
                                  &fit, diagnostics);
  if (status == FW_OK) status = score_fold(all, score, fold, &fit, seen, kept, diagnostics);
  free(seen);
  return status;
}

static double mean_square(const double *errors, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += errors[i] * errors[i];
  return sum / (double)count;
}

/* A covariate that changes nothing in the fit to all data is none. */
static bool is_idle(const fw_calibration_score *scores, size_t index) {
  static const double LEAST_GAIN = 1e-3; /* of the root mean square */
  if (!scores[index].prefill) return false;
  return scores[index].rms_w > (1.0 - LEAST_GAIN) * scores[index - 1].rms_w; /* the same form without it */
}

/* The fewest parameters among those whose score lies within a hundredth of the best, which is as good for any use; of
 * equal ones the better. */
static size_t choose(const fw_calibration_score *scores, size_t count, size_t best) {
  static const double AS_GOOD = 1.01;
  size_t chosen = best;
  for (size_t i = 0; i < count; i++) {
    const fw_calibration_score *score = &scores[i];
    if (score->held_out_crps_w > AS_GOOD * scores[best].held_out_crps_w || is_idle(scores, i)) continue;
    const bool simpler = score->free_count < scores[chosen].free_count;
    const bool equal = score->free_count == scores[chosen].free_count;
    if (simpler || (equal && score->held_out_crps_w < scores[chosen].held_out_crps_w)) chosen = i;
  }
  return chosen;
}

static void judge(const contest *all, fw_calibration *out) {
  size_t best = 0;
  for (size_t i = 0; i < all->score_count; i++) {
    fw_calibration_score *score = &out->scores[i];
    score->rms_w = all->fits[i].rms_w;
    score->free_count = all->fits[i].free_count;
    score->held_out_rms_w = sqrt(mean_square(all->errors + i * all->count, all->count));
    score->held_out_crps_w = fw_fit_mean(all->crps + i * all->count, all->count);
    const bool better = score->held_out_crps_w < out->scores[best].held_out_crps_w;
    if (better && !is_idle(out->scores, i)) best = i;
  }
  out->chosen = choose(out->scores, all->score_count, best);
  out->level = all->fits[out->chosen];
}

/* The forms that the data allow, the simpler first, each without prompts and with them: those that leave two points for
 * each parameter when the largest part is held out. */
static void list_forms(const fw_level_point *points, size_t count, size_t seen, fw_calibration *out) {
  bool prompts = false;
  for (size_t i = 0; i < count; i++)
    prompts = prompts || points[i].prompt_per_s > 0.0;
  for (size_t f = 0; f < FW_LEVEL_FORMS; f++) {
    if (!fw_level_form_suits((fw_level_form)f, points, count, &out->timing)) continue;
    for (int prefill = 0; prefill <= (prompts ? 1 : 0); prefill++) {
      const fw_level_form form = (fw_level_form)f;
      if (f > 0 && seen < 2 * fw_level_free_count(form, prefill != 0)) continue;
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
                 .prefill_w = fwi_calibration_prefill_w(out),
                 .scores = out->scores,
                 .score_count = out->score_count};
  size_t cells = 0;
  all.fits = fw_allocate(out->score_count, sizeof *all.fits);
  if (fw_size_multiply(out->score_count, count, &cells)) all.errors = fw_allocate(cells, sizeof *all.errors);
  all.crps = all.errors != NULL ? fw_allocate(cells, sizeof *all.crps) : NULL;
  fw_status status = FW_OK;
  if (all.fits == NULL || all.crps == NULL) status = fw_error_memory(diagnostics, "the scores of a calibration");
  const fwi_replications fits = {.count = out->score_count, .heard = 1, .run = fit_to_all, .context = &all};
  const fwi_replications folds = {
      .count = out->score_count * parts->folds, .heard = 1, .run = fit_without, .context = &all};
  if (status == FW_OK) status = fwi_replicate(&fits, study, diagnostics);
  if (status == FW_OK) status = fwi_replicate(&folds, study, diagnostics);
  if (status == FW_OK) judge(&all, out);
  free(all.fits);
  free(all.errors);
  free(all.crps);
  return status;
}

/* How many points a fit sees at least when a part is held out; 0 where a part is empty. */
static size_t fewest_seen(const fwi_calibration_split *parts, size_t count) {
  size_t fewest = count;
  for (size_t f = 0; f < parts->folds; f++) {
    size_t inside = 0;
    for (size_t i = 0; i < count; i++)
      inside += parts->fold[i] == f;
    if (inside == 0) return 0;
    fewest = count - inside < fewest ? count - inside : fewest;
  }
  return fewest;
}

static fw_status take_constant(const fw_level_point *points, size_t count, fw_calibration *out,
                               fw_diagnostics *diagnostics) {
  out->split = "none: too few ticks";
  out->score_count = 1;
  out->scores[0] = (fw_calibration_score){.form = FW_LEVEL_CONSTANT, .free_count = 1};
  const fw_status status = fw_fit_level(FW_LEVEL_CONSTANT, false, points, count, &out->timing,
                                        fwi_calibration_prefill_w(out), NULL, &out->level, diagnostics);
  out->scores[0].rms_w = out->level.rms_w;
  out->scores[0].held_out_rms_w = (double)NAN;
  out->scores[0].held_out_crps_w = (double)NAN;
  return status;
}

fw_status fwi_calibration_contest(const fw_level_point *points, size_t count, const fwi_calibration_split *parts,
                                  const fw_study_options *study, fw_calibration *out, fw_diagnostics *diagnostics) {
  const size_t seen = fewest_seen(parts, count);
  if (parts->folds < 2 || seen < 2) return take_constant(points, count, out, diagnostics);
  out->split = parts->words;
  out->folds = parts->folds;
  list_forms(points, count, seen, out);
  return hold_contest(points, count, parts, study, out, diagnostics);
}

fw_status fwi_calibration_choose(const fwi_calibration_data *data, const fw_study_options *study, fw_calibration *out,
                                 fw_diagnostics *diagnostics) {
  fw_level_point *points = NULL;
  size_t *place = NULL;
  size_t count = 0;
  fw_status status = fwi_calibration_points(data, out, &points, &place, &count, diagnostics);
  fwi_calibration_split parts = {.fold = status == FW_OK ? fw_allocate(count, sizeof *parts.fold) : NULL};
  if (status == FW_OK && parts.fold == NULL) {
    status = fw_error_memory(diagnostics, "the parts of a calibration");
  } else if (status == FW_OK) {
    make_split(data, place, count, out->run_count, &parts);
    status = fwi_calibration_contest(points, count, &parts, study, out, diagnostics);
  }
  if (status == FW_OK && out->level.has_prefill) out->timing.prefill_per_token_s = out->level.prefill_per_token_s;
  free(parts.fold);
  free(place);
  free(points);
  return status;
}
