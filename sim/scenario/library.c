/* Parameter files: looked up beside the scenario, then in the installed share, and read once. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/scenario/resolve.h"

#define PARAMETER_FILE_LIMIT ((size_t)16 * 1024 * 1024)

fw_status fwi_hash_file(fwi_resolve *resolve, const char *path) {
  fw_text content = FW_TEXT_INIT;
  const fw_status status = fw_file_read(path, SIZE_MAX / 2, &content, resolve->diagnostics);
  if (status == FW_OK) {
    resolve->parts->hash = fw_hash_bytes(resolve->parts->hash, content.data, content.length);
  }
  fw_text_clear(&content);
  return status;
}

static char *file_name(const char *prefix, const char *name) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, "%s%s.json", prefix, name);
  if (text.failed) {
    fw_text_clear(&text);
  }
  return text.data;
}

/* "SHARE/models/FOLDER" with a slash at the end, or NULL without a share. */
static char *installed_folder(const fwi_resolve *resolve, const char *folder) {
  const char *share = resolve->overrides != NULL ? resolve->overrides->share : NULL;
  fw_text text = FW_TEXT_INIT;
  if (share != NULL) {
    fw_text_add_format(&text, "%s/models/%s", share, folder);
  }
  return text.data;
}

/* `plain` beside the scenario, or else `installed`, which may be NULL. Frees both but for the one that is `path`. */
static fw_status choose_file(const fwi_resolve *resolve, const char *plain, char *installed, const fw_json_value *place,
                             char **path) {
  char *beside = fw_path_beside(resolve->path, plain);
  fw_status status = FW_OK;
  *path = NULL;
  if (beside == NULL) {
    status = fw_error_memory(resolve->diagnostics, "the name of a parameter file");
  } else if (access(beside, R_OK) == 0) {
    *path = beside;
  } else if (installed != NULL && access(installed, R_OK) == 0) {
    *path = installed;
  } else {
    status = fw_json_error(place, resolve->diagnostics, "no file %s%s%s can be read", beside,
                           installed != NULL ? ", nor " : "", installed != NULL ? installed : "");
  }
  if (*path != beside) {
    free(beside);
  }
  if (*path != installed) {
    free(installed);
  }
  return status;
}

fw_status fwi_find_file(fwi_resolve *resolve, const char *folder, const char *name, const fw_json_value *place,
                        char **path) {
  char *plain = file_name("", name);
  char *share = installed_folder(resolve, folder);
  char *installed = share != NULL ? file_name(share, name) : NULL;
  *path = NULL;
  const bool whole = plain != NULL && (share == NULL || installed != NULL);
  const fw_status status = whole ? choose_file(resolve, plain, installed, place, path)
                                 : fw_error_memory(resolve->diagnostics, "the name of a parameter file");
  if (!whole) {
    free(installed);
  }
  free(plain);
  free(share);
  return status;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  const size_t wanted = strlen(end);
  return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

fw_status fwi_find_policy_file(const fwi_resolve *resolve, const fw_policy_file *file, const char *name,
                               const fw_json_value *place, char **path) {
  const char *share = resolve->overrides != NULL ? resolve->overrides->share : NULL;
  fw_text plain = FW_TEXT_INIT;
  fw_text installed = FW_TEXT_INIT;
  fw_text_add_format(&plain, "%s%s", name, ends_with(name, file->extension) ? "" : file->extension);
  if (share != NULL && !plain.failed) {
    fw_text_add_format(&installed, "%s/%s/%s", share, file->folder, plain.data);
  }
  *path = NULL;
  fw_status status = FW_OK;
  if (plain.failed || installed.failed) {
    fw_text_clear(&installed);
    status = fw_error_memory(resolve->diagnostics, "the name of a policy's file");
  } else {
    status = choose_file(resolve, plain.data, installed.data, place, path);
  }
  fw_text_clear(&plain);
  return status;
}

static fw_status read_model(fwi_resolve *resolve, const char *name, const fw_json_value *place, fw_job_model **out) {
  char *path = NULL;
  fw_status status = fwi_find_file(resolve, "", name, place, &path);
  fw_job_model *model = fw_allocate(1, sizeof *model);
  if (status == FW_OK && model == NULL) {
    status = fw_error_memory(resolve->diagnostics, "a job model");
  }
  if (status == FW_OK) {
    status = fw_job_model_read(path, model, resolve->diagnostics);
  }
  if (status == FW_OK) {
    status = fwi_hash_file(resolve, path);
    if (status != FW_OK) {
      fw_job_model_clear(model);
    }
  }
  free(path);
  if (status != FW_OK) {
    free(model);
    return status;
  }
  *out = model;
  return FW_OK;
}

fw_status fwi_find_model(fwi_resolve *resolve, const char *name, const fw_json_value *place, const fw_job_model **out) {
  fw_scenario_parts *parts = resolve->parts;
  for (size_t i = 0; i < parts->model_count; i++) {
    if (strcmp(parts->model_names[i], name) == 0) {
      *out = parts->models[i];
      return FW_OK;
    }
  }
  const size_t needed = parts->model_count + 1;
  if (!fw_grow(&parts->models, &parts->model_capacity, needed, sizeof *parts->models) ||
      !fw_grow(&parts->model_names, &parts->model_names_capacity, needed, sizeof *parts->model_names)) {
    return fw_error_memory(resolve->diagnostics, "the job models");
  }
  char *copy = fw_copy_text(name);
  if (copy == NULL) {
    return fw_error_memory(resolve->diagnostics, "the name of a job model");
  }
  fw_job_model *model = NULL;
  const fw_status status = read_model(resolve, name, place, &model);
  if (status != FW_OK) {
    free(copy);
    return status;
  }
  parts->models[parts->model_count] = model;
  parts->model_names[parts->model_count++] = copy;
  *out = model;
  return FW_OK;
}
