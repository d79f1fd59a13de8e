/* Walks down by itself: nftw keeps its context in globals and its order is the file system's. */
#include "sim/base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"

enum { REASON_SIZE = 128 };

fw_status fw_paths_add(fw_paths *paths, const char *path, fw_diagnostics *diagnostics) {
  char *copy = fw_copy_text(path);
  if (copy == NULL || !fw_grow(&paths->names, &paths->capacity, paths->count + 1, sizeof(char *))) {
    free(copy);
    return fw_error_memory(diagnostics, "a list of files");
  }
  paths->names[paths->count++] = copy;
  return FW_OK;
}

void fw_paths_clear(fw_paths *paths) {
  for (size_t i = 0; i < paths->count; i++) {
    free(paths->names[i]);
  }
  free(paths->names);
  *paths = (fw_paths){0};
}

bool fw_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static fw_status refuse(const char *folder, int error, fw_diagnostics *diagnostics) {
  char reason[REASON_SIZE];
  if (strerror_r(error, reason, sizeof reason) != 0) {
    (void)snprintf(reason, sizeof reason, "error %d", error);
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = folder}, "cannot read the folder: %s", reason);
}

/* A path below `folder`. */
static fw_status add_entry(const char *folder, const char *name, fw_paths *entries, fw_diagnostics *diagnostics) {
  const size_t length = strlen(folder);
  fw_text path = FW_TEXT_INIT;
  fw_text_add(&path, folder);
  fw_text_add(&path, length > 0 && folder[length - 1] == '/' ? "" : "/");
  fw_text_add(&path, name);
  const fw_status status =
      path.failed ? fw_error_memory(diagnostics, "a list of files") : fw_paths_add(entries, path.data, diagnostics);
  fw_text_clear(&path);
  return status;
}

static int by_bytes(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Everything in `folder` that is not hidden, sorted. */
static fw_status list(const char *folder, fw_paths *entries, fw_diagnostics *diagnostics) {
  DIR *stream = opendir(folder);
  if (stream == NULL) {
    return refuse(folder, errno, diagnostics);
  }
  fw_status status = FW_OK;
  errno = 0;
  for (const struct dirent *entry = readdir(stream); entry != NULL && status == FW_OK; entry = readdir(stream)) {
    if (entry->d_name[0] != '.') {
      status = add_entry(folder, entry->d_name, entries, diagnostics);
    }
    errno = 0;
  }
  if (status == FW_OK && errno != 0) {
    status = refuse(folder, errno, diagnostics);
  }
  (void)closedir(stream);
  if (entries->count > 0) {
    qsort(entries->names, entries->count, sizeof(char *), by_bytes);
  }
  return status;
}

static bool ends_in(const char *path, const char *suffix) {
  const size_t length = strlen(path);
  const size_t end = strlen(suffix);
  return length >= end && strcmp(path + length - end, suffix) == 0;
}

fw_status fw_folder_files(const char *folder, const char *suffix, fw_paths *out, fw_diagnostics *diagnostics) {
  fw_paths entries = {0};
  fw_status status = list(folder, &entries, diagnostics);
  for (size_t i = 0; i < entries.count && status == FW_OK; i++) {
    struct stat kind;
    if (lstat(entries.names[i], &kind) != 0) {
      status = refuse(entries.names[i], errno, diagnostics);
    } else if (S_ISDIR(kind.st_mode)) {
      status = fw_folder_files(entries.names[i], suffix, out, diagnostics);
    } else if (ends_in(entries.names[i], suffix)) {
      status = fw_paths_add(out, entries.names[i], diagnostics);
    }
  }
  fw_paths_clear(&entries);
  return status;
}
