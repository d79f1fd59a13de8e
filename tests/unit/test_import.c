/* The rules of an import, one by one, on logs of a few lines. */
#include "sim/base/text.h"
#include "tests/import_fixture.h"

#define NOTHING                                                                                                        \
  &(fw_import_options) {                                                                                               \
    0                                                                                                                  \
  }

static void expect_refusal(const char *text, const fw_import_options *options, const char *message, size_t line) {
  imported in;
  import_text(&in, text, options);
  cr_expect_eq(in.status, FW_ERROR_INPUT, "%s", text);
  cr_expect(says(&in, message), "\"%s\" is not said of:\n%s\nbut: %s", message, text,
            in.diagnostics.count > 0 ? in.diagnostics.entries[in.diagnostics.count - 1].message : "");
  if (line > 0) cr_expect_eq(message_line(&in, message), line, "line %zu", message_line(&in, message));
  imported_clear(&in);
}

static void expect_samples(const char *text, const fw_import_options *options, const char *gpu,
                           const fw_power_mw *expected, size_t count) {
  imported in;
  import_text(&in, text, options);
  cr_assert_eq(in.status, FW_OK, "%s: %s", text, in.diagnostics.count > 0 ? in.diagnostics.entries[0].message : "");
  expect_powers(series_of(&in, gpu), expected, count);
  imported_clear(&in);
}

/* --- order of time --- */

Test(import, equal_rows_are_one) {
  imported in;
  import_text(&in, "t_s,gpu,power_w\n0,0,100\n0,0,100\n1,0,110\n", NOTHING);
  cr_expect_eq(in.report.sample_count, 2);
  cr_expect_eq(event_line(&in, FW_IMPORT_DUPLICATE, 0), 3);
  imported_clear(&in);
}

Test(import, conflicting_rows_are_refused) {
  expect_refusal("t_s,gpu,power_w\n0,0,100\n0,0,120\n", NOTHING, "line 2 and line 3", 3);
  expect_refusal("t_s,gpu,power_w\n0,0,100\n0,0,\n", NOTHING, "line 2 and line 3", 3);
}

Test(import, a_whole_log_again_is_refused) {
  expect_refusal("t_s,gpu,power_w\n10,0,100\n11,0,100\n12,0,100\n9.5,0,100\n", NOTHING,
                 "line 5 goes back to before line 2", 5);
  expect_refusal("t_s,gpu,power_w\n10,0,100\n11,0,100\n12,0,100\n11,0,100\n", NOTHING, "line 3 and line 5", 5);
  expect_refusal("t_s,gpu,power_w\n10,0,100\n11,0,100\nt_s,gpu,power_w\n10.5,0,100\n", NOTHING, "--split-on-header", 5);
}

Test(import, an_hour_back_may_be_daylight_saving) {
  imported in;
  import_text(&in,
              "timestamp,index,power.draw [W]\n2024/10/27 01:00:00,0,100 W\n2024/10/27 02:59:59,0,100 W\n"
              "2024/10/27 02:00:00,0,100 W\n",
              NOTHING);
  cr_assert_eq(in.status, FW_OK);
  cr_expect(says(&in, "daylight saving"));
  imported_clear(&in);
}

Test(import, no_identity_and_repeated_stamps) {
  expect_refusal("t_s,power_w\n0,100\n0,100\n0,100\n1,100\n", NOTHING, "repeated 3 times without a GPU id column", 3);
  expect_refusal("t_s,power_w\n0,100\n0,110\n", NOTHING, "repeated 2 times", 3);
  expect_samples("t_s,power_w\n0,100\n0,110\n1,120\n1,130\n", &(fw_import_options){.gpu_count = 2}, "1",
                 (const fw_power_mw[]){110000, 130000}, 2);
}

/* --- plausibility --- */

