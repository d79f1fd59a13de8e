/* Recorded occupancy through the simulator, many seeds, and the scores of what comes out. */
#include "sim/study/calibrate/validate.h"

#include <stdlib.h>
#include <string.h>

#include "models/job.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/fleet/run.h"

/* One recording on its way through. */
typedef struct subject {
  fw_occupancy occupancy;
  fw_scenario *scenario;
  fw_power_mw *simulated; /* [seed * ticks + tick]: of all GPUs, as the simulator counts ticks */
  double *bias_w;         /* per seed */
  bool *extrapolated;     /* per seed */
} subject;

typedef struct validator {
  const fw_validate_options *options;
  fw_job_model model;
  bool model_read;
  char *model_name; /* without folder and .json */
  subject *subjects;
} validator;

static void subject_clear(subject *one) {
  fw_scenario_free(one->scenario);
  fw_occupancy_clear(&one->occupancy);
  free(one->simulated);
  free(one->bias_w);
  free(one->extrapolated);
}

static void validator_clear(validator *all) {
  for (size_t i = 0; all->subjects != NULL && i < all->options->run_count; i++) {
    subject_clear(&all->subjects[i]);
  }
  free(all->subjects);
  free(all->model_name);
  if (all->model_read) {
    fw_job_model_clear(&all->model);
  }
}

void fw_validation_clear(fw_validation *validation) {
  for (size_t i = 0; i < validation->run_count; i++) {
    fw_fidelity_clear(&validation->runs[i]);
  }
  free(validation->runs);
  free(validation->about);
  free(validation->summaries);
  free(validation->model);
  *validation = (fw_validation){0};
}

/* --- before the runs --- */

static fw_status read_model(validator *all, fw_diagnostics *diagnostics) {
  const char *path = all->options->model;
  const char *name = fw_path_name(path);
  static const char suffix[] = ".json";
  const size_t length = strlen(name);
  const size_t tail = sizeof suffix - 1;
  if (length <= tail || strcmp(name + length - tail, suffix) != 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path}, "a model file ends in .json: rename it");
  }
  const fw_status status = fw_job_model_read(path, &all->model, diagnostics);
  all->model_read = status == FW_OK;
  all->model_name = fw_copy_bytes(name, length - tail);
  if (status == FW_OK && all->model_name == NULL) {
    return fw_error_memory(diagnostics, "the name of a model");
  }
  return status;
}

/* A fleet of one job that does what was recorded, once; it stands beside the model's file, which it finds there. */
static void write_scenario(const validator *all, const fw_occupancy *occupancy, fw_text *out) {
  char number[FW_UNITS_TEXT_SIZE];
  fw_text_add(out, "{\"fleetwatt\": 1, \"name\": \"validate\", \"gpu\": ");
  fw_text_add_json_string(out, all->model.gpu);
  fw_text_add_format(out, ", \"duration_s\": %s",
                     fw_time_format((fw_time_ns)occupancy->count * occupancy->tick, number));
  fw_text_add_format(out, ", \"tick_s\": %s", fw_time_format(occupancy->tick, number));
  fw_text_add_format(out, ", \"windows_s\": [%s]", fw_time_format(occupancy->tick, number));
  fw_text_add(out, ", \"jobs\": [{\"kind\": \"occupancy\", \"class\": \"recorded\", \"trace\": \"given\", \"loop\": "
                   "false, \"model\": ");
  fw_text_add_json_string(out, all->model_name);
  fw_text_add(out, "}]}\n");
}

static fw_status make_scenario(const validator *all, subject *one, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  write_scenario(all, &one->occupancy, &text);
  char *path = fw_path_beside(all->options->model, "validate.json");
  fw_status status = FW_OK;
  if (text.failed || path == NULL) {
    status = fw_error_memory(diagnostics, "the scenario of a validation");
  } else {
    const fw_scenario_overrides overrides = {.occupancy = &one->occupancy, .share = all->options->share};
    status = fw_scenario_parse(text.data, text.length, path, &overrides, &one->scenario, diagnostics);
  }
  free(path);
  fw_text_clear(&text);
  return status;
}

