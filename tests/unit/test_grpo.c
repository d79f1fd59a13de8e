/* The GRPO program against hand computation and against a token-by-token generator written here. */
#include "sim/fleet/program.h"
#include "tests/scenario_fixture.h"

#define IDLE 60000
#define SEED 17
#define JOB 3

/* One program under its settings, and all blocks of a step. */
typedef struct bench {
  fw_scenario *scenario;
  fw_job_model model;
  fw_scenario_job job;
  double settings[FW_ACTUATOR_COUNT];
  void *state;
  fwi_blocks blocks; /* of the present step */
} bench;

static void bench_make(bench *out, fw_batching batching, double completion_cv) {
  *out = (bench){
      .scenario = scenario_from(HEAD("60", "1", "'budget_w': 100") ", 'jobs': [{'kind': 'grpo', 'class': 'g', 'model': "
                                                                   "'plain-job'}]}")};
  out->job = out->scenario->jobs[0];
  out->model = *out->job.model;
  out->model.batching = (int)batching;
  out->job.model = &out->model;
  out->job.workload.completion_cv = completion_cv;
  memcpy(out->settings, out->job.initial, sizeof out->settings);
  cr_assert_eq(fwi_grpo_program.create(&out->job, JOB, SEED, IDLE, &out->state, NULL), FW_OK);
}

static void bench_free(bench *b) {
  fwi_grpo_program.destroy(b->state);
  free(b->blocks.data);
  fw_scenario_free(b->scenario);
}

/* Asks for blocks until a step has ended. */
static void run_step(bench *b) {
  b->blocks.count = 0;
  do {
    cr_assert_eq(fwi_grpo_program.next(b->state, &(fwi_turn){.settings = b->settings}, &b->blocks, NULL), FW_OK);
  } while ((b->blocks.data[b->blocks.count - 1].marks & FWI_MARK_STEP_END) == 0);
}

/* What a step's blocks of one phase come to. */
typedef struct sums {
  double seconds;
  double occupancy_s; /* integral of occupancy over time */
  double energy_j;    /* of one GPU */
  int64_t tokens;
  size_t count;
} sums;

static sums sum_phase(const bench *b, fw_phase phase) {
  sums out = {0};
  for (size_t i = 0; i < b->blocks.count; i++) {
    const fwi_block *block = &b->blocks.data[i];
    if (block->phase != phase) continue;
    const double seconds = fw_time_to_seconds(block->work);
    out.seconds += seconds;
    out.occupancy_s += seconds * block->occupancy;
    out.energy_j += seconds * fw_power_to_watts(block->demand);
    out.tokens += block->tokens;
    out.count++;
  }
  return out;
}

static size_t count_marks(const bench *b, unsigned mark) {
  size_t count = 0;
  for (size_t i = 0; i < b->blocks.count; i++)
    count += (b->blocks.data[i].marks & mark) != 0;
  return count;
}

/* Each block is rounded to whole nanoseconds, and there are fewer than 1000 of them. */
#define ROUNDING_S 1e-6

/* ---- By hand ---- */

