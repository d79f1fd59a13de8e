/* The power cap: what the firmware does when it is told to hold a GPU below a limit.
 *
 * A command takes effect after a latency; power then settles exponentially to the new limit, until when it overshoots.
 * The settled mean lies a little below the limit. Work slows down by a factor from a monotone table over (cap /
 * demand), one table for compute-bound phases (update, prefill) and one for memory-bound ones (rollout); a demand below
 * the cap is not slowed. */
#ifndef FW_MODELS_CAP_H
#define FW_MODELS_CAP_H

#include "models/phase.h"
#include "sim/base/record.h"

typedef struct fw_cap_response {
  fw_time_ns latency;
  fw_time_ns settling;      /* time constant of the exponential */
  double settled_share;     /* settled mean / cap, e.g. 0.97 */
  fw_array ratio;           /* doubles, falling from 1: cap / demand */
  fw_array update_slowdown; /* doubles, same count, rising from 1: time / time without cap */
  fw_array rollout_slowdown;
} fw_cap_response;

extern const fw_record fw_cap_response_record;

/* Time multiplier >= 1 of a phase whose demand is `demand_w` under `cap_w`; linear between the table's points. Below
 * the lowest ratio the last slope goes on, and `extrapolated` (may be NULL) is set. */
double fw_cap_slowdown(const fw_cap_response *response, fw_phase phase, double cap_w, double demand_w,
                       bool *extrapolated);

/* Power that a capped GPU may draw once settled, mW. */
fw_power_mw fw_cap_settled(const fw_cap_response *response, fw_power_mw cap);

/* Mean, over [a, b) after a step at 0 from `from_w` to `to_w`, of the exponential with the response's settling time:
 * the exact mean of the transient over a stretch of time. Infinite times are allowed for b only through large values.
 */
double fw_cap_transient_mean_w(const fw_cap_response *response, double from_w, double to_w, fw_time_ns a, fw_time_ns b);

#endif
