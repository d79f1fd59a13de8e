/* From a run to its scores: checks, room, one signal after the other. */
#include "sim/study/calibrate/fidelity.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/calibrate/fidelity_room.h"

#define POWER_MAX (INT64_C(10000000) * FW_MW_PER_W)

const char *const fw_fidelity_metric_names[] = {"energy_error",  "bias",          "nrmse",         "ks",
                                                "acf_r2",        "acf_mae",       "p50_error",     "p90_error",
                                                "p95_error",     "p99_error",     "p999_error",    "violation_p80",
                                                "violation_p90", "violation_p95", "violation_p99", NULL};

static void clear_signal(fw_fidelity_signal *signal, size_t window_count) {
  for (size_t w = 0; signal->windows != NULL && w < window_count; w++) {
    free(signal->windows[w].reason);
  }
  free(signal->windows);
}

void fw_fidelity_clear(fw_fidelity *fidelity) {
  for (size_t s = 0; s < fidelity->signal_count; s++) {
    clear_signal(&fidelity->signals[s], fidelity->window_count);
  }
  free(fidelity->signals);
  free(fidelity->name);
  *fidelity = (fw_fidelity){0};
}

/* Every power is plausible, and simulated wherever it was recorded. */
static fw_status check_powers(const fw_fidelity_run *run, const fw_power_mw *power, const char *what,
                              fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < run->tick_count * run->gpu_count; i++) {
    bool recorded = run->recorded[i] >= 0;
    if (power[i] > POWER_MAX || (power[i] < 0 && power[i] != FW_FIDELITY_UNKNOWN && power[i] != FW_FIDELITY_BREAK)) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){run->name, 0, 0, NULL},
                      "%s power at tick %zu of GPU %zu is %lld mW: not within 0 to 10 MW", what, i / run->gpu_count,
                      i % run->gpu_count, (long long)power[i]);
    }
    if (recorded && power[i] < 0) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){run->name, 0, 0, NULL},
                      "%s power at tick %zu of GPU %zu is not known, but the recording is: simulate all of it", what,
                      i / run->gpu_count, i % run->gpu_count);
    }
  }
  return FW_OK;
}

static fw_status check_run(const fw_fidelity_run *run, const fw_time_ns *windows, size_t window_count,
                           fw_diagnostics *diagnostics) {
  fw_place place = {run->name, 0, 0, NULL};
  size_t cells;
  if (run->tick <= 0 || run->tick_count == 0 || run->gpu_count == 0 || run->seed_count == 0 || window_count == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "nothing to compare: there must be a tick, a GPU, a seed and a window at least");
  }
  /* The largest sum is that of all cells. */
  if (!fw_size_multiply(run->tick_count, run->gpu_count, &cells) || cells > (size_t)(INT64_MAX / POWER_MAX)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place, "more than %lld readings: validate it in parts",
                    (long long)(INT64_MAX / POWER_MAX));
  }
  for (size_t w = 0; w < window_count; w++) {
    if (windows[w] > 0) continue;
    return fw_error(diagnostics, FW_ERROR_INPUT, place, "window %zu is not longer than 0 s", w + 1);
  }
  fw_status status = check_powers(run, run->recorded, "recorded", diagnostics);
  for (size_t seed = 0; seed < run->seed_count && status == FW_OK; seed++) {
    status = check_powers(run, run->simulated[seed], "simulated", diagnostics);
  }
  return status;
}

static bool room_make(fwi_fidelity_room *room, size_t ticks, size_t seeds) {
  size_t scores, more;
  bool fits = fw_size_multiply(seeds, FW_FIDELITY_METRICS, &scores) && fw_size_add(ticks, 1, &more);
  *room = (fwi_fidelity_room){0};
  if (!fits) return false;
  int64_t **arrays[] = {&room->recorded,         &room->sums, &room->sorted,    &room->simulated, &room->simulated_sums,
                        &room->simulated_sorted, &room->part, &room->other_part};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    *arrays[i] = fw_allocate(ticks, sizeof **arrays[i]);
    if (*arrays[i] == NULL) return false;
  }
  room->flags = fw_allocate(ticks, sizeof *room->flags);
  room->scratch = fw_allocate(more, sizeof *room->scratch);
  room->seed_scores = fw_allocate(scores, sizeof *room->seed_scores);
  return room->flags != NULL && room->scratch != NULL && room->seed_scores != NULL;
}

static void room_free(fwi_fidelity_room *room) {
  free(room->recorded);
  free(room->sums);
  free(room->sorted);
  free(room->simulated);
  free(room->simulated_sums);
  free(room->simulated_sorted);
  free(room->part);
  free(room->other_part);
  free(room->flags);
  free(room->scratch);
  free(room->seed_scores);
}

static fw_status score_all(const fw_fidelity_run *run, const fw_time_ns *windows, fwi_fidelity_room *room,
                           fw_fidelity *out, fw_diagnostics *diagnostics) {
  for (size_t s = 0; s < out->signal_count; s++) {
    out->signals[s].gpu = s == 0 ? SIZE_MAX : s - 1;
    fw_status status = fwi_fidelity_score_signal(run, windows, out->window_count, room, &out->signals[s], diagnostics);
    if (status != FW_OK) return status;
  }
  return FW_OK;
}

fw_status fw_fidelity_score(const fw_fidelity_run *run, const fw_time_ns *windows, size_t window_count,
                            fw_fidelity *out, fw_diagnostics *diagnostics) {
  *out = (fw_fidelity){0};
  fw_status status = check_run(run, windows, window_count, diagnostics);
  if (status != FW_OK) return status;
  fwi_fidelity_room room;
  size_t signal_count = run->gpu_count > 1 ? run->gpu_count + 1 : 1;
  out->name = fw_copy_text(run->name);
  out->signals = fw_allocate(signal_count, sizeof *out->signals);
  if (!room_make(&room, run->tick_count, run->seed_count) || out->name == NULL || out->signals == NULL) {
    status = fw_error_memory(diagnostics, "a validation");
  } else {
    out->tick = run->tick;
    out->seed_count = run->seed_count;
    out->window_count = window_count;
    out->signal_count = signal_count;
    status = score_all(run, windows, &room, out, diagnostics);
  }
  room_free(&room);
  if (status != FW_OK) fw_fidelity_clear(out);
  return status;
}
