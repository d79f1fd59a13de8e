#include "sim/fleet/protection.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"

/* With all feeds in service, and with one lost. */
enum { ALL, ONE_LOST, STATES };

struct fwi_protection {
  bool opens;                /* trips take the power */
  const fw_breaker_law *law; /* of those that do */
  fw_time_ns dark;           /* for them, since the start or the last restart */
  size_t states;             /* without redundancy there is only the first */
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
  protection->opens = electrical->breaker.on_trip == FW_BREAKER_OPENS;
  protection->law = &electrical->breaker.nominal;
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

static double load_square(const fwi_protection *protection, size_t state, fw_energy_pj energy) {
  const double load = (double)energy / protection->rating_pj[state];
  return load * load;
}

/* The one that takes the power. */
static const fw_breaker *main_breaker(const fwi_protection *protection) {
  return &protection->breakers[ALL][FW_BREAKER_NOMINAL];
}

bool fwi_protection_push(fwi_protection *protection, fw_energy_pj energy) {
  uint64_t trips = 0;
  if (protection != NULL && protection->opens) {
    const fw_breaker *breaker = main_breaker(protection);
    protection->dark += breaker->open > 0 ? breaker->tick : 0;
    trips = breaker->trips;
  }
  for (size_t state = 0; protection != NULL && state < protection->states; state++) {
    const double square = load_square(protection, state, energy);
    for (size_t which = 0; which < FW_BREAKER_CASES; which++) {
      fw_breaker_push(&protection->breakers[state][which], square);
    }
  }
  return protection != NULL && protection->opens && main_breaker(protection)->trips > trips;
}

size_t fwi_protection_ticks_to_trip(const fwi_protection *protection, fw_energy_pj energy, size_t most) {
  return protection == NULL || !protection->opens
             ? most
             : fw_breaker_ticks_to_trip(protection->law, main_breaker(protection), load_square(protection, ALL, energy),
                                        most);
}

void fwi_protection_restart(fwi_protection *protection) {
  if (protection != NULL) {
    protection->dark = 0;
  }
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
  result.opens = protection->opens;
  result.dark_s = fw_time_to_seconds(protection->dark);
  result.redundant = protection->states == STATES;
  result.rating_w = protection->rating_w[ALL];
  result.rating_one_lost_w = protection->rating_w[ONE_LOST];
  for (size_t which = 0; which < FW_BREAKER_CASES; which++) {
    result.all[which] = read_breaker(&protection->breakers[ALL][which]);
    result.one_lost[which] = read_breaker(&protection->breakers[result.redundant ? ONE_LOST : ALL][which]);
  }
  return result;
}
