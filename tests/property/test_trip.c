/* Breakers that take the power, against three oracles: a fleet of cycle jobs stepped through the same rules in fine
 * steps by code that shares nothing with the simulator; the same run with outages given as events where the trips fell;
 * and, where nothing trips, the run in which trips are only counted. */
#include "tests/random_scenario.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#include "sim/fleet/digest.h"

/* ---- A second implementation ---- */

#define STEPS_PER_TICK 5
#define STEP_MS 100
#define STEP_NS (STEP_MS * FW_NS_PER_MS)
#define MOST_JOBS 12
#define MOST_GPUS 64
#define MOST_DOMAINS 128
#define IDLE_W 60
#define BOARD_W 500

typedef struct phase {
  long steps;
  int64_t power_w;
} phase;

typedef struct plain_job {
  size_t first_gpu;
  size_t gpus;
  size_t phase_count;
  phase phases[4];
  long begins; /* its first step, while that is still to come */
  size_t at;   /* phase */
  long left;   /* steps of it */
  bool down;   /* or being loaded */
  long down_until;
  long up_at;
  long down_steps;
  uint64_t rounds;
  uint64_t struck;
  fw_energy_pj energy;
} plain_job;

typedef struct plain_domain {
  fw_domain_level level;
  size_t index;
  size_t first_gpu;
  size_t end_gpu;
  double rating_w; /* 0: no breaker */
  double heat;
  bool loaded; /* has seen a load */
  long open;   /* ticks */
  uint64_t trips;
  long first_trip; /* tick */
  long dark_ticks;
  fw_energy_pj energy;
  fw_energy_pj tick_energy;
} plain_domain;

typedef struct plain_fleet {
  size_t gpus;
  size_t per_node;
  long outage_ticks;
  long load_steps;
  double decay;
  double trip;
  int64_t overhead_w;
  int64_t efficiency_ppm;
  plain_job jobs[MOST_JOBS];
  size_t job_count;
  plain_domain domains[MOST_DOMAINS];
  size_t domain_count;
  size_t job_of_gpu[MOST_GPUS];
  long dark_until[MOST_GPUS];
} plain_fleet;

static int64_t power_of(const plain_fleet *fleet, size_t gpu, long step) {
  if (step < fleet->dark_until[gpu]) return 0;
  if (fleet->job_of_gpu[gpu] == SIZE_MAX) return IDLE_W;
  const plain_job *job = &fleet->jobs[fleet->job_of_gpu[gpu]];
  return job->down || step < job->begins ? IDLE_W : job->phases[job->at].power_w;
}

static void work_a_step(plain_job *job, long step) {
  job->down_steps += job->down;
  if (job->down && step + 1 == job->up_at) {
    job->down = false;
  } else if (!job->down && step >= job->begins && --job->left == 0) {
    job->at = (job->at + 1) % job->phase_count;
    job->rounds += job->at == 0;
    job->left = job->phases[job->at].steps;
  }
}

/* All energy of a step, in pJ, to the jobs and the nodes. */
static void draw_a_step(plain_fleet *fleet, long step) {
  for (size_t gpu = 0; gpu < fleet->gpus; gpu++) {
    const fw_energy_pj energy = (fw_energy_pj)power_of(fleet, gpu, step) * FW_MW_PER_W * STEP_NS;
    if (fleet->job_of_gpu[gpu] != SIZE_MAX) fleet->jobs[fleet->job_of_gpu[gpu]].energy += energy;
    fleet->domains[gpu / fleet->per_node].tick_energy += energy;
  }
}

static void strike(plain_fleet *fleet, plain_job *job, long now) {
  const long until = now + fleet->outage_ticks * STEPS_PER_TICK;
  const long would_work = job->down ? job->up_at : now;
  job->struck++;
  job->down_until = job->down && job->down_until > until ? job->down_until : until;
  job->up_at = job->down_until + fleet->load_steps;
  job->down = true;
  if (now < job->begins) {
    job->begins += job->up_at - would_work;
  } else {
    job->at = 0; /* a checkpoint is written at the end of every round */
    job->left = job->phases[0].steps;
  }
}

