/* What the rules found, summed up: intervals become gaps and energies once the median is known, GPUs become a fleet,
 * and sources are compared with each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/rules.h"

#define EQUAL_SHARE 0.01
#define COUNTER_TOLERANCE 0.05
#define HALF_HOUR (1800 * FW_NS_PER_S)

static double mean_of(fw_energy_pj energy, fw_time_ns time) {
  return time > 0 ? fw_energy_to_joules(energy) / fw_time_to_seconds(time) : (double)NAN;
}

/* --- one GPU --- */

static double smaller_error(double error, double counter, double power) {
  double candidate = fabs(counter - power) / power;
  return candidate < error ? candidate : error;
}

/* A logger reads its counter and its power at the same stamps; which of hold-last, hold-next and trapezoid fits depends
 * on when the sensor averages, so the counter is held against the rule that agrees best. */
static double counter_error(const fw_import_gpu *gpu) {
  if (gpu->counter_time == 0 || gpu->covered == 0) return (double)NAN;
  double counter = mean_of(gpu->counter_energy, gpu->counter_time), error = (double)INFINITY;
  const fw_energy_pj by_rule[] = {gpu->hold_last, gpu->hold_next, gpu->trapezoid};
  for (size_t i = 0; i < sizeof by_rule / sizeof *by_rule; i++) {
    double power = mean_of(by_rule[i], gpu->covered);
    if (power > 0) error = smaller_error(error, counter, power);
  }
  return isfinite(error) ? error : (double)NAN;
}

/* Of a counter every interval is known exactly, a long one too. */
static void use_counter_energy(const fwi_series_state *state, fw_import_gpu *gpu) {
  if (state->counter_first < gpu->first) gpu->first = state->counter_first;
  gpu->covered = gpu->counter_time;
  gpu->hold_last = gpu->hold_next = gpu->trapezoid = gpu->bridged = gpu->counter_energy;
  gpu->gap_time = gpu->reset_time;
  gpu->gap_count = gpu->counter_resets;
}

static void finish_gpu(fwi_series_state *state, fw_import_gpu *gpu) {
  const fwi_intervals *intervals = &state->intervals;
  gpu->interval = fwi_intervals_quantile(intervals, 50);
  gpu->interval_p95 = fwi_intervals_quantile(intervals, 95);
  gpu->interval_largest = fwi_intervals_quantile(intervals, 100);
  gpu->longest_held = fwi_intervals_longest_held(intervals);
  fwi_interval_sums held = fwi_intervals_sum(intervals, gpu->longest_held);
  fwi_interval_sums all = fwi_intervals_sum(intervals, FW_TIME_MAX);
  gpu->covered = held.time;
  gpu->hold_last = held.held_last;
  gpu->hold_next = held.held_next;
  gpu->trapezoid = (held.held_last + held.held_next) / 2;
  gpu->bridged = all.held_last;
  gpu->gap_count = (size_t)(all.count - held.count);
  gpu->gap_time = all.time - held.time;
  gpu->counter_error = counter_error(gpu);
  if (state->derived) {
    use_counter_energy(state, gpu);
    gpu->counter_error = (double)NAN;
  }
  gpu->mean_w = mean_of(gpu->hold_last, gpu->covered);
  gpu->sample_mean_w =
      gpu->sample_count > 0 ? (double)state->readings / (double)gpu->sample_count / FW_MW_PER_W : (double)NAN;
}

static int compare_long(const void *a, const void *b) {
  fw_time_ns first = ((const fwi_long_interval *)a)->from, second = ((const fwi_long_interval *)b)->from;
  return (first > second) - (first < second);
}

static fw_status list_gaps(fwi_rules *rules, size_t index) {
  fwi_series_state *state = &rules->series[index];
  const fw_import_gpu *gpu = &rules->report->gpus[index];
  size_t listed = 0;
  if (state->derived) return FW_OK;
  qsort(state->intervals.longest, state->intervals.long_count, sizeof *state->intervals.longest, compare_long);
  for (size_t i = 0; i < state->intervals.long_count; i++) {
    const fwi_long_interval *gap = &state->intervals.longest[i];
    if (gap->duration <= gpu->longest_held) continue;
    char duration[FW_UNITS_TEXT_SIZE], held[FW_UNITS_TEXT_SIZE];
    fw_import_event event = {.decision = FW_IMPORT_GAP,
                             .source = gpu->source,
                             .gpu = index,
                             .line = gap->line,
                             .time = gap->from,
                             .duration = gap->duration};
    listed++;
    fw_status status = fwi_ledger_add(
        &rules->ledger, &event, "GPU %s: gap of %s s before line %zu (a reading holds for up to %s s)", gpu->gpu,
        fw_time_format(gap->duration, duration), gap->line, fw_time_format(gpu->longest_held, held));
    if (status != FW_OK) return status;
  }
  if (gpu->gap_count > listed) rules->report->decisions[FW_IMPORT_GAP] += gpu->gap_count - listed;
  return FW_OK;
}

