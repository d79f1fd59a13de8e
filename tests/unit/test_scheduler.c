/* The windowed scheduler: what it promises about windows, order, waiting and faults, the same results for any number of
 * threads, and queues whose mean wait is known in closed form. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sim/base/random.h"
#include "sim/engine/scheduler.h"

#define SECOND FW_NS_PER_S
#define MOST_LOGGED ((size_t)64)

static fw_event event_at(fw_time_ns time, fw_event_class class_rank, uint32_t entity, uint64_t sequence) {
  return (fw_event){time, (uint32_t)class_rank, entity, sequence, 0};
}

static fw_scheduler *scheduler_of(fw_scheduler_options options) {
  fw_scheduler *scheduler;
  cr_assert(fw_scheduler_create(&options, &scheduler, NULL) == FW_OK);
  return scheduler;
}

static void post(fw_scheduler *scheduler, fw_event event) {
  cr_assert(fw_scheduler_post(scheduler, event, NULL) == FW_OK);
}

static fw_scheduler_state advance(fw_scheduler *scheduler, fw_time_ns end) {
  fw_scheduler_state state;
  cr_assert(fw_scheduler_advance(scheduler, end, &state, NULL) == FW_OK);
  return state;
}

/* ---- a receiver that logs what it is given, and may answer with another event ---- */

typedef struct event_log {
  fw_scheduler *scheduler;
  fw_event events[MOST_LOGGED];
  size_t count;
  fw_event reply; /* posted once, on the first event of entity 1 */
  bool replies;
} event_log;

static fw_status log_event(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  event_log *log = context;
  cr_assert_eq(event->time, fw_scheduler_now(log->scheduler));
  if (log->count < MOST_LOGGED) log->events[log->count] = *event;
  log->count++;
  if (!log->replies || event->entity != 1) return FW_OK;
  log->replies = false;
  return fw_scheduler_post(log->scheduler, log->reply, diagnostics);
}

static void expect_logged(const event_log *log, const fw_event *want, size_t count) {
  cr_assert_eq(log->count, count);
  for (size_t i = 0; i < count; i++) {
    cr_assert(fw_event_compare(&log->events[i], &want[i]) == 0, "event %zu", i);
  }
}

/* ---- a process that notes how far it was told to go, and waits or fails where it is told to ---- */

typedef struct note {
  fw_time_ns until[MOST_LOGGED];
  size_t calls;
  fw_time_ns waits_at; /* < 0: never */
  fw_time_ns fails_at; /* < 0: never */
  bool silent;         /* fails without a word */
  int number;
} note;

static fw_process_state advance_note(void *self, fw_time_ns until, fw_diagnostics *diagnostics) {
  note *n = self;
  if (n->calls < MOST_LOGGED) n->until[n->calls] = until;
  n->calls++;
  if (n->fails_at >= 0 && n->fails_at < until) {
    if (!n->silent) fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "process %d broke", n->number);
    return FW_PROCESS_FAILED;
  }
  if (n->number == 0) fw_warning(diagnostics, (fw_place){0}, "process 0 creaks");
  return n->waits_at >= 0 && n->waits_at < until ? FW_PROCESS_WAITING : FW_PROCESS_ADVANCED;
}

static fw_time_ns note_waits_since(const void *self) {
  return ((const note *)self)->waits_at;
}

static void make_notes(note *notes, fw_process *processes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    notes[i] = (note){.waits_at = -1, .fails_at = -1, .number = (int)i};
    processes[i] = (fw_process){&notes[i], advance_note, note_waits_since};
  }
}

Test(scheduler, windows_end_at_each_event_and_at_the_end) {
  note notes[2];
  fw_process processes[2];
  event_log log = {0};
  make_notes(notes, processes, 2);
  fw_scheduler *scheduler = log.scheduler = scheduler_of(
      (fw_scheduler_options){.processes = processes, .process_count = 2, .deliver = log_event, .context = &log});
  const fw_event want[] = {event_at(5, FW_EVENT_END, 0, 0), event_at(9, FW_EVENT_END, 0, 1),
                           event_at(12, FW_EVENT_END, 0, 2)};
  post(scheduler, want[2]);
  post(scheduler, want[0]);
  post(scheduler, want[1]);
  post(scheduler, event_at(13, FW_EVENT_END, 0, 3));
  cr_assert_eq(fw_scheduler_now(scheduler), 0);
  cr_assert_eq(advance(scheduler, 12), FW_SCHEDULER_ENDED);
  cr_assert_eq(fw_scheduler_now(scheduler), 12);
  expect_logged(&log, want, 3);
  for (size_t i = 0; i < 2; i++) {
    cr_assert(notes[i].calls == 3 && notes[i].until[0] == 5 && notes[i].until[1] == 9 && notes[i].until[2] == 12);
  }
  fw_scheduler_free(scheduler);
}

