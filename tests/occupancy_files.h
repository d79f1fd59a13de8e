/* The files that say what a job did, in a folder of their own: written, read, and refused with a line. */
#ifndef FW_TESTS_OCCUPANCY_FILES_H
#define FW_TESTS_OCCUPANCY_FILES_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "traces/occupancy.h"

static char folder[] = "/tmp/fleetwatt_occupancy_XXXXXX";
static char trace_path[256], counters_path[256], phases_path[256];

static inline void make_files(void) {
  cr_assert_not_null(mkdtemp(folder));
  (void)snprintf(trace_path, sizeof trace_path, "%s/trace.csv", folder);
  (void)snprintf(counters_path, sizeof counters_path, "%s/counters.csv", folder);
  (void)snprintf(phases_path, sizeof phases_path, "%s/phases.csv", folder);
}

static inline void remove_files(void) {
  (void)unlink(trace_path);
  (void)unlink(counters_path);
  (void)unlink(phases_path);
  (void)rmdir(folder);
}

static inline void put(const char *path, const char *text) {
  cr_assert_eq(fw_file_write(path, text, strlen(text), NULL), FW_OK);
}

static inline fw_occupancy read_good(const fw_occupancy_options *options) {
  fw_occupancy out;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_occupancy_read(options, &out, &diagnostics), FW_OK, "%s",
               diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  cr_expect_eq(out.by_utilization, options->utilization);
  fw_diagnostics_clear(&diagnostics);
  return out;
}

static inline void refuse(const fw_occupancy_options *options, size_t line, const char *words) {
  fw_occupancy out;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_expect_eq(fw_occupancy_read(options, &out, &diagnostics), FW_ERROR_INPUT, "%s", words);
  cr_assert_gt(diagnostics.error_count, 0);
  const fw_diagnostic *last = &diagnostics.entries[diagnostics.count - 1];
  cr_expect_not_null(strstr(last->message, words), "\"%s\" is not in \"%s\"", words, last->message);
  cr_expect_eq(last->line, line, "%s: line %zu", words, last->line);
  fw_diagnostics_clear(&diagnostics);
}

/* `text` in the file of `path` is refused. */
static inline void refuse_file(const fw_occupancy_options *options, const char *path, const char *text, size_t line,
                               const char *words) {
  put(path, text);
  refuse(options, line, words);
}

#endif