static void warn_counter(const fwi_rules *rules, const fw_import_gpu *gpu) {
  if (!(gpu->counter_error > COUNTER_TOLERANCE)) return;
  char counter[FW_NUMBER_TEXT_SIZE], power[FW_NUMBER_TEXT_SIZE], error[FW_NUMBER_TEXT_SIZE];
  fw_warning(rules->diagnostics, (fw_place){.file = rules->report->sources[gpu->source].file},
             "GPU %s: the energy counter's mean of %s W disagrees with the power column's %s W by %s %%", gpu->gpu,
             fw_number_format(mean_of(gpu->counter_energy, gpu->counter_time), 5, counter),
             fw_number_format(gpu->mean_w, 5, power), fw_number_format(100.0 * gpu->counter_error, 2, error));
}

/* --- several loggers and sources --- */

static fw_status disagreeing_loggers(const fwi_rules *rules, const fw_import_gpu *gpu, double copies_w) {
  char own[FW_NUMBER_TEXT_SIZE], others[FW_NUMBER_TEXT_SIZE];
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, (fw_place){.file = rules->report->sources[gpu->source].file},
                  "GPU %s is reported by several loggers that disagree (means %s W and %s W): where they run on "
                  "different nodes, name the node's column host, or give one file per node",
                  gpu->gpu, fw_number_format(gpu->sample_mean_w, 6, own), fw_number_format(copies_w, 6, others));
}

/* The loggers of one physical GPU agree; then its first one counts. */
static fw_status check_copies(const fwi_rules *rules) {
  fw_text names = FW_TEXT_INIT;
  fw_status status = FW_OK;
  size_t listed = 0, loggers = 0;
  for (size_t i = 0; i < rules->report->gpu_count && status == FW_OK; i++) {
    const fwi_series_state *state = &rules->series[i];
    const fw_import_gpu *gpu = &rules->report->gpus[i];
    if (state->copy_count == 0) continue;
    double copies_w = (double)state->copies / (double)state->copy_count / FW_MW_PER_W;
    if (!(fabs(copies_w - gpu->sample_mean_w) <= EQUAL_SHARE * gpu->sample_mean_w)) {
      status = disagreeing_loggers(rules, gpu, copies_w);
    }
    if (listed < 8) fw_text_add_format(&names, "%s%s", listed == 0 ? "" : " and ", gpu->gpu);
    if (listed++ == 8) fw_text_add(&names, " and others");
    if (state->logger_count > loggers) loggers = state->logger_count;
  }
  if (status == FW_OK && names.failed) status = fw_error_memory(rules->diagnostics, "the report of an import");
  if (status == FW_OK && listed > 0) {
    fw_warning(rules->diagnostics, (fw_place){.file = rules->report->sources[0].file},
               "gpu %s reported by %zu sources with equal values: each is counted once, by its first source",
               names.data, loggers);
  }
  fw_text_clear(&names);
  return status;
}

typedef struct local_gpu {
  const char *local; /* the identity without its source */
  double mean_w;
  size_t index;
} local_gpu;

static int compare_local(const void *a, const void *b) {
  const local_gpu *first = a, *second = b;
  int order = strcmp(first->local, second->local);
  if (order != 0) return order;
  order = (first->mean_w > second->mean_w) - (first->mean_w < second->mean_w);
  return order != 0 ? order : (first->index > second->index) - (first->index < second->index);
}

static bool agree(const fwi_rules *rules, const local_gpu *a, const local_gpu *b) {
  const fw_import_gpu *first = &rules->report->gpus[a->index], *second = &rules->report->gpus[b->index];
  return first->source != second->source && strcmp(a->local, b->local) == 0 && first->first <= second->last &&
         second->first <= first->last && fabs(a->mean_w - b->mean_w) <= EQUAL_SHARE * a->mean_w;
}

