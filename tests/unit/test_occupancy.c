/* What a job did while its power was recorded: small files worked out by hand, and every refusal with its line. */
#include <math.h>

#include "tests/occupancy_files.h"

/* The values are short decimals; sums of a few of them are good to the last digits of a double. */
static const double EXACT = 1e-9;

TestSuite(occupancy, .init = make_files, .fini = remove_files);

static fw_occupancy_options plain(void) {
  return (fw_occupancy_options){
      .trace = trace_path, .kind_if_unstated = FW_SERIES_INSTANT, .tick = FW_NS_PER_S / 2, .skipped_phases = 1};
}

static void expect_tick(const fw_occupancy *out, size_t tick, double ready, double work, double in_flight,
                        double prompt_per_s, double generated_per_s, double power_w) {
  const fw_occupancy_tick *at = &out->data[tick];
  cr_expect_float_eq(at->share[FW_ACTIVITY_READY], ready, EXACT, "tick %zu: ready %g", tick,
                     at->share[FW_ACTIVITY_READY]);
  cr_expect_float_eq(at->share[FW_ACTIVITY_WORK], work, EXACT, "tick %zu: work %g", tick, at->share[FW_ACTIVITY_WORK]);
  if (work > 0.0) cr_expect_float_eq(at->in_flight, in_flight, EXACT, "tick %zu: in flight %g", tick, at->in_flight);
  cr_expect_float_eq(at->prompt_per_s, prompt_per_s, EXACT, "tick %zu: prompt %g", tick, at->prompt_per_s);
  cr_expect_float_eq(at->generated_per_s, generated_per_s, EXACT, "tick %zu: generated %g", tick, at->generated_per_s);
  cr_expect_float_eq(fw_occupancy_mean_w(out, tick), power_w, EXACT, "tick %zu: power %g", tick,
                     fw_occupancy_mean_w(out, tick));
}

/* Readings every 0.25 s. A request is read in at 0.25 s, two more later; the counters stand still from 0.75 s to 1.25 s
 * while two run, so the 300 tokens that appear at 1.25 s belong to all of [0.75, 1.25). */
