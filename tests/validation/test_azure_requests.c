/* The Azure LLM inference traces of 2023, code and conversations, through the program's own reader and a serving job.
 *
 * The oracle reads the CSV cell by cell and knows of the fixture's engine only its times: half a millisecond for each
 * token of a prompt, 21 ms for each further token of an answer that is alone. The requests are dealt out to so many
 * engines that each is alone, which the oracle checks, so every delay is known in closed form. Needs FLEETWATT_DATA. */
#include <stdio.h>

#include "tests/scenario_fixture.h"
#include "traces/workload.h"

enum { MOST_ROWS = 40000, ENGINES = 1500 };
#define PROMPT_TOKEN_S 0.0005
#define TOKEN_S 0.021

typedef struct row {
  double t_s;
  long context;
  long generated;
} row;

typedef struct rows {
  row *data;
  size_t count;
} rows;

static void data_path(const char *name, char path[600]) {
  const char *data = getenv("FLEETWATT_DATA");
  if (data == NULL) {
    (void)fprintf(stderr, "skipped: %s needs the measured data; set FLEETWATT_DATA to its folder\n", name);
    cr_skip("FLEETWATT_DATA is not set");
  }
  (void)snprintf(path, 600, "%s/%s", data, name);
}

/* Row by row, with nothing of the program. Free `data`. */
static rows read_rows(const char *path) {
  rows out = {.data = malloc(MOST_ROWS * sizeof(row))};
  char line[256];
  FILE *file = fopen(path, "r");
  cr_assert_not_null(file, "FLEETWATT_DATA holds no %s", path);
  cr_assert_not_null(out.data);
  cr_assert_not_null(fgets(line, sizeof line, file));
  cr_assert_str_eq(line, "t_s,context_tokens,generated_tokens\n");
  while (fgets(line, sizeof line, file) != NULL) {
    row *one = &out.data[out.count++];
    cr_assert_lt(out.count, MOST_ROWS);
    char *rest = line;
    one->t_s = strtod(rest, &rest);
    cr_assert_eq(*rest, ',', "%s", line);
    one->context = strtol(rest + 1, &rest, 10);
    cr_assert_eq(*rest, ',', "%s", line);
    one->generated = strtol(rest + 1, &rest, 10);
    cr_assert_eq(*rest, '\n', "%s", line);
  }
  (void)fclose(file);
  return out;
}

static double alone_s(const row *one) {
  return PROMPT_TOKEN_S * (double)one->context + TOKEN_S * (double)(one->generated - 1);
}

/* Rows that come before `until_s`, and their tokens. */
typedef struct totals {
  size_t requests;
  long context;
  long generated;
  double read_s;
  double service_s;
} totals;

static totals total_until(const rows *all, double until_s) {
  totals sum = {0};
  for (size_t i = 0; i < all->count && all->data[i].t_s < until_s; i++) {
    sum.requests++;
    sum.context += all->data[i].context;
    sum.generated += all->data[i].generated;
    sum.read_s += PROMPT_TOKEN_S * (double)all->data[i].context;
    sum.service_s += alone_s(&all->data[i]);
  }
  return sum;
}

static void expect_alone(const rows *all) {
  for (size_t i = ENGINES; i < all->count; i++) {
    const row *before = &all->data[i - ENGINES];
    cr_assert_lt(before->t_s + alone_s(before), all->data[i].t_s, "rows %zu and %zu meet: deal out to more engines",
                 i - ENGINES, i);
  }
}

/* What all engines together were given to do, and did. */
static fw_service_result sum_of(const fw_result *result) {
  fw_service_result sum = {.wait = {0}, .latency = {0}, .first_token = {0}};
  for (size_t j = 0; j < result->job_count; j++) {
    const fw_service_result *one = &result->jobs[j].service;
    sum.arrived += one->arrived;
    sum.finished += one->finished;
    sum.finished_tokens += one->finished_tokens;
    sum.mean_in_service += one->mean_in_service;
    if (one->finished > 0) {
      cr_expect_eq(one->wait.max_s, 0.0);
      sum.latency.mean_s += one->latency.mean_s * (double)one->finished;
      sum.first_token.mean_s += one->first_token.mean_s * (double)one->finished;
    }
  }
  return sum;
}

static fw_scenario *serving(const char *path, double seconds) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     "{'fleetwatt': 1, 'name': 'azure', 'gpu': 'plain-gpu', 'duration_s': %.1f, 'windows_s': [10], "
                     "'budget_kw': 800, 'jobs': [{'kind': 'serving', 'class': 's', 'model': 'plain-job', 'count': %d, "
                     "'trace': '%s', 'decision_h': 2}]}",
                     seconds, ENGINES, path);
  fw_scenario *scenario = scenario_from(text.data);
  fw_text_clear(&text);
  return scenario;
}

