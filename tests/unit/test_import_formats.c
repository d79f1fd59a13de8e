/* Formats other than CSV with a row per reading: tables, scrapes, answers of range queries, wide CSV; and how each is
 * told from the others. */
#include "tests/import_fixture.h"

#define NOTHING                                                                                                        \
  &(fw_import_options) {                                                                                               \
    0                                                                                                                  \
  }

static void expect_refusal(const char *text, const fw_import_options *options, const char *message) {
  imported in;
  import_text(&in, text, options);
  cr_expect_eq(in.status, FW_ERROR_INPUT, "%s", text);
  cr_expect(says(&in, message), "\"%s\" is not said of:\n%s\nbut: %s", message, text,
            in.diagnostics.count > 0 ? in.diagnostics.entries[in.diagnostics.count - 1].message : "");
  imported_clear(&in);
}

static void expect_format(const char *text, fw_import_format expected) {
  imported in;
  const bool bare = expected == FW_IMPORT_GRAFANA && strstr(text, " W") == NULL; /* no cell says the unit */
  import_text(&in, text, &(fw_import_options){.interval = FW_NS_PER_S, .unit = bare ? "W" : NULL});
  cr_assert_eq(in.status, FW_OK, "%s: %s", text, in.diagnostics.count > 0 ? in.diagnostics.entries[0].message : "");
  cr_expect_eq(in.report.sources[0].format, expected, "%s is %d", text, (int)in.report.sources[0].format);
  imported_clear(&in);
}

static const char smi_dmon[] = "# gpu   pwr gtemp    sm\n"
                               "# Idx     W     C     %\n"
                               "    0    61    45    97\n"
                               "    1     -    44     0\n"
                               "# gpu   pwr gtemp    sm\n"
                               "# Idx     W     C     %\n"
                               "    0   302    61    97\n"
                               "    1   299    60    97\n";

static const char dated_dmon[] = "#Date       Time        gpu   pwr gtemp\n"
                                 "#YYYYMMDD   HH:MM:SS    Idx     W     C\n"
                                 " 20240506   10:00:00      0    61    45\n"
                                 " 20240506   10:00:01      0   302    45\n"
                                 " 20240506   10:00:01      0   301    45\n"
                                 " 20240506   10:00:03      0   303    45\n";

static const char scrapes[] = "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
                              "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"n\"} 250.5\n"
                              "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",Hostname=\"n\"} 100\n"
                              "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n"
                              "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"n\"} 61\n"
                              "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
                              "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"n\"} NaN\n"
                              "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",Hostname=\"n\"} 101\n";

static const char answer[] =
    "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":"
    "{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"0\"},\"values\":[[1717000000,\"300.5\"],"
    "[1717000015.5,\"301\"]]}]}}";

static const char panel[] = "\"Time\",\"gpu 0\"\n1714989600000,640 W\n1714989615000,641 W\n";

Test(formats, are_told_apart) {
  expect_format(smi_dmon, FW_IMPORT_SMI_DMON);
  expect_format(dated_dmon, FW_IMPORT_SMI_DMON);
  expect_format("#Entity   POWER\nID        W\nGPU 0     61.22\n", FW_IMPORT_DCGMI_DMON);
  expect_format("# Entity   POWER\n      ID       W\nGPU 0     61.22\n", FW_IMPORT_DCGMI_DMON);
  expect_format(scrapes, FW_IMPORT_PROMETHEUS);
  expect_format("DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 61.2\n", FW_IMPORT_PROMETHEUS);
  expect_format(answer, FW_IMPORT_RANGE_JSON);
  expect_format(panel, FW_IMPORT_GRAFANA);
  expect_format("sep=,\n\"Time\",\"power{gpu=\"\"0\"\"}\"\n1714989600000,640 W\n", FW_IMPORT_GRAFANA);
  expect_format("timestamp, index, power.draw [W]\n2024/05/06 10:00:00, 0, 61 W\n", FW_IMPORT_SMI_CSV);
  expect_format("# kind: mean_to\nt_s,gpu,power_w\n0,0,61\n", FW_IMPORT_CSV);
  expect_format("t_s,gpu,power_w\n0,0,61\n", FW_IMPORT_CSV);
}

