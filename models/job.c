/* The table and the checks of a job file. */
#include "models/job.h"

#include <string.h>

#include "models/ceilings.h"
#include "models/check.h"
#include "sim/base/fields.h"

const char *const fw_sharding_names[] = {"single", "layer", "tensor", NULL};
const char *const fw_batching_names[] = {"static", "padded", "continuous", NULL};
const char *const fw_decision_names[] = {"batch", "step", NULL};

#define LEVEL(member, text) FW_FIELD(fw_job_levels, member, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W, text)

static const fw_field level_fields[] = {
    FW_VARIANT(fw_job_levels, rollout, fw_level_cases, FW_REQUIRED, "watts of one GPU over the sequences in flight"),
    LEVEL(prefill_w, "watts of one GPU while it reads prompts"),
    LEVEL(gap_w, "watts of one GPU between batches and between rollout and update"),
    LEVEL(update_w, "watts of one GPU in the update"),
    LEVEL(load_w, "watts of one GPU while the model is loaded"),
};

static const fw_record level_record = {
    .name = "levels",
    .doc = "mean power of one GPU in each phase",
    .size = sizeof(fw_job_levels),
    .fields = level_fields,
    .field_count = FW_COUNT_OF(level_fields),
};

static const fw_field support_fields[] = {
    FW_FIELD(fw_support, concurrency_min, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_COUNT,
             "lowest concurrency measured"),
    FW_FIELD(fw_support, concurrency_max, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_COUNT,
             "highest concurrency measured"),
};

static const fw_record support_record = {
    .name = "support",
    .doc = "the range that the parameters were measured in",
    .size = sizeof(fw_support),
    .fields = support_fields,
    .field_count = FW_COUNT_OF(support_fields),
};

static const fw_field job_fields[] = {
    FW_FORMAT(fw_job_model, format, "fleetwatt_job"),
    FW_FIELD(fw_job_model, id, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0, "name that scenarios refer to"),
    FW_FIELD(fw_job_model, gpu, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0, "id of the GPU that the parameters hold for"),
    FW_FIELD(fw_job_model, gpus, FW_FIELD_INTEGER, FW_REQUIRED, 1.0, 65536.0, "GPUs of one job"),
    FW_ENUM(fw_job_model, sharding, fw_sharding_names, FW_REQUIRED,
            "how the job uses its GPUs: what the parameters were measured under"),
    FW_ENUM(fw_job_model, batching, fw_batching_names, FW_REQUIRED, "how a generation batch ends"),
    FW_ENUM(fw_job_model, decision, fw_decision_names, FW_OPTIONAL,
            "when the job asks its policy: after each generation batch or after each step"),
    FW_FIELD_ABOVE(fw_job_model, tick, FW_FIELD_TIME, FW_REQUIRED, 0.0, 3600.0,
                   "model tick that the residual is defined on"),
    FW_RECORD(fw_job_model, timing, &fw_timing_record, FW_REQUIRED, "how long the phases last"),
    FW_RECORD(fw_job_model, levels, &level_record, FW_REQUIRED, "mean power of one GPU in each phase"),
    FW_RECORD(fw_job_model, residual, &fw_residual_record, FW_REQUIRED, "what power does around its level"),
    FW_RECORD(fw_job_model, workload, &fw_workload_record, FW_REQUIRED,
              "the work of a step unless a scenario says otherwise"),
    FW_RECORD(fw_job_model, support, &support_record, FW_REQUIRED, "the range that the parameters were measured in"),
    FW_PROVENANCE,
};

const fw_record fw_job_model_record = {
    .name = "job_model",
    .doc = "one kind of job on one kind of GPU",
    .size = sizeof(fw_job_model),
    .fields = job_fields,
    .field_count = FW_COUNT_OF(job_fields),
};

static fw_status check_sharding(const fw_job_model *model, const fw_json_value *root, fw_diagnostics *diagnostics) {
  const bool single = model->sharding == FW_SHARDING_SINGLE;
  if (single == (model->gpus == 1)) return FW_OK;
  const fw_json_value *place = fw_record_member(root, "sharding");
  if (single) {
    return fw_json_error(place, diagnostics,
                         "\"single\" needs \"gpus\": 1; a job of several is \"layer\" or \"tensor\"");
  }
  return fw_json_error(place, diagnostics, "\"%s\" needs two or more \"gpus\"; a job of one is \"single\"",
                       fw_sharding_names[model->sharding]);
}

static fw_status check_support(const fw_support *support, const fw_json_value *value, fw_diagnostics *diagnostics) {
  if (support->concurrency_min <= support->concurrency_max) return FW_OK;
  return fw_json_error(fw_record_member(value, "concurrency_max"), diagnostics,
                       "must not be below \"concurrency_min\"");
}

