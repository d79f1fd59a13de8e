/* The windowed scheduler: logical processes advance in parallel between the instants at which they may touch.
 *
 * A process is anything with a state of its own that runs on undisturbed until the next instant at which something
 * crosses between processes. Such instants are events in the scheduler's queue. The scheduler advances all
 * processes to the next event (a window), then delivers the events of that instant one by one in the queue's order, and
 * so on. Inside a window processes share nothing, so they may run on several threads and the result cannot depend on
 * how many. A process that needs an answer from outside (a decision) stops at that instant; the scheduler returns to
 * its caller with the list of those that wait, and continues the same window when called again.
 *
 * This is conservative parallel simulation with lookahead: the time to the next event (Chandy and Misra, CACM 24(4),
 * 1981; the windowed form is Nicol's, JACM 40(2), 1993). */
#ifndef FW_ENGINE_SCHEDULER_H
#define FW_ENGINE_SCHEDULER_H

#include "sim/engine/queue.h"

typedef enum fw_process_state {
  FW_PROCESS_ADVANCED, /* reached the end of the window */
  FW_PROCESS_WAITING,  /* stopped before it, at an instant that needs an answer */
  FW_PROCESS_FAILED    /* see the diagnostics */
} fw_process_state;

/* One process. `advance` handles everything the process has to do strictly before `until` and touches nothing but its
 * own state. `waiting_since` is asked only of a process that waits. */
typedef struct fw_process {
  void *self;
  fw_process_state (*advance)(void *self, fw_time_ns until, fw_diagnostics *diagnostics);
  fw_time_ns (*waiting_since)(const void *self);
} fw_process;

typedef struct fw_scheduler_options {
  const fw_process *processes; /* copied */
  size_t process_count;
  /* Handles one event, on the calling thread; may post further events at this instant or later. */
  fw_status (*deliver)(void *context, const fw_event *event, fw_diagnostics *diagnostics);
  void *context;
  unsigned threads;       /* at most so many (and 256) for the processes of a window; 0 or 1: none but the caller's */
  size_t parallel_from;   /* fewer processes than this run on the caller's thread */
  uint64_t instant_limit; /* more events than this at one instant end the run with FW_ERROR_FAULT; 0: 1,000,000 */
} fw_scheduler_options;

typedef struct fw_scheduler fw_scheduler;

typedef enum fw_scheduler_state {
  FW_SCHEDULER_ENDED,  /* every process reached the end, and every event before it was delivered */
  FW_SCHEDULER_WAITING /* some processes wait: see fw_scheduler_waiting */
} fw_scheduler_state;

fw_status fw_scheduler_create(const fw_scheduler_options *options, fw_scheduler **out, fw_diagnostics *diagnostics);
void fw_scheduler_free(fw_scheduler *scheduler);

/* Adds an event. An event before the scheduler's present instant is FW_ERROR_FAULT. */
fw_status fw_scheduler_post(fw_scheduler *scheduler, fw_event event, fw_diagnostics *diagnostics);

/* Runs on until processes wait or `end` is reached. Events at `end` itself are delivered. A window in which processes
 * wait is finished before anything else; time never goes back, also not to an earlier `end`. After an error the
 * scheduler is only good for fw_scheduler_free. */
fw_status fw_scheduler_advance(fw_scheduler *scheduler, fw_time_ns end, fw_scheduler_state *state,
                               fw_diagnostics *diagnostics);

/* The processes that wait, by (instant, index). Valid until the next call of fw_scheduler_advance. */
const size_t *fw_scheduler_waiting(const fw_scheduler *scheduler, size_t *count);

/* The end of the present window: everything before it has happened, or waits. */
fw_time_ns fw_scheduler_now(const fw_scheduler *scheduler);

/* Events delivered so far that shared their instant and class with another entity's event: a report of ties, whose
 * order is a convention and not physics. */
uint64_t fw_scheduler_tie_count(const fw_scheduler *scheduler);

#endif
