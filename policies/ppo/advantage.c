#include "policies/ppo/advantage.h"

#include "policies/ppo/discount.h"
#include "sim/base/elementary.h"

fwi_interval fwi_interval_make(double elapsed_s, double horizon_s, double reference_s, double lambda) {
  /* lambda itself, not exp(log lambda), where the power is 1 */
  const double trace = elapsed_s == reference_s ? lambda : fw_pow(lambda, elapsed_s / reference_s);
  return (fwi_interval){
      .discount = fw_ppo_discount(elapsed_s, horizon_s), .trace = trace, .successor = FWI_NO_SUCCESSOR};
}

void fwi_advantages(const fwi_interval *intervals, const double *reward, const float *value, const float *beyond,
                    size_t count, double *advantage) {
  for (size_t k = count; k-- > 0;) {
    const fwi_interval *interval = &intervals[k];
    const size_t next = interval->successor;
    const double following = next == FWI_NO_SUCCESSOR ? (double)beyond[k] : (double)value[next];
    advantage[k] = reward[k] + interval->discount * following - (double)value[k];
    if (next != FWI_NO_SUCCESSOR) advantage[k] += interval->discount * interval->trace * advantage[next];
  }
}
