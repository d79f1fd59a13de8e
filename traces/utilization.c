/* Readings of single GPUs become stretches, those of a job's GPUs their mean, and the mean a share of full work. */
#include "traces/utilization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "traces/builder.h"
#include "traces/rows.h"

enum { GPU = FWI_ROWS_STAMP_COUNT, UTILIZATION, UTILIZATION_KEY, COLUMNS };
static const char *const column_names[COLUMNS] = {FWI_ROWS_STAMPS, "gpu", "utilization_pct", "util_gpu_pct"};

/* Of the readings above 0, the share of time in which a kernel runs while an engine is never without work: it leaves
 * the GPU alone between passes. */
static const size_t FULL_PER_CENT = 90;

/* The readings of one GPU, then its stretches. */
typedef struct gpu_log {
  bool plays; /* the role: it is one of the job's */
  fwi_busy *data;
  size_t count;
  size_t capacity;
  size_t cursor; /* the stretch that is merged next */
} gpu_log;

typedef struct logs {
  gpu_log *gpu; /* by the trace's series */
  size_t count;
} logs;

void fwi_utilization_clear(fwi_utilization *utilization) {
  free(utilization->data);
  *utilization = (fwi_utilization){0};
}

static void logs_clear(logs *all) {
  for (size_t i = 0; i < all->count; i++)
    free(all->gpu[i].data);
  free(all->gpu);
}

/* --- readings --- */

/* The series of a GPU; that of the row before is the most likely one. */
static size_t series_of(const fw_trace *trace, const fwi_csv_cell *gpu, size_t before) {
  for (size_t k = 0; k < trace->series_count; k++) {
    const size_t i = (before + k) % trace->series_count;
    if (gpu == NULL || fwi_csv_cell_is(gpu, trace->series[i].gpu)) return i;
  }
  return SIZE_MAX;
}

static fw_status add_reading(const fwi_rows *rows, size_t column, gpu_log *out, fw_diagnostics *diagnostics) {
  fw_time_ns time = 0;
  double per_cent = 0.0;
  fw_status status = fwi_rows_stamp(rows, &time, diagnostics);
  if (status == FW_OK) status = fwi_rows_number(rows, column, &per_cent, diagnostics);
  if (status != FW_OK || isnan(per_cent)) return status;
  if (per_cent > 100.0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, fwi_rows_cell(rows, column)->column),
                    "%s is above 100 %%: it is the share of time in which the GPU was busy", column_names[column]);
  }
  if (!fw_grow(&out->data, &out->capacity, out->count + 1, sizeof *out->data)) {
    return fw_error_memory(diagnostics, "the utilisation of a recording");
  }
  out->data[out->count++] = (fwi_busy){.from = time, .reading = per_cent / 100.0};
  return FW_OK;
}

static fw_status read_rows(fwi_rows *rows, const fw_trace *trace, logs *out, fw_diagnostics *diagnostics) {
  const size_t column = fwi_rows_has(rows, UTILIZATION_KEY) ? UTILIZATION_KEY : UTILIZATION;
  fw_status status = fwi_rows_need_stamp(rows, diagnostics);
  if (status == FW_OK) status = fwi_rows_need(rows, column, diagnostics);
  size_t series = 0;
  bool found = true;
  while (status == FW_OK && found) {
    status = fwi_rows_next(rows, &found, diagnostics);
    if (status != FW_OK || !found) break;
    const size_t here = series_of(trace, fwi_rows_has(rows, GPU) ? fwi_rows_cell(rows, GPU) : NULL, series);
    if (here == SIZE_MAX) continue; /* never had a reading of power */
    series = here;
    status = add_reading(rows, column, &out->gpu[series], diagnostics);
  }
  return status;
}

/* --- stretches of one GPU --- */

static bool follows(const fw_series *series, const gpu_log *log, size_t i) {
  return i < log->count && log->data[i].from - log->data[i - 1].from <= series->longest_held;
}

/* A reading tells of the sample period before it, and an instant reading of power lies between that period and the one
 * of the next reading: the mean of both is the best there is. */
static void between_readings(const fw_series *series, gpu_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    fwi_busy *now = &log->data[i];
    const fwi_busy *next = follows(series, log, i + 1) ? now + 1 : now;
    now->to = next->from;
    now->share = 0.5 * (now->reading + next->reading);
  }
}