Test(import, bounds_of_power) {
  imported in;
  import_text(&in, "t_s,power_w\n0,100\n1,2000\n2,2000.001\n3,100\n", NOTHING);
  cr_expect_eq(gpu_of(&in, "0")->largest, 2000000, "2 kW without a limit");
  cr_expect_eq(event_line(&in, FW_IMPORT_TOO_HIGH, 0), 4);
  imported_clear(&in);
  import_text(&in, "t_s,power_w,limit_w\n0,100,300\n1,600,\n2,600.001,[N/A]\n", NOTHING);
  cr_expect_eq(gpu_of(&in, "0")->largest, 600000, "the limit that was read last holds");
  cr_expect_eq(gpu_of(&in, "0")->excluded_count, 1);
  imported_clear(&in);
  expect_samples("t_s,power_w\n0,8000\n1,9000\n", &(fw_import_options){.max_power = INT64_C(10000000)}, "0",
                 (const fw_power_mw[]){8000000, 9000000}, 2);
  expect_refusal("t_s,power_w\n0,8000\n1,9000\n", NOTHING, "--max-power", 0);
}

Test(import, low_readings) {
  imported in;
  import_text(&in, "t_s,power_w,limit_w\n0,0,300\n1,200,300\n2,1.4,300\n3,1.5,300\n4,-3,300\n", NOTHING);
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect_eq(gpu->excluded_count, 2, "1.4 W behind 200 W, and -3 W");
  cr_expect_eq(event_line(&in, FW_IMPORT_TOO_LOW, 0), 4);
  cr_expect_eq(event_line(&in, FW_IMPORT_TOO_LOW, 1), 6);
  cr_expect_eq(event_line(&in, FW_IMPORT_NEAR_ZERO, 0), 2, "0 W is kept where nothing says otherwise, and said");
  cr_expect_eq(gpu->sample_count, 3);
  imported_clear(&in);
}

/* --- rows that do not read --- */

Test(import, some_unreadable_rows_are_dropped) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "timestamp, index, power.draw [W]\n");
  for (int i = 0; i < 40; i++)
    fw_text_add_format(&text, "2024/05/06 10:00:%02d.000, 0, %d.00 W\n", i, 100 + i);
  fw_text_add(&text, "Unable to determine the device handle for GPU\n");
  fw_text_add(&text, "2024/05/06 10:00:41.000, 0, 1x0.00 W\n2024/05/06 10:60:42.000, 0, 100.00 W\n");
  imported in;
  import_text(&in, text.data, NOTHING);
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(in.report.sample_count, 40);
  cr_expect_eq(in.report.decisions[FW_IMPORT_UNREADABLE], 3);
  cr_expect_eq(message_line(&in, "1 cells where the header has 3"), 42);
  cr_expect_eq(message_line(&in, "1x0.00 W"), 43);
  cr_expect_eq(message_line(&in, "no time within"), 44);
  imported_clear(&in);
  for (int i = 0; i < 3; i++)
    fw_text_add(&text, "garbage\n");
  expect_refusal(text.data, NOTHING, "rows cannot be read", 0);
  fw_text_clear(&text);
}

