/* The residual of a recorded job: what its power does around the level, phase by phase.
 *
 * Residuals of one tick are split as models/residual.h has it: a total T of the job, and contrasts that sum to zero.
 * Each phase gets its own law by empirical quantiles. The memory belongs to the standardised process z behind all laws,
 * so it is taken from normal scores, z = Phi^-1((rank - 1/2) / n) within the phase, weighted by its deviation: of the
 * correlations of scores at lags of 1 to FW_MEMORY_LAGS ticks, the coefficient whose powers come nearest by least
 * squares. */
#ifndef FW_MODELS_FIT_PHASES_H
#define FW_MODELS_FIT_PHASES_H

#include "models/fit.h"

enum { FW_MEMORY_LAGS = 10 };

/* Fewer ticks of a phase than this give a Gaussian law, fewer than the second none. */
enum { FW_LAW_LEAST_TICKS = 20, FW_GAUSSIAN_LEAST_TICKS = 5 };

typedef struct fw_residual_ticks {
  size_t gpus;
  size_t count;
  const double *residual_w; /* [tick * gpus + gpu]: power less the level */
  const fw_phase *phase;    /* of each tick; FW_PHASE_COUNT: belongs to no law */
  const size_t *segment;    /* neighbours in time share one */
} fw_residual_ticks;

typedef struct fw_phase_law {
  size_t ticks;
  double total_sigma_w;    /* of the job's sum */
  double contrast_sigma_w; /* of one GPU less the mean of all; 0 for one GPU */
  fw_law total;            /* where ticks >= FW_LAW_LEAST_TICKS */
  fw_law contrast;         /* of C(z), before the mean over the job is taken off */
} fw_phase_law;

typedef struct fw_phases_fit {
  fw_phase_law phase[FW_PHASE_COUNT];
  double total_lag1;
  double contrast_lag1;
  double correlation; /* between GPUs, of all ticks that belong to a law */
} fw_phases_fit;

/* Fits all phases that occur. A GPU's lasting distance from the others in a phase is left out: it is the board's. */
fw_status fw_fit_phases(const fw_residual_ticks *ticks, fw_phases_fit *out, fw_diagnostics *diagnostics);

/* The coefficient in [-0.99, 0.99] whose powers a, a^2, ... come nearest to the correlations `rho[0 .. count - 1]`,
 * each counted `weight` times. */
double fw_fit_memory(const double *rho, const double *weight, size_t count);

/* The residual as members of a model file: "total_lag1":..., "rollout":{...}, without braces around them.
 * The idle phase gets none: it draws the floor of the GPU, and half of a law around a floor would be cut off. */
void fw_phases_fit_json(const fw_phases_fit *fit, size_t gpus, fw_text *out);

#endif
