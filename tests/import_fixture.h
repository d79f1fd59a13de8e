/* Imports of small logs, for the tests of the importers. */
#ifndef FW_TESTS_IMPORT_FIXTURE_H
#define FW_TESTS_IMPORT_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/report/import_report.h"
#include "tests/figures.h"
#include "traces/import.h"

typedef struct imported {
  fw_status status;
  fw_import_report report;
  fw_trace trace;
  fw_diagnostics diagnostics;
} imported;

static inline void imported_clear(imported *out) {
  fw_import_report_clear(&out->report);
  fw_trace_clear(&out->trace);
  fw_diagnostics_clear(&out->diagnostics);
}

static inline void import_inputs(imported *out, const fw_import_input *inputs, size_t count,
                                 const fw_import_options *options) {
  *out = (imported){.diagnostics = FW_DIAGNOSTICS_INIT};
  out->status = fw_import_trace(inputs, count, options, &out->trace, &out->report, &out->diagnostics);
  cr_assert_eq(out->status == FW_OK, out->diagnostics.error_count == 0, "an error is reported, and only then");
  cr_assert(out->status != FW_OK || out->report.sample_count > 0, "no samples is never a success");
}

static inline void import_bytes(imported *out, const char *text, size_t length, const fw_import_options *options) {
  const fw_import_input input = {"log", text, length};
  import_inputs(out, &input, 1, options);
}

static inline void import_text(imported *out, const char *text, const fw_import_options *options) {
  import_bytes(out, text, strlen(text), options);
}

static inline void import_case(imported *out, const char *name, const char *file, const fw_import_options *options) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/cases/%s/%s", FW_SOURCE_DIR, name, file);
  const fw_import_input input = {.name = path};
  import_inputs(out, &input, 1, options);
}

/* The line of the first message that holds `part`; 0 without a line, SIZE_MAX when there is none. */
static inline size_t message_line(const imported *in, const char *part) {
  for (size_t i = 0; i < in->diagnostics.count; i++) {
    if (strstr(in->diagnostics.entries[i].message, part) != NULL) return in->diagnostics.entries[i].line;
  }
  return SIZE_MAX;
}

static inline bool says(const imported *in, const char *part) {
  return message_line(in, part) != SIZE_MAX;
}

static inline const fw_import_gpu *gpu_of(const imported *in, const char *name) {
  size_t i = 0;
  while (i < in->report.gpu_count && strcmp(in->report.gpus[i].gpu, name) != 0)
    i++;
  cr_assert_lt(i, in->report.gpu_count, "no GPU %s", name);
  return &in->report.gpus[i];
}

static inline const fw_series *series_of(const imported *in, const char *name) {
  size_t i = 0;
  while (i < in->trace.series_count && strcmp(in->trace.series[i].gpu, name) != 0)
    i++;
  cr_assert_lt(i, in->trace.series_count, "no series %s", name);
  return &in->trace.series[i];
}

/* The line of the n-th event of a kind; 0 when there are fewer. */
static inline size_t event_line(const imported *in, fw_import_decision decision, size_t n) {
  for (size_t i = 0; i < in->report.event_count; i++) {
    if (in->report.events[i].decision == decision && n-- == 0) return in->report.events[i].line;
  }
  return 0;
}

static inline void expect_powers(const fw_series *series, const fw_power_mw *mw, size_t count) {
  cr_assert_eq(series->count, count, "%zu samples", series->count);
  for (size_t i = 0; i < count; i++)
    cr_expect_eq(series->power[i], mw[i], "sample %zu is %lld mW", i, (long long)series->power[i]);
}

/* Readings and times are decimal numbers held exactly, so a mean is off by a few units of a double's last place. */
#define FEW_ULP 1e-9
static inline bool near(double value, double expected) {
  return fabs(value - expected) <= FEW_ULP * fabs(expected);
}

static inline double joules(fw_energy_pj energy) {
  return fw_energy_to_joules(energy);
}

/* No report and no message shows the figure. Energies are in J and Wh there, powers in W. */
static inline void expect_never(const imported *in, double figure) {
  fw_text text = FW_TEXT_INIT, json = FW_TEXT_INIT;
  if (in->status == FW_OK) {
    fw_report_import_text(&in->report, false, &text);
    fw_report_import_json(&in->report, false, &in->diagnostics, &json);
    cr_assert_not(text.failed || json.failed);
    cr_expect_not(shows_figure(text.data, figure), "%g is in\n%s", figure, text.data);
    cr_expect_not(shows_figure(json.data, figure), "%g is in\n%s", figure, json.data);
  }
  for (size_t i = 0; i < in->diagnostics.count; i++)
    cr_expect_not(shows_figure(in->diagnostics.entries[i].message, figure), "%s", in->diagnostics.entries[i].message);
  fw_text_clear(&text);
  fw_text_clear(&json);
}

#endif