Test(scheduler, runs_without_processes_and_without_events) {
  event_log log = {0};
  log.scheduler = scheduler_of((fw_scheduler_options){.deliver = log_event, .context = &log});
  cr_assert_eq(advance(log.scheduler, 100), FW_SCHEDULER_ENDED);
  cr_assert_eq(fw_scheduler_now(log.scheduler), 100);
  cr_assert_eq(log.count, 0);
  fw_scheduler_free(log.scheduler);
  fw_scheduler_free(NULL);
}

Test(scheduler, goes_on_from_where_it_ended_and_never_back) {
  event_log log = {0};
  fw_scheduler *scheduler = log.scheduler = scheduler_of((fw_scheduler_options){.deliver = log_event, .context = &log});
  post(scheduler, event_at(30, FW_EVENT_END, 0, 0));
  advance(scheduler, 10);
  post(scheduler, event_at(10, FW_EVENT_END, 0, 1));
  cr_assert_eq(advance(scheduler, 4), FW_SCHEDULER_ENDED);
  cr_assert(fw_scheduler_now(scheduler) == 10 && log.count == 1);
  advance(scheduler, 30);
  cr_assert(fw_scheduler_now(scheduler) == 30 && log.count == 2);
  fw_scheduler_free(scheduler);
}

Test(scheduler, delivers_the_events_of_an_instant_in_order) {
  event_log log = {.replies = true, .reply = event_at(5, FW_EVENT_ARRIVAL, 0, 1)};
  fw_scheduler *scheduler = log.scheduler = scheduler_of((fw_scheduler_options){.deliver = log_event, .context = &log});
  const fw_event want[] = {
      event_at(5, FW_EVENT_END, 2, 0),         event_at(5, FW_EVENT_ARRIVAL, 0, 0),
      event_at(5, FW_EVENT_ARRIVAL, 1, 0),     event_at(5, FW_EVENT_ARRIVAL, 0, 1),
      event_at(5, FW_EVENT_ARRIVAL, 1, 1),     event_at(5, FW_EVENT_DECISION, 0, 0),
      event_at(5, FW_EVENT_MEASUREMENT, 0, 0), event_at(6, FW_EVENT_END, 0, 0),
  };
  const size_t pushed[] = {6, 1, 7, 4, 0, 5, 2}; /* 3 is posted in answer to 2, and precedes the rest of the instant */
  for (size_t i = 0; i < sizeof pushed / sizeof *pushed; i++) {
    post(scheduler, want[pushed[i]]);
  }
  advance(scheduler, 100);
  expect_logged(&log, want, sizeof want / sizeof *want);
  fw_scheduler_free(scheduler);
}

static fw_status posted(fw_scheduler *scheduler, fw_event event, const char *words) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_status status = fw_scheduler_post(scheduler, event, &diagnostics);
  cr_assert(status == FW_OK || strstr(diagnostics.entries[0].message, words));
  fw_diagnostics_clear(&diagnostics);
  return status;
}

Test(scheduler, refuses_events_in_the_past) {
  event_log log = {0};
  fw_scheduler *scheduler = log.scheduler = scheduler_of((fw_scheduler_options){.deliver = log_event, .context = &log});
  advance(scheduler, 10 * SECOND);
  cr_assert_eq(posted(scheduler, event_at(10 * SECOND, FW_EVENT_END, 0, 0), ""), FW_OK);
  cr_assert_eq(posted(scheduler, event_at(95 * SECOND / 10, FW_EVENT_END, 0, 0), "9.5 s"), FW_ERROR_FAULT);
  fw_event strange = {20 * SECOND, 4, 0, 0, 0};
  cr_assert_eq(posted(scheduler, strange, "class 4"), FW_ERROR_FAULT);
  fw_scheduler_free(scheduler);
}

