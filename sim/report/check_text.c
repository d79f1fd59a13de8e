/* A check for people: one line for each file, and below it whatever does not hold. */
#include "sim/report/check_words.h"
#include "sim/report/report.h"

static void add_failure(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out) {
  const fw_expectation *check = outcome->check;
  fw_text_add_format(out, "        line %zu: ", check->line);
  fwi_check_title(file, outcome, out);
  fw_text_add(out, "\n          expected  ");
  fwi_check_expected(file, outcome, out);
  fw_text_add(out, "\n          got       ");
  fwi_check_got(outcome, out);
  if (check->kind != FW_EXPECT_DIGEST) {
    fw_text_add(out, "\n          ");
    fwi_check_best_seed(outcome, out);
  }
  if (check->why != NULL) {
    fw_text_add_format(out, "\n          why: %s", check->why);
  }
  fw_text_add(out, "\n          again: ");
  fwi_check_rerun(file, outcome, check->policy, out);
  if (check->kind == FW_EXPECT_COMPARISON) {
    fw_text_add(out, "\n             and ");
    fwi_check_rerun(file, outcome, check->than, out);
  }
  fw_text_add(out, "\n");
}

static void add_file(const fw_check_file *file, fw_text *out) {
  static const char *const words[] = {"ok      ", "FAILED  ", "BROKEN  ", "nothing "};
  fw_text_add(out, words[file->state]);
  fw_text_add(out, file->path);
  switch (file->state) {
  case FW_CHECK_HOLDS:
    fw_text_add_format(out, ": %zu check%s, %zu runs\n", file->count, file->count == 1 ? "" : "s", file->runs);
    break;
  case FW_CHECK_FAILS:
    fw_text_add_format(out, ": %zu of %zu checks failed, %zu runs\n", file->failed, file->count, file->runs);
    break;
  case FW_CHECK_BROKEN:
    fw_text_add(out, "\n");
    fwi_check_messages(file, "        ", out);
    break;
  case FW_CHECK_NOTHING:
    fw_text_add(out, ": a sound scenario that expects nothing; give it \"expect\" (docs/check.md)\n");
    break;
  }
  for (size_t i = 0; i < file->count && file->state == FW_CHECK_FAILS; i++) {
    if (!file->outcomes[i].holds) {
      add_failure(file, &file->outcomes[i], out);
    }
  }
}

void fw_report_check_text(const fw_check_result *result, fw_text *out) {
  for (size_t i = 0; i < result->count; i++) {
    add_file(&result->files[i], out);
  }
  fw_text_add_format(out, "%zu file%s: %zu ok, %zu failed, %zu broken, %zu without checks; %zu checks, %zu runs\n",
                     result->count, result->count == 1 ? "" : "s", result->states[FW_CHECK_HOLDS],
                     result->states[FW_CHECK_FAILS], result->states[FW_CHECK_BROKEN], result->states[FW_CHECK_NOTHING],
                     result->checks, result->runs);
}

void fw_report_check_changes(const fw_check_file *file, const fw_check_changes *changes, fw_text *out) {
  for (size_t i = 0; i < changes->count; i++) {
    const fw_check_change *change = &changes->list[i];
    const fw_check_outcome *outcome = &file->outcomes[change->outcome];
    fw_text_add_format(out, "%s:%zu: ", file->path, outcome->check->line);
    fwi_check_title(file, outcome, out);
    fw_text_add(out, "\n  - ");
    fw_text_add_bytes(out, file->text.data + change->offset, change->length);
    fw_text_add_format(out, "\n  + %s\n", change->value);
  }
}