static void within_bins(const fw_series *series, gpu_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    fwi_busy *now = &log->data[i];
    now->to = follows(series, log, i + 1) ? now[1].from : now->from + series->interval;
    now->share = now->reading;
  }
}

/* From the last to the first: a stamp that ends its bin is where the next one begins. */
static void before_stamps(const fw_series *series, gpu_log *log) {
  for (size_t i = log->count; i-- > 0;) {
    fwi_busy *now = &log->data[i];
    now->to = now->from;
    now->from = i > 0 && follows(series, log, i) ? now[-1].from : now->from - series->interval;
    now->share = now->reading;
  }
}

static void make_stretches(const fw_series *series, fw_series_kind kind, gpu_log *log) {
  if (kind == FW_SERIES_MEAN_FROM) {
    within_bins(series, log);
  } else if (kind == FW_SERIES_MEAN_TO) {
    before_stamps(series, log);
  } else {
    between_readings(series, log);
  }
}

/* --- the job --- */

/* The part of `job`, which begins where all before it ended, that the GPU's next stretch leaves over; false at the end
 * of its log. */
static bool narrow(gpu_log *log, fwi_busy *job) {
  while (log->cursor < log->count && log->data[log->cursor].to <= job->from)
    log->cursor++;
  if (log->cursor == log->count) return false;
  const fwi_busy *here = &log->data[log->cursor];
  job->from = fw_time_later(here->from, job->from);
  job->to = fw_time_earlier(here->to, job->to);
  job->reading += here->reading;
  job->share += here->share;
  return true;
}

/* The mean over the GPUs where all of them are known. */
static fw_status merge(const logs *all, fwi_utilization *out, fw_diagnostics *diagnostics) {
  size_t gpus = 0;
  for (size_t i = 0; i < all->count; i++)
    gpus += all->gpu[i].plays;
  fw_time_ns reached = -FWI_TIME_LIMIT;
  for (;;) {
    fwi_busy job = {.from = reached, .to = FWI_TIME_LIMIT};
    for (size_t i = 0; i < all->count; i++) {
      if (all->gpu[i].plays && !narrow(&all->gpu[i], &job)) return FW_OK;
    }
    if (job.to <= job.from) { /* the GPUs' stretches do not overlap: on to where the latest begins */
      reached = job.from;
      continue;
    }
    job.reading /= (double)gpus;
    job.share /= (double)gpus;
    if (!fw_grow(&out->data, &out->capacity, out->count + 1, sizeof *out->data)) {
      return fw_error_memory(diagnostics, "the utilisation of a recording");
    }
    out->data[out->count++] = job;
    reached = job.to;
  }
}

/* Shares of time become shares of full work. */
static fw_status normalise(fwi_utilization *of, fw_diagnostics *diagnostics) {
  double *busy = fw_allocate(of->count, sizeof *busy);
  if (busy == NULL) return fw_error_memory(diagnostics, "the utilisation of a recording");
  size_t count = 0;
  for (size_t i = 0; i < of->count; i++) {
    if (of->data[i].reading > 0.0) busy[count++] = of->data[i].reading;
  }
  if (count > 0) {
    fw_sort_numbers(busy, count);
    const double full = busy[(count * FULL_PER_CENT + 99) / 100 - 1];
    for (size_t i = 0; i < of->count; i++)
      of->data[i].share = fmin(of->data[i].share / full, 1.0);
  }
  free(busy);
  return FW_OK;
}

static fw_status read_logs(const fw_trace *trace, logs *all, fw_diagnostics *diagnostics) {
  fwi_rows rows;
  fw_status status = fwi_rows_open(&rows, trace->file, column_names, COLUMNS, diagnostics);
  if (status == FW_OK) status = read_rows(&rows, trace, all, diagnostics);
  fwi_rows_close(&rows);
  return status;
}

