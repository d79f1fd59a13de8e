/* The event queue's order, on cases small enough to see through. */
#include <criterion/criterion.h>

#include "sim/engine/queue.h"

static fw_event_queue *queue_of(const fw_event *events, size_t count) {
  fw_event_queue *queue;
  cr_assert(fw_event_queue_create(&queue, NULL) == FW_OK);
  for (size_t i = 0; i < count; i++) {
    cr_assert(fw_event_queue_push(queue, events[i], NULL) == FW_OK);
  }
  return queue;
}

Test(queue, an_empty_queue_has_no_earliest_event) {
  fw_event_queue *queue = queue_of(NULL, 0);
  cr_assert_null(fw_event_queue_peek(queue));
  cr_assert_eq(fw_event_queue_count(queue), 0);
  fw_event_queue_free(queue);
  fw_event_queue_free(NULL);
}

/* Each event differs from the next in one member only, the members in the order in which they count; the payloads would
 * order them the other way round. */
static const fw_event ordered[] = {
    {-7, FW_EVENT_MEASUREMENT, 9, 9, 99},
    {0, FW_EVENT_END, 0, 0, 90},
    {5, FW_EVENT_END, 3, 8, 80},
    {5, FW_EVENT_ARRIVAL, 1, 8, 70},
    {5, FW_EVENT_ARRIVAL, 2, 6, 60},
    {5, FW_EVENT_ARRIVAL, 2, 7, 50},
    {5, FW_EVENT_ARRIVAL, UINT32_MAX, 0, 40},
    {5, FW_EVENT_DECISION, 0, UINT64_MAX, 30},
    {5, FW_EVENT_MEASUREMENT, 0, 0, 20},
    {INT64_C(1) << 40, FW_EVENT_END, 0, 0, 10},
    {FW_TIME_MAX, FW_EVENT_END, 0, 0, 0},
};
#define ORDERED_COUNT (sizeof ordered / sizeof *ordered)

Test(queue, compares_time_then_class_then_entity_then_sequence) {
  for (size_t i = 0; i < ORDERED_COUNT; i++) {
    for (size_t j = 0; j < ORDERED_COUNT; j++) {
      int order = fw_event_compare(&ordered[i], &ordered[j]);
      cr_assert_eq((order > 0) - (order < 0), (i > j) - (i < j), "events %zu and %zu", i, j);
    }
  }
}

Test(queue, payload_takes_no_part_in_the_order) {
  fw_event a = {5, FW_EVENT_END, 1, 2, 3};
  fw_event b = a;
  b.payload = 4;
  cr_assert_eq(fw_event_compare(&a, &b), 0);
}

static void expect_ordered(fw_event_queue *queue) {
  for (size_t i = 0; i < ORDERED_COUNT; i++) {
    cr_assert_eq(fw_event_queue_peek(queue)->payload, ordered[i].payload);
    fw_event event = fw_event_queue_pop(queue);
    cr_assert_eq(event.payload, ordered[i].payload);
    cr_assert_eq(fw_event_queue_count(queue), ORDERED_COUNT - 1 - i);
  }
}

Test(queue, pops_in_order_whatever_the_order_of_pushing) {
  for (size_t first = 0; first < ORDERED_COUNT; first++) {
    for (size_t step = 1; step < ORDERED_COUNT; step++) { /* the count is prime, so every step visits all */
      fw_event shuffled[ORDERED_COUNT];
      for (size_t i = 0; i < ORDERED_COUNT; i++) {
        shuffled[i] = ordered[(first + i * step) % ORDERED_COUNT];
      }
      fw_event_queue *queue = queue_of(shuffled, ORDERED_COUNT);
      expect_ordered(queue);
      fw_event_queue_free(queue);
    }
  }
}

Test(queue, replace_returns_the_earliest_and_keeps_the_order) {
  fw_event_queue *queue = queue_of(ordered, ORDERED_COUNT - 1);
  fw_event tick = {-8, FW_EVENT_MEASUREMENT, 0, 0, 1};
  cr_assert(fw_event_queue_push(queue, tick, NULL) == FW_OK);
  fw_event earliest = fw_event_queue_replace(queue, ordered[ORDERED_COUNT - 1]);
  cr_assert_eq(earliest.payload, 1);
  expect_ordered(queue);
  fw_event_queue_free(queue);
}

Test(queue, replace_of_an_only_event) {
  fw_event_queue *queue = queue_of(ordered, 1);
  fw_event earliest = fw_event_queue_replace(queue, ordered[3]);
  cr_assert_eq(earliest.payload, ordered[0].payload);
  cr_assert_eq(fw_event_queue_pop(queue).payload, ordered[3].payload);
  cr_assert_null(fw_event_queue_peek(queue));
  fw_event_queue_free(queue);
}
