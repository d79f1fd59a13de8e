/* Levenberg-Marquardt in trust regions as GSL has it ("Trust region methods", gsl_multifit_nlinear);
 * parameters that must not be negative are squares of what is fitted, times and slopes exponentials. */
#include "models/fit_level.h"

#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/fit.h"
#include "models/level_forms.h"
#include "sim/base/elementary.h"
#include "sim/base/memory.h"
#include "sim/base/sort.h"

const char *const fw_level_form_names[] = {"constant", "log2", "saturated", "logistic", "roofline", "table", NULL};

static const size_t value_counts[FW_LEVEL_FORMS] = {1, 2, 3, 4, 5, FW_LEVEL_PARAMETERS};
/* Of them, those that are fitted: a saturation is searched for, the times of a roofline are given. */
static const size_t free_counts[FW_LEVEL_FORMS] = {1, 2, 3, 4, 3, FW_LEVEL_PARAMETERS};

static const char *const value_names[FW_LEVEL_FORMS][FW_LEVEL_PARAMETERS] = {
    {"p_w"},
    {"p1_w", "k_w"},
    {"p1_w", "k_w", "saturation"},
    {"p0_w", "dp_w", "slope", "midpoint"},
    {"p_base_w", "p_compute_w", "p_memory_w", "compute_s", "memory_s"},
    {"p_w", "p_w", "p_w", "p_w", "p_w", "p_w", "p_w", "p_w", "p_w", "p_w", "p_w", "p_w"},
};

/* Bounds of the file format, and of what a prompt token can cost. */
static const double MOST_ROOF_W = 10000.0;
static const double MOST_SLOPE = 100.0;
static const double MOST_MIDPOINT = 30.0;
static const double MOST_PREFILL_S = 1.0;

const char *fw_level_fit_name(fw_level_form form, size_t parameter) {
  return value_names[form][parameter];
}

static const int DIGITS = 9;

static void add_list(const char *key, const double *values, size_t count, fw_text *out) {
  fw_text_add_format(out, ", \"%s\": [", key);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fw_text_add(out, ", ");
    fw_text_add_number(out, values[i], DIGITS);
  }
  fw_text_add(out, "]");
}

void fw_level_fit_json(const fw_level_fit *fit, fw_text *out) {
  const char *kind = fit->form == FW_LEVEL_SATURATED ? "log2" : fw_level_form_names[fit->form];
  fw_text_add_format(out, "{\"kind\": \"%s\"", kind);
  if (fit->form == FW_LEVEL_TABLE) {
    add_list("concurrency", fit->knot, fit->count, out);
    add_list("p_w", fit->value, fit->count, out);
  }
  for (size_t i = 0; fit->form != FW_LEVEL_TABLE && i < fit->count; i++) {
    fw_text_add_format(out, ", \"%s\": ", value_names[fit->form][i]);
    fw_text_add_number(out, fit->value[i], DIGITS);
  }
  fw_text_add(out, "}");
}

size_t fw_level_free_count(fw_level_form form, bool prefill) {
  return free_counts[form] + (prefill ? 2 : 0);
}

double fw_level_fit_rollout_w(const fw_level_fit *fit, double in_flight, const fw_timing *timing) {
  const double c = fmax(in_flight, 1.0);
  const double *v = fit->value;
  switch (fit->form) {
  case FW_LEVEL_LOG2:
    return fwi_log2_w(&(fwi_level_log2){v[0], v[1], c}, c);
  case FW_LEVEL_SATURATED:
    return fwi_log2_w(&(fwi_level_log2){v[0], v[1], v[2]}, c);
  case FW_LEVEL_LOGISTIC:
    return fwi_logistic_w(&(fwi_level_logistic){v[0], v[1], v[2], v[3]}, c);
  case FW_LEVEL_ROOFLINE:
    return fwi_roofline_w(&(fwi_level_roofline){v[0], v[1], v[2], v[3], v[4]}, c, timing);
  case FW_LEVEL_TABLE:
    return fwi_table_w(&(fwi_level_table){fit->knot, v, fit->count}, c);
  case FW_LEVEL_CONSTANT:
  case FW_LEVEL_FORMS:
    break;
  }
  return v[0];
}

double fw_level_fit_work_w(const fw_level_fit *fit, double in_flight, double prompt_per_s, const fw_timing *timing) {
  const double rollout_w = fw_level_fit_rollout_w(fit, in_flight, timing);
  if (!fit->has_prefill || !(prompt_per_s > 0.0)) return rollout_w;
  const double share = fmin(1.0, prompt_per_s * fit->prefill_per_token_s);
  return rollout_w + share * (fit->prefill_w - rollout_w);
}

