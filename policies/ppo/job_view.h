/* What a trained policy sees of a job, and what it can set: one encoding, in training and where the policy is used.
 *
 * A view is fixed by what is known of the job before the run; its schema is a text that says which numbers stand where
 * and which settings can be chosen, and weights are good only for a view of the same schema. A memory holds what the
 * view needs of the past of one job. docs/ppo.md has the table of the numbers. */
#ifndef FW_POLICIES_PPO_JOB_VIEW_H
#define FW_POLICIES_PPO_JOB_VIEW_H

#include "policies/policy.h"
#include "policies/ppo/environment.h"
#include "sim/base/text.h"

#define FW_JOB_VIEW_INTERVALS ((size_t)4) /* decisions that are looked back on */
#define FW_JOB_VIEW_BUDGETS ((size_t)16)  /* changes of the budget that are remembered */

/* Settings to choose from where an actuator has no levels: evenly spaced, both ends included. */
#define FW_JOB_VIEW_SPACED ((size_t)13)

typedef struct fw_job_view {
  fw_ppo_space space; /* `cost_count` is 0: costs are the trainer's business */
  fw_actuator actuators[FW_PPO_HEADS];
  double settings[FW_PPO_HEADS][FW_PPO_CHOICES]; /* rising */
  double windows_s[FW_POLICY_WINDOWS];
  size_t window_count;
  double tdp_w; /* of the job: the unit of powers */
  double idle_w;
} fw_job_view;

/* One stretch of constant budgets, W. */
typedef struct fw_job_view_budget {
  double from_s;
  double job_w;
  double site_w;
} fw_job_view_budget;

typedef struct fw_job_view_memory {
  fw_job_view_budget budgets[FW_JOB_VIEW_BUDGETS]; /* the oldest first */
  size_t budget_count;
  double announced_s;                          /* when the next change was to come, as last heard */
  double headroom[FW_JOB_VIEW_INTERVALS];      /* of the last intervals, the newest first */
  double site_headroom[FW_JOB_VIEW_INTERVALS]; /* as seen at their ends */
  double elapsed_s[FW_JOB_VIEW_INTERVALS];
} fw_job_view_memory;

/* `actuators`: bits of those that the policy sets. One that the job does not offer is FW_ERROR_INPUT, without a place.
 */
fw_status fw_job_view_create(const fw_job_setup *job, uint32_t actuators, fw_job_view *out,
                             fw_diagnostics *diagnostics);

/* Adds the schema to `text`, and finds the actuators in one: bits, 0 where it is no schema of a job's view. */
void fw_job_view_schema(const fw_job_view *view, fw_text *text);
uint32_t fw_job_view_actuators(const char *schema);

/* Nothing is remembered. */
fw_job_view_memory fw_job_view_start(void);

/* Takes in what is seen at a decision and writes space.observation_size numbers, all finite. Once for each decision, in
 * order. */
void fw_job_view_observe(const fw_job_view *view, fw_job_view_memory *memory, const fw_job_observation *seen,
                         float *observation);

/* Sets in `action` what `choices`, one index for each head, stand for. */
void fw_job_view_act(const fw_job_view *view, const uint32_t *choices, fw_job_action *action);

#endif
