/* Conversions and text of integer time, power and energy, exact wherever an integer can be. */
#include "sim/base/units.h"

#include <math.h>

__extension__ typedef unsigned __int128 magnitude;

#define PJ_PER_WATT_HOUR 3.6e15
enum { MANTISSA_BITS = 53, TIME_DECIMALS = 9, JOULE_DECIMALS = 12 };

/* The common case: a product below 2^40 is off by less than 2^-13 in double, so only one that ends within 2^-12 of a
 * half needs the exact way. False: it does. */
static bool scale_plainly(double value, uint32_t scale, int64_t *out) {
  const double product = value * (double)scale;
  if (!(product >= 0.0 && product < 0x1p40)) return false;
  const int64_t whole = (int64_t)product;
  const double rest = product - (double)whole;
  if (rest > 0.5 - 0x1p-12 && rest < 0.5 + 0x1p-12) return false;
  *out = rest > 0.5 ? whole + 1 : whole;
  return true;
}

/* round(value x scale), halves away from zero, of the exact product: multiplying in double would round
 * twice and miss by whole nanoseconds beyond 2^53 ns, which is 104 days. `scale` is below 2^31. */
static bool scale_exactly(double value, uint32_t scale, int64_t *out) {
  if (scale_plainly(value, scale, out)) return true;
  if (!isfinite(value)) return false;
  int exponent;
  double fraction = frexp(fabs(value), &exponent);
  if (exponent > 63) return false;
  magnitude product = (magnitude)ldexp(fraction, MANTISSA_BITS) * scale; /* below 2^84 */
  int shift = MANTISSA_BITS - exponent;                                  /* at least -10 */
  if (shift > 90) { /* far below 1/2, and such a shift might be wider than the type */
    product = 0;
  } else if (shift > 0) {
    product = (product + ((magnitude)1 << (shift - 1))) >> shift;
  } else {
    product <<= -shift;
  }
  if (product > INT64_MAX) return false;
  *out = value < 0 ? -(int64_t)product : (int64_t)product;
  return true;
}

bool fw_time_from_seconds(double seconds, fw_time_ns *out) {
  return scale_exactly(seconds, (uint32_t)FW_NS_PER_S, out);
}

double fw_time_to_seconds(fw_time_ns time) {
  return (double)time / (double)FW_NS_PER_S;
}

bool fw_power_from_watts(double watts, fw_power_mw *out) {
  return scale_exactly(watts, (uint32_t)FW_MW_PER_W, out);
}

double fw_power_to_watts(fw_power_mw power) {
  return (double)power / (double)FW_MW_PER_W;
}

bool fw_time_add(fw_time_ns a, fw_time_ns b, fw_time_ns *out) {
  fw_time_ns sum;
  if (__builtin_add_overflow(a, b, &sum)) return false;
  *out = sum;
  return true;
}

double fw_energy_to_joules(fw_energy_pj energy) {
  return (double)energy / (double)FW_PJ_PER_J;
}

double fw_energy_to_watt_hours(fw_energy_pj energy) {
  return (double)energy / PJ_PER_WATT_HOUR;
}

fw_power_mw fw_energy_mean_power(fw_energy_pj energy, fw_time_ns time) {
  fw_energy_pj quotient = energy / time;
  fw_energy_pj remainder = energy % time;
  if (remainder < 0) { /* C truncates towards zero; halves go up only from the floor */
    quotient--;
    remainder += time;
  }
  if (2 * remainder >= time) quotient++;
  if (quotient > INT64_MAX) return INT64_MAX;
  if (quotient < INT64_MIN) return INT64_MIN;
  return (fw_power_mw)quotient;
}

/* Writes value / 10^decimals with no trailing zeros after the point. */
static const char *format_decimal(fw_energy_pj value, int decimals, char *buffer) {
  magnitude rest = value < 0 ? -(magnitude)value : (magnitude)value;
  char reversed[FW_UNITS_TEXT_SIZE];
  int length = 0;
  bool significant = false;
  for (int digit = 0; digit <= decimals || rest > 0; digit++, rest /= 10) {
    if (digit == decimals && significant) reversed[length++] = '.';
    if (rest % 10 != 0 || digit >= decimals) significant = true;
    if (significant) reversed[length++] = (char)('0' + (int)(rest % 10));
  }
  if (value < 0) reversed[length++] = '-';
  for (int i = 0; i < length; i++)
    buffer[i] = reversed[length - 1 - i];
  buffer[length] = '\0';
  return buffer;
}

const char *fw_time_format(fw_time_ns time, char *buffer) {
  return format_decimal(time, TIME_DECIMALS, buffer);
}

const char *fw_energy_format(fw_energy_pj energy, char *buffer) {
  return format_decimal(energy, JOULE_DECIMALS, buffer);
}
