/* How busy the GPUs were as what a job did: small files worked out by hand, random ones against sums over milliseconds,
 * and every refusal with its line. */
#include <math.h>

#include "sim/base/random.h"
#include "tests/occupancy_files.h"

/* Short decimals; a share of work is rounded to whole nanoseconds of each state, 2 in 5e8 of a tick. */
static const double EXACT = 1e-8;

TestSuite(utilization, .init = make_files, .fini = remove_files);

static fw_occupancy_options plain(void) {
  return (fw_occupancy_options){
      .trace = trace_path, .kind_if_unstated = FW_SERIES_INSTANT, .utilization = true, .tick = FW_NS_PER_S / 2};
}

static void expect_tick(const fw_occupancy *out, size_t tick, double work, double in_flight, double prompt_per_s,
                        double generated_per_s) {
  const fw_occupancy_tick *at = &out->data[tick];
  cr_expect_float_eq(at->share[FW_ACTIVITY_WORK], work, EXACT, "tick %zu: %g", tick, at->share[FW_ACTIVITY_WORK]);
  cr_expect_float_eq(at->share[FW_ACTIVITY_READY], 1.0 - work, EXACT, "tick %zu", tick);
  if (work > 0.0) cr_expect_float_eq(at->in_flight, in_flight, EXACT, "tick %zu: %g in flight", tick, at->in_flight);
  cr_expect_float_eq(at->prompt_per_s, prompt_per_s, 1e-4, "tick %zu: %g", tick, at->prompt_per_s);
  cr_expect_float_eq(at->generated_per_s, generated_per_s, 1e-4, "tick %zu: %g", tick, at->generated_per_s);
}

/* Between two readings the share is their mean: 0, 0.2, 0.7, 1, 0.8, 0.3, 0, 0. The 100 prompt tokens belong to the
 * 0.175 s of work before they appeared, 10 written ones each to 0.25 s and 0.2 s. */
Test(utilization, says_how_much_of_a_tick_was_work) {
  put(trace_path, "t_s,power_w,utilization_pct,requests_running,prompt_tokens_total,generation_tokens_total\n"
                  "0.00,80,0,0,0,0\n"
                  "0.25,80,0,0,0,0\n"
                  "0.50,300,40,1,0,0\n"
                  "0.75,300,100,1,100,0\n"
                  "1.00,300,100,1,100,10\n"
                  "1.25,80,60,0,100,20\n"
                  "1.50,80,0,0,100,20\n"
                  "1.75,80,0,0,100,20\n"
                  "2.00,80,0,0,100,20\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.source, FW_OCCUPANCY_COUNTERS);
  cr_assert_eq(out.count, 4);
  expect_tick(&out, 0, 0.1, 1.0, 0.0, 0.0);
  expect_tick(&out, 1, 0.85, 1.0, 100.0 / 0.425, 10.0 / 0.425);
  expect_tick(&out, 2, 0.55, 1.0, 0.0, 10.0 / 0.275);
  expect_tick(&out, 3, 0.0, 0.0, 0.0, 0.0);
  fw_occupancy_clear(&out);
}

static double all_tokens(const fw_occupancy *out, bool prompt) {
  double sum = 0.0;
  for (size_t i = 0; i < out->count; i++) {
    const fw_occupancy_tick *tick = &out->data[i];
    sum += 0.5 * tick->share[FW_ACTIVITY_WORK] * (prompt ? tick->prompt_per_s : tick->generated_per_s);
  }
  return sum;
}

/* The prompt is counted 0.5 s before the GPU begins, the completion 0.5 s after it has ended; none is lost. */
Test(utilization, tokens_that_appear_while_the_gpu_is_idle_belong_to_the_nearest_work) {
  put(trace_path, "t_s,power_w,util_gpu_pct,requests_running,prompt_tokens_total,generation_tokens_total\n"
                  "0.0,80,0,0,0,0\n"
                  "0.5,80,0,1,70,0\n"
                  "1.0,80,0,1,70,0\n"
                  "1.5,300,100,1,70,0\n"
                  "2.0,300,100,1,70,0\n"
                  "2.5,80,0,0,70,0\n"
                  "3.0,80,0,0,70,0\n"
                  "3.5,80,0,0,70,30\n"
                  "4.0,80,0,0,70,30\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_assert_geq(out.count, 8);
  static const double work[] = {0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.0};
  for (size_t i = 0; i < sizeof work / sizeof work[0]; i++)
    cr_expect_float_eq(out.data[i].share[FW_ACTIVITY_WORK], work[i], EXACT, "tick %zu", i);
  cr_expect_float_eq(all_tokens(&out, true), 70.0, 1e-5);
  fw_occupancy_clear(&out);
}

/* Bins hold their own share, and where a cell is empty a reading reaches over it as one of power does: forward from its
 * start, or back from its end. */
Test(utilization, of_bins_is_their_own) {
  const char *const kinds[] = {"mean_from", "mean_to"};
  static const double work[][3] = {{0.5, 1.0, 1.0}, {1.0, 0.0, 0.0}};
  for (size_t k = 0; k < 2; k++) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "# kind: %s\nt_s,power_w,utilization_pct\n0,100,50\n0.5,200,100\n1,200,\n1.5,90,0\n2,90,0\n",
                   kinds[k]);
    put(trace_path, text);
    const fw_occupancy_options options = plain();
    fw_occupancy out = read_good(&options);
    cr_expect_eq(out.source, FW_OCCUPANCY_UTILIZATION);
    cr_assert_geq(out.count, 4);
    const size_t first = k; /* the bin of the first stamp of mean_to lies before it */
    for (size_t i = 0; i < 3; i++) {
      cr_expect_float_eq(out.data[first + i].share[FW_ACTIVITY_WORK], work[k][i], EXACT, "%s: tick %zu is %g", kinds[k],
                         first + i, out.data[first + i].share[FW_ACTIVITY_WORK]);
    }
    cr_expect(isnan(out.data[first].in_flight));
    fw_occupancy_clear(&out);
  }
}

