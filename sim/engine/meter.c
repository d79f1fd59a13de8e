/* The window meter: one ring of prefix sums serves every window.
 *
 * A point of the ring holds time, energy and budget summed since the meter was made, so what a window holds is the
 * difference between the newest point and its tail, the last point at or before the window's start, less the part of
 * the sample after the tail that the start cuts off. A push moves each tail forward and compares: no division, and
 * nothing is accumulated per window that could drift.
 *
 * Why 128 bits suffice: times fit 63 bits and the mean power of a sample fits 63 bits (fw_meter_push checks both), so
 * every energy here is below 2^126. */
#include "sim/engine/meter.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"

typedef struct point {
  fw_energy_pj energy;
  fw_energy_pj excess; /* energy - budget, negative where the budget was not used up */
  fw_time_ns time;
} point;

/* sum of excess x duration / window, exact: `whole` plus `rest` / window. Samples of one duration wait in `pending`, in
 * pJ, to share one multiplication and division. */
typedef struct excess_sum {
  fw_energy_pj pending;
  fw_time_ns duration;
  fw_energy_pj whole;
  fw_time_ns rest;
} excess_sum;

typedef struct window_state {
  fw_meter_window seen; /* but for `excess` and `peak`, which are kept below until they are asked for */
  size_t tail;          /* the last point at or before the window's start, or the first point since a gap */
  fw_time_ns episode;   /* length of the present one; 0: none */
  fw_energy_pj peak;    /* largest energy in a full window */
  excess_sum excess;
  double windows_per_ns;
  fw_histogram histogram; /* of means; without bins when no percentiles are kept */
} window_state;

struct fw_meter {
  point *ring; /* point i is at i & mask */
  size_t mask;
  size_t newest;
  size_t unbudgeted; /* the sample that ends at this point is the last without a budget; 0: none */
  fw_time_ns start_time;
  fw_energy_pj start_energy;
  window_state *windows;
  size_t window_count;
  size_t longest; /* the window that needs the oldest points */
};

#define OUT_OF_LINE __attribute__((noinline))
#define FIRST_CAPACITY ((size_t)64) /* of the ring; a power of two, as all that follow */

static fw_status check_options(const fw_meter_options *options, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < options->window_count; i++) {
    if (options->windows[i] > 0) continue;
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "a meter's window must be longer than 0 ns, not %lld",
                    (long long)options->windows[i]);
  }
  return FW_OK;
}

static fw_status create_window(const fw_meter_options *options, fw_time_ns length, window_state *window,
                               fw_diagnostics *diagnostics) {
  window->seen.window = length;
  window->windows_per_ns = 1.0 / (double)length;
  if (options->histogram_max == 0) return FW_OK;
  return fw_histogram_create(options->histogram_max, options->histogram_bins, &window->histogram, diagnostics);
}

static fw_status create_windows(fw_meter *meter, const fw_meter_options *options, fw_diagnostics *diagnostics) {
  meter->ring = fw_allocate(FIRST_CAPACITY, sizeof *meter->ring);
  meter->windows = fw_allocate(options->window_count, sizeof *meter->windows);
  if (!meter->ring || !meter->windows) return fw_error_memory(diagnostics, "a power meter");
  meter->mask = FIRST_CAPACITY - 1;
  meter->window_count = options->window_count;
  for (size_t i = 0; i < options->window_count; i++) {
    fw_status status = create_window(options, options->windows[i], &meter->windows[i], diagnostics);
    if (status != FW_OK) return status;
    if (options->windows[i] > options->windows[meter->longest]) meter->longest = i;
  }
  return FW_OK;
}

fw_status fw_meter_create(const fw_meter_options *options, fw_meter **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_status status = check_options(options, diagnostics);
  if (status != FW_OK) return status;
  fw_meter *meter = fw_allocate(1, sizeof *meter);
  if (!meter) return fw_error_memory(diagnostics, "a power meter");
  status = create_windows(meter, options, diagnostics);
  if (status != FW_OK) {
    fw_meter_free(meter);
    return status;
  }
  *out = meter;
  return FW_OK;
}

void fw_meter_free(fw_meter *meter) {
  if (!meter) return;
  for (size_t i = 0; i < meter->window_count; i++) {
    fw_histogram_free(&meter->windows[i].histogram);
  }
  free(meter->windows);
  free(meter->ring);
  free(meter);
}

static point *point_at(const fw_meter *meter, size_t index) {
  return &meter->ring[index & meter->mask];
}

static size_t oldest_needed(const fw_meter *meter) {
  return meter->window_count > 0 ? meter->windows[meter->longest].tail : meter->newest;
}

