/* The breakers of one power domain, run on its true power.
 *
 * Feeds share a load equally, so the breakers of a domain carry the same share of their ratings where those are equal,
 * and the weakest stands for all. Each is run as it is believed to be and at both ends of what it may be (breaker.h);
 * where there is more than one feed, also with one of them lost from the beginning to the end. Trips are counted, and
 * what they cost is stated beside them (docs/planning.md); where the scenario says so, those of the breakers as they
 * are believed to be, all feeds in service, take the domain's power (trip.c). */
#ifndef FW_FLEET_PROTECTION_H
#define FW_FLEET_PROTECTION_H

#include "sim/fleet/result.h"
#include "sim/scenario/scenario.h"

typedef struct fwi_protection fwi_protection;

/* `*out` stays NULL where the scenario has no breakers or the domain no budget. */
fw_status fwi_protection_create(const fw_scenario *scenario, fw_domain_level level, fw_power_mw budget,
                                fwi_protection **out, fw_diagnostics *diagnostics);
void fwi_protection_free(fwi_protection *protection); /* NULL is allowed, here and below */

/* A tick in which the domain took `energy`. True: at its end the breakers open that may take the power. */
bool fwi_protection_push(fwi_protection *protection, fw_energy_pj energy);

/* As fw_breaker_ticks_to_trip of those breakers, when no tick takes more than `energy`. */
size_t fwi_protection_ticks_to_trip(const fwi_protection *protection, fw_energy_pj energy, size_t most);

void fwi_protection_restart(fwi_protection *protection);

fw_breaker_result fwi_protection_result(const fwi_protection *protection);

#endif
