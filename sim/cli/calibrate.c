/* fleetwatt calibrate */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/cli/recording_flags.h"
#include "sim/report/calibrate_report.h"

static int run(int argc, char **argv);

#define NO_TICKS "a table has no ticks"

static const fwi_rule rules[] = {{"--points", FWI_NEEDS, "--gpus", "say how many GPUs a job of the table has"},
                                 {"--gpus", FWI_NEEDS, "--points", "a recording says itself how many GPUs it has"},
                                 {"--points", FWI_EXCLUDES, "--counters", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--phases", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--utilization", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--kind", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--role", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--tick", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--skip-phases", NO_TICKS},
                                 {"--points", FWI_EXCLUDES, "--resamples", "a table's numbers have no intervals"},
                                 {"--source", FWI_NEEDS, "-o", "it goes into the model's file"},
                                 FWI_RECORDING_RULES,
                                 {0}};

const fwi_command fwi_calibrate_command = {
    "calibrate",
    "fit a job model to recordings of one kind of job",
    "RECORDING...",
    rules,
    "fleetwatt calibrate monday.csv tuesday.csv --gpu a100-sxm4-80gb -o my-job.json\n"
    "  fleetwatt calibrate power.csv --counters engine.csv --gpu a100-sxm4-80gb -o my-job.json\n"
    "  fleetwatt calibrate sweep.csv --points --gpus 4 --sharding tensor --gpu a100-sxm4-80gb -o my-job.json",
    run};

typedef struct calibrate_flags {
  fwi_recording_flags recording;
  const char *output;
  const char *id;
  const char *gpu;
  const char *source;
  const char *sharding;
  bool points;
  uint64_t gpus;
  double ready_w;
  uint64_t resamples;
  uint64_t threads;
  bool json;
} calibrate_flags;

static fw_status read_sharding(const char *name, fw_sharding *out, fw_diagnostics *diagnostics) {
  *out = FW_SHARDING_SINGLE;
  for (size_t i = 0; name != NULL && fw_sharding_names[i] != NULL; i++) {
    if (strcmp(fw_sharding_names[i], name) != 0) continue;
    *out = (fw_sharding)i;
    return FW_OK;
  }
  if (name == NULL) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--sharding %s: expected single, layer or tensor", name);
}

/* The model's id is its file's name, which is also what scenarios call it. Caller frees. */
static char *id_of(const calibrate_flags *flags) {
  if (flags->id != NULL) return fw_copy_text(flags->id);
  if (flags->output == NULL) return fw_copy_text("model");
  const char *name = fw_path_name(flags->output);
  const char *dot = strrchr(name, '.');
  return fw_copy_bytes(name, dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
}

static fw_status check_flags(const calibrate_flags *flags, const fwi_operands *traces, fw_diagnostics *diagnostics) {
  if (flags->gpu == NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "--gpu: say on which GPU it was recorded, by the id of its file in models/gpu/");
  }
  if (flags->points && traces->count > 1) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--points: give one table");
  }
  if (flags->gpus > 65536) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--gpus: expected at most 65536");
  }
  return FW_OK;
}

/* The file is read back, so that nothing is written that a scenario would refuse. */
static fw_status check_model(const fw_text *model, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_job_model decoded;
  fw_status status = fw_json_parse(model->data, model->length, "calibrated model", &document, diagnostics);
  if (status == FW_OK) status = fw_job_model_decode(document, &decoded, diagnostics);
  if (status == FW_OK) fw_job_model_clear(&decoded);
  fw_json_free(document);
  return status;
}

static fw_status deliver(const calibrate_flags *flags, const fw_calibration *calibration, fw_diagnostics *diagnostics) {
  fw_text model = FW_TEXT_INIT;
  fw_text text = FW_TEXT_INIT;
  fw_calibration_model(calibration, &model);
  fw_status status = model.failed ? fw_error_memory(diagnostics, "a model") : check_model(&model, diagnostics);
  if (status == FW_OK && flags->output != NULL) {
    status = fw_file_write(flags->output, model.data, model.length, diagnostics);
  }
  if (status == FW_OK) {
    if (flags->json) {
      fw_report_calibration_json(calibration, diagnostics, &text);
    } else {
      fw_report_calibration_text(calibration, &text);
    }
    status = fwi_output(&text, NULL, diagnostics);
  }
  fw_text_clear(&model);
  fw_text_clear(&text);
  return status;
}

