/* Fronts as lines of text: at each window the arms worth having. */
#include "sim/report/compare_front_text.h"

#include <math.h>

#include "sim/report/figure.h"
#include "sim/study/compare_front.h"

static void add_front(const fw_compare_result *result, size_t budget, size_t window, fw_text *out) {
  char length[FW_UNITS_TEXT_SIZE];
  bool first = true;
  fw_text_add_format(out, "  front at %s s: ", fw_time_format(result->scenario->windows[window], length));
  for (size_t i = 0; i < result->arm_count; i++) {
    if (result->arms[i].budget == budget && !fw_compare_dominated(result, i, window)) {
      fw_text_add_format(out, "%s%s", first ? "" : ", ", result->scenario->policies[result->arms[i].policy].name);
      first = false;
    }
  }
  fw_text_add(out, "\n");
}

/* Whether an arm before `arm` is alike to it, and spoke for both. */
static bool has_earlier(const fw_compare_result *result, size_t arm) {
  size_t i = 0;
  while (i < arm && !fw_compare_alike(result, i, arm)) {
    i++;
  }
  return i < arm;
}

static void add_equal_rate(const fw_compare_result *result, size_t budget, fw_text *out) {
  const size_t window = result->equal_window;
  char number[FW_NUMBER_TEXT_SIZE];
  char length[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out, "  tokens at %s %% at %s s, between the arms of a kind:",
                     fw_number_format(100.0 * result->equal_rate, 4, number),
                     fw_time_format(result->scenario->windows[window], length));
  for (size_t i = 0; i < result->arm_count; i++) {
    const fw_scenario_policy *policy = &result->scenario->policies[result->arms[i].policy];
    if (result->arms[i].budget != budget || has_earlier(result, i)) {
      continue;
    }
    const double tokens = fw_compare_tokens_at(result, i, window, result->equal_rate);
    fw_text_add_format(out, " %s%s%s %s;", policy->job->name, policy->fleet != NULL ? " + " : "",
                       policy->fleet != NULL ? policy->fleet->name : "",
                       isnan(tokens) ? "not reached" : fwi_figure_fixed(tokens, 0, number));
  }
  fw_text_add(out, "\n");
}

void fwi_compare_fronts_add(const fw_compare_result *result, size_t budget, fw_text *out) {
  fw_text_add(out, "\n");
  for (size_t window = 0; window < result->scenario->window_count; window++) {
    add_front(result, budget, window, out);
  }
  if (result->equal_rate > 0.0) {
    add_equal_rate(result, budget, out);
  }
}
