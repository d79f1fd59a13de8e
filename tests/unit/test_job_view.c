/* What a trained policy sees, against the same sums done by brute force over a record of every second. */
#include "policies/ppo/job_view.h"
#include "sim/base/random.h"
#include "tests/policy_fixture.h"

#define CONCURRENCY (1u << FW_ACTUATOR_CONCURRENCY)

static fw_job_view view_of(const fw_job_setup *job, uint32_t actuators) {
  fw_job_view view;
  cr_assert_eq(fw_job_view_create(job, actuators, &view, NULL), FW_OK);
  return view;
}

Test(job_view, offers_the_levels_or_evenly_spaced_settings) {
  const fw_job_setup job = fixture_job();
  const fw_job_view view = view_of(&job, CONCURRENCY | 1u << FW_ACTUATOR_POWER_CAP_W);
  cr_assert_eq(view.space.head_count, 2);
  cr_expect_eq(view.space.head_size[0], 4);
  cr_expect_eq(view.settings[0][3], 8);
  cr_expect_eq(view.space.head_size[1], FW_JOB_VIEW_SPACED);
  cr_expect_eq(view.settings[1][0], 100);
  cr_expect_eq(view.settings[1][1], 125); /* 300 W in twelfths */
  cr_expect_eq(view.settings[1][FW_JOB_VIEW_SPACED - 1], 400);
}

/* A range of 1 to 4 sequences has four settings, however many would fit. */
Test(job_view, counts_in_whole_settings) {
  fw_job_setup job = fixture_job();
  job.actuators[FW_ACTUATOR_CONCURRENCY] = (fw_actuator_range){.min = 1, .max = 4};
  const fw_job_view view = view_of(&job, CONCURRENCY);
  cr_expect_eq(view.space.head_size[0], 4);
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq(view.settings[0][i], (double)(i + 1));
}

Test(job_view, its_schema_names_what_it_sets_and_how) {
  const fw_job_setup job = fixture_job();
  const fw_job_view view = view_of(&job, CONCURRENCY);
  fw_text schema = FW_TEXT_INIT;
  fw_job_view_schema(&view, &schema);
  cr_expect_str_eq(schema.data, "fleetwatt job view 1\nwindows_s: 0.5 30\nconcurrency: 1 2 4 8\n");
  cr_expect_eq(fw_job_view_actuators(schema.data), CONCURRENCY);
  cr_expect_eq(fw_job_view_actuators("cart pole"), 0);
  fw_text_clear(&schema);
}

Test(job_view, acts_by_index) {
  const fw_job_setup job = fixture_job();
  const fw_job_view view = view_of(&job, CONCURRENCY | 1u << FW_ACTUATOR_PAUSE_S);
  fw_job_action action = {.set = 0};
  fw_job_view_act(&view, (const uint32_t[]){2, 12}, &action);
  cr_expect_eq(action.set, CONCURRENCY | 1u << FW_ACTUATOR_PAUSE_S);
  cr_expect_eq(action.settings[FW_ACTUATOR_CONCURRENCY], 4);
  cr_expect_eq(action.settings[FW_ACTUATOR_PAUSE_S], 32);
}

Test(job_view, refuses_what_the_job_does_not_offer) {
  const fw_job_setup job = fixture_job();
  fw_job_view view;
  cr_expect_eq(fw_job_view_create(&job, 1u << FW_ACTUATOR_GROUP_SIZE, &view, NULL), FW_ERROR_INPUT);
  cr_expect_eq(fw_job_view_create(&job, 0, &view, NULL), FW_ERROR_INPUT);
}

/* The budget of second s: steps of random heights at random whole seconds. */
typedef struct timetable {
  double from_s[12];
  double budget_w[12];
} timetable;

static size_t step_at(const timetable *table, double time_s) {
  size_t step = 0;
  while (step + 1 < 12 && table->from_s[step + 1] <= time_s)
    step++;
  return step;
}

static timetable random_timetable(fw_stream stream) {
  timetable table = {{0}, {0}};
  for (size_t i = 0; i < 12; i++) {
    table.budget_w[i] = 300.0 + 400.0 * fw_random_uniform(stream, i, 0);
    if (i > 0) table.from_s[i] = table.from_s[i - 1] + 25.0 + (double)fw_random_below(stream, 100 + i, 60);
  }
  return table;
}

/* Mean of the budget over the seconds (now - window, now] that there were. */
static double brute_mean(const timetable *table, double now_s, double window_s) {
  double sum = 0.0;
  double count = 0.0;
  for (double s = fmax(now_s - window_s, 0.0); s < now_s; s += 0.5) {
    sum += table->budget_w[step_at(table, s)];
    count += 1.0;
  }
  return count > 0.0 ? sum / count : table->budget_w[0];
}