static void take_power(plain_fleet *fleet, const plain_domain *domain, long now) {
  const long until = now + fleet->outage_ticks * STEPS_PER_TICK;
  for (size_t gpu = domain->first_gpu; gpu < domain->end_gpu; gpu++)
    fleet->dark_until[gpu] = until > fleet->dark_until[gpu] ? until : fleet->dark_until[gpu];
  for (size_t j = 0; j < fleet->job_count; j++) {
    plain_job *job = &fleet->jobs[j];
    if (job->first_gpu < domain->end_gpu && domain->first_gpu < job->first_gpu + job->gpus) strike(fleet, job, now);
  }
}

static bool heat_up(const plain_fleet *fleet, plain_domain *domain, long tick) {
  const double load = (double)domain->tick_energy / 1e12 / 0.5 / domain->rating_w;
  if (domain->open > 0) {
    domain->open--;
    domain->dark_ticks++;
    domain->heat *= fleet->decay;
    return false;
  }
  if (!domain->loaded) domain->heat = fmin(load * load, 1.0);
  domain->loaded = true;
  domain->heat = load * load + (domain->heat - load * load) * fleet->decay;
  if (domain->heat < fleet->trip) return false;
  domain->open = fleet->outage_ticks;
  domain->first_trip = domain->trips++ == 0 ? tick : domain->first_trip;
  return true;
}

static void end_tick(plain_fleet *fleet, long tick) {
  const long began = tick * STEPS_PER_TICK;
  bool trips[MOST_DOMAINS] = {false};
  for (size_t d = 0; d < fleet->domain_count; d++) {
    plain_domain *domain = &fleet->domains[d];
    if (domain->level == FW_DOMAIN_NODE) {
      const bool dark = began < fleet->dark_until[domain->first_gpu];
      domain->tick_energy += dark ? 0 : (fw_energy_pj)fleet->overhead_w * FW_MW_PER_W * STEP_NS * STEPS_PER_TICK;
      domain->tick_energy = (domain->tick_energy * 1000000 + fleet->efficiency_ppm / 2) / fleet->efficiency_ppm;
    } else {
      for (size_t n = 0; n < fleet->domain_count && fleet->domains[n].level == FW_DOMAIN_NODE; n++) {
        const bool inside =
            fleet->domains[n].first_gpu >= domain->first_gpu && fleet->domains[n].first_gpu < domain->end_gpu;
        domain->tick_energy += inside ? fleet->domains[n].tick_energy : 0;
      }
    }
    domain->energy += domain->tick_energy;
    if (domain->rating_w > 0.0) trips[d] = heat_up(fleet, domain, tick);
  }
  for (size_t d = 0; d < fleet->domain_count; d++) {
    fleet->domains[d].tick_energy = 0;
    if (trips[d]) take_power(fleet, &fleet->domains[d], began + STEPS_PER_TICK);
  }
}

static void play(plain_fleet *fleet, long ticks) {
  for (long step = 0; step < ticks * STEPS_PER_TICK; step++) {
    draw_a_step(fleet, step);
    for (size_t j = 0; j < fleet->job_count; j++)
      work_a_step(&fleet->jobs[j], step);
    if (step % STEPS_PER_TICK == STEPS_PER_TICK - 1) end_tick(fleet, step / STEPS_PER_TICK);
  }
}

/* ---- The same fleet for both ---- */

static void add_domains(plain_fleet *fleet, fw_domain_level level, size_t gpus_each, double budget_w) {
  for (size_t first = 0; first < fleet->gpus; first += gpus_each) {
    const size_t end = first + gpus_each < fleet->gpus ? first + gpus_each : fleet->gpus;
    cr_assert_lt(fleet->domain_count, (size_t)MOST_DOMAINS);
    fleet->domains[fleet->domain_count++] = (plain_domain){.level = level,
                                                           .index = first / gpus_each,
                                                           .first_gpu = first,
                                                           .end_gpu = end,
                                                           .rating_w = budget_w / 0.8,
                                                           .first_trip = -1};
  }
}

