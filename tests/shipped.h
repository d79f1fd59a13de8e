/* The scenario files that ship, for the tests and the fuzzer that go through all of them. */
#ifndef FW_TESTS_SHIPPED_H
#define FW_TESTS_SHIPPED_H

#include <criterion/criterion.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/study/check/check.h"

#define SHIPPED_FOLDER FW_SOURCE_DIR "/scenarios"

/* Calls `visit` with the path and text of each; returns how many there are. */
static inline size_t for_each_shipped(void (*visit)(const char *path, const fw_text *text)) {
  static const char *const folder[] = {SHIPPED_FOLDER};
  fw_paths paths = {0};
  cr_assert_eq(fw_check_gather(folder, 1, &paths, NULL), FW_OK);
  for (size_t i = 0; i < paths.count; i++) {
    fw_text text = FW_TEXT_INIT;
    cr_assert_eq(fw_file_read(paths.names[i], FW_JSON_SIZE_LIMIT, &text, NULL), FW_OK, "%s", paths.names[i]);
    visit(paths.names[i], &text);
    fw_text_clear(&text);
  }
  const size_t count = paths.count;
  fw_paths_clear(&paths);
  return count;
}

#endif