/* ---- waiting ---- */

static void expect_waiting(const fw_scheduler *scheduler, size_t count, const size_t *want) {
  size_t got_count;
  const size_t *got = fw_scheduler_waiting(scheduler, &got_count);
  cr_assert_eq(got_count, count);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(got[i], want[i], "place %zu", i);
  }
}

Test(scheduler, those_that_wait_are_listed_by_instant_and_index_and_continue_alone) {
  note notes[4];
  fw_process processes[4];
  event_log log = {0};
  make_notes(notes, processes, 4);
  fw_scheduler *scheduler = log.scheduler = scheduler_of(
      (fw_scheduler_options){.processes = processes, .process_count = 4, .deliver = log_event, .context = &log});
  post(scheduler, event_at(10, FW_EVENT_END, 0, 0));
  notes[0].waits_at = 7;
  notes[1].waits_at = 3;
  notes[3].waits_at = 3;
  cr_assert_eq(advance(scheduler, 20), FW_SCHEDULER_WAITING);
  expect_waiting(scheduler, 3, (const size_t[]){1, 3, 0});
  cr_assert_eq(log.count, 0);
  cr_assert_eq(posted(scheduler, event_at(9, FW_EVENT_END, 1, 0), "past"), FW_ERROR_FAULT,
               "process 2 has gone to 10 already");
  notes[0].waits_at = -1;
  notes[1].waits_at = 8;
  notes[3].waits_at = 5;
  cr_assert_eq(advance(scheduler, 20), FW_SCHEDULER_WAITING);
  expect_waiting(scheduler, 2, (const size_t[]){3, 1});
  notes[1].waits_at = notes[3].waits_at = -1;
  cr_assert_eq(advance(scheduler, 20), FW_SCHEDULER_ENDED);
  expect_waiting(scheduler, 0, NULL);
  cr_assert_eq(log.count, 1);
  const size_t calls[] = {3, 4, 2, 4}; /* process 2 was not called again in the window that it had finished */
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(notes[i].calls, calls[i], "process %zu", i);
    cr_assert_eq(notes[i].until[notes[i].calls - 2], 10);
    cr_assert_eq(notes[i].until[notes[i].calls - 1], 20);
  }
  fw_scheduler_free(scheduler);
}

/* ---- faults ---- */

/* Posts itself again at the same instant, for ever. */
typedef struct zeno {
  fw_scheduler *scheduler;
  uint64_t delivered;
} zeno;

static fw_status repeat_at_once(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  zeno *z = context;
  z->delivered++;
  return fw_scheduler_post(z->scheduler, event_at(event->time, FW_EVENT_END, event->entity, event->sequence + 1),
                           diagnostics);
}

static void expect_zeno(uint64_t instant_limit, uint64_t delivered) {
  zeno z = {0};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scheduler_state state;
  z.scheduler =
      scheduler_of((fw_scheduler_options){.deliver = repeat_at_once, .context = &z, .instant_limit = instant_limit});
  post(z.scheduler, event_at(5 * SECOND, FW_EVENT_END, 42, 0));
  cr_assert_eq(fw_scheduler_advance(z.scheduler, 10 * SECOND, &state, &diagnostics), FW_ERROR_FAULT);
  cr_assert_eq(z.delivered, delivered);
  cr_assert_not_null(strstr(diagnostics.entries[0].message, "t = 5 s"));
  cr_assert_not_null(strstr(diagnostics.entries[0].message, "entity 42"));
  fw_diagnostics_clear(&diagnostics);
  fw_scheduler_free(z.scheduler);
}

Test(scheduler, time_that_does_not_advance_is_a_fault) {
  expect_zeno(7, 7);
  expect_zeno(0, 1000000);
}

Test(scheduler, the_limit_is_for_each_instant) {
  event_log log = {0};
  log.scheduler = scheduler_of((fw_scheduler_options){.deliver = log_event, .context = &log, .instant_limit = 3});
  for (uint64_t i = 0; i < 9; i++) {
    post(log.scheduler, event_at((fw_time_ns)(i / 3), FW_EVENT_END, 0, i));
  }
  advance(log.scheduler, 10);
  cr_assert_eq(log.count, 9);
  fw_scheduler_free(log.scheduler);
}

