/* One run as text. */
#include <math.h>

#include "sim/report/figure.h"
#include "sim/report/notes.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

static void add_number(fwi_table *table, double value, int digits) {
  char text[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", isnan(value) ? "n/a" : fw_number_format(value, digits, text));
}

static void add_windows(const fw_result *result, fw_text *out) {
  static const char *const head[] = {"window, s",   "above, %", "as read, %", "episodes", "longest, s",
                                     "excess, W s", "peak, W",  "P99, W",     "P50, W"};
  char text[FW_UNITS_TEXT_SIZE];
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t w = 0; w < result->window_count; w++) {
    const fw_window_result *window = &result->windows[w];
    fwi_table_add(&table, "%s", fw_time_format(window->window, text));
    add_number(&table, 100.0 * window->violation_rate, 4);
    add_number(&table, 100.0 * result->sensed[w].violation_rate, 4);
    fwi_table_add(&table, "%llu", (unsigned long long)window->episodes);
    add_number(&table, window->longest_episode_s, 5);
    add_number(&table, window->excess_ws, 5);
    add_number(&table, window->peak_w, 6);
    add_number(&table, window->p99_w, 6);
    add_number(&table, window->p50_w, 6);
  }
  fwi_table_finish(&table, "  ", out);
}

/* The largest heat with its interval over what the breaker may be: from the latest to the earliest. */
static void add_breaker_row(fwi_table *table, const fw_domain_result *domain, const char *state, double rating_w,
                            const fw_breaker_reading readings[FW_BREAKER_CASES]) {
  char nominal[FW_NUMBER_TEXT_SIZE];
  char least[FW_NUMBER_TEXT_SIZE];
  char most[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s %zu", fw_domain_level_names[domain->level], domain->index);
  fwi_table_add(table, "%s", state);
  add_number(table, rating_w, 6);
  fwi_table_add(table, "%s (%s to %s)", fwi_figure_fixed(100.0 * (1.0 - readings[FW_BREAKER_NOMINAL].use), 1, nominal),
                fwi_figure_fixed(100.0 * (1.0 - readings[FW_BREAKER_EARLIEST].use), 1, least),
                fwi_figure_fixed(100.0 * (1.0 - readings[FW_BREAKER_LATEST].use), 1, most));
  fwi_table_add(table, "%llu (%llu to %llu)", (unsigned long long)readings[FW_BREAKER_NOMINAL].trips,
                (unsigned long long)readings[FW_BREAKER_LATEST].trips,
                (unsigned long long)readings[FW_BREAKER_EARLIEST].trips);
  if (domain->breaker.opens) {
    add_number(table, domain->breaker.dark_s, 6);
  }
}

/* The site has breakers wherever any domain has. */
static bool has_breakers(const fw_result *result) {
  return result->domain_count > 0 && result->domains[result->domain_count - 1].breaker.present;
}

static void add_breakers(const fw_result *result, fw_text *out) {
  static const char *const head[] = {"breakers", "feeds", "rating, W", "margin, %", "trips", "dark, s"};
  const bool opens = result->domains[result->domain_count - 1].breaker.opens;
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0] - !opens);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t i = 0; i < result->domain_count; i++) {
    const fw_domain_result *domain = &result->domains[i];
    const fw_breaker_result *breaker = &domain->breaker;
    if (breaker->present) {
      add_breaker_row(&table, domain, "all", breaker->rating_w, breaker->all);
    }
    if (breaker->present && breaker->redundant) {
      add_breaker_row(&table, domain, "one lost", breaker->rating_one_lost_w, breaker->one_lost);
    }
  }
  fw_text_add(out, "\n");
  fwi_table_finish(&table, "  ", out);
}

static void add_jobs(const fw_report_run *run, fw_text *out) {
  static const char *const head[] = {"job",    "GPUs",       "steps",      "batches",
                                     "tokens", "energy, Wh", "mean W/GPU", "occupancy"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t j = 0; j < run->result->job_count; j++) {
    const fw_job_result *job = &run->result->jobs[j];
    const fw_scenario_job *spec = &run->scenario->jobs[j];
    const double seconds = fw_time_to_seconds(run->result->measured);
    fwi_table_add(&table, "%s[%zu]", spec->job_class, spec->member);
    fwi_table_add(&table, "%zu", spec->gpus);
    fwi_table_add(&table, "%llu", (unsigned long long)job->steps);
    fwi_table_add(&table, "%llu", (unsigned long long)job->batches);
    fwi_table_add(&table, "%lld", (long long)job->tokens);
    add_number(&table, fw_energy_to_watt_hours(job->energy), 6);
    add_number(&table, fw_energy_to_joules(job->energy) / seconds / (double)spec->gpus, 5);
    add_number(&table, job->mean_occupancy, 4);
  }
  fwi_table_finish(&table, "  ", out);
}

static bool any_service(const fw_result *result) {
  for (size_t j = 0; j < result->job_count; j++) {
    if (result->jobs[j].has_service) {
      return true;
    }
  }
  return false;
}