Test(occupancy, counters_beside_the_power) {
  put(trace_path, "t_s,gpu,power_w,requests_running,prompt_tokens_total,generation_tokens_total\n"
                  "0.00,0,80,0,100,10\n"
                  "0.25,0,300,1,100,10\n"
                  "0.50,0,310,1,150,20\n"
                  "0.75,0,320,2,150,40\n"
                  "1.00,0,490,2,150,40\n"
                  "1.25,0,500,2,450,40\n"
                  "1.50,0,290,1,450,60\n"
                  "1.75,0,90,0,450,70\n"
                  "2.00,0,85,0,450,70\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.source, FW_OCCUPANCY_COUNTERS);
  cr_expect(out.has_tokens);
  cr_assert_eq(out.count, 4);
  cr_expect_eq(out.gpus, 1);
  expect_tick(&out, 0, 0.5, 0.5, 1.0, 200.0, 40.0, 190.0);
  expect_tick(&out, 1, 0.0, 1.0, 1.5, 300.0, 40.0, 315.0);
  expect_tick(&out, 2, 0.0, 1.0, 2.0, 300.0, 40.0, 495.0);
  expect_tick(&out, 3, 0.5, 0.5, 1.0, 0.0, 40.0, 190.0);
  cr_expect_float_eq(fw_occupancy_prefill_share(&out.data[1], 0.001), 0.3, EXACT);
  cr_expect_float_eq(fw_occupancy_prefill_share(&out.data[1], 1.0), 1.0, EXACT);
  fw_occupancy_clear(&out);
}

/* A request that came and went between two readings moved the counters: the interval is work, of one request. */
Test(occupancy, work_between_two_readings) {
  put(trace_path, "t_s,power_w,requests_running,prompt_tokens_total,generation_tokens_total\n"
                  "0,80,0,0,0\n0.5,200,0,60,5\n1,80,0,60,5\n1.5,80,0,60,5\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_assert_geq(out.count, 3);
  expect_tick(&out, 0, 0.0, 1.0, 1.0, 120.0, 10.0, 80.0);
  expect_tick(&out, 1, 1.0, 0.0, 0.0, 0.0, 0.0, 200.0);
  fw_occupancy_clear(&out);
}

/* Engine rows of their own, at their own times, and an empty cell that leaves the state before in force. */
Test(occupancy, counters_of_a_file_of_their_own) {
  put(trace_path, "t_s,gpu,power_w\n0,0,100\n0,1,200\n0.5,0,100\n0.5,1,220\n1,0,100\n1,1,200\n1.5,0,90\n1.5,1,90\n");
  put(counters_path, "t_ms,requests_running\n-100,4\n400,\n650,8\n1900,0\n2400,0\n");
  fw_occupancy_options options = plain();
  options.counters = counters_path;
  fw_occupancy out = read_good(&options);
  cr_expect_not(out.has_tokens);
  cr_assert_geq(out.count, 3);
  cr_expect_eq(out.gpus, 2);
  cr_expect_float_eq(out.data[0].in_flight, 4.0, EXACT);
  cr_expect_float_eq(out.data[1].in_flight, (0.15 * 4.0 + 0.35 * 8.0) / 0.5, EXACT);
  cr_expect(isnan(out.data[0].prompt_per_s));
  cr_expect_float_eq(fw_occupancy_prefill_share(&out.data[0], 1.0), 0.0, EXACT);
  cr_expect_float_eq(out.power_w[1 * 2 + 1], 220.0, EXACT);
  fw_occupancy_clear(&out);
}

/* A trace may begin with several comments, and its counters are read from the same lines. */
Test(occupancy, counters_below_several_comments) {
  put(trace_path, "# kind: instant\n  # from a test\nt_s,power_w,requests_running\n0,80,0\n0.5,300,2\n1,300,2\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.source, FW_OCCUPANCY_COUNTERS);
  cr_assert_eq(out.count, 2);
  cr_expect_eq(out.data[0].share[FW_ACTIVITY_READY], 1.0);
  cr_expect_eq(out.data[1].in_flight, 2.0);
  fw_occupancy_clear(&out);
}

static const char roles[] = "t_s,gpu,power_w,requests_running,prompt_tokens_total,generation_tokens_total,role\n"
                            "0,0,400,1,0,0,prefill\n0,1,90,0,0,0,decode\n"
                            "0.5,0,380,2,80,1,prefill\n0.5,1,240,1,80,9,decode\n"
                            "1,0,90,0,80,2,prefill\n1,1,230,1,80,19,decode\n"
                            "1.5,0,90,0,80,2,prefill\n1.5,1,85,0,80,29,decode\n";

Test(occupancy, gpus_of_one_role) {
  put(trace_path, roles);
  fw_occupancy_options options = plain();
  options.role = "decode";
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.gpus, 1);
  expect_tick(&out, 1, 0.0, 1.0, 1.0, 0.0, 20.0, 240.0);
  fw_occupancy_clear(&out);
  options.role = NULL;
  refuse(&options, 3, "--role");
  options.role = "draft";
  refuse(&options, 0, "of the role \"draft\"");
}

/* 1 s without counters: nothing is known of it. A reading holds 3 x the median or 2 s. */
Test(occupancy, ticks_of_an_unknown_state_are_left_out) {
  put(trace_path,
      "t_s,power_w\n0,100\n0.5,100\n1,100\n1.5,100\n2,100\n2.5,100\n3,100\n3.5,100\n4,100\n4.5,100\n5,100\n");
  put(counters_path, "t_s,requests_running\n0,1\n0.5,1\n1,1\n3.5,1\n4,1\n4.5,1\n5,1\n5.5,1\n");
  fw_occupancy_options options = plain();
  options.counters = counters_path;
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.count, 6);
  cr_expect_eq(out.dropped, 5);
  cr_expect_eq(out.data[1].segment, 0);
  cr_expect_eq(out.data[2].segment, 1);
  fw_occupancy_clear(&out);
}

Test(occupancy, phases) {
  put(trace_path, "t_s,power_w\n0,50\n0.5,50\n1,60\n1.5,60\n2,70\n2.5,200\n3,300\n3.5,300\n4,90\n");
  put(phases_path, "t_start_s,t_end_s,phase,input_tokens,output_token_limit\n"
                   "1,2,model_load,,\n2,2.5,generate,8,5\n2.75,3.25,generate,16,5\n3.25,3.75,generate,64,5\n");
  fw_occupancy_options options = plain();
  options.kind_if_unstated = FW_SERIES_MEAN_FROM;
  options.phases = phases_path;
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.source, FW_OCCUPANCY_PHASES);
  cr_assert_eq(out.count, 8, "%zu", out.count);
  cr_expect_float_eq(out.data[0].share[FW_ACTIVITY_IDLE], 1.0, EXACT);
  cr_expect_float_eq(out.data[2].share[FW_ACTIVITY_LOAD], 1.0, EXACT);
  cr_expect_eq(out.dropped, 1, "the first work phase warms the engine up");
  /* Tick [2.5, 3): ready for half of it, then 16 prompt tokens and on average 2 written ones in a pass. */
  cr_expect_float_eq(out.data[4].share[FW_ACTIVITY_WORK], 0.5, EXACT);
  cr_expect_float_eq(out.data[4].in_flight, 18.0, EXACT);
  cr_expect_float_eq(out.data[5].in_flight, 0.5 * 18.0 + 0.5 * 66.0, EXACT);
  cr_expect_eq(out.data[4].phase, 3);
  cr_expect_float_eq(out.data[6].share[FW_ACTIVITY_READY], 0.5, EXACT);
  fw_occupancy_clear(&out);
}

