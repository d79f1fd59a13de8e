/* Power and states cut into ticks. */
#include "traces/occupancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "sim/base/text.h"
#include "traces/builder.h"
#include "traces/states.h"
#include "traces/utilization.h"

const char *const fw_occupancy_source_names[] = {"phases", "counters", "power", "utilization", NULL};

/* A recording of a month at a tick of 0.1 s has 26 million. */
static const fw_time_ns MOST_TICKS = 100000000;

/* A few readings that lie years apart would ask for memory and time that no file of their size deserves. */
static const fw_time_ns MOST_SPARSE_TICKS = 2000000;
enum { MOST_TICKS_PER_READING = 100 };

void fw_occupancy_clear(fw_occupancy *occupancy) {
  free(occupancy->file);
  free(occupancy->data);
  free(occupancy->power_w);
  *occupancy = (fw_occupancy){0};
}

double fw_occupancy_mean_w(const fw_occupancy *occupancy, size_t tick) {
  double sum = 0.0;
  for (size_t g = 0; g < occupancy->gpus; g++)
    sum += occupancy->power_w[tick * occupancy->gpus + g];
  return sum / (double)occupancy->gpus;
}

double fw_occupancy_prefill_share(const fw_occupancy_tick *tick, double prefill_per_token_s) {
  if (!(tick->prompt_per_s > 0.0)) return 0.0;
  return fmin(1.0, tick->prompt_per_s * prefill_per_token_s);
}

/* The power of the GPUs that count. */
typedef struct powers {
  fw_pieces *gpu;
  size_t count;
  fw_time_ns from; /* all are known from here ... */
  fw_time_ns to;   /* ... to here, but for gaps */
} powers;

static void powers_clear(powers *power) {
  for (size_t g = 0; g < power->count; g++)
    fw_pieces_clear(&power->gpu[g]);
  free(power->gpu);
  *power = (powers){0};
}

static fw_status read_powers(const fw_trace *trace, const fwi_roles *roles, powers *out, fw_diagnostics *diagnostics) {
  *out = (powers){
      .gpu = fw_allocate(trace->series_count, sizeof *out->gpu), .from = -FWI_TIME_LIMIT, .to = FWI_TIME_LIMIT};
  if (out->gpu == NULL) return fw_error_memory(diagnostics, "the power of a job");
  for (size_t i = 0; i < trace->series_count; i++) {
    if (!fwi_roles_play(roles, trace->series[i].gpu)) continue;
    fw_pieces *pieces = &out->gpu[out->count];
    const fw_status status = fw_series_pieces(trace, i, pieces, diagnostics);
    if (status != FW_OK) return status;
    out->count++;
    const bool any = pieces->count > 0;
    out->from = any && pieces->data[0].from > out->from ? pieces->data[0].from : out->from;
    out->to = !any                                           ? out->from
              : pieces->data[pieces->count - 1].to < out->to ? pieces->data[pieces->count - 1].to
                                                             : out->to;
  }
  if (out->count > 0 && out->to > out->from) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = trace->file},
                  "no time at which the power of every GPU of the job is known");
}

/* Mean power of a GPU over [from, to); false where it is not known throughout. */
static bool mean_power(const fw_pieces *pieces, fw_time_ns from, fw_time_ns to, double *out) {
  fw_time_ns covered = 0;
  const fw_energy_pj energy = fw_pieces_energy(pieces, from, to, &covered);
  *out = (double)energy / (double)FW_MW_PER_W / (double)(to - from);
  return covered == to - from;
}

static size_t reading_count(const powers *power) {
  size_t count = 0;
  for (size_t g = 0; g < power->count; g++)
    count += power->gpu[g].count;
  return count;
}

static double peak_power(const powers *power) {
  fw_power_mw most = 0;
  for (size_t g = 0; g < power->count; g++) {
    for (size_t i = 0; i < power->gpu[g].count; i++)
      most = power->gpu[g].data[i].power > most ? power->gpu[g].data[i].power : most;
  }
  return fw_power_to_watts(most);
}

