/* Beyond the study, as text and as docs/beyond.md: a section for each question, its plain answer computed from the
 * figures, then the table. */
#include <math.h>
#include <string.h>

#include "sim/report/figure.h"
#include "sim/report/page.h"
#include "sim/report/report.h"

#define EDGE 0.01 /* a mean rate up to this counts as rare in the answers */
#define MILLION 1e-6

static const char *const start_names[] = {
    [FW_START_ALIGNED] = "aligned", [FW_START_RANDOM] = "random", [FW_START_STAGGERED] = "staggered"};

/* ---- Cells ---- */

typedef char figure_text[FWI_FIGURE_SIZE];

static const char *percent_from(double value, double reference, char *buffer) {
  const char *digits = fwi_figure_fixed(100.0 * (value / reference - 1.0), 1, buffer);
  return digits;
}

static void add_rate(fwi_table *table, fw_estimate rate) {
  figure_text text;
  fwi_table_add(table, "%s", fwi_figure_rate(rate, text));
}

static void add_rates(fwi_table *table, const fw_scenario *scenario, const fw_beyond_figures *figures) {
  for (size_t w = 0; w < scenario->window_count; w++) {
    add_rate(table, figures->rate[w]);
  }
}

static void add_windows(fwi_table *table, const fw_scenario *scenario) {
  char window[FW_UNITS_TEXT_SIZE];
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_table_add(table, "%s s, %%", fw_time_format(scenario->windows[w], window));
  }
}

static size_t window_at(const fw_scenario *scenario, fw_time_ns window) {
  size_t w = 0;
  while (w + 1 < scenario->window_count && scenario->windows[w] != window) {
    w++;
  }
  return w;
}

/* ---- Constant settings ---- */

static void add_level_answer(fwi_page *page, const fw_beyond_levels *levels, size_t best, const char *what) {
  figure_text tokens, energy, rate;
  char more[FW_NUMBER_TEXT_SIZE], dearer[FW_NUMBER_TEXT_SIZE];
  if (best == levels->arm_count) {
    fwi_page_paragraph(page, "No %s keeps the published rate.", what);
    return;
  }
  const fw_beyond_level *arm = &levels->arms[best];
  const fw_beyond_figures *figures = &arm->figures;
  const size_t window = window_at(levels->scenario, 30 * FW_NS_PER_S);
  fwi_page_paragraph(
      page,
      "The best %s is %s: %s tokens (%s %% from the published arm), %s Wh per 1,000 (%s %%), %s %% at 30 "
      "s. It %s the published trained arm.",
      what, arm->name, fwi_figure_estimate(figures->tokens, 1.0, 6, tokens),
      percent_from(figures->tokens.mean, fw_beyond_trained.tokens, more),
      fwi_figure_estimate(figures->wh_per_1k_tokens, 1.0, 4, energy),
      percent_from(figures->wh_per_1k_tokens.mean, fw_beyond_trained.wh_per_1k_tokens, dearer),
      fwi_figure_rate(figures->rate[window], rate), fw_beyond_verdict_names[arm->verdict]);
}

static void add_level(fwi_table *table, const fw_beyond_levels *levels, const fw_beyond_level *arm) {
  char share[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", arm->name);
  fwi_table_add(table, "%s", arm->mix ? fw_number_format(arm->share, 3, share) : "");
  fwi_table_add_estimate(table, arm->figures.tokens, 1.0, 6);
  fwi_table_add_estimate(table, arm->figures.wh_per_1k_tokens, 1.0, 4);
  add_rates(table, levels->scenario, &arm->figures);
  fwi_table_add(table, "%s", arm->allowed ? fw_beyond_verdict_names[arm->verdict] : "above the rate");
}

static void add_levels(fwi_page *page, const fw_beyond_levels *levels) {
  fwi_table table = fwi_table_start(5 + levels->scenario->window_count);
  fwi_page_heading(page, 2, "Constant settings against the published trained arm (predicted)");
  add_level_answer(page, levels, levels->best_static, "constant concurrency");
  add_level_answer(page, levels, levels->best_mix, "mix of two levels");
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
  add_windows(&table, levels->scenario);
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
  add_windows(&table, sensor->scenario);
  fwi_table_add(&table, "truth");
  fwi_table_add(&table, "%s", fw_beyond_kind_names[FW_BEYOND_PREDICTED]);
  add_rates(&table, sensor->scenario, &sensor->truth[arm]);
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
  const size_t last = window_at(sensor->scenario, 30 * FW_NS_PER_S);
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
    const bool fits = arm->kind == kind && arm->figures.rate[0].mean <= EDGE;
    if (fits && (best == caps->arm_count || arm->figures.tokens.mean > caps->arms[best].figures.tokens.mean)) {
      best = i;
    }
  }
  return best;
}

