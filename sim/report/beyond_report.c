/* Beyond the study, as text and as docs/beyond.md: a section for each question, its plain answer computed from the
 * figures, then the table. The questions about one job are here, those about the fleet in beyond_fleet.c. */
#include <math.h>

#include "sim/report/beyond_cells.h"
#include "sim/report/report.h"

/* ---- Constant settings ---- */

static void add_level_answer(fwi_page *page, const fw_beyond_levels *levels, size_t best, const char *what) {
  fwi_figure_text tokens, energy, rate;
  char more[FW_NUMBER_TEXT_SIZE], dearer[FW_NUMBER_TEXT_SIZE];
  if (best == levels->arm_count) {
    fwi_page_paragraph(page, "No %s keeps the published rate.", what);
    return;
  }
  const fw_beyond_level *arm = &levels->arms[best];
  const fw_beyond_figures *figures = &arm->figures;
  const size_t window = fwi_beyond_window_at(levels->scenario, 30 * FW_NS_PER_S);
  fwi_page_paragraph(
      page,
      "The best %s is %s: %s tokens (%s %% from the published arm), %s Wh per 1,000 (%s %%), %s %% at 30 "
      "s. It %s the published trained arm.",
      what, arm->name, fwi_figure_estimate(figures->tokens, 1.0, 6, tokens),
      fwi_beyond_percent_from(figures->tokens.mean, fw_beyond_trained.tokens, more),
      fwi_figure_estimate(figures->wh_per_1k_tokens, 1.0, 4, energy),
      fwi_beyond_percent_from(figures->wh_per_1k_tokens.mean, fw_beyond_trained.wh_per_1k_tokens, dearer),
      fwi_figure_rate(figures->rate[window], rate), fw_beyond_verdict_names[arm->verdict]);
}

static void add_winners(fwi_page *page, const fw_beyond_levels *levels) {
  fw_text names = FW_TEXT_INIT;
  for (size_t i = 0; i < levels->arm_count; i++) {
    if (levels->arms[i].verdict == FW_BEYOND_BEATS) {
      fw_text_add_format(&names, "%s%s", names.length > 0 ? ", " : "", levels->arms[i].name);
    }
  }
  page->out->failed = page->out->failed || names.failed;
  fwi_page_paragraph(page, "Arms that beat it: %s.", names.length > 0 && !names.failed ? names.data : "none");
  fw_text_clear(&names);
}

