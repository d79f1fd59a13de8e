/* Cells, stamps and names: what a log's text means. Numbers are held against strtod and 128-bit integers, dates against
 * timegm's rules as gmtime gives them back. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/cells.h"
#include "traces/field.h"
#include "traces/labels.h"
#include "traces/reading.h"
#include "traces/stamp.h"

static fwi_reading power(const char *text, const char *unit) {
  const fwi_scale *scale = unit == NULL ? NULL : fwi_scale_find(FWI_POWER_READING, unit, strlen(unit));
  return fwi_reading_parse(FWI_POWER_READING, scale, text, strlen(text));
}

Test(reading, the_unit_of_the_cell_goes_before_the_header) {
  static const struct {
    const char *text;
    const char *header;
    int64_t mw;
  } cases[] = {{"61.22 W", "W", 61220},
               {"61.22", "W", 61220},
               {"61.22W", NULL, 61220},
               {"1.20 kW", "W", 1200000},
               {"285400", "mW", 285400},
               {"285400 mW", "W", 285400},
               {"0", "W", 0},
               {"0.0005", "W", 1},
               {"0.0004", "W", 0},
               {"-0.5 W", "W", -500},
               {"1e2", "W", 100000},
               {"250.", NULL, INT64_MIN},
               {"0.003 MW", "W", 3000000},
               {"007.5", "W", 7500},
               {"100.123456789", "W", 100123},
               {"123456789012345678", "mW", INT64_C(123456789012345678)}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fwi_reading reading = power(cases[i].text, cases[i].header);
    if (cases[i].mw == INT64_MIN) {
      cr_expect_eq(reading.state, FWI_READING_BAD, "%s", cases[i].text);
    } else {
      cr_expect_eq(reading.state, FWI_READING_VALUE, "%s", cases[i].text);
      cr_expect_eq(reading.value, cases[i].mw, "%s is %lld", cases[i].text, (long long)reading.value);
    }
  }
}

Test(reading, no_unit_is_not_a_guess) {
  cr_expect_eq(power("250.0", NULL).state, FWI_READING_NO_UNIT);
  cr_expect_eq(power("1e3", NULL).state, FWI_READING_NO_UNIT);
  cr_expect_eq(power("12 KVA", "W").state, FWI_READING_BAD, "apparent power is not real power");
  cr_expect_eq(power("12 C", "W").state, FWI_READING_BAD);
  cr_expect_eq(power("12 kw", "W").state, FWI_READING_BAD, "capitals matter");
}

Test(reading, spellings_of_nothing) {
  static const char *const known[] = {"",
                                      "[N/A]",
                                      "N/A",
                                      "n/a",
                                      "[Not Supported]",
                                      "ERR!",
                                      "[Unknown Error]",
                                      "NaN",
                                      "nan",
                                      "+Inf",
                                      "-Inf",
                                      "-",
                                      "undefined",
                                      "null",
                                      "[GPU requires reset]",
                                      "Not Supported",
                                      "[Insufficient Permissions]",
                                      "[something new]"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    cr_expect_eq(power(known[i], "W").state, FWI_READING_MISSING, "\"%s\"", known[i]);
  cr_expect_eq(power("broken", "W").state, FWI_READING_UNKNOWN);
  cr_expect_eq(power("3x1.00 W", "W").state, FWI_READING_BAD);
  cr_expect_eq(power("61,22", "W").state, FWI_READING_BAD, "a decimal comma");
}

Test(reading, blank_values_of_dcgm) {
  static const char *const blanks[] = {"2147483632",          "2147483634",          "2147483647",
                                       "4294967295",          "140737488355328",     "140737488355328.0",
                                       "9223372036854775792", "9223372036854775794", "9.223372036854775794e18",
                                       "18446744073709551615"};
  for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
    cr_expect_eq(power(blanks[i], "W").state, FWI_READING_MISSING, "%s", blanks[i]);
    cr_expect_eq(power(blanks[i], NULL).state, FWI_READING_MISSING, "%s without a unit", blanks[i]);
  }
  cr_expect_eq(power("2147483631", "W").state, FWI_READING_VALUE, "one below");
  const fwi_scale *mj = fwi_scale_find(FWI_ENERGY_READING, "mJ", 2);
  fwi_reading counter = fwi_reading_parse(FWI_ENERGY_READING, mj, "2147483632", 10);
  cr_expect_eq(counter.state, FWI_READING_VALUE, "2.1 MJ is a plausible counter");
  cr_expect_eq(counter.value, INT64_C(2147483632000));
  cr_expect_eq(fwi_reading_parse(FWI_ENERGY_READING, mj, "9223372036854775792", 19).state, FWI_READING_MISSING);
}

Test(reading, energies) {
  const fwi_scale *kwh = fwi_scale_find(FWI_ENERGY_READING, "kWh", 3);
  cr_expect_eq(fwi_reading_parse(FWI_ENERGY_READING, kwh, "1.5", 3).value, INT64_C(5400000000000), "5.4 MJ in uJ");
}

/* Every decimal of up to six digits on either side, against integers made of the same digits. */
Test(reading, scan_against_integers) {
  uint64_t state = 1;
  for (int round = 0; round < 200000; round++) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    unsigned whole = (unsigned)(state >> 44), fraction = (unsigned)(state >> 20) % 1000000;
    int decimals = (int)(state % 7);
    char text[40];
    int length = snprintf(text, sizeof text, "%u.%06u", whole, fraction);
    int64_t exact = (int64_t)whole * 1000000 + fraction, expected = exact, divisor = 1, value = -1;
    for (int i = decimals; i < 6; i++)
      divisor *= 10;
    expected = (exact + divisor / 2) / divisor;
    cr_assert_eq(fwi_scan_fixed(text, (size_t)length, decimals, &value), (size_t)length);
    cr_assert_eq(value, expected, "%s at %d decimals is %lld", text, decimals, (long long)value);
  }
}

