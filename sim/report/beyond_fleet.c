/* The fleet's questions beyond the study: rates over oversubscription, and starts over a day. */
#include <string.h>

#include "sim/report/beyond_cells.h"

#define MILLION 1e-6

static const char *const start_names[] = {
    [FW_START_ALIGNED] = "aligned", [FW_START_RANDOM] = "random", [FW_START_STAGGERED] = "staggered"};

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

/* The largest ratio below the first at which the window's mean rate is above FWI_BEYOND_RARE; 0: none. */
static double largest_ratio(const fw_beyond_ratios *ratios, const fw_beyond_ratio *curve, size_t window) {
  double largest = 0.0;
  for (size_t b = 0; b < ratios->scenario->budget_count && curve[b].figures.rate[window].mean <= FWI_BEYOND_RARE; b++) {
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
  fwi_beyond_add_windows(&table, scenario);
  fwi_table_add(&table, "M tokens");
  for (size_t b = 0; b < scenario->budget_count; b++) {
    const fw_scenario_budget *budget = &scenario->budgets[b];
    fwi_table_add(&table, "%s", fw_number_format(budget->oversubscription, 3, number));
    fwi_table_add(&table, "%s", fwi_figure_fixed(fw_power_to_watts(budget->power) / 1000.0, 3, number));
    fwi_beyond_add_rates(&table, scenario, &curve[b].figures);
    fwi_table_add_estimate(&table, curve[b].figures.tokens, MILLION, 5);
  }
  fwi_page_table(page, &table);
}

void fwi_beyond_add_ratios(fwi_page *page, const fw_beyond_ratios *ratios) {
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
  const size_t window = fwi_beyond_window_at(starts->scenario, FW_BEYOND_PEAK_WINDOW);
  fwi_figure_text peaks[3], rates[2];
  char tokens[FW_NUMBER_TEXT_SIZE];
  fwi_page_paragraph(
      page,
      "Staggered jobs that are left alone peak at %s kW in their first 20 minutes and at %s kW in 20 "
      "minutes of the last stretch; under %s it is %s kW there, the 30 s rate over the run falls from %s to "
      "%s %%, and the tokens change by %s %%.",
      kilowatts(alone->peak_w[0], peaks[0]), kilowatts(alone->peak_w[last], peaks[1]),
      starts->scenario->policies[policy].name, kilowatts(kept->peak_w[last], peaks[2]),
      fwi_figure_rate(alone->figures.rate[window], rates[0]), fwi_figure_rate(kept->figures.rate[window], rates[1]),
      fwi_beyond_percent_from(kept->figures.tokens.mean, alone->figures.tokens.mean, tokens));
}

/* How far aligned jobs of a class that are left alone are still together. */
static void add_decay(fwi_page *page, const fw_beyond_starts *starts, size_t class_index) {
  const fw_estimate *coherence = find_start(starts, FW_START_ALIGNED, 0)->coherence[class_index];
  fwi_figure_text first, second, third;
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
  fwi_beyond_add_windows(&table, starts->scenario);
  for (size_t i = 0; i < starts->arm_count; i++) {
    add_arm_name(&table, starts, &starts->arms[i]);
    fwi_table_add_estimate(&table, starts->arms[i].figures.tokens, MILLION, 5);
    fwi_table_add_estimate(&table, starts->arms[i].figures.wh_per_1k_tokens, 1.0, 4);
    fwi_beyond_add_rates(&table, starts->scenario, &starts->arms[i].figures);
  }
  fwi_page_table(page, &table);
}

void fwi_beyond_add_starts(fwi_page *page, const fw_beyond_starts *starts) {
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
