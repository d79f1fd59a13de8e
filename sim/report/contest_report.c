/* Contests as a page of one section for each. */
#include "sim/report/contest_report.h"

#include <inttypes.h>
#include <math.h>

#include "sim/report/figure.h"
#include "sim/report/notes.h"
#include "sim/report/page.h"

static const char *window_text(const fw_contest_result *contest, char *buffer) {
  return fw_time_format(contest->scenario->windows[contest->window], buffer);
}

/* ---- What was fought for ---- */

static void add_setting(fwi_page *page, const fw_contest_result *contest) {
  char window[FW_UNITS_TEXT_SIZE];
  char limit[FW_NUMBER_TEXT_SIZE];
  const fw_scenario *scenario = contest->scenario;
  if (contest->entry->text != NULL) {
    fwi_page_paragraph(page, "%s", contest->entry->text);
  }
  fwi_page_paragraph(page,
                     "Scenario `%s` (%s). Limit: %s %% of time above the budget at %s s, as a mean over runs. %zu "
                     "held-out runs, seeds from %" PRIu64 " on. Every rule was tuned at every limit with %" PRIu64
                     " runs, on seeds of the training pool.",
                     scenario->name, scenario->hash, fw_number_format(100.0 * contest->entry->limit, 4, limit),
                     window_text(contest, window), scenario->seeds, scenario->seed, contest->entry->runs);
}

/* ---- Differences ---- */

