/* A calibration as text and as JSON (docs/calibration.md). */
#include "sim/report/calibrate_report.h"

#include <math.h>

#include "sim/report/json_out.h"
#include "sim/report/table.h"

/* ---- Text ---- */

static void add_cell(fwi_table *table, double value, int digits) {
  char number[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", isnan(value) ? "-" : fw_number_format(value, digits, number));
}

static void add_head(const fw_calibration *of, fw_text *out) {
  char tick[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out, "%s: %zu GPU%s on %s, ", of->id, of->gpus, of->gpus == 1 ? "" : "s", of->gpu);
  if (of->from_table) {
    fw_text_add_format(out, "from %zu operating points of %s\n\n", of->ticks, of->runs[0].file);
    return;
  }
  fw_text_add_format(out, "from %zu ticks of %s s in %zu recording%s\n", of->ticks, fw_time_format(of->tick, tick),
                     of->run_count, of->run_count == 1 ? "" : "s");
  for (size_t i = 0; i < of->run_count; i++) {
    const fw_calibration_run *run = &of->runs[i];
    fw_text_add_format(out, "  %s: %zu ticks, %zu left out, what it did from %s%s, mean ", run->file, run->ticks,
                       run->dropped, fw_occupancy_source_names[run->source],
                       run->by_utilization && run->source != FW_OCCUPANCY_UTILIZATION ? " and utilization" : "");
    fw_text_add_number(out, run->mean_w, 4);
    fw_text_add(out, " W a GPU\n");
  }
  fw_text_add(out, "\n");
}

static void add_scores(const fw_calibration *of, fw_text *out) {
  fwi_table table = fwi_table_start(5);
  static const char *const heads[] = {"level of work", "parameters", "rms W", "held out", "CRPS W"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    fwi_table_add(&table, "%s", heads[i]);
  }
  for (size_t i = 0; i < of->score_count; i++) {
    const fw_calibration_score *score = &of->scores[i];
    fwi_table_add(&table, "%s%s%s", fw_level_form_names[score->form], score->prefill ? " and prefill" : "",
                  i == of->chosen ? " <" : "");
    fwi_table_add(&table, "%zu", score->free_count);
    add_cell(&table, score->rms_w, 4);
    add_cell(&table, score->held_out_rms_w, 4);
    add_cell(&table, score->held_out_crps_w, 4);
  }
  fwi_table_finish(&table, "", out);
  fw_text_add_format(out,
                     "Held out: %s. CRPS: the score of the whole law, level and what lies around it. Chosen (<): the "
                     "fewest parameters within 1 %% of the best.\n\n",
                     of->split);
}

static void add_numbers(const fw_calibration *of, fw_text *out) {
  if (of->interval_count == 0) {
    return;
  }
  fwi_table table = fwi_table_start(4);
  fwi_table_add(&table, "%s", "number");
  fwi_table_add(&table, "%s", "value");
  fwi_table_add(&table, "%s", "2.5 %");
  fwi_table_add(&table, "%s", "97.5 %");
  for (size_t i = 0; i < of->interval_count; i++) {
    const fw_calibration_interval *number = &of->intervals[i];
    fwi_table_add(&table, "%s", number->name);
    add_cell(&table, number->value, 5);
    add_cell(&table, number->lo, 5);
    add_cell(&table, number->hi, 5);
  }
  fwi_table_finish(&table, "", out);
  fw_text_add_format(out, "Intervals by %zu resamples of blocks of ticks.\n\n", of->resamples);
}

static void add_labelled(fw_text *out, const char *label, double value, const char *unit) {
  if (isnan(value)) {
    return;
  }
  fw_text_add(out, label);
  fw_text_add_number(out, value, 5);
  fw_text_add(out, unit);
}

static void add_rest(const fw_calibration *of, fw_text *out) {
  fw_text_add(out, "Levels without work:");
  add_labelled(out, " idle ", of->idle_w, " W,");
  add_labelled(out, " loading ", of->load_w, " W,");
  add_labelled(out, " ready ", of->ready_w, of->ready_assumed ? " W (given)," : " W,");
  add_labelled(out, " least seen ", of->least_w, " W\n");
  fw_text_add_format(out, "Support: %s", of->per_pass ? "tokens in a pass" : "requests in flight");
  add_labelled(out, " from ", of->in_flight_min, "");
  add_labelled(out, " to ", of->in_flight_max, "");
  fw_text_add(out, isnan(of->in_flight_max) ? " unknown\n" : "\n");
  if (of->timing_ticks > 0) {
    add_labelled(out, "Token time: ", 1e3 * of->timing.token_base_s, " ms + ");
    add_labelled(out, "", 1e3 * of->timing.token_per_sequence_s, " ms for each in flight\n");
  }
  if (of->gpus > 1 && !of->from_table) {
    add_labelled(out, "Correlation between GPUs, level removed: ", of->residual.correlation, "\n");
  }
}

void fw_report_calibration_text(const fw_calibration *calibration, fw_text *out) {
  add_head(calibration, out);
  add_scores(calibration, out);
  add_numbers(calibration, out);
  add_rest(calibration, out);
}

/* ---- JSON ---- */

static void add_json_runs(fwi_json_out *object, const fw_calibration *of) {
  fwi_json_out runs = fwi_json_open(object, "recordings", '[');
  for (size_t i = 0; i < of->run_count; i++) {
    const fw_calibration_run *run = &of->runs[i];
    fwi_json_out one = fwi_json_open(&runs, NULL, '{');
    fwi_json_string(&one, "file", run->file);
    fwi_json_string(&one, "hash", run->hash);
    fwi_json_unsigned(&one, of->from_table ? "points" : "ticks", run->ticks);
    if (!of->from_table) {
      fwi_json_unsigned(&one, "left_out", run->dropped);
      fwi_json_string(&one, "occupancy", fw_occupancy_source_names[run->source]);
      fwi_json_bool(&one, "by_utilization", run->by_utilization);
      fwi_json_number(&one, "mean_w", run->mean_w);
    }
    fwi_json_close(&one, '}');
  }
  fwi_json_close(&runs, ']');
}

static void add_json_scores(fwi_json_out *object, const fw_calibration *of) {
  fwi_json_string(object, "held_out", of->split);
  fwi_json_out scores = fwi_json_open(object, "forms", '[');
  for (size_t i = 0; i < of->score_count; i++) {
    const fw_calibration_score *score = &of->scores[i];
    fwi_json_out one = fwi_json_open(&scores, NULL, '{');
    fwi_json_string(&one, "form", fw_level_form_names[score->form]);
    fwi_json_bool(&one, "prefill", score->prefill);
    fwi_json_bool(&one, "chosen", i == of->chosen);
    fwi_json_unsigned(&one, "parameters", score->free_count);
    fwi_json_number(&one, "rms_w", score->rms_w);
    fwi_json_number(&one, "held_out_rms_w", score->held_out_rms_w);
    fwi_json_number(&one, "held_out_crps_w", score->held_out_crps_w);
    fwi_json_close(&one, '}');
  }
  fwi_json_close(&scores, ']');
}

static void add_json_numbers(fwi_json_out *object, const fw_calibration *of) {
  fwi_json_unsigned(object, "resamples", of->resamples);
  fwi_json_out numbers = fwi_json_open(object, "numbers", '{');
  for (size_t i = 0; i < of->interval_count; i++) {
    const fw_calibration_interval *number = &of->intervals[i];
    fwi_json_estimate(&numbers, number->name, (fw_estimate){number->value, number->lo, number->hi});
  }
  fwi_json_close(&numbers, '}');
}

void fw_report_calibration_json(const fw_calibration *calibration, const fw_diagnostics *diagnostics, fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "calibrate");
  fwi_json_string(&object, "id", calibration->id);
  fwi_json_string(&object, "gpu", calibration->gpu);
  fwi_json_unsigned(&object, "gpus", calibration->gpus);
  fwi_json_number(&object, "tick_s", fw_time_to_seconds(calibration->tick));
  fwi_json_warnings(&object, diagnostics);
  add_json_runs(&object, calibration);
  add_json_scores(&object, calibration);
  add_json_numbers(&object, calibration);
  fwi_json_number(&object, "idle_w", calibration->idle_w);
  fwi_json_number(&object, "load_w", calibration->load_w);
  fwi_json_number(&object, "ready_w", calibration->ready_w);
  fwi_json_number(&object, "in_flight_min", calibration->in_flight_min);
  fwi_json_number(&object, "in_flight_max", calibration->in_flight_max);
  fwi_json_number(&object, "token_base_s", calibration->timing.token_base_s);
  fwi_json_number(&object, "token_per_sequence_s", calibration->timing.token_per_sequence_s);
  fwi_json_unsigned(&object, "token_time_ticks", calibration->timing_ticks);
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}
