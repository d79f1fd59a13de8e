/* Integer time, power and energy: nothing drifts, nothing is lost, nothing wraps. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"

__extension__ typedef unsigned __int128 wide;

#define YEAR_S INT64_C(31557600)

/* splitmix64 (Steele, Lea, Flood 2014), so that the tests draw the same inputs everywhere. */
static uint64_t draw(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static double draw_unit(uint64_t *state) {
  return (double)(draw(state) >> 11) * 0x1p-53;
}

/* The oracle: printf gives the exact decimal expansion of a double, which is rounded here as text. */
static int64_t round_as_text(double value, int decimals) {
  char text[128];
  snprintf(text, sizeof text, "%.70f", fabs(value));
  char *point = strchr(text, '.');
  bool up = point[1 + decimals] >= '5';
  memmove(point, point + 1, (size_t)decimals);
  point[decimals] = '\0';
  int64_t rounded = (int64_t)strtoull(text, NULL, 10) + up;
  return value < 0 ? -rounded : rounded;
}

Test(units, seconds_round_as_the_exact_decimal_does) {
  uint64_t state = 1;
  for (int i = 0; i < 100000; i++) {
    double seconds = ldexp(draw_unit(&state) - 0.5, (int)(draw(&state) % 70) - 36);
    if (i % 3 == 0) seconds = nearbyint(seconds * 1e3) / 1e3;
    fw_time_ns time;
    cr_assert(fw_time_from_seconds(seconds, &time));
    cr_assert_eq(time, round_as_text(seconds, 9), "%.17g s gave %lld ns", seconds, (long long)time);
  }
}

Test(units, watts_round_as_the_exact_decimal_does) {
  uint64_t state = 2;
  for (int i = 0; i < 100000; i++) {
    double watts = ldexp(draw_unit(&state) - 0.5, (int)(draw(&state) % 60) - 12);
    fw_power_mw power;
    cr_assert(fw_power_from_watts(watts, &power));
    cr_assert_eq(power, round_as_text(watts, 3), "%.17g W gave %lld mW", watts, (long long)power);
  }
}

Test(units, halves_go_away_from_zero) {
  fw_power_mw power;
  cr_assert(fw_power_from_watts(0.0625 + 0.5, &power)); /* 562.5 mW, exact in binary */
  cr_assert_eq(power, 563);
  cr_assert(fw_power_from_watts(-0.5625, &power));
  cr_assert_eq(power, -563);
}

Test(units, rounding_dust_becomes_zero) {
  fw_time_ns time = 7;
  cr_assert(fw_time_from_seconds(0.1 + 0.2 - 0.3 - 0x1p-54, &time));
  cr_assert_eq(time, 0);
  cr_assert(fw_time_from_seconds(-2.8e-17, &time));
  cr_assert_eq(time, 0);
  cr_assert(fw_time_from_seconds(5e-324, &time));
  cr_assert_eq(time, 0);
}

Test(units, what_does_not_fit_is_refused) {
  fw_time_ns time = 7;
  const double refused[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 9223372036.9, 0x1p63, -0x1p64};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    cr_assert_not(fw_time_from_seconds(refused[i], &time), "%g s was taken", refused[i]);
    cr_assert_eq(time, 7);
  }
  cr_assert(fw_time_from_seconds(9223372036.8, &time));
  cr_assert_eq(time, round_as_text(9223372036.8, 9));
  fw_power_mw power = 7;
  cr_assert_not(fw_power_from_watts(9.3e15, &power));
  cr_assert_eq(power, 7);
}

Test(units, every_time_below_97_days_survives_the_round_trip) {
  /* Below 2^23 s neighbouring doubles are less than 1 ns apart. */
  uint64_t state = 3;
  for (int i = 0; i < 300000; i++) {
    fw_time_ns time = (fw_time_ns)(draw(&state) % (uint64_t)(8388608 * FW_NS_PER_S)) * (i % 2 ? -1 : 1), back;
    cr_assert(fw_time_from_seconds(fw_time_to_seconds(time), &back));
    cr_assert_eq(back, time);
  }
}