/* --- tables --- */

Test(formats, smi_dmon) {
  imported in;
  import_text(&in, smi_dmon, &(fw_import_options){.interval = 2 * FW_NS_PER_S, .start = 100 * FW_NS_PER_S});
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){61000, 302000}, 2);
  expect_powers(series_of(&in, "1"), (const fw_power_mw[]){299000}, 1);
  cr_expect_eq(series_of(&in, "1")->time[0], 102 * FW_NS_PER_S);
  cr_expect_eq(gpu_of(&in, "1")->missing_count, 1);
  imported_clear(&in);
}

Test(formats, smi_dmon_with_stamps) {
  imported in;
  import_text(&in, dated_dmon, NOTHING);
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){61000, 302000, 303000}, 3);
  cr_expect_eq(event_line(&in, FW_IMPORT_SAME_SECOND, 0), 5, "stamps of a second cannot tell two readings apart");
  cr_expect_eq(series_of(&in, "0")->time[0], INT64_C(1714989600) * FW_NS_PER_S);
  imported_clear(&in);
}

Test(formats, dcgmi_dmon_units_stand_below_their_names) {
  imported in;
  import_text(&in,
              "#Entity   XIDER        POWER\n"
              "ID                     mW\n"
              "GPU 0     0            61220\n"
              "GPU-I 0   0            61220\n"
              "GPU 0     0            61300\n",
              &(fw_import_options){.interval = FW_NS_PER_S});
  cr_assert_eq(in.status, FW_OK);
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){61220, 61300}, 2);
  cr_expect_eq(in.report.decisions[FW_IMPORT_OTHER_ENTITY], 1);
  imported_clear(&in);
}

Test(formats, tables_that_say_nothing) {
  expect_refusal("# gpu    sm\n# Idx     %\n    0    61\n", NOTHING, "no power column");
  expect_refusal("# gpu   pwr\n# Idx     W\n", NOTHING, "no rows");
  expect_refusal("# gpu   pwr\n# Idx     W\n 0 61 7\n 0 62 8\n", NOTHING, "rows cannot be read");
}

/* --- scrapes --- */

Test(formats, scrapes_one_after_another) {
  imported in;
  import_text(&in, scrapes, &(fw_import_options){.interval = 15 * FW_NS_PER_S});
  expect_powers(series_of(&in, "n/0"), (const fw_power_mw[]){250500}, 1);
  expect_powers(series_of(&in, "n/1"), (const fw_power_mw[]){100000, 101000}, 2);
  cr_expect_eq(series_of(&in, "n/1")->time[1], 15 * FW_NS_PER_S);
  cr_expect_eq(gpu_of(&in, "n/0")->missing_count, 1);
  cr_expect_eq(in.report.steps_complete, 1);
  cr_expect_eq(in.report.steps_partial, 1);
  imported_clear(&in);
  expect_refusal(scrapes, NOTHING, "--interval");
}

Test(formats, scrapes_with_stamps) {
  imported in;
  import_text(&in,
              "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-a\"} 250 1714989600000\n"
              "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-b\"} 100 1714989600000\n"
              "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-a\"} 251 1714989601500\n",
              NOTHING);
  expect_powers(series_of(&in, "GPU-a"), (const fw_power_mw[]){250000, 251000}, 2);
  cr_expect_eq(series_of(&in, "GPU-a")->time[1], INT64_C(1714989601500) * FW_NS_PER_MS);
  imported_clear(&in);
  import_text(&in, "nvidia_gpu_power_usage_milliwatts{minor_number=\"0\"} 9.5e4 1714989600.25\n# EOF\n", NOTHING);
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){95000}, 1);
  cr_expect_eq(series_of(&in, "0")->time[0], INT64_C(1714989600250) * FW_NS_PER_MS, "OpenMetrics has seconds");
  imported_clear(&in);
}