/* Queues and serving engines: who came, and how long they waited. */
static void add_services(const fw_report_run *run, fw_text *out) {
  static const char *const head[] = {"queue",        "arrived",     "finished",          "killed",
                                     "waiting",      "use, %",      "mean wait, s",      "P95 wait, s",
                                     "mean time, s", "P95 time, s", "P95 first token, s"};
  if (!any_service(run->result)) {
    return;
  }
  fw_text_add(out, "\n");
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t j = 0; j < run->result->job_count; j++) {
    const fw_service_result *seen = &run->result->jobs[j].service;
    const fw_scenario_job *spec = &run->scenario->jobs[j];
    if (!run->result->jobs[j].has_service) {
      continue;
    }
    fwi_table_add(&table, "%s[%zu]", spec->job_class, spec->member);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->arrived);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->finished);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->killed);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->waiting);
    add_number(&table, 100.0 * seen->utilisation, 4);
    add_number(&table, seen->wait.mean_s, 4);
    add_number(&table, seen->wait.p95_s, 4);
    add_number(&table, seen->latency.mean_s, 4);
    add_number(&table, seen->latency.p95_s, 4);
    add_number(&table, seen->first_token.p95_s, 4);
  }
  fwi_table_finish(&table, "  ", out);
}

static bool is_disturbed(const fw_disturbance *disturbance) {
  uint64_t struck = 0;
  for (size_t kind = 0; kind < FW_STRUCK_KINDS; kind++) {
    struck += disturbance->struck[kind];
  }
  return struck > 0;
}

/* What the scenario's events did to each job that they struck. */
static void add_disturbances(const fw_report_run *run, fw_text *out) {
  static const char *const head[] = {"job",        "outages",    "down, s",   "lost tokens",
                                     "lost steps", "held up, s", "late caps", "lost caps"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t j = 0; j < run->result->job_count; j++) {
    const fw_disturbance *seen = &run->result->jobs[j].disturbance;
    const fw_scenario_job *spec = &run->scenario->jobs[j];
    if (!is_disturbed(seen)) {
      continue;
    }
    const uint64_t outages = seen->struck[FW_ADVERSITY_RESTART] + seen->struck[FW_ADVERSITY_FEED_LOSS] +
                             seen->struck[FW_ADVERSITY_GPU_FAILURE] + seen->struck[FW_ADVERSITY_GPU_FAILURES] +
                             seen->struck[FW_STRUCK_BY_TRIP];
    fwi_table_add(&table, "%s[%zu]", spec->job_class, spec->member);
    fwi_table_add(&table, "%llu", (unsigned long long)outages);
    add_number(&table, seen->down_s, 6);
    fwi_table_add(&table, "%lld", (long long)seen->lost_tokens);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->lost_steps);
    add_number(&table, seen->held_up_s, 6);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->late_caps);
    fwi_table_add(&table, "%llu", (unsigned long long)seen->lost_caps);
  }
  fwi_table_finish(&table, "  ", out);
}

static void add_events(const fw_report_run *run, fw_text *out) {
  if (!fw_scenario_is_eventful(run->scenario)) {
    return;
  }
  fw_text_add_format(out, "\nevents: %llu on the site's budget", (unsigned long long)run->result->budget_calls);
  if (is_disturbed(&run->result->disturbance)) {
    fw_text_add(out, "; on jobs:\n");
    add_disturbances(run, out);
  } else {
    fw_text_add(out, ", none on jobs\n");
  }
}

void fw_report_run_text(const fw_report_run *run, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_result *result = run->result;
  const double seconds = fw_time_to_seconds(result->measured);
  const double energy_wh = fw_energy_to_watt_hours(result->energy);
  fw_text_add_format(out, "%s, policy %s, seed %llu: ", run->scenario->name, run->scenario->policies[run->policy].name,
                     (unsigned long long)run->seed);
  fw_text_add_number(out, seconds / 3600.0, 6);
  fw_text_add(out, " h, budget ");
  fw_text_add_number(out, fw_power_to_watts(run->scenario->budgets[run->budget].power), 6);
  fw_text_add(out, " W, mean ");
  fw_text_add_number(out, energy_wh * 3600.0 / seconds, 6);
  fw_text_add(out, " W, energy ");
  fw_text_add_number(out, energy_wh, 7);
  fw_text_add(out, " Wh");
  if (result->facility_energy != result->energy) {
    fw_text_add(out, " (IT; facility ");
    fw_text_add_number(out, fw_energy_to_watt_hours(result->facility_energy), 7);
    fw_text_add(out, " Wh)");
  }
  fw_text_add_format(out, ", %lld tokens\n\n", (long long)result->tokens);
  add_windows(result, out);
  if (has_breakers(result)) {
    add_breakers(result, out);
  }
  fw_text_add(out, "\n");
  add_jobs(run, out);
  add_services(run, out);
  add_events(run, out);
  if (run->digest != NULL) {
    fw_text_add_format(out, "\ndigest %s\n", run->digest);
  }
  fwi_notes_add(diagnostics, out);
}