static void add_job(dice *d, plain_fleet *fleet, size_t *gpu, fw_text *text) {
  plain_job *job = &fleet->jobs[fleet->job_count];
  *job = (plain_job){.first_gpu = *gpu, .gpus = 1 + roll(d, 5), .phase_count = 1 + roll(d, 4)};
  job->begins = roll(d, 2) * roll(d, 300);
  fw_text_add_format(text, "%s{'kind': 'cycle', 'class': 'c%zu', 'gpus': %zu, 'start_offset_ms': %ld, 'phases': [",
                     fleet->job_count > 0 ? ", " : "", fleet->job_count, job->gpus, job->begins * STEP_MS);
  for (size_t i = 0; i < job->phase_count; i++) {
    job->phases[i] = (phase){.steps = 1 + roll(d, 300), .power_w = IDLE_W + roll(d, BOARD_W - IDLE_W + 1)};
    fw_text_add_format(text, "%s{'duration_ms': %ld, 'power_w': %lld}", i > 0 ? ", " : "",
                       job->phases[i].steps * STEP_MS, (long long)job->phases[i].power_w);
  }
  fw_text_add(text, "]}");
  job->left = job->phases[0].steps;
  for (size_t g = 0; g < job->gpus; g++)
    fleet->job_of_gpu[(*gpu)++] = fleet->job_count;
  fleet->job_count++;
}

/* Nodes and racks may or may not have a budget; the site has one. Returns the scenario as text. */
static fw_text make_fleet(uint64_t number, long ticks, plain_fleet *fleet) {
  dice d = {.state = number * 977 + 5};
  fw_text jobs = FW_TEXT_INIT;
  fw_text text = FW_TEXT_INIT;
  size_t gpu = 0;
  *fleet = (plain_fleet){.per_node = 1 + roll(&d, 4), .outage_ticks = 1 + roll(&d, 120), .load_steps = roll(&d, 200)};
  for (size_t count = 1 + roll(&d, MOST_JOBS - 1); fleet->job_count < count && gpu + 5 < MOST_GPUS - 4;)
    add_job(&d, fleet, &gpu, &jobs);
  fleet->gpus = gpu + roll(&d, 4);
  for (size_t idle = gpu; idle < fleet->gpus; idle++)
    fleet->job_of_gpu[idle] = SIZE_MAX;
  fleet->overhead_w = roll(&d, 2) * roll(&d, 200);
  fleet->efficiency_ppm = roll(&d, 2) == 0 ? 1000000 : 900000;
  const double tau_s = 1.0 + roll(&d, 60);
  fleet->decay = exp(-0.5 / tau_s);
  fleet->trip = 1.05 + roll(&d, 50) / 100.0;
  const size_t nodes_per_rack = 2 + roll(&d, 2);
  /* Loads are about 280 W and 0.8 of that is a rating at which breakers trip now and then. */
  const double node_w = roll(&d, 2) * (double)(fleet->per_node * (150 + roll(&d, 250)) + (size_t)fleet->overhead_w);
  const double rack_w = roll(&d, 2) * (double)nodes_per_rack * (double)(fleet->per_node * (150 + roll(&d, 200)));
  const double site_w = (double)(fleet->gpus * (150 + roll(&d, 150)));
  const size_t nodes = (fleet->gpus - 1) / fleet->per_node + 1;
  add_domains(fleet, FW_DOMAIN_NODE, fleet->per_node, node_w);
  if ((nodes - 1) / nodes_per_rack + 1 > 1 || rack_w > 0.0)
    add_domains(fleet, FW_DOMAIN_RACK, fleet->per_node * nodes_per_rack, rack_w);
  add_domains(fleet, FW_DOMAIN_SITE, fleet->gpus, site_w);
  fw_text_add_format(
      &text,
      "{'fleetwatt': 1, 'name': 'trips', 'gpu': 'plain-gpu', 'duration_ms': %ld, 'windows_s': [1], "
      "'budget_w': %.0f, 'topology': {'gpus': %zu, 'gpus_per_node': %zu, 'nodes_per_rack': %zu, 'racks_per_row': 99",
      ticks * 500, site_w, fleet->gpus, fleet->per_node, nodes_per_rack);
  if (node_w > 0.0) fw_text_add_format(&text, ", 'node_budget_w': %.0f", node_w);
  if (rack_w > 0.0) fw_text_add_format(&text, ", 'rack_budget_w': %.0f", rack_w);
  /* An outage between two ticks lasts to the next. */
  fw_text_add_format(&text,
                     "}, 'electrical': {'node_overhead_w': %lld, 'supply_efficiency': %s, 'breaker': {'on_trip': "
                     "'outage', 'outage_ms': %ld, 'load_ms': %ld, 'time_constant_s': %.0f, 'trip': %.2f, 'earliest': "
                     "{'time_constant_s': 1, 'trip': 1.01}, 'latest': {'time_constant_s': 100, 'trip': 9}}}, 'jobs': [",
                     (long long)fleet->overhead_w, fleet->efficiency_ppm == 1000000 ? "1" : "0.9",
                     fleet->outage_ticks * 500 - roll(&d, 500), fleet->load_steps * STEP_MS, tau_s, fleet->trip);
  fw_text_add(&text, jobs.data);
  fw_text_add(&text, "]}");
  fw_text_clear(&jobs);
  cr_assert_not(text.failed);
  return text;
}