/* --- one descent --- */

typedef struct problem {
  fw_level_fit fit; /* form, given parameters */
  const fw_level_point *points;
  size_t count;
  const fw_timing *timing;
  fw_level_range prefill_w;
} problem;

/* Parameters in the solver's own coordinates, without the saturation and the times of a roofline. */
enum { MOST_FREE = FW_LEVEL_PARAMETERS + 2 };

static size_t solver_count(const problem *of, const fw_level_fit *fit) {
  const bool bent = fit->form == FW_LEVEL_SATURATED;
  const size_t shape = bent ? 2 : fit->form == FW_LEVEL_ROOFLINE ? 3 : fit->count;
  const size_t prefill = of->timing->prefill_per_token_s > 0.0 ? 1 : 2;
  return shape + (fit->has_prefill ? prefill : 0);
}

static double square(double x) {
  return x * x;
}

/* From the least to below the most, smoothly, and back. */
static double inside(fw_level_range range, double x) {
  return range.least_w + (range.most_w - range.least_w) * x * x / (1.0 + x * x);
}

static double to_inside(fw_level_range range, double value) {
  static const double FARTHEST = 1e-6; /* at the least itself nothing says which way is up */
  static const double NEAREST = 0.999; /* the most itself is infinitely far */
  const double share = fmax(FARTHEST, fmin((value - range.least_w) / (range.most_w - range.least_w), NEAREST));
  return sqrt(share / (1.0 - share));
}

static size_t unpack_shape(const double *x, fw_level_fit *fit) {
  double *v = fit->value;
  v[0] = square(x[0]);
  switch (fit->form) {
  case FW_LEVEL_LOG2:
  case FW_LEVEL_SATURATED:
    v[1] = x[1];
    return 2;
  case FW_LEVEL_LOGISTIC:
    v[1] = square(x[1]);
    v[2] = fmin(fw_exp(x[2]), MOST_SLOPE);
    v[3] = fmax(-MOST_MIDPOINT, fmin(x[3], MOST_MIDPOINT));
    return 4;
  case FW_LEVEL_ROOFLINE:
    v[1] = fmin(square(x[1]), MOST_ROOF_W);
    v[2] = fmin(square(x[2]), MOST_ROOF_W);
    return 3;
  case FW_LEVEL_TABLE:
    for (size_t i = 1; i < fit->count; i++)
      v[i] = square(x[i]);
    return fit->count;
  case FW_LEVEL_CONSTANT:
  case FW_LEVEL_FORMS:
    break;
  }
  return 1;
}

static void unpack(const problem *of, const double *x, fw_level_fit *fit) {
  const size_t shape = unpack_shape(x, fit);
  const double held_s = of->timing->prefill_per_token_s;
  if (!fit->has_prefill) return;
  fit->prefill_w = inside(of->prefill_w, x[shape]);
  fit->prefill_per_token_s = held_s > 0.0 ? held_s : fmin(fw_exp(x[shape + 1]), MOST_PREFILL_S);
}

static void pack(const problem *of, const fw_level_fit *fit, double *x) {
  const double *v = fit->value;
  size_t shape = 1;
  x[0] = sqrt(v[0]);
  if (fit->form == FW_LEVEL_LOG2 || fit->form == FW_LEVEL_SATURATED) {
    x[1] = v[1];
    shape = 2;
  } else if (fit->form == FW_LEVEL_LOGISTIC) {
    x[1] = sqrt(v[1]);
    x[2] = fw_log(fmax(v[2], 1e-9));
    x[3] = v[3];
    shape = 4;
  } else if (fit->form == FW_LEVEL_ROOFLINE) {
    x[1] = sqrt(v[1]);
    x[2] = sqrt(v[2]);
    shape = 3;
  } else if (fit->form == FW_LEVEL_TABLE) {
    for (size_t i = 1; i < fit->count; i++)
      x[i] = sqrt(v[i]);
    shape = fit->count;
  }
  if (!fit->has_prefill) return;
  x[shape] = to_inside(of->prefill_w, fit->prefill_w);
  x[shape + 1] = fw_log(fmax(fit->prefill_per_token_s, 1e-12));
}

static double error_w(const problem *of, const fw_level_fit *fit, size_t i) {
  const fw_level_point *point = &of->points[i];
  return point->work * fw_level_fit_work_w(fit, point->in_flight, point->prompt_per_s, of->timing) - point->power_w;
}

