/* Late and lost cap commands. Whether the n-th command of a job is late or lost is keyed by (seed, job, n). */
#include "sim/fleet/cap_channel.h"

#include <string.h>

#include "sim/base/random.h"

fwi_cap_channel fwi_cap_channel_make(const fw_adversity *adversities, size_t count, const char *job_class,
                                     uint64_t seed, uint32_t job, double initial) {
  fwi_cap_channel channel = {.seed = seed, .job = job, .accepted = initial};
  for (size_t i = 0; i < count; i++) {
    if (adversities[i].kind == FW_ADVERSITY_CAP_FAULTS && fw_adversity_befalls(&adversities[i], job_class)) {
      channel.faults = &adversities[i];
    }
  }
  return channel;
}

/* Behind whatever waits. */
static void wait(fwi_cap_channel *channel, fw_time_ns effective_at, fw_power_mw cap) {
  if (channel->count > 0) {
    const fw_time_ns last = channel->waiting[channel->count - 1].effective_at;
    effective_at = fw_time_later(effective_at, last);
  }
  channel->count -= channel->count == FWI_LATE_CAPS;
  channel->waiting[channel->count++] = (fwi_late_cap){effective_at, cap};
}

bool fwi_cap_channel_holds_back(fwi_cap_channel *channel, double setting, fw_power_mw cap, fw_time_ns effective_at) {
  const fw_adversity *faults = channel->faults;
  if (faults == NULL) {
    return false;
  }
  const fw_stream stream = fw_stream_make(channel->seed, FW_DRAW_CAP_COMMAND, channel->job);
  const double fate = fw_random_uniform(stream, channel->number++, 0);
  if (fate < faults->lost) {
    channel->lost++;
    return true;
  }
  const bool late = fate < faults->lost + faults->late;
  channel->late += late;
  channel->accepted = setting;
  if (late) {
    wait(channel, fw_time_after(effective_at, faults->delay), cap);
  } else if (channel->count > 0) {
    wait(channel, effective_at, cap);
  }
  return late || channel->count > 0;
}

fw_power_mw fwi_cap_channel_take(fwi_cap_channel *channel) {
  const fw_power_mw cap = channel->waiting[0].cap;
  channel->count--;
  memmove(channel->waiting, channel->waiting + 1, channel->count * sizeof channel->waiting[0]);
  return cap;
}
