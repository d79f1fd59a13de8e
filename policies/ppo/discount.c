#include "policies/ppo/discount.h"

#include "sim/base/elementary.h"

double fw_ppo_discount(double elapsed_s, double horizon_s) {
  return fw_exp(-elapsed_s / horizon_s);
}

double fw_ppo_accrued(double rate, double from_s, double to_s, double horizon_s) {
  return rate * horizon_s * (fw_ppo_discount(from_s, horizon_s) - fw_ppo_discount(to_s, horizon_s));
}
