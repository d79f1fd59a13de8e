/* Scores over several runs: the median with its interval by bootstrap over runs, never over readings. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/sort.h"
#include "sim/study/calibrate/rolling.h"

#define RESAMPLES ((size_t)2000)
#define ENTITY UINT32_C(16) /* of the first metric: those before belong to the intervals of a recording */

/* One score for each run that has it, and room to draw from them. */
typedef struct scores {
  double *values;
  size_t *runs;
  size_t count;
  double *drawn;
  double *medians;
} scores;

static double counted(fw_fidelity_metric metric, double value) {
  return metric >= FW_FIDELITY_P50 && metric <= FW_FIDELITY_P999 ? fabs(value) : value;
}

static void collect(const fw_fidelity *runs, size_t run_count, size_t window, fw_fidelity_metric metric, scores *out) {
  out->count = 0;
  for (size_t r = 0; r < run_count; r++) {
    double value = runs[r].signals[0].windows[window].scores[metric];
    if (isnan(value)) continue;
    out->runs[out->count] = r;
    out->values[out->count++] = counted(metric, value);
  }
}

static double badness(fw_fidelity_metric metric, double value) {
  return metric == FW_FIDELITY_ACF_R2 ? -value : fabs(value);
}

static void find_worst(const scores *from, fw_fidelity_metric metric, fw_fidelity_summary *out) {
  out->worst = (double)NAN;
  out->worst_run = SIZE_MAX;
  for (size_t i = 0; i < from->count; i++) {
    if (i > 0 && badness(metric, from->values[i]) <= badness(metric, out->worst)) continue;
    out->worst = from->values[i];
    out->worst_run = from->runs[i];
  }
}

/* Percentile interval of the median of as many runs, drawn with replacement. */
static void bootstrap(scores *from, fw_fidelity_metric metric, fw_estimate *out) {
  fw_stream stream = fw_stream_make(0, FW_DRAW_BOOTSTRAP, ENTITY + (uint32_t)metric);
  for (size_t r = 0; r < RESAMPLES; r++) {
    for (size_t i = 0; i < from->count; i++) {
      uint64_t index = (uint64_t)r * from->count + i;
      from->drawn[i] = from->values[fw_random_below(stream, index, (uint64_t)from->count)];
    }
    from->medians[r] = fwi_median(from->drawn, from->count);
  }
  fw_sort_numbers(from->medians, RESAMPLES);
  out->lo = from->medians[RESAMPLES * 25 / 1000 - 1];
  out->hi = from->medians[RESAMPLES * 975 / 1000 - 1];
}

static fw_fidelity_summary summarize(scores *from, fw_fidelity_metric metric) {
  fw_fidelity_summary summary = {.run_count = from->count, .median = {(double)NAN, (double)NAN, (double)NAN}};
  find_worst(from, metric, &summary);
  for (size_t i = 0; i < from->count; i++) {
    from->drawn[i] = from->values[i];
  }
  summary.median.mean = fwi_median(from->drawn, from->count);
  if (from->count >= 2) bootstrap(from, metric, &summary.median);
  return summary;
}

fw_status fw_fidelity_summarize(const fw_fidelity *runs, size_t run_count, fw_fidelity_summary *out,
                                fw_diagnostics *diagnostics) {
  scores room = {.values = fw_allocate(run_count, sizeof *room.values),
                 .runs = fw_allocate(run_count, sizeof *room.runs),
                 .drawn = fw_allocate(run_count, sizeof *room.drawn),
                 .medians = fw_allocate(RESAMPLES, sizeof *room.medians)};
  bool ready = room.values != NULL && room.runs != NULL && room.drawn != NULL && room.medians != NULL;
  for (size_t w = 0; ready && run_count > 0 && w < runs[0].window_count; w++) {
    for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
      collect(runs, run_count, w, (fw_fidelity_metric)m, &room);
      out[w * FW_FIDELITY_METRICS + (size_t)m] = summarize(&room, (fw_fidelity_metric)m);
    }
  }
  free(room.values);
  free(room.runs);
  free(room.drawn);
  free(room.medians);
  return ready ? FW_OK : fw_error_memory(diagnostics, "the summary of a validation");
}
