/* Any bytes as a job file. What is accepted must also be usable: laws never fall, levels are finite, processes are
 * stationary and completions have tokens. */
#include <stdlib.h>

#include "models/job.h"
#include "tests/fuzz/fuzz.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_law(const fw_variant *law) {
  fw_marginal_table table;
  fw_marginal_prepare(law, &table);
  const double low = fw_marginal_mw(&table, -6.4);
  const double high = fw_marginal_mw(&table, 6.4);
  require(low <= 0.0 && high >= 0.0 && high < 1e18); /* of mean 0, and no NaN */
}

static void check_model(const fw_job_model *job) {
  for (int phase = 0; phase < FW_PHASE_COUNT; phase++) {
    check_law(&job->residual.phase[phase].total);
    check_law(&job->residual.phase[phase].contrast);
    const double level_w = fw_job_level_w(job, (fw_phase)phase, 4.0, 60.0);
    require(level_w > -1e6 && level_w < 1e6);
  }
  const double tick_s = fw_time_to_seconds(job->tick);
  const double total = fw_residual_total_lag1(&job->residual, tick_s);
  const double contrast = fw_residual_contrast_lag1(&job->residual, tick_s);
  require(total > -1.0 && total <= 1.0 && contrast > -1.0 && contrast <= 1.0);
  require(fw_ar1_mean_variance(total, 60) >= 0.0);
  const int64_t length = fw_workload_completion(&job->workload, 1, 2, 3, 0, job->workload.completion_limit);
  require(length >= 1 && length <= job->workload.completion_limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document = NULL;
  fw_status status = fw_json_parse((const char *)data, size, "input", &document, &diagnostics);
  if (status == FW_OK) {
    fw_job_model job;
    status = fw_job_model_decode(document, &job, &diagnostics);
    if (status == FW_OK) check_model(&job);
    fw_job_model_clear(&job);
  }
  require((status == FW_OK) == (diagnostics.error_count == 0));
  fw_json_free(document);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}
