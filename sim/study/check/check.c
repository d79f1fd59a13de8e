/* Files are read, their runs thrown into one pool, and each file is judged once its own have ended. */
#include "sim/study/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/base/memory.h"
#include "sim/study/check/check_judge.h"
#include "sim/study/check/check_runs.h"

/* ---- Which files ---- */

/* Whether a file says that it is another kind than a scenario. What cannot be read is no other kind: reading it will
 * say what is wrong. */
static bool is_other_kind(const char *path) {
  static const char prefix[] = "fleetwatt_";
  fw_json *document = NULL;
  bool other = false;
  if (fw_json_read(path, &document, NULL) == FW_OK) {
    const fw_json_value *root = fw_json_root(document);
    const fw_json_value *first = fw_json_type_of(root) == FW_JSON_OBJECT ? fw_json_first(root) : NULL;
    other = first != NULL && strncmp(fw_json_key(first), prefix, sizeof prefix - 1) == 0;
  }
  fw_json_free(document);
  return other;
}

static fw_status gather_folder(const char *folder, fw_paths *out, fw_diagnostics *diagnostics) {
  fw_paths files = {0};
  fw_status status = fw_folder_files(folder, ".json", &files, diagnostics);
  const size_t before = out->count;
  for (size_t i = 0; i < files.count && status == FW_OK; i++) {
    status = is_other_kind(files.names[i]) ? FW_OK : fw_paths_add(out, files.names[i], diagnostics);
  }
  if (status == FW_OK && out->count == before) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = folder}, "no scenario in this folder");
  }
  fw_paths_clear(&files);
  return status;
}

fw_status fw_check_gather(const char *const *operands, size_t count, fw_paths *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    status = fw_is_folder(operands[i]) ? gather_folder(operands[i], out, diagnostics)
                                       : fw_paths_add(out, operands[i], diagnostics);
  }
  return status;
}

/* ---- One file ---- */

static void read_file(fw_check_file *file, const fw_check_options *options) {
  const fw_scenario_overrides overrides = {.check_traces = true, .share = options->share};
  file->status = fw_file_read(file->path, FW_JSON_SIZE_LIMIT, &file->text, &file->diagnostics);
  if (file->status == FW_OK) {
    file->status = fw_scenario_parse(file->text.data, file->text.length, file->path, &overrides, &file->scenario,
                                     &file->diagnostics);
  }
}

/* The outcomes to be, each with its check. */
static fw_status list_checks(fw_check_file *file) {
  const fw_scenario *scenario = file->scenario;
  size_t count = 0;
  for (size_t b = 0; b < scenario->expect_count; b++) {
    count += scenario->expect[b].count;
  }
  file->outcomes = fw_allocate(count, sizeof *file->outcomes);
  if (file->outcomes == NULL) {
    return fw_error_memory(&file->diagnostics, "the checks of a file");
  }
  for (size_t b = 0; b < scenario->expect_count; b++) {
    for (size_t i = 0; i < scenario->expect[b].count; i++) {
      file->outcomes[file->count++] =
          (fw_check_outcome){.check = &scenario->expect[b].checks[i], .block = &scenario->expect[b]};
    }
  }
  return FW_OK;
}

/* The first fault among a file's runs, or that one did not end. */
static fw_status look_over(fw_check_file *file, const fwi_check_pool *pool, size_t from) {
  for (size_t i = from; i < from + file->runs; i++) {
    fwi_check_run *run = &pool->runs[i];
    if (!run->ended) {
      return fw_error(&file->diagnostics, FW_ERROR_FAULT, (fw_place){.file = file->path}, "not all of its runs ended");
    }
    if (run->status != FW_OK) {
      fw_diagnostics_append(&file->diagnostics, &run->diagnostics);
      return run->status;
    }
  }
  return FW_OK;
}

static void judge_file(fw_check_file *file, const fwi_check_pool *pool, size_t from) {
  file->status = file->status == FW_OK ? look_over(file, pool, from) : file->status;
  for (size_t i = 0; i < file->count && file->status == FW_OK; i++) {
    file->status = fwi_check_judge(pool, &file->outcomes[i], &file->diagnostics);
    file->failed += !file->outcomes[i].holds;
  }
  if (file->status == FW_OK && file->diagnostics.lost > 0) {
    file->status = fw_error_memory(&file->diagnostics, "the messages of a file");
  }
  if (file->status != FW_OK) {
    file->state = FW_CHECK_BROKEN;
  } else if (file->count == 0) {
    file->state = FW_CHECK_NOTHING;
  } else {
    file->state = file->failed > 0 ? FW_CHECK_FAILS : FW_CHECK_HOLDS;
  }
}

/* ---- All files ---- */

static fw_status read_all(const fw_paths *paths, const fw_check_options *options, fwi_check_pool *pool,
                          fw_check_result *out, fw_diagnostics *diagnostics) {
  out->files = fw_allocate(paths->count, sizeof *out->files);
  if (out->files == NULL) {
    return fw_error_memory(diagnostics, "the files of a check");
  }
  for (size_t i = 0; i < paths->count; i++) {
    fw_check_file *file = &out->files[out->count++];
    const size_t before = pool->run_count;
    file->path = fw_copy_text(paths->names[i]);
    if (file->path == NULL) {
      return fw_error_memory(diagnostics, "the files of a check");
    }
    read_file(file, options);
    file->status = file->status == FW_OK ? list_checks(file) : file->status;
    file->status = file->status == FW_OK ? fwi_check_plan(pool, file->scenario, &file->diagnostics) : file->status;
    file->runs = pool->run_count - before;
  }
  return FW_OK;
}

static void judge_all(const fwi_check_pool *pool, fw_check_result *out) {
  for (size_t i = 0; i < out->count; i++) {
    fw_check_file *file = &out->files[i];
    judge_file(file, pool, out->runs);
    out->states[file->state]++;
    out->checks += file->count;
    out->runs += file->runs;
    out->status = file->status > out->status ? file->status : out->status;
  }
}

fw_status fw_check(const fw_paths *paths, const fw_check_options *options, fw_check_result *out,
                   fw_diagnostics *diagnostics) {
  fwi_check_pool pool = {0};
  *out = (fw_check_result){0};
  fw_status status = read_all(paths, options, &pool, out, diagnostics);
  if (status == FW_OK) {
    status = fwi_check_perform(&pool, &options->study, diagnostics);
    if (pool.runs != NULL) {
      judge_all(&pool, out);
    }
  }
  fwi_check_pool_free(&pool);
  return status;
}

void fw_check_clear(fw_check_result *result) {
  for (size_t i = 0; i < result->count; i++) {
    fw_check_file *file = &result->files[i];
    free(file->path);
    fw_text_clear(&file->text);
    fw_scenario_free(file->scenario);
    fw_diagnostics_clear(&file->diagnostics);
    free(file->outcomes);
  }
  free(result->files);
  *result = (fw_check_result){0};
}