/* Two files that both logged one node look like two nodes; equal means of the same index give them away. */
static fw_status warn_of_equal_sources(const fwi_rules *rules) {
  const fw_import_report *report = rules->report;
  if (!rules->prefixed || report->gpu_count == 0) return FW_OK;
  local_gpu *locals = fw_allocate(report->gpu_count, sizeof *locals);
  if (locals == NULL) return fw_error_memory(rules->diagnostics, "the report of an import");
  size_t count = 0, pairs = 0;
  for (size_t i = 0; i < report->gpu_count; i++) {
    const char *slash = strrchr(report->gpus[i].gpu, '/');
    if (slash == NULL || report->gpus[i].sample_count == 0) continue;
    locals[count++] = (local_gpu){slash + 1, report->gpus[i].sample_mean_w, i};
  }
  qsort(locals, count, sizeof *locals, compare_local);
  for (size_t i = 1; i < count; i++) {
    if (!agree(rules, &locals[i - 1], &locals[i]) || pairs++ > 0) continue;
    fw_warning(
        rules->diagnostics, (fw_place){0},
        "GPU %s and GPU %s have equal values within 1 %%: if both files logged the same node, import one of them",
        report->gpus[locals[i - 1].index].gpu, report->gpus[locals[i].index].gpu);
  }
  free(locals);
  return FW_OK;
}

static void warn_of_zone(const fwi_rules *rules, const fw_import_source *a, const fw_import_source *b) {
  if (a->row_count == 0 || b->row_count == 0 || (a->first <= b->last && b->first <= a->last)) return;
  fw_time_ns apart = a->first > b->first ? a->first - b->first : b->first - a->first;
  fw_time_ns length = a->last - a->first < b->last - b->first ? b->last - b->first : a->last - a->first;
  fw_time_ns shift = (apart + HALF_HOUR / 2) / HALF_HOUR * HALF_HOUR;
  fw_time_ns off = apart > shift ? apart - shift : shift - apart;
  if (shift == 0 || shift > 14 * 2 * HALF_HOUR || off > length) return;
  char text[FW_UNITS_TEXT_SIZE];
  fw_warning(
      rules->diagnostics, (fw_place){.file = b->file},
      "no overlap, %s s apart: %s and %s do not cover the same time but would after this shift: are their stamps of "
      "different time zones (--tz)? Nothing may be said of their sum",
      fw_time_format(shift, text), a->file, b->file);
}

static void compare_zones(const fwi_rules *rules) {
  const fw_import_report *report = rules->report;
  if (rules->options->join) return;
  for (size_t i = 1; i < report->source_count; i++)
    warn_of_zone(rules, &report->sources[0], &report->sources[i]);
}

/* --- the fleet --- */

static void sum_fleet(fw_import_report *report) {
  fw_time_ns latest_first = 0, earliest_last = 0;
  bool any = false;
  for (size_t i = 0; i < report->gpu_count; i++) {
    const fw_import_gpu *gpu = &report->gpus[i];
    report->row_count += gpu->row_count;
    report->sample_count += gpu->sample_count;
    if (gpu->total) report->total_count++;
    if (gpu->total || gpu->sample_count == 0) continue;
    if (!any || gpu->first < report->first) report->first = gpu->first;
    if (!any || gpu->last > report->last) report->last = gpu->last;
    if (!any || gpu->first > latest_first) latest_first = gpu->first;
    if (!any || gpu->last < earliest_last) earliest_last = gpu->last;
    any = true;
    report->hold_last += gpu->hold_last;
    report->hold_next += gpu->hold_next;
    report->trapezoid += gpu->trapezoid;
    report->bridged += gpu->bridged;
    report->mean_sum_w += gpu->mean_w;
  }
  report->overlap = any && earliest_last > latest_first ? earliest_last - latest_first : 0;
}

/* Where a clock went back, the stamps do not say how long the recording was: then it is as long as its pieces. */
static fw_time_ns recorded_span(const fw_import_report *report) {
  fw_time_ns longest = 0;
  bool stepped = false;
  for (size_t i = 0; i < report->gpu_count; i++) {
    const fw_import_gpu *gpu = &report->gpus[i];
    fw_time_ns recorded = gpu->total ? 0 : gpu->covered + gpu->gap_time;
    if (recorded > longest) longest = recorded;
    stepped = stepped || gpu->clock_steps > 0;
  }
  return stepped ? longest : report->last - report->first;
}

