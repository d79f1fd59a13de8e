/* A stored study as CSV: one row for each run and figure, numbers to the last bit. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/report/report.h"
#include "sim/report/stored_settings.h"

/* A cell as RFC 4180 wants it. */
static void add_cell(fw_text *out, const char *text) {
  if (text[strcspn(text, "\",\r\n")] == '\0') {
    fw_text_add(out, text);
    return;
  }
  fw_text_add(out, "\"");
  for (const char *c = text; *c != '\0'; c++) {
    fw_text_add_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  }
  fw_text_add(out, "\"");
}

static void add_exact(fw_text *out, double value) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  fw_text_add(out, ",");
  if (isfinite(value)) {
    fw_text_add(out, fw_number_format_exact(value, buffer));
  }
}

/* What all rows of an arm begin with. */
static void add_arm_head(const fw_stored_study *study, const fwi_settings *settings, size_t point,
                         const fw_stored_arm *arm, fw_text *out) {
  add_cell(out, study->name);
  fw_text_add_format(out, ",%zu", point);
  for (size_t key = 0; key < settings->key_count; key++) {
    fw_text value = FW_TEXT_INIT;
    fwi_settings_value(settings, point, key, &value);
    fw_text_add(out, ",");
    if (value.data != NULL) {
      add_cell(out, value.data);
    }
    fw_text_clear(&value);
  }
  fw_text_add(out, ",");
  add_cell(out, arm->policy);
  add_exact(out, arm->budget > 0 ? arm->oversubscription : (double)NAN);
  add_exact(out, arm->budget > 0 ? fw_power_to_watts(arm->budget) : (double)NAN);
}

static void add_arm(const fw_stored_study *study, const fwi_settings *settings, size_t point, const fw_stored_arm *arm,
                    fw_text *out) {
  fw_text head = FW_TEXT_INIT;
  add_arm_head(study, settings, point, arm, &head);
  out->failed = out->failed || head.failed;
  for (size_t run = 0; !out->failed && run < arm->runs; run++) {
    for (size_t m = 0; m < arm->metric_count; m++) {
      const fw_stored_metric *metric = &arm->metrics[m];
      char window[FW_UNITS_TEXT_SIZE];
      fw_text_add_bytes(out, head.data, head.length);
      fw_text_add_format(out, ",%" PRIu64 ",%s,%s", arm->seeds[run], metric->name,
                         metric->window > 0 ? fw_time_format(metric->window, window) : "");
      add_exact(out, metric->values[run]);
      fw_text_add(out, "\n");
    }
  }
  fw_text_clear(&head);
}

void fw_report_stored_csv(const fw_stored_study *study, fw_text *out) {
  fwi_settings settings = fwi_settings_read(study);
  fw_text_add(out, "study,point");
  for (size_t key = 0; key < settings.key_count; key++) {
    fw_text_add(out, ",");
    add_cell(out, settings.keys[key]);
  }
  fw_text_add(out, ",policy,ratio,budget_w,seed,metric,window_s,value\n");
  for (size_t p = 0; !settings.failed && p < study->point_count; p++) {
    for (size_t a = 0; a < study->points[p].arm_count; a++) {
      add_arm(study, &settings, p, &study->points[p].arms[a], out);
    }
  }
  out->failed = out->failed || settings.failed;
  fwi_settings_free(&settings);
}
