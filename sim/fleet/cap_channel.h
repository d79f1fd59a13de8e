/* The way that cap commands take to the boards of one job, where the scenario says that they may be late or lost.
 *
 * Commands arrive in the order in which they were sent: one behind a late one waits for it. Whoever sends them is not
 * told what became of them. */
#ifndef FW_FLEET_CAP_CHANNEL_H
#define FW_FLEET_CAP_CHANNEL_H

#include "sim/scenario/scenario.h"

/* Commands that may be under way; one more takes the place of the newest. */
#define FWI_LATE_CAPS ((size_t)32)

typedef struct fwi_late_cap {
  fw_time_ns effective_at;
  fw_power_mw cap;
} fwi_late_cap;

typedef struct fwi_cap_channel {
  const fw_adversity *faults; /* NULL: commands are neither late nor lost */
  uint64_t seed;
  uint32_t job;
  uint64_t number; /* commands so far */
  double accepted; /* what the boards have or will have, W */
  uint64_t late;
  uint64_t lost;
  fwi_late_cap waiting[FWI_LATE_CAPS]; /* by time */
  size_t count;
} fwi_cap_channel;

/* `initial` is the cap that is in force, W. */
fwi_cap_channel fwi_cap_channel_make(const fw_adversity *adversities, size_t count, const char *job_class,
                                     uint64_t seed, uint32_t job, double initial);

/* Whether a command to set what is set already would change nothing. */
static inline bool fwi_cap_channel_has(const fwi_cap_channel *channel, double setting) {
  return channel->faults == NULL || channel->accepted == setting;
}

/* Sends a command that would take effect at `effective_at`. True: it is lost, or comes later by fwi_cap_channel_take;
 * false: it is on time. */
bool fwi_cap_channel_holds_back(fwi_cap_channel *channel, double setting, fw_power_mw cap, fw_time_ns effective_at);

/* When the next late command takes effect (FW_TIME_MAX: none is under way), and what it sets. */
static inline fw_time_ns fwi_cap_channel_next(const fwi_cap_channel *channel) {
  return channel->count > 0 ? channel->waiting[0].effective_at : FW_TIME_MAX;
}
fw_power_mw fwi_cap_channel_take(fwi_cap_channel *channel);

#endif