/* A scenario looks a GPU file up beside itself, which is where the model goes, and in the share. */
static fw_status warn_of_gpu(const calibrate_flags *flags, fw_diagnostics *diagnostics) {
  fw_text installed = FW_TEXT_INIT, name = FW_TEXT_INIT;
  fw_text_add_format(&installed, "%s/models/gpu/%s.json", fwi_share_folder(), flags->gpu);
  fw_text_add_format(&name, "%s.json", flags->gpu);
  char *beside = name.failed ? NULL : fw_path_beside(flags->output != NULL ? flags->output : "", name.data);
  const bool good = !installed.failed && beside != NULL;
  if (good && access(installed.data, R_OK) != 0 && access(beside, R_OK) != 0) {
    fw_warning(diagnostics, (fw_place){0},
               "--gpu %s: there is neither %s nor %s: write the GPU's file, or give the id of one that is there",
               flags->gpu, installed.data, beside);
  }
  free(beside);
  fw_text_clear(&name);
  fw_text_clear(&installed);
  return good ? FW_OK : fw_error_memory(diagnostics, "the name of a file");
}

static fw_status calibrate(const fwi_operands *traces, void *values, fw_diagnostics *diagnostics) {
  const calibrate_flags *flags = values;
  fw_occupancy_options runs[FWI_LIST_LIMIT];
  fw_calibrate_options options = {.runs = runs,
                                  .run_count = traces->count,
                                  .points = flags->points ? traces->values[0] : NULL,
                                  .point_gpus = (int64_t)flags->gpus,
                                  .gpu = flags->gpu,
                                  .source = flags->source,
                                  .ready_w = flags->ready_w,
                                  .resamples = (size_t)flags->resamples};
  fw_status status = check_flags(flags, traces, diagnostics);
  if (status == FW_OK) status = read_sharding(flags->sharding, &options.sharding, diagnostics);
  if (status == FW_OK) status = fwi_read_recording_flags(&flags->recording, traces, runs, diagnostics);
  if (status == FW_OK) status = warn_of_gpu(flags, diagnostics);
  if (status != FW_OK) return status;
  char *id = id_of(flags);
  if (id == NULL) return fw_error_memory(diagnostics, "the name of a model");
  options.id = id;
  fwi_progress progress = fwi_progress_start("calibrate");
  const fw_study_options study = {.threads = (unsigned)flags->threads,
                                  .progress = fwi_progress_show,
                                  .progress_context = &progress,
                                  .cancel = fwi_watch_interrupt()};
  fw_calibration calibration = {0};
  status = fw_calibrate(&options, &study, &calibration, diagnostics);
  fwi_progress_end(&progress);
  if (status == FW_OK) status = deliver(flags, &calibration, diagnostics);
  fw_calibration_clear(&calibration);
  free(id);
  return status;
}

static int run(int argc, char **argv) {
  calibrate_flags values = {.recording = FWI_RECORDING_DEFAULTS, .resamples = 200};
  const fwi_flag flags[] = {
      {"-o", FWI_FLAG_OUTPUT, &values.output, "FILE",
       "write the model there; without it nothing but the summary is made"},
      {"--gpu", FWI_FLAG_TEXT, &values.gpu, "ID", "GPU it was recorded on, as in models/gpu/ID.json"},
      {"--id", FWI_FLAG_TEXT, &values.id, "NAME", "name of the model (default: that of the file)"},
      {"--source", FWI_FLAG_TEXT, &values.source, "TEXT", "where the recordings come from, for the file's provenance"},
      {"--sharding", FWI_FLAG_TEXT, &values.sharding, "KIND", "of a job of several GPUs: layer or tensor"},
      FWI_RECORDING_FLAGS(values.recording),
      {"--points", FWI_FLAG_SWITCH, &values.points, NULL, "the file is a table of operating points, not a recording"},
      {"--gpus", FWI_FLAG_COUNT, &values.gpus, "N", "GPUs of a job in such a table"},
      {"--ready-power", FWI_FLAG_NUMBER, &values.ready_w, "W",
       "power of a GPU that stands ready, where no recording shows one (default: the least seen)"},
      {"--resamples", FWI_FLAG_UNSIGNED, &values.resamples, "N", "of the bootstrap behind the intervals (default 200)"},
      {"--threads", FWI_FLAG_COUNT, &values.threads, "N", "threads; results do not depend on it (default: all)"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print JSON instead of tables"},
  };
  const fwi_invocation invocation = {
      &fwi_calibrate_command, flags, sizeof flags / sizeof flags[0], calibrate, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}