static void expect_same_jobs(const plain_fleet *fleet, const fw_result *result, uint64_t number) {
  for (size_t j = 0; j < fleet->job_count; j++) {
    const plain_job *job = &fleet->jobs[j];
    const fw_job_result *got = &result->jobs[j];
    expect_energy(got->energy, job->energy, "a job");
    cr_expect_eq(got->steps, job->rounds, "fleet %llu, job %zu", (unsigned long long)number, j);
    cr_expect_eq(got->disturbance.down_s, (double)(job->down_steps * STEP_NS) / 1e9, "fleet %llu, job %zu: %g",
                 (unsigned long long)number, j, got->disturbance.down_s);
  }
}

static uint64_t expect_same_domains(const plain_fleet *fleet, const fw_result *result, uint64_t number) {
  uint64_t trips = 0;
  cr_assert_eq(fleet->domain_count, result->domain_count);
  for (size_t i = 0; i < fleet->domain_count; i++) {
    const plain_domain *domain = &fleet->domains[i];
    const fw_domain_result *got = &result->domains[i];
    const fw_breaker_reading *reading = &got->breaker.all[FW_BREAKER_NOMINAL];
    cr_assert(domain->level == got->level && domain->index == got->index);
    expect_energy(got->energy, domain->energy, fw_domain_level_names[domain->level]);
    cr_assert_eq(got->breaker.present, domain->rating_w > 0.0);
    cr_expect_eq(reading->trips, domain->trips, "fleet %llu, domain %zu", (unsigned long long)number, i);
    cr_expect_eq(got->breaker.dark_s, (double)domain->dark_ticks / 2.0);
    cr_expect(domain->trips == 0 || reading->first_trip_s == (double)(domain->first_trip + 1) / 2.0);
    trips += domain->trips;
  }
  return trips;
}