static int residuals(const gsl_vector *x, void *parameters, gsl_vector *f) {
  const problem *of = parameters;
  fw_level_fit fit = of->fit;
  unpack(of, x->data, &fit); /* GSL's own vectors have a stride of 1 */
  for (size_t i = 0; i < of->count; i++)
    gsl_vector_set(f, i, sqrt(of->points[i].weight) * error_w(of, &fit, i));
  return GSL_SUCCESS;
}

static double sum_of_squares(const problem *of, const fw_level_fit *fit) {
  double sum = 0.0;
  for (size_t i = 0; i < of->count; i++)
    sum += of->points[i].weight * square(error_w(of, fit, i));
  return sum;
}

/* From `fit` downhill, at most `steps`; it stays what it was where the solver does not get below it. */
static fw_status descend(const problem *of, size_t steps, fw_level_fit *fit, double *cost,
                         fw_diagnostics *diagnostics) {
  static const double X_TOLERANCE = 1e-10;
  static const double G_TOLERANCE = 1e-12;
  problem start = *of;
  start.fit = *fit;
  double x[MOST_FREE] = {0.0};
  pack(of, fit, x);
  const size_t free_count = solver_count(of, fit);
  gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
  settings.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
  gsl_multifit_nlinear_workspace *work =
      gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, of->count, free_count);
  if (work == NULL) return fw_error_memory(diagnostics, "a fit of the level");
  gsl_multifit_nlinear_fdf function = {.f = residuals, .n = of->count, .p = free_count, .params = &start};
  gsl_vector_view from = gsl_vector_view_array(x, free_count);
  *cost = sum_of_squares(of, fit);
  if (gsl_multifit_nlinear_init(&from.vector, &function, work) == GSL_SUCCESS) {
    int why = 0;
    (void)gsl_multifit_nlinear_driver(steps, X_TOLERANCE, G_TOLERANCE, 0.0, NULL, NULL, &why, work);
    fw_level_fit found = *fit;
    unpack(of, gsl_multifit_nlinear_position(work)->data, &found);
    const double lower = sum_of_squares(of, &found);
    if (lower < *cost) {
      *fit = found;
      *cost = lower;
    }
  }
  gsl_multifit_nlinear_free(work);
  return FW_OK;
}

/* --- starts --- */

typedef struct spread {
  double mean_w; /* of work */
  double least_w;
  double most_w;
  double least_log2; /* of the work in flight */
  double most_log2;
  double weight;
  size_t used;
} spread;

static spread spread_of(const fw_level_point *points, size_t count) {
  spread out = {.least_w = INFINITY, .most_w = 0.0, .least_log2 = INFINITY, .most_log2 = -INFINITY};
  double power = 0.0;
  double work = 0.0;
  for (size_t i = 0; i < count; i++) {
    const fw_level_point *point = &points[i];
    if (!(point->weight > 0.0)) continue;
    const double watts = fmax(point->power_w / point->work, 0.0);
    const double log2_c = fw_log2(fmax(point->in_flight, 1.0));
    power += point->weight * point->work * point->power_w;
    work += point->weight * point->work * point->work;
    out.least_w = fmin(out.least_w, watts);
    out.most_w = fmax(out.most_w, watts);
    out.least_log2 = fmin(out.least_log2, log2_c);
    out.most_log2 = fmax(out.most_log2, log2_c);
    out.weight += point->weight;
    out.used++;
  }
  out.mean_w = work > 0.0 ? fmax(power / work, 1.0) : 1.0;
  return out;
}

/* --- many points --- */

/* More points than this are gathered into cells first: a week of ticks is over a million. */
static const size_t MANY_POINTS = 4096;

/* Cells to a doubling of in flight and of prompts a second, and over the share of work. */
static const double CELLS = 32.0;

typedef struct cell_point {
  int32_t work;
  int32_t in_flight;
  int32_t prompts;
  size_t index; /* of the point: sums are taken in their order */
} cell_point;

static cell_point in_cell(const fw_level_point *point, size_t index) {
  return (cell_point){.index = index,
                      .work = (int32_t)floor(CELLS * point->work),
                      .in_flight = (int32_t)floor(CELLS * fw_log2(fmax(point->in_flight, 1.0))),
                      .prompts =
                          point->prompt_per_s > 0.0 ? (int32_t)floor(CELLS * fw_log2(point->prompt_per_s)) : INT32_MIN};
}