Test(units, ten_years_of_ticks_do_not_drift) {
  int64_t ticks = 10 * YEAR_S * 2;
  uint64_t state = 4;
  for (int i = 0; i < 300000; i++) {
    int64_t tick = i < 1000 ? ticks - i : (int64_t)(draw(&state) % (uint64_t)ticks);
    fw_time_ns time;
    cr_assert(fw_time_from_seconds((double)tick * 0.5, &time));
    cr_assert_eq(time, tick * (FW_NS_PER_S / 2));
    cr_assert_eq(fw_time_to_seconds(time), (double)tick * 0.5);
  }
}

Test(units, powers_survive_the_round_trip) {
  uint64_t state = 5;
  for (int i = 0; i < 300000; i++) {
    fw_power_mw power = (fw_power_mw)(draw(&state) >> 14) - (INT64_C(1) << 49), back; /* up to half a terawatt */
    cr_assert(fw_power_from_watts(fw_power_to_watts(power), &back));
    cr_assert_eq(back, power);
  }
}

Test(units, sums_of_time_are_checked) {
  fw_time_ns sum = 7;
  cr_assert(fw_time_add(FW_TIME_MAX - 1, 1, &sum));
  cr_assert_eq(sum, FW_TIME_MAX);
  sum = 7;
  cr_assert_not(fw_time_add(FW_TIME_MAX, 1, &sum));
  cr_assert_not(fw_time_add(INT64_MIN, -1, &sum));
  cr_assert_eq(sum, 7);
}

Test(units, beyond_all_times_is_never) {
  cr_expect_eq(fw_time_after(3, 4), 7);
  cr_expect_eq(fw_time_after(FW_TIME_MAX - 1, 1), FW_TIME_MAX);
  cr_expect_eq(fw_time_after(FW_TIME_MAX - 1, 2), FW_TIME_MAX);
  cr_expect_eq(fw_time_after(FW_TIME_MAX, FW_TIME_MAX), FW_TIME_MAX);
  cr_expect_eq(fw_time_nearest(0.49), 0);
  cr_expect_eq(fw_time_nearest(0.5), 1);
  cr_expect_eq(fw_time_nearest(8.9e18), INT64_C(8900000000000000000));
  cr_expect_eq(fw_time_nearest(9.0e18), FW_TIME_MAX);
  cr_expect_eq(fw_time_nearest((double)INFINITY), FW_TIME_MAX);
}

Test(units, of_two_times_one_is_the_earlier) {
  cr_expect_eq(fw_time_earlier(-1, 2), -1);
  cr_expect_eq(fw_time_earlier(FW_TIME_MAX, 2), 2);
  cr_expect_eq(fw_time_later(-1, 2), 2);
  cr_expect_eq(fw_time_later(FW_TIME_MAX, 2), FW_TIME_MAX);
}

Test(units, parts_sum_to_the_whole) {
  uint64_t state = 6;
  fw_power_mw power = 399987;
  fw_time_ns whole = 10 * YEAR_S * FW_NS_PER_S, from = 0;
  fw_energy_pj sum = 0;
  size_t parts = 0;
  for (; from < whole; parts++) {
    fw_time_ns part = (fw_time_ns)(draw(&state) % UINT64_C(600000000000000));
    if (part > whole - from) part = whole - from;
    sum += fw_energy_of(power, part);
    from += part;
  }
  cr_assert_gt(parts, 1000);
  cr_assert(sum == fw_energy_of(power, whole));
  cr_assert_eq(fw_energy_mean_power(sum, whole), power);
}

Test(units, energy_is_exact_at_the_extremes) {
  char text[FW_UNITS_TEXT_SIZE];
  /* 2^63 x 2^63 = 2^126 and (2^63 - 1)^2, worked out with arbitrary precision. */
  cr_assert_str_eq(fw_energy_format(fw_energy_of(INT64_MIN, INT64_MIN), text),
                   "85070591730234615865843651.857942052864");
  cr_assert_str_eq(fw_energy_format(fw_energy_of(INT64_MAX, INT64_MAX), text),
                   "85070591730234615847396907.784232501249");
}