static fw_status prepare(const validator *all, size_t run, fw_diagnostics *diagnostics) {
  subject *one = &all->subjects[run];
  const size_t seeds = all->options->seeds;
  size_t cells = 0;
  fw_status status = fw_occupancy_read(&all->options->runs[run], &one->occupancy, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = make_scenario(all, one, diagnostics);
  if (fw_size_multiply(seeds, one->occupancy.count, &cells)) {
    one->simulated = fw_allocate(cells, sizeof *one->simulated);
  }
  one->bias_w = fw_allocate(seeds, sizeof *one->bias_w);
  one->extrapolated = fw_allocate(seeds, sizeof *one->extrapolated);
  if (one->simulated == NULL || one->bias_w == NULL || one->extrapolated == NULL) {
    return fw_error_memory(diagnostics, "the simulations of a validation");
  }
  return status;
}

/* --- the runs --- */

typedef struct keeper {
  fw_power_mw *next;
  const fw_power_mw *end;
} keeper;

static void keep_tick(void *context, const fw_sim_tick *tick) {
  keeper *kept = context;
  if (kept->next < kept->end) {
    *kept->next++ = tick->job_truth[0];
  }
}

static void pass_over_event(void *context, const fw_sim_event *event) {
  (void)context;
  (void)event;
}

static fw_status simulate(void *context, size_t index, fw_diagnostics *diagnostics) {
  const validator *all = context;
  const size_t seed = index % all->options->seeds;
  subject *one = &all->subjects[index / all->options->seeds];
  fw_power_mw *first = one->simulated + seed * one->occupancy.count;
  keeper kept = {first, first + one->occupancy.count};
  const fw_sim_observer observer = {&kept, keep_tick, pass_over_event};
  const fw_run_options options = {.seed = seed + 1, .observer = &observer};
  fw_result result = {0};
  const fw_status status = fw_run(one->scenario, &options, &result, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  one->bias_w[seed] = result.clamps.bias_w;
  one->extrapolated[seed] = result.jobs[0].extrapolated;
  fw_result_clear(&result);
  return FW_OK;
}

/* --- the scores --- */

/* Recorded and simulated ticks one behind the other, an unknown one between two that did not follow each other. */
typedef struct aligned {
  fw_power_mw *recorded;
  fw_power_mw **simulated;
  size_t count;
  size_t known;
} aligned;

static void aligned_clear(aligned *rows, size_t seeds) {
  for (size_t s = 0; rows->simulated != NULL && s < seeds; s++) {
    free(rows->simulated[s]);
  }
  free(rows->simulated);
  free(rows->recorded);
}

static bool aligned_allocate(size_t count, size_t seeds, aligned *out) {
  *out = (aligned){.recorded = fw_allocate(count, sizeof *out->recorded),
                   .simulated = fw_allocate(seeds, sizeof *out->simulated)};
  bool good = out->recorded != NULL && out->simulated != NULL;
  for (size_t s = 0; good && s < seeds; s++) {
    out->simulated[s] = fw_allocate(count, sizeof *out->simulated[s]);
    good = out->simulated[s] != NULL;
  }
  return good;
}

static void add_unknown(aligned *rows, size_t seeds) {
  rows->recorded[rows->count] = FW_FIDELITY_UNKNOWN;
  for (size_t s = 0; s < seeds; s++) {
    rows->simulated[s][rows->count] = 0;
  }
  rows->count++;
}

static void add_known(const subject *one, size_t tick, aligned *rows, size_t seeds) {
  const double total_w = fw_occupancy_mean_w(&one->occupancy, tick) * (double)one->occupancy.gpus;
  (void)fw_power_from_watts(total_w, &rows->recorded[rows->count]); /* readings are held below 10 MW a GPU */
  for (size_t s = 0; s < seeds; s++) {
    rows->simulated[s][rows->count] = one->simulated[s * one->occupancy.count + tick];
  }
  rows->count++;
  rows->known++;
}

static void align(const validator *all, size_t run, aligned *rows) {
  const fw_validate_options *options = all->options;
  const subject *one = &all->subjects[run];
  bool goes_on = true;
  for (size_t i = 0; i < one->occupancy.count; i++) {
    const bool new_segment = i > 0 && one->occupancy.data[i].segment != one->occupancy.data[i - 1].segment;
    goes_on = goes_on && !new_segment;
    if (options->filter != NULL && !options->filter(options->filter_context, run, &one->occupancy, i)) {
      goes_on = false;
      continue;
    }
    if (!goes_on && rows->count > 0) {
      add_unknown(rows, options->seeds);
    }
    add_known(one, i, rows, options->seeds);
    goes_on = true;
  }
}

static fw_status score(const validator *all, size_t run, fw_fidelity *out, fw_diagnostics *diagnostics) {
  const fw_validate_options *options = all->options;
  const subject *one = &all->subjects[run];
  aligned rows;
  const bool good = aligned_allocate(2 * one->occupancy.count, options->seeds, &rows);
  fw_status status = good ? FW_OK : fw_error_memory(diagnostics, "the ticks of a validation");
  if (status == FW_OK) {
    align(all, run, &rows);
    if (rows.known == 0) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = options->runs[run].trace},
                        "no tick of the recording is left to compare");
    }
  }
  if (status == FW_OK) {
    const fw_fidelity_run compared = {.name = options->names != NULL ? options->names[run]
                                                                     : fw_path_name(options->runs[run].trace),
                                      .tick = one->occupancy.tick,
                                      .tick_count = rows.count,
                                      .gpu_count = 1,
                                      .recorded = rows.recorded,
                                      .simulated = (const fw_power_mw *const *)rows.simulated,
                                      .seed_count = options->seeds};
    status = fw_fidelity_score(&compared, options->windows, options->window_count, out, diagnostics);
  }
  aligned_clear(&rows, options->seeds);
  return status;
}

