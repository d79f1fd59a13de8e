/* Expectations over drawn completion lengths without drawing any: lengths are independent, so the number still running
 * after a token is binomial, and the sums over tokens are finite (the cut bounds them). */
#include <math.h>
#include <stdlib.h>

#include "models/fit.h"
#include "sim/base/elementary.h"
#include "sim/base/memory.h"

/* A length is rounded half up, so it reaches `tokens` where the law is at or above tokens - 1/2. */
double fw_completion_survival(const fw_workload *workload, int64_t tokens) {
  if (tokens <= 1) return 1.0;
  if (tokens > workload->completion_limit) return 0.0;
  const double least = (double)tokens - 0.5;
  const double cv = workload->completion_cv;
  if (!(cv > 0.0)) return workload->completion_mean >= least ? 1.0 : 0.0;
  const double sigma_squared = fw_log(1.0 + cv * cv);
  const double centre = fw_log(workload->completion_mean) - 0.5 * sigma_squared;
  return fw_normal_cdf((centre - fw_log(least)) / sqrt(sigma_squared));
}

double fw_completion_mean(const fw_workload *workload) {
  double sum = 0.0;
  for (int64_t tokens = 1; tokens <= workload->completion_limit; tokens++)
    sum += fw_completion_survival(workload, tokens);
  return sum;
}

typedef struct mean_search {
  const fw_workload *workload;
  double mean;
} mean_search;

static double mean_excess(double before_cut, const void *context) {
  const mean_search *search = context;
  fw_workload workload = *search->workload;
  workload.completion_mean = before_cut;
  return fw_completion_mean(&workload) - search->mean;
}

fw_status fw_fit_completion_mean(const fw_workload *workload, double mean, double *out, fw_diagnostics *diagnostics) {
  const mean_search search = {workload, mean};
  const double most = 100.0 * (double)workload->completion_limit;
  return fw_fit_root(mean_excess, &search, 1.0, most, "the mean length before the cut", out, diagnostics);
}

/* One more sequence, which runs with probability `survival`, in the law of the number that run. */
static void add_sequence(double *law, size_t sequences, double survival) {
  for (size_t b = sequences + 1; b > 0; b--)
    law[b] = law[b] * (1.0 - survival) + law[b - 1] * survival;
  law[0] *= 1.0 - survival;
}

fw_status fw_expected_passes(const fw_workload *workload, size_t sequences, double *passes,
                             fw_diagnostics *diagnostics) {
  size_t size;
  double *law = fw_size_add(sequences, 2, &size) ? fw_allocate(size, sizeof *law) : NULL;
  if (law == NULL) return fw_error_memory(diagnostics, "the law of running sequences");
  for (size_t b = 0; b < sequences; b++)
    passes[b] = 0.0;
  for (int64_t tokens = 1; tokens <= workload->completion_limit; tokens++) {
    const double survival = fw_completion_survival(workload, tokens);
    for (size_t b = 0; b < size; b++)
      law[b] = b == 0 ? 1.0 : 0.0;
    for (size_t i = 0; i < sequences; i++)
      add_sequence(law, i, survival);
    for (size_t b = 0; b < sequences; b++)
      passes[b] += law[b + 1];
  }
  free(law);
  return FW_OK;
}