/* Doubles the ring; every point keeps its index. */
static bool grow_ring(fw_meter *meter) {
  size_t capacity;
  if (!fw_size_multiply(meter->mask + 1, 2, &capacity)) return false;
  point *ring = fw_allocate(capacity, sizeof *ring);
  if (!ring) return false;
  for (size_t i = oldest_needed(meter); i <= meter->newest; i++) {
    ring[i & (capacity - 1)] = *point_at(meter, i);
  }
  free(meter->ring);
  meter->ring = ring;
  meter->mask = capacity - 1;
  return true;
}

/* Before the tails have moved, so the ring may hold one point more than the longest window needs. */
static bool reserve_point(fw_meter *meter) {
  return meter->newest - oldest_needed(meter) < meter->mask || grow_ring(meter);
}

static const point *append_point(fw_meter *meter, fw_time_ns duration, fw_energy_pj energy, fw_energy_pj budget) {
  const point *last = point_at(meter, meter->newest);
  point *next = point_at(meter, meter->newest + 1);
  next->time = last->time + duration;
  next->energy = last->energy + energy;
  next->excess = last->excess + energy - budget;
  meter->newest++;
  if (budget == FW_METER_NO_BUDGET) meter->unbudgeted = meter->newest;
  return next;
}

/* Moves the tail of a window that starts at `start`, and returns its point. At regular samples the next point lies
 * exactly there, and then there is no need to look further. */
static const point *move_tail(const fw_meter *meter, window_state *window, fw_time_ns start) {
  const point *next = point_at(meter, window->tail + 1);
  while (next->time < start) {
    window->tail++;
    next = point_at(meter, window->tail + 1);
  }
  if (next->time > start) return point_at(meter, window->tail);
  window->tail++;
  return next;
}

/* amount x part / whole for part <= whole, rounded towards 0; exact when `amount` is a whole power over `whole`. */
static fw_energy_pj share_of(fw_energy_pj amount, fw_time_ns part, fw_time_ns whole) {
  return amount / whole * part + amount % whole * part / whole;
}

typedef struct content {
  fw_energy_pj energy;
  fw_energy_pj excess;
} content;

/* What the part of the sample from `tail` to `after` holds that lies before `start`. Out of line: only windows that cut
 * a sample need it, and the others go faster without. */
static OUT_OF_LINE content cut_off(const point *tail, const point *after, fw_time_ns start) {
  fw_time_ns cut = start - tail->time;
  fw_time_ns duration = after->time - tail->time;
  return (content){share_of(after->energy - tail->energy, cut, duration),
                   share_of(after->excess - tail->excess, cut, duration)};
}

/* What lies between `start`, which is in the sample after `tail`, and `newest`. */
static inline content content_since(fw_time_ns start, const point *tail, const point *after, const point *newest) {
  content held = {newest->energy - tail->energy, newest->excess - tail->excess};
  if (start > tail->time) {
    content cut = cut_off(tail, after, start);
    held.energy -= cut.energy;
    held.excess -= cut.excess;
  }
  return held;
}

/* energy > budget (1 + 1e-9), without a division. Where the product would not fit 127 bits, the excess alone is
 * already more than that of any energy. */
static inline bool is_above(content held) {
  return held.excess > 0 && (held.excess >> 97 > 0 || held.excess * 1000000001 > held.energy);
}

static OUT_OF_LINE void settle_excess(excess_sum *excess, fw_time_ns window) {
  fw_energy_pj rest = excess->pending % window * excess->duration + excess->rest;
  excess->whole += excess->pending / window * excess->duration + rest / window;
  excess->rest = (fw_time_ns)(rest % window);
  excess->pending = 0;
}

static void add_excess(excess_sum *excess, fw_time_ns window, fw_time_ns duration, fw_energy_pj amount) {
  if (duration != excess->duration || excess->pending >> 125 > 0) {
    settle_excess(excess, window);
    excess->duration = duration;
  }
  excess->pending += amount;
}

static void end_episode(window_state *window) {
  fw_meter_window *seen = &window->seen;
  if (window->episode == 0) return;
  seen->above += window->episode;
  seen->episodes++;
  if (window->episode > seen->longest_episode) seen->longest_episode = window->episode;
  window->episode = 0;
}

static inline void judge(window_state *window, fw_time_ns duration, content held) {
  window->seen.full += duration;
  if (is_above(held)) {
    window->episode += duration;
    add_excess(&window->excess, window->seen.window, duration, held.excess);
  } else {
    end_episode(window);
  }
}

/* energy / window, rounded up. Below 2^61 pJ (2.3 MJ: a megawatt over two seconds, or 16 GPUs over 6 minutes) in 64
 * bits, with an estimate that is put right in a step or two. */
static fw_power_mw mean_rounded_up(const window_state *window, fw_energy_pj energy) {
  const fw_time_ns length = window->seen.window;
  if (energy > INT64_C(1) << 61) return (fw_power_mw)((energy + length - 1) / length);
  const int64_t small = (int64_t)energy;
  fw_power_mw mean = (fw_power_mw)((double)small * window->windows_per_ns);
  int64_t rest = small - mean * length;
  for (; rest > 0; rest -= length) {
    mean++;
  }
  for (; rest <= -length; rest += length) {
    mean--;
  }
  return mean;
}

