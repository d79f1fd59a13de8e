/* The scenario files that ship, for the tests and the fuzzer that go through all of them. */
#ifndef FW_TESTS_SHIPPED_H
#define FW_TESTS_SHIPPED_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json.h"

#define SHIPPED_FOLDER FW_SOURCE_DIR "/scenarios"

/* Calls `visit` with the path and text of each; returns how many there are. */
static inline size_t for_each_shipped(void (*visit)(const char *path, const fw_text *text)) {
  DIR *folder = opendir(SHIPPED_FOLDER);
  cr_assert_not_null(folder);
  size_t count = 0;
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    const char *suffix = strrchr(entry->d_name, '.');
    if (suffix == NULL || strcmp(suffix, ".json") != 0) continue;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", SHIPPED_FOLDER, entry->d_name);
    fw_text text = FW_TEXT_INIT;
    cr_assert_eq(fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, NULL), FW_OK, "%s", path);
    visit(path, &text);
    fw_text_clear(&text);
    count++;
  }
  (void)closedir(folder);
  return count;
}

#endif
