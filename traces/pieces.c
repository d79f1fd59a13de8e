/* Recordings as stretches of constant power, and their sum over GPUs.
 *
 * A series becomes pieces by the conventions of trace.h. The total is a sweep over the sorted bounds of all pieces:
 * each adds its power at its start and takes it back at its end, and where as many pieces are open as there are GPUs,
 * the sum holds. All in integers, so energy is exact and the order of the GPUs does not matter. */
#include "traces/trace.h"

#include <stdlib.h>

#include "sim/base/memory.h"

void fw_pieces_clear(fw_pieces *pieces) {
  free(pieces->data);
  *pieces = (fw_pieces){0};
}

/* Appends within the room that was made. */
static void append(fw_pieces *pieces, fw_time_ns from, fw_time_ns to, fw_power_mw power) {
  if (pieces->count > 0 && from > pieces->data[pieces->count - 1].to) {
    pieces->gap_count++;
    pieces->gap_time += from - pieces->data[pieces->count - 1].to;
  }
  pieces->data[pieces->count++] = (fw_piece){from, to, power};
}

static fw_time_ns interval_before(const fw_series *series, size_t sample) {
  return series->time[sample] - series->time[sample - 1];
}

static bool is_regular(const fw_series *series) {
  fw_time_ns median = series->interval;
  fw_time_ns tolerance = median / 100 > FW_NS_PER_MS ? median / 100 : FW_NS_PER_MS;
  for (size_t i = 1; i < series->count; i++) {
    fw_time_ns interval = interval_before(series, i);
    if (interval > series->longest_held || interval > median + tolerance || interval < median - tolerance) return false;
  }
  return true;
}

/* Each sample reaches to the next stamp; before a gap, and at the end, as far as `tail`. */
static void pieces_forward(const fw_series *series, fw_time_ns tail, fw_pieces *out) {
  for (size_t i = 0; i < series->count; i++) {
    bool followed = i + 1 < series->count && interval_before(series, i + 1) <= series->longest_held;
    fw_time_ns to = followed ? series->time[i + 1] : series->time[i] + tail;
    if (to > series->time[i]) append(out, series->time[i], to, series->power[i]);
  }
}

/* Each sample reaches back to the stamp before; after a gap, and at the start, as far as `head`. */
static void pieces_backward(const fw_series *series, fw_time_ns head, fw_pieces *out) {
  for (size_t i = 0; i < series->count; i++) {
    bool preceded = i > 0 && interval_before(series, i) <= series->longest_held;
    fw_time_ns from = preceded ? series->time[i - 1] : series->time[i] - head;
    if (from < series->time[i]) append(out, from, series->time[i], series->power[i]);
  }
}

fw_status fw_series_pieces(const fw_trace *trace, size_t series_index, fw_pieces *out, fw_diagnostics *diagnostics) {
  const fw_series *series = &trace->series[series_index];
  *out = (fw_pieces){.data = fw_allocate(series->count, sizeof *out->data)};
  if (out->data == NULL) return fw_error_memory(diagnostics, "the pieces of a series");
  if (trace->kind == FW_SERIES_MEAN_TO) {
    pieces_backward(series, series->interval, out);
  } else {
    bool bins = trace->kind == FW_SERIES_MEAN_FROM || is_regular(series);
    pieces_forward(series, bins ? series->interval : 0, out);
  }
  return FW_OK;
}

/* A bound of a piece: the power and the number of open pieces change by so much. */
typedef struct piece_bound {
  fw_time_ns time;
  fw_power_mw power;
  int open;
} piece_bound;

typedef struct bound_list {
  piece_bound *data;
  size_t count;
  size_t capacity;
} bound_list;

static int compare_bounds(const void *a, const void *b) {
  fw_time_ns first = ((const piece_bound *)a)->time, second = ((const piece_bound *)b)->time;
  return (first > second) - (first < second);
}

static bool add_bounds(bound_list *bounds, const fw_pieces *pieces) {
  size_t needed;
  if (!fw_size_multiply(pieces->count, 2, &needed) || !fw_size_add(needed, bounds->count, &needed) ||
      !fw_grow(&bounds->data, &bounds->capacity, needed, sizeof *bounds->data)) {
    return false;
  }
  for (size_t i = 0; i < pieces->count; i++) {
    const fw_piece *piece = &pieces->data[i];
    bounds->data[bounds->count++] = (piece_bound){piece->from, piece->power, 1};
    bounds->data[bounds->count++] = (piece_bound){piece->to, -piece->power, -1};
  }
  return true;
}

static fw_status collect_bounds(const fw_trace *trace, bound_list *out, fw_diagnostics *diagnostics) {
  for (size_t s = 0; s < trace->series_count; s++) {
    fw_pieces pieces;
    fw_status status = fw_series_pieces(trace, s, &pieces, diagnostics);
    if (status == FW_OK && !add_bounds(out, &pieces)) status = fw_error_memory(diagnostics, "the sum of a trace");
    fw_pieces_clear(&pieces);
    if (status != FW_OK) return status;
  }
  return FW_OK;
}

/* Equal stamps may come in any order: they are added up before anything is emitted. */
static void sweep(const bound_list *bounds, size_t series_count, fw_pieces *out) {
  fw_power_mw power = 0;
  size_t open = 0;
  for (size_t i = 0; i < bounds->count; i++) {
    const piece_bound *bound = &bounds->data[i];
    power += bound->power;
    open = bound->open > 0 ? open + 1 : open - 1;
    if (open == series_count && i + 1 < bounds->count && bound[1].time > bound->time) {
      append(out, bound->time, bound[1].time, power);
    }
  }
}

static fw_status sum_bounds(const bound_list *bounds, size_t series_count, fw_pieces *out,
                            fw_diagnostics *diagnostics) {
  out->data = fw_allocate(bounds->count, sizeof *out->data);
  if (out->data == NULL) return fw_error_memory(diagnostics, "the sum of a trace");
  if (bounds->count > 0) qsort(bounds->data, bounds->count, sizeof *bounds->data, compare_bounds);
  sweep(bounds, series_count, out);
  return FW_OK;
}

fw_status fw_trace_total(const fw_trace *trace, fw_pieces *out, fw_diagnostics *diagnostics) {
  *out = (fw_pieces){0};
  bound_list bounds = {0};
  fw_status status = collect_bounds(trace, &bounds, diagnostics);
  if (status == FW_OK) status = sum_bounds(&bounds, trace->series_count, out, diagnostics);
  free(bounds.data);
  return status;
}

/* The first piece that ends after `time`. */
static size_t first_ending_after(const fw_pieces *pieces, fw_time_ns time) {
  size_t low = 0, high = pieces->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (pieces->data[middle].to > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

fw_energy_pj fw_pieces_energy(const fw_pieces *pieces, fw_time_ns from, fw_time_ns to, fw_time_ns *covered) {
  fw_energy_pj energy = 0;
  *covered = 0;
  for (size_t i = first_ending_after(pieces, from); i < pieces->count && pieces->data[i].from < to; i++) {
    const fw_piece *piece = &pieces->data[i];
    fw_time_ns start = piece->from > from ? piece->from : from;
    fw_time_ns end = piece->to < to ? piece->to : to;
    energy += fw_energy_of(piece->power, end - start);
    *covered += end - start;
  }
  return energy;
}