static fw_status refuse(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  (void)context;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "entity %u refused", event->entity);
}

Test(scheduler, a_receiver_that_fails_ends_the_run) {
  fw_scheduler_state state;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scheduler *scheduler = scheduler_of((fw_scheduler_options){.deliver = refuse});
  post(scheduler, event_at(5, FW_EVENT_END, 3, 0));
  cr_assert_eq(fw_scheduler_advance(scheduler, 10, &state, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  fw_diagnostics_clear(&diagnostics);
  fw_scheduler_free(scheduler);
}

#define MANY ((size_t)40)

static void expect_reports_in_order(unsigned threads) {
  static note notes[MANY];
  static fw_process processes[MANY];
  static const char *const want[] = {"process 0 creaks", "process 5 broke", "process 17 broke", "process 39 failed"};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scheduler_state state;
  make_notes(notes, processes, MANY);
  notes[39].fails_at = 1;
  notes[5].fails_at = 3;
  notes[17].fails_at = 2;
  notes[39].silent = true;
  fw_scheduler *scheduler = scheduler_of(
      (fw_scheduler_options){.processes = processes, .process_count = MANY, .deliver = refuse, .threads = threads});
  cr_assert_eq(fw_scheduler_advance(scheduler, 10, &state, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 4);
  cr_assert_eq(diagnostics.error_count, 3);
  for (size_t i = 0; i < 4; i++) {
    cr_assert_not_null(strstr(diagnostics.entries[i].message, want[i]), "entry %zu", i);
  }
  fw_diagnostics_clear(&diagnostics);
  fw_scheduler_free(scheduler);
}

Test(scheduler, failures_are_reported_in_the_order_of_the_processes) {
  static const unsigned threads[] = {0, 1, 2, 4, 16};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    expect_reports_in_order(threads[i]);
  }
}

/* ---- ties ---- */

Test(scheduler, counts_events_that_tie_with_another_entity) {
  event_log log = {.replies = true, .reply = event_at(4, FW_EVENT_END, 2, 0)};
  fw_scheduler *scheduler = log.scheduler = scheduler_of((fw_scheduler_options){.deliver = log_event, .context = &log});
  post(scheduler, event_at(1, FW_EVENT_END, 5, 0)); /* one entity alone: no tie */
  post(scheduler, event_at(1, FW_EVENT_END, 5, 1));
  post(scheduler, event_at(1, FW_EVENT_ARRIVAL, 6, 0)); /* another class: no tie */
  post(scheduler, event_at(2, FW_EVENT_ARRIVAL, 6, 1)); /* another instant: no tie */
  advance(scheduler, 2);
  cr_assert_eq(fw_scheduler_tie_count(scheduler), 0);
  post(scheduler, event_at(3, FW_EVENT_END, 5, 2)); /* a tie of three */
  post(scheduler, event_at(3, FW_EVENT_END, 5, 3));
  post(scheduler, event_at(3, FW_EVENT_END, 6, 2));
  advance(scheduler, 3);
  cr_assert_eq(fw_scheduler_tie_count(scheduler), 3);
  post(scheduler, event_at(4, FW_EVENT_END, 6, 3)); /* a tie with an event that is posted from a later class */
  post(scheduler, event_at(4, FW_EVENT_ARRIVAL, 1, 0));
  advance(scheduler, 4);
  cr_assert_eq(fw_scheduler_tie_count(scheduler), 5);
  fw_scheduler_free(scheduler);
}

/* ---- any number of threads ---- */

/* A worker ticks at random intervals that depend on the price of the second, mixes each tick into its digest, and at
 * every tenth tick needs an answer. The price depends on all workers, so an error anywhere soon shows everywhere. */
typedef struct worker {
  fw_stream stream;
  fw_time_ns next;
  uint64_t ticks;
  uint64_t digest;
  uint64_t answers;
  double price;
} worker;

typedef struct market {
  fw_scheduler *scheduler;
  worker *workers;
  size_t count;
} market;

static uint64_t mix(uint64_t digest, uint64_t value) {
  return (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 29);
}

static fw_process_state advance_worker(void *self, fw_time_ns until, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  worker *w = self;
  while (w->next < until) {
    if (w->ticks / 10 > w->answers) return FW_PROCESS_WAITING;
    w->digest = mix(w->digest, (uint64_t)w->next);
    w->ticks++;
    w->next += 1 + (fw_time_ns)(w->price * 1e8 * fw_random_uniform(w->stream, w->ticks, 0));
  }
  return FW_PROCESS_ADVANCED;
}

static fw_time_ns worker_waits_since(const void *self) {
  return ((const worker *)self)->next;
}

static fw_status set_price(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  market *m = context;
  uint64_t digest = 0;
  for (size_t i = 0; i < m->count; i++) {
    digest = mix(digest, m->workers[i].digest);
  }
  for (size_t i = 0; i < m->count; i++) {
    m->workers[i].price = 0.5 + (double)(digest >> 11) * 0x1p-53;
  }
  return fw_scheduler_post(m->scheduler, event_at(event->time + SECOND, FW_EVENT_MEASUREMENT, 0, event->sequence + 1),
                           diagnostics);
}

static void answer_all(market *m, uint64_t *digest) {
  size_t count;
  const size_t *waiting = fw_scheduler_waiting(m->scheduler, &count);
  fw_time_ns last = 0;
  for (size_t i = 0; i < count; i++) {
    worker *w = &m->workers[waiting[i]];
    cr_assert(w->next >= last);
    last = w->next;
    *digest = mix(*digest, waiting[i]);
    w->digest = mix(w->digest, *digest); /* an answer depends on all that came before */
    w->answers++;
  }
}

static uint64_t run_market(size_t count, unsigned threads, size_t parallel_from) {
  static worker workers[300];
  static fw_process processes[300];
  uint64_t digest = 0;
  for (size_t i = 0; i < count; i++) {
    workers[i] = (worker){.stream = fw_stream_make(1, FW_DRAW_TEST, (uint32_t)i), .price = 1.0};
    processes[i] = (fw_process){&workers[i], advance_worker, worker_waits_since};
  }
  market m = {NULL, workers, count};
  m.scheduler = scheduler_of((fw_scheduler_options){.processes = processes,
                                                    .process_count = count,
                                                    .deliver = set_price,
                                                    .context = &m,
                                                    .threads = threads,
                                                    .parallel_from = parallel_from});
  post(m.scheduler, event_at(SECOND, FW_EVENT_MEASUREMENT, 0, 0));
  while (advance(m.scheduler, 20 * SECOND) == FW_SCHEDULER_WAITING) {
    answer_all(&m, &digest);
  }
  fw_scheduler_free(m.scheduler);
  for (size_t i = 0; i < count; i++) {
    cr_assert_gt(workers[i].answers, 0);
    digest = mix(digest, workers[i].digest);
  }
  return digest;
}

Test(scheduler, the_result_does_not_depend_on_threads) {
  static const size_t counts[] = {1, 7, 300};
  static const unsigned threads[] = {2, 4, 16};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    uint64_t want = run_market(counts[c], 1, 0);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
      cr_assert_eq(run_market(counts[c], threads[t], 0), want, "%zu processes, %u threads", counts[c], threads[t]);
      cr_assert_eq(run_market(counts[c], threads[t], 100), want);
    }
  }
}