static void add_cap_answer(fwi_page *page, const fw_beyond_caps *caps) {
  const size_t capped = most_tokens(caps, FW_BEYOND_ASSUMPTION);
  const size_t free_arm = most_tokens(caps, FW_BEYOND_PREDICTED);
  figure_text tokens[3], rate[2];
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
  add_windows(&table, caps->scenario);
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
    add_rates(&table, caps->scenario, &arm->figures);
  }
  fwi_page_table(page, &table);
}

/* ---- Oversubscription ---- */

static const char *length_text(fw_time_ns duration, char *buffer) {
  char number[FW_UNITS_TEXT_SIZE];
  fw_text text = FW_TEXT_INIT;
  const bool hours = duration % (3600 * FW_NS_PER_S) == 0;
  fw_text_add_format(&text, "%s %s", fw_time_format(duration / (hours ? 3600 : 60), number), hours ? "h" : "min");
  buffer[0] = '\0';
  if (!text.failed && text.length < FW_UNITS_TEXT_SIZE) {
    memcpy(buffer, text.data, text.length + 1);
  }
  fw_text_clear(&text);
  return buffer;
}

/* The largest ratio below the first at which the window's mean rate is above EDGE; 0: none. */
static double largest_ratio(const fw_beyond_ratios *ratios, const fw_beyond_ratio *curve, size_t window) {
  double largest = 0.0;
  for (size_t b = 0; b < ratios->scenario->budget_count && curve[b].figures.rate[window].mean <= EDGE; b++) {
    largest = ratios->scenario->budgets[b].oversubscription;
  }
  return largest;
}

/* What the policy leaves at the last ratio of the tokens at the first. */
static void add_price(fwi_table *table, const fw_beyond_ratios *ratios, const fw_beyond_ratio *curve) {
  const size_t last = ratios->scenario->budget_count - 1;
  char kept[FW_NUMBER_TEXT_SIZE];
  const double share = curve[last].figures.tokens.mean / curve[0].figures.tokens.mean;
  fwi_table_add(table, "%s", fwi_figure_fixed(100.0 * share, 1, kept));
}

static void add_edges(fwi_page *page, const fw_beyond_ratios *ratios) {
  const fw_scenario *scenario = ratios->scenario;
  fwi_table table = fwi_table_start(5 + scenario->window_count);
  char text[FW_UNITS_TEXT_SIZE], number[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(&table, "policy");
  fwi_table_add(&table, "kind");
  fwi_table_add(&table, "run");
  fwi_table_add(&table, "seeds");
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_table_add(&table, "%s s", fw_time_format(scenario->windows[w], text));
  }
  fwi_table_add(&table, "tokens kept, %%");
  for (size_t i = 0; i < ratios->point_count; i += scenario->budget_count) {
    const fw_beyond_ratio *curve = &ratios->points[i];
    const fw_scenario_policy *policy = &scenario->policies[curve->policy];
    fwi_table_add(&table, "%s", policy->name);
    fwi_table_add(&table, "%s", fw_beyond_kind_names[fw_beyond_kind_of(policy)]);
    fwi_table_add(&table, "%s", length_text(curve->duration, text));
    fwi_table_add(&table, "%zu", curve->seeds);
    for (size_t w = 0; w < scenario->window_count; w++) {
      fwi_table_add(&table, "%s", fw_number_format(largest_ratio(ratios, curve, w), 3, number));
    }
    add_price(&table, ratios, curve);
  }
  fwi_page_table(page, &table);
}

static void add_curve(fwi_page *page, const fw_beyond_ratios *ratios, const fw_beyond_ratio *curve) {
  const fw_scenario *scenario = ratios->scenario;
  const fw_scenario_policy *policy = &scenario->policies[curve->policy];
  fwi_table table = fwi_table_start(3 + scenario->window_count);
  char text[FW_UNITS_TEXT_SIZE], number[FW_NUMBER_TEXT_SIZE];
  fwi_page_heading(page, 3, "%s, %s, %zu seeds (%s)", policy->name, length_text(curve->duration, text), curve->seeds,
                   fw_beyond_kind_names[fw_beyond_kind_of(policy)]);
  fwi_table_add(&table, "ratio");
  fwi_table_add(&table, "budget, kW");
  add_windows(&table, scenario);
  fwi_table_add(&table, "M tokens");
  for (size_t b = 0; b < scenario->budget_count; b++) {
    const fw_scenario_budget *budget = &scenario->budgets[b];
    fwi_table_add(&table, "%s", fw_number_format(budget->oversubscription, 3, number));
    fwi_table_add(&table, "%s", fwi_figure_fixed(fw_power_to_watts(budget->power) / 1000.0, 3, number));
    add_rates(&table, scenario, &curve[b].figures);
    fwi_table_add_estimate(&table, curve[b].figures.tokens, MILLION, 5);
  }
  fwi_page_table(page, &table);
}