static void warn_of_cut(const fw_workload *workload, const fw_json_value *value, fw_diagnostics *diagnostics) {
  if (workload->completion_mean <= (double)workload->completion_limit) return;
  char path[FW_JSON_PATH_SIZE];
  fw_warning(diagnostics, fw_json_place(fw_record_member(value, "completion_mean"), path),
             "is above \"completion_limit\", so most completions are cut");
}

static fw_status check_job(const fw_job_model *model, const fw_json_value *root, fw_diagnostics *diagnostics) {
  fw_status status = fwi_text_check(model->id, "id", root, diagnostics);
  status = fwi_worse(status, fwi_text_check(model->gpu, "gpu", root, diagnostics));
  status = fwi_worse(status, check_sharding(model, root, diagnostics));
  status = fwi_worse(
      status, fwi_residual_check(&model->residual, model->gpus, fw_record_member(root, "residual"), diagnostics));
  const fw_json_value *levels = fw_record_member(root, "levels");
  status = fwi_worse(status, fwi_level_check(&model->levels.rollout, fw_record_member(levels, "rollout"), diagnostics));
  warn_of_cut(&model->workload, fw_record_member(root, "workload"), diagnostics);
  return fwi_worse(status, check_support(&model->support, fw_record_member(root, "support"), diagnostics));
}

fw_status fw_job_model_decode(const fw_json *document, fw_job_model *out, fw_diagnostics *diagnostics) {
  const fw_json_value *root = fw_json_root(document);
  fw_status status = fw_record_decode(&fw_job_model_record, root, out, diagnostics);
  if (status == FW_OK) status = check_job(out, root, diagnostics);
  if (status != FW_OK) fw_job_model_clear(out);
  return status;
}

fw_status fw_job_model_read(const char *path, fw_job_model *out, fw_diagnostics *diagnostics) {
  *out = (fw_job_model){0};
  fw_json *document = NULL;
  fw_status status = fw_json_read(path, &document, diagnostics);
  if (status == FW_OK) status = fw_job_model_decode(document, out, diagnostics);
  fw_json_free(document);
  return status;
}

void fw_job_model_clear(fw_job_model *model) {
  fw_record_clear(&fw_job_model_record, model);
}

double fw_job_level_w(const fw_job_model *model, fw_phase phase, double occupancy, double idle_w) {
  switch (phase) {
  case FW_PHASE_LOAD:
    return model->levels.load_w;
  case FW_PHASE_PREFILL:
    return model->levels.prefill_w;
  case FW_PHASE_ROLLOUT:
    return fw_level_w(&model->levels.rollout, occupancy, &model->timing);
  case FW_PHASE_GAP:
    return model->levels.gap_w;
  case FW_PHASE_UPDATE:
    return model->levels.update_w;
  case FW_PHASE_IDLE:
  case FW_PHASE_COUNT:
    break;
  }
  return idle_w;
}

/* One level against the limits of the GPU. */
static void check_level(const char *name, double level_w, const fw_gpu_model *gpu, fw_place place,
                        fw_diagnostics *diagnostics) {
  char level[FW_NUMBER_TEXT_SIZE];
  char limit[FW_NUMBER_TEXT_SIZE];
  const double idle_w = fw_power_to_watts(gpu->idle);
  const double most_w = fw_power_to_watts(gpu->board_max);
  if (level_w < idle_w) {
    fw_warning(diagnostics, place, "the level of phase \"%s\", %s W, lies below the idle power of \"%s\", %s W", name,
               fw_number_format(level_w, 6, level), gpu->id, fw_number_format(idle_w, 6, limit));
  } else if (level_w > most_w) {
    fw_warning(diagnostics, place, "the level of phase \"%s\", %s W, lies above the most that \"%s\" draws, %s W", name,
               fw_number_format(level_w, 6, level), gpu->id, fw_number_format(most_w, 6, limit));
  }
}

fw_status fw_job_model_check_gpu(const fw_job_model *model, const fw_gpu_model *gpu, const char *file,
                                 fw_diagnostics *diagnostics) {
  if (strcmp(model->gpu, gpu->id) != 0) {
    const fw_place place = {.file = file, .path = "gpu"};
    return fw_error(diagnostics, FW_ERROR_INPUT, place, "the parameters hold for \"%s\", not for \"%s\"", model->gpu,
                    gpu->id);
  }
  const fw_place place = {.file = file, .path = "levels"};
  const double idle_w = fw_power_to_watts(gpu->idle);
  for (fw_phase phase = FW_PHASE_LOAD; phase < FW_PHASE_COUNT; phase++) {
    const double level_w = fw_job_level_w(model, phase, (double)model->workload.concurrency, idle_w);
    check_level(fw_phase_names[phase], level_w, gpu, place, diagnostics);
  }
  return FW_OK;
}
