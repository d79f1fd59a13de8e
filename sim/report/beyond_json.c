/* Beyond the study for machines: JSON of everything, CSV of the rates over oversubscription. */
#include "sim/report/json_out.h"
#include "sim/report/report.h"

static const char *const start_names[] = {
    [FW_START_ALIGNED] = "aligned", [FW_START_RANDOM] = "random", [FW_START_STAGGERED] = "staggered"};

static void add_rates(fwi_json_out *out, const char *key, const fw_scenario *scenario, const fw_estimate *rates) {
  char window[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(out, key, '{');
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_json_estimate(&object, fwi_json_window_key(scenario->windows[w], window), rates[w]);
  }
  fwi_json_close(&object, '}');
}

static void add_figures(fwi_json_out *out, const fw_scenario *scenario, const fw_beyond_figures *figures) {
  fwi_json_estimate(out, "tokens", figures->tokens);
  fwi_json_estimate(out, "wh_per_1k_tokens", figures->wh_per_1k_tokens);
  fwi_json_estimate(out, "mean_w", figures->mean_w);
  add_rates(out, "violation_rate", scenario, figures->rate);
}

static void add_kind(fwi_json_out *out, fw_beyond_kind kind) {
  fwi_json_string(out, "kind", fw_beyond_kind_names[kind]);
}