static void find_coverage(fw_import_report *report, fw_time_ns asked) {
  double covered = 0;
  size_t count = report->gpu_count - report->total_count;
  for (size_t i = 0; i < report->gpu_count; i++) {
    if (!report->gpus[i].total) covered += fw_time_to_seconds(report->gpus[i].covered);
  }
  report->span = asked > 0 ? asked : recorded_span(report);
  bool known = report->span > 0 && count > 0;
  report->coverage = known ? covered / (double)count / fw_time_to_seconds(report->span) : (double)NAN;
}

/* --- what power.draw is --- */

/* NVML's documentation of nvmlDeviceGetPowerUsage: on GA100 and older the reading is instantaneous, on other Ampere and
 * newer boards it is the mean of the last second. */
static fw_import_averaging averaging_of_model(const char *model) {
  static const char *const instantaneous[] = {"A100", "A30", "A800", "V100", "P100", "P40", "P4", "T4", "K80", "M40"};
  static const char *const averaged[] = {"A10",  "A16",  "A2",   "A40",  "A6000", "A5000", "A4000", "H100", "H200",
                                         "H800", "H20",  "L4",   "L40",  "L40S",  "GH200", "B100",  "B200", "GB200",
                                         "3060", "3070", "3080", "3090", "4060",  "4070",  "4080",  "4090", "5090"};
  fw_import_averaging found = FW_IMPORT_AVERAGING_UNKNOWN;
  for (const char *word = model; *word != '\0';) {
    size_t length = strcspn(word, " -_/");
    for (size_t i = 0; i < sizeof instantaneous / sizeof *instantaneous; i++) {
      if (strlen(instantaneous[i]) == length && strncmp(word, instantaneous[i], length) == 0) {
        found = FW_IMPORT_INSTANTANEOUS;
      }
    }
    for (size_t i = 0; i < sizeof averaged / sizeof *averaged; i++) {
      if (strlen(averaged[i]) == length && strncmp(word, averaged[i], length) == 0) found = FW_IMPORT_MEAN_OF_1S;
    }
    word += length + (word[length] != '\0' ? 1 : 0);
  }
  return found;
}

static void find_averaging(fwi_rules *rules) {
  fw_import_report *report = rules->report;
  const fw_import_source *source = &report->sources[0];
  const char *column = source->power_column == NULL ? "" : source->power_column;
  const char *model = rules->options->gpu_model != NULL ? rules->options->gpu_model : rules->model;
  bool draw = strstr(column, "power.draw") != NULL || strstr(column, "POWER_USAGE") != NULL;
  if (!draw) return;
  if (strstr(column, "instant") != NULL || strstr(column, "INSTANT") != NULL) {
    report->averaging = FW_IMPORT_INSTANTANEOUS;
  } else if (strstr(column, "average") != NULL ||
             (rules->both_average > 0 && rules->equal_average == rules->both_average)) {
    report->averaging = FW_IMPORT_MEAN_OF_1S;
  } else {
    rules->needs_model = true;
    report->averaging = averaging_of_model(model);
  }
  if (report->averaging == FW_IMPORT_MEAN_OF_1S) {
    fw_warning(rules->diagnostics, (fw_place){.file = source->file},
               "%s is a mean over 1 s: no window below 1 s may be judged on it%s", column,
               rules->present[FW_IMPORT_INSTANT] ? " (--power-column power.draw.instant takes the other one)" : "");
  } else if (report->averaging == FW_IMPORT_AVERAGING_UNKNOWN) {
    fw_warning(rules->diagnostics, (fw_place){.file = source->file},
               "%s is instantaneous on GA100 (A100) and older GPUs and a mean over 1 s on other Ampere and newer ones: "
               "say which with --gpu-model, and judge no window below 1 s without knowing",
               column);
  }
}

