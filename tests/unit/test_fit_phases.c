/* Laws and memory of a residual, phase by phase, against the processes that made it. */
#include "models/fit_phases.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "models/job.h"
#include "tests/unit/model_text.h"

/* An AR(1) of variance 1. */
static void make_process(double a, uint32_t entity, size_t count, double *out) {
  fw_ar1 process = fw_ar1_start(fw_stream_make(11, FW_DRAW_TEST, entity), a, 0);
  fw_ar1_next(&process, count, out);
}

Test(fit_phases, memory_of_exact_powers) {
  static const double coefficients[] = {-0.9, -0.36, 0.0, 0.2, 0.55, 0.93};
  for (size_t c = 0; c < sizeof coefficients / sizeof coefficients[0]; c++) {
    double rho[FW_MEMORY_LAGS];
    double weight[FW_MEMORY_LAGS];
    for (size_t k = 0; k < FW_MEMORY_LAGS; k++) {
      rho[k] = (k > 0 ? rho[k - 1] : 1.0) * coefficients[c];
      weight[k] = 100.0 - (double)k;
    }
    /* The last grid has steps of 1e-5. */
    cr_expect_float_eq(fw_fit_memory(rho, weight, FW_MEMORY_LAGS), coefficients[c], 1.1e-5, "%g", coefficients[c]);
  }
}

/* One lag decides: the nearest power is the correlation itself, kept inside its bound. */
Test(fit_phases, memory_of_one_lag) {
  const double weight = 1.0;
  double rho = 0.4321;
  cr_expect_float_eq(fw_fit_memory(&rho, &weight, 1), 0.4321, 1.1e-5);
  rho = 1.5;
  cr_expect_float_eq(fw_fit_memory(&rho, &weight, 1), 0.99, 1e-12);
}

enum { TICKS = 20000, GPUS = 4 };

typedef struct sample {
  double residual[TICKS * GPUS];
  fw_phase phase[TICKS];
  size_t segment[TICKS];
} sample;

/* Total of sigma 40 W in the rollout and 10 W in the gap, contrasts of sigma 30 W in the rollout; each memory its own.
 * Every fiftieth tick begins a segment; phases change every 200 ticks, and the process goes on through them. */
static sample *make_sample(double total_lag1, double contrast_lag1, bool skewed) {
  sample *out = calloc(1, sizeof *out);
  double *z = calloc(TICKS * (GPUS + 1), sizeof *z);
  cr_assert(out != NULL && z != NULL);
  make_process(total_lag1, 0, TICKS, z);
  for (uint32_t g = 0; g < GPUS; g++)
    make_process(contrast_lag1, g + 1, TICKS, z + (g + 1) * TICKS);
  for (size_t i = 0; i < TICKS; i++) {
    const bool rollout = i / 200 % 2 == 0;
    out->phase[i] = rollout ? FW_PHASE_ROLLOUT : FW_PHASE_GAP;
    out->segment[i] = i / 50;
    const double shaped = skewed ? exp(0.5 * z[i]) : z[i];
    double mean = 0.0;
    for (size_t g = 0; g < GPUS; g++)
      mean += z[(g + 1) * TICKS + i] / GPUS;
    for (size_t g = 0; g < GPUS; g++) {
      const double own = rollout ? 30.0 * (z[(g + 1) * TICKS + i] - mean) : 0.0;
      out->residual[i * GPUS + g] = 5.0 * (double)g + (rollout ? 40.0 : 10.0) * shaped / GPUS + own;
    }
  }
  free(z);
  return out;
}

static fw_phases_fit fit_sample(const sample *of) {
  const fw_residual_ticks ticks = {GPUS, TICKS, of->residual, of->phase, of->segment};
  fw_phases_fit fit;
  cr_assert_eq(fw_fit_phases(&ticks, &fit, NULL), FW_OK);
  return fit;
}

/* Standard errors of a coefficient over n ticks are near sqrt((1 - a^2) / n), below 0.01 here; of a deviation
 * sigma sqrt((1 + a^2) / (1 - a^2) / 2 / n), below 2 %. Tolerances are four of them. */
Test(fit_phases, finds_what_made_the_residual) {
  sample *made = make_sample(0.6, -0.36, false);
  const fw_phases_fit fit = fit_sample(made);
  cr_expect_float_eq(fit.total_lag1, 0.6, 0.04, "%g", fit.total_lag1);
  cr_expect_float_eq(fit.contrast_lag1, -0.36, 0.04, "%g", fit.contrast_lag1);
  const fw_phase_law *rollout = &fit.phase[FW_PHASE_ROLLOUT];
  cr_expect_eq(rollout->ticks, TICKS / 2);
  cr_expect_float_eq(rollout->total_sigma_w, 40.0, 40.0 * 0.08, "%g", rollout->total_sigma_w);
  cr_expect_float_eq(fit.phase[FW_PHASE_GAP].total_sigma_w, 10.0, 10.0 * 0.08);
  /* C(z_i) less its mean over 4 has 3/4 of its variance; the law is C itself. */
  cr_expect_float_eq(rollout->contrast_sigma_w, 30.0 * sqrt(0.75), 30.0 * 0.08);
  cr_expect_float_eq(fw_law_sigma_w(&rollout->contrast), 30.0, 30.0 * 0.08);
  cr_expect_eq(fit.phase[FW_PHASE_UPDATE].ticks, 0);
  free(made);
}

/* The memory is that of z, whatever the law does to it. */
Test(fit_phases, memory_is_not_shrunk_by_a_skewed_law) {
  sample *made = make_sample(0.6, 0.0, true);
  const fw_phases_fit fit = fit_sample(made);
  cr_expect_float_eq(fit.total_lag1, 0.6, 0.04, "%g", fit.total_lag1);
  free(made);
}

/* With equal variances of total / n and own parts of one GPU: correlations by hand. */
Test(fit_phases, correlation_between_gpus) {
  sample *made = make_sample(0.0, 0.0, false);
  for (size_t i = 0; i < TICKS; i++)
    made->phase[i] = i / 200 % 2 == 0 ? FW_PHASE_ROLLOUT : FW_PHASE_COUNT;
  const fw_phases_fit fit = fit_sample(made);
  const double shared = 10.0 * 10.0;
  const double own = 0.75 * 30.0 * 30.0;
  cr_expect_float_eq(fit.correlation, (shared - own / 3.0) / (shared + own), 0.03, "%g", fit.correlation);
  free(made);
}

/* The members of a file, read back: few ticks give a Gaussian law, fewer none. */
Test(fit_phases, as_a_file_has_it) {
  fw_phases_fit fit = {.total_lag1 = 0.25, .contrast_lag1 = -0.5};
  fit.phase[FW_PHASE_ROLLOUT] = (fw_phase_law){.ticks = 19, .total_sigma_w = 8.0, .contrast_sigma_w = 3.0};
  fit.phase[FW_PHASE_GAP].ticks = 4;
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "{");
  fw_phases_fit_json(&fit, 4, &text);
  fw_text_add(&text, "}");
  fw_residual_model model;
  decode_text(&fw_residual_record, text.data, &model);
  cr_expect_eq(model.total_lag1, 0.25);
  cr_expect_eq(model.contrast_lag1, -0.5);
  cr_expect_not_null(strstr(text.data, "\"gaussian\", \"sigma_w\": 8}"));
  cr_expect_not_null(strstr(text.data, "\"gaussian\", \"sigma_w\": 3.46410162}")); /* 3 sqrt(4/3) */
  cr_expect_null(model.phase[FW_PHASE_GAP].total.which);
  fw_record_clear(&fw_residual_record, &model);
  fw_text_clear(&text);
}