/* An engine that leaves the GPU alone for 6 % of its time is at full work all the same. */
Test(utilization, is_a_share_of_full_work) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "t_s,power_w,utilization_pct\n");
  for (int i = 0; i < 40; i++)
    fw_text_add_format(&text, "%d.%d,300,%d\n", i / 2, 5 * (i % 2), i < 10 ? 0 : 94);
  put(trace_path, text.data);
  fw_text_clear(&text);
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_expect_float_eq(out.data[3].share[FW_ACTIVITY_WORK], 0.0, EXACT);
  cr_expect_float_eq(out.data[9].share[FW_ACTIVITY_WORK], 0.5, EXACT);
  for (size_t i = 10; i < out.count; i++)
    cr_expect_float_eq(out.data[i].share[FW_ACTIVITY_WORK], 1.0, EXACT, "tick %zu", i);
  fw_occupancy_clear(&out);
}

/* --- random recordings against sums over milliseconds --- */

enum { GPUS = 3, READINGS = 60, LENGTH_MS = 12000 };

typedef struct made_log {
  size_t gpus;
  size_t count[GPUS];
  int ms[GPUS][READINGS];
  int per_cent[GPUS][READINGS]; /* -1: an empty cell */
} made_log;

static uint64_t draw(uint32_t trial, uint32_t which, uint64_t below) {
  return fw_random_below(fw_stream_make(7, FW_DRAW_TEST, trial), which, below);
}

/* Each GPU is read at its own times, every 150 to 280 ms, so no interval is a gap. */
static void make_log(uint32_t trial, made_log *out) {
  *out = (made_log){.gpus = 1 + (size_t)draw(trial, 0, GPUS)};
  uint32_t which = 1;
  for (size_t g = 0; g < out->gpus; g++) {
    int at = (int)draw(trial, which++, 200);
    while (out->count[g] < READINGS && at < LENGTH_MS) {
      const size_t i = out->count[g]++;
      out->ms[g][i] = at;
      const uint64_t kind = draw(trial, which++, 8);
      out->per_cent[g][i] = kind == 0 && i > 0 ? -1 : kind < 3 ? 0 : (int)draw(trial, which++, 101);
      if (i > 0 && out->per_cent[g][i - 1] < 0 && out->per_cent[g][i] < 0) out->per_cent[g][i] = 7;
      at += 150 + (int)draw(trial, which++, 131);
    }
  }
}

static int compare_stamps(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right;
}

static void write_log(const made_log *log) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "t_ms,gpu,power_w,utilization_pct\n");
  for (int ms = 0; ms < LENGTH_MS + 300; ms++) {
    for (size_t g = 0; g < log->gpus; g++) {
      const int *found = bsearch(&ms, log->ms[g], log->count[g], sizeof log->ms[g][0], compare_stamps);
      if (found == NULL) continue;
      const int per_cent = log->per_cent[g][found - log->ms[g]];
      fw_text_add_format(&text, "%d,%zu,100,", ms, g);
      if (per_cent >= 0) fw_text_add_format(&text, "%d", per_cent);
      fw_text_add(&text, "\n");
    }
  }
  put(trace_path, text.data);
  fw_text_clear(&text);
}