static OUT_OF_LINE void add_to_histogram(window_state *window, fw_time_ns duration, fw_energy_pj energy) {
  fw_histogram_add(&window->histogram, mean_rounded_up(window, energy), duration);
}

static inline void update_window(const fw_meter *meter, window_state *window, const point *newest,
                                 fw_time_ns duration) {
  fw_time_ns start = newest->time - window->seen.window;
  const point *tail = move_tail(meter, window, start);
  if (tail->time > start) return;
  content held = content_since(start, tail, point_at(meter, window->tail + 1), newest);
  if (held.energy > window->peak) window->peak = held.energy;
  if (window->tail >= meter->unbudgeted) {
    judge(window, duration, held);
  } else {
    end_episode(window);
  }
  if (window->histogram.bin_count > 0) add_to_histogram(window, duration, held.energy);
}

static bool is_mean_in_range(fw_energy_pj energy, fw_time_ns duration) {
  return energy >= 0 && energy <= fw_energy_of(INT64_MAX, duration);
}

fw_status fw_meter_push(fw_meter *meter, fw_time_ns duration, fw_energy_pj energy, fw_energy_pj budget,
                        fw_diagnostics *diagnostics) {
  if (duration <= 0 || duration > FW_TIME_MAX - point_at(meter, meter->newest)->time) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "a meter's sample must last longer than 0 ns and end within 292 years; got %lld ns",
                    (long long)duration);
  }
  if (!is_mean_in_range(energy, duration) || (budget != FW_METER_NO_BUDGET && !is_mean_in_range(budget, duration))) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "a meter's sample must have an energy and a budget whose mean over its %lld ns lies between 0 and "
                    "%lld mW",
                    (long long)duration, (long long)INT64_MAX);
  }
  if (!reserve_point(meter)) return fw_error_memory(diagnostics, "the samples of a power meter");
  const point *newest = append_point(meter, duration, energy, budget);
  const window_state *end = meter->windows + meter->window_count;
  for (window_state *window = meter->windows; window < end; window++) {
    update_window(meter, window, newest, duration);
  }
  return FW_OK;
}

void fw_meter_gap(fw_meter *meter) {
  for (size_t i = 0; i < meter->window_count; i++) {
    meter->windows[i].tail = meter->newest;
    end_episode(&meter->windows[i]);
  }
}

static void restart_window(window_state *window) {
  window->seen = (fw_meter_window){.window = window->seen.window};
  window->episode = 0;
  window->peak = 0;
  window->excess = (excess_sum){0};
  if (window->histogram.bin_count > 0) fw_histogram_reset(&window->histogram);
}

void fw_meter_restart(fw_meter *meter) {
  const point *newest = point_at(meter, meter->newest);
  meter->start_time = newest->time;
  meter->start_energy = newest->energy;
  for (size_t i = 0; i < meter->window_count; i++) {
    restart_window(&meter->windows[i]);
  }
}

fw_time_ns fw_meter_covered(const fw_meter *meter) {
  return point_at(meter, meter->newest)->time - meter->start_time;
}

fw_energy_pj fw_meter_energy(const fw_meter *meter) {
  return point_at(meter, meter->newest)->energy - meter->start_energy;
}

fw_meter_window fw_meter_result(const fw_meter *meter, size_t window_index) {
  const window_state *window = &meter->windows[window_index];
  window_state copy = *window;
  end_episode(&copy);
  settle_excess(&copy.excess, copy.seen.window);
  copy.seen.excess = copy.excess.whole;
  copy.seen.peak = mean_rounded_up(window, window->peak);
  return copy.seen;
}

fw_time_ns fw_meter_above(const fw_meter *meter, size_t window_index) {
  const window_state *window = &meter->windows[window_index];
  return window->seen.above + window->episode;
}

double fw_meter_violation_rate(const fw_meter *meter, size_t window_index) {
  fw_meter_window result = fw_meter_result(meter, window_index);
  return result.full > 0 ? (double)result.above / (double)result.full : (double)NAN;
}

fw_power_mw fw_meter_percentile(const fw_meter *meter, size_t window_index, double share) {
  const fw_histogram *histogram = &meter->windows[window_index].histogram;
  return histogram->bin_count > 0 ? fw_histogram_percentile(histogram, share) : 0;
}

bool fw_meter_mean(const fw_meter *meter, size_t window_index, fw_power_mw *out) {
  const window_state *window = &meter->windows[window_index];
  const point *tail = point_at(meter, window->tail);
  const point *newest = point_at(meter, meter->newest);
  fw_time_ns start = newest->time - window->seen.window;
  if (tail->time > start) return false;
  content held = content_since(start, tail, point_at(meter, window->tail + 1), newest);
  *out = fw_energy_mean_power(held.energy, window->seen.window);
  return true;
}
