/* heldout: what the calibrated A100 models say of measurements that they did not see. Prints the tables of
 * docs/calibration.md: three splits, each score against its bar, medians over runs, the worst run, what is not barred
 * and why, and each bar that a run misses.
 *
 *   heldout DATA > tables.md        DATA as FLEETWATT_DATA */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "sim/report/figure.h"
#include "sim/study/calibrate/calibrate.h"
#include "sim/study/calibrate/validate.h"

enum { MOST_RUNS = 3, MOST_CASES = 40, SEEDS = 20, WINDOWS = 5, NAME_SIZE = 96 };
static const fw_time_ns windows[WINDOWS] = {FW_NS_PER_S / 2, FW_NS_PER_S, 10 * FW_NS_PER_S, 30 * FW_NS_PER_S,
                                            300 * FW_NS_PER_S};
enum { SHORT = 0, LONG = 3 }; /* the windows with bars of their own */

/* --- what there is --- */

typedef enum split { REPETITIONS, LEVELS, RUNS, BUSY_RUNS, SPLITS } split;

typedef struct kind {
  const char *name;
  const char *gpu;
  const char *runs[MOST_RUNS]; /* below the data folder, without .csv */
  bool phases;                 /* NAME.phases.csv lies beside */
  const char *role;
  fw_sharding sharding;
  const char *hard[SPLITS]; /* why it misses the bars that it misses */
  size_t series;            /* of its files: the GPU that plays the role */
} kind;

#define SERVING "a100_serving_traces/vllm_"
#define SCRIPT "a100_inference_traces/"

static const char aliased[] =
    "a reading is a moment of 25 ms in every 100 ms and tokens are counted over 250 ms, so which readings fall on a "
    "prompt is chance, and the model draws its own";
static const char bursts[] =
    "requests of 0.2 s come in bursts on whole seconds and the count is read every 0.25 s, which misses bursts or "
    "holds "
    "them too long: the work that is given to the model is not the work that was done; and the two runs differ in load";
static const char steps_of_engine[] = "the engine moves its counters at the end of steps of up to 2,048 prompt tokens, "
                                      "so work and power are out of step by "
                                      "up to a tick, and a run holds 41 or 29 s";
static const char short_requests[] = "a request decodes its 64 tokens in about a tick, so its count is seen once or "
                                     "not at all, and a run holds 41 or 29 s";
static const char met_by_chance[] =
    "a reading of utilisation tells of a sixth of a second or so in every 0.25 s and one of power of 25 ms in every "
    "100 ms, so which of them meet a burst of 0.2 s is chance, and while bursts and readings keep step it stays the "
    "same chance";
static const char apart[] = "the two runs draw different power at full work, and a run holds 41 or 29 s";
static const char one_moment[] = "a request decodes its 64 tokens in about a tick, so whether a reading of power meets "
                                 "the work is chance, and a run holds 41 or 29 s";
static const char plateau[] = "the longest prompts draw within a few watts of each other, so a budget at P90 to P99 "
                              "stands on a plateau where a watt "
                              "moves the rate by points";
static const char step_of_power[] =
    "power steps up between two neighbouring prompt lengths, by up to a half, and what lies around does not show where";

