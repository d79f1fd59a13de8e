#include "sim/fleet/protection.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"

/* With all feeds in service, and with one lost. */
enum { ALL, ONE_LOST, STATES };

struct fwi_protection {
  size_t states; /* without redundancy there is only the first */
  double rating_w[STATES];
  double rating_pj[STATES]; /* energy of a tick at the rating */
  fw_breaker breakers[STATES][FW_BREAKER_CASES];
};

fw_status fwi_protection_create(const fw_scenario *scenario, fw_domain_level level, fw_power_mw budget,
                                fwi_protection **out, fw_diagnostics *diagnostics) {
  const fw_electrical *electrical = &scenario->electrical;
  const fw_rating rating = fw_electrical_rating(electrical, level);
  *out = NULL;
  if (!electrical->has_breaker || budget <= 0) {
    return FW_OK;
  }
  fwi_protection *protection = fw_allocate(1, sizeof *protection);
  if (protection == NULL) {
    return fw_error_memory(diagnostics, "the breakers of a power domain");
  }
  protection->states = rating.redundant ? STATES : 1;
  protection->rating_w[ALL] = rating.all * fw_power_to_watts(budget);
  protection->rating_w[ONE_LOST] = rating.one_lost * fw_power_to_watts(budget);
  for (size_t state = 0; state < protection->states; state++) {
    protection->rating_pj[state] = protection->rating_w[state] * (double)FW_MW_PER_W * (double)scenario->tick;
    for (size_t which = 0; which < FW_BREAKER_CASES; which++) {
      fw_breaker_start(&protection->breakers[state][which],
                       fw_breaker_law_of(&electrical->breaker, (fw_breaker_case)which), electrical->breaker.outage,
                       scenario->tick);
    }
  }
  *out = protection;
  return FW_OK;
}

void fwi_protection_free(fwi_protection *protection) {
  free(protection);
}

void fwi_protection_push(fwi_protection *protection, fw_energy_pj energy) {
  for (size_t state = 0; protection != NULL && state < protection->states; state++) {
    const double load = (double)energy / protection->rating_pj[state];
    for (size_t which = 0; which < FW_BREAKER_CASES; which++) {
      fw_breaker_push(&protection->breakers[state][which], load * load);
    }
  }
}

void fwi_protection_restart(fwi_protection *protection) {
  for (size_t state = 0; protection != NULL && state < protection->states; state++) {
    for (size_t which = 0; which < FW_BREAKER_CASES; which++) {
      fw_breaker_restart(&protection->breakers[state][which]);
    }
  }
}

static fw_breaker_reading read_breaker(const fw_breaker *breaker) {
  return (fw_breaker_reading){
      .use = breaker->largest,
      .trips = breaker->trips,
      .first_trip_s = breaker->trips > 0 ? fw_time_to_seconds(breaker->first_trip) : (double)NAN,
  };
}

fw_breaker_result fwi_protection_result(const fwi_protection *protection) {
  fw_breaker_result result = {.present = protection != NULL};
  if (protection == NULL) {
    return result;
  }
  result.redundant = protection->states == STATES;
  result.rating_w = protection->rating_w[ALL];
  result.rating_one_lost_w = protection->rating_w[ONE_LOST];
  for (size_t which = 0; which < FW_BREAKER_CASES; which++) {
    result.all[which] = read_breaker(&protection->breakers[ALL][which]);
    result.one_lost[which] = read_breaker(&protection->breakers[result.redundant ? ONE_LOST : ALL][which]);
  }
  return result;
}
