/* The event queue against qsort with a comparison of its own, on lattices of ties such as sampled traces are. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim/engine/queue.h"

#define MOST_EVENTS ((size_t)3000)

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014): the tests' own source of cases. */
static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static uint64_t below(uint64_t *state, uint64_t bound) {
  return next_random(state) % bound;
}

/* Members in turn, each by its own comparison: not how the queue does it. */
static int compare_members(const void *left, const void *right) {
  const fw_event *a = left;
  const fw_event *b = right;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  if (a->class_rank != b->class_rank) return a->class_rank < b->class_rank ? -1 : 1;
  if (a->entity != b->entity) return a->entity < b->entity ? -1 : 1;
  if (a->sequence != b->sequence) return a->sequence < b->sequence ? -1 : 1;
  return 0;
}

/* Few instants, classes and entities, so that most events tie in all but the sequence, which is unique. */
static fw_event lattice_event(uint64_t *state, uint64_t instants, uint64_t entities, uint64_t sequence) {
  return (fw_event){(fw_time_ns)below(state, instants) * 500000000, (uint32_t)below(state, 4),
                    (uint32_t)below(state, entities), sequence, next_random(state)};
}

static void shuffle(fw_event *events, size_t count, uint64_t *state) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)below(state, i);
    fw_event swap = events[i - 1];
    events[i - 1] = events[j];
    events[j] = swap;
  }
}

static void expect_same(fw_event got, fw_event want) {
  cr_assert(compare_members(&got, &want) == 0 && got.payload == want.payload);
}

static void expect_pops(const fw_event *pushed, const fw_event *sorted, size_t count) {
  fw_event_queue *queue;
  cr_assert(fw_event_queue_create(&queue, NULL) == FW_OK);
  for (size_t i = 0; i < count; i++) {
    cr_assert(fw_event_queue_push(queue, pushed[i], NULL) == FW_OK);
  }
  for (size_t i = 0; i < count; i++) {
    expect_same(fw_event_queue_pop(queue), sorted[i]);
  }
  cr_assert(fw_event_queue_count(queue) == 0);
  fw_event_queue_free(queue);
}

Test(queue, pops_lattices_as_qsort_orders_them_and_whatever_the_order_of_pushing) {
  static fw_event events[MOST_EVENTS];
  static fw_event sorted[MOST_EVENTS];
  uint64_t state = 1;
  for (int round = 0; round < 60; round++) {
    size_t count = 1 + (size_t)below(&state, MOST_EVENTS);
    uint64_t instants = 1 + below(&state, 20);
    uint64_t entities = 1 + below(&state, 5);
    for (size_t i = 0; i < count; i++) {
      events[i] = sorted[i] = lattice_event(&state, instants, entities, i);
    }
    qsort(sorted, count, sizeof *sorted, compare_members);
    expect_pops(events, sorted, count);
    shuffle(events, count, &state);
    expect_pops(events, sorted, count);
  }
}

/* The model: a sorted array. */
typedef struct sorted_list {
  fw_event events[MOST_EVENTS];
  size_t count;
} sorted_list;

static void list_insert(sorted_list *list, fw_event event) {
  size_t i = list->count++;
  for (; i > 0 && compare_members(&event, &list->events[i - 1]) < 0; i--) {
    list->events[i] = list->events[i - 1];
  }
  list->events[i] = event;
}

static fw_event list_pop(sorted_list *list) {
  fw_event earliest = list->events[0];
  list->count--;
  for (size_t i = 0; i < list->count; i++) {
    list->events[i] = list->events[i + 1];
  }
  return earliest;
}

Test(queue, any_mix_of_push_pop_and_replace_is_a_sorted_list) {
  static sorted_list list;
  fw_event_queue *queue;
  uint64_t state = 2;
  cr_assert(fw_event_queue_create(&queue, NULL) == FW_OK);
  for (uint64_t step = 0; step < 100000; step++) {
    uint64_t grows = step / 10000 % 2 ? 30 : 45; /* in turn the queue tends to shrink and to grow */
    uint64_t action = below(&state, 100);
    fw_event event = lattice_event(&state, 40, 3, step);
    if (list.count == 0 || (action < grows && list.count < 500)) {
      cr_assert(fw_event_queue_push(queue, event, NULL) == FW_OK);
      list_insert(&list, event);
    } else if (action < 80) {
      expect_same(fw_event_queue_pop(queue), list_pop(&list));
    } else {
      expect_same(fw_event_queue_replace(queue, event), list_pop(&list));
      list_insert(&list, event);
    }
    cr_assert(fw_event_queue_count(queue) == list.count);
    if (list.count > 0) expect_same(*fw_event_queue_peek(queue), list.events[0]);
  }
  fw_event_queue_free(queue);
}
