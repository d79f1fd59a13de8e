/* What lies in a folder. */
#ifndef FW_BASE_FOLDER_H
#define FW_BASE_FOLDER_H

#include "sim/base/diagnostics.h"

/* A growing list of paths; start with {0}, free with fw_paths_clear. */
typedef struct fw_paths {
  char **names; /* each owned */
  size_t count;
  size_t capacity;
} fw_paths;

/* Adds a copy. */
fw_status fw_paths_add(fw_paths *paths, const char *path, fw_diagnostics *diagnostics);
void fw_paths_clear(fw_paths *paths);

/* Whether `path` is a folder. What is not there is none. */
bool fw_is_folder(const char *path);

/* Adds every file in `folder` and the folders in it whose name ends in `suffix` (".json"), in the order of their bytes,
 * which does not depend on the file system. Hidden names (with a dot in front) are left out, and links to folders are
 * not followed, so that there is an end. A folder that cannot be read is FW_ERROR_INPUT. */
fw_status fw_folder_files(const char *folder, const char *suffix, fw_paths *out, fw_diagnostics *diagnostics);

#endif