static void add_ratios(fwi_page *page, const fw_beyond_ratios *ratios) {
  fwi_page_heading(page, 2, "The fleet's violation rate over oversubscription");
  fwi_page_paragraph(
      page, "The largest ratio of nameplate to budget up to which the fleet is above its budget for no more "
            "than 1 %% of the time on average, by window (0: not even the first), and the tokens kept at the last "
            "ratio of those at the first:");
  add_edges(page, ratios);
  if (page->markdown) {
    fwi_page_paragraph(page, "![Rate over oversubscription](images/oversubscription.svg)");
  }
  fwi_page_paragraph(
      page, "The study's 16 GPUs, jobs started a share of a cycle apart. uncontrolled: nobody acts, so each of "
            "its runs is judged at all ratios. hysteresis: the 72B jobs follow the rule with its default "
            "settings. uniform-cap: one firmware cap on all GPUs, decided every 5 s. Where no run was ever "
            "above the budget stands the one-sided bound, which assumes nothing about the time within a run and "
            "is wide for few seeds. The figures are also in images/oversubscription.csv.");
  for (size_t i = 0; i < ratios->point_count; i += ratios->scenario->budget_count) {
    add_curve(page, ratios, &ratios->points[i]);
  }
}

/* ---- Starts ---- */

static const char *stretch_text(fw_beyond_stretch stretch, char *buffer) {
  char from[FW_UNITS_TEXT_SIZE], to[FW_UNITS_TEXT_SIZE];
  fw_text text = FW_TEXT_INIT;
  const bool hours = stretch.to > 3600 * FW_NS_PER_S;
  const fw_time_ns unit = hours ? 3600 : 60;
  fw_text_add_format(&text, "%s-%s %s", fw_time_format(stretch.from / unit, from),
                     fw_time_format(stretch.to / unit, to), hours ? "h" : "min");
  buffer[0] = '\0';
  if (!text.failed && text.length < FW_UNITS_TEXT_SIZE) {
    memcpy(buffer, text.data, text.length + 1);
  }
  fw_text_clear(&text);
  return buffer;
}

static const fw_beyond_start *find_start(const fw_beyond_starts *starts, fw_start_kind kind, size_t policy) {
  return &starts->arms[(size_t)kind * starts->scenario->policy_count + policy];
}

static const char *kilowatts(fw_estimate power, char *buffer) {
  return fwi_figure_estimate(power, 1e-3, 4, buffer);
}

static void add_start_answer(fwi_page *page, const fw_beyond_starts *starts, size_t policy) {
  const size_t last = FW_BEYOND_PEAK_STRETCHES - 1;
  const fw_beyond_start *alone = find_start(starts, FW_START_STAGGERED, 0);
  const fw_beyond_start *kept = find_start(starts, FW_START_STAGGERED, policy);
  const size_t window = window_at(starts->scenario, FW_BEYOND_PEAK_WINDOW);
  figure_text peaks[3], rates[2];
  char tokens[FW_NUMBER_TEXT_SIZE];
  fwi_page_paragraph(
      page,
      "Staggered jobs that are left alone peak at %s kW in their first 20 minutes and at %s kW in 20 "
      "minutes of the last stretch; under %s it is %s kW there, the 30 s rate over the run falls from %s to "
      "%s %%, and the tokens change by %s %%.",
      kilowatts(alone->peak_w[0], peaks[0]), kilowatts(alone->peak_w[last], peaks[1]),
      starts->scenario->policies[policy].name, kilowatts(kept->peak_w[last], peaks[2]),
      fwi_figure_rate(alone->figures.rate[window], rates[0]), fwi_figure_rate(kept->figures.rate[window], rates[1]),
      percent_from(kept->figures.tokens.mean, alone->figures.tokens.mean, tokens));
}

/* How far aligned jobs of a class that are left alone are still together. */
static void add_decay(fwi_page *page, const fw_beyond_starts *starts, size_t class_index) {
  const fw_estimate *coherence = find_start(starts, FW_START_ALIGNED, 0)->coherence[class_index];
  figure_text first, second, third;
  fwi_page_paragraph(page,
                     "Aligned jobs of class %s that are left alone have a coherence of %s within 5 minutes, of %s from "
                     "5 to 10 and of %s from 10 to 20 minutes.",
                     starts->classes[class_index], fwi_figure_estimate(coherence[0], 1.0, 2, first),
                     fwi_figure_estimate(coherence[1], 1.0, 2, second),
                     fwi_figure_estimate(coherence[2], 1.0, 2, third));
}