/* The readings with a value around `ms`: the one in force and the next; false where there are not both. */
static bool around(const made_log *log, size_t gpu, int ms, double *now, double *next) {
  bool has_now = false;
  for (size_t i = 0; i < log->count[gpu]; i++) {
    if (log->per_cent[gpu][i] < 0) continue;
    if (log->ms[gpu][i] <= ms) {
      *now = log->per_cent[gpu][i] / 100.0;
      has_now = true;
      continue;
    }
    *next = log->per_cent[gpu][i] / 100.0;
    return has_now;
  }
  return false;
}

static bool has_stamp(const made_log *log, int ms) {
  for (size_t g = 0; g < log->gpus; g++) {
    for (size_t i = 0; i < log->count[g]; i++)
      if (log->ms[g][i] == ms && log->per_cent[g][i] >= 0) return true;
  }
  return false;
}

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Share of full work in each millisecond; NaN where a GPU is not known. */
static void sum_up(const made_log *log, double *share) {
  static double busy[GPUS * READINGS];
  size_t count = 0;
  bool known_before = false;
  for (int ms = 0; ms < LENGTH_MS; ms++) {
    double reading = 0.0;
    bool known = true;
    share[ms] = 0.0;
    for (size_t g = 0; g < log->gpus; g++) {
      double now = 0.0;
      double next = 0.0;
      known = around(log, g, ms, &now, &next) && known;
      reading += now / (double)log->gpus;
      share[ms] += 0.5 * (now + next) / (double)log->gpus;
    }
    if (!known) share[ms] = (double)NAN;
    if (known && reading > 0.0 && (!known_before || has_stamp(log, ms))) busy[count++] = reading;
    known_before = known;
  }
  qsort(busy, count, sizeof busy[0], compare_numbers);
  const double full = busy[(size_t)ceil(0.9 * (double)count - 1e-9) - 1];
  for (int ms = 0; ms < LENGTH_MS; ms++)
    share[ms] = isnan(share[ms]) ? share[ms] : fmin(1.0, share[ms] / full);
}

Test(utilization, random_logs_of_several_gpus_against_sums_over_milliseconds) {
  static double share[LENGTH_MS];
  static made_log log;
  for (uint32_t trial = 0; trial < 60; trial++) {
    make_log(trial, &log);
    write_log(&log);
    sum_up(&log, share);
    fw_occupancy_options options = plain();
    options.tick = FW_NS_PER_S / 4;
    fw_occupancy out = read_good(&options);
    int from = 0; /* where the power of all is known */
    for (size_t g = 0; g < log.gpus; g++)
      from = log.ms[g][0] > from ? log.ms[g][0] : from;
    cr_assert_gt(out.count, 20);
    for (size_t i = 0; i < 20; i++) {
      double work = 0.0;
      for (int ms = from + 250 * (int)i; ms < from + 250 * (int)(i + 1); ms++)
        work += share[ms] / 250.0;
      cr_expect(!isnan(work));
      cr_expect_float_eq(out.data[i].share[FW_ACTIVITY_WORK], work, EXACT, "trial %u, tick %zu: %g, not %g", trial, i,
                         out.data[i].share[FW_ACTIVITY_WORK], work);
    }
    fw_occupancy_clear(&out);
  }
}

Test(utilization, refused) {
  fw_occupancy_options options = plain();
  refuse_file(&options, trace_path, "t_s,power_w\n0,100\n0.5,100\n", 1, "no column utilization_pct");
  refuse_file(&options, trace_path, "t_s,power_w,util_gpu_pct\n0,100,3\n0.5,100,101\n", 3,
              "util_gpu_pct is above 100 %");
  refuse_file(&options, trace_path, "t_s,power_w,utilization_pct\n0,100,3\n0.5,100,busy\n", 3, "not a number");
  refuse_file(&options, trace_path, "t_s,power_w,utilization_pct\n0,100,\n0.5,100,\n", 0,
              "no stretch at which the utilisation");
  options.phases = phases_path;
  refuse_file(&options, trace_path, "t_s,power_w,utilization_pct\n0,100,3\n0.5,100,3\n", 0, "give one of the two");
}
