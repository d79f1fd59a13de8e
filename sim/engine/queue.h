/* The event queue: a binary heap with one total order, (time, class, entity, sequence).
 *
 * No two events of a run compare equal, so the order in which they are popped does not depend on the order in which
 * they were pushed, on how many other events are pending or on threads. Sampled traces are lattices of ties, on which
 * calendar queues collapse; a heap does not care. */
#ifndef FW_ENGINE_QUEUE_H
#define FW_ENGINE_QUEUE_H

#include <stdint.h>

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"

/* At one instant: what ends makes room for what arrives, both are seen by who decides, and all by who measures. */
typedef enum fw_event_class { FW_EVENT_END, FW_EVENT_ARRIVAL, FW_EVENT_DECISION, FW_EVENT_MEASUREMENT } fw_event_class;

typedef struct fw_event {
  fw_time_ns time;
  uint32_t class_rank; /* an fw_event_class */
  uint32_t entity;
  uint64_t sequence; /* counts the events of one entity; chosen by the caller */
  uint64_t payload;  /* for the receiver; takes no part in the order */
} fw_event;

typedef struct fw_event_queue fw_event_queue;

fw_status fw_event_queue_create(fw_event_queue **out, fw_diagnostics *diagnostics);
void fw_event_queue_free(fw_event_queue *queue);

fw_status fw_event_queue_push(fw_event_queue *queue, fw_event event, fw_diagnostics *diagnostics);
size_t fw_event_queue_count(const fw_event_queue *queue);

/* The earliest event, or NULL when the queue is empty. Valid until the queue changes. */
const fw_event *fw_event_queue_peek(const fw_event_queue *queue);

/* Removes the earliest event; the queue must not be empty. */
fw_event fw_event_queue_pop(fw_event_queue *queue);

/* pop and push in one sift: the fast path of a recurring event. */
fw_event fw_event_queue_replace(fw_event_queue *queue, fw_event event);

/* The order itself: negative, zero or positive as `a` is before, equal to or after `b`. */
int fw_event_compare(const fw_event *a, const fw_event *b);

#endif