/* 24 completions of 150 tokens, 8 at a time: t(8) = 0.028 s a token, 200 + 25 log2 8 = 275 W. */
Test(grpo, a_step_of_equal_completions_is_as_computed_by_hand) {
  static const struct {
    fw_phase phase;
    fw_time_ns work;
    fw_power_mw demand;
    int64_t tokens;
    unsigned marks;
  } wanted[] = {
      {FW_PHASE_PREFILL, 400000000, 350000, 0, 0}, /* 8 prompts of 100 tokens at 0.5 ms */
      {FW_PHASE_ROLLOUT, 4200000000, 275000, 1200, FWI_MARK_BATCH_END | FWI_MARK_DECISION},
      {FW_PHASE_GAP, 250000000, 90000, 0, 0},
      {FW_PHASE_PREFILL, 400000000, 350000, 0, 0},
      {FW_PHASE_ROLLOUT, 4200000000, 275000, 1200, FWI_MARK_BATCH_END | FWI_MARK_DECISION},
      {FW_PHASE_GAP, 250000000, 90000, 0, 0},
      {FW_PHASE_PREFILL, 400000000, 350000, 0, 0},
      {FW_PHASE_ROLLOUT, 4200000000, 275000, 1200, FWI_MARK_BATCH_END | FWI_MARK_DECISION},
      {FW_PHASE_GAP, 2250000000, 90000, 0, 0},
      /* 3 s + 1 ms for each of 24 x (100 + 150) tokens */
      {FW_PHASE_UPDATE, 9000000000, 300000, 0, FWI_MARK_STEP_END},
  };
  bench b;
  bench_make(&b, FW_BATCHING_STATIC, 0.0);
  for (int step = 0; step < 2; step++) {
    run_step(&b);
    cr_assert_eq(b.blocks.count, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < b.blocks.count; i++) {
      const fwi_block *block = &b.blocks.data[i];
      cr_expect_eq(block->phase, wanted[i].phase, "block %zu", i);
      cr_expect_eq(block->work, wanted[i].work, "block %zu: %lld ns", i, (long long)block->work);
      cr_expect_eq(block->demand, wanted[i].demand, "block %zu: %lld mW", i, (long long)block->demand);
      cr_expect_eq(block->tokens, wanted[i].tokens, "block %zu", i);
      cr_expect_eq(block->marks, wanted[i].marks, "block %zu: marks %u", i, block->marks);
    }
  }
  bench_free(&b);
}

/* Of 24 completions in batches of 5 the last batch holds 4. */
Test(grpo, the_last_batch_takes_what_is_left) {
  bench b;
  bench_make(&b, FW_BATCHING_STATIC, 0.0);
  b.settings[FW_ACTUATOR_CONCURRENCY] = 5;
  run_step(&b);
  cr_expect_eq(count_marks(&b, FWI_MARK_BATCH_END), 5);
  const sums rollout = sum_phase(&b, FW_PHASE_ROLLOUT);
  cr_expect_float_eq(rollout.seconds, 150 * (4 * 0.025 + 0.024), ROUNDING_S);
  cr_expect_eq(rollout.tokens, 24 * 150);
  bench_free(&b);
}

/* ---- Token by token ---- */

/* The completions of step `step`, in the order in which they are taken. */
static int64_t length_of(const bench *b, uint64_t step, int64_t sequence, int64_t group_size) {
  const uint64_t prompt = step * (uint64_t)b->job.workload.prompts + (uint64_t)(sequence / group_size);
  return fw_workload_completion(&b->job.workload, SEED, JOB, prompt, (uint32_t)(sequence % group_size),
                                b->job.workload.completion_limit);
}

/* One generator of `limit` slots: at each tick of its clock every sequence in flight gains a token. A slot that ends is
 * refilled at once (continuous), or stays empty until all have ended. */
static sums generate(const bench *b, uint64_t step, int64_t limit, fw_batching batching, double *prefill_s) {
  const fw_timing *timing = &b->model.timing;
  const int64_t sequences = b->job.workload.prompts * b->job.workload.group_size;
  int64_t left[64];
  int64_t own[64];
  sums out = {0};
  *prefill_s = 0.0;
  for (int64_t taken = 0; taken < sequences; out.count++) {
    int64_t slots = 0;
    for (; slots < limit && taken < sequences; slots++)
      own[slots] = left[slots] = length_of(b, step, taken++, b->job.workload.group_size);
    *prefill_s += timing->prefill_per_token_s * 100.0 * (double)slots;
    for (;;) {
      int64_t active = 0;
      for (int64_t s = 0; s < slots; s++)
        active += left[s] > 0;
      if (active == 0) break;
      const int64_t computed = batching == FW_BATCHING_PADDED ? slots : active;
      const double token_s = timing->token_base_s + timing->token_per_sequence_s * (double)computed;
      out.seconds += token_s;
      out.occupancy_s += token_s * (double)computed;
      out.energy_j += token_s * fw_job_level_w(&b->model, FW_PHASE_ROLLOUT, (double)computed, 50.0);
      out.tokens += active;
      for (int64_t s = 0; s < slots; s++) {
        left[s] -= left[s] > 0;
        if (left[s] == 0 && own[s] > 0) {
          own[s] = 0;
          if (batching == FW_BATCHING_CONTINUOUS && taken < sequences) {
            own[s] = left[s] = length_of(b, step, taken++, b->job.workload.group_size);
            /* Read while the others go on: it lengthens the rollout at full slots. */
            out.seconds += timing->prefill_per_token_s * 100.0;
            out.occupancy_s += timing->prefill_per_token_s * 100.0 * (double)slots;
            out.energy_j += timing->prefill_per_token_s * 100.0 * b->model.levels.prefill_w;
          }
        }
      }
    }
  }
  return out;
}

