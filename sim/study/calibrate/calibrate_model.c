/* The model file: a job of models/job.h, and how each number was come by. */
#include <math.h>

#include "sim/study/calibrate/calibrate_room.h"

static const int DIGITS = 9;

static void add_number(fw_text *out, const char *key, double value) {
  fw_text_add_format(out, "\"%s\": ", key);
  fw_text_add_number(out, value, DIGITS);
}

/* --- numbers that the recordings do not give --- */

static double most_in_flight(const fw_calibration *of) {
  return isnan(of->in_flight_max) ? 1.0 : fmax(of->in_flight_max, 1.0);
}

static double full_rollout_w(const fw_calibration *of) {
  return fw_level_fit_rollout_w(&of->level, most_in_flight(of), &of->timing);
}

static double mean_of(double total, double count, double otherwise) {
  return count > 0.0 && total > 0.0 ? fmax(total / count, 1.0) : otherwise;
}

/* --- the model --- */

static void add_head(const fw_calibration *of, fw_text *out) {
  char tick[FW_UNITS_TEXT_SIZE];
  fw_text_add(out, "{\n  \"fleetwatt_job\": 1,\n  \"id\": ");
  fw_text_add_json_string(out, of->id);
  fw_text_add(out, ",\n  \"gpu\": ");
  fw_text_add_json_string(out, of->gpu);
  fw_text_add_format(out, ",\n  \"gpus\": %zu,\n  \"sharding\": \"%s\",\n", of->gpus, fw_sharding_names[of->sharding]);
  fw_text_add_format(out, "  \"batching\": \"%s\",\n",
                     fw_batching_names[of->per_pass ? FW_BATCHING_STATIC : FW_BATCHING_CONTINUOUS]);
  fw_text_add_format(out, "  \"tick_s\": %s,\n", fw_time_format(of->tick, tick));
}

static void add_timing(const fw_calibration *of, fw_text *out) {
  fw_text_add(out, "  \"timing\": {\n    ");
  add_number(out, "token_base_s", of->timing.token_base_s);
  fw_text_add(out, ",\n    ");
  add_number(out, "token_per_sequence_s", of->timing.token_per_sequence_s);
  fw_text_add(out, ",\n    ");
  add_number(out, "prefill_per_token_s", of->timing.prefill_per_token_s);
  fw_text_add(out, ",\n    \"batch_gap_s\": 0,\n    \"step_gap_s\": 0,\n    \"update_base_s\": 0,\n"
                   "    \"update_per_token_s\": 0\n  },\n");
}

static void add_levels(const fw_calibration *of, fw_text *out) {
  const fwi_tick_levels quiet = fwi_calibration_quiet(of);
  fw_text_add(out, "  \"levels\": {\n    \"rollout\": ");
  fw_level_fit_json(&of->level, out);
  fw_text_add(out, ",\n    ");
  add_number(out, "prefill_w", of->level.has_prefill ? of->level.prefill_w : full_rollout_w(of));
  fw_text_add(out, ",\n    ");
  add_number(out, "gap_w", quiet.ready_w);
  fw_text_add(out, ",\n    ");
  add_number(out, "update_w", full_rollout_w(of));
  fw_text_add(out, ",\n    ");
  add_number(out, "load_w", quiet.load_w);
  fw_text_add(out, "\n  },\n");
}

static void add_residual(const fw_calibration *of, fw_text *out) {
  fw_text_add(out, "  \"residual\": {");
  if (!of->from_table) {
    fw_text_add(out, "\n    ");
    fw_phases_fit_json(&of->residual, of->gpus, out);
    fw_text_add(out, "\n  ");
  }
  fw_text_add(out, "},\n");
}

static const double ASSUMED_COMPLETION = 256.0;
static const double LIMIT_OVER_MEAN = 4.0;

static void add_workload(const fw_calibration *of, fw_text *out) {
  const double completion = mean_of(of->generated_tokens, of->requests, ASSUMED_COMPLETION);
  const double prompt = of->prompt_tokens > 0.0 ? floor(mean_of(of->prompt_tokens, of->requests, 0.0) + 0.5) : 0.0;
  const double concurrency = ceil(most_in_flight(of));
  fw_text_add(out, "  \"workload\": {\n    \"prompts\": 1,\n    ");
  add_number(out, "group_size", fmin(concurrency, 1048576.0));
  fw_text_add(out, ",\n    ");
  add_number(out, "concurrency", concurrency);
  fw_text_add(out, ",\n    ");
  add_number(out, "completion_limit", ceil(LIMIT_OVER_MEAN * completion));
  fw_text_add(out, ",\n    ");
  add_number(out, "completion_mean", completion);
  fw_text_add(out, ",\n    \"completion_cv\": 0,\n    ");
  add_number(out, "prompt_tokens", prompt);
  fw_text_add(out, "\n  },\n");
}

static void add_support(const fw_calibration *of, fw_text *out) {
  fw_text_add(out, "  \"support\": {");
  add_number(out, "concurrency_min", isnan(of->in_flight_min) ? 1.0 : of->in_flight_min);
  fw_text_add(out, ", ");
  add_number(out, "concurrency_max", most_in_flight(of));
  fw_text_add(out, "},\n");
}

/* --- provenance --- */