/* --- stamps --- */

static fw_time_ns stamp(const char *text, fwi_stamp_fault expected) {
  fwi_stamper stamper = {0};
  fw_time_ns time = 0;
  cr_expect_eq(fwi_stamp_parse(&stamper, text, strlen(text), &time), expected, "%s", text);
  return time;
}

Test(stamp, shapes) {
  const fw_time_ns noon = INT64_C(1714989600) * FW_NS_PER_S; /* 2024-05-06 10:00 UTC */
  cr_expect_eq(stamp("2024/05/06 10:00:00.000", FWI_STAMP_GOOD), noon);
  cr_expect_eq(stamp("2024-05-06T10:00:00Z", FWI_STAMP_GOOD), noon);
  cr_expect_eq(stamp("2024-05-06 12:00:00.5+02:00", FWI_STAMP_GOOD), noon + FW_NS_PER_S / 2);
  cr_expect_eq(stamp("2024-05-06T04:30:00-0530", FWI_STAMP_GOOD), noon);
  cr_expect_eq(stamp("1714989600", FWI_STAMP_GOOD), noon);
  cr_expect_eq(stamp("1714989600.123456789", FWI_STAMP_GOOD), noon + 123456789);
  cr_expect_eq(stamp("1714989600000", FWI_STAMP_GOOD), noon, "milliseconds, by size");
  cr_expect_eq(stamp("1714989600000000", FWI_STAMP_GOOD), noon);
  cr_expect_eq(stamp("1714989600500000001", FWI_STAMP_GOOD), noon + FW_NS_PER_S / 2 + 1, "exact beyond 2^53");
  stamp("12", FWI_STAMP_NO_UNIT);
  stamp("06/05/2024 10:00:00", FWI_STAMP_SHAPE);
  stamp("2024/13/06 10:00:00", FWI_STAMP_RANGE);
  stamp("2023/02/29 10:00:00", FWI_STAMP_RANGE);
  stamp("2024/05/06 24:00:00", FWI_STAMP_RANGE);
  stamp("2024/05/06 10:00", FWI_STAMP_SHAPE);
  stamp("2024/05/06 10:00:00 CEST", FWI_STAMP_SHAPE);
  stamp("", FWI_STAMP_SHAPE);
  stamp("[N/A]", FWI_STAMP_SHAPE);
}

Test(stamp, offset_of_the_source) {
  fwi_stamper stamper = {.offset = 7200 * FW_NS_PER_S};
  fw_time_ns time;
  cr_assert_eq(fwi_stamp_parse(&stamper, "2024/05/06 12:00:00", 19, &time), FWI_STAMP_GOOD);
  cr_expect_eq(time, INT64_C(1714989600) * FW_NS_PER_S);
  cr_expect(stamper.zone_missing);
  fwi_stamper zoned = {.offset = 7200 * FW_NS_PER_S};
  cr_assert_eq(fwi_stamp_parse(&zoned, "2024/05/06 12:00:00Z", 20, &time), FWI_STAMP_GOOD);
  cr_expect_eq(time, INT64_C(1714996800) * FW_NS_PER_S, "its own zone goes before");
  cr_expect_not(zoned.zone_missing);
}

/* Every day from 1900 to 2040, against the C library's calendar; the 73 years on either side of 1970 end in 2043 and
 * 1897. */
