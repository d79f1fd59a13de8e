/* How far what the sensor shows may lie from what is true, over what can be assumed of the sensor.
 *
 * All arms are blind to power, so truth is the same under every setting and each setting's readings are compared with
 * it seed by seed. A gain g that all boards share needs no run of its own kind: readings g times as large against a
 * budget are the readings against the budget divided by g. */
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/reproduce/beyond.h"

/* What a board updates its reading after, of which it sees a part (arXiv:2312.02741). */
#define UPDATE_S 0.1

/* Ranges around the file's own assumption. A deviation of 30 W is more than the study leaves room for: the errors of
 * four boards then add up to some 58 W, and all that its readings show at 0.5 s is 40 W (docs/parameters.md). */
static const fw_beyond_sensor_setting variations[] = {
    {.name = "path sigma 0 W", .path_sigma_w = 0.0},
    {.name = "path sigma 10 W", .path_sigma_w = 10.0},
    {.name = "path sigma 20 W", .path_sigma_w = 20.0},
    {.name = "path sigma 30 W", .path_sigma_w = 30.0},
    {.name = "30 W, memory 10 ms", .path_sigma_w = 30.0, .path_memory_s = 0.01},
    {.name = "30 W, memory 250 ms", .path_sigma_w = 30.0, .path_memory_s = 0.25},
    {.name = "30 W, 50 % observed", .path_sigma_w = 30.0, .observed_s = 0.5 * UPDATE_S},
    {.name = "30 W, 100 % observed", .path_sigma_w = 30.0, .observed_s = UPDATE_S},
    {.name = "gain -5 %", .gain = 0.95},
    {.name = "gain +5 %", .gain = 1.05},
    {.name = "gain 5 % from board to board", .gain_sigma = 0.05},
};
#define VARIATIONS (sizeof variations / sizeof variations[0])

typedef struct sensor_study {
  const fw_beyond_options *options;
  fw_beyond_sensor *out;
  fwi_samples truth;
  double *seen; /* scratch, one for each seed */
  double *true_rate;
} sensor_study;

static fw_beyond_sensor_setting own_setting(const fw_sensor *sensor) {
  return (fw_beyond_sensor_setting){.name = "as assumed",
                                    .path_sigma_w = sensor->path_sigma_w,
                                    .path_memory_s = sensor->path_memory_s,
                                    .observed_s = sensor->observed_s,
                                    .gain_sigma = sensor->gain_sigma,
                                    .gain = 1.0};
}

/* The file's own with what the variation names. A sigma of 0 is said by its name alone, being the first. */
static fw_beyond_sensor_setting varied(const fw_beyond_sensor_setting *own, size_t index) {
  const fw_beyond_sensor_setting *by = &variations[index];
  fw_beyond_sensor_setting setting = *own;
  setting.name = by->name;
  setting.path_sigma_w = by->path_sigma_w > 0.0 || index == 0 ? by->path_sigma_w : own->path_sigma_w;
  setting.path_memory_s = by->path_memory_s > 0.0 ? by->path_memory_s : own->path_memory_s;
  setting.observed_s = by->observed_s > 0.0 ? by->observed_s : own->observed_s;
  setting.gain_sigma = by->gain_sigma > 0.0 ? by->gain_sigma : own->gain_sigma;
  setting.gain = by->gain > 0.0 ? by->gain : own->gain;
  return setting;
}

static fw_status take(const sensor_study *work, const fw_beyond_sensor_setting *setting, fwi_samples *out,
                      fw_diagnostics *diagnostics) {
  fw_scenario scenario = *work->out->scenario;
  fw_scenario_budget budget = scenario.budgets[0];
  scenario.gpu.sensor.path_sigma_w = setting->path_sigma_w;
  scenario.gpu.sensor.path_memory_s = setting->path_memory_s;
  scenario.gpu.sensor.observed_s = setting->observed_s;
  scenario.gpu.sensor.gain_sigma = setting->gain_sigma;
  (void)fw_power_from_watts(fw_power_to_watts(budget.power) / setting->gain, &budget.power);
  scenario.budgets = &budget;
  scenario.budget_count = 1;
  return fwi_samples_take(&scenario, scenario.seed, scenario.seeds, &work->options->study, out, diagnostics);
}