Test(formats, a_scrape_of_a_counter_alone) {
  imported in;
  import_text(&in,
              "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"} 1000000\n# EOF\n"
              "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"} 4000000\n# EOF\n",
              &(fw_import_options){.interval = 15 * FW_NS_PER_S});
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){200000}, 1);
  cr_expect_eq(in.trace.kind, FW_SERIES_MEAN_TO);
  imported_clear(&in);
}

Test(formats, scrapes_that_say_nothing) {
  expect_refusal("# TYPE up gauge\nup{job=\"x\"} 1\n", NOTHING, "no rows");
  expect_refusal("DCGM_FI_DEV_POWER_USAGE{job=\"x\"} 1\n", NOTHING, "no rows");
  expect_refusal("gpu_power{gpu=\"0\"} 250\n", NOTHING, "no unit");
}

/* --- answers of range queries --- */

static void with_series(char *text, size_t size, const char *series) {
  snprintf(text, size, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[%s]}}", series);
}

Test(formats, range_query) {
  imported in;
  char text[1000];
  import_text(&in, answer, NOTHING);
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){300500, 301000}, 2);
  cr_expect_eq(series_of(&in, "0")->time[1], INT64_C(1717000015500) * FW_NS_PER_MS);
  imported_clear(&in);

  with_series(
      text, sizeof text,
      "{\"metric\":{\"gpu\":\"a\\\"b\\u0041\"},\"histograms\":[[1,{\"count\":\"2\"}]],\"value\":[1717000000,\"5\"]}");
  import_text(&in, text, &(fw_import_options){.unit = "kW", .max_power = INT64_C(6000000)});
  expect_powers(series_of(&in, "a\"bA"), (const fw_power_mw[]){5000000}, 1);
  imported_clear(&in);
  expect_refusal(text, NOTHING, "no unit");
}

Test(formats, range_query_of_several_metrics) {
  imported in;
  char text[1000];
  with_series(text, sizeof text,
              "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_GPU_TEMP\",\"gpu\":\"0\"},\"values\":[[1717000000,\"61\"]]},"
              "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"0\"},\"values\":[[1717000000,\"250\"]]},"
              "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE_INSTANT\",\"gpu\":\"0\"},\"values\":[[1717000000,"
              "\"290\"]]}");
  import_text(&in, text, NOTHING);
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){250000}, 1);
  cr_expect_eq(in.report.decisions[FW_IMPORT_OTHER_ENTITY], 2);
  imported_clear(&in);
  import_text(&in, text, &(fw_import_options){.power_column = "DCGM_FI_DEV_POWER_USAGE_INSTANT"});
  expect_powers(series_of(&in, "0"), (const fw_power_mw[]){290000}, 1);
  imported_clear(&in);
}

Test(formats, answers_that_say_nothing) {
  expect_refusal("{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"query timed out\"}", NOTHING,
                 "query timed out");
  expect_refusal("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}", NOTHING, "no rows");
  char cut[400];
  for (size_t length = 1; length < strlen(answer); length++) { /* wherever it is cut */
    imported in;
    memcpy(cut, answer, length);
    import_bytes(&in, cut, length, &(fw_import_options){.format = FW_IMPORT_RANGE_JSON});
    cr_expect_eq(in.status, FW_ERROR_INPUT, "%zu bytes", length);
    imported_clear(&in);
  }
}

/* --- wide CSV --- */

Test(formats, wide_units_and_labels) {
  imported in;
  import_text(&in, "Time,\"power{gpu=\"\"1\"\",Hostname=\"\"n\"\"}\",gpu 7 [kW]\n1714989600000,640 W,0.5\n", NOTHING);
  expect_powers(series_of(&in, "n/1"), (const fw_power_mw[]){640000}, 1);
  expect_powers(series_of(&in, "gpu 7 [kW]"), (const fw_power_mw[]){500000}, 1);
  imported_clear(&in);
  expect_refusal("Time,gpu 0\n1714989600000,640\n", NOTHING, "no unit");
}

Test(formats, a_format_that_is_named_is_not_guessed) {
  expect_refusal(panel, &(fw_import_options){.format = FW_IMPORT_SMI_DMON}, "dmon table begins");
  expect_refusal(panel, &(fw_import_options){.format = FW_IMPORT_RANGE_JSON}, "range query");
}