static const kind kinds[] = {
    {"qwen3-8b-chat",
     "a100-sxm4-80gb",
     {SERVING "qwen3-8b_tp1_rate2.5", SERVING "qwen3-8b_tp1_rate2.5_bursty", SERVING "qwen3-8b_tp1_rate2.5_smooth"},
     false,
     NULL,
     FW_SHARDING_SINGLE,
     {NULL, NULL, aliased, aliased},
     0},
    {"qwen3-8b-bursts",
     "a100-sxm4-80gb",
     {SERVING "qwen3-8b_tp1_burstgpt", SERVING "qwen3-8b_tp1_burstgpt_low_window", NULL},
     false,
     NULL,
     FW_SHARDING_SINGLE,
     {NULL, NULL, bursts, met_by_chance},
     0},
    {"gpt-oss-20b-prefill",
     "a100-sxm4-80gb",
     {SERVING "gpt-oss-20b_pd_rate1_window", SERVING "gpt-oss-20b_pd_rate1_repeat1_window", NULL},
     false,
     "prefill",
     FW_SHARDING_SINGLE,
     {NULL, NULL, steps_of_engine, apart},
     0},
    {"gpt-oss-20b-decode",
     "a100-sxm4-80gb",
     {SERVING "gpt-oss-20b_pd_rate1_window", SERVING "gpt-oss-20b_pd_rate1_repeat1_window", NULL},
     false,
     "decode",
     FW_SHARDING_SINGLE,
     {NULL, NULL, short_requests, one_moment},
     1},
    {"llama2-7b-nocache",
     "a100-40gb-400w",
     {SCRIPT "swing_llama2-7b_1gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_SINGLE,
     {plateau, step_of_power, NULL, NULL},
     0},
    {"llama2-13b-nocache",
     "a100-40gb-400w",
     {SCRIPT "swing_llama2-13b_1gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_SINGLE,
     {plateau, step_of_power, NULL, NULL},
     0},
    {"falcon-7b-nocache",
     "a100-40gb-400w",
     {SCRIPT "swing_falcon-7b_1gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_SINGLE,
     {plateau, step_of_power, NULL, NULL},
     0},
    {"falcon-40b-nocache-layer3",
     "a100-40gb-400w",
     {SCRIPT "swing_falcon-40b_3gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_LAYER,
     {plateau, step_of_power, NULL, NULL},
     0},
    {"llama2-70b-nocache-layer4",
     "a100-40gb-400w",
     {SCRIPT "swing_llama2-70b_4gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_LAYER,
     {plateau, step_of_power, NULL, NULL},
     0},
    {"llama2-7b-nocache-250w",
     "a100-40gb-250w",
     {SCRIPT "palmetto_llama2-7b_1gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_SINGLE,
     {plateau, plateau, NULL, NULL},
     0},
    {"falcon-7b-nocache-250w",
     "a100-40gb-250w",
     {SCRIPT "palmetto_falcon-7b_1gpu", NULL, NULL},
     true,
     NULL,
     FW_SHARDING_SINGLE,
     {plateau, plateau, NULL, NULL},
     0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const split_titles[SPLITS] = {"Repetitions within a level", "Whole levels, interpolated",
                                                 "Whole runs", "Whole runs, given the busy time"};
static const char *const split_words[SPLITS] = {
    "Of the phases with one prompt length the earlier are fitted to, the later ones (half of them) held out.",
    "Every second prompt length is held out, but never the shortest or the longest.",
    "Each run of a kind with two or more is held out once; the model is fitted to the others.",
    "The same, but how busy the GPU was in each tick is taken from the recording's own utilisation, in fit and test: "
    "it is measured on the same GPU as the power, so this says what the model adds to knowing that, and not what a "
    "forecast of work would reach."};

static bool is_by_runs(split by) {
  return by == RUNS || by == BUSY_RUNS;
}

/* --- parting a run with phases --- */

typedef struct phase_part {
  size_t level;      /* prompt lengths in order */
  size_t repetition; /* within the level */
} phase_part;

typedef struct parting {
  split by;
  size_t held_run; /* by runs, in the order of the kind; else 0, the only one */
  phase_part *phase;
  size_t phases;
  size_t levels;
  size_t *repetitions; /* of each level */
} parting;

static bool is_held(const parting *of, const fw_occupancy_tick *tick) {
  if (tick->phase == 0 || tick->phase >= of->phases) return false;
  const phase_part *part = &of->phase[tick->phase];
  if (of->by == REPETITIONS) return 2 * part->repetition >= of->repetitions[part->level];
  return part->level % 2 == 1 && part->level + 1 < of->levels;
}

static bool is_seen(const void *context, size_t run, const fw_occupancy *occupancy, size_t tick) {
  (void)run;
  return !is_held(context, &occupancy->data[tick]);
}

static bool is_compared(const void *context, size_t run, const fw_occupancy *occupancy, size_t tick) {
  (void)run;
  return is_held(context, &occupancy->data[tick]);
}

/* Prompt lengths of phases: the work in flight of their ticks; one more than a hundredth longer begins a level. */
static fw_status part_phases(const fw_occupancy_options *run, parting *out, fw_diagnostics *diagnostics) {
  fw_occupancy occupancy;
  const fw_status status = fw_occupancy_read(run, &occupancy, diagnostics);
  if (status != FW_OK) return status;
  for (size_t i = 0; i < occupancy.count; i++)
    out->phases = occupancy.data[i].phase >= out->phases ? occupancy.data[i].phase + 1 : out->phases;
  out->phase = fw_allocate(out->phases, sizeof *out->phase);
  out->repetitions = fw_allocate(out->phases, sizeof *out->repetitions);
  double tokens = 0.0;
  size_t last = 0;
  for (size_t i = 0; out->phase != NULL && out->repetitions != NULL && i < occupancy.count; i++) {
    const fw_occupancy_tick *tick = &occupancy.data[i];
    if (tick->phase == 0 || tick->phase == last || tick->share[FW_ACTIVITY_WORK] < 0.5) continue;
    const bool mixed = i + 1 < occupancy.count && occupancy.data[i + 1].phase == tick->phase;
    const double here = mixed ? occupancy.data[i + 1].in_flight : tick->in_flight;
    last = tick->phase;
    if (out->levels == 0 || here > 1.01 * tokens) {
      out->levels++;
      tokens = here;
    }
    out->phase[tick->phase] = (phase_part){out->levels - 1, out->repetitions[out->levels - 1]++};
  }
  fw_occupancy_clear(&occupancy);
  return out->phase != NULL && out->repetitions != NULL ? FW_OK : fw_error_memory(diagnostics, "the parts of a run");
}

/* --- one case --- */

typedef struct held_case {
  const kind *of;
  split by;
  char name[NAME_SIZE];
  fw_fidelity fidelity;
} held_case;

typedef struct bench {
  const char *data;
  char folder[64];
  held_case cases[MOST_CASES];
  size_t count;
  char paths[MOST_RUNS][2][512]; /* traces and phases of the present kind */
} bench;

static size_t runs_of(const kind *of) {
  size_t count = 0;
  while (count < MOST_RUNS && of->runs[count] != NULL)
    count++;
  return count;
}

/* A run as the tables call it: its file, and the role of the GPU. */
static void name_run(const kind *of, size_t run, char out[NAME_SIZE]) {
  const bool one_role = of->role != NULL;
  (void)snprintf(out, NAME_SIZE, "%s%s%s", fw_path_name(of->runs[run]), one_role ? ", " : "", one_role ? of->role : "");
}

static fw_occupancy_options run_options(bench *all, const kind *of, split by, size_t run) {
  (void)snprintf(all->paths[run][0], sizeof all->paths[run][0], "%s/%s.csv", all->data, of->runs[run]);
  (void)snprintf(all->paths[run][1], sizeof all->paths[run][1], "%s/%s.phases.csv", all->data, of->runs[run]);
  return (fw_occupancy_options){.trace = all->paths[run][0],
                                .kind_if_unstated = of->phases ? FW_SERIES_MEAN_FROM : FW_SERIES_INSTANT,
                                .phases = of->phases ? all->paths[run][1] : NULL,
                                .utilization = by == BUSY_RUNS,
                                .role = of->role,
                                .tick = FW_NS_PER_S / 2,
                                .skipped_phases = 1};
}

static fw_status write_model(const bench *all, const fw_calibrate_options *options, char path[256],
                             fw_diagnostics *diagnostics) {
  fw_calibration calibration;
  const fw_study_options study = {.threads = 0};
  (void)snprintf(path, 256, "%s/%s.json", all->folder, options->id);
  fw_status status = fw_calibrate(options, &study, &calibration, diagnostics);
  if (status != FW_OK) return status;
  fw_text text = FW_TEXT_INIT;
  fw_calibration_model(&calibration, &text);
  status =
      text.failed ? fw_error_memory(diagnostics, "a model") : fw_file_write(path, text.data, text.length, diagnostics);
  fw_text_clear(&text);
  fw_calibration_clear(&calibration);
  return status;
}

static fw_status hold_out(bench *all, const kind *of, const parting *parts, fw_diagnostics *diagnostics) {
  const size_t count = runs_of(of);
  fw_occupancy_options seen[MOST_RUNS];
  fw_occupancy_options held = run_options(all, of, parts->by, parts->held_run);
  size_t seen_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_by_runs(parts->by) || i != parts->held_run) seen[seen_count++] = run_options(all, of, parts->by, i);
  }
  const fw_calibrate_options fit = {.runs = seen,
                                    .run_count = seen_count,
                                    .id = of->name,
                                    .gpu = of->gpu,
                                    .sharding = of->sharding,
                                    .filter = !is_by_runs(parts->by) ? is_seen : NULL,
                                    .filter_context = parts};
  char path[256];
  fw_status status = write_model(all, &fit, path, diagnostics);
  if (status != FW_OK) return status;
  held_case *one = &all->cases[all->count];
  *one = (held_case){.of = of, .by = parts->by};
  name_run(of, parts->held_run, one->name);
  const char *name = one->name;
  const fw_validate_options options = {.model = path,
                                       .runs = &held,
                                       .run_count = 1,
                                       .names = &name,
                                       .seeds = SEEDS,
                                       .windows = windows,
                                       .window_count = WINDOWS,
                                       .share = FW_SOURCE_DIR,
                                       .filter = !is_by_runs(parts->by) ? is_compared : NULL,
                                       .filter_context = parts};
  const fw_study_options study = {.threads = 0};
  fw_validation validation;
  status = fw_validate(&options, &study, &validation, diagnostics);
  (void)unlink(path);
  if (status != FW_OK) return status;
  one->fidelity = validation.runs[0];
  validation.run_count = 0; /* its one run moved on */
  fw_validation_clear(&validation);
  all->count++;
  return FW_OK;
}

static fw_status hold_out_kind(bench *all, const kind *of, split by, fw_diagnostics *diagnostics) {
  parting parts = {.by = by};
  fw_status status = FW_OK;
  if (is_by_runs(by)) {
    for (size_t r = 0; r < runs_of(of) && runs_of(of) > 1 && status == FW_OK; r++) {
      parts.held_run = r;
      status = hold_out(all, of, &parts, diagnostics);
    }
    return status;
  }
  if (!of->phases) return FW_OK;
  const fw_occupancy_options run = run_options(all, of, by, 0);
  status = part_phases(&run, &parts, diagnostics);
  if (status == FW_OK) status = hold_out(all, of, &parts, diagnostics);
  free(parts.phase);
  free(parts.repetitions);
  return status;
}

/* --- tables --- */

typedef struct column {
  const char *title;
  fw_fidelity_metric metric;
  size_t window;
  double scale; /* 100: per cent */
} column;

static const column columns[] = {
    {"energy, %", FW_FIDELITY_ENERGY, SHORT, 100.0},    {"P95 0.5 s, %", FW_FIDELITY_P95, SHORT, 100.0},
    {"P95 30 s, %", FW_FIDELITY_P95, LONG, 100.0},      {"P99 0.5 s, %", FW_FIDELITY_P99, SHORT, 100.0},
    {"P99 30 s, %", FW_FIDELITY_P99, LONG, 100.0},      {"KS 0.5 s", FW_FIDELITY_KS, SHORT, 1.0},
    {"ACF-MAE 0.5 s", FW_FIDELITY_ACF_MAE, SHORT, 1.0},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const fw_fidelity_window *window_of(const held_case *one, size_t window) {
  return &one->fidelity.signals[0].windows[window];
}

static fw_fidelity_bar bar_of(const held_case *one, size_t window, fw_fidelity_metric metric) {
  return fw_fidelity_judge(window_of(one, window), metric, &fw_fidelity_default_limits);
}

/* "1.2 (2.0)", in bold where the bar is missed; the bare score in brackets where there is none. */
static void print_cell(const held_case *one, const column *at) {
  char value[FW_NUMBER_TEXT_SIZE];
  char limit[FW_NUMBER_TEXT_SIZE];
  const fw_fidelity_bar bar = bar_of(one, at->window, at->metric);
  const double score = window_of(one, at->window)->scores[at->metric];
  const int decimals = at->scale > 1.0 ? 1 : 3;
  const char *shown = fwi_figure_fixed(at->scale * fabs(score), decimals, value);
  if (bar.verdict == FW_FIDELITY_NOT_BARRED) {
    printf(isnan(score) ? "n/a" : "n/a (%s)", shown);
  } else {
    const char *mark = bar.verdict == FW_FIDELITY_MISSED ? "**" : "";
    printf("%s%s%s of %s", mark, shown, mark, fwi_figure_fixed(at->scale * bar.limit, decimals, limit));
  }
}

/* The violation rate that comes nearest to its bar, or misses it most, over all budgets and windows. */
static void print_violation(const held_case *one) {
  double worst = -1.0;
  double score = 0.0;
  double limit = 0.0;
  size_t at = 0;
  for (size_t w = 0; w < WINDOWS; w++) {
    for (size_t m = FW_FIDELITY_VIOLATION_P80; m <= FW_FIDELITY_VIOLATION_P99; m++) {
      const fw_fidelity_bar bar = bar_of(one, w, (fw_fidelity_metric)m);
      if (bar.verdict == FW_FIDELITY_NOT_BARRED) continue;
      const double here = window_of(one, w)->scores[m];
      if (here / bar.limit <= worst) continue;
      worst = here / bar.limit;
      score = here;
      limit = bar.limit;
      at = w;
    }
  }
  if (worst < 0.0) {
    printf("n/a");
    return;
  }
  char value[FW_NUMBER_TEXT_SIZE], most[FW_NUMBER_TEXT_SIZE], window[FW_UNITS_TEXT_SIZE];
  const char *mark = worst > 1.0 ? "**" : "";
  printf("%s%s%s of %s at %s s", mark, fwi_figure_fixed(100.0 * score, 1, value), mark,
         fwi_figure_fixed(100.0 * limit, 1, most), fw_time_format(windows[at], window));
}

/* Median of the scores that there are, the lower of two. */
static void print_median(const bench *all, split by, const column *at) {
  double scores[MOST_CASES];
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    const double score = fabs(window_of(&all->cases[i], at->window)->scores[at->metric]);
    if (all->cases[i].by == by && !isnan(score)) scores[count++] = score;
  }
  char value[FW_NUMBER_TEXT_SIZE];
  if (count == 0) {
    printf(" n/a |");
    return;
  }
  fw_sort_numbers(scores, count);
  printf(" %s |", fwi_figure_fixed(at->scale * scores[(count - 1) / 2], at->scale > 1.0 ? 1 : 3, value));
}

static void print_runs(const bench *all, split by) {
  printf("| held out |");
  for (size_t c = 0; c < COLUMNS; c++)
    printf(" %s |", columns[c].title);
  printf(" violation rate, points |\n|---|");
  for (size_t c = 0; c <= COLUMNS; c++)
    printf("---|");
  printf("\n");
  for (size_t i = 0; i < all->count; i++) {
    const held_case *one = &all->cases[i];
    if (one->by != by) continue;
    printf("| %s |", one->name);
    for (size_t c = 0; c < COLUMNS; c++) {
      printf(" ");
      print_cell(one, &columns[c]);
      printf(" |");
    }
    printf(" ");
    print_violation(one);
    printf(" |\n");
  }
  printf("| median |");
  for (size_t c = 0; c < COLUMNS; c++)
    print_median(all, by, &columns[c]);
  printf(" |\n");
}

/* Medians over the runs of some splits that are barred. */
static void print_bars(const bench *all, split first, split last) {
  fw_fidelity runs[MOST_CASES];
  size_t count = 0;
  const char *names[MOST_CASES];
  for (size_t i = 0; i < all->count; i++) {
    if (all->cases[i].by < first || all->cases[i].by > last) continue;
    names[count] = all->cases[i].name;
    runs[count++] = all->cases[i].fidelity;
  }
  printf("\n| bar | runs that are held to it | inside | median of score / limit | verdict | worst run |\n"
         "|---|---|---|---|---|---|\n");
  for (size_t w = 0; w < WINDOWS; w++) {
    for (size_t m = 0; m < FW_FIDELITY_METRICS; m++) {
      const fw_fidelity_group group =
          fw_fidelity_judge_runs(runs, count, w, (fw_fidelity_metric)m, &fw_fidelity_default_limits);
      if (group.barred == 0) continue;
      char window[FW_UNITS_TEXT_SIZE], median[FW_NUMBER_TEXT_SIZE], worst[FW_NUMBER_TEXT_SIZE];
      char limit[FW_NUMBER_TEXT_SIZE];
      printf("| %s, %s s | %zu | %zu | %s | %s | %s: %s of %s |\n", fw_fidelity_metric_names[m],
             fw_time_format(windows[w], window), group.barred, group.met,
             fwi_figure_fixed(group.median_ratio, 2, median), group.verdict == FW_FIDELITY_MET ? "met" : "**missed**",
             names[group.worst_run], fwi_figure_fixed(group.worst_score, 3, worst),
             fwi_figure_fixed(group.worst_limit, 3, limit));
    }
  }
}

/* Each bar that a run misses, and why. */
static void print_misses(const bench *all, split by) {
  bool any = false;
  for (size_t i = 0; i < all->count; i++) {
    const held_case *one = &all->cases[i];
    bool first = true;
    if (one->by != by) continue;
    for (size_t k = 0; k < WINDOWS * FW_FIDELITY_METRICS; k++) {
      const size_t w = k / FW_FIDELITY_METRICS;
      const fw_fidelity_metric metric = (fw_fidelity_metric)(k % FW_FIDELITY_METRICS);
      if (bar_of(one, w, metric).verdict != FW_FIDELITY_MISSED) continue;
      char window[FW_UNITS_TEXT_SIZE];
      if (first) printf("%s- %s misses ", any ? "" : "\nMissed:\n\n", one->name);
      printf("%s%s at %s s", first ? "" : ", ", fw_fidelity_metric_names[metric], fw_time_format(windows[w], window));
      first = false;
      any = true;
    }
    if (!first) printf(": %s.\n", one->of->hard[by]);
  }
  if (!any) printf("\nNo run misses a bar.\n");
}

/* Why scores are not barred, once for each run and window. */
static void print_reasons(const bench *all, split by) {
  printf("\nNot barred (n/a):\n\n");
  for (size_t i = 0; i < all->count; i++) {
    const held_case *one = &all->cases[i];
    char before[FW_FIDELITY_REASON_SIZE] = "";
    if (one->by != by) continue;
    printf("- %s:", one->name);
    for (size_t k = 0; k < WINDOWS * FW_FIDELITY_METRICS; k++) {
      const size_t w = k / FW_FIDELITY_METRICS;
      const fw_fidelity_bar bar = bar_of(one, w, (fw_fidelity_metric)(k % FW_FIDELITY_METRICS));
      char window[FW_UNITS_TEXT_SIZE];
      if (!bar.has_limit || bar.verdict != FW_FIDELITY_NOT_BARRED || strcmp(bar.reason, before) == 0) continue;
      printf(" at %s s %s;", fw_time_format(windows[w], window), bar.reason);
      (void)snprintf(before, sizeof before, "%s", bar.reason);
    }
    printf("\n");
  }
}

/* --- what a recording knows of its own energy --- */

/* Means of the readings with even and with odd numbers, and the standard error of the mean of all by the differences of
 * neighbours (Wolter, "An investigation of some estimators of variance for systematic sampling", Journal of the
 * American Statistical Association 79, 1984). */
typedef struct own_mean {
  double even_w;
  double odd_w;
  double error_w;
} own_mean;

static own_mean mean_of_readings(const fw_series *series) {
  own_mean out = {0};
  double squares = 0.0;
  const size_t pairs = series->count / 2;
  for (size_t i = 0; i < pairs; i++) {
    const double even_w = fw_power_to_watts(series->power[2 * i]);
    const double odd_w = fw_power_to_watts(series->power[2 * i + 1]);
    out.even_w += even_w / (double)pairs;
    out.odd_w += odd_w / (double)pairs;
    squares += 0.25 * (even_w - odd_w) * (even_w - odd_w);
  }
  out.error_w = sqrt(squares) / (double)pairs;
  return out;
}

static fw_status print_own_mean(bench *all, const kind *of, size_t run, fw_diagnostics *diagnostics) {
  const fw_occupancy_options files = run_options(all, of, RUNS, run);
  fw_trace trace;
  const fw_status status = fw_trace_read(files.trace, files.kind_if_unstated, &trace, diagnostics);
  if (status != FW_OK) return status;
  const own_mean own = mean_of_readings(&trace.series[of->series]);
  const double mean_w = 0.5 * (own.even_w + own.odd_w);
  char apart_text[FW_NUMBER_TEXT_SIZE];
  char error_text[FW_NUMBER_TEXT_SIZE];
  char name[NAME_SIZE];
  name_run(of, run, name);
  printf("| %s | %s | %s |\n", name, fwi_figure_fixed(100.0 * fabs(own.even_w - own.odd_w) / mean_w, 1, apart_text),
         fwi_figure_fixed(100.0 * own.error_w / mean_w, 1, error_text));
  fw_trace_clear(&trace);
  return FW_OK;
}

static fw_status print_own_means(bench *all, fw_diagnostics *diagnostics) {
  printf("\nHow well these recordings know their own mean power: every second reading against the others, and the "
         "standard error of the mean of all.\n\n"
         "| recording | even and odd readings apart, %% | standard error, %% |\n|---|---|---|\n");
  fw_status status = FW_OK;
  for (size_t k = 0; k < KINDS; k++) {
    for (size_t r = 0; r < runs_of(&kinds[k]) && runs_of(&kinds[k]) > 1 && status == FW_OK; r++)
      status = print_own_mean(all, &kinds[k], r, diagnostics);
  }
  return status;
}

static int fail(fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < diagnostics->count; i++) {
    char line[2048];
    (void)fw_diagnostic_format(&diagnostics->entries[i], line, sizeof line);
    (void)fprintf(stderr, "%s\n", line);
  }
  fw_diagnostics_clear(diagnostics);
  return 2;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    (void)fprintf(stderr, "usage: heldout DATA\n");
    return 2;
  }
  (void)gsl_set_error_handler_off();
  bench *all = calloc(1, sizeof *all);
  if (all == NULL) return 3;
  all->data = argv[1];
  (void)snprintf(all->folder, sizeof all->folder, "/tmp/fleetwatt-heldout-XXXXXX");
  if (mkdtemp(all->folder) == NULL) return 3;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_status status = FW_OK;
  for (size_t by = 0; by < SPLITS; by++) {
    for (size_t k = 0; k < KINDS && status == FW_OK; k++)
      status = hold_out_kind(all, &kinds[k], (split)by, &diagnostics);
  }
  (void)rmdir(all->folder);
  for (size_t by = 0; by < SPLITS && status == FW_OK; by++) {
    printf("### %s\n\n%s\n\n", split_titles[by], split_words[by]);
    print_runs(all, (split)by);
    print_bars(all, (split)by, (split)by);
    print_misses(all, (split)by);
    if (by == RUNS) status = print_own_means(all, &diagnostics);
    print_reasons(all, (split)by);
    printf("\n");
    if (by == RUNS) {
      printf("### All of these runs\n\nMedians over the runs of the three splits above together.\n");
      print_bars(all, REPETITIONS, RUNS);
      printf("\n");
    }
  }
  for (size_t i = 0; i < all->count; i++)
    fw_fidelity_clear(&all->cases[i].fidelity);
  free(all);
  if (status != FW_OK) return fail(&diagnostics);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}
