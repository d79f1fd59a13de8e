/* An observer that keeps everything a run shows: every tick's truth, reading and budget, per job too, and all events.
 */
#ifndef FW_TESTS_RECORDER_H
#define FW_TESTS_RECORDER_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim/fleet/sim.h"

typedef struct recorded_tick {
  fw_time_ns end;
  fw_power_mw truth;
  fw_power_mw reading;
  fw_power_mw budget;
} recorded_tick;

typedef struct recorder {
  fw_sim_observer observer; /* to be given to the run */
  recorded_tick *ticks;
  size_t tick_count;
  size_t tick_capacity;
  fw_power_mw *job_truth; /* tick by tick, job by job */
  size_t job_count;
  fw_sim_event *events;
  size_t event_count;
  size_t event_capacity;
} recorder;

static inline void recorder_tick(void *context, const fw_sim_tick *tick) {
  recorder *r = context;
  if (r->tick_count == r->tick_capacity) {
    r->tick_capacity = r->tick_capacity * 2 + 64;
    r->ticks = realloc(r->ticks, r->tick_capacity * sizeof *r->ticks);
    r->job_truth = realloc(r->job_truth, r->tick_capacity * tick->job_count * sizeof *r->job_truth);
    cr_assert(r->ticks != NULL && r->job_truth != NULL);
  }
  r->job_count = tick->job_count;
  for (size_t j = 0; j < tick->job_count; j++)
    r->job_truth[r->tick_count * tick->job_count + j] = tick->job_truth[j];
  r->ticks[r->tick_count++] = (recorded_tick){tick->end, tick->truth, tick->reading, tick->budget};
}

static inline void recorder_event(void *context, const fw_sim_event *event) {
  recorder *r = context;
  if (r->event_count == r->event_capacity) {
    r->event_capacity = r->event_capacity * 2 + 64;
    r->events = realloc(r->events, r->event_capacity * sizeof *r->events);
    cr_assert_not_null(r->events);
  }
  r->events[r->event_count++] = *event;
}

/* The recorder must stay where it is while a run uses it. */
static inline void recorder_start(recorder *r) {
  *r = (recorder){.observer = {r, recorder_tick, recorder_event}};
}

static inline void recorder_free(recorder *r) {
  free(r->ticks);
  free(r->job_truth);
  free(r->events);
}

#endif