/* Energies to the last picojoule. Steps of 0.1 s are exact because all times of the scenario are multiples of them. */
Test(trip, fleets_go_through_trips_as_a_second_implementation_does) {
  const long ticks = 2400;
  uint64_t trips[3] = {0}; /* fleets without any, with some and with many */
  uint64_t struck_apart = 0;
  for (uint64_t number = 0; number < 300; number++) {
    plain_fleet fleet;
    fw_text text = make_fleet(number, ticks, &fleet);
    const fw_result result = run_text(text.data);
    play(&fleet, ticks);
    expect_same_jobs(&fleet, &result, number);
    const uint64_t all = expect_same_domains(&fleet, &result, number);
    trips[all == 0 ? 0 : all < 20 ? 1 : 2]++;
    struck_apart += all > 0 && fleet.domains[fleet.domain_count - 1].trips == 0;
    fw_result_clear((fw_result *)&result);
    fw_text_clear(&text);
  }
  for (size_t i = 0; i < 3; i++)
    cr_expect_gt(trips[i], 10, "%zu: %llu fleets", i, (unsigned long long)trips[i]);
  cr_expect_gt(struck_apart, 20); /* a node or a rack alone */
}

/* ---- Against other runs of the simulator ---- */

/* Jobs of every kind, without a GPU that has none. */
static fw_text make_mixed(uint64_t number, const char *breaker, const char *events) {
  dice d = {.state = number * 977 + 11};
  fw_text out = FW_TEXT_INIT;
  fw_text_add_format(&out,
                     "{'fleetwatt': 1, 'name': 'mixed', 'gpu': 'plain-gpu', 'duration_s': 600, 'windows_s': [1, 30], "
                     "'warmup_s': %u, 'start': 'random', 'oversubscription': [%u.%u], 'policies': [%s], 'electrical': "
                     "{'continuous_factor': 0.9, 'breaker': {'earliest': {'time_constant_s': 1, 'trip': 1.0001}, "
                     "'time_constant_s': %u, 'latest': {'time_constant_s': 100, 'trip': 50}, %s}}, 'jobs': [",
                     roll(&d, 2) * roll(&d, 100), 1 + roll(&d, 2), 5 + roll(&d, 5), random_arms[roll(&d, RANDOM_ARMS)],
                     2 + roll(&d, 30), breaker);
  add_grpo(&d, &out);
  fw_text_add(&out, ", ");
  add_cycle(&d, false, &out);
  fw_text_add(&out, ", ");
  add_queue(&d, &out);
  fw_text_add(&out, ", ");
  add_serving(&d, &out);
  fw_text_add_format(&out, "], 'events': [%s]}", events);
  cr_assert_not(out.failed);
  return out;
}

typedef struct digested {
  fw_result result;
  uint64_t hash;
  recorder series;
} digested;

static void run_digested(const fw_scenario *scenario, uint64_t seed, digested *out) {
  fw_digest digest;
  recorder_start(&out->series);
  fw_digest_start(&digest, &out->series.observer);
  out->result = run_observed(scenario, (fw_run_options){.seed = seed, .observer = &digest.observer});
  out->hash = digest.hash;
}

static void digested_clear(digested *run) {
  fw_result_clear(&run->result);
  recorder_free(&run->series);
}

static void expect_same_run(const digested *a, const digested *b, uint64_t number) {
  cr_expect_eq(a->hash, b->hash, "fleet %llu", (unsigned long long)number);
  cr_expect_eq(a->result.tokens, b->result.tokens);
  cr_expect_eq(a->result.disturbance.lost_tokens, b->result.disturbance.lost_tokens);
  cr_expect_eq(a->result.disturbance.lost_steps, b->result.disturbance.lost_steps);
  cr_expect_eq(a->result.disturbance.down_s, b->result.disturbance.down_s);
  cr_expect_eq(a->result.disturbance.held_up_s, b->result.disturbance.held_up_s);
  expect_energy(a->result.energy, b->result.energy, "the site");
  for (size_t j = 0; j < a->result.job_count; j++) {
    const double occupancy = a->result.jobs[j].mean_occupancy;
    cr_expect(isnan(occupancy) || occupancy == b->result.jobs[j].mean_occupancy, "fleet %llu, job %zu",
              (unsigned long long)number, j);
    cr_expect_eq(a->result.jobs[j].steps, b->result.jobs[j].steps);
  }
}