Test(stamp, calendar) {
  for (int64_t day = -25000; day < 26000; day++) {
    time_t seconds = (time_t)(day * 86400 + 3661);
    struct tm parts;
    cr_assert_not_null(gmtime_r(&seconds, &parts));
    if (parts.tm_year < 0) continue;
    char text[32];
    strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S", &parts);
    cr_assert_eq(stamp(text, FWI_STAMP_GOOD), (fw_time_ns)seconds * FW_NS_PER_S, "%s", text);
  }
}

Test(stamp, parts) {
  fwi_stamper stamper = {0};
  fw_time_ns time;
  cr_assert_eq(fwi_stamp_parse_parts(&stamper, "20240506", 8, "10:00:00", 8, &time), FWI_STAMP_GOOD);
  cr_expect_eq(time, INT64_C(1714989600) * FW_NS_PER_S);
  cr_assert_eq(fwi_stamp_parse_parts(&stamper, "2024-05-06", 10, "10:00:00.25", 11, &time), FWI_STAMP_GOOD);
  cr_expect_eq(time, INT64_C(1714989600) * FW_NS_PER_S + FW_NS_PER_S / 4);
  cr_expect_neq(fwi_stamp_parse_parts(&stamper, "2024", 4, "10:00:00", 8, &time), FWI_STAMP_GOOD);
}

Test(stamp, zones) {
  fw_time_ns offset;
  cr_expect(fwi_zone_parse("+02:00", 6, &offset) && offset == 7200 * FW_NS_PER_S);
  cr_expect(fwi_zone_parse("-0330", 5, &offset) && offset == -12600 * FW_NS_PER_S);
  cr_expect(fwi_zone_parse("+05", 3, &offset) && offset == 18000 * FW_NS_PER_S);
  cr_expect(fwi_zone_parse("UTC", 3, &offset) && offset == 0);
  cr_expect_not(fwi_zone_parse("+15:00", 6, &offset));
  cr_expect_not(fwi_zone_parse("02:00", 5, &offset));
  cr_expect_not(fwi_zone_parse("", 0, &offset));
}

/* --- names --- */

