/* The trainer alone: how many decisions a second one core learns from, and what share of the core's multiply-add peak
 * that is, in an environment that costs next to nothing: 24 numbers seen, 8 settings, a limited cost; networks of 2 x
 * 64, that is an actor and two critics; rollouts of 128, 4 passes of 4 minibatches.
 *
 *   bench_ppo            the table: 4, 64 and 256 environments
 *   bench_ppo --torch    the same, beside ppo_torch.py, the same loop in PyTorch (run by ./fw bench where it is
 * installed)
 *
 * Multiplications are counted by the networks' shapes: a decision goes forward once when it is made, then in each pass
 * forward and backward. The peak is measured in the same run, between the iterations, as the faster of
 * multiply-then-add (what the trainer uses, so that bits are the same everywhere) and fused multiply-add. Times are
 * this thread's, the best of all rounds each, because the machine may be shared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "policies/ppo/real.h"
#include "policies/ppo/trainer_state.h"
#include "sim/base/memory.h"

enum { INPUTS = 24, SETTINGS = 8, ROUNDS = 12, PEAK_STEPS = 2000000, CHAINS = 12 };

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- the peak --- */

/* Two operations for each lane of CHAINS independent chains; CHAINS x 2 in flight cover the latencies. */
#define PEAK_BODY(type, make, step)                                                                                    \
  type sum[CHAINS];                                                                                                    \
  const type factor = make(0.999f), more = make(0.001f);                                                               \
  for (int i = 0; i < CHAINS; i++)                                                                                     \
    sum[i] = make((float)i);                                                                                           \
  for (int n = 0; n < PEAK_STEPS; n++) {                                                                               \
    for (int i = 0; i < CHAINS; i++)                                                                                   \
      sum[i] = step(sum[i], factor, more);                                                                             \
  }                                                                                                                    \
  float total = 0.0f;                                                                                                  \
  for (int i = 0; i < CHAINS; i++)                                                                                     \
    total += sum[i][0];                                                                                                \
  return total;

#ifdef __x86_64__
#define SEPARATE(a, b, c) _mm256_add_ps(_mm256_mul_ps(a, b), c)
FWI_WIDE static float run_separate(void) {
  PEAK_BODY(__m256, _mm256_set1_ps, SEPARATE)
}

__attribute__((target("avx2,fma"))) static float run_fused(void) {
  PEAK_BODY(__m256, _mm256_set1_ps, _mm256_fmadd_ps)
}
enum { PEAK_LANES = 8 };
#else
#define PLAIN(x) ((fwi_row){0} + (x))
#define SEPARATE(a, b, c) ((a) * (b) + (c))
static float run_separate(void) {
  PEAK_BODY(fwi_row, PLAIN, SEPARATE)
}
enum { PEAK_LANES = FWI_LANES };
#endif

static double rate_of(float (*run)(void)) {
  const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  const volatile float sink = run();
  (void)sink;
  return 2.0 * PEAK_LANES * CHAINS * PEAK_STEPS / (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start);
}

static double peak_now(void) {
  double best = rate_of(run_separate);
#ifdef __x86_64__
  if (__builtin_cpu_supports("fma")) {
    const double fused = rate_of(run_fused);
    if (fused > best) best = fused;
  }
#endif
  return best;
}

/* --- the environment --- */

typedef struct free_state {
  uint64_t step;
  bool acted;
} free_state;

static fw_status free_create(const void *task, void **state, fw_diagnostics *diagnostics) {
  (void)task;
  *state = fw_allocate(1, sizeof(free_state));
  return *state == NULL ? fw_error_memory(diagnostics, "an environment") : FW_OK;
}

static fw_status free_reset(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  *(free_state *)state = (free_state){.step = episode_seed % 1000};
  return FW_OK;
}

static fw_status free_advance(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                              fw_diagnostics *diagnostics) {
  (void)mask;
  (void)diagnostics;
  const free_state *s = state;
  moment->has_outcome = s->acted;
  moment->elapsed_s = 15.0;
  moment->reward = (double)(s->step % 7);
  moment->cost[0] = s->step % 5 == 0 ? 1.0 : 0.0;
  moment->truncated = moment->episode_over = s->acted && s->step % 100 == 0;
  for (size_t i = 0; i < INPUTS; i++)
    observation[i] = (float)((s->step * (i + 3)) % 17);
  return FW_OK;
}