/* What one tick adds up to. */
typedef struct sums {
  fw_time_ns covered;
  fw_time_ns spent[FW_ACTIVITY_COUNT];
  double in_flight; /* x ns of work */
  double prompt;
  double generated;
  fw_time_ns longest; /* stretch of work */
  size_t phase;
} sums;

static void add_state(const fwi_state *state, fw_time_ns length, fw_time_ns work, sums *sum) {
  const fw_activity other = state->activity == FW_ACTIVITY_WORK ? FW_ACTIVITY_READY : state->activity;
  sum->covered += length;
  sum->spent[other] += length - work;
  sum->spent[FW_ACTIVITY_WORK] += work;
  if (work == 0) return;
  const double in_flight = isnan(state->in_flight) ? (double)NAN : fmax(state->in_flight, 1.0);
  sum->in_flight += in_flight * (double)work;
  sum->prompt += state->prompt_per_s * (double)work;
  sum->generated += state->generated_per_s * (double)work;
  if (work > sum->longest) {
    sum->longest = work;
    sum->phase = state->phase;
  }
}

/* What the job did, and how busy its GPUs were meanwhile. */
typedef struct doings {
  const fwi_states *states;
  const fwi_utilization *utilization; /* NULL: only the states say */
  size_t cursor;                      /* ticks are asked for in order */
} doings;

static fw_time_ns work_within(const doings *done, const fwi_state *state, fw_time_ns from, fw_time_ns to) {
  if (done->utilization == NULL) return state->activity == FW_ACTIVITY_WORK ? to - from : 0;
  const double share = fwi_utilization_of_state(done->utilization, state, from, to);
  return (fw_time_ns)(share * (double)(to - from) + 0.5);
}

/* False where the tick is not known throughout. */
static bool cut_tick(doings *done, fw_time_ns from, fw_time_ns to, fw_occupancy_tick *out) {
  const fwi_states *states = done->states;
  while (done->cursor < states->count && states->data[done->cursor].to <= from)
    done->cursor++;
  sums sum = {0};
  for (size_t i = done->cursor; i < states->count && states->data[i].from < to; i++) {
    const fwi_state *state = &states->data[i];
    const fw_time_ns begin = fw_time_later(state->from, from);
    const fw_time_ns end = fw_time_earlier(state->to, to);
    add_state(state, end - begin, work_within(done, state, begin, end), &sum);
  }
  if (sum.covered != to - from) return false;
  const double work = (double)sum.spent[FW_ACTIVITY_WORK];
  *out = (fw_occupancy_tick){.in_flight = work > 0.0 ? sum.in_flight / work : (double)NAN,
                             .prompt_per_s = work > 0.0 ? sum.prompt / work : 0.0,
                             .generated_per_s = work > 0.0 ? sum.generated / work : 0.0,
                             .phase = sum.phase};
  for (size_t i = 0; i < FW_ACTIVITY_COUNT; i++)
    out->share[i] = (double)sum.spent[i] / (double)(to - from);
  return true;
}

static bool all_powers(const powers *power, fw_time_ns from, fw_time_ns to, double *out) {
  bool known = true;
  for (size_t g = 0; g < power->count; g++)
    known = mean_power(&power->gpu[g], from, to, &out[g]) && known;
  return known;
}

/* Room for one tick more; ticks that are left out take none. */
static bool make_room(fw_occupancy *out, size_t *capacity, size_t *cells) {
  size_t needed = 0;
  return fw_size_multiply(out->count + 1, out->gpus, &needed) &&
         fw_grow(&out->data, capacity, out->count + 1, sizeof *out->data) &&
         fw_grow(&out->power_w, cells, needed, sizeof *out->power_w);
}