/* Decisions fall on half seconds, at most one change lies between two of them, and every change was announced. */
Test(job_view, windows_are_held_against_the_budget_of_their_own_time) {
  const fw_job_setup job = fixture_job();
  const fw_job_view view = view_of(&job, CONCURRENCY);
  for (uint32_t round = 0; round < 50; round++) {
    const fw_stream stream = fw_stream_make(3, FW_DRAW_TEST, round);
    const timetable table = random_timetable(stream);
    fw_job_view_memory memory = fw_job_view_start();
    double time_s = 0.0;
    for (uint64_t decision = 0; time_s < 700.0; decision++) {
      fw_job_observation seen = fixture_blank(&job);
      float got[FW_PPO_OBSERVATIONS];
      const size_t step = step_at(&table, time_s);
      seen.time_s = time_s;
      seen.budget_w = table.budget_w[step];
      seen.fleet_budget_w = 10.0 * seen.budget_w;
      seen.next_budget_w = step + 1 < 12 ? table.budget_w[step + 1] : seen.budget_w;
      seen.next_budget_in_s = step + 1 < 12 ? table.from_s[step + 1] - time_s : (double)INFINITY;
      seen.window_mean_w[1] = 500.0;
      seen.fleet_window_mean_w[1] = 5000.0;
      fw_job_view_observe(&view, &memory, &seen, got);
      const double mean = brute_mean(&table, time_s, 30.0);
      /* The second window's three numbers stand after two and the first's three. Floats of order 1: 1e-6. */
      cr_assert_float_eq(got[5], (mean - 500.0) / 1600.0, 1e-6, "at %g s", time_s);
      cr_assert_eq(got[6], 1.0F);
      cr_assert_float_eq(got[7], (10.0 * mean - 5000.0) / 1600.0, 1e-5, "at %g s", time_s);
      time_s += 5.0 + 0.5 * (double)fw_random_below(stream, 1000 + decision, 30);
    }
  }
}

Test(job_view, looks_back_on_intervals) {
  const fw_job_setup job = fixture_job();
  const fw_job_view view = view_of(&job, CONCURRENCY);
  fw_job_view_memory memory = fw_job_view_start();
  const size_t first = 2 + 3 * job.window_count;
  for (int decision = 0; decision < 6; decision++) {
    fw_job_observation seen = fixture_blank(&job);
    float got[FW_PPO_OBSERVATIONS];
    seen.time_s = 20.0 * decision;
    seen.elapsed_s = decision > 0 ? 20.0 : 0.0;
    seen.budget_w = 560.0;
    seen.interval_mean_w = decision > 0 ? 560.0 - 16.0 * decision : NAN;
    fw_job_view_observe(&view, &memory, &seen, got);
    for (int back = 0; back < (int)FW_JOB_VIEW_INTERVALS; back++) {
      const double wanted = decision - back > 0 ? 0.01 * (decision - back) : 0.0;
      cr_expect_float_eq(got[first + 3 * (size_t)back], wanted, 1e-6, "decision %d, %d back", decision, back);
    }
  }
}

/* Whatever is seen, what is written is finite and fills the observation exactly. */
Test(job_view, writes_finite_numbers_and_no_more_than_it_says) {
  fw_job_setup job = fixture_job();
  const fw_job_view view = view_of(&job, CONCURRENCY);
  static const double odd[] = {0.0, -1.0, 1e300, 500.0};
  fw_stream stream = fw_stream_make(4, FW_DRAW_TEST, 0);
  fw_job_view_memory memory = fw_job_view_start();
  for (uint64_t i = 0; i < 2000; i++) {
    fw_job_observation seen = fixture_blank(&job);
    double *const fields[] = {&seen.time_s,
                              &seen.elapsed_s,
                              &seen.power_w,
                              &seen.interval_mean_w,
                              &seen.budget_w,
                              &seen.next_budget_w,
                              &seen.occupancy,
                              &seen.next_budget_in_s,
                              &seen.fleet_power_w,
                              &seen.fleet_budget_w,
                              &seen.window_mean_w[1],
                              &seen.settings[0],
                              &seen.fleet_window_mean_w[0]};
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
      const uint64_t pick = fw_random_below(stream, i * 64 + f, 7);
      *fields[f] = pick < 4 ? odd[pick] : pick == 4 ? NAN : pick == 5 ? INFINITY : -INFINITY;
    }
    float got[FW_PPO_OBSERVATIONS];
    for (size_t n = 0; n < FW_PPO_OBSERVATIONS; n++)
      got[n] = 77.0F;
    fw_job_view_observe(&view, &memory, &seen, got);
    for (size_t n = 0; n < view.space.observation_size; n++)
      cr_assert(isfinite(got[n]), "round %llu, number %zu", (unsigned long long)i, n);
    cr_assert_eq(got[view.space.observation_size], 77.0F);
  }
}