static void compare_with_generator(fw_batching batching, int64_t limit) {
  bench b;
  bench_make(&b, batching, 0.6);
  b.settings[FW_ACTUATOR_CONCURRENCY] = (double)limit;
  for (uint64_t step = 0; step < 5; step++) {
    double prefill_s = 0.0;
    const sums wanted = generate(&b, step, limit, batching, &prefill_s);
    run_step(&b);
    const sums got = sum_phase(&b, FW_PHASE_ROLLOUT);
    cr_expect_eq(got.tokens, wanted.tokens, "step %llu", (unsigned long long)step);
    cr_expect_float_eq(got.seconds, wanted.seconds, ROUNDING_S, "%g s, wanted %g", got.seconds, wanted.seconds);
    cr_expect_float_eq(got.occupancy_s, wanted.occupancy_s, 100 * ROUNDING_S);
    cr_expect_float_eq(got.energy_j, wanted.energy_j, 0.0006 * wanted.seconds); /* levels are in whole mW */
    cr_expect_float_eq(sum_phase(&b, FW_PHASE_PREFILL).seconds, prefill_s, ROUNDING_S);
    cr_expect_eq(count_marks(&b, FWI_MARK_BATCH_END), wanted.count);
    const double update_s = 3.0 + 0.001 * (24 * 100.0 + (double)wanted.tokens);
    cr_expect_float_eq(sum_phase(&b, FW_PHASE_UPDATE).seconds, update_s, ROUNDING_S);
  }
  bench_free(&b);
}

Test(grpo, batches_last_as_long_as_a_token_by_token_generator_says) {
  static const fw_batching kinds[] = {FW_BATCHING_STATIC, FW_BATCHING_PADDED, FW_BATCHING_CONTINUOUS};
  static const int64_t limits[] = {1, 3, 8, 24, 60};
  for (size_t k = 0; k < 3; k++) {
    for (size_t l = 0; l < 5; l++)
      compare_with_generator(kinds[k], limits[l]);
  }
}

/* ---- Occupancy, not volume ---- */

/* The level of every rollout block, which must be one and the same. */
static fw_power_mw only_level(const bench *b) {
  fw_power_mw level = 0;
  for (size_t i = 0; i < b->blocks.count; i++) {
    const fwi_block *block = &b->blocks.data[i];
    if (block->phase != FW_PHASE_ROLLOUT) continue;
    cr_expect(level == 0 || block->demand == level, "block %zu: %lld mW", i, (long long)block->demand);
    level = block->demand;
  }
  return level;
}

Test(grpo, where_the_limit_binds_group_size_adds_batches_and_leaves_the_level) {
  for (int64_t group = 4; group <= 16; group *= 2) {
    bench b;
    bench_make(&b, FW_BATCHING_PADDED, 0.6);
    b.settings[FW_ACTUATOR_GROUP_SIZE] = (double)group;
    run_step(&b);
    cr_expect_eq(count_marks(&b, FWI_MARK_BATCH_END), (size_t)(6 * group / 8));
    cr_expect_eq(only_level(&b), 275000);
    bench_free(&b);
  }
}

