/* A plan as a page: the answers in one table, how to read them below, and the ratios that were run as CSV. */
#include <math.h>

#include "sim/report/figure.h"
#include "sim/report/notes.h"
#include "sim/report/page.h"
#include "sim/report/report.h"

#define SECONDS_PER_DAY 86400.0
#define DAYS_PER_YEAR 365.25
#define PERCENT 100.0

/* ---- Cells ---- */

/* Days that one run measures. */
static double measured_days(const fw_scenario *scenario) {
  return fw_time_to_seconds(scenario->duration - scenario->warmup) / SECONDS_PER_DAY;
}

static double metric_of(const fw_plan_point *point, fw_metric metric, size_t window) {
  return point->metrics[fw_metric_slot(metric, window)].mean;
}

static void add_number(fwi_table *table, double value, int digits) {
  char text[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", isnan(value) ? "n/a" : fw_number_format(value, digits, text));
}

static double risk_scale(const fw_plan_result *result) {
  return result->options.risk == FW_PLAN_TIME_SHARE ? PERCENT : 1.0;
}

static void add_risk(fwi_table *table, const fw_plan_result *result, const fw_plan_point *point) {
  char mean[FW_NUMBER_TEXT_SIZE];
  char most[FW_NUMBER_TEXT_SIZE];
  const double scale = risk_scale(result);
  fwi_table_add(table, "%s (< %s)", fw_number_format(scale * point->risk.mean, 3, mean),
                fw_number_format(scale * point->risk.hi, 3, most));
}

static void add_ratio(fwi_table *table, const fw_plan_answer *answer, size_t index) {
  if (index == FW_NO_POINT) {
    fwi_table_add(table, "none");
  } else {
    add_number(table, answer->points[index].oversubscription, 4);
  }
}

/* The breaker's margin and trips, with the interval over what it may be. */
static void add_breaker(fwi_table *table, const fw_plan_result *result, const fw_plan_point *point) {
  const double per_year = DAYS_PER_YEAR / measured_days(result->scenario);
  char text[3][FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s (%s to %s)",
                fwi_figure_fixed(PERCENT * (1.0 - metric_of(point, FW_METRIC_BREAKER_USE, 0)), 1, text[0]),
                fwi_figure_fixed(PERCENT * (1.0 - metric_of(point, FW_METRIC_BREAKER_USE_EARLIEST, 0)), 1, text[1]),
                fwi_figure_fixed(PERCENT * (1.0 - metric_of(point, FW_METRIC_BREAKER_USE_LATEST, 0)), 1, text[2]));
  fwi_table_add(table, "%s (%s to %s)", fw_number_format(per_year * metric_of(point, FW_METRIC_TRIPS, 0), 3, text[0]),
                fw_number_format(per_year * metric_of(point, FW_METRIC_TRIPS_LATEST, 0), 3, text[1]),
                fw_number_format(per_year * metric_of(point, FW_METRIC_TRIPS_EARLIEST, 0), 3, text[2]));
}

static const char *status_of(const fw_plan_answer *answer) {
  if (answer->falls) {
    return "risk falls";
  }
  return answer->decided ? "decided" : "undecided";
}

/* ---- The answers ---- */

static void add_head(fwi_table *table, const fw_plan_result *result) {
  fwi_table_add(table, "policy");
  fwi_table_add(table, "window, s");
  fwi_table_add(table, "ratio");
  fwi_table_add(table, "fails at");
  fwi_table_add(table, "answer");
  fwi_table_add(table, "GPUs");
  fwi_table_add(table, "budget, W");
  fwi_table_add(table, result->options.risk == FW_PLAN_TIME_SHARE ? "risk, %%" : "risk");
  fwi_table_add(table, "M tokens/day");
  fwi_table_add(table, "kWh/day");
  fwi_table_add(table, "cost/day");
  fwi_table_add(table, "breaker margin, %%");
  fwi_table_add(table, "trips/year");
  fwi_table_add(table, "runs");
}

static void add_point_cells(fwi_table *table, const fw_plan_result *result, const fw_plan_point *point) {
  const double days = measured_days(result->scenario);
  fwi_table_add(table, "%zu", point->gpus);
  add_number(table, fw_power_to_watts(point->budget), 6);
  add_risk(table, result, point);
  add_number(table, metric_of(point, FW_METRIC_TOKENS, 0) / days / 1e6, 5);
  add_number(table, metric_of(point, FW_METRIC_ENERGY_WH, 0) / days / 1000.0, 5);
  add_number(table, metric_of(point, FW_METRIC_COST, 0) / days, 4);
  add_breaker(table, result, point);
  fwi_table_add(table, "%zu", point->runs);
}

#define POINT_CELLS 9

static void add_answers(fwi_page *page, const fw_plan_result *result) {
  const fw_scenario *scenario = result->scenario;
  char text[FW_UNITS_TEXT_SIZE];
  fwi_table table = fwi_table_start(5 + POINT_CELLS);
  add_head(&table, result);
  for (size_t i = 0; i < result->answer_count; i++) {
    const fw_plan_answer *answer = &result->answers[i];
    const bool trips = result->options.risk == FW_PLAN_TRIPS_PER_YEAR;
    fwi_table_add(&table, "%s", scenario->policies[answer->policy].name);
    fwi_table_add(&table, "%s", trips ? "any" : fw_time_format(scenario->windows[answer->window], text));
    add_ratio(&table, answer, answer->meets);
    add_ratio(&table, answer, answer->fails);
    fwi_table_add(&table, "%s", status_of(answer));
    if (answer->meets != FW_NO_POINT) {
      add_point_cells(&table, result, &answer->points[answer->meets]);
    }
    for (size_t cell = 0; answer->meets == FW_NO_POINT && cell < POINT_CELLS; cell++) {
      fwi_table_add(&table, "n/a");
    }
  }
  fwi_page_table(page, &table);
}

/* ---- What they mean ---- */

static void add_question(fwi_page *page, const fw_plan_result *result) {
  const fw_plan_options *options = &result->options;
  char text[5][FW_NUMBER_TEXT_SIZE];
  const bool share = options->risk == FW_PLAN_TIME_SHARE;
  fwi_page_heading(page, 1, "How far %s can be oversubscribed", result->scenario->name);
  fwi_page_paragraph(page,
                     "The largest ratio of nameplate to budget from %s to %s, in steps of %s, at which the risk (%s) "
                     "is below %s%s%s. %s.",
                     fw_number_format(options->from, 4, text[0]), fw_number_format(options->to, 4, text[1]),
                     fw_number_format(options->step, 4, text[2]), fw_plan_risk_names[options->risk],
                     fw_number_format(risk_scale(result) * options->limit, 4, text[3]), share ? " %" : "",
                     isnan(options->most_loss) ? "" : ", and few tokens are lost to the policy",
                     options->axis == FW_PLAN_BUDGET ? "The fleet stays, its feed shrinks"
                                                     : "The feed stays, the fleet grows in its own proportions");
  if (!isnan(options->most_loss)) {
    fwi_page_paragraph(page, "At most %s %% of the uncontrolled fleet's tokens may be lost.",
                       fw_number_format(PERCENT * options->most_loss, 4, text[4]));
  }
}

static bool is_undecided(const fw_plan_result *result) {
  for (size_t i = 0; i < result->answer_count; i++) {
    if (!result->answers[i].decided) {
      return true;
    }
  }
  return false;
}

/* What an open answer may be for want of. */
static void add_clean_runs(fwi_page *page, const fw_plan_result *result) {
  char text[FW_NUMBER_TEXT_SIZE];
  if (is_undecided(result)) {
    fwi_page_paragraph(page,
                       "At a ratio where no run sees an event, %s runs show that the limit is met (--runs; longer runs "
                       "for episodes and trips); fewer leave it undecided.",
                       fw_number_format(result->clean_runs, 9, text));
  }
}

static void add_reading(fwi_page *page, const fw_plan_result *result) {
  const fw_electrical *electrical = &result->scenario->electrical;
  char text[3][FW_NUMBER_TEXT_SIZE];
  fwi_page_paragraph(
      page,
      "decided: \"ratio\" meets the limit and \"fails at\", the next step, does not; both hold together with 95 %% "
      "confidence for each row, however many runs it took. undecided: the answer lies between the two; more runs "
      "(--runs) narrow it. risk: mean and the upper end of its interval. Breaker margin and trips: as the breakers "
      "are believed to be, and over the range of what they may be.");
  (void)fw_number_format(fw_electrical_rating(electrical, FW_DOMAIN_SITE).all, 4, text[0]);
  if (fw_electrical_opens(electrical)) {
    fwi_page_paragraph(page,
                       "Breakers carry %s of the budget at their rating. Those that trip as they are believed to take "
                       "the power: tokens and energy are what is left, and jobs that restart together may trip again.",
                       text[0]);
  } else {
    fwi_page_paragraph(
        page,
        "Breakers carry %s of the budget at their rating%s. A trip costs the tokens of %s s: the outage, and half a "
        "step of every job. It is not simulated: jobs that restart together may trip again.",
        text[0], result->breaker_assumed ? " (assumed: the scenario gives none)" : "",
        fw_number_format(result->trip_loss_s, 4, text[1]));
  }
  if (electrical->supply.pue_ppm != FW_MILLION) {
    fwi_page_paragraph(page, "Power and energy are IT; cost is of the facility's energy, %s times as much.",
                       fw_number_format((double)electrical->supply.pue_ppm / (double)FW_MILLION, 7, text[2]));
  }
}

static void add_falls(fwi_page *page, const fw_plan_result *result) {
  char text[2][FW_NUMBER_TEXT_SIZE];
  for (size_t i = 0; i < result->answer_count; i++) {
    const fw_plan_answer *answer = &result->answers[i];
    if (answer->falls && answer->falls_from + 1 < answer->point_count) {
      fwi_page_paragraph(
          page,
          "%s: the risk falls from ratio %s to %s, so larger ratios than the answer may meet the limit too; the "
          "answer is below the first that looks worse.",
          result->scenario->policies[answer->policy].name,
          fw_number_format(answer->points[answer->falls_from].oversubscription, 4, text[0]),
          fw_number_format(answer->points[answer->falls_from + 1].oversubscription, 4, text[1]));
    }
  }
}

static void add_page(const fw_plan_result *result, bool markdown, fw_text *out) {
  fwi_page page = fwi_page_start(out, markdown);
  add_question(&page, result);
  add_answers(&page, result);
  add_falls(&page, result);
  add_clean_runs(&page, result);
  add_reading(&page, result);
}

void fw_report_plan_text(const fw_plan_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  add_page(result, false, out);
  fwi_notes_add(diagnostics, out);
}

void fw_report_plan_markdown(const fw_plan_result *result, fw_text *out) {
  add_page(result, true, out);
}

/* ---- The surface ---- */

static void add_csv_number(fw_text *out, double value) {
  fw_text_add(out, ",");
  if (isfinite(value)) {
    fw_text_add_number(out, value, 9);
  }
}

static void add_csv_row(const fw_plan_result *result, const fw_plan_answer *answer, const fw_plan_point *point,
                        fw_text *out) {
  static const fw_metric metrics[] = {FW_METRIC_TOKENS,
                                      FW_METRIC_ENERGY_WH,
                                      FW_METRIC_COST,
                                      FW_METRIC_BREAKER_USE,
                                      FW_METRIC_BREAKER_USE_EARLIEST,
                                      FW_METRIC_BREAKER_USE_LATEST,
                                      FW_METRIC_TRIPS};
  const fw_scenario *scenario = result->scenario;
  char text[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out, "%s,%s", scenario->policies[answer->policy].name,
                     fw_time_format(scenario->windows[answer->window], text));
  add_csv_number(out, point->oversubscription);
  add_csv_number(out, fw_power_to_watts(point->budget));
  fw_text_add_format(out, ",%zu,%s,%zu", point->gpus, fw_point_state_names[point->state], point->runs);
  add_csv_number(out, point->risk.mean);
  add_csv_number(out, point->risk.lo);
  add_csv_number(out, point->risk.hi);
  add_csv_number(out, point->loss.mean);
  for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
    add_csv_number(out, metric_of(point, metrics[i], 0));
  }
  add_csv_number(out, metric_of(point, FW_METRIC_PEAK_W, answer->window));
  fw_text_add(out, "\n");
}

void fw_report_plan_csv(const fw_plan_result *result, fw_text *out) {
  fw_text_add(out, "policy,window_s,oversubscription,budget_w,gpus,state,runs,risk,risk_lo,risk_hi,token_loss,tokens,"
                   "energy_wh,cost,breaker_use,breaker_use_earliest,breaker_use_latest,trips,peak_w\n");
  for (size_t i = 0; i < result->answer_count; i++) {
    const fw_plan_answer *answer = &result->answers[i];
    for (size_t p = 0; p < answer->point_count; p++) {
      add_csv_row(result, answer, &answer->points[p], out);
    }
  }
}
