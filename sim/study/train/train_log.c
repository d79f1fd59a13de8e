/* Rows are written with as many digits as it takes to read them back, so that a log read is a log written. */
#include "sim/study/train/train_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"

#define LOG_LIMIT ((size_t)1 << 28)

bool fwi_train_beats(const fw_train_check *challenger, const fw_train_check *holder, double limit) {
  if (holder->iteration == 0) {
    return true;
  }
  const bool allowed = challenger->rate <= limit;
  if (allowed != (holder->rate <= limit)) {
    return allowed;
  }
  return allowed ? challenger->tokens > holder->tokens : challenger->rate < holder->rate;
}

void fwi_train_log_start(const fw_scenario *scenario, fwi_train_log *out) {
  *out = (fwi_train_log){.text = FW_TEXT_INIT};
  fw_text_add(&out->text, "iteration,decisions,episodes,learning_rate,tokens_per_s,episode_tokens");
  for (size_t w = 0; w < scenario->window_count; w++) {
    char number[FW_NUMBER_TEXT_SIZE];
    (void)fw_number_format(fw_time_to_seconds(scenario->windows[w]), 9, number);
    fw_text_add_format(&out->text, ",rate_%ss,multiplier_%ss", number, number);
  }
  fw_text_add(&out->text, ",policy_loss,value_loss,cost_value_loss,entropy,kl,clipped,explained_variance,passes,"
                          "validation_tokens,validation_rate\n");
}

static void add_number(fw_text *text, double value) {
  char number[FW_NUMBER_TEXT_SIZE];
  fw_text_add(text, ",");
  if (isfinite(value)) {
    fw_text_add(text, fw_number_format_exact(value, number));
  }
}

static void note(fwi_train_log *log, uint64_t decisions, uint64_t episodes, const fw_train_check *check, double limit) {
  log->decisions = decisions;
  log->episodes += episodes;
  if (check != NULL && fwi_train_beats(check, &log->best, limit)) {
    log->best = *check;
  }
}

void fwi_train_log_add(fwi_train_log *log, const fw_scenario *scenario, const fw_ppo_progress *progress,
                       const fw_train_check *check, double limit) {
  fw_text *text = &log->text;
  fw_text_add_format(text, "%llu,%llu,%llu", (unsigned long long)progress->iteration,
                     (unsigned long long)progress->decisions, (unsigned long long)progress->episodes);
  add_number(text, progress->learning_rate);
  add_number(text, progress->reward_rate);
  add_number(text, progress->episode_reward);
  for (size_t w = 0; w < scenario->window_count; w++) {
    add_number(text, progress->cost_rate[w]);
    add_number(text, progress->multiplier[w]);
  }
  add_number(text, progress->policy_loss);
  add_number(text, progress->value_loss);
  add_number(text, progress->cost_value_loss);
  add_number(text, progress->entropy);
  add_number(text, progress->kl);
  add_number(text, progress->clipped);
  add_number(text, progress->explained_variance);
  fw_text_add_format(text, ",%llu", (unsigned long long)progress->passes);
  add_number(text, check != NULL ? check->tokens : (double)NAN);
  add_number(text, check != NULL ? check->rate : (double)NAN);
  fw_text_add(text, "\n");
  note(log, progress->decisions, progress->episodes, check, limit);
}

/* The field that ends at `end`: its begin. */
static const char *field_before(const char *line, const char *end) {
  while (end > line && end[-1] != ',') {
    end--;
  }
  return end;
}

/* The two last fields of a row; false where they are empty. */
static bool read_check(const char *line, const char *end, fw_train_check *out) {
  const char *rate = field_before(line, end);
  const char *tokens = rate > line ? field_before(line, rate - 1) : line;
  return rate > line && fw_number_parse(rate, (size_t)(end - rate), &out->rate) &&
         fw_number_parse(tokens, (size_t)(rate - 1 - tokens), &out->tokens);
}

/* The three first fields of a row, which are whole numbers. */
static bool read_counts(const char *line, const char *end, uint64_t counts[3]) {
  for (size_t i = 0; i < 3; i++) {
    const char *comma = memchr(line, ',', (size_t)(end - line));
    if (comma == NULL || !fw_uint64_parse(line, (size_t)(comma - line), &counts[i])) {
      return false;
    }
    line = comma + 1;
  }
  return true;
}

static fw_status bad_log(const char *path, size_t line, fw_diagnostics *diagnostics) {
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path, .line = line},
                  "this is no log of a training on this scenario; remove it together with its checkpoint to start "
                  "afresh");
}

static fw_status read_rows(const char *path, const char *next, uint64_t before, double limit, fwi_train_log *out,
                           fw_diagnostics *diagnostics) {
  for (size_t number = 2; *next != '\0'; number++) {
    const char *end = strchr(next, '\n');
    uint64_t counts[3] = {0};
    if (end == NULL || !read_counts(next, end, counts)) {
      return bad_log(path, number, diagnostics);
    }
    if (counts[0] >= before) {
      return FW_OK;
    }
    fw_train_check check = {.iteration = counts[0]};
    const bool checked = read_check(next, end, &check);
    fw_text_add_bytes(&out->text, next, (size_t)(end - next) + 1);
    note(out, counts[1], counts[2], checked ? &check : NULL, limit);
    next = end + 1;
  }
  return FW_OK;
}

fw_status fwi_train_log_read(const char *path, const fw_scenario *scenario, uint64_t before, double limit,
                             fwi_train_log *out, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fwi_train_log_start(scenario, out);
  fw_status status = fw_file_read(path, LOG_LIMIT, &text, diagnostics);
  if (status == FW_OK && out->text.failed) {
    status = fw_error_memory(diagnostics, "the log of a training");
  }
  if (status == FW_OK) {
    const bool ours = text.length >= out->text.length && memcmp(text.data, out->text.data, out->text.length) == 0;
    status = ours ? read_rows(path, text.data + out->text.length, before, limit, out, diagnostics)
                  : bad_log(path, 1, diagnostics);
  }
  fw_text_clear(&text);
  return status;
}

void fwi_train_log_clear(fwi_train_log *log) {
  fw_text_clear(&log->text);
}