static void add_level(fwi_table *table, const fw_beyond_levels *levels, const fw_beyond_level *arm) {
  char share[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", arm->name);
  fwi_table_add(table, "%s", arm->mix ? fw_number_format(arm->share, 3, share) : "");
  fwi_table_add_estimate(table, arm->figures.tokens, 1.0, 6);
  fwi_table_add_estimate(table, arm->figures.wh_per_1k_tokens, 1.0, 4);
  fwi_beyond_add_rates(table, levels->scenario, &arm->figures);
  fwi_table_add(table, "%s", arm->allowed ? fw_beyond_verdict_names[arm->verdict] : "above the rate");
}

static void add_levels(fwi_page *page, const fw_beyond_levels *levels) {
  fwi_table table = fwi_table_start(5 + levels->scenario->window_count);
  fwi_page_heading(page, 2, "Constant settings against the published trained arm (predicted)");
  add_level_answer(page, levels, levels->best_static, "constant concurrency");
  add_level_answer(page, levels, levels->best_mix, "mix of two levels");
  add_winners(page, levels);
  fwi_page_paragraph(
      page,
      "One 72B job over 20 minutes, %zu seeds. Published: 183,069 tokens, 0.947 Wh per 1,000, 2.27 \302\261 "
      "1.08 %% at 30 s. mix-4-8 runs batches of 4 and of 8 sequences in turn, a share of them of 8; the "
      "shares were searched on other seeds for the most tokens at no more than 2.27 %%. An arm beats the "
      "published one with more tokens, less energy for each and the whole interval of its rate at or "
      "below 2.27 %%; it equals it where tokens and energy are no worse by more than 1 %% and the "
      "interval of its rate begins at or below 2.27 %%. Tokens do not vary from seed to seed because the "
      "model's completions all have the same length.",
      levels->scenario->seeds);
  fwi_table_add(&table, "arm");
  fwi_table_add(&table, "share");
  fwi_table_add(&table, "tokens");
  fwi_table_add(&table, "Wh/1k");
  fwi_beyond_add_windows(&table, levels->scenario);
  fwi_table_add(&table, "the published arm");
  for (size_t i = 0; i < levels->arm_count; i++) {
    add_level(&table, levels, &levels->arms[i]);
  }
  fwi_page_table(page, &table);
}

/* ---- Truth against readings ---- */

static void add_sensor_arm(fwi_page *page, const fw_beyond_sensor *sensor, size_t arm) {
  const size_t windows = sensor->scenario->window_count;
  fwi_table table = fwi_table_start(2 + windows);
  fwi_table_add(&table, "%s", sensor->scenario->policies[arm].name);
  fwi_table_add(&table, "kind");
  fwi_beyond_add_windows(&table, sensor->scenario);
  fwi_table_add(&table, "truth");
  fwi_table_add(&table, "%s", fw_beyond_kind_names[FW_BEYOND_PREDICTED]);
  fwi_beyond_add_rates(&table, sensor->scenario, &sensor->truth[arm]);
  for (size_t i = 0; i < sensor->row_count; i++) {
    const fw_beyond_sensor_row *row = &sensor->rows[i];
    if (row->arm != arm) {
      continue;
    }
    fwi_table_add(&table, "read less truth: %s", row->setting.name);
    fwi_table_add(&table, "%s", fw_beyond_kind_names[FW_BEYOND_ASSUMPTION]);
    for (size_t w = 0; w < windows; w++) {
      fwi_table_add_estimate(&table, row->less[w], 100.0, 2);
    }
  }
  fwi_page_table(page, &table);
}

/* The widest difference at a window among settings whose boards have no gain of their own, or among the others. */
static double widest(const fw_beyond_sensor *sensor, size_t window, bool gains) {
  double most = 0.0;
  for (size_t i = 0; i < sensor->row_count; i++) {
    const fw_beyond_sensor_setting *setting = &sensor->rows[i].setting;
    if ((setting->gain != 1.0 || setting->gain_sigma > 0.0) == gains) {
      most = fmax(most, fabs(sensor->rows[i].less[window].mean));
    }
  }
  return 100.0 * most;
}

static void add_sensor_answer(fwi_page *page, const fw_beyond_sensor *sensor) {
  const size_t last = fwi_beyond_window_at(sensor->scenario, 30 * FW_NS_PER_S);
  char fine[2][FW_NUMBER_TEXT_SIZE], gain[2][FW_NUMBER_TEXT_SIZE];
  fwi_page_paragraph(
      page,
      "What a board does not see of a tick moves the rate of the readings by up to %s points at 0.5 s "
      "and %s points at 30 s over the range below; a gain of 5 %% by up to %s and %s points. A long "
      "window averages out what a board misses; no window averages out a gain.",
      fwi_figure_fixed(widest(sensor, 0, false), 1, fine[0]), fwi_figure_fixed(widest(sensor, last, false), 1, fine[1]),
      fwi_figure_fixed(widest(sensor, 0, true), 1, gain[0]), fwi_figure_fixed(widest(sensor, last, true), 1, gain[1]));
}

static void add_sensor(fwi_page *page, const fw_beyond_sensor *sensor) {
  fwi_page_heading(page, 2, "Truth against readings (assumption)");
  add_sensor_answer(page, sensor);
  fwi_page_paragraph(
      page,
      "One 72B job over 20 minutes, %zu seeds, arms that do not look at power: truth is the same in all "
      "rows, and differences, in points, are taken seed by seed. A reading is the mean of the last 25 ms before it "
      "(as assumed: path sigma 3 W, memory 50 ms, no gain); 50 and 100 %% observed are 50 and 100 ms of "
      "each 100. A path sigma of 30 W is more than the study leaves room for: such errors of four boards "
      "add up to some 58 W, and its own readings vary by 40 W at 0.5 s. The model takes the study's "
      "rates for truth; as far as its sensors added to them, the truth varies less than here.",
      sensor->scenario->seeds);
  for (size_t arm = 0; arm < sensor->scenario->policy_count; arm++) {
    add_sensor_arm(page, sensor, arm);
  }
}

/* ---- A firmware cap ---- */

/* The arm of a kind with the most tokens among those that are rarely above at the shortest window; `count`: none. */
static size_t most_tokens(const fw_beyond_caps *caps, fw_beyond_kind kind) {
  size_t best = caps->arm_count;
  for (size_t i = 0; i < caps->arm_count; i++) {
    const fw_beyond_cap *arm = &caps->arms[i];
    const bool fits = arm->kind == kind && arm->figures.rate[0].mean <= FWI_BEYOND_RARE;
    if (fits && (best == caps->arm_count || arm->figures.tokens.mean > caps->arms[best].figures.tokens.mean)) {
      best = i;
    }
  }
  return best;
}

static void add_cap_answer(fwi_page *page, const fw_beyond_caps *caps) {
  const size_t capped = most_tokens(caps, FW_BEYOND_ASSUMPTION);
  const size_t free_arm = most_tokens(caps, FW_BEYOND_PREDICTED);
  fwi_figure_text tokens[3], rate[2];
  if (capped == caps->arm_count || free_arm == caps->arm_count) {
    fwi_page_paragraph(page, "No pair of arms stays below 1 %% at the shortest window.");
    return;
  }
  const fw_beyond_cap *cap = &caps->arms[capped];
  const fw_beyond_cap *job = &caps->arms[free_arm];
  fwi_page_paragraph(
      page,
      "To be above the budget for less than 1 %% of the time at 0.5 s, job control has to go down to %s: "
      "%s tokens, %s %%. %s leaves %s tokens, at worst %s, at %s %%. A controller that decides every 15 "
      "s answers to means; what a job draws within half a second only the board itself can hold.",
      job->name, fwi_figure_estimate(job->figures.tokens, 1.0, 6, tokens[0]),
      fwi_figure_rate(job->figures.rate[0], rate[0]), cap->name,
      fwi_figure_estimate(cap->figures.tokens, 1.0, 6, tokens[1]),
      fwi_figure_estimate(cap->worst_tokens, 1.0, 6, tokens[2]), fwi_figure_rate(cap->figures.rate[0], rate[1]));
}

static void add_caps(fwi_page *page, const fw_beyond_caps *caps) {
  fwi_table table = fwi_table_start(6 + caps->scenario->window_count);
  static const char *const head[] = {"arm", "kind", "tokens", "tokens at worst", "Wh/1k", "mean W"};
  fwi_page_heading(page, 2, "A firmware cap (assumption)");
  add_cap_answer(page, caps);
  fwi_page_paragraph(page,
                     "One 72B job at concurrency 8 over 20 minutes, %zu seeds; cap-200 holds each of its four GPUs at "
                     "200 W, the other arms have no cap. Latency, settling and slowdown of a cap are assumed "
                     "(docs/parameters.md). In the model a cap above a phase's level costs no time, although it takes "
                     "the tops off what varies around it: the first column of tokens is kind to caps. The second is "
                     "what would be left if work were lost in proportion to all power above idle that the cap takes "
                     "off. Settled power lies 3 %% below a cap, so 140 W hold four boards below the budget of 549 W; "
                     "what is left there are the moments until the firmware has settled.",
                     caps->scenario->seeds);
  for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  fwi_beyond_add_windows(&table, caps->scenario);
  for (size_t i = 0; i < caps->arm_count; i++) {
    const fw_beyond_cap *arm = &caps->arms[i];
    fwi_table_add(&table, "%s", arm->name);
    fwi_table_add(&table, "%s", fw_beyond_kind_names[arm->kind]);
    fwi_table_add_estimate(&table, arm->figures.tokens, 1.0, 6);
    if (arm->kind == FW_BEYOND_ASSUMPTION) {
      fwi_table_add_estimate(&table, arm->worst_tokens, 1.0, 6);
    } else {
      fwi_table_add(&table, "%s", "");
    }
    fwi_table_add_estimate(&table, arm->figures.wh_per_1k_tokens, 1.0, 4);
    fwi_table_add_estimate(&table, arm->figures.mean_w, 1.0, 4);
    fwi_beyond_add_rates(&table, caps->scenario, &arm->figures);
  }
  fwi_page_table(page, &table);
}

/* ---- The page ---- */

static void add_introduction(fwi_page *page) {
  fwi_page_heading(page, 1, "Beyond the study");
  fwi_page_paragraph(
      page, "What arXiv:2608.11226 leaves open, put to the model that reproduces it. Rates are shares of time "
            "above the budget, on true power, by the window of the rolling mean. Means carry 95 %% intervals "
            "over seeds; a (< b) is a mean with the upper end of its interval, 0 (< b) a one-sided bound where "
            "nothing was seen. They say what chance does, not how far the fitted numbers may be off.");
  fwi_page_paragraph(page, "predicted: rests on fitted and measured numbers alone. assumption: rests on numbers of the "
                           "board (sensor, cap response) that nobody has measured as well.");
  if (page->markdown) {
    fwi_page_paragraph(page, "This page and its picture are written by `./fw figures`, which runs `fleetwatt reproduce "
                             "--beyond` on the scenarios `scenarios/study/beyond-*.json`.");
  }
}

static void add_all(const fw_beyond_result *result, bool markdown, fw_text *out) {
  fwi_page page = fwi_page_start(out, markdown);
  add_introduction(&page);
  add_levels(&page, &result->levels);
  add_sensor(&page, &result->sensor);
  add_caps(&page, &result->caps);
  fwi_beyond_add_ratios(&page, &result->ratios);
  fwi_beyond_add_starts(&page, &result->starts);
}

void fw_report_beyond_text(const fw_beyond_result *result, fw_text *out) {
  add_all(result, false, out);
}

void fw_report_beyond_markdown(const fw_beyond_result *result, fw_text *out) {
  add_all(result, true, out);
}