static bool same_cell(const cell_point *a, const cell_point *b) {
  return a->work == b->work && a->in_flight == b->in_flight && a->prompts == b->prompts;
}

static int compare_cells(const void *left, const void *right) {
  const cell_point *a = left;
  const cell_point *b = right;
  if (same_cell(a, b)) return (a->index > b->index) - (a->index < b->index);
  if (a->work != b->work) return (a->work > b->work) - (a->work < b->work);
  if (a->in_flight != b->in_flight) return (a->in_flight > b->in_flight) - (a->in_flight < b->in_flight);
  return (a->prompts > b->prompts) - (a->prompts < b->prompts);
}

/* Weighted sums, so that the mean over a cell can be taken at its end. */
static void add_point(fw_level_point *sum, const fw_level_point *point) {
  const double w = point->weight;
  sum->power_w += w * point->power_w;
  sum->work += w * point->work;
  sum->in_flight += w * fmax(point->in_flight, 1.0);
  sum->prompt_per_s += w * point->prompt_per_s;
  sum->weight += w;
}

static fw_level_point mean_point(const fw_level_point *sum) {
  const double w = sum->weight;
  return (fw_level_point){sum->power_w / w, sum->work / w, sum->in_flight / w, sum->prompt_per_s / w, w};
}

/* Means over cells of nearly equal covariates: squares around them do not depend on the fit. NULL when memory is short.
 */
static fw_level_point *gather(const fw_level_point *points, size_t count, size_t *cells) {
  cell_point *sorted = fw_allocate(count, sizeof *sorted);
  fw_level_point *out = fw_allocate(count, sizeof *out);
  *cells = 0;
  if (sorted == NULL || out == NULL) {
    free(sorted);
    free(out);
    return NULL;
  }
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (points[i].weight > 0.0) sorted[used++] = in_cell(&points[i], i);
  }
  qsort(sorted, used, sizeof *sorted, compare_cells);
  for (size_t first = 0; first < used;) {
    fw_level_point sum = {0};
    size_t end = first;
    for (; end < used && same_cell(&sorted[first], &sorted[end]); end++)
      add_point(&sum, &points[sorted[end].index]);
    out[(*cells)++] = mean_point(&sum);
    first = end;
  }
  free(sorted);
  return out;
}

/* --- points of a table --- */

/* A concurrency and how many points have it. */
typedef struct atom {
  double concurrency;
  size_t points;
} atom;

/* Takes out the rarest, of equally rare ones the first, until so many are left as a table may have. */
static size_t thin_out(atom *atoms, size_t count) {
  while (count > FW_LEVEL_PARAMETERS) {
    size_t rarest = 0;
    for (size_t i = 1; i < count; i++)
      rarest = atoms[i].points < atoms[rarest].points ? i : rarest;
    for (size_t i = rarest; i + 1 < count; i++)
      atoms[i] = atoms[i + 1];
    count--;
  }
  return count;
}

/* Concurrencies that are those of a hundredth of the points, and of five. `sorted` rises. */
static size_t find_atoms(const double *sorted, size_t count, atom *atoms) {
  const size_t least = count / 100 > 5 ? count / 100 : 5;
  size_t found = 0;
  for (size_t first = 0; first < count;) {
    size_t end = first;
    while (end < count && sorted[end] == sorted[first])
      end++;
    if (end - first >= least) atoms[found++] = (atom){sorted[first], end - first};
    first = end;
  }
  return found;
}

/* The knots of a table; returns how many, 0 where memory is short or there are fewer than two. */
static size_t find_knots(const fw_level_point *points, size_t count, double *knot) {
  double *sorted = fw_allocate(count, sizeof *sorted);
  atom *atoms = fw_allocate(count / 5 + 1, sizeof *atoms);
  size_t found = 0;
  if (sorted != NULL && atoms != NULL) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
      if (points[i].weight > 0.0) sorted[used++] = fmax(points[i].in_flight, 1.0);
    }
    fw_sort_numbers(sorted, used);
    found = thin_out(atoms, find_atoms(sorted, used, atoms));
    for (size_t i = 0; i < found; i++)
      knot[i] = atoms[i].concurrency;
  }
  free(sorted);
  free(atoms);
  return found >= 2 ? found : 0;
}