static fw_validation_run describe(const subject *one, size_t seeds) {
  fw_validation_run about = {0};
  for (size_t s = 0; s < seeds; s++) {
    about.extrapolated = about.extrapolated || one->extrapolated[s];
    about.clamp_bias_w += one->bias_w[s] / (double)seeds;
  }
  return about;
}

static fw_status score_all(const validator *all, fw_validation *out, fw_diagnostics *diagnostics) {
  const fw_validate_options *options = all->options;
  size_t cells = 0;
  out->model = fw_copy_text(options->model);
  out->runs = fw_allocate(options->run_count, sizeof *out->runs);
  out->about = fw_allocate(options->run_count, sizeof *out->about);
  if (fw_size_multiply(options->window_count, FW_FIDELITY_METRICS, &cells)) {
    out->summaries = fw_allocate(cells, sizeof *out->summaries);
  }
  if (out->model == NULL || out->runs == NULL || out->about == NULL || out->summaries == NULL) {
    return fw_error_memory(diagnostics, "the scores of a validation");
  }
  for (size_t i = 0; i < options->run_count; i++) {
    const fw_status status = score(all, i, &out->runs[i], diagnostics);
    if (status != FW_OK) {
      return status;
    }
    out->about[i] = describe(&all->subjects[i], options->seeds);
    out->run_count++;
  }
  return fw_fidelity_summarize(out->runs, out->run_count, out->summaries, diagnostics);
}

fw_status fw_validate(const fw_validate_options *options, const fw_study_options *study, fw_validation *out,
                      fw_diagnostics *diagnostics) {
  *out = (fw_validation){0};
  validator all = {.options = options, .subjects = fw_allocate(options->run_count, sizeof *all.subjects)};
  if (all.subjects == NULL) {
    return fw_error_memory(diagnostics, "a validation");
  }
  fw_status status = read_model(&all, diagnostics);
  for (size_t i = 0; status == FW_OK && i < options->run_count; i++) {
    status = prepare(&all, i, diagnostics);
  }
  const fwi_replications work = {
      .count = options->run_count * options->seeds, .heard = 1, .run = simulate, .context = &all};
  if (status == FW_OK) {
    status = fwi_replicate(&work, study, diagnostics);
  }
  if (status == FW_OK) {
    status = score_all(&all, out, diagnostics);
  }
  validator_clear(&all);
  if (status != FW_OK) {
    fw_validation_clear(out);
  }
  return status;
}
