/* A check for build servers: JUnit XML (the schema of Jenkins' xUnit plugin: suites of cases) and TAP, version 14
 * (testanything.org). A file is a suite; a broken one is a suite of one case that is an error. */
#include <string.h>

#include "sim/report/check_words.h"
#include "sim/report/report.h"

/* Markup escaped; what XML 1.0 cannot hold at all becomes a question mark. */
static void add_xml(const char *text, fw_text *out) {
  for (const char *at = text; *at != '\0'; at++) {
    const unsigned char byte = (unsigned char)*at;
    if (byte == '&') {
      fw_text_add(out, "&amp;");
    } else if (byte == '<') {
      fw_text_add(out, "&lt;");
    } else if (byte == '>') {
      fw_text_add(out, "&gt;");
    } else if (byte == '"') {
      fw_text_add(out, "&quot;");
    } else if (byte < 0x20 && byte != '\n' && byte != '\t') {
      fw_text_add(out, "?");
    } else {
      fw_text_add_bytes(out, at, 1);
    }
  }
}

/* What does not hold, in one line: services show it beside the name. */
static void add_gist(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out) {
  fw_text_add(out, "expected ");
  fwi_check_expected(file, outcome, out);
  fw_text_add(out, ", got ");
  fwi_check_got(outcome, out);
}

/* The same in a few lines, with how to see it. */
static void explain(const fw_check_file *file, const fw_check_outcome *outcome, const char *indent, fw_text *out) {
  fw_text_add_format(out, "%sexpected: ", indent);
  fwi_check_expected(file, outcome, out);
  fw_text_add_format(out, "\n%sgot: ", indent);
  fwi_check_got(outcome, out);
  if (outcome->check->kind != FW_EXPECT_DIGEST) {
    fw_text_add_format(out, "\n%s", indent);
    fwi_check_best_seed(outcome, out);
  }
  if (outcome->check->why != NULL) {
    fw_text_add_format(out, "\n%swhy: %s", indent, outcome->check->why);
  }
  fw_text_add_format(out, "\n%sagain: ", indent);
  fwi_check_rerun(file, outcome, outcome->check->policy, out);
  fw_text_add(out, "\n");
}

/* ---- JUnit ---- */

static void add_escaped(fw_text *plain, fw_text *out) {
  out->failed = out->failed || plain->failed;
  if (!out->failed && plain->data != NULL) {
    add_xml(plain->data, out);
  }
  fw_text_clear(plain);
}

static void add_case(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out) {
  fw_text title = FW_TEXT_INIT;
  fw_text gist = FW_TEXT_INIT;
  fw_text message = FW_TEXT_INIT;
  fw_text_add_format(&title, "line %zu: ", outcome->check->line);
  fwi_check_title(file, outcome, &title);
  fw_text_add(out, "    <testcase classname=\"");
  add_xml(file->path, out);
  fw_text_add(out, "\" name=\"");
  add_escaped(&title, out);
  if (outcome->holds) {
    fw_text_add(out, "\"/>\n");
    return;
  }
  fw_text_add(out, "\">\n      <failure type=\"");
  fw_text_add(out, fwi_check_kind_names[outcome->check->kind]);
  fw_text_add(out, "\" message=\"");
  add_gist(file, outcome, &gist);
  add_escaped(&gist, out);
  fw_text_add(out, "\">\n");
  explain(file, outcome, "", &message);
  add_escaped(&message, out);
  fw_text_add(out, "      </failure>\n    </testcase>\n");
}

static void add_broken_case(const fw_check_file *file, fw_text *out) {
  fw_text messages = FW_TEXT_INIT;
  fwi_check_messages(file, "", &messages);
  fw_text_add(out, "    <testcase classname=\"");
  add_xml(file->path, out);
  fw_text_add(out, "\" name=\"runs\">\n      <error type=\"broken\" message=\"cannot be checked\">\n");
  add_escaped(&messages, out);
  fw_text_add(out, "      </error>\n    </testcase>\n");
}

void fw_report_check_junit(const fw_check_result *result, fw_text *out) {
  size_t failed = 0;
  size_t tests = result->states[FW_CHECK_BROKEN];
  for (size_t i = 0; i < result->count; i++) {
    failed += result->files[i].failed;
    tests += result->files[i].state != FW_CHECK_BROKEN ? result->files[i].count : 0;
  }
  fw_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  fw_text_add_format(out, "<testsuites name=\"fleetwatt check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                     tests, failed, result->states[FW_CHECK_BROKEN]);
  for (size_t i = 0; i < result->count; i++) {
    const fw_check_file *file = &result->files[i];
    const bool broken = file->state == FW_CHECK_BROKEN;
    fw_text_add(out, "  <testsuite name=\"");
    add_xml(file->path, out);
    fw_text_add_format(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\">\n", broken ? 1 : file->count,
                       file->failed, broken);
    for (size_t c = 0; c < file->count && !broken; c++) {
      add_case(file, &file->outcomes[c], out);
    }
    if (broken) {
      add_broken_case(file, out);
    }
    fw_text_add(out, "  </testsuite>\n");
  }
  fw_text_add(out, "</testsuites>\n");
}

/* ---- TAP ---- */

/* A description: '#' would begin a directive. */
static void add_description(fw_text *plain, fw_text *out) {
  out->failed = out->failed || plain->failed;
  for (const char *at = plain->data; !out->failed && at != NULL && *at != '\0'; at++) {
    fw_text_add(out, *at == '#' || *at == '\\' ? "\\" : "");
    fw_text_add_bytes(out, at, 1);
  }
  fw_text_clear(plain);
}

static void add_point(bool holds, size_t *number, fw_text *description, fw_text *out) {
  fw_text_add_format(out, "%s %zu - ", holds ? "ok" : "not ok", ++*number);
  add_description(description, out);
}

static void add_tap_file(const fw_check_file *file, size_t *number, fw_text *out) {
  for (size_t i = 0; i < file->count && file->state != FW_CHECK_BROKEN; i++) {
    const fw_check_outcome *outcome = &file->outcomes[i];
    fw_text title = FW_TEXT_INIT;
    fw_text_add_format(&title, "%s:%zu: ", file->path, outcome->check->line);
    fwi_check_title(file, outcome, &title);
    add_point(outcome->holds, number, &title, out);
    fw_text_add(out, "\n");
    if (!outcome->holds) {
      fw_text_add(out, "  ---\n  explanation: |\n");
      explain(file, outcome, "    ", out);
      fw_text_add(out, "  ...\n");
    }
  }
  if (file->state == FW_CHECK_BROKEN || file->state == FW_CHECK_NOTHING) {
    fw_text title = FW_TEXT_INIT;
    fw_text_add(&title, file->path);
    add_point(file->state == FW_CHECK_NOTHING, number, &title, out);
    fw_text_add(out, file->state == FW_CHECK_NOTHING ? " # SKIP expects nothing\n" : "\n  ---\n  explanation: |\n");
    if (file->state == FW_CHECK_BROKEN) {
      fwi_check_messages(file, "    ", out);
      fw_text_add(out, "  ...\n");
    }
  }
}

void fw_report_check_tap(const fw_check_result *result, fw_text *out) {
  size_t points = 0;
  for (size_t i = 0; i < result->count; i++) {
    const fw_check_file *file = &result->files[i];
    points += file->state == FW_CHECK_BROKEN || file->state == FW_CHECK_NOTHING ? 1 : file->count;
  }
  fw_text_add_format(out, "TAP version 14\n1..%zu\n", points);
  size_t number = 0;
  for (size_t i = 0; i < result->count; i++) {
    add_tap_file(&result->files[i], &number, out);
  }
}