static fw_status make_job(const fw_trace *trace, const fwi_roles *roles, const logs *all, fwi_utilization *out,
                          fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < all->count; i++) {
    all->gpu[i].plays = fwi_roles_play(roles, trace->series[i].gpu);
    make_stretches(&trace->series[i], trace->kind, &all->gpu[i]);
  }
  const fw_status status = merge(all, out, diagnostics);
  if (status != FW_OK) return status;
  if (out->count > 0) return normalise(out, diagnostics);
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = trace->file},
                  "no stretch at which the utilisation of every GPU of the job is known");
}

fw_status fwi_read_utilization(const fw_trace *trace, const fwi_roles *roles, fwi_utilization *out,
                               fw_diagnostics *diagnostics) {
  *out = (fwi_utilization){0};
  logs all = {.gpu = fw_allocate(trace->series_count, sizeof *all.gpu), .count = trace->series_count};
  if (all.gpu == NULL) return fw_error_memory(diagnostics, "the utilisation of a recording");
  fw_status status = read_logs(trace, &all, diagnostics);
  if (status == FW_OK) status = make_job(trace, roles, &all, out, diagnostics);
  logs_clear(&all);
  return status;
}

/* --- asking --- */

static size_t first_ending_after(const fwi_utilization *of, fw_time_ns time) {
  size_t low = 0;
  size_t high = of->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (of->data[middle].to > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* Mean share over [from, to); NaN where it is not known throughout. */
static double share_of(const fwi_utilization *utilization, fw_time_ns from, fw_time_ns to) {
  double sum = 0.0;
  fw_time_ns covered = 0;
  for (size_t i = first_ending_after(utilization, from); i < utilization->count && utilization->data[i].from < to;
       i++) {
    const fwi_busy *busy = &utilization->data[i];
    const fw_time_ns begin = fw_time_later(busy->from, from);
    const fw_time_ns end = fw_time_earlier(busy->to, to);
    sum += busy->share * (double)(end - begin);
    covered += end - begin;
  }
  return covered == to - from ? fmin(sum / (double)covered, 1.0) : (double)NAN;
}

double fwi_utilization_of_state(const fwi_utilization *utilization, const fwi_state *state, fw_time_ns from,
                                fw_time_ns to) {
  const double measured = share_of(utilization, from, to);
  if (!isnan(measured)) return measured;
  return state->activity == FW_ACTIVITY_WORK ? 1.0 : 0.0;
}

/* The states [first, last) of one step of the engine, and its tokens. */
typedef struct step {
  size_t first;
  size_t last;
  double busy_s;
  double prompt;
  double generated;
} step;

static step find_step(const fwi_utilization *utilization, const fwi_states *states, size_t first) {
  step out = {.first = first, .last = first};
  while (out.last < states->count && states->data[out.last].step == states->data[first].step) {
    const fwi_state *state = &states->data[out.last++];
    const double length_s = fw_time_to_seconds(state->to - state->from);
    out.busy_s += length_s * fwi_utilization_of_state(utilization, state, state->from, state->to);
    out.prompt += length_s * state->prompt_per_s;
    out.generated += length_s * state->generated_per_s;
  }
  return out;
}

/* The tokens of a step belong to the busy part of it. */
static void set_rates(const step *of, fwi_states *states) {
  for (size_t i = of->first; i < of->last; i++) {
    states->data[i].prompt_per_s = of->prompt / of->busy_s;
    states->data[i].generated_per_s = of->generated / of->busy_s;
  }
}

static void move_tokens(step *from, step *to) {
  to->prompt += from->prompt;
  to->generated += from->generated;
  from->prompt = 0.0;
  from->generated = 0.0;
}

static bool follows_at_once(const fwi_states *states, const step *before, const step *now) {
  return before->last > before->first && states->data[before->last - 1].to == states->data[now->first].from;
}

void fwi_utilization_apply(const fwi_utilization *utilization, fwi_states *states) {
  step before = {0};
  for (size_t first = 0; first < states->count;) {
    step now = find_step(utilization, states, first);
    const bool follows = follows_at_once(states, &before, &now);
    if (follows && !(before.busy_s > 0.0)) move_tokens(&before, &now);
    if (follows && before.busy_s > 0.0 && !(now.busy_s > 0.0)) {
      move_tokens(&now, &before);
      set_rates(&before, states);
    }
    if (now.busy_s > 0.0) set_rates(&now, states);
    before = now;
    first = now.last;
  }
}
