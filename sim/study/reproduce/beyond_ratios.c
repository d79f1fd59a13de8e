/* The fleet's violation rate over oversubscription, over the study's 20 minutes and over a day.
 *
 * An arm that ignores budgets runs once for all of them (compare.h), which buys it more seeds, and with them tighter
 * bounds where nothing was ever above. */
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/arms.h"
#include "sim/study/compare.h"
#include "sim/study/reproduce/beyond.h"

#define DAY (24 * 3600 * FW_NS_PER_S)
#define DAY_SEED_SHARE ((size_t)25) /* a day costs as much as 72 of the study's runs */
#define FEWEST_SEEDS ((size_t)2)    /* for an interval */
#define BLIND_SEEDS ((size_t)8)     /* times as many for arms that ignore budgets */

typedef struct ratio_study {
  const fw_beyond_options *options;
  fw_beyond_ratios *out;
} ratio_study;

static fw_beyond_figures figures_of(const fw_scenario *scenario, const fw_compare_arm *arm) {
  fw_beyond_figures figures = {
      .tokens = arm->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)],
      .wh_per_1k_tokens = arm->metrics[fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0)],
      .mean_w = arm->metrics[fw_metric_slot(FW_METRIC_MEAN_W, 0)],
  };
  for (size_t w = 0; w < scenario->window_count; w++) {
    figures.rate[w] = arm->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, w)];
  }
  return figures;
}

static size_t seeds_for(const fw_scenario *scenario, fw_time_ns duration, size_t policy) {
  const bool blind = fwi_serves_all_budgets(scenario, policy);
  const size_t share = scenario->seeds / DAY_SEED_SHARE;
  const size_t seeds = duration < DAY ? scenario->seeds : (share > FEWEST_SEEDS ? share : FEWEST_SEEDS);
  return blind ? BLIND_SEEDS * seeds : seeds;
}

static fw_status take_curve(const ratio_study *study, fw_time_ns duration, size_t policy, fw_beyond_ratio *points,
                            fw_diagnostics *diagnostics) {
  fw_scenario scenario = *study->out->scenario;
  fw_compare_result result = {0};
  scenario.policies += policy;
  scenario.policy_count = 1;
  scenario.duration = duration;
  scenario.seeds = seeds_for(study->out->scenario, duration, policy);
  const fw_status status = fw_compare(&scenario, &study->options->study, &result, diagnostics);
  for (size_t b = 0; status == FW_OK && b < scenario.budget_count; b++) {
    points[b] = (fw_beyond_ratio){.duration = duration,
                                  .policy = policy,
                                  .budget = b,
                                  .seeds = scenario.seeds,
                                  .figures = figures_of(&scenario, &result.arms[b])};
  }
  fw_compare_clear(&result);
  return status;
}

static fw_status run_all(const ratio_study *study, fw_diagnostics *diagnostics) {
  fw_beyond_ratios *out = study->out;
  const fw_scenario *scenario = out->scenario;
  const fw_time_ns durations[] = {scenario->duration, DAY};
  const size_t curves = sizeof durations / sizeof durations[0] * scenario->policy_count;
  out->points = fw_allocate(curves, scenario->budget_count * sizeof *out->points);
  if (out->points == NULL) {
    return fw_error_memory(diagnostics, "the points of a curve");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < curves; i++) {
    status = take_curve(study, durations[i / scenario->policy_count], i % scenario->policy_count,
                        &out->points[out->point_count], diagnostics);
    out->point_count += scenario->budget_count;
  }
  return status;
}

void fw_beyond_ratios_clear(fw_beyond_ratios *ratios) {
  free(ratios->points);
  fw_scenario_free(ratios->scenario);
  *ratios = (fw_beyond_ratios){0};
}

fw_status fw_beyond_ratios_run(const fw_beyond_options *options, fw_beyond_ratios *out, fw_diagnostics *diagnostics) {
  const ratio_study study = {.options = options, .out = out};
  *out = (fw_beyond_ratios){0};
  fw_status status = fwi_beyond_read(options, "beyond-fleet16.json", &out->scenario, diagnostics);
  status = status != FW_OK ? status : run_all(&study, diagnostics);
  if (status != FW_OK) {
    fw_beyond_ratios_clear(out);
  }
  return status;
}