Test(field, names) {
  static const struct {
    const char *name;
    fwi_role role;
    const char *unit;
  } cases[] = {{"power.draw [W]", FWI_ROLE_POWER, "W"},
               {"power.draw", FWI_ROLE_POWER, "W"},
               {"power_w", FWI_ROLE_POWER, "W"},
               {"power_mw", FWI_ROLE_POWER, "mW"},
               {"power_kw", FWI_ROLE_POWER, "kW"},
               {"Power (mW)", FWI_ROLE_POWER, "mW"},
               {"power", FWI_ROLE_POWER, NULL},
               {"power_MW", FWI_ROLE_POWER, NULL},
               {"POWER_MW", FWI_ROLE_POWER, NULL},
               {"power [kVA]", FWI_ROLE_POWER, NULL},
               {"DCGM_FI_DEV_POWER_USAGE", FWI_ROLE_POWER, "W"},
               {"nvidia_gpu_power_usage_milliwatts", FWI_ROLE_POWER, "mW"},
               {"nvidia_smi_power_draw_watts", FWI_ROLE_POWER, "W"},
               {"power.draw.instant [W]", FWI_ROLE_INSTANT, "W"},
               {"power.draw.average [W]", FWI_ROLE_AVERAGE, "W"},
               {"enforced.power.limit [W]", FWI_ROLE_LIMIT, "W"},
               {"energy_mj", FWI_ROLE_COUNTER, "mJ"},
               {"energy_j", FWI_ROLE_COUNTER, "J"},
               {"TOTEC", FWI_ROLE_COUNTER, "mJ"},
               {"pci.bus_id", FWI_ROLE_BUS, NULL},
               {"gpu_serial", FWI_ROLE_SERIAL, NULL},
               {"gpu", FWI_ROLE_INDEX, NULL},
               {"hostname", FWI_ROLE_HOST, NULL},
               {"local_rank", FWI_ROLE_LOGGER, NULL},
               {"fan.speed [%]", FWI_ROLE_NONE, NULL},
               {"gpu 0", FWI_ROLE_NONE, NULL},
               {"", FWI_ROLE_NONE, NULL},
               {"power.max_limit [W]", FWI_ROLE_NONE, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fwi_field field = fwi_field_of_name(cases[i].name, strlen(cases[i].name));
    cr_expect_eq(field.role, cases[i].role, "%s plays %d", cases[i].name, (int)field.role);
    if (cases[i].unit == NULL) {
      cr_expect_null(field.scale, "%s", cases[i].name);
    } else {
      cr_assert_not_null(field.scale, "%s", cases[i].name);
      cr_expect_str_eq(field.scale->symbol, cases[i].unit, "%s", cases[i].name);
    }
  }
}

Test(field, times) {
  static const struct {
    const char *name;
    fwi_time_unit unit;
  } cases[] = {{"t_s", FWI_TIME_S},      {"time_ms", FWI_TIME_MS},        {"unix_ns", FWI_TIME_NS},
               {"time (s)", FWI_TIME_S}, {"timestamp", FWI_TIME_BY_SIZE}, {"Time", FWI_TIME_BY_SIZE},
               {"epoch_us", FWI_TIME_US}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fwi_field field = fwi_field_of_name(cases[i].name, strlen(cases[i].name));
    cr_expect_eq(field.role, FWI_ROLE_TIME, "%s", cases[i].name);
    cr_expect_eq(field.time_unit, cases[i].unit, "%s", cases[i].name);
  }
}

Test(field, same_names_and_totals) {
  cr_expect(fwi_same_name("power.draw", 10, "Power_Draw [W]", 14));
  cr_expect_not(fwi_same_name("power.draw", 10, "power.draw.instant", 18));
  cr_expect(fwi_is_total_name("row total", 9));
  cr_expect(fwi_is_total_name("sum(power)", 10) == false, "a function's name is not a word of its own");
  cr_expect(fwi_is_total_name("Total", 5));
  cr_expect_not(fwi_is_total_name("gpu 0", 5));
  cr_expect_not(fwi_is_total_name("totally", 7));
}

/* --- cells --- */

static void expect_cells(const char *line, char separator, const char *const *expected) {
  char copy[128];
  fwi_cells cells = {0};
  strcpy(copy, line);
  cr_assert_eq(fwi_split_line(copy, strlen(copy), separator, &cells), FWI_SPLIT_GOOD, "%s", line);
  size_t count = 0;
  for (; expected[count] != NULL; count++) {
    cr_assert_lt(count, cells.count);
    cr_expect(fwi_cell_is(cells.data[count], expected[count]), "%s: cell %zu", line, count);
  }
  cr_expect_eq(cells.count, count);
  fwi_cells_clear(&cells);
}

Test(cells, splitting) {
  expect_cells("a, b ,c", ',', (const char *[]){"a", "b", "c", NULL});
  expect_cells("", ',', (const char *[]){"", NULL});
  expect_cells("a,,", ',', (const char *[]){"a", "", "", NULL});
  expect_cells("\"a,b\", \"c\"\"d\" ,e", ',', (const char *[]){"a,b", "c\"d", "e", NULL});
  expect_cells("\" a \"", ',', (const char *[]){"a", NULL});
  expect_cells("a\tb\t", '\t', (const char *[]){"a", "b", "", NULL});
  expect_cells("1,5; 2", ';', (const char *[]){"1,5", "2", NULL});
  fwi_cells cells = {0};
  char open[] = "a,\"b", text_behind[] = "\"a\"b,c";
  cr_expect_eq(fwi_split_line(open, strlen(open), ',', &cells), FWI_SPLIT_QUOTE);
  cr_expect_eq(fwi_split_line(text_behind, strlen(text_behind), ',', &cells), FWI_SPLIT_QUOTE);
  cr_expect_eq(fwi_split_blanks("  GPU 0  61.2\t-", 15, &cells), FWI_SPLIT_GOOD);
  cr_expect_eq(cells.count, 4);
  fwi_cells_clear(&cells);
}

/* --- labels --- */

static void expect_identity(const char *labels, const char *expected) {
  fw_text out = FW_TEXT_INIT;
  bool found = fwi_labels_identity(labels, strlen(labels), &out, NULL);
  cr_expect_eq(found, expected != NULL, "%s", labels);
  if (found && expected != NULL) cr_expect_str_eq(out.data, expected, "%s", labels);
  fw_text_clear(&out);
}

Test(labels, identities) {
  expect_identity("{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"n\"}", "GPU-1");
  expect_identity("{gpu=\"0\",Hostname=\"n\"}", "n/0");
  expect_identity("{gpu=\"3\"}", "3");
  expect_identity("{instance=\"a:9400\",gpu=\"0\"}", "a:9400/0");
  expect_identity("{instance=\"a:9400\",Hostname=\"n\",gpu=\"0\"}", "n/0");
  expect_identity("{ gpu=\"0\" , }", "0");
  expect_identity("{gpu=\"a\\\"}b\"}", "a\\\"}b");
  expect_identity("{job=\"x\"}", NULL);
  expect_identity("{}", NULL);
  expect_identity("{gpu=\"0\"", NULL);
  expect_identity("{gpu=0}", NULL);
  expect_identity("{gpu=\"0", NULL);
  expect_identity("{gpu=\"0\\", NULL);
}