/* The reader's rows, one by one: times to the nanosecond. */
static void expect_same_rows(const fw_requests *got, const rows *all) {
  cr_assert_eq(got->count, all->count);
  for (size_t i = 0; i < got->count; i++) {
    const fw_time_ns time = (fw_time_ns)(all->data[i].t_s * 1e9 + 0.5);
    cr_assert_eq(got->data[i].time, time, "row %zu", i);
    cr_assert_eq(got->data[i].context_tokens, all->data[i].context, "row %zu", i);
    cr_assert_eq(got->data[i].generated_tokens, all->data[i].generated, "row %zu", i);
  }
}

/* A run that outlasts the last request serves all of them, with each delay what the row says. */
static void check_whole(const char *path, const rows *all) {
  const double last_s = all->data[all->count - 1].t_s;
  const double end_s = ceil(last_s) + 120.0;
  const totals wanted = total_until(all, end_s);
  fw_scenario *scenario = serving(path, end_s);
  expect_same_rows(scenario->jobs[0].serving->trace, all);
  fw_result result = run_seed(scenario, 1);
  const fw_service_result got = sum_of(&result);
  cr_expect_eq(got.arrived, all->count);
  cr_expect_eq(got.finished, all->count);
  cr_expect_eq(got.finished_tokens, wanted.generated);
  cr_expect_eq(result.tokens, wanted.generated);
  /* Blocks are whole nanoseconds, one of them a prompt and at most one a second of the answer: 100 ns a request. Tokens
   * of prompts are seen in nothing but their time, and one more or less in all of them would be 0.5 ms. */
  const double rounding_s = 1e-7 * (double)all->count;
  cr_expect_float_eq(got.first_token.mean_s, wanted.read_s, rounding_s, "prompts: %.9g s, expected %.9g",
                     got.first_token.mean_s, wanted.read_s);
  cr_expect_float_eq(got.latency.mean_s, wanted.service_s, rounding_s, "answers: %.9g s, expected %.9g",
                     got.latency.mean_s, wanted.service_s);
  /* Little's law, with nobody there at either end: what rounds here is only the division. */
  cr_expect_float_eq(got.mean_in_service * end_s, wanted.service_s, rounding_s);
  cr_log_info("%s: %zu requests in %.1f s: %.4f/s, %.1f tokens/s in, %.1f out\n", path, all->count, last_s,
              (double)all->count / last_s, (double)wanted.context / last_s, (double)wanted.generated / last_s);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

/* Requests of each quarter of an hour: the rates over time, not only their mean. */
static void check_rates(const char *path, const rows *all) {
  for (double end_s = 900.0; end_s <= 2700.0; end_s += 900.0) {
    const totals wanted = total_until(all, end_s);
    for (size_t i = 0; i < all->count; i++)
      cr_assert(fabs(all->data[i].t_s - end_s) > 1e-6, "a request at the very end may be counted or not");
    fw_scenario *scenario = serving(path, end_s);
    fw_result result = run_seed(scenario, 1);
    cr_expect_eq(sum_of(&result).arrived, wanted.requests, "%g s", end_s);
    /* Answers that are still being given count up to their last whole token, each off by less than one. */
    double given = 0.0;
    double in_flight = 0.0;
    for (size_t i = 0; i < wanted.requests; i++) {
      const double decoded_s = end_s - all->data[i].t_s - PROMPT_TOKEN_S * (double)all->data[i].context;
      const double answer = decoded_s < 0.0 ? 0.0 : 1.0 + decoded_s / TOKEN_S;
      const bool whole = answer >= (double)all->data[i].generated;
      given += whole ? (double)all->data[i].generated : answer;
      in_flight += !whole;
    }
    cr_expect_float_eq((double)result.tokens, given, in_flight + 1.0, "%g s: %lld tokens, expected %.1f of %ld", end_s,
                       (long long)result.tokens, given, wanted.generated);
    fw_result_clear(&result);
    fw_scenario_free(scenario);
  }
}

static void check_trace(const char *name) {
  char path[600];
  data_path(name, path);
  rows all = read_rows(path);
  expect_alone(&all);
  check_whole(path, &all);
  check_rates(path, &all);
  free(all.data);
}

Test(azure_requests, the_code_trace_is_served_as_it_was_recorded) {
  check_trace("azure_llm_2023_code.csv");
}

Test(azure_requests, the_conversations_are_served_as_they_were_recorded) {
  check_trace("azure_llm_2023_conv.csv");
}