static void warn_of_interval(const fwi_rules *rules, const fw_import_gpu *gpu) {
  fw_time_ns nominal = rules->options->interval;
  if (nominal <= 0 || gpu->interval == 0 || rules->report->time_is_relative) return;
  fw_time_ns off = gpu->interval > nominal ? gpu->interval - nominal : nominal - gpu->interval;
  if (off <= nominal / 50) return;
  char asked[FW_UNITS_TEXT_SIZE], median[FW_UNITS_TEXT_SIZE], p95[FW_UNITS_TEXT_SIZE], largest[FW_UNITS_TEXT_SIZE];
  fw_warning(rules->diagnostics, (fw_place){.file = rules->report->sources[gpu->source].file},
             "GPU %s: asked for every %s s, recorded every %s s (median; P95 %s s, largest %s s): the stamps count",
             gpu->gpu, fw_time_format(nominal, asked), fw_time_format(gpu->interval, median),
             fw_time_format(gpu->interval_p95, p95), fw_time_format(gpu->interval_largest, largest));
}

/* --- the whole --- */

static fw_status check_any_power(const fwi_rules *rules) {
  const fw_import_report *report = rules->report;
  fw_place place = {.file = report->source_count > 0 ? report->sources[0].file : NULL};
  if (report->sample_count > 0) return FW_OK;
  if (report->row_count == 0) {
    return fw_error(rules->diagnostics, FW_ERROR_INPUT, place, "no rows: nothing was recorded");
  }
  if (report->missing_kinds > 0) {
    char shown[FW_SHOWN_SIZE];
    const fw_import_missing *first = &report->missing[0];
    return fw_error(
        rules->diagnostics, FW_ERROR_INPUT, place,
        "no power reading in %zu rows: %zu are missing (\"%s\" in line %zu); log a GPU and field that reads",
        report->row_count, report->missing_count, fw_shown(first->spelling, strlen(first->spelling), shown),
        first->first_line);
  }
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, place,
                  "no plausible power reading in %zu rows: check the unit (--unit), or raise --max-power for what is "
                  "more than one GPU",
                  report->row_count);
}

static fw_status check_repeats(fwi_rules *rules) {
  for (size_t i = 0; i < rules->report->gpu_count; i++) {
    const fwi_series_state *state = &rules->series[i];
    if (state->repeat_count > 0) return fwi_rules_nameless(rules, state);
  }
  return FW_OK;
}

/* Rows of several GPUs that no column tells apart look like one series whose rows come in bursts, one for each time
 * that the logger went round, or whose clock goes back again and again. The log of one GPU does neither. */
static fw_status check_mingled(const fwi_rules *rules) {
  for (size_t i = 0; i < rules->report->gpu_count; i++) {
    const fw_import_gpu *gpu = &rules->report->gpus[i];
    const fwi_series_state *state = &rules->series[i];
    if (!state->nameless || gpu->row_count < 16) continue;
    if (gpu->clock_steps > gpu->row_count / 16) return fwi_rules_mingled(rules, state->first_line, "time goes back");
    if (gpu->interval_p95 / 20 > gpu->interval) {
      return fwi_rules_mingled(rules, state->first_line, "rows come in bursts");
    }
  }
  return FW_OK;
}

static fw_status check_wanted(const fwi_rules *rules) {
  for (size_t i = 0; i < rules->options->only_count; i++) {
    const char *name = rules->options->only[i];
    size_t at = 0;
    while (at < rules->report->gpu_count && strcmp(rules->report->gpus[at].gpu, name) != 0)
      at++;
    if (at < rules->report->gpu_count) continue;
    return fw_error(rules->diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "--only: the log has no GPU \"%s\"; without --only the report lists their names", name);
  }
  return FW_OK;
}

fw_status fwi_rules_end(fwi_rules *rules) {
  fw_import_report *report = rules->report;
  fw_status status = check_wanted(rules);
  if (status == FW_OK) status = check_repeats(rules);
  for (size_t i = 0; i < report->gpu_count && status == FW_OK; i++) {
    finish_gpu(&rules->series[i], &report->gpus[i]);
    status = list_gaps(rules, i);
    warn_counter(rules, &report->gpus[i]);
    if (i == 0) warn_of_interval(rules, &report->gpus[i]);
  }
  if (status == FW_OK) status = check_mingled(rules);
  if (status != FW_OK) return status;
  sum_fleet(report);
  find_coverage(report, rules->options->span);
  status = check_any_power(rules);
  if (status == FW_OK) status = check_copies(rules);
  if (status == FW_OK) status = warn_of_equal_sources(rules);
  if (status != FW_OK) return status;
  compare_zones(rules);
  find_averaging(rules);
  fwi_ledger_end(&rules->ledger);
  return FW_OK;
}