static void compare(const sensor_study *work, const fwi_samples *samples, fw_beyond_sensor_row *row) {
  for (size_t w = 0; w < work->out->scenario->window_count; w++) {
    for (size_t seed = 0; seed < samples->seeds; seed++) {
      work->seen[seed] = fwi_sample(samples, seed, row->arm, fw_metric_slot(FW_METRIC_VIOLATION_RATE_SENSED, w));
      work->true_rate[seed] = fwi_sample(&work->truth, seed, row->arm, fw_metric_slot(FW_METRIC_VIOLATION_RATE, w));
    }
    row->read[w] = fw_estimate_rate(work->seen, samples->seeds);
    row->less[w] = fw_estimate_paired(work->seen, work->true_rate, samples->seeds).difference;
  }
}

static fw_status run_setting(const sensor_study *work, const fw_beyond_sensor_setting *setting,
                             fw_diagnostics *diagnostics) {
  fwi_samples samples = {0};
  const fw_status status = take(work, setting, &samples, diagnostics);
  for (size_t arm = 0; status == FW_OK && arm < work->out->scenario->policy_count; arm++) {
    fw_beyond_sensor_row *row = &work->out->rows[work->out->row_count++];
    *row = (fw_beyond_sensor_row){.setting = *setting, .arm = arm};
    compare(work, &samples, row);
  }
  fwi_samples_free(&samples);
  return status;
}

static fw_status take_truth(sensor_study *work, const fw_beyond_sensor_setting *own, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = work->out->scenario;
  fw_status status = take(work, own, &work->truth, diagnostics);
  for (size_t arm = 0; status == FW_OK && arm < scenario->policy_count; arm++) {
    status = fwi_beyond_figures(&work->truth, scenario, arm, &work->out->truth[arm], diagnostics);
  }
  return status;
}

static fw_status run_all(sensor_study *work, fw_diagnostics *diagnostics) {
  fw_beyond_sensor *out = work->out;
  const size_t arms = out->scenario->policy_count;
  const fw_beyond_sensor_setting own = own_setting(&out->scenario->gpu.sensor);
  work->seen = fw_allocate(out->scenario->seeds, sizeof *work->seen);
  work->true_rate = fw_allocate(out->scenario->seeds, sizeof *work->true_rate);
  out->truth = fw_allocate(arms, sizeof *out->truth);
  out->rows = fw_allocate(arms, (VARIATIONS + 1) * sizeof *out->rows);
  if (work->seen == NULL || work->true_rate == NULL || out->truth == NULL || out->rows == NULL) {
    return fw_error_memory(diagnostics, "a study of the sensor");
  }
  fw_status status = take_truth(work, &own, diagnostics);
  status = status != FW_OK ? status : run_setting(work, &own, diagnostics);
  for (size_t i = 0; status == FW_OK && i < VARIATIONS; i++) {
    const fw_beyond_sensor_setting setting = varied(&own, i);
    status = run_setting(work, &setting, diagnostics);
  }
  return status;
}

void fw_beyond_sensor_clear(fw_beyond_sensor *sensor) {
  free(sensor->truth);
  free(sensor->rows);
  fw_scenario_free(sensor->scenario);
  *sensor = (fw_beyond_sensor){0};
}

fw_status fw_beyond_sensor_run(const fw_beyond_options *options, fw_beyond_sensor *out, fw_diagnostics *diagnostics) {
  sensor_study work = {.options = options, .out = out};
  *out = (fw_beyond_sensor){0};
  fw_status status = fwi_beyond_read(options, "beyond-sensor.json", &out->scenario, diagnostics);
  status = status != FW_OK ? status : run_all(&work, diagnostics);
  fwi_samples_free(&work.truth);
  free(work.seen);
  free(work.true_rate);
  if (status != FW_OK) {
    fw_beyond_sensor_clear(out);
  }
  return status;
}
