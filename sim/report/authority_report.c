/* What each actuator can do, as text and as JSON (docs/authority.md). */
#include "sim/report/json_out.h"
#include "sim/report/notes.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* So many settings are listed one by one. */
#define LISTED_SETTINGS ((size_t)6)

/* ---- Text ---- */

/* "1, 2, 4, 8", or "1, 2, 4, 8 .. 512" where there are too many. */
static void add_settings(fwi_table *table, const fw_authority_row *row) {
  const bool cut = row->setting_count > LISTED_SETTINGS;
  const size_t listed = cut ? LISTED_SETTINGS - 1 : row->setting_count;
  char number[FW_NUMBER_TEXT_SIZE];
  fw_text list = FW_TEXT_INIT;
  for (size_t i = 0; i < listed; i++) {
    fw_text_add_format(&list, "%s%s", i > 0 ? ", " : "", fw_number_format(row->settings[i].value, 6, number));
  }
  if (cut) {
    const double last = row->settings[row->setting_count - 1].value;
    fw_text_add_format(&list, " .. %s", fw_number_format(last, 6, number));
  }
  table->failed = table->failed || list.failed;
  fwi_table_add(table, "%s", list.failed ? "" : list.data);
  fw_text_clear(&list);
}

static void add_row(fwi_table *table, const fw_authority_result *result, const fw_authority_row *row) {
  const fw_authority_setting *ends[] = {&row->settings[0], &row->settings[row->setting_count - 1]};
  fwi_table_add(table, "%s", result->scenario->jobs[row->job].job_class);
  fwi_table_add(table, "%s", fw_actuator_names[row->actuator]);
  add_settings(table, row);
  fwi_table_add_estimate(table, row->mean_swing, 100.0, 3);
  fwi_table_add_estimate(table, row->peak_swing, 100.0, 3);
  fwi_table_add_estimate(table, row->throughput_ratio, 1.0, 3);
  fwi_table_add_estimate(table, ends[0]->figures[FW_AUTHORITY_WH_PER_1K_TOKENS], 1.0, 4);
  fwi_table_add_estimate(table, ends[1]->figures[FW_AUTHORITY_WH_PER_1K_TOKENS], 1.0, 4);
  fwi_table_add(table, "%s", fw_authority_verdict_names[row->verdict]);
}

static void add_title(const fw_authority_result *result, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  fw_text_add_format(out, "%s: each actuator alone, one job of each class alone, ", scenario->name);
  fw_text_add_number(out, fw_time_to_seconds(scenario->duration) / 3600.0, 6);
  fw_text_add_format(out, " h, %zu seed%s, means and 95 %% intervals (scenario %s)\n\n", scenario->seeds,
                     scenario->seeds == 1 ? "" : "s", scenario->hash);
}

static void add_definitions(const fw_authority_result *result, fw_text *out) {
  char window[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out,
                     "\nSwing: (highest - lowest) / highest over the settings, of mean power and of the peak of the %s "
                     "s mean.\nRatio: highest / lowest tokens per second. Wh/1k: Wh per 1,000 tokens at the first and "
                     "at the last setting.\nAn actuator moves power from a mean swing of ",
                     fw_time_format(result->window, window));
  fw_text_add_number(out, 100.0 * result->threshold, 3);
  fw_text_add(out, " % on, throughput from the same swing of tokens per second on.\n");
}

static bool is_extrapolated(const fw_authority_row *row) {
  for (size_t i = 0; i < row->setting_count; i++) {
    if (row->settings[i].extrapolated) {
      return true;
    }
  }
  return false;
}

static void add_extrapolation_notes(const fw_authority_result *result, fw_text *out) {
  for (size_t i = 0; i < result->row_count; i++) {
    const fw_authority_row *row = &result->rows[i];
    if (is_extrapolated(row)) {
      fw_text_add_format(out, "\nnote: %s of %s goes beyond what the models of the job and the board were seen at\n",
                         fw_actuator_names[row->actuator], result->scenario->jobs[row->job].job_class);
    }
  }
}

void fw_report_authority_text(const fw_authority_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  static const char *const head[] = {"class", "actuator",       "settings", "mean swing, %", "peak swing, %",
                                     "ratio", "Wh/1k at first", "at last",  "verdict"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  add_title(result, out);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t i = 0; i < result->row_count; i++) {
    add_row(&table, result, &result->rows[i]);
  }
  fwi_table_finish(&table, "  ", out);
  add_definitions(result, out);
  add_extrapolation_notes(result, out);
  fwi_notes_add(diagnostics, out);
}

/* ---- JSON ---- */

static void add_json_setting(fwi_json_out *settings, const fw_authority_setting *setting) {
  fwi_json_out object = fwi_json_open(settings, NULL, '{');
  fwi_json_number(&object, "setting", setting->value);
  for (size_t f = 0; f < FW_AUTHORITY_FIGURE_COUNT; f++) {
    fwi_json_estimate(&object, fw_authority_figure_names[f], setting->figures[f]);
  }
  fwi_json_bool(&object, "extrapolated", setting->extrapolated);
  fwi_json_close(&object, '}');
}

static void add_json_row(fwi_json_out *rows, const fw_authority_result *result, const fw_authority_row *row) {
  fwi_json_out object = fwi_json_open(rows, NULL, '{');
  fwi_json_string(&object, "class", result->scenario->jobs[row->job].job_class);
  fwi_json_string(&object, "actuator", fw_actuator_names[row->actuator]);
  fwi_json_estimate(&object, "mean_swing", row->mean_swing);
  fwi_json_estimate(&object, "peak_swing", row->peak_swing);
  fwi_json_estimate(&object, "throughput_swing", row->throughput_swing);
  fwi_json_estimate(&object, "throughput_ratio", row->throughput_ratio);
  fwi_json_string(&object, "verdict", fw_authority_verdict_names[row->verdict]);
  fwi_json_out settings = fwi_json_open(&object, "settings", '[');
  for (size_t i = 0; i < row->setting_count; i++) {
    add_json_setting(&settings, &row->settings[i]);
  }
  fwi_json_close(&settings, ']');
  fwi_json_close(&object, '}');
}

void fw_report_authority_json(const fw_authority_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "authority");
  fwi_json_string(&object, "scenario", scenario->name);
  fwi_json_string(&object, "scenario_hash", scenario->hash);
  fwi_json_unsigned(&object, "seed", scenario->seed);
  fwi_json_unsigned(&object, "seeds", scenario->seeds);
  fwi_json_number(&object, "hours", fw_time_to_seconds(scenario->duration) / 3600.0);
  fwi_json_number(&object, "window_s", fw_time_to_seconds(result->window));
  fwi_json_number(&object, "threshold", result->threshold);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out rows = fwi_json_open(&object, "actuators", '[');
  for (size_t i = 0; i < result->row_count; i++) {
    add_json_row(&rows, result, &result->rows[i]);
  }
  fwi_json_close(&rows, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}
