/* The names of the scores and the life of a result. */
#include "sim/study/fidelity.h"

#include <stdlib.h>

const char *const fw_fidelity_metric_names[] = {"energy_error",  "bias",          "nrmse",         "ks",
                                                "acf_r2",        "acf_mae",       "p50_error",     "p90_error",
                                                "p95_error",     "p99_error",     "p999_error",    "violation_p80",
                                                "violation_p90", "violation_p95", "violation_p99", NULL};

/* The bars that fitted models are held to on recordings they were not fitted on. */
const fw_fidelity_limits fw_fidelity_default_limits = {.energy = 0.02,
                                                       .tail_short = 0.05,
                                                       .tail_long = 0.03,
                                                       .ks = 0.12,
                                                       .ks_own = 1.5,
                                                       .acf_mae = 0.05,
                                                       .violation = 0.02,
                                                       .blocks = 30,
                                                       .tail_effective = 1000.0};

static void clear_signal(fw_fidelity_signal *signal, size_t window_count) {
  for (size_t w = 0; signal->windows != NULL && w < window_count; w++) {
    free(signal->windows[w].reason);
  }
  free(signal->windows);
}

void fw_fidelity_clear(fw_fidelity *fidelity) {
  for (size_t s = 0; s < fidelity->signal_count; s++) {
    clear_signal(&fidelity->signals[s], fidelity->window_count);
  }
  free(fidelity->signals);
  free(fidelity->name);
  *fidelity = (fw_fidelity){0};
}