bool fw_level_form_suits(fw_level_form form, const fw_level_point *points, size_t count, const fw_timing *timing) {
  double knot[FW_LEVEL_PARAMETERS];
  if (form == FW_LEVEL_TABLE) return find_knots(points, count, knot) > 0;
  const spread seen = spread_of(points, count);
  const bool several = seen.most_log2 > seen.least_log2;
  if (form == FW_LEVEL_CONSTANT) return seen.used > 0;
  if (form == FW_LEVEL_ROOFLINE) return several && timing->token_base_s > 0.0 && timing->token_per_sequence_s > 0.0;
  return several;
}

/* Start number `index` of a form's shape; false when there are no more. */
static bool shape_start(size_t index, const spread *seen, const fw_timing *timing, fw_level_fit *fit) {
  static const double share[] = {0.5, 0.25, 0.75};
  static const double slope[] = {1.0, 3.0};
  double *v = fit->value;
  v[0] = seen->mean_w;
  switch (fit->form) {
  case FW_LEVEL_LOG2:
    v[1] = 0.0;
    return index < 1;
  case FW_LEVEL_SATURATED: {
    /* The bends between the ends, an eighth of the range apart. */
    static const size_t BENDS = 7;
    v[1] = 0.0;
    v[2] = fw_exp(0.69314718055994531 * (seen->least_log2 + (double)(index + 1) / (double)(BENDS + 1) *
                                                                (seen->most_log2 - seen->least_log2)));
    return index < BENDS;
  }
  case FW_LEVEL_LOGISTIC:
    if (index >= 6) return false;
    v[0] = fmax(seen->least_w, 1.0);
    v[1] = fmax(seen->most_w - seen->least_w, 1.0);
    v[2] = slope[index / 3];
    v[3] = seen->least_log2 + share[index % 3] * (seen->most_log2 - seen->least_log2);
    return true;
  case FW_LEVEL_ROOFLINE:
    v[0] = 0.5 * seen->mean_w;
    v[1] = v[2] = 0.25 * seen->mean_w;
    v[3] = timing->token_per_sequence_s;
    v[4] = timing->token_base_s;
    return index < 1;
  case FW_LEVEL_TABLE:
    for (size_t i = 0; i < fit->count; i++)
      v[i] = seen->mean_w;
    return index < 1;
  case FW_LEVEL_CONSTANT:
  case FW_LEVEL_FORMS:
    break;
  }
  return index < 1;
}

/* Prefill from 10 us to 1 ms a token (an 8B model on one A100 needs about 50), drawing the most or the least seen. */
static bool prefill_start(size_t index, const spread *seen, const fw_timing *timing, fw_level_fit *fit) {
  static const double per_token_s[] = {1e-4, 1e-5, 1e-3};
  if (!fit->has_prefill) return index < 1;
  fit->prefill_w = index % 2 == 0 ? seen->most_w : seen->least_w;
  fit->prefill_per_token_s = timing->prefill_per_token_s;
  if (timing->prefill_per_token_s > 0.0) return index < 2;
  if (index >= 2 * sizeof per_token_s / sizeof per_token_s[0]) return false;
  fit->prefill_per_token_s = per_token_s[index / 2];
  return true;
}

static fw_status try_start(const problem *of, size_t steps, fw_level_fit start, fw_level_fit *best, double *least,
                           fw_diagnostics *diagnostics) {
  double cost = 0.0;
  const fw_status status = descend(of, steps, &start, &cost, diagnostics);
  if (status == FW_OK && cost < *least) {
    *least = cost;
    *best = start;
  }
  return status;
}

/* What lies below is the dust of an iteration. */
static double whole_milliwatts(double value_w) {
  return floor(value_w * 1e3 + 0.5) / 1e3;
}

static void round_watts(fw_level_fit *fit) {
  for (size_t i = 0; i < fit->count; i++) {
    const char *name = value_names[fit->form][i];
    const bool watts = name[strlen(name) - 1] == 'w';
    fit->value[i] = watts ? whole_milliwatts(fit->value[i]) : fit->value[i];
  }
  fit->prefill_w = whole_milliwatts(fit->prefill_w);
}

/* Downhill from `start`, or from every fixed start a little way and from the best of them to the end. */
static fw_status search(const problem *of, const spread *seen, const fw_level_fit *blank, const fw_level_fit *start,
                        fw_level_fit *out, fw_diagnostics *diagnostics) {
  enum { FEW_STEPS = 8, MANY_STEPS = 100 };
  double least = INFINITY;
  fw_status status = start != NULL ? try_start(of, 0, *start, out, &least, diagnostics) : FW_OK;
  for (size_t p = 0; start == NULL && status == FW_OK; p++) {
    fw_level_fit from = *blank;
    if (!prefill_start(p, seen, of->timing, &from)) break;
    for (size_t s = 0; status == FW_OK && shape_start(s, seen, of->timing, &from); s++)
      status = try_start(of, FEW_STEPS, from, out, &least, diagnostics);
  }
  return status == FW_OK ? try_start(of, MANY_STEPS, *out, out, &least, diagnostics) : status;
}

