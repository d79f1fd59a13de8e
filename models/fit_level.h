/* The level fitted to recordings: power of one GPU against what the job did, by nonlinear least squares (GSL).
 *
 * Power while a job works is the mean of reading prompts and of generating, by their shares s and 1 - s of the time:
 *
 *   P = (1 - s) R(c) + s P_prefill,   s = min(1, prompt tokens a second x seconds a prompt token)
 *
 * R is one of the forms of level.h; c, the work in flight, below 1 counts as 1. The covariate s is optional: without it
 * P = R(c), and reading prompts is part of the residual. The mean must come out right, because energy is its integral,
 * so the loss is the square and not a robust one. Starts are fixed, so equal input gives equal output.
 *
 * The roofline takes its two times from the token time t(c) = t0 + t1 c: a pass costs t0 of bandwidth, each sequence in
 * it t1 of computation. Where the timing gives the seconds of a prompt token, they are held and not fitted. */
#ifndef FW_MODELS_FIT_LEVEL_H
#define FW_MODELS_FIT_LEVEL_H

#include "models/timing.h"
#include "sim/base/diagnostics.h"
#include "sim/base/text.h"

typedef enum fw_level_form {
  FW_LEVEL_CONSTANT,
  FW_LEVEL_LOG2,
  FW_LEVEL_SATURATED, /* log2 with a saturation */
  FW_LEVEL_LOGISTIC,
  FW_LEVEL_ROOFLINE,
  FW_LEVEL_TABLE, /* the concurrencies that occur again and again are its points */
  FW_LEVEL_FORMS
} fw_level_form;

extern const char *const fw_level_form_names[]; /* "constant", "log2", "saturated", ..., NULL */

/* What was seen: power of one GPU over a stretch of which the job worked for the share `work`. */
typedef struct fw_level_point {
  double power_w; /* of the work: what other phases drew in the stretch is taken off, so it belongs to `work` of it */
  double work;    /* above 0 to 1 */
  double in_flight;
  double prompt_per_s; /* of work; 0 where none were read */
  double weight;       /* above 0; 0 leaves the point out */
} fw_level_point;

enum { FW_LEVEL_PARAMETERS = 12 };

typedef struct fw_level_fit {
  fw_level_form form;
  bool has_prefill;
  size_t count; /* of parameters in `value`, those of the form */
  double value[FW_LEVEL_PARAMETERS];
  double knot[FW_LEVEL_PARAMETERS]; /* of a table: the concurrency of each value */
  double prefill_w;                 /* where has_prefill */
  double prefill_per_token_s;
  size_t free_count; /* parameters that were fitted, with those of prefill */
  double rms_w;      /* weighted, of power_w over all points */
} fw_level_fit;

/* The form as the value of "rollout" in a model file, with 9 significant digits. */
void fw_level_fit_json(const fw_level_fit *fit, fw_text *out);

/* The name of `value[parameter]` for people: "k_w", or "p_w" of a table. */
const char *fw_level_fit_name(fw_level_form form, size_t parameter);

/* How many parameters are fitted; of a table at most. */
size_t fw_level_free_count(fw_level_form form, bool prefill);

/* Whether the points and timing allow a form: a curve needs more than one concurrency, a roofline a token time that
 * grows with it, a table two that occur often. */
bool fw_level_form_suits(fw_level_form form, const fw_level_point *points, size_t count, const fw_timing *timing);

/* What reading prompts can draw: at least the one and less than the other, which is larger. */
typedef struct fw_level_range {
  double least_w;
  double most_w;
} fw_level_range;

/* Fits `form`, with reading prompts inside `prefill_w`; with `prefill` both numbers of
 * the covariate too. `start`, or NULL, is a fit to begin from instead of the fixed starts. Watts are
 * whole milliwatts. FW_ERROR_INPUT where fewer
 * points than parameters have a weight. */
fw_status fw_fit_level(fw_level_form form, bool prefill, const fw_level_point *points, size_t count,
                       const fw_timing *timing, fw_level_range prefill_w, const fw_level_fit *start, fw_level_fit *out,
                       fw_diagnostics *diagnostics);

/* Watts of work as fitted. */
double fw_level_fit_rollout_w(const fw_level_fit *fit, double in_flight, const fw_timing *timing);
double fw_level_fit_work_w(const fw_level_fit *fit, double in_flight, double prompt_per_s, const fw_timing *timing);

/* Token time t(c) = t0 + t1 c, in s, by bisquare least squares (GSL): the count of requests is read at an instant and
 * the tokens over an interval, so some pairs lie far off. Neither number is negative. False where there are fewer than
 * three points or no positive time. */
bool fw_fit_token_time(const double *in_flight, const double *token_s, size_t count, double *t0_s, double *t1_s);

#endif
