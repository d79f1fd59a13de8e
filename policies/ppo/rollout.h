/* Inside policies/ppo: the finished decisions of one iteration, and what each of them came to.
 *
 * Environment e owns rows e x length .. (e + 1) x length - 1, in the order in which its decisions finished. */
#ifndef FW_POLICIES_PPO_ROLLOUT_H
#define FW_POLICIES_PPO_ROLLOUT_H

#include "policies/ppo/gradient.h"

/* How a decision's interval ended. */
typedef enum fwi_ending {
  FWI_GOES_ON,    /* with the next decision of its agent */
  FWI_TERMINATED, /* with the end of the agent's episode */
  FWI_TRUNCATED   /* with a cut: `beyond` holds the values of what would have followed */
} fwi_ending;

typedef struct fwi_rollout {
  size_t environments;
  size_t length;
  size_t rows;
  fwi_batch batch;
  uint32_t *agent;
  uint8_t *ending; /* an fwi_ending */
  double *elapsed_s;
  double *reward;             /* as the environment gave it */
  double *cost[FW_PPO_COSTS]; /* likewise; of every channel, limited or not */
  float *beyond[FWI_CRITICS]; /* values after the interval, where no successor is among the rows */
} fwi_rollout;

fw_status fwi_rollout_create(fwi_rollout *rollout, const fwi_model *model, size_t cost_count, size_t environments,
                             size_t length, fw_diagnostics *diagnostics);
void fwi_rollout_clear(fwi_rollout *rollout); /* also after a failed create */

#endif