static fw_status free_act(void *state, uint32_t agent, const uint32_t *choices, fw_diagnostics *diagnostics) {
  (void)agent;
  (void)choices;
  (void)diagnostics;
  free_state *s = state;
  s->step++;
  s->acted = true;
  return FW_OK;
}

static const fw_ppo_environment_type free_type = {
    .name = "free",
    .create = free_create,
    .destroy = free,
    .reset = free_reset,
    .advance = free_advance,
    .act = free_act,
};

/* --- the trainer --- */

/* Multiply-adds for a decision, from its making to its last pass. */
static double multiply_adds(const fwi_model *model, double passes) {
  double forward = 0.0, through = 0.0;
  for (size_t n = 0; n < model->network_count; n++) {
    const fwi_network *network = &model->network[n];
    const double u = (double)network->units, outputs = (double)network->outputs;
    forward += (double)network->inputs * u + u * u + u * outputs;
    through += u * u + u * outputs; /* nothing goes back to the inputs */
  }
  return forward + passes * (2.0 * forward + through);
}

typedef struct speed {
  double cpu_per_s, wall_per_s, share, peak;
} speed;

static speed measure(size_t environments) {
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  config.environments = environments;
  const fw_ppo_problem problem = {
      .environment = &free_type,
      .agent_count = 1,
      .space = {.observation_size = INPUTS, .head_count = 1, .head_size = {SETTINGS}, .cost_count = 1},
      .schema = "24 numbers; 8 settings",
      .cost_limit = {0.01}};
  fw_ppo_trainer *trainer;
  fw_ppo_progress progress;
  if (fw_ppo_trainer_create(&config, &problem, 1, 1, &trainer, NULL) != FW_OK) exit(EXIT_FAILURE);
  const size_t iterations = environments < 64 ? 64 / environments : 1; /* of a round, for rounds of like length */
  double cpu = 1e9, wall = 1e9, peak = 0.0;
  for (int round = 0; round < ROUNDS; round++) {
    const double cpu_start = seconds_of(CLOCK_THREAD_CPUTIME_ID), wall_start = seconds_of(CLOCK_MONOTONIC);
    for (size_t i = 0; i < iterations; i++) {
      if (fw_ppo_trainer_iterate(trainer, &progress, NULL) != FW_OK) exit(EXIT_FAILURE);
    }
    const double cpu_spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
    const double wall_spent = seconds_of(CLOCK_MONOTONIC) - wall_start;
    if (cpu_spent < cpu) cpu = cpu_spent;
    if (wall_spent < wall) wall = wall_spent;
    const double now = peak_now();
    if (now > peak) peak = now;
  }
  const double decisions = (double)(iterations * environments * config.rollout);
  speed s = {.cpu_per_s = decisions / cpu, .wall_per_s = decisions / wall, .peak = peak};
  s.share = 2.0 * multiply_adds(&trainer->weights.model, (double)config.epochs) * s.cpu_per_s / peak;
  fw_ppo_trainer_destroy(trainer);
  return s;
}

/* Decisions a second of its process's time by ppo_torch.py; 0 where it does not run. */
static double measure_torch(size_t environments) {
  char command[512];
  (void)snprintf(command, sizeof command,
                 "/usr/bin/python3 '" FW_SOURCE_DIR "/tests/bench/ppo_torch.py' %zu 2>/dev/null", environments);
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
  double rate = 0.0;
  if (pipe == NULL) return 0.0;
  if (fscanf(pipe, "%lf", &rate) != 1) rate = 0.0; /* NOLINT(cert-err34-c): 0 says it all */
  (void)pclose(pipe);
  return rate;
}

int main(void) {
  static const size_t sizes[] = {4, 64, 256};
  printf("%12s %14s %14s %12s %10s %12s %8s\n", "environments", "per cpu s", "per wall s", "peak GFLOP/s", "share",
         "torch", "ratio");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const speed s = measure(sizes[i]);
    printf("%12zu %14.0f %14.0f %12.1f %9.1f%%", sizes[i], s.cpu_per_s, s.wall_per_s, 1e-9 * s.peak, 100.0 * s.share);
    const double other = measure_torch(sizes[i]);
    if (other > 0.0) {
      printf(" %12.0f %7.1fx\n", other, s.cpu_per_s / other);
    } else {
      printf(" %21s\n", "no torch here");
    }
  }
  return EXIT_SUCCESS;
}
