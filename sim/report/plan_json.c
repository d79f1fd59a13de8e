/* The JSON of a plan (docs/planning.md). */
#include <math.h>

#include "sim/report/json_out.h"
#include "sim/report/report.h"

static void add_metrics(fwi_json_out *point, const fw_plan_result *result, const fw_plan_answer *answer,
                        const fw_plan_point *from) {
  fwi_json_out object = fwi_json_open(point, "metrics", '{');
  for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
    const fw_metric_info *info = &fw_metric_table[m];
    const bool without_window = result->options.risk == FW_PLAN_TRIPS_PER_YEAR && info->windowed;
    const fw_estimate *metric = &from->metrics[fw_metric_slot((fw_metric)m, info->windowed ? answer->window : 0)];
    if (!without_window && !(info->rare && isnan(metric->mean))) {
      fwi_json_estimate(&object, info->name, *metric);
    }
  }
  fwi_json_close(&object, '}');
}

static void add_point(fwi_json_out *list, const fw_plan_result *result, const fw_plan_answer *answer,
                      const fw_plan_point *point) {
  const fw_rating rating = fw_electrical_rating(&result->scenario->electrical, FW_DOMAIN_SITE);
  const double tokens = point->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].mean;
  const double measured_s = fw_time_to_seconds(result->scenario->duration - result->scenario->warmup);
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_number(&object, "oversubscription", point->oversubscription);
  fwi_json_number(&object, "budget_w", fw_power_to_watts(point->budget));
  fwi_json_number(&object, "rating_w", rating.all * fw_power_to_watts(point->budget));
  fwi_json_unsigned(&object, "gpus", point->gpus);
  fwi_json_string(&object, "state", fw_point_state_names[point->state]);
  fwi_json_unsigned(&object, "runs", point->runs);
  fwi_json_estimate(&object, "risk", point->risk);
  if (!isnan(result->options.most_loss)) {
    fwi_json_estimate(&object, "token_loss", point->loss);
  }
  fwi_json_number(&object, "tokens_lost_per_trip", tokens / measured_s * result->trip_loss_s);
  add_metrics(&object, result, answer, point);
  fwi_json_close(&object, '}');
}

static void add_ratio(fwi_json_out *object, const char *key, const fw_plan_answer *answer, size_t index) {
  fwi_json_number(object, key, index == FW_NO_POINT ? (double)NAN : answer->points[index].oversubscription);
}

static void add_answer(fwi_json_out *list, const fw_plan_result *result, const fw_plan_answer *answer) {
  const bool trips = result->options.risk == FW_PLAN_TRIPS_PER_YEAR;
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "policy", result->scenario->policies[answer->policy].name);
  fwi_json_number(&object, "window_s",
                  trips ? (double)NAN : fw_time_to_seconds(result->scenario->windows[answer->window]));
  fwi_json_bool(&object, "decided", answer->decided);
  add_ratio(&object, "meets", answer, answer->meets);
  add_ratio(&object, "fails", answer, answer->fails);
  if (answer->meets != FW_NO_POINT) {
    fwi_json_unsigned(&object, "gpus", answer->points[answer->meets].gpus);
  }
  fwi_json_bool(&object, "risk_rises", !answer->falls);
  fwi_json_out points = fwi_json_open(&object, "points", '[');
  for (size_t i = 0; i < answer->point_count; i++) {
    add_point(&points, result, answer, &answer->points[i]);
  }
  fwi_json_close(&points, ']');
  fwi_json_close(&object, '}');
}

void fw_report_plan_json(const fw_plan_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  const fw_plan_options *options = &result->options;
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "plan");
  fwi_json_string(&object, "scenario", scenario->name);
  fwi_json_string(&object, "scenario_hash", scenario->hash);
  fwi_json_unsigned(&object, "seed", scenario->seed);
  fwi_json_number(&object, "hours", fw_time_to_seconds(scenario->duration) / 3600.0);
  fwi_json_number(&object, "nameplate_w", fw_power_to_watts(scenario->nameplate));
  fwi_json_string(&object, "risk", fw_plan_risk_names[options->risk]);
  fwi_json_number(&object, "limit", options->limit);
  fwi_json_number(&object, "max_token_loss", options->most_loss);
  fwi_json_string(&object, "varied", fw_plan_axis_names[options->axis]);
  fwi_json_number(&object, "from", options->from);
  fwi_json_number(&object, "to", options->to);
  fwi_json_number(&object, "step", options->step);
  fwi_json_number(&object, "confidence", 0.95);
  fwi_json_bool(&object, "breaker_assumed", result->breaker_assumed);
  fwi_json_number(&object, "trip_costs_s", result->trip_loss_s);
  fwi_json_number(&object, "clean_runs", result->clean_runs);
  fwi_json_unsigned(&object, "runs", result->runs);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out answers = fwi_json_open(&object, "answers", '[');
  for (size_t i = 0; i < result->answer_count; i++) {
    add_answer(&answers, result, &result->answers[i]);
  }
  fwi_json_close(&answers, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}
