/* Two reference tasks, written from their equations: CartPole-v1 (A. Barto, R. Sutton, C. Anderson, "Neuronlike
 * adaptive elements that can solve difficult learning control problems", IEEE Trans. SMC 13, 1983) and Acrobot-v1 (R.
 * Sutton, A. Barto, "Reinforcement learning", 2nd ed., 2018, section 11.3 of the 1st), with the constants, limits and
 * rewards that these names stand for. A decision takes one second. */
#ifndef FW_TESTS_CONTROL_TASKS_H
#define FW_TESTS_CONTROL_TASKS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/environment.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"

enum { CONTROL_STATE = 4, CONTROL_STEPS = 500 };

/* One task: how it moves and what it shows. `step` returns whether the episode is over and sets the reward. */
typedef struct control_task {
  double spread; /* of the start: each coordinate uniform within +-spread */
  size_t observation_size;
  uint32_t settings;
  bool (*step)(double state[CONTROL_STATE], uint32_t choice, double *reward);
  void (*show)(const double state[CONTROL_STATE], float *observation);
} control_task;

/* --- pole on a cart: position, speed, angle, its speed --- */

static inline bool cartpole_step(double s[CONTROL_STATE], uint32_t choice, double *reward) {
  const double gravity = 9.8, pole = 0.1, total = 1.1, half_length = 0.5, tau = 0.02;
  const double force = choice == 1 ? 10.0 : -10.0;
  const double push = (force + pole * half_length * s[3] * s[3] * sin(s[2])) / total;
  const double turn =
      (gravity * sin(s[2]) - cos(s[2]) * push) / (half_length * (4.0 / 3.0 - pole * cos(s[2]) * cos(s[2]) / total));
  const double speed_up = push - pole * half_length * turn * cos(s[2]) / total;
  s[0] += tau * s[1];
  s[1] += tau * speed_up;
  s[2] += tau * s[3];
  s[3] += tau * turn;
  *reward = 1.0;
  return fabs(s[0]) > 2.4 || fabs(s[2]) > 12.0 * 3.14159265358979323846 / 180.0;
}

static inline void cartpole_show(const double s[CONTROL_STATE], float *observation) {
  for (size_t i = 0; i < CONTROL_STATE; i++)
    observation[i] = (float)s[i];
}

static const control_task cartpole = {0.05, 4, 2, cartpole_step, cartpole_show};

/* --- two links, torque between them: angles and their speeds --- */

static inline void acrobot_rates(const double s[CONTROL_STATE], double torque, double rates[CONTROL_STATE]) {
  const double g = 9.8, half_turn = 3.14159265358979323846 / 2.0; /* masses, lengths and inertias are 1, centres 0.5 */
  const double d1 = 0.25 + (1.0 + 0.25 + cos(s[1])) + 2.0;
  const double d2 = 0.25 + 0.5 * cos(s[1]) + 1.0;
  const double phi2 = 0.5 * g * cos(s[0] + s[1] - half_turn);
  const double phi1 = -0.5 * s[3] * s[3] * sin(s[1]) - s[3] * s[2] * sin(s[1]) + 1.5 * g * cos(s[0] - half_turn) + phi2;
  rates[0] = s[2];
  rates[1] = s[3];
  rates[3] = (torque + d2 / d1 * phi1 - 0.5 * s[2] * s[2] * sin(s[1]) - phi2) / (0.25 + 1.0 - d2 * d2 / d1);
  rates[2] = -(d2 * rates[3] + phi1) / d1;
}

static inline void acrobot_offset(const double s[CONTROL_STATE], const double rates[CONTROL_STATE], double time,
                                  double out[CONTROL_STATE]) {
  for (size_t i = 0; i < CONTROL_STATE; i++)
    out[i] = s[i] + time * rates[i];
}

static inline double acrobot_within(double value, double most) {
  return fmin(fmax(value, -most), most);
}

static inline bool acrobot_step(double s[CONTROL_STATE], uint32_t choice, double *reward) {
  const double pi = 3.14159265358979323846, torque = (double)choice - 1.0, dt = 0.2; /* one step of Runge and Kutta */
  double k1[CONTROL_STATE], k2[CONTROL_STATE], k3[CONTROL_STATE], k4[CONTROL_STATE], at[CONTROL_STATE];
  acrobot_rates(s, torque, k1);
  acrobot_offset(s, k1, dt / 2.0, at);
  acrobot_rates(at, torque, k2);
  acrobot_offset(s, k2, dt / 2.0, at);
  acrobot_rates(at, torque, k3);
  acrobot_offset(s, k3, dt, at);
  acrobot_rates(at, torque, k4);
  for (size_t i = 0; i < CONTROL_STATE; i++)
    s[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  s[0] -= 2.0 * pi * floor((s[0] + pi) / (2.0 * pi));
  s[1] -= 2.0 * pi * floor((s[1] + pi) / (2.0 * pi));
  s[2] = acrobot_within(s[2], 4.0 * pi);
  s[3] = acrobot_within(s[3], 9.0 * pi);
  const bool up = -cos(s[0]) - cos(s[0] + s[1]) > 1.0;
  *reward = up ? 0.0 : -1.0;
  return up;
}

static inline void acrobot_show(const double s[CONTROL_STATE], float *observation) {
  const double shown[] = {cos(s[0]), sin(s[0]), cos(s[1]), sin(s[1]), s[2], s[3]};
  for (size_t i = 0; i < 6; i++)
    observation[i] = (float)shown[i];
}

static const control_task acrobot = {0.1, 6, 3, acrobot_step, acrobot_show};

/* --- as environments --- */

typedef struct control_state {
  const control_task *task;
  double s[CONTROL_STATE];
  size_t steps;
  double reward;
  bool over;
} control_state;

static inline fw_status control_create(const void *task, void **state, fw_diagnostics *diagnostics) {
  control_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a task");
  made->task = task;
  *state = made;
  return FW_OK;
}

static inline fw_status control_reset(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  control_state *c = state;
  *c = (control_state){.task = c->task};
  for (size_t i = 0; i < CONTROL_STATE; i++) {
    const double u = fw_random_uniform(fw_stream_make(episode_seed, FW_DRAW_TEST, 0), i, 0);
    c->s[i] = c->task->spread * (2.0 * u - 1.0);
  }
  return FW_OK;
}

static inline fw_status control_advance(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                                        fw_diagnostics *diagnostics) {
  (void)mask;
  (void)diagnostics;
  const control_state *c = state;
  moment->has_outcome = c->steps > 0;
  moment->reward = c->reward;
  moment->elapsed_s = 1.0;
  moment->terminated = c->over;
  moment->truncated = !c->over && c->steps == CONTROL_STEPS;
  moment->episode_over = moment->terminated || moment->truncated;
  c->task->show(c->s, observation);
  return FW_OK;
}

static inline fw_status control_act(void *state, uint32_t agent, const uint32_t *choices, fw_diagnostics *diagnostics) {
  (void)agent;
  (void)diagnostics;
  control_state *c = state;
  c->over = c->task->step(c->s, choices[0], &c->reward);
  c->steps++;
  return FW_OK;
}

static const fw_ppo_environment_type control_type = {
    .name = "control",
    .create = control_create,
    .destroy = free,
    .reset = control_reset,
    .advance = control_advance,
    .act = control_act,
};

#endif
