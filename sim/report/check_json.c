/* A check as JSON (docs/check.md). */
#include "sim/report/check_words.h"
#include "sim/report/json_out.h"
#include "sim/report/report.h"

typedef void (*add_words)(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out);

static void add_string(fwi_json_out *object, const char *key, add_words words, const fw_check_file *file,
                       const fw_check_outcome *outcome) {
  fw_text text = FW_TEXT_INIT;
  words(file, outcome, &text);
  if (text.failed) {
    object->text->failed = true;
  } else {
    fwi_json_string(object, key, text.data);
  }
  fw_text_clear(&text);
}

static void again(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out) {
  fwi_check_rerun(file, outcome, outcome->check->policy, out);
}

static void add_check(fwi_json_out *list, const fw_check_file *file, const fw_check_outcome *outcome) {
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_unsigned(&object, "line", outcome->check->line);
  fwi_json_string(&object, "kind", fwi_check_kind_names[outcome->check->kind]);
  add_string(&object, "what", fwi_check_title, file, outcome);
  fwi_json_bool(&object, "holds", outcome->holds);
  add_string(&object, "expected", fwi_check_expected, file, outcome);
  if (outcome->check->kind == FW_EXPECT_DIGEST) {
    fwi_json_string(&object, "got", outcome->digest);
  } else {
    fwi_json_estimate(&object, "got", outcome->got);
    fwi_json_number(&object, "seed_value", outcome->seed_value);
  }
  fwi_json_unsigned(&object, "seeds", outcome->seeds);
  fwi_json_unsigned(&object, "seed", outcome->seed);
  if (outcome->check->why != NULL) {
    fwi_json_string(&object, "why", outcome->check->why);
  }
  add_string(&object, "again", again, file, outcome);
  fwi_json_close(&object, '}');
}

static void add_file(fwi_json_out *list, const fw_check_file *file) {
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "path", file->path);
  fwi_json_string(&object, "state", fwi_check_state_names[file->state]);
  if (file->scenario != NULL) {
    fwi_json_string(&object, "scenario", file->scenario->name);
    fwi_json_string(&object, "scenario_hash", file->scenario->hash);
  }
  fwi_json_unsigned(&object, "runs", file->runs);
  fwi_json_warnings(&object, &file->diagnostics);
  fwi_json_out messages = fwi_json_open(&object, "errors", '[');
  for (size_t i = 0; i < file->diagnostics.count; i++) {
    char line[2048];
    if (file->diagnostics.entries[i].severity == FW_SEVERITY_ERROR) {
      (void)fw_diagnostic_format(&file->diagnostics.entries[i], line, sizeof line);
      fwi_json_string(&messages, NULL, line);
    }
  }
  fwi_json_close(&messages, ']');
  fwi_json_out checks = fwi_json_open(&object, "checks", '[');
  for (size_t i = 0; i < file->count && file->state != FW_CHECK_BROKEN; i++) {
    add_check(&checks, file, &file->outcomes[i]);
  }
  fwi_json_close(&checks, ']');
  fwi_json_close(&object, '}');
}

void fw_report_check_json(const fw_check_result *result, fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "check");
  for (size_t state = 0; state <= FW_CHECK_NOTHING; state++) {
    fwi_json_unsigned(&object, fwi_check_state_names[state], result->states[state]);
  }
  fwi_json_unsigned(&object, "runs", result->runs);
  fwi_json_out files = fwi_json_open(&object, "files", '[');
  for (size_t i = 0; i < result->count; i++) {
    add_file(&files, &result->files[i]);
  }
  fwi_json_close(&files, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}