Test(occupancy, two_levels_of_power_are_told_apart) {
  put(trace_path, "t_s,power_w\n0,80\n0.5,82\n1,300\n1.5,310\n2,290\n2.5,81\n3,80\n3.5,305\n4,300\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.source, FW_OCCUPANCY_POWER);
  cr_expect(out.threshold_w > 82.0 && out.threshold_w < 290.0);
  static const double work[] = {0, 0, 1, 1, 1, 0, 0, 1};
  for (size_t i = 0; i < 8; i++)
    cr_expect_eq(out.data[i].share[FW_ACTIVITY_WORK], work[i], "tick %zu", i);
  fw_occupancy_clear(&out);
}

Test(occupancy, power_without_two_levels_is_all_work) {
  put(trace_path, "t_s,power_w\n0,200\n0.5,220\n1,240\n1.5,210\n2,260\n2.5,250\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  cr_expect(isnan(out.threshold_w));
  for (size_t i = 0; i < out.count; i++)
    cr_expect_eq(out.data[i].share[FW_ACTIVITY_WORK], 1.0);
  fw_occupancy_clear(&out);
}

Test(occupancy, a_restart_counts_nothing) {
  put(trace_path, "t_s,power_w,requests_running,prompt_tokens_total,generation_tokens_total\n"
                  "0,300,1,100,50\n0.5,300,1,100,60\n1,300,1,5,2\n1.5,300,1,5,12\n2,300,1,5,22\n");
  const fw_occupancy_options options = plain();
  fw_occupancy out = read_good(&options);
  expect_tick(&out, 1, 0.0, 1.0, 1.0, 0.0, 0.0, 300.0);
  expect_tick(&out, 2, 0.0, 1.0, 1.0, 0.0, 20.0, 300.0);
  fw_occupancy_clear(&out);
}

/* An engine that logs its counters when they change: long intervals are its habit and no gaps (trace.h). */
Test(occupancy, counters_that_are_written_on_change_hold_for_long) {
  fw_text trace = FW_TEXT_INIT;
  fw_text counters = FW_TEXT_INIT;
  fw_text_add(&trace, "t_s,power_w\n");
  fw_text_add(&counters, "t_s,requests_running\n");
  for (int i = 0; i <= 400; i++)
    fw_text_add_format(&trace, "%d.%d,100\n", i / 2, 5 * (i % 2));
  for (int i = 0, at = 0; i < 30; i++, at += i % 3 == 0 ? 15 : 1)
    fw_text_add_format(&counters, "%d,%d\n", at, i % 2);
  put(trace_path, trace.data);
  put(counters_path, counters.data);
  fw_text_clear(&trace);
  fw_text_clear(&counters);
  fw_occupancy_options options = plain();
  options.counters = counters_path;
  fw_occupancy out = read_good(&options);
  cr_expect_eq(out.dropped, 0);
  cr_expect_eq(out.count, (size_t)(2 * (9 * 15 + 20)));
  fw_occupancy_clear(&out);
}

static const char plain_trace[] = "t_s,power_w\n0,100\n0.5,100\n1,100\n1.5,100\n";

Test(occupancy, refused_counters) {
  fw_occupancy_options options = plain();
  options.counters = counters_path;
  put(trace_path, plain_trace);
  refuse_file(&options, counters_path, "t_s,running\n0,1\n", 1, "no column requests_running");
  refuse_file(&options, counters_path, "time,requests_running\n0,1\n", 1, "no column t_s");
  refuse_file(&options, counters_path, "t_s,requests_running\n0,1\n0.5,many\n", 3, "not a number");
  refuse_file(&options, counters_path, "t_s,requests_running\n0,1\n0.5,-1\n", 3, "not a number in range");
  refuse_file(&options, counters_path, "t_s,requests_running\n0.5,1\n0,1\n", 3, "goes back behind line 2");
  refuse_file(&options, counters_path, "t_s,requests_running\n0.5,1,2\n", 2, "3 cells where the header has 2");
  refuse_file(&options, counters_path, "t_s,requests_running\n0.5,1\n", 0, "fewer than two counter readings");
  refuse_file(&options, counters_path, "t_s,requests_running\n90,1\n91,1\n", 0, "begin at the same instant");
  refuse_file(&options, counters_path, "t_s,x,requests_running\n0,1,1\n0.5,1,1\n1,1", 4, "the last line is cut");
  refuse_file(&options, counters_path, "requests_running,t_s\n1,0.00\n1,0.25\n1,0.5", 4, "so it may be cut");
  options.trace = "-";
  refuse(&options, 0, "standard input");
}

/* Three lines may not ask for gigabytes. */
Test(occupancy, readings_years_apart_are_refused) {
  fw_occupancy_options options = plain();
  put(trace_path, "t_s,power_w\n0,100\n1e7,100\n2e7,100\n");
  refuse(&options, 0, "more than 100 ticks apart on average");
}

Test(occupancy, refused_phases) {
  fw_occupancy_options options = plain();
  options.phases = phases_path;
  options.skipped_phases = 0;
  put(trace_path, plain_trace);
  refuse_file(&options, phases_path, "t_start_s,t_end_s\n0,1\n", 1, "no column phase");
  refuse_file(&options, phases_path, "t_start_s,t_end_s,phase\n0,1,generation\n", 2,
              "phase \"generation\" is not known");
  refuse_file(&options, phases_path, "t_start_s,t_end_s,phase\n1,0,generate\n", 2, "ends before it starts");
  refuse_file(&options, phases_path, "t_start_s,t_end_s,phase\n0,1,generate\n0.5,2,generate\n", 3,
              "starts before the one above it ends");
  refuse_file(&options, phases_path, "t_start_s,t_end_s,phase\n", 0, "no phases");
}