static void add_levels(fwi_json_out *out, const fw_beyond_levels *levels) {
  fwi_json_out list = fwi_json_open(out, "levels", '[');
  for (size_t i = 0; i < levels->arm_count; i++) {
    const fw_beyond_level *arm = &levels->arms[i];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "arm", arm->name);
    add_kind(&object, FW_BEYOND_PREDICTED);
    fwi_json_number(&object, "share", arm->share);
    add_figures(&object, levels->scenario, &arm->figures);
    fwi_json_bool(&object, "allowed", arm->allowed);
    fwi_json_bool(&object, "best", i == levels->best_static || i == levels->best_mix);
    fwi_json_string(&object, "published_arm", fw_beyond_verdict_names[arm->verdict]);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void add_sensor(fwi_json_out *out, const fw_beyond_sensor *sensor) {
  fwi_json_out list = fwi_json_open(out, "sensor", '[');
  for (size_t i = 0; i < sensor->row_count; i++) {
    const fw_beyond_sensor_row *row = &sensor->rows[i];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "arm", sensor->scenario->policies[row->arm].name);
    add_kind(&object, FW_BEYOND_ASSUMPTION);
    fwi_json_string(&object, "setting", row->setting.name);
    fwi_json_number(&object, "path_sigma_w", row->setting.path_sigma_w);
    fwi_json_number(&object, "path_memory_s", row->setting.path_memory_s);
    fwi_json_number(&object, "observed_s", row->setting.observed_s);
    fwi_json_number(&object, "gain_sigma", row->setting.gain_sigma);
    fwi_json_number(&object, "gain", row->setting.gain);
    add_rates(&object, "violation_rate", sensor->scenario, sensor->truth[row->arm].rate);
    add_rates(&object, "violation_rate_sensed", sensor->scenario, row->read);
    add_rates(&object, "sensed_less_truth", sensor->scenario, row->less);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void add_caps(fwi_json_out *out, const fw_beyond_caps *caps) {
  fwi_json_out list = fwi_json_open(out, "caps", '[');
  for (size_t i = 0; i < caps->arm_count; i++) {
    const fw_beyond_cap *arm = &caps->arms[i];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "arm", arm->name);
    add_kind(&object, arm->kind);
    add_figures(&object, caps->scenario, &arm->figures);
    fwi_json_estimate(&object, "worst_tokens", arm->worst_tokens);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void add_ratios(fwi_json_out *out, const fw_beyond_ratios *ratios) {
  fwi_json_out list = fwi_json_open(out, "oversubscription", '[');
  for (size_t i = 0; i < ratios->point_count; i++) {
    const fw_beyond_ratio *point = &ratios->points[i];
    const fw_scenario_budget *budget = &ratios->scenario->budgets[point->budget];
    const fw_scenario_policy *policy = &ratios->scenario->policies[point->policy];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "policy", policy->name);
    add_kind(&object, fw_beyond_kind_of(policy));
    fwi_json_number(&object, "hours", fw_time_to_seconds(point->duration) / 3600.0);
    fwi_json_number(&object, "oversubscription", budget->oversubscription);
    fwi_json_number(&object, "budget_w", fw_power_to_watts(budget->power));
    fwi_json_unsigned(&object, "seeds", point->seeds);
    add_figures(&object, ratios->scenario, &point->figures);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

/* A list of {"from_s", "to_s", mean, lo, hi}. */
static void add_stretches(fwi_json_out *out, const char *key, const fw_beyond_stretch *stretches,
                          const fw_estimate *values, size_t count) {
  fwi_json_out list = fwi_json_open(out, key, '[');
  for (size_t s = 0; s < count; s++) {
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_number(&object, "from_s", fw_time_to_seconds(stretches[s].from));
    fwi_json_number(&object, "to_s", fw_time_to_seconds(stretches[s].to));
    fwi_json_number(&object, "mean", values[s].mean);
    fwi_json_number(&object, "lo", values[s].lo);
    fwi_json_number(&object, "hi", values[s].hi);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void add_starts(fwi_json_out *out, const fw_beyond_starts *starts) {
  fwi_json_out list = fwi_json_open(out, "starts", '[');
  for (size_t i = 0; i < starts->arm_count; i++) {
    const fw_beyond_start *arm = &starts->arms[i];
    const fw_scenario_policy *policy = &starts->scenario->policies[arm->policy];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "start", start_names[arm->start]);
    fwi_json_string(&object, "policy", policy->name);
    add_kind(&object, fw_beyond_kind_of(policy));
    add_figures(&object, starts->scenario, &arm->figures);
    add_stretches(&object, "peak_w", fw_beyond_peak_stretches, arm->peak_w, FW_BEYOND_PEAK_STRETCHES);
    fwi_json_out classes = fwi_json_open(&object, "coherence", '{');
    for (size_t c = 0; c < starts->class_count; c++) {
      add_stretches(&classes, starts->classes[c], fw_beyond_stretches, arm->coherence[c], FW_BEYOND_STRETCHES);
    }
    fwi_json_close(&classes, '}');
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

void fw_report_beyond_json(const fw_beyond_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "beyond");
  fwi_json_warnings(&object, diagnostics);
  add_levels(&object, &result->levels);
  add_sensor(&object, &result->sensor);
  add_caps(&object, &result->caps);
  add_ratios(&object, &result->ratios);
  add_starts(&object, &result->starts);
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

static void add_number(fw_text *out, double value) {
  fw_text_add(out, ",");
  fw_text_add_number(out, value, 6);
}

static void add_csv_row(const fw_beyond_ratios *ratios, const fw_beyond_ratio *point, size_t window, fw_text *out) {
  const fw_scenario *scenario = ratios->scenario;
  const fw_scenario_budget *budget = &scenario->budgets[point->budget];
  const fw_estimate rate = point->figures.rate[window];
  fw_text_add(out, scenario->policies[point->policy].name);
  add_number(out, fw_time_to_seconds(point->duration) / 3600.0);
  add_number(out, fw_time_to_seconds(scenario->windows[window]));
  add_number(out, budget->oversubscription);
  add_number(out, fw_power_to_watts(budget->power));
  fw_text_add_format(out, ",%zu", point->seeds);
  add_number(out, rate.mean);
  add_number(out, rate.lo);
  add_number(out, rate.hi);
  fw_text_add(out, "\n");
}

void fw_report_beyond_csv(const fw_beyond_ratios *ratios, fw_text *out) {
  fw_text_add(out, "policy,hours,window_s,oversubscription,budget_w,seeds,violation_rate,lo,hi\n");
  for (size_t w = 0; w < ratios->scenario->window_count; w++) {
    for (size_t i = 0; i < ratios->point_count; i++) {
      add_csv_row(ratios, &ratios->points[i], w, out);
    }
  }
}