/* ---- queues in closed form ---- */

#define BATCHES ((uint64_t)40)
#define BATCH_SIZE ((uint64_t)2500)
#define CUSTOMERS (BATCHES * BATCH_SIZE)
#define STATIONS ((size_t)4)

/* A single server with Poisson arrivals and a mean service of one second; the queue is the customers between `served`
 * and `arrived`, whose arrival times are kept. */
typedef struct station {
  double utilisation;
  bool deterministic;
  fw_stream gaps;
  fw_stream services;
  uint64_t arrived;
  uint64_t begun;
  bool busy;
  fw_time_ns arrivals[CUSTOMERS];
  double batch_wait[BATCHES]; /* sums, in seconds */
} station;

typedef struct shop {
  fw_scheduler *scheduler;
  station *stations;
} shop;

static fw_time_ns seconds(double value) {
  return (fw_time_ns)nearbyint(value * 1e9);
}

static fw_status begin_service(shop *s, uint32_t entity, fw_time_ns now, fw_diagnostics *diagnostics) {
  station *at = &s->stations[entity];
  double wait = fw_time_to_seconds(now - at->arrivals[at->begun]);
  double service = at->deterministic ? 1.0 : fw_random_exponential(at->services, at->begun);
  at->batch_wait[at->begun / BATCH_SIZE] += wait;
  at->busy = true;
  at->begun++;
  return fw_scheduler_post(s->scheduler, event_at(now + seconds(service), FW_EVENT_END, entity, at->begun),
                           diagnostics);
}