static fw_status cut_ticks(const powers *power, doings *done, fw_occupancy *out, fw_diagnostics *diagnostics) {
  const fw_time_ns whole = (power->to - power->from) / out->tick;
  const fw_place place = {.file = out->file};
  if (whole > MOST_TICKS) return fw_error(diagnostics, FW_ERROR_INPUT, place, "too many ticks: choose a longer tick");
  if (whole > MOST_SPARSE_TICKS && (size_t)whole / MOST_TICKS_PER_READING > reading_count(power)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "its readings are more than %d ticks apart on average, over %lld ticks: choose a longer tick",
                    MOST_TICKS_PER_READING, (long long)whole);
  }
  out->gpus = power->count;
  out->peak_w = peak_power(power);
  size_t capacity = 0;
  size_t cells = 0;
  size_t segment = 0;
  size_t last = 0; /* number of the last tick that was kept, from 1 */
  for (size_t k = 0; k < (size_t)whole; k++) {
    const fw_time_ns from = power->from + (fw_time_ns)k * out->tick;
    if (!make_room(out, &capacity, &cells)) return fw_error_memory(diagnostics, "the ticks of a recording");
    fw_occupancy_tick *tick = &out->data[out->count];
    if (!all_powers(power, from, from + out->tick, out->power_w + out->count * out->gpus)) continue;
    if (!cut_tick(done, from, from + out->tick, tick)) continue;
    out->dropped += out->count > 0 ? k - last : 0;
    segment += out->count > 0 && k != last;
    tick->segment = segment;
    last = k + 1;
    out->count++;
  }
  if (out->count > 0) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, place,
                  "no tick at which both power and what the job did are known: do their times begin at the same "
                  "instant?");
}

/* --- found from power --- */

/* Sums over the lower and the upper part of sorted values. */
typedef struct part {
  double count;
  double sum;
  double squares;
} part;

static double part_mean(const part *values) {
  return values->sum / values->count;
}

static double part_sigma(const part *values) {
  const double mean = part_mean(values);
  return sqrt(fmax(values->squares / values->count - mean * mean, 0.0));
}

static void part_add(part *values, double value, double sign) {
  values->count += sign;
  values->sum += sign * value;
  values->squares += sign * value * value;
}

/* Halfway between the two levels that explain most of the variance (Otsu, IEEE Trans. SMC 9, 1979), where their
 * distance is above three times the sum of their deviations; NaN where it is not. `sorted` rises. */
static double find_threshold(const double *sorted, size_t count) {
  part lower = {0};
  part upper = {0};
  for (size_t i = 0; i < count; i++)
    part_add(&upper, sorted[i], 1.0);
  double most = 0.0;
  double threshold = (double)NAN;
  for (size_t i = 0; i + 1 < count; i++) {
    part_add(&lower, sorted[i], 1.0);
    part_add(&upper, sorted[i], -1.0);
    const double distance = part_mean(&upper) - part_mean(&lower);
    const double between = lower.count * upper.count * distance * distance;
    if (!(between > most)) continue;
    most = between;
    const bool apart = distance > 3.0 * (part_sigma(&lower) + part_sigma(&upper));
    threshold = apart ? 0.5 * (part_mean(&lower) + part_mean(&upper)) : (double)NAN;
  }
  return threshold;
}

static void tell_apart(fw_occupancy *out, double threshold_w) {
  for (size_t i = 0; i < out->count; i++) {
    const bool ready = fw_occupancy_mean_w(out, i) < threshold_w;
    if (!ready) continue;
    out->data[i].share[FW_ACTIVITY_WORK] = 0.0;
    out->data[i].share[FW_ACTIVITY_READY] = 1.0;
  }
}

static fw_status find_from_power(fw_occupancy *out, fw_diagnostics *diagnostics) {
  double *sorted = fw_allocate(out->count, sizeof *sorted);
  if (sorted == NULL) return fw_error_memory(diagnostics, "the power of a recording");
  for (size_t i = 0; i < out->count; i++)
    sorted[i] = fw_occupancy_mean_w(out, i);
  fw_sort_numbers(sorted, out->count);
  out->threshold_w = find_threshold(sorted, out->count);
  free(sorted);
  const fw_place place = {.file = out->file};
  if (isnan(out->threshold_w)) {
    fw_warning(diagnostics, place,
               "nothing says what the job did and its power has no two levels apart: all of it is taken as work; give "
               "--counters or --phases");
    return FW_OK;
  }
  char shown[FW_NUMBER_TEXT_SIZE];
  fw_warning(diagnostics, place,
             "nothing says what the job did: ticks below %s W are taken as ready, the others as work; give --counters "
             "or --phases",
             fw_number_format(out->threshold_w, 4, shown));
  tell_apart(out, out->threshold_w);
  return FW_OK;
}