static void add_runs(const fw_calibration *of, fw_text *out) {
  fw_text_add(out, "    \"runs\": [");
  for (size_t i = 0; i < of->run_count; i++) {
    const fw_calibration_run *run = &of->runs[i];
    fw_text_add(out, i > 0 ? ",\n      {\"file\": " : "\n      {\"file\": ");
    fw_text_add_json_string(out, run->file);
    fw_text_add_format(out, ", \"hash\": \"%s\", ", run->hash);
    if (of->from_table) {
      fw_text_add_format(out, "\"points\": %zu}", run->ticks);
      continue;
    }
    fw_text_add_format(out, "\"occupancy\": \"%s\", %s\"ticks\": %zu, \"left_out\": %zu, ",
                       fw_occupancy_source_names[run->source], run->by_utilization ? "\"by_utilization\": true, " : "",
                       run->ticks, run->dropped);
    add_number(out, "mean_w", run->mean_w);
    fw_text_add(out, "}");
  }
  fw_text_add(out, "\n    ],\n");
}

static void add_scores(const fw_calibration *of, fw_text *out) {
  fw_text_add(out, "    \"level\": {\"held_out\": ");
  fw_text_add_json_string(out, of->split);
  fw_text_add(out, ", \"forms\": [");
  for (size_t i = 0; i < of->score_count; i++) {
    const fw_calibration_score *score = &of->scores[i];
    fw_text_add_format(out, "%s\n      {\"form\": \"%s\", \"prefill\": %s, \"parameters\": %zu, ", i > 0 ? "," : "",
                       fw_level_form_names[score->form], score->prefill ? "true" : "false", score->free_count);
    add_number(out, "rms_w", score->rms_w);
    fw_text_add(out, ", ");
    add_number(out, "held_out_rms_w", score->held_out_rms_w);
    fw_text_add(out, ", ");
    add_number(out, "held_out_crps_w", score->held_out_crps_w);
    fw_text_add_format(out, "%s}", i == of->chosen ? ", \"chosen\": true" : "");
  }
  fw_text_add(out, "\n    ]},\n");
}

static void add_intervals(const fw_calibration *of, fw_text *out) {
  fw_text_add_format(out, "    \"intervals_95\": {\"resamples\": %zu", of->resamples);
  for (size_t i = 0; i < of->interval_count; i++) {
    fw_text_add_format(out, ",\n      \"%s\": [", of->intervals[i].name);
    fw_text_add_number(out, of->intervals[i].lo, DIGITS);
    fw_text_add(out, ", ");
    fw_text_add_number(out, of->intervals[i].hi, DIGITS);
    fw_text_add(out, "]");
  }
  fw_text_add(out, "\n    },\n");
}

/* What is in the file because the format asks for it. */
static void add_assumed(const fw_calibration *of, fw_text *out) {
  fw_text_add(out,
              "    \"assumed\": {\n"
              "      \"levels.update_w\": \"the rollout's level at the most work in flight; no update was recorded\",\n"
              "      \"timing.batch_gap_s, step_gap_s, update_base_s, update_per_token_s\": \"0: not recorded\",\n");
  if (!of->level.has_prefill) {
    fw_text_add(out,
                "      \"levels.prefill_w\": \"the rollout's level at the most work in flight; prompts are not a part "
                "of this level\",\n");
  }
  if (of->ready_assumed) {
    fw_text_add_format(out, "      \"levels.gap_w\": \"%s\",\n",
                       !isnan(of->ready_w)  ? "given; no tick shows a GPU that stands ready"
                       : !isnan(of->load_w) ? "as levels.load_w; no tick shows a GPU that stands ready"
                                            : "the least power seen; no tick shows a GPU that stands ready");
  }
  if (isnan(of->load_w)) fw_text_add(out, "      \"levels.load_w\": \"as levels.gap_w\",\n");
  if (of->timing_ticks == 0) fw_text_add(out, "      \"timing.token_base_s\": \"30 ms: no tokens were counted\",\n");
  if (of->from_table) fw_text_add(out, "      \"residual\": \"none: a table has no ticks\",\n");
  fw_text_add(
      out, "      \"workload\": \"one step of as many sequences as were ever in flight; mean lengths are tokens over "
           "requests, which count only as rises of the running ones; all of one length\"\n    }\n");
}

static void add_provenance(const fw_calibration *of, fw_text *out) {
  fw_text_add(out,
              "  \"provenance\": {\n    \"written_by\": \"fleetwatt calibrate; docs/calibration.md explains it\",\n");
  if (of->source != NULL) {
    fw_text_add(out, "    \"source\": ");
    fw_text_add_json_string(out, of->source);
    fw_text_add(out, ",\n");
  }
  if (of->per_pass) {
    fw_text_add(out, "    \"work_in_flight\": \"tokens in a forward pass, not sequences\",\n");
  }
  add_runs(of, out);
  add_scores(of, out);
  if (of->interval_count > 0) add_intervals(of, out);
  if (!of->from_table) {
    fw_text_add(out, "    ");
    add_number(out, "idle_w_seen", of->idle_w);
    fw_text_add(out, ",\n    ");
    add_number(out, "correlation_between_gpus", of->gpus > 1 ? of->residual.correlation : (double)NAN);
    fw_text_add_format(out, ",\n    \"token_time_ticks\": %zu,\n", of->timing_ticks);
  }
  add_assumed(of, out);
  fw_text_add(out, "  }\n}\n");
}

void fw_calibration_model(const fw_calibration *calibration, fw_text *out) {
  add_head(calibration, out);
  add_timing(calibration, out);
  add_levels(calibration, out);
  add_residual(calibration, out);
  add_workload(calibration, out);
  add_support(calibration, out);
  add_provenance(calibration, out);
}