static fw_status post_arrival(shop *s, uint32_t entity, fw_time_ns now, fw_diagnostics *diagnostics) {
  station *at = &s->stations[entity];
  fw_time_ns gap = seconds(fw_random_exponential(at->gaps, at->arrived) / at->utilisation);
  return fw_scheduler_post(s->scheduler, event_at(now + gap, FW_EVENT_ARRIVAL, entity, at->arrived), diagnostics);
}

static fw_status serve(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  shop *s = context;
  station *at = &s->stations[event->entity];
  fw_status status = FW_OK;
  if (event->class_rank == FW_EVENT_END) {
    at->busy = false;
  } else {
    at->arrivals[at->arrived++] = event->time;
    if (at->arrived < CUSTOMERS) status = post_arrival(s, event->entity, event->time, diagnostics);
  }
  if (status != FW_OK || at->busy || at->begun == at->arrived) return status;
  return begin_service(s, event->entity, event->time, diagnostics);
}

/* The distance of the mean wait from `expected` in standard errors, by the means of batches that are long against the
 * memory of the queue (about (1 + u) / (1 - u)^2 = 45 services at a utilisation of 0.8). The first batch starts from an
 * empty queue and is left out. */
static double z_of(const station *at, double expected) {
  double sum = 0.0;
  double squares = 0.0;
  double n = (double)(BATCHES - 1);
  for (size_t i = 1; i < BATCHES; i++) {
    sum += at->batch_wait[i];
  }
  for (size_t i = 1; i < BATCHES; i++) {
    double deviation = at->batch_wait[i] - sum / n;
    squares += deviation * deviation;
  }
  return (sum / n - expected * (double)BATCH_SIZE) / sqrt(squares / (n - 1.0) / n);
}

/* Mean wait in an M/G/1 queue (Pollaczek 1930, Khinchine 1932): u (1 + cv^2) / (2 (1 - u)) services. */
static double sum_of_squared_z(bool deterministic) {
  static const double utilisations[STATIONS] = {0.2, 0.5, 0.7, 0.8};
  static station stations[STATIONS];
  shop s = {NULL, stations};
  double sum = 0.0;
  s.scheduler = scheduler_of((fw_scheduler_options){.deliver = serve, .context = &s});
  for (uint32_t i = 0; i < STATIONS; i++) {
    stations[i] = (station){.utilisation = utilisations[i],
                            .deterministic = deterministic,
                            .gaps = fw_stream_make(deterministic, FW_DRAW_ARRIVAL, i),
                            .services = fw_stream_make(deterministic, FW_DRAW_TEST, i)};
    cr_assert(post_arrival(&s, i, 0, NULL) == FW_OK);
  }
  advance(s.scheduler, FW_TIME_MAX);
  fw_scheduler_free(s.scheduler);
  for (size_t i = 0; i < STATIONS; i++) {
    double u = utilisations[i];
    double z = z_of(&stations[i], u * (deterministic ? 1.0 : 2.0) / (2.0 * (1.0 - u)));
    cr_assert_eq(stations[i].begun, CUSTOMERS);
    cr_assert_lt(fabs(z), 4.0, "utilisation %.1f: z = %.2f", u, z);
    sum += z * z;
  }
  return sum;
}

/* Eight independent z, each nearly standard normal: the sum of squares lies between the 0.001 and 0.999 quantiles of
 * chi-squared with 8 degrees of freedom, so that the errors are neither too large nor too small to be true. */
Test(scheduler, mean_waits_of_mm1_and_md1_agree_with_pollaczek_and_khinchine) {
  double sum = sum_of_squared_z(false) + sum_of_squared_z(true);
  cr_assert(sum > 0.857 && sum < 26.12, "chi-squared = %.2f", sum);
}