/* The outages of a site, as events at the instants at which its power fell to nothing. */
static size_t add_restarts(const recorder *series, double outage_s, fw_text *out) {
  size_t count = 0;
  for (size_t t = 1; t < series->tick_count; t++) {
    if (series->ticks[t].truth > 0 || series->ticks[t - 1].truth == 0) continue;
    fw_text_add_format(out, "%s{'kind': 'restart', 'at_ms': %lld, 'down_s': %g, 'load_s': 7, 'down_power_w': 0}",
                       count > 0 ? ", " : "", (long long)(series->ticks[t - 1].end / FW_NS_PER_MS), outage_s);
    count++;
  }
  return count;
}

/* A trip of the site's breaker is a joint restart without power, at an instant that nobody has to give: same bytes,
 * under any control, though jobs run in windows that end elsewhere. */
Test(trip, is_the_restart_that_events_would_give_at_its_instant) {
  size_t trips = 0;
  for (uint64_t number = 0; number < 60; number++) {
    fw_text text = make_mixed(number, "'on_trip': 'outage', 'outage_s': 40, 'load_s': 7, 'trip': 1.02", "");
    fw_scenario *scenario = scenario_from(text.data);
    digested tripped;
    run_digested(scenario, number, &tripped);
    fw_text events = FW_TEXT_INIT;
    trips += add_restarts(&tripped.series, 40.0, &events);
    fw_text given = make_mixed(number, "'outage_s': 40, 'trip': 1.02", events.data != NULL ? events.data : "");
    fw_scenario *other = scenario_from(given.data);
    digested struck;
    run_digested(other, number, &struck);
    expect_same_run(&tripped, &struck, number);
    digested_clear(&tripped);
    digested_clear(&struck);
    fw_scenario_free(scenario);
    fw_scenario_free(other);
    fw_text_clear(&text);
    fw_text_clear(&events);
    fw_text_clear(&given);
  }
  cr_expect_gt(trips, 60, "%zu", trips);
}

/* The threshold lies a billionth above the largest heat of the run, so windows shrink to ticks on the way there, and
 * stragglers and caps leave fractions of nanoseconds to round. */
Test(trip, leaves_no_trace_where_it_does_not_happen) {
  size_t close = 0;
  for (uint64_t number = 0; number < 60; number++) {
    fw_text text = make_mixed(number, "'trip': 49",
                              "{'kind': 'straggler', 'gpu': 0, 'factor': 1.37, 'from_s': 20}, {'kind': 'straggler', "
                              "'gpu': 1, 'factor': 1.11, 'from_s': 5}");
    fw_scenario *scenario = scenario_from(text.data);
    digested counted;
    digested watched;
    run_digested(scenario, number, &counted);
    const size_t site = counted.result.domain_count - 1;
    const double heat = 49.0 * counted.result.domains[site].breaker.all[FW_BREAKER_NOMINAL].use;
    scenario->electrical.breaker.nominal.trip = fmax(heat, 1.0) * (1.0 + 2e-9);
    scenario->electrical.breaker.on_trip = FW_BREAKER_OPENS;
    run_digested(scenario, number, &watched);
    const fw_breaker_reading *reading = &watched.result.domains[site].breaker.all[FW_BREAKER_NOMINAL];
    if (scenario->warmup == 0) cr_expect_eq(reading->trips, 0);
    close += reading->trips == 0 && reading->use > 1.0 - 1e-8;
    if (watched.result.domains[site].breaker.dark_s == 0.0 && scenario->warmup == 0)
      expect_same_run(&counted, &watched, number);
    digested_clear(&counted);
    digested_clear(&watched);
    fw_scenario_free(scenario);
    fw_text_clear(&text);
  }
  cr_expect_gt(close, 10, "%zu", close);
}
