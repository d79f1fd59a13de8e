/* The shield of an arm: which settings a job may not take at a decision, because with one of them a window of the site
 * is predicted to end above its budget.
 *
 * Predicted with what a controller can have: the mean power and the time between decisions that the job's own model
 * says for a setting (prepared.h), and the site's telemetry. At the end of the next decision of a setting, which takes
 * d, the window of length w holds min(d, w) of power to come, which is that of the setting and what the others drew on
 * average over the last w, and the rest is what was last measured of the site. The mean of the two is held against the
 * mean of the budget over the same time, as far as it is announced. Where nothing is measured yet, the job's share of
 * the budget is what it is held to.
 *
 * The least power is never forbidden: where every setting is too much, it is what is left. */
#ifndef FW_FLEET_SHIELD_H
#define FW_FLEET_SHIELD_H

#include "sim/fleet/sim.h"

/* Whether the simulation was prepared from a scenario that has the shield over that job: the others are told nothing
 * about it. */
bool fw_sim_can_shield(const fw_sim *sim, size_t job, const fw_shield *shield);

/* Bits of the levels of the shield's actuator that the job, which waits, may not take now. None without a budget. */
uint32_t fw_sim_shielded(const fw_sim *sim, size_t job, const fw_shield *shield);

/* What stands for `value` under `masked`: itself where its nearest level is allowed, or else the allowed level of the
 * most power below that. */
double fw_sim_unmasked(const fw_sim *sim, size_t job, const fw_shield *shield, uint32_t masked, double value);

#endif