static fw_level_fit blank_fit(fw_level_form form, bool prefill, const fw_level_point *points, size_t count) {
  fw_level_fit blank = {.form = form, .has_prefill = prefill, .count = value_counts[form]};
  blank.free_count = fw_level_free_count(form, prefill);
  if (form == FW_LEVEL_TABLE) {
    blank.count = find_knots(points, count, blank.knot);
    blank.free_count = blank.count + (prefill ? 2 : 0);
  }
  return blank;
}

fw_status fw_fit_level(fw_level_form form, bool prefill, const fw_level_point *points, size_t count,
                       const fw_timing *timing, fw_level_range prefill_w, const fw_level_fit *start, fw_level_fit *out,
                       fw_diagnostics *diagnostics) {
  const spread seen = spread_of(points, count);
  const fw_level_fit blank = blank_fit(form, prefill, points, count);
  const problem all = {.points = points, .count = count, .timing = timing, .prefill_w = prefill_w};
  *out = blank;
  if (seen.used < blank.free_count || (blank.count == 0 && start == NULL)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a level of the form \"%s\" has %zu parameters and %zu ticks to be fitted to: record longer",
                    fw_level_form_names[form], blank.free_count, seen.used);
  }
  problem fitted = all;
  fw_level_point *cells = NULL;
  if (count > MANY_POINTS) {
    cells = gather(points, count, &fitted.count);
    if (cells == NULL) return fw_error_memory(diagnostics, "the points of a level");
    fitted.points = cells;
    if (fitted.count < blank.free_count) fitted = all; /* few cells, but points enough */
  }
  const fw_status status = search(&fitted, &seen, &blank, start, out, diagnostics);
  free(cells);
  out->rms_w = seen.weight > 0.0 ? sqrt(sum_of_squares(&all, out) / seen.weight) : 0.0;
  round_watts(out);
  return status;
}

/* --- token time --- */

static bool robust_line(const double *x, const double *y, size_t count, double *intercept, double *slope) {
  enum { TERMS = 2 };
  bool good = false;
  gsl_matrix *design = gsl_matrix_alloc(count, TERMS);
  gsl_vector *target = gsl_vector_alloc(count);
  gsl_vector *line = gsl_vector_alloc(TERMS);
  gsl_matrix *covariance = gsl_matrix_alloc(TERMS, TERMS);
  gsl_multifit_robust_workspace *work = gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, count, TERMS);
  if (design != NULL && target != NULL && line != NULL && covariance != NULL && work != NULL) {
    for (size_t i = 0; i < count; i++) {
      gsl_matrix_set(design, i, 0, 1.0);
      gsl_matrix_set(design, i, 1, x[i]);
      gsl_vector_set(target, i, y[i]);
    }
    const int status = gsl_multifit_robust(design, target, line, covariance, work);
    *intercept = gsl_vector_get(line, 0);
    *slope = gsl_vector_get(line, 1);
    good = (status == GSL_SUCCESS || status == GSL_EMAXITER) && isfinite(*intercept) && isfinite(*slope);
  }
  gsl_multifit_robust_free(work);
  gsl_matrix_free(covariance);
  gsl_vector_free(line);
  gsl_vector_free(target);
  gsl_matrix_free(design);
  return good;
}

bool fw_fit_token_time(const double *in_flight, const double *token_s, size_t count, double *t0_s, double *t1_s) {
  if (count < 3) return false;
  double least = in_flight[0];
  double most = in_flight[0];
  double mean = 0.0;
  double products = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < count; i++) {
    least = fmin(least, in_flight[i]);
    most = fmax(most, in_flight[i]);
    mean += token_s[i] / (double)count;
    products += in_flight[i] * token_s[i];
    squares += in_flight[i] * in_flight[i];
  }
  *t0_s = mean;
  *t1_s = 0.0;
  if (!(most > least) || !robust_line(in_flight, token_s, count, t0_s, t1_s)) return mean > 0.0;
  if (*t1_s < 0.0) {
    *t0_s = mean;
    *t1_s = 0.0;
  } else if (!(*t0_s > 0.0)) {
    *t0_s = 1e-9;
    *t1_s = products / squares;
  }
  return *t0_s > 0.0;
}
