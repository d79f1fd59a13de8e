/* Checks in words. Figures carry 6 digits, and more only where expected and got would look the same. */
#include "sim/report/check_words.h"

#include <math.h>
#include <string.h>

#define DIGITS 6
#define SAME_LOOKING_DIGITS 17
#define MESSAGE_SIZE ((size_t)2048)

const char *const fwi_check_kind_names[] = {"digest", "range", "comparison", "recorded"};
const char *const fwi_check_state_names[] = {"ok", "failed", "broken", "nothing"};

static const char *policy_name(const fw_check_file *file, size_t policy) {
  return file->scenario->policies[policy].name;
}

static void add_ratio(const fw_check_file *file, const fw_check_outcome *outcome, const char *before, fw_text *out) {
  const fw_scenario_budget *budget = &file->scenario->budgets[outcome->check->budget];
  if (file->scenario->budget_count > 1) {
    fw_text_add(out, before);
    fw_text_add_number(out, budget->oversubscription, 15);
  }
}

void fwi_check_title(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out) {
  const fw_expectation *check = outcome->check;
  char window[FW_UNITS_TEXT_SIZE];
  if (check->kind == FW_EXPECT_DIGEST) {
    fw_text_add_format(out, "digest of seed %llu", (unsigned long long)check->seed);
  } else {
    fw_text_add(out, fw_metric_table[check->metric].name);
    if (fw_metric_table[check->metric].windowed) {
      fw_text_add_format(out, " at %s s", fw_time_format(file->scenario->windows[check->window], window));
    }
  }
  fw_text_add_format(out, ", %s", policy_name(file, check->policy));
  if (check->kind == FW_EXPECT_COMPARISON) {
    fw_text_add_format(out, " %s %s", check->above ? "above" : "below", policy_name(file, check->than));
  }
  add_ratio(file, outcome, ", oversubscription ", out);
}

static void add_tolerance(const fw_expectation *check, fw_text *out) {
  static const char *const before[] = {" within ", " within ", " within a factor of "};
  fw_text_add(out, before[check->tolerance_kind]);
  fw_text_add_number(out, check->tolerance_kind == FW_EXPECT_RELATIVE ? 100.0 * check->tolerance : check->tolerance,
                     DIGITS);
  fw_text_add(out, check->tolerance_kind == FW_EXPECT_RELATIVE ? " %" : "");
}

static void add_range(const fw_expectation *check, fw_text *out) {
  if (isfinite(check->least)) {
    fw_text_add(out, "at least ");
    fw_text_add_number(out, check->least, DIGITS);
  }
  if (isfinite(check->most)) {
    fw_text_add(out, isfinite(check->least) ? " and at most " : "at most ");
    fw_text_add_number(out, check->most, DIGITS);
  }
}

/* So many digits that a miss can be seen. */
static int digits_of(const fw_check_outcome *outcome) {
  char expected[FW_NUMBER_TEXT_SIZE];
  char got[FW_NUMBER_TEXT_SIZE];
  const bool same = outcome->check->kind == FW_EXPECT_RECORDED && !outcome->holds &&
                    strcmp(fw_number_format(outcome->check->value, DIGITS, expected),
                           fw_number_format(outcome->got.mean, DIGITS, got)) == 0;
  return same ? SAME_LOOKING_DIGITS : DIGITS;
}

void fwi_check_expected(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out) {
  const fw_expectation *check = outcome->check;
  switch (check->kind) {
  case FW_EXPECT_DIGEST:
    fw_text_add(out, check->digest);
    break;
  case FW_EXPECT_RANGE:
    add_range(check, out);
    break;
  case FW_EXPECT_COMPARISON:
    fw_text_add_format(out, "%s less %s ", policy_name(file, check->policy), policy_name(file, check->than));
    fw_text_add(out, check->above ? "above " : "below ");
    fw_text_add_number(out, check->above ? check->by : 0.0 - check->by, DIGITS);
    fw_text_add(out, " with ");
    fw_text_add_number(out, 100.0 * check->confidence, DIGITS);
    fw_text_add(out, " % confidence");
    break;
  case FW_EXPECT_RECORDED:
    fw_text_add_number(out, check->value, digits_of(outcome));
    add_tolerance(check, out);
    break;
  }
}

void fwi_check_got(const fw_check_outcome *outcome, fw_text *out) {
  const fw_expectation *check = outcome->check;
  if (check->kind == FW_EXPECT_DIGEST) {
    fw_text_add(out, outcome->digest);
    return;
  }
  if (isnan(outcome->got.mean)) {
    fw_text_add(out, "no such figure in at least one run");
    return;
  }
  fw_text_add_number(out, outcome->got.mean, digits_of(outcome));
  if (!isnan(outcome->got.lo)) {
    fw_text_add(out, check->kind == FW_EXPECT_COMPARISON ? ", bounds of that confidence " : ", 95 % interval ");
    fw_text_add_number(out, outcome->got.lo, DIGITS);
    fw_text_add(out, " to ");
    fw_text_add_number(out, outcome->got.hi, DIGITS);
  }
  fw_text_add_format(out, ", %zu seed%s", outcome->seeds, outcome->seeds == 1 ? "" : "s");
}

void fwi_check_best_seed(const fw_check_outcome *outcome, fw_text *out) {
  if (outcome->check->kind == FW_EXPECT_DIGEST) {
    return;
  }
  fw_text_add_format(out, "seed %llu shows it best: ", (unsigned long long)outcome->seed);
  if (isnan(outcome->seed_value)) {
    fw_text_add(out, "no figure");
  } else {
    fw_text_add_number(out, outcome->seed_value, digits_of(outcome));
  }
}

/* As one word of a shell. */
static void add_word(const char *word, fw_text *out) {
  if (word[0] != '\0' &&
      strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-") == strlen(word)) {
    fw_text_add(out, word);
    return;
  }
  fw_text_add(out, "'");
  for (const char *at = word; *at != '\0'; at++) {
    if (*at == '\'') {
      fw_text_add(out, "'\\''");
    } else {
      fw_text_add_bytes(out, at, 1);
    }
  }
  fw_text_add(out, "'");
}

void fwi_check_rerun(const fw_check_file *file, const fw_check_outcome *outcome, size_t policy, fw_text *out) {
  fw_text_add(out, "fleetwatt run ");
  add_word(file->path, out);
  fw_text_add(out, " --policies ");
  add_word(policy_name(file, policy), out);
  add_ratio(file, outcome, " --oversubscription ", out);
  if (outcome->block->duration != file->scenario->duration) {
    fw_text_add(out, " --hours ");
    fw_text_add_number(out, fw_time_to_seconds(outcome->block->duration) / 3600.0, 12);
  }
  if (file->scenario->check_trace != NULL) {
    fw_text_add(out, " --trace ");
    add_word(file->scenario->check_trace, out);
  }
  fw_text_add_format(out, " --seed %llu", (unsigned long long)outcome->seed);
  if (outcome->check->kind == FW_EXPECT_DIGEST) {
    fw_text_add(out, " --digest");
  }
}

void fwi_check_messages(const fw_check_file *file, const char *indent, fw_text *out) {
  char line[MESSAGE_SIZE];
  for (size_t i = 0; i < file->diagnostics.count; i++) {
    const fw_diagnostic *entry = &file->diagnostics.entries[i];
    if (entry->severity == FW_SEVERITY_ERROR) {
      (void)fw_diagnostic_format(entry, line, sizeof line);
      fw_text_add_format(out, "%s%s\n", indent, line);
    }
  }
}