Test(units, energy_in_doubles) {
  cr_assert_eq(fw_energy_to_joules(fw_energy_of(400 * FW_MW_PER_W, 3600 * FW_NS_PER_S)), 1440000.0);
  cr_assert_eq(fw_energy_to_watt_hours(fw_energy_of(400 * FW_MW_PER_W, 3600 * FW_NS_PER_S)), 400.0);
  cr_assert_eq(fw_energy_to_joules(-FW_PJ_PER_J / 2), -0.5);
}

Test(units, mean_power_is_the_floor_of_the_value_plus_one_half) {
  for (int64_t time = 1; time <= 40; time++)
    for (int64_t energy = -400; energy <= 400; energy++) {
      /* Small enough for doubles to be exact where it matters: a tie is a multiple of 1/2. */
      double expected = floor((double)(2 * energy + time) / (double)(2 * time));
      cr_assert_eq(fw_energy_mean_power(energy, time), (int64_t)expected, "%lld pJ over %lld ns", (long long)energy,
                   (long long)time);
    }
}

Test(units, mean_power_inverts_energy_and_saturates) {
  cr_assert_eq(fw_energy_mean_power(fw_energy_of(INT64_MAX, INT64_MAX), INT64_MAX), INT64_MAX);
  cr_assert_eq(fw_energy_mean_power(fw_energy_of(INT64_MIN, INT64_MAX), INT64_MAX), INT64_MIN);
  cr_assert_eq(fw_energy_mean_power(fw_energy_of(INT64_MAX, INT64_MAX), 1), INT64_MAX);
  cr_assert_eq(fw_energy_mean_power(fw_energy_of(INT64_MIN, INT64_MAX), 1), INT64_MIN);
}

Test(units, times_read_as_short_decimals) {
  static const struct {
    fw_time_ns time;
    const char *text;
  } cases[] = {{0, "0"},
               {1, "0.000000001"},
               {-1, "-0.000000001"},
               {FW_NS_PER_S, "1"},
               {10 * FW_NS_PER_S, "10"},
               {-FW_NS_PER_S / 2, "-0.5"},
               {INT64_C(43200300000000), "43200.3"},
               {INT64_MAX, "9223372036.854775807"},
               {INT64_MIN, "-9223372036.854775808"}};
  char text[FW_UNITS_TEXT_SIZE];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    cr_assert_str_eq(fw_time_format(cases[i].time, text), cases[i].text);
}

Test(units, the_largest_energies_have_room) {
  fw_energy_pj largest = (fw_energy_pj)(~(wide)0 >> 1);
  char text[FW_UNITS_TEXT_SIZE];
  cr_assert_str_eq(fw_energy_format(largest, text), "170141183460469231731687303.715884105727");
  cr_assert_str_eq(fw_energy_format(-largest - 1, text), "-170141183460469231731687303.715884105728");
  cr_assert_str_eq(fw_energy_format(0, text), "0");
  cr_assert_str_eq(fw_energy_format(1, text), "0.000000000001");
}

/* Reads "-12.5" back as an integer of the smallest unit. */
static fw_energy_pj read_back(const char *text, int decimals) {
  wide value = 0;
  const char *at = text + (*text == '-');
  int after = -1;
  for (; *at != '\0'; at++) {
    if (*at == '.') {
      after = 0;
      continue;
    }
    unsigned digit = (unsigned)(*at - '0');
    value = value * 10 + digit;
    if (after >= 0) after++;
  }
  for (int i = after < 0 ? 0 : after; i < decimals; i++)
    value *= 10;
  return *text == '-' ? -(fw_energy_pj)value : (fw_energy_pj)value;
}

Test(units, texts_read_back_as_the_same_energy) {
  uint64_t state = 8;
  char text[FW_UNITS_TEXT_SIZE];
  for (int i = 0; i < 100000; i++) {
    fw_energy_pj energy = (fw_energy_pj)((wide)draw(&state) << 64 | draw(&state));
    energy >>= draw(&state) % 128;
    fw_energy_format(energy, text);
    cr_assert(read_back(text, 12) == energy, "%s", text);
    if (strchr(text, '.') != NULL) cr_assert_neq(text[strlen(text) - 1], '0', "%s", text);
  }
}