Test(import, cut_lines) {
  static const struct {
    const char *before;
    const char *last; /* without a line end */
    bool cut;
  } cases[] = {{"1,0,312.45 W", "2,0,312.45 W", false}, {"1,0,312.45 W", "2,0,312.45", true},
               {"1,0,312.45 W", "2,0,312.4", true},     {"1,0,312.45", "2,0,312.4", true},
               {"1,0,312.45", "2,0,312.46", false},     {"1,0,312", "2,0,31", true},
               {"1,0,312", "2,0,313", false},           {"1,0,312.45 W", "2,0,", true},
               {"1,0,312.45 W", "2,0", true},           {"1,0,312.45 W", "2", true},
               {"1,0,312.45 W", "2,0,[N/A]", false},    {"1,0,[N/A]", "2,0,[N/", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    snprintf(text, sizeof text, "t_s,index,power.draw [W]\n0,0,300.00 W\n%s\n%s", cases[i].before, cases[i].last);
    imported in;
    import_text(&in, text, NOTHING);
    cr_assert_eq(in.status, FW_OK);
    cr_expect_eq(in.report.decisions[FW_IMPORT_CUT_LINE], cases[i].cut, "%s", cases[i].last);
    cr_expect_eq(in.report.row_count, cases[i].cut ? 2 : 3, "%s", cases[i].last);
    imported_clear(&in);
  }
}

Test(import, nothing_is_never_a_success) {
  expect_refusal("", NOTHING, "empty", 0);
  expect_refusal("\n\n", NOTHING, "empty", 0);
  expect_refusal("t_s,gpu,power_w\n", NOTHING, "no rows", 0);
  expect_refusal("t_s,gpu,power_w\n0,0,\n1,0,[N/A]\n", NOTHING, "2 are missing", 0);
  expect_refusal("No devices were found\n", NOTHING, "No devices were found", 1);
  expect_refusal("t_s,gpu,temp_c\n0,0,60\n", NOTHING, "no power column", 1);
  expect_refusal("gpu,power_w\n0,60\n", NOTHING, "no time column", 1);
}

/* --- columns --- */

Test(import, choosing_power) {
  expect_refusal("t_s,power_w,board_power_w\n0,100,120\n", NOTHING, "both say power", 1);
  expect_samples("t_s,power_w,board_power_w\n0,100,120\n", &(fw_import_options){.power_column = "board_power_w"}, "0",
                 (const fw_power_mw[]){120000}, 1);
  expect_refusal("t_s,power_w\n0,100\n", &(fw_import_options){.power_column = "draw"}, "no column \"draw\"", 1);
  expect_refusal("t_s,index,power.draw [W]\n0,0,100 W\nt_s,index,power.draw.instant [W]\n1,0,100 W\n", NOTHING,
                 "import the parts one by one", 3);
  expect_refusal("t_s,my [kVA]\n0,100\n", &(fw_import_options){.power_column = "my"}, "no unit", 2);
}

Test(import, identities) {
  imported in;
  import_text(&in, "t_s,index,uuid,power_w\n0,0,GPU-a,100\n0,1,GPU-b,110\n", NOTHING);
  cr_expect_str_eq(in.report.gpus[0].gpu, "GPU-a", "a UUID is unique beyond its node");
  imported_clear(&in);
  import_text(&in, "t_s,index,power_w\n0,0,100\nt_s,index,uuid,power_w\n1,0,GPU-a,100\n", NOTHING);
  cr_expect_eq(in.report.gpu_count, 1, "the GPU keeps its name when a better one appears");
  imported_clear(&in);
  import_text(&in, "t_s,host,gpu,power_w\n0,a,0,100\n0,b,0,110\n", NOTHING);
  cr_expect_str_eq(in.report.gpus[1].gpu, "b/0");
  imported_clear(&in);
}

Test(import, loggers_that_disagree_are_refused) {
  expect_refusal("t_s,rank,gpu,power_w\n0,0,0,100\n0,1,0,200\n1,0,0,100\n1,1,0,200\n", NOTHING,
                 "several loggers that disagree", 0);
}

Test(import, separators_and_comments) {
  static const fw_power_mw expected[] = {100500};
  expect_samples("t_s;gpu;power_w\n0;0;100.5\n", NOTHING, "0", expected, 1);
  expect_samples("t_s\tgpu\tpower_w\n0\t0\t100.5\n", NOTHING, "0", expected, 1);
  expect_samples("sep=;\nt_s;gpu;power_w\n0;0;100.5\n", NOTHING, "0", expected, 1);
  expect_samples("t_s,gpu,power_w,\r\n0,0,100.5,\r\n", NOTHING, "0", expected, 1);
  expect_samples("# a comment\n\nt_s,gpu,power_w\n\n0,0,100.5\n# another\n", NOTHING, "0", expected, 1);
  imported in;
  import_text(&in, "# kind: mean_from\nt_s,power_w\n0,100\n", NOTHING);
  cr_expect_eq(in.trace.kind, FW_SERIES_MEAN_FROM);
  imported_clear(&in);
}

Test(import, given_columns_go_before_the_header) {
  expect_samples("when,what,watts\n0,0,100\n1,0,101\n", &(fw_import_options){.columns = "t_s,index,power_w"}, "0",
                 (const fw_power_mw[]){100000, 101000}, 2);
  expect_refusal("0,0,100\n1,0,101\n", &(fw_import_options){.columns = "t_s,power_w"}, "rows cannot be read", 0);
}

Test(import, occupancy_and_other_values) {
  imported in;
  import_text(&in, "t_s,gpu,power_w,requests_running\n0,0,100,12\n1,0,101,\n", NOTHING);
  cr_expect_eq(series_of(&in, "0")->occupancy[0], 12.0);
  cr_expect(isnan(series_of(&in, "0")->occupancy[1]));
  imported_clear(&in);
}

/* --- several inputs --- */

static void import_pair(imported *in, const char *first, const char *second, const fw_import_options *options) {
  const fw_import_input inputs[] = {{"logs/a.csv", first, strlen(first)}, {"logs/b.csv", second, strlen(second)}};
  import_inputs(in, inputs, 2, options);
}

Test(import, several_nodes_or_one_log) {
  static const char first[] = "t_s,index,power_w\n0,0,100\n1,0,100\n",
                    second[] = "t_s,index,power_w\n2,0,200\n3,0,200\n";
  imported in;
  import_pair(&in, first, second, NOTHING);
  cr_expect_eq(gpu_of(&in, "a/0")->sample_count, 2);
  cr_expect_eq(gpu_of(&in, "b/0")->sample_count, 2);
  imported_clear(&in);
  import_pair(&in, first, second, &(fw_import_options){.join = true});
  cr_expect_eq(gpu_of(&in, "0")->sample_count, 4);
  imported_clear(&in);
}

Test(import, a_uuid_goes_on_in_the_next_file) {
  static const char first[] = "t_s,uuid,power_w\n0,GPU-a,100\n1,GPU-a,100\n";
  imported in;
  import_pair(&in, first, "t_s,uuid,power_w\n2,GPU-a,101\n3,GPU-a,101\n", NOTHING);
  cr_expect_eq(gpu_of(&in, "GPU-a")->sample_count, 4);
  imported_clear(&in);
  import_pair(&in, first, "t_s,uuid,power_w\n0.2,GPU-a,100.2\n1.2,GPU-a,100.1\n", NOTHING);
  cr_expect_eq(gpu_of(&in, "GPU-a")->sample_count, 2, "two loggers of one GPU");
  cr_expect(says(&in, "reported by 2 sources"));
  imported_clear(&in);
}

Test(import, equal_sources_are_pointed_out) {
  static const char log[] = "t_s,index,power_w\n0,0,100\n1,0,100\n";
  imported in;
  import_pair(&in, log, log, NOTHING);
  cr_expect(says(&in, "equal values within 1 %"));
  imported_clear(&in);
}

Test(import, kinds_are_not_mixed) {
  imported in;
  import_pair(&in, "t_s,index,power_w\n0,0,100\n", "t_s,index,energy_j\n0,0,100\n1,0,200\n", NOTHING);
  cr_expect_eq(in.status, FW_ERROR_INPUT);
  cr_expect(says(&in, "import them one by one"));
  imported_clear(&in);
}

Test(import, options_are_checked) {
  const fw_time_ns zones[] = {0, 0, 0};
  expect_refusal("t_s,power_w\n0,1\n", &(fw_import_options){.unit = "kVA"}, "kVA", 0);
  expect_refusal("t_s,power_w\n0,1\n", &(fw_import_options){.zone_offsets = zones, .zone_count = 3}, "time zones", 0);
}

Test(import, zones) {
  imported in;
  import_text(&in, "time,power_w\n2024-05-06T10:00:00Z,100\n", NOTHING);
  cr_expect_not(in.report.zone_assumed);
  imported_clear(&in);
  import_text(&in, "time,power_w\n2024-05-06 10:00:00,100\n", NOTHING);
  cr_expect(in.report.zone_assumed);
  imported_clear(&in);
}

/* --- GPUs --- */

/* GPUs of 100 W and 300 W in turn, each second, 5 ms apart. */
static const char *two_gpus(char text[2048]) {
  int used = snprintf(text, 2048, "t_s,power_w\n");
  for (int i = 0; i < 60; i++)
    used += snprintf(text + used, 2048 - (size_t)used, "%d.000,100\n%d.005,300\n", i, i);
  return text;
}

Test(import, gpus_that_nothing_tells_apart_are_refused) {
  char text[2048];
  expect_refusal(two_gpus(text), NOTHING, "rows come in bursts", 2);
  expect_refusal("t_s,power_w\n1.005,100\n1.002,300\n2.005,100\n2.002,300\n", NOTHING, "--gpus N", 3);
  imported in;
  import_text(&in, two_gpus(text), &(fw_import_options){.gpu_count = 2});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(gpu_of(&in, "0")->smallest, 100 * FW_MW_PER_W);
  cr_expect_eq(gpu_of(&in, "0")->largest, 100 * FW_MW_PER_W);
  cr_expect_eq(gpu_of(&in, "1")->smallest, 300 * FW_MW_PER_W);
  imported_clear(&in);
}

Test(import, only_some_gpus) {
  static const char log[] = "t_s,gpu,power_w\n0,a,100\n0,b,200\n0,c,300\n1,a,100\n1,b,200\n1,c,300\n";
  const char *const names[] = {"c", "a"}, *const unknown[] = {"a", "d"};
  imported in;
  import_text(&in, log, &(fw_import_options){.only = names, .only_count = 2});
  cr_assert_eq(in.report.gpu_count, 2);
  cr_expect_eq(gpu_of(&in, "a")->largest, 100 * FW_MW_PER_W);
  cr_expect_eq(gpu_of(&in, "c")->smallest, 300 * FW_MW_PER_W);
  imported_clear(&in);
  expect_refusal(log, (&(fw_import_options){.only = unknown, .only_count = 2}), "no GPU \"d\"", 0);
}

Test(import, decimal_commas) {
  const fw_import_options commas = {.decimal_comma = true};
  imported in;
  import_text(&in, "t_s;gpu;power_w\n0,5;0;253,12\n1,5;0;81\n", &commas);
  cr_expect_eq(gpu_of(&in, "0")->largest, 253120);
  imported_clear(&in);
  expect_refusal("t_s;gpu;power_w\n0,5;0;1,253,120\n", &commas, "\"1,253,120\" is no power reading", 2);
  expect_refusal("t_s;gpu;power_w\n0;0;253,12\n", NOTHING, "--decimal-comma", 2);
}

/* --- the energy counter --- */

Test(import, a_counter_beside_power_is_a_check) {
  imported in;
  import_text(&in, "t_s,gpu,power_w,energy_j\n0,0,100,1000\n1,0,100,1100\n2,0,100,1200\n", NOTHING);
  cr_expect_eq(gpu_of(&in, "0")->counter_error, 0.0);
  cr_expect_eq(in.report.kind, FW_SERIES_INSTANT);
  imported_clear(&in);
  expect_refusal("t_s,gpu,energy\n0,0,1000\n1,0,1100\n", NOTHING, "energy_mj or energy_j", 2);
}

/* --- what power.draw is --- */

Test(import, averaging_by_model) {
  static const struct {
    const char *model;
    fw_import_averaging expected;
  } cases[] = {{"NVIDIA A100-SXM4-80GB", FW_IMPORT_INSTANTANEOUS}, {"NVIDIA H100 80GB HBM3", FW_IMPORT_MEAN_OF_1S},
               {"Tesla V100-SXM2-32GB", FW_IMPORT_INSTANTANEOUS},  {"NVIDIA A10", FW_IMPORT_MEAN_OF_1S},
               {"NVIDIA GeForce RTX 4090", FW_IMPORT_MEAN_OF_1S},  {"Something", FW_IMPORT_AVERAGING_UNKNOWN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    imported in;
    snprintf(text, sizeof text, "t_s,name,power.draw [W]\n0,%s,100 W\n", cases[i].model);
    import_text(&in, text, NOTHING);
    cr_expect_eq(in.report.averaging, cases[i].expected, "%s", cases[i].model);
    imported_clear(&in);
  }
}