/* --- all of it --- */

static fw_status all_work(const powers *power, fwi_states *out, fw_diagnostics *diagnostics) {
  const fwi_state state = fwi_state_bare(power->from, power->to, FW_ACTIVITY_WORK);
  return fwi_states_add(out, &state, diagnostics);
}

/* The counters beside the power, or of a file of their own. */
static fw_status read_counters(const fw_occupancy_options *options, fwi_counters *out, fw_diagnostics *diagnostics) {
  const char *path = options->counters != NULL ? options->counters : options->trace;
  fw_status status = fwi_read_counters(path, options->role, out, diagnostics);
  if (status != FW_OK || out->found || options->counters == NULL) return status;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path, .line = 1},
                  "no column requests_running in the header: counters say how many requests run");
}

/* States and where they come from; those that no file of counters holds go to `own`. */
static fw_status find_states(const fw_occupancy_options *options, const powers *power, const fwi_counters *counters,
                             fwi_states *own, fw_occupancy *out, fw_diagnostics *diagnostics) {
  if (options->phases != NULL) {
    out->source = FW_OCCUPANCY_PHASES;
    return fwi_read_phases(options->phases, options->skipped_phases, power->from, power->to, own, &out->requests,
                           diagnostics);
  }
  if (counters->found) {
    out->source = FW_OCCUPANCY_COUNTERS;
    out->has_tokens = counters->has_tokens;
    out->requests = counters->requests;
    return FW_OK;
  }
  out->source = options->utilization ? FW_OCCUPANCY_UTILIZATION : FW_OCCUPANCY_POWER;
  return all_work(power, own, diagnostics);
}

static fw_status make(const fw_occupancy_options *options, const fw_trace *trace, fwi_counters *counters,
                      fw_occupancy *out, fw_diagnostics *diagnostics) {
  powers power = {0};
  fwi_states own = {0};
  fwi_utilization utilization = {0};
  fw_status status = read_powers(trace, &counters->roles, &power, diagnostics);
  if (status == FW_OK) status = find_states(options, &power, counters, &own, out, diagnostics);
  fwi_states *states = out->source == FW_OCCUPANCY_COUNTERS ? &counters->states : &own;
  doings done = {.states = states};
  if (status == FW_OK && options->utilization) {
    status = fwi_read_utilization(trace, &counters->roles, &utilization, diagnostics);
    fwi_utilization_apply(&utilization, states);
    done.utilization = &utilization;
    out->by_utilization = true;
  }
  if (status == FW_OK) status = cut_ticks(&power, &done, out, diagnostics);
  if (status == FW_OK && out->source == FW_OCCUPANCY_POWER) status = find_from_power(out, diagnostics);
  fwi_utilization_clear(&utilization);
  fwi_states_clear(&own);
  powers_clear(&power);
  return status;
}

fw_status fw_occupancy_read(const fw_occupancy_options *options, fw_occupancy *out, fw_diagnostics *diagnostics) {
  *out = (fw_occupancy){.tick = options->tick, .threshold_w = (double)NAN};
  if (strcmp(options->trace, "-") == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a recording is read twice, so it cannot come from standard input: give a file");
  }
  if (options->utilization && options->phases != NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = options->phases},
                    "phases say when the job worked, and so would the utilisation: give one of the two");
  }
  fw_trace trace;
  fwi_counters counters = {0};
  fw_status status = fw_trace_read(options->trace, options->kind_if_unstated, &trace, diagnostics);
  if (status != FW_OK) return status;
  out->file = fw_copy_text(options->trace);
  if (out->file == NULL) status = fw_error_memory(diagnostics, "the name of a recording");
  out->interval = trace.series[0].interval;
  if (status == FW_OK) status = read_counters(options, &counters, diagnostics);
  if (status == FW_OK) status = make(options, &trace, &counters, out, diagnostics);
  fwi_counters_clear(&counters);
  fw_trace_clear(&trace);
  if (status != FW_OK) fw_occupancy_clear(out);
  return status;
}
