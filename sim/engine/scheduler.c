/* The windowed scheduler: conservative parallel simulation whose lookahead is the time to the next event (Nicol, "The
 * cost of conservative synchronization in parallel discrete event simulations", JACM 40(2), 1993). Between two events
 * processes share nothing, so a window is a parallel loop; everything else runs on the caller's thread, in one order.
 */
#include "sim/engine/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

#define CLASS_COUNT ((size_t)FW_EVENT_MEASUREMENT + 1)
#define DEFAULT_INSTANT_LIMIT UINT64_C(1000000)
#define MOST_THREADS 256 /* an OpenMP runtime that cannot have its threads ends the program */

/* What was delivered at the present instant in one class. */
typedef struct class_tally {
  uint64_t count;
  uint32_t first_entity;
  bool tied;
} class_tally;

/* A process that waits. */
typedef struct stop {
  fw_time_ns instant;
  size_t process;
} stop;

struct fw_scheduler {
  fw_scheduler_options options; /* its processes are ours */
  fw_process *processes;
  fw_process_state *states;
  fw_diagnostics *reports; /* one for each process, so that threads need not share any */
  size_t *active;          /* the processes that have yet to reach the end of the window, by index */
  size_t active_count;
  stop *stops;
  size_t *waiting;
  size_t waiting_count;
  fw_event_queue *queue;
  fw_time_ns now;
  bool in_window;
  uint64_t instant_count;
  class_tally tallies[CLASS_COUNT];
  uint64_t tie_count;
};

static fw_status allocate_members(fw_scheduler *scheduler, size_t count, fw_diagnostics *diagnostics) {
  scheduler->processes = fw_allocate(count, sizeof *scheduler->processes);
  scheduler->states = fw_allocate(count, sizeof *scheduler->states);
  scheduler->reports = fw_allocate(count, sizeof *scheduler->reports);
  scheduler->active = fw_allocate(count, sizeof *scheduler->active);
  scheduler->stops = fw_allocate(count, sizeof *scheduler->stops);
  scheduler->waiting = fw_allocate(count, sizeof *scheduler->waiting);
  if (!scheduler->processes || !scheduler->states || !scheduler->reports || !scheduler->active || !scheduler->stops ||
      !scheduler->waiting) {
    return fw_error_memory(diagnostics, "a scheduler");
  }
  return fw_event_queue_create(&scheduler->queue, diagnostics);
}

static void adopt_options(fw_scheduler *scheduler, const fw_scheduler_options *options) {
  scheduler->options = *options;
  if (options->process_count > 0) {
    memcpy(scheduler->processes, options->processes, options->process_count * sizeof *options->processes);
  }
  scheduler->options.processes = scheduler->processes;
  if (options->instant_limit == 0) scheduler->options.instant_limit = DEFAULT_INSTANT_LIMIT;
  if (options->threads > MOST_THREADS) scheduler->options.threads = MOST_THREADS;
  for (size_t i = 0; i < options->process_count; i++) {
    scheduler->reports[i] = (fw_diagnostics)FW_DIAGNOSTICS_INIT;
  }
}

fw_status fw_scheduler_create(const fw_scheduler_options *options, fw_scheduler **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_scheduler *scheduler = fw_allocate(1, sizeof *scheduler);
  if (!scheduler) return fw_error_memory(diagnostics, "a scheduler");
  fw_status status = allocate_members(scheduler, options->process_count, diagnostics);
  if (status != FW_OK) {
    fw_scheduler_free(scheduler);
    return status;
  }
  adopt_options(scheduler, options);
  *out = scheduler;
  return FW_OK;
}

void fw_scheduler_free(fw_scheduler *scheduler) {
  if (!scheduler) return;
  for (size_t i = 0; i < scheduler->options.process_count; i++) {
    fw_diagnostics_clear(&scheduler->reports[i]);
  }
  fw_event_queue_free(scheduler->queue);
  free(scheduler->waiting);
  free(scheduler->stops);
  free(scheduler->active);
  free(scheduler->reports);
  free(scheduler->states);
  free(scheduler->processes);
  free(scheduler);
}

fw_status fw_scheduler_post(fw_scheduler *scheduler, fw_event event, fw_diagnostics *diagnostics) {
  char at[FW_UNITS_TEXT_SIZE];
  char now[FW_UNITS_TEXT_SIZE];
  if (event.class_rank >= CLASS_COUNT) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "entity %u posts an event of the unknown class %u",
                    event.entity, event.class_rank);
  }
  if (event.time < scheduler->now) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "entity %u posts an event at %s s, which lies in the past: the run has reached %s s", event.entity,
                    fw_time_format(event.time, at), fw_time_format(scheduler->now, now));
  }
  return fw_event_queue_push(scheduler->queue, event, diagnostics);
}

static void open_window(fw_scheduler *scheduler, fw_time_ns end) {
  const fw_event *next = fw_event_queue_peek(scheduler->queue);
  fw_time_ns until = next && next->time < end ? next->time : end;
  if (until > scheduler->now) {
    scheduler->now = until;
    scheduler->instant_count = 0;
    memset(scheduler->tallies, 0, sizeof scheduler->tallies);
  }
  scheduler->active_count = scheduler->options.process_count;
  for (size_t i = 0; i < scheduler->active_count; i++) {
    scheduler->active[i] = i;
  }
  scheduler->in_window = true;
}

static void advance_process(const fw_scheduler *scheduler, size_t index) {
  const fw_process *process = &scheduler->processes[index];
  scheduler->states[index] = process->advance(process->self, scheduler->now, &scheduler->reports[index]);
}