Test(grpo, where_no_limit_binds_group_size_moves_the_level) {
  static const fw_power_mw levels[] = {264624, 289624, 314624}; /* 200 + 25 log2(6), (12), (24) W */
  for (size_t i = 0; i < 3; i++) {
    bench b;
    bench_make(&b, FW_BATCHING_PADDED, 0.6);
    b.settings[FW_ACTUATOR_CONCURRENCY] = 1000;
    b.settings[FW_ACTUATOR_GROUP_SIZE] = (double)(1 << i);
    run_step(&b);
    cr_expect_eq(count_marks(&b, FWI_MARK_BATCH_END), 1);
    cr_expect_eq(only_level(&b), levels[i], "%lld mW", (long long)only_level(&b));
    bench_free(&b);
  }
}

/* Whatever the batches, the same prompts get the same completions. */
Test(grpo, batches_of_any_size_meet_the_same_prompts) {
  static const double limits[] = {1, 4, 8, 24};
  for (uint64_t step = 0; step < 3; step++) {
    int64_t wanted = 0;
    for (size_t l = 0; l < 4; l++) {
      bench b;
      bench_make(&b, FW_BATCHING_STATIC, 0.6);
      b.settings[FW_ACTUATOR_CONCURRENCY] = limits[l];
      for (uint64_t s = 0; s <= step; s++)
        run_step(&b);
      const int64_t tokens = sum_phase(&b, FW_PHASE_ROLLOUT).tokens;
      cr_expect(l == 0 || tokens == wanted, "step %llu, batches of %g", (unsigned long long)step, limits[l]);
      wanted = tokens;
      bench_free(&b);
    }
  }
}

/* ---- When settings take effect ---- */

static void run_batch(bench *b) {
  b->blocks.count = 0;
  do {
    cr_assert_eq(fwi_grpo_program.next(b->state, &(fwi_turn){.settings = b->settings}, &b->blocks, NULL), FW_OK);
  } while ((b->blocks.data[b->blocks.count - 1].marks & FWI_MARK_BATCH_END) == 0);
}

Test(grpo, concurrency_holds_from_the_next_batch_and_group_size_from_the_next_step) {
  bench b;
  bench_make(&b, FW_BATCHING_STATIC, 0.0);
  run_batch(&b); /* 8 of 24 */
  cr_expect_float_eq(fwi_grpo_program.progress(b.state), 8.0 / 24.0, 1e-15);
  b.settings[FW_ACTUATOR_CONCURRENCY] = 4;
  b.settings[FW_ACTUATOR_GROUP_SIZE] = 8;
  run_step(&b); /* the 16 that are left, by fours */
  cr_expect_eq(count_marks(&b, FWI_MARK_BATCH_END), 4);
  run_step(&b); /* 48, by fours */
  cr_expect_eq(count_marks(&b, FWI_MARK_BATCH_END), 12);
  bench_free(&b);
}

Test(grpo, a_pause_and_a_completion_limit_do_what_they_say) {
  bench b;
  bench_make(&b, FW_BATCHING_STATIC, 0.0);
  b.settings[FW_ACTUATOR_PAUSE_S] = 10;
  b.settings[FW_ACTUATOR_COMPLETION_TOKENS] = 50;
  run_step(&b);
  cr_expect_float_eq(sum_phase(&b, FW_PHASE_GAP).seconds, 3 * 10.25 + 2, ROUNDING_S);
  cr_expect_eq(sum_phase(&b, FW_PHASE_ROLLOUT).tokens, 24 * 50);
  bench_free(&b);
}

Test(grpo, a_job_that_decides_by_the_step_waits_once) {
  bench b;
  bench_make(&b, FW_BATCHING_CONTINUOUS, 0.6);
  b.model.decision = FW_DECISION_STEP;
  run_step(&b);
  cr_expect_eq(count_marks(&b, FWI_MARK_DECISION), 1);
  cr_expect_eq(b.blocks.data[b.blocks.count - 1].marks, FWI_MARK_STEP_END | FWI_MARK_DECISION);
  bench_free(&b);
}