static void add_arm_name(fwi_table *table, const fw_beyond_starts *starts, const fw_beyond_start *arm) {
  fwi_table_add(table, "%s, %s", start_names[arm->start], starts->scenario->policies[arm->policy].name);
}

static void add_peaks(fwi_page *page, const fw_beyond_starts *starts) {
  fwi_table table = fwi_table_start(1 + FW_BEYOND_PEAK_STRETCHES);
  char text[FW_UNITS_TEXT_SIZE];
  fwi_page_heading(page, 3, "Peak of the 30 s mean in 20 minutes, kW");
  fwi_table_add(&table, "start, policy");
  for (size_t s = 0; s < FW_BEYOND_PEAK_STRETCHES; s++) {
    fwi_table_add(&table, "%s", stretch_text(fw_beyond_peak_stretches[s], text));
  }
  for (size_t i = 0; i < starts->arm_count; i++) {
    add_arm_name(&table, starts, &starts->arms[i]);
    for (size_t s = 0; s < FW_BEYOND_PEAK_STRETCHES; s++) {
      fwi_table_add_estimate(&table, starts->arms[i].peak_w[s], 1e-3, 4);
    }
  }
  fwi_page_table(page, &table);
}

static void add_coherences(fwi_page *page, const fw_beyond_starts *starts, size_t class_index) {
  fwi_table table = fwi_table_start(1 + FW_BEYOND_STRETCHES);
  char text[FW_UNITS_TEXT_SIZE];
  fwi_page_heading(page, 3, "Coherence of the %zu jobs of class %s", starts->class_sizes[class_index],
                   starts->classes[class_index]);
  fwi_table_add(&table, "start, policy");
  for (size_t s = 0; s < FW_BEYOND_STRETCHES; s++) {
    fwi_table_add(&table, "%s", stretch_text(fw_beyond_stretches[s], text));
  }
  for (size_t i = 0; i < starts->arm_count; i++) {
    add_arm_name(&table, starts, &starts->arms[i]);
    for (size_t s = 0; s < FW_BEYOND_STRETCHES; s++) {
      fwi_table_add_estimate(&table, starts->arms[i].coherence[class_index][s], 1.0, 2);
    }
  }
  fwi_page_table(page, &table);
}

static void add_start_totals(fwi_page *page, const fw_beyond_starts *starts) {
  fwi_table table = fwi_table_start(3 + starts->scenario->window_count);
  fwi_page_heading(page, 3, "Over the whole run");
  fwi_table_add(&table, "start, policy");
  fwi_table_add(&table, "M tokens");
  fwi_table_add(&table, "Wh/1k");
  add_windows(&table, starts->scenario);
  for (size_t i = 0; i < starts->arm_count; i++) {
    add_arm_name(&table, starts, &starts->arms[i]);
    fwi_table_add_estimate(&table, starts->arms[i].figures.tokens, MILLION, 5);
    fwi_table_add_estimate(&table, starts->arms[i].figures.wh_per_1k_tokens, 1.0, 4);
    add_rates(&table, starts->scenario, &starts->arms[i].figures);
  }
  fwi_page_table(page, &table);
}

static void add_starts(fwi_page *page, const fw_beyond_starts *starts) {
  char text[FW_UNITS_TEXT_SIZE];
  fwi_page_heading(page, 2, "Starts over a day (predicted)");
  for (size_t policy = 1; policy < starts->scenario->policy_count; policy++) {
    add_start_answer(page, starts, policy);
  }
  for (size_t c = 0; c < starts->class_count; c++) {
    add_decay(page, starts, c);
  }
  fwi_page_paragraph(
      page,
      "The study's 16 GPUs over %s under 3.2 kW, %zu seeds. Coherence is the mean over pairs of equal "
      "jobs of the cosine of their phases' difference: 1 when all are at the same point of their cycles, "
      "0 on average when they have nothing to do with each other, -1/(n-1) when n of them are evenly "
      "apart. A 72B job's steps all take the same time here, and their power is flat, so its phases "
      "neither move nor matter.",
      length_text(starts->scenario->duration, text), starts->scenario->seeds);
  add_peaks(page, starts);
  for (size_t c = 0; c < starts->class_count; c++) {
    add_coherences(page, starts, c);
  }
  add_start_totals(page, starts);
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
  add_ratios(&page, &result->ratios);
  add_starts(&page, &result->starts);
}

void fw_report_beyond_text(const fw_beyond_result *result, fw_text *out) {
  add_all(result, false, out);
}

void fw_report_beyond_markdown(const fw_beyond_result *result, fw_text *out) {
  add_all(result, true, out);
}