static void add_difference(fwi_table *table, const fw_contest_result *contest, fw_contest_kind kind) {
  const fw_contest_difference *difference = &contest->differences[kind];
  char number[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", fw_contest_kind_names[kind]);
  fwi_table_add(table, "%s", isnan(difference->at_limit) ? "n/a" : fwi_figure_fixed(difference->at_limit, 0, number));
  fwi_table_add(table, "%s", fwi_figure_fixed(100.0 * difference->relative.mean, 2, number));
  fwi_table_add(table, "%s", fwi_figure_fixed(100.0 * difference->relative.lo, 2, number));
  fwi_table_add(table, "%s", fwi_figure_fixed(100.0 * difference->relative.hi, 2, number));
  fwi_table_add(table, "%zu / %zu", difference->below, difference->above);
}

static void add_differences(fwi_page *page, const fw_contest_result *contest) {
  static const char *const head[] = {"kind of rule", "tokens at the limit", "trained ahead by, %", "from, %", "to, %",
                                     "outside"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (int kind = 0; kind < FW_CONTEST_PPO; kind++) {
    add_difference(&table, contest, (fw_contest_kind)kind);
  }
  fwi_page_heading(page, 3, "Trained policies against the best of each kind, at equal rates");
  fwi_page_table(page, &table);
}

static void add_bound(fwi_page *page, const fw_contest_result *contest) {
  char numbers[5][FWI_FIGURE_SIZE];
  fwi_page_paragraph(
      page,
      "Trained policies together (interquartile means over policies and runs): %s tokens, %s %% at %s s. A clairvoyant "
      "that knows all noise and changes settings at any moment cannot pass %s tokens at their rate, nor %s at the "
      "limit. The bound takes the noise to be the same at every setting; that of the highest and the lowest differs "
      "by %s W.",
      fwi_figure_estimate(contest->ppo_tokens, 1.0, 6, numbers[0]), fwi_figure_rate(contest->ppo_rate, numbers[1]),
      window_text(contest, (char[FW_UNITS_TEXT_SIZE]){0}), fwi_figure_fixed(contest->bound_at_ppo, 0, numbers[2]),
      fwi_figure_fixed(contest->bound_at_limit, 0, numbers[3]),
      fwi_figure_fixed(contest->bound_additivity_w, 1, numbers[4]));
}

/* ---- Arms ---- */

static void add_arm(fwi_table *table, const fw_contest_result *contest, const fw_contest_arm *arm) {
  char figure[FWI_FIGURE_SIZE];
  fwi_table_add(table, "%s", arm->name);
  if (arm->runs > 0) {
    fwi_table_add(table, "%s",
                  fw_number_format(100.0 * fw_contest_limits[arm->tuned_for] * contest->entry->limit, 3, figure));
  } else {
    fwi_table_add(table, "%s", "");
  }
  fwi_table_add_estimate(table, arm->tokens, 1.0, 6);
  fwi_table_add_estimate(table, arm->tokens_per_mwh, 1e-6, 5);
  for (size_t w = 0; w < contest->scenario->window_count; w++) {
    fwi_table_add(table, "%s", fwi_figure_rate(arm->rate[w], figure));
  }
  fwi_table_add(table, "%s", arm->dominated ? "" : "yes");
}

static void add_arms(fwi_page *page, const fw_contest_result *contest) {
  const fw_scenario *scenario = contest->scenario;
  char window[FW_UNITS_TEXT_SIZE];
  fwi_table table = fwi_table_start(5 + scenario->window_count);
  fwi_table_add(&table, "arm");
  fwi_table_add(&table, "tuned for, %%");
  fwi_table_add(&table, "tokens");
  fwi_table_add(&table, "M tokens/MWh");
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_table_add(&table, "%s s, %%", fw_time_format(scenario->windows[w], window));
  }
  fwi_table_add(&table, "front");
  for (size_t i = 0; i < contest->arm_count; i++) {
    add_arm(&table, contest, &contest->arms[i]);
  }
  fwi_page_heading(page, 3, "All arms");
  fwi_page_table(page, &table);
}

static void add_found(fwi_page *page, const fw_contest_result *contest) {
  char limit[FW_NUMBER_TEXT_SIZE];
  fwi_page_heading(page, 3, "Settings found");
  for (size_t i = 0; i < contest->arm_count; i++) {
    const fw_contest_arm *arm = &contest->arms[i];
    if (arm->runs > 0) {
      const double wanted = 100.0 * fw_contest_limits[arm->tuned_for] * contest->entry->limit;
      fwi_page_paragraph(page, "%s, for %s %%: %s (%" PRIu64 " runs)", arm->name, fw_number_format(wanted, 3, limit),
                         arm->settings, arm->runs);
    }
  }
}

static void add_contest(fwi_page *page, const fw_contest_result *contest) {
  fwi_page_heading(page, 2, "%s", contest->scenario->name);
  add_setting(page, contest);
  add_differences(page, contest);
  add_bound(page, contest);
  add_arms(page, contest);
  add_found(page, contest);
}

static void add_introduction(fwi_page *page) {
  fwi_page_heading(page, 1, "A fair fight");
  fwi_page_paragraph(
      page,
      "Trained policies ([ppo](ppo.md)) against rules of every kind ([policies](policies.md)). Every rule is tuned "
      "with the same number of simulated runs on seeds from the pool that training draws from, at 0.6, 1 and 1.4 "
      "times the limit, so that each kind has a front of tokens by violation rate. All are measured on the same "
      "held-out runs, true power. All training seeds are counted, never the best alone.");
  fwi_page_paragraph(
      page,
      "Ahead by: tokens of a trained policy over those of the kind's front at the policy's own rate, less one; the "
      "interquartile mean over the training seeds. Its 95 %% interval is a bootstrap that draws runs and trained "
      "policies anew and takes all means, rates and fronts again. Where a kind comes with several signals its front "
      "is that of the best, chosen on the held-out runs themselves: to the rule's advantage. Outside a / b: policies "
      "whose rate lies below (held against a rule that may violate more) and above the front (against one that "
      "violates less). Front: no other arm has as many tokens at as low a rate.");
  fwi_page_paragraph(page, "doubling: with only those levels that are at least twice the one before.");
}

static void add_all(const fw_contest_results *results, fwi_page *page) {
  add_introduction(page);
  for (size_t i = 0; i < results->count; i++) {
    add_contest(page, &results->data[i]);
  }
}

void fw_report_contest_text(const fw_contest_results *results, const fw_diagnostics *diagnostics, fw_text *out) {
  fwi_page page = fwi_page_start(out, false);
  add_all(results, &page);
  fwi_notes_add(diagnostics, out);
}

void fw_report_contest_markdown(const fw_contest_results *results, fw_text *out) {
  fwi_page page = fwi_page_start(out, true);
  add_all(results, &page);
}
