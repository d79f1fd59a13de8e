/* Time, power and energy as integers, so that nothing drifts and parts sum to the whole.
 *
 * Time is int64 nanoseconds (292 years), power int64 milliwatts, energy their product: picojoules in
 * 128 bits. One GPU-year is 1.3e22 pJ, so a fleet of a million GPUs could run for 10^10 years. */
#ifndef FW_BASE_UNITS_H
#define FW_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t fw_time_ns;
typedef int64_t fw_power_mw;
__extension__ typedef __int128 fw_energy_pj;

#define FW_NS_PER_S INT64_C(1000000000)
#define FW_NS_PER_MS INT64_C(1000000)
#define FW_MW_PER_W INT64_C(1000)
#define FW_PJ_PER_J INT64_C(1000000000000)
#define FW_TIME_MAX INT64_MAX

/* Longest text that the format functions below write, with its end. */
#define FW_UNITS_TEXT_SIZE 64

/* Seconds to nanoseconds, rounded to nearest (halves away from zero). False when `seconds` is not finite
 * or the result does not fit; `out` is then untouched. Rounding dust such as -2.8e-17 becomes 0. */
bool fw_time_from_seconds(double seconds, fw_time_ns *out);
double fw_time_to_seconds(fw_time_ns time);

/* Watts to milliwatts, rounded to nearest (halves away from zero); false as above. */
bool fw_power_from_watts(double watts, fw_power_mw *out);
double fw_power_to_watts(fw_power_mw power);

/* Checked sums: false on overflow, `out` untouched. */
bool fw_time_add(fw_time_ns a, fw_time_ns b, fw_time_ns *out);

/* `more` >= 0 after `time`; FW_TIME_MAX, which is never, where that is beyond all times. */
static inline fw_time_ns fw_time_after(fw_time_ns time, fw_time_ns more) {
  fw_time_ns sum = FW_TIME_MAX;
  (void)fw_time_add(time, more, &sum);
  return sum;
}

/* A number of nanoseconds >= 0, rounded to nearest (halves up); FW_TIME_MAX from 9e18 on. */
static inline fw_time_ns fw_time_nearest(double ns) {
  return ns < 9.0e18 ? (fw_time_ns)(ns + 0.5) : FW_TIME_MAX;
}

static inline fw_time_ns fw_time_earlier(fw_time_ns a, fw_time_ns b) {
  return a < b ? a : b;
}

static inline fw_time_ns fw_time_later(fw_time_ns a, fw_time_ns b) {
  return a > b ? a : b;
}

/* power x time, exact for every pair of arguments. */
static inline fw_energy_pj fw_energy_of(fw_power_mw power, fw_time_ns time) {
  return (fw_energy_pj)power * (fw_energy_pj)time;
}

double fw_energy_to_joules(fw_energy_pj energy);
double fw_energy_to_watt_hours(fw_energy_pj energy);

/* Mean power of `energy` spent over `time` > 0, in mW, rounded to nearest (halves up); clamped to int64. */
fw_power_mw fw_energy_mean_power(fw_energy_pj energy, fw_time_ns time);

/* Exact decimal text: seconds with just the digits needed ("43200.3"), joules with up to 12 decimals.
 * `buffer` holds FW_UNITS_TEXT_SIZE bytes. Returns `buffer`. Independent of the locale. */
const char *fw_time_format(fw_time_ns time, char *buffer);
const char *fw_energy_format(fw_energy_pj energy, char *buffer);

#endif