/* Few processes cost less than waking the threads that could share them. */
static void advance_active(const fw_scheduler *scheduler) {
  const size_t *active = scheduler->active;
  size_t count = scheduler->active_count;
  if (scheduler->options.threads > 1 && count > 1 && count >= scheduler->options.parallel_from) {
#pragma omp parallel for schedule(static) num_threads((int)scheduler->options.threads)
    for (size_t i = 0; i < count; i++) {
      advance_process(scheduler, active[i]);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    advance_process(scheduler, active[i]);
  }
}

/* Hands on what a process reported; its status when it failed. */
static fw_status take_report(fw_scheduler *scheduler, size_t index, fw_diagnostics *diagnostics) {
  fw_diagnostics *report = &scheduler->reports[index];
  fw_status status = report->status;
  if (report->count > 0 || report->lost > 0) {
    if (diagnostics) fw_diagnostics_append(diagnostics, report);
    fw_diagnostics_clear(report);
  }
  if (scheduler->states[index] != FW_PROCESS_FAILED) return FW_OK;
  if (status != FW_OK) return status;
  return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "process %zu failed without saying why", index);
}

/* In the order of the processes, so that neither the reports nor the status depend on threads. */
static fw_status take_reports(fw_scheduler *scheduler, fw_diagnostics *diagnostics) {
  fw_status first = FW_OK;
  for (size_t i = 0; i < scheduler->active_count; i++) {
    fw_status status = take_report(scheduler, scheduler->active[i], diagnostics);
    if (first == FW_OK) first = status;
  }
  return first;
}

static int compare_stops(const void *left, const void *right) {
  const stop *a = left;
  const stop *b = right;
  if (a->instant != b->instant) return a->instant < b->instant ? -1 : 1;
  return (a->process > b->process) - (a->process < b->process);
}

/* Those that wait are what is still active in this window. */
static void collect_waiting(fw_scheduler *scheduler) {
  size_t count = 0;
  for (size_t i = 0; i < scheduler->active_count; i++) {
    size_t index = scheduler->active[i];
    if (scheduler->states[index] != FW_PROCESS_WAITING) continue;
    const fw_process *process = &scheduler->processes[index];
    scheduler->stops[count] = (stop){process->waiting_since(process->self), index};
    scheduler->active[count] = index;
    count++;
  }
  scheduler->active_count = count;
  scheduler->waiting_count = count;
  qsort(scheduler->stops, count, sizeof *scheduler->stops, compare_stops);
  for (size_t i = 0; i < count; i++) {
    scheduler->waiting[i] = scheduler->stops[i].process;
  }
}

/* Advances the processes to the end of the window, or until some wait. */
static fw_status run_window(fw_scheduler *scheduler, fw_diagnostics *diagnostics) {
  advance_active(scheduler);
  fw_status status = take_reports(scheduler, diagnostics);
  if (status == FW_OK) collect_waiting(scheduler);
  return status;
}

static void count_ties(fw_scheduler *scheduler, const fw_event *event) {
  class_tally *tally = &scheduler->tallies[event->class_rank];
  if (tally->count == 0) tally->first_entity = event->entity;
  tally->count++;
  if (tally->tied) {
    scheduler->tie_count++;
  } else if (event->entity != tally->first_entity) {
    tally->tied = true;
    scheduler->tie_count += tally->count;
  }
}

static fw_status deliver_one(fw_scheduler *scheduler, fw_diagnostics *diagnostics) {
  char now[FW_UNITS_TEXT_SIZE];
  if (scheduler->instant_count == scheduler->options.instant_limit) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "more than %llu events at t = %s s, the latest for entity %u: time does not advance; give what "
                    "repeats there a duration above 0",
                    (unsigned long long)scheduler->options.instant_limit, fw_time_format(scheduler->now, now),
                    fw_event_queue_peek(scheduler->queue)->entity);
  }
  scheduler->instant_count++;
  fw_event event = fw_event_queue_pop(scheduler->queue);
  count_ties(scheduler, &event);
  return scheduler->options.deliver(scheduler->options.context, &event, diagnostics);
}

static fw_status deliver_instant(fw_scheduler *scheduler, fw_diagnostics *diagnostics) {
  const fw_event *next = fw_event_queue_peek(scheduler->queue);
  while (next && next->time == scheduler->now) {
    fw_status status = deliver_one(scheduler, diagnostics);
    if (status != FW_OK) return status;
    next = fw_event_queue_peek(scheduler->queue);
  }
  return FW_OK;
}

fw_status fw_scheduler_advance(fw_scheduler *scheduler, fw_time_ns end, fw_scheduler_state *state,
                               fw_diagnostics *diagnostics) {
  do {
    if (!scheduler->in_window) open_window(scheduler, end);
    fw_status status = run_window(scheduler, diagnostics);
    if (status != FW_OK) return status;
    if (scheduler->waiting_count > 0) {
      *state = FW_SCHEDULER_WAITING;
      return FW_OK;
    }
    scheduler->in_window = false;
    status = deliver_instant(scheduler, diagnostics);
    if (status != FW_OK) return status;
  } while (scheduler->now < end);
  *state = FW_SCHEDULER_ENDED;
  return FW_OK;
}

const size_t *fw_scheduler_waiting(const fw_scheduler *scheduler, size_t *count) {
  *count = scheduler->waiting_count;
  return scheduler->waiting;
}

fw_time_ns fw_scheduler_now(const fw_scheduler *scheduler) {
  return scheduler->now;
}

uint64_t fw_scheduler_tie_count(const fw_scheduler *scheduler) {
  return scheduler->tie_count;
}
