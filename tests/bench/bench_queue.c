/* The hold model (Jones, "An empirical comparison of priority-queue and event-set implementations", CACM 29(4), 1986):
 * take the earliest of n pending events and put it back Exp(1) later. Beside it, as a ceiling, a plain binary heap of
 * 16-byte events with no order but time. Both draw from the same table of exponentials, so that the queue is measured
 * and not the generator. Each heap is held three times round before the clock starts, as a heap that was filled in
 * order is kinder to the cache than the one it becomes. Prints million events per second, best of several spells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/engine/queue.h"

#define TABLE_SIZE ((size_t)4096)
#define SPELLS 15

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Exp(1) with a mean of one second. */
static void fill_table(fw_time_ns *table) {
  uint64_t state = 88172645463325252;
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    double uniform = ((double)(state >> 11) + 0.5) * 0x1p-53;
    table[i] = (fw_time_ns)(-log(uniform) * 1e9);
  }
}

typedef struct plain_event {
  fw_time_ns time;
  uint64_t payload;
} plain_event;

/* Replaces the earliest of `count` events, the root, and restores the heap. */
static void plain_replace(plain_event *heap, size_t count, plain_event event) {
  size_t hole = 0;
  for (size_t child = 1; child < count; child = 2 * hole + 1) {
    if (child + 1 < count && heap[child + 1].time < heap[child].time) child++;
    if (event.time <= heap[child].time) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = event;
}

static int compare_plain(const void *left, const void *right) {
  const plain_event *a = left;
  const plain_event *b = right;
  return (a->time > b->time) - (a->time < b->time);
}

static double spell_plain(plain_event *heap, size_t pending, const fw_time_ns *table, size_t holds) {
  double start = seconds_now();
  for (size_t i = 0; i < holds; i++) {
    plain_replace(heap, pending, (plain_event){heap[0].time + table[i % TABLE_SIZE], heap[0].payload});
  }
  return seconds_now() - start;
}

static double measure_plain(const fw_time_ns *table, size_t pending, size_t holds) {
  plain_event *heap = calloc(pending, sizeof *heap);
  if (!heap) return 0.0;
  for (size_t i = 0; i < pending; i++) {
    heap[i] = (plain_event){table[i % TABLE_SIZE] + (fw_time_ns)i, i};
  }
  qsort(heap, pending, sizeof *heap, compare_plain);
  spell_plain(heap, pending, table, 3 * pending);
  double best = INFINITY;
  for (int spell = 0; spell < SPELLS; spell++) {
    best = fmin(best, spell_plain(heap, pending, table, holds));
  }
  free(heap);
  return 1e-6 * (double)holds / best;
}

static void hold_by_replace(fw_event_queue *queue, fw_time_ns delay) {
  fw_event next = *fw_event_queue_peek(queue);
  next.time += delay;
  next.sequence++;
  fw_event_queue_replace(queue, next);
}

static void hold_by_pop(fw_event_queue *queue, fw_time_ns delay) {
  fw_event next = fw_event_queue_pop(queue);
  next.time += delay;
  next.sequence++;
  fw_event_queue_push(queue, next, NULL); /* the place was just given up, so this cannot fail */
}

typedef void hold_function(fw_event_queue *queue, fw_time_ns delay);

static double spell_queue(fw_event_queue *queue, hold_function *hold, const fw_time_ns *table, size_t holds) {
  double start = seconds_now();
  for (size_t i = 0; i < holds; i++) {
    hold(queue, table[i % TABLE_SIZE]);
  }
  return seconds_now() - start;
}

static double measure_queue(const fw_time_ns *table, size_t pending, size_t holds, hold_function *hold) {
  fw_event_queue *queue;
  if (fw_event_queue_create(&queue, NULL) != FW_OK) return 0.0;
  for (size_t i = 0; i < pending; i++) {
    fw_event event = {table[i % TABLE_SIZE] + (fw_time_ns)i, FW_EVENT_END, (uint32_t)i, 0, i};
    if (fw_event_queue_push(queue, event, NULL) != FW_OK) return 0.0;
  }
  spell_queue(queue, hold, table, 3 * pending);
  double best = INFINITY;
  for (int spell = 0; spell < SPELLS; spell++) {
    best = fmin(best, spell_queue(queue, hold, table, holds));
  }
  fw_event_queue_free(queue);
  return 1e-6 * (double)holds / best;
}

int main(void) {
  static const size_t pending[] = {16, 1000, 100000, 1000000};
  static const size_t holds[] = {500000, 500000, 300000, 200000};
  static fw_time_ns table[TABLE_SIZE];
  fill_table(table);
  printf("%10s %12s %12s %12s   million events/s\n", "pending", "replace", "pop + push", "ceiling");
  for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
    printf("%10zu %12.2f %12.2f %12.2f\n", pending[i], measure_queue(table, pending[i], holds[i], hold_by_replace),
           measure_queue(table, pending[i], holds[i], hold_by_pop), measure_plain(table, pending[i], holds[i]));
  }
  return 0;
}
