/* Rules about units, clocks, counters, and who wrote a log: random logs made from a known truth. What spoils single
 * readings is in test_import_rules.c. */
#include <stdlib.h>

#include "sim/base/random.h"
#include "sim/base/text.h"
#include "tests/import_fixture.h"

enum { ROUNDS = 60, SAMPLES = 40 };

#define START_S INT64_C(1714989600) /* 2024-05-06T10:00:00Z */
#define NOTHING                                                                                                        \
  &(fw_import_options) {                                                                                               \
    0                                                                                                                  \
  }

typedef struct dice {
  fw_stream stream;
  uint64_t next;
} dice;

static dice make_dice(uint32_t test, uint32_t round) {
  return (dice){fw_stream_make(test, FW_DRAW_TEST, round), 0};
}

static int64_t roll(dice *d, int64_t sides) {
  return (int64_t)fw_random_below(d->stream, d->next++, (uint64_t)sides);
}

static void expect_refused(const imported *in, const char *part) {
  cr_assert_eq(in->status, FW_ERROR_INPUT, "%s is expected", part);
  cr_assert(says(in, part), "\"%s\" is not said but: %s", part, in->diagnostics.entries[0].message);
}

static void expect_accepted(const imported *in) {
  cr_assert_eq(in->status, FW_OK, "%s",
               in->diagnostics.count > 0 ? in->diagnostics.entries[in->diagnostics.count - 1].message : "");
}

/* --- units --- */

/* mW exactly: in W with three decimals, in kW with six. */
static void add_power(fw_text *text, int64_t mw, int64_t unit) {
  if (unit == 0) fw_text_add_format(text, "%lld", (long long)mw);
  if (unit == 1) fw_text_add_format(text, "%lld.%03lld", (long long)(mw / 1000), (long long)(mw % 1000));
  if (unit == 2) fw_text_add_format(text, "%lld.%06lld", (long long)(mw / 1000000), (long long)(mw % 1000000));
}

static const char *const units[] = {"mW", "W", "kW"};

/* A unit may stand in the cell, in the header or in the options; the nearest to the reading holds. One in the options
 * that the header leaves nothing to is refused. */
Test(import_sources, units_of_cell_header_and_option) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(1, round);
    int64_t in_header = roll(&d, 4), asked = roll(&d, 4); /* 3: not there */
    fw_power_mw truth[SAMPLES];
    bool lost = false;
    fw_text text = FW_TEXT_INIT;
    fw_text_add_format(&text, in_header < 3 ? "t_s,gpu,draw [%s]\n" : "t_s,gpu,draw\n",
                       in_header < 3 ? units[in_header] : "");
    for (int i = 0; i < SAMPLES; i++) {
      int64_t in_cell = roll(&d, 4);
      int64_t unit = in_cell < 3 ? in_cell : in_header < 3 ? in_header : asked;
      truth[i] = 1000 + roll(&d, 1500000);
      lost = lost || unit == 3;
      fw_text_add_format(&text, "%d,0,", i);
      add_power(&text, truth[i], unit < 3 ? unit : 1);
      fw_text_add_format(&text, "%s%s\n", in_cell < 3 ? " " : "", in_cell < 3 ? units[in_cell] : "");
    }
    imported in;
    import_text(&in, text.data, &(fw_import_options){.power_column = "draw", .unit = asked < 3 ? units[asked] : NULL});
    if (lost) {
      expect_refused(&in, "no unit");
    } else if (in_header < 3 && asked < 3) {
      expect_refused(&in, "--unit: all power in the log has one");
    } else {
      expect_accepted(&in);
      expect_powers(series_of(&in, "0"), truth, SAMPLES);
    }
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* A panel formats large values: two decimals of a kW are steps of 10 W. They are kept, and each is counted. */
Test(import_sources, coarse_readings_are_counted) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(2, round);
    size_t coarse = 0;
    fw_power_mw truth[SAMPLES];
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "Time,gpu 0\n");
    for (int i = 0; i < SAMPLES; i++) {
      bool formatted = roll(&d, 3) == 0;
      truth[i] = 10000 * (5 + roll(&d, 150));
      fw_text_add_format(&text, "%lld,", (long long)(START_S + i) * 1000);
      if (formatted) {
        fw_text_add_format(&text, "%lld.%02lld kW\n", (long long)(truth[i] / 1000000),
                           (long long)(truth[i] % 1000000 / 10000));
      } else {
        fw_text_add_format(&text, "%lld W\n", (long long)(truth[i] / 1000));
      }
      coarse += formatted ? 1 : 0;
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    expect_powers(series_of(&in, "gpu 0"), truth, SAMPLES);
    cr_assert_eq(in.report.decisions[FW_IMPORT_COARSE], coarse);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* --- clocks --- */

/* One instant in `ms` since 1970, as a civil day of 2024-05 and a clock that is `offset_min` ahead of UTC. */
static void add_civil(fw_text *text, int64_t ms, int64_t offset_min, char separator, char between) {
  int64_t local = ms / 1000 + 60 * offset_min - (START_S - 36000 - 5 * 86400); /* since 2024-05-01T00:00 */
  fw_text_add_format(text, "2024%c05%c%02lld%c%02lld:%02lld:%02lld.%03lld", separator, separator,
                     (long long)(1 + local / 86400), between, (long long)(local / 3600 % 24),
                     (long long)(local / 60 % 60), (long long)(local % 60), (long long)(ms % 1000));
}

typedef enum stamp { T_S, T_MS, T_NS, BARE_S, BARE_MS, BARE_US, BARE_NS, ISO_Z, ISO_OFFSET, LOCAL, STAMPS } stamp;

static const char *const stamp_columns[STAMPS] = {"t_s",  "t_ms", "t_ns", "time",      "time",
                                                  "time", "time", "time", "timestamp", "timestamp"};

static void add_stamp(fw_text *text, stamp kind, int64_t ms, int64_t offset_min) {
  long long s = (long long)(ms / 1000), rest = (long long)(ms % 1000);
  if (kind == T_S || kind == BARE_S) fw_text_add_format(text, "%lld.%03lld", s, rest);
  if (kind == T_MS || kind == BARE_MS) fw_text_add_format(text, "%lld", (long long)ms);
  if (kind == BARE_US) fw_text_add_format(text, "%lld000", (long long)ms);
  if (kind == T_NS || kind == BARE_NS) fw_text_add_format(text, "%lld000000", (long long)ms);
  if (kind < ISO_Z) return;
  add_civil(text, ms, kind == ISO_Z ? 0 : offset_min, kind == LOCAL ? '/' : '-', kind == LOCAL ? ' ' : 'T');
  if (kind == ISO_Z) fw_text_add(text, "Z");
  if (kind == ISO_OFFSET) {
    long long size = (long long)(offset_min < 0 ? -offset_min : offset_min);
    fw_text_add_format(text, "%c%02lld:%02lld", offset_min < 0 ? '-' : '+', size / 60, size % 60);
  }
}

/* Every way to write an instant, in any zone, is the same instant. */
Test(import_sources, stamps_of_every_kind) {
  for (int kind = 0; kind < STAMPS; kind++) {
    for (uint32_t round = 0; round < 12; round++) {
      dice d = make_dice(3, 100 * (uint32_t)kind + round);
      int64_t offset_min = 30 * (roll(&d, 49) - 24), ms = START_S * 1000;
      fw_time_ns offset = offset_min * 60 * FW_NS_PER_S, truth[SAMPLES];
      fw_text text = FW_TEXT_INIT;
      fw_text_add_format(&text, "%s,gpu,power_w\n", stamp_columns[kind]);
      for (int i = 0; i < SAMPLES; i++) {
        ms += 400 + roll(&d, 300);
        truth[i] = ms * FW_NS_PER_MS;
        add_stamp(&text, (stamp)kind, ms, offset_min);
        fw_text_add_format(&text, ",0,%d\n", 100 + i);
      }
      imported in;
      import_text(&in, text.data, &(fw_import_options){.zone_offsets = &offset, .zone_count = kind == LOCAL ? 1 : 0});
      expect_accepted(&in);
      const fw_series *series = series_of(&in, "0");
      cr_assert_eq(series->count, SAMPLES);
      for (int i = 0; i < SAMPLES; i++)
        cr_assert_eq(series->time[i], truth[i], "%s", text.data);
      cr_assert_not(in.report.zone_assumed);
      imported_clear(&in);
      fw_text_clear(&text);
    }
  }
}

/* Two nodes saw the same minute, one of them on a clock of another zone. */
Test(import_sources, zones_are_given_or_warned_of) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(4, round);
    int64_t offsets_min[2] = {0, 30 * (1 + roll(&d, 24))};
    fw_time_ns offsets[2] = {0, offsets_min[1] * 60 * FW_NS_PER_S};
    fw_text logs[2] = {FW_TEXT_INIT, FW_TEXT_INIT};
    fw_import_input inputs[2];
    for (int n = 0; n < 2; n++) {
      fw_text_add(&logs[n], "timestamp,index,power.draw [W]\n");
      for (int i = 0; i < SAMPLES; i++) {
        add_stamp(&logs[n], LOCAL, START_S * 1000 + 1000 * i, offsets_min[n]);
        fw_text_add_format(&logs[n], ",0,%d.00 W\n", 100 + 50 * n);
      }
      inputs[n] = (fw_import_input){n == 0 ? "a.csv" : "b.csv", logs[n].data, logs[n].length};
    }
    imported in;
    char words[80];
    snprintf(words, sizeof words, "no overlap, %lld s apart", (long long)(60 * offsets_min[1]));
    import_inputs(&in, inputs, 2, NOTHING);
    expect_accepted(&in);
    cr_assert(says(&in, words), "%s", words);
    cr_assert(in.report.overlap == 0 && in.report.zone_assumed);
    imported_clear(&in);
    import_inputs(&in, inputs, 2, &(fw_import_options){.zone_offsets = offsets, .zone_count = 2});
    expect_accepted(&in);
    cr_assert_not(says(&in, "no overlap"));
    cr_assert_eq(in.report.overlap, (SAMPLES - 1) * FW_NS_PER_S);
    cr_assert_eq(in.report.decisions[FW_IMPORT_CLOCK_STEP], 0);
    imported_clear(&in);
    fw_text_clear(&logs[0]);
    fw_text_clear(&logs[1]);
  }
}

/* A table's stamps are seconds: of several readings in one the first counts. */
Test(import_sources, readings_within_a_second) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(5, round);
    size_t same_second = 0, repeated = 0, count = 0;
    fw_power_mw truth[SAMPLES];
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "#Date       Time        gpu   pwr\n#YYYYMMDD   HH:MM:SS    Idx     W\n");
    for (int s = 0; s < SAMPLES; s++) {
      int64_t power = 50 + roll(&d, 300);
      truth[count++] = power * 1000;
      for (int64_t again = roll(&d, 3), last = power; again >= 0; again--) {
        fw_text_add_format(&text, " 20240506   10:00:%02d   0   %lld\n", s, (long long)last);
        if (again == 0) break;
        last = roll(&d, 2) == 0 ? power : power + 1;
        same_second += last != power ? 1 : 0;
        repeated += last == power ? 1 : 0;
      }
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    expect_powers(series_of(&in, "0"), truth, count);
    cr_assert_eq(in.report.decisions[FW_IMPORT_SAME_SECOND], same_second);
    cr_assert_eq(in.report.decisions[FW_IMPORT_DUPLICATE], repeated);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* --- energy counters --- */

/* A counter alone, in mJ: the mean power of each interval, none where it restarts or is read twice within 10 ms. */
Test(import_sources, power_of_a_counter) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(6, round);
    int64_t ms = 0, mj = roll(&d, 1000000000), exact_mj = 0, exact_ms = 0, least_mj = 0, reset_ms = 0;
    size_t resets = 0, shorts = 0, count = 0;
    fw_power_mw truth[SAMPLES];
    fw_text text = FW_TEXT_INIT;
    fw_text_add_format(&text, "t_ms,gpu,energy_mj\n0,0,%lld\n", (long long)mj);
    for (int i = 1; i < SAMPLES; i++) {
      int64_t kind = roll(&d, 8), interval = kind == 0 ? 1 + roll(&d, 9) : 10 + roll(&d, 2000);
      int64_t power = 50 + roll(&d, 500), before = mj;
      ms += interval;
      mj = kind == 1 ? roll(&d, before) : before + power * interval; /* 1 W for 1 ms is 1 mJ */
      fw_text_add_format(&text, "%lld,0,%lld\n", (long long)ms, (long long)mj);
      if (kind == 1) {
        resets++;
        least_mj += mj;
        reset_ms += interval;
      } else if (kind == 0) {
        shorts++;
      } else {
        truth[count++] = power * 1000;
        exact_mj += power * interval;
        exact_ms += interval;
      }
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    const fw_import_gpu *gpu = gpu_of(&in, "0");
    expect_powers(series_of(&in, "0"), truth, count);
    cr_assert_eq(in.report.kind, FW_SERIES_MEAN_TO);
    cr_assert_eq(gpu->counter_resets, resets);
    cr_assert_eq(in.report.decisions[FW_IMPORT_COUNTER_RESET], resets);
    cr_assert_eq(in.report.decisions[FW_IMPORT_SHORT_INTERVAL], shorts);
    cr_assert_eq(gpu->counter_time, exact_ms * FW_NS_PER_MS);
    cr_assert_eq(gpu->reset_time, reset_ms * FW_NS_PER_MS);
    cr_assert(gpu->counter_energy == (fw_energy_pj)exact_mj * (FW_PJ_PER_J / 1000));
    cr_assert(gpu->reset_energy == (fw_energy_pj)least_mj * (FW_PJ_PER_J / 1000));
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* A counter beside a constant power is off by what its scale is off. */
Test(import_sources, a_counter_checks_power) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(7, round);
    int64_t power = 100 + roll(&d, 300), per_cent = 80 + roll(&d, 41), mj = 0;
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "t_s,gpu,power_w,energy_mj\n");
    for (int i = 0; i < SAMPLES; i++, mj += 10 * power * per_cent)
      fw_text_add_format(&text, "%d,0,%lld,%lld\n", i, (long long)power, (long long)mj);
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    double error = fabs((double)per_cent / 100.0 - 1.0);
    cr_assert_float_eq(gpu_of(&in, "0")->counter_error, error, 1e-12); /* quotients of whole numbers */
    if (per_cent != 95 && per_cent != 105) cr_assert_eq(says(&in, "energy counter's mean"), error > 0.05);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* --- who wrote it --- */

/* Every rank of a job logs both GPUs of its node, a little apart: the first counts, or they disagree. */
Test(import_sources, several_loggers) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(8, round);
    int64_t ranks = 2 + roll(&d, 4);
    bool disagree = roll(&d, 4) == 0;
    fw_text text = FW_TEXT_INIT;
    fw_power_mw truth[2][SAMPLES];
    fw_text_add(&text, "t_ms,rank,gpu,power_mw\n");
    for (int i = 0; i < SAMPLES; i++) {
      for (int64_t rank = 0; rank < ranks; rank++) {
        for (int gpu = 0; gpu < 2; gpu++) {
          if (rank == 0) truth[gpu][i] = 300000 + roll(&d, 100000);
          int64_t noise = rank == 0 ? 0 : roll(&d, 1000) + (disagree ? 20000 : 0);
          fw_text_add_format(&text, "%lld,%lld,%d,%lld\n", (long long)(1000 * i + 3 * rank), (long long)rank, gpu,
                             (long long)(truth[gpu][i] + noise));
        }
      }
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    if (disagree) {
      expect_refused(&in, "several loggers that disagree");
    } else {
      expect_accepted(&in);
      cr_assert_eq(in.report.gpu_count, 2);
      expect_powers(series_of(&in, "0"), truth[0], SAMPLES);
      expect_powers(series_of(&in, "1"), truth[1], SAMPLES);
      cr_assert_eq(in.report.decisions[FW_IMPORT_LOGGER_COPY], (size_t)(ranks - 1) * 2 * SAMPLES);
    }
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* An exporter repeats a GPU's power for each of its instances; another family is passed over in silence. */
Test(import_sources, instances_of_a_gpu) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(9, round);
    size_t instances = 0;
    fw_text text = FW_TEXT_INIT;
    fw_power_mw truth[2][SAMPLES] = {{0}};
    int64_t slices[2] = {1 + roll(&d, 7), 1 + roll(&d, 7)};
    for (int i = 0; i < SAMPLES; i++) {
      fw_text_add(&text, "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n");
      for (int gpu = 0; gpu < 2; gpu++) {
        for (int64_t slice = 0; slice < slices[gpu]; slice++) {
          fw_power_mw power = 50000 + roll(&d, 2000);
          if (power > truth[gpu][i]) truth[gpu][i] = power;
          fw_text_add_format(&text, "DCGM_FI_DEV_POWER_USAGE{gpu=\"%d\",GPU_I_ID=\"%lld\"} %lld.%03lld %lld\n", gpu,
                             (long long)slice, (long long)(power / 1000), (long long)(power % 1000),
                             (long long)(START_S + i) * 1000);
          instances += slice > 0 ? 1 : 0;
        }
      }
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    cr_assert_eq(in.report.gpu_count, 2);
    expect_powers(series_of(&in, "0"), truth[0], SAMPLES);
    expect_powers(series_of(&in, "1"), truth[1], SAMPLES);
    cr_assert_eq(in.report.decisions[FW_IMPORT_INSTANCE], instances);
    cr_assert_eq(in.report.steps_complete, SAMPLES);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* A column of totals is no GPU and is not added; a stamp at which a GPU has no value has no sum. */
Test(import_sources, totals_and_partial_sums) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(10, round);
    size_t complete = 0, partial = 0;
    int64_t largest = 0;
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "Time,gpu 0,gpu 1,row total\n");
    for (int i = 0; i < SAMPLES; i++) {
      int64_t first = 100 + roll(&d, 200), second = 100 + roll(&d, 200);
      bool missing = i > 0 && roll(&d, 5) == 0;
      fw_text_add_format(&text, "%lld,%lld W,", (long long)(START_S + 15 * i) * 1000, (long long)first);
      if (!missing) fw_text_add_format(&text, "%lld W", (long long)second);
      fw_text_add_format(&text, ",%lld W\n", (long long)(first + second));
      if (!missing && first + second > largest) largest = first + second;
      complete += missing ? 0 : 1;
      partial += missing ? 1 : 0;
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    cr_assert(in.report.gpu_count == 3 && in.report.total_count == 1 && in.trace.series_count == 2);
    cr_assert(gpu_of(&in, "row total")->total);
    cr_assert_eq(in.report.steps_complete, complete);
    cr_assert_eq(in.report.steps_partial, partial);
    cr_assert_eq(in.report.fleet_largest, largest * 1000);
    cr_assert(in.report.hold_last == gpu_of(&in, "gpu 0")->hold_last + gpu_of(&in, "gpu 1")->hold_last);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* The log of one node of `gpus`, from a second on; its powers begin with `base`. */
static void add_node(fw_text *text, const char *id_column, const char *prefix, int gpus, int64_t from, int64_t base) {
  fw_text_add_format(text, "t_s,%s,power_w\n", id_column);
  for (int64_t t = from; t < from + 10; t++) {
    for (int g = 0; g < gpus; g++)
      fw_text_add_format(text, "%lld,%s%d,%lld\n", (long long)t, prefix, g, (long long)(base + 10 * g));
  }
}

/* Indices of one node are not those of another, in files or in one file; UUIDs are. */
Test(import_sources, nodes_and_their_names) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(11, round);
    int gpus = 1 + (int)roll(&d, 4);
    fw_text a = FW_TEXT_INIT, b = FW_TEXT_INIT, both = FW_TEXT_INIT, later = FW_TEXT_INIT, uuid = FW_TEXT_INIT;
    add_node(&a, "index", "", gpus, 0, 100);
    add_node(&b, "index", "", gpus, 0, 500);
    add_node(&later, "index", "", gpus, 10, 500);
    add_node(&uuid, "uuid", "GPU-", gpus, 0, 100);
    fw_text_add(&both, a.data);
    fw_text_add(&both, b.data);
    imported in;
    char lines[60];
    import_inputs(&in, (const fw_import_input[]){{"a.csv", a.data, a.length}, {"b.csv", b.data, b.length}}, 2, NOTHING);
    expect_accepted(&in);
    cr_assert_eq(in.report.gpu_count, 2 * (size_t)gpus);
    cr_assert_eq(gpu_of(&in, "b/0")->largest, 500000);
    imported_clear(&in);
    import_text(&in, both.data, NOTHING);
    snprintf(lines, sizeof lines, "line 2 and line %d", 10 * gpus + 3);
    expect_refused(&in, lines);
    imported_clear(&in);
    import_text(&in, both.data, &(fw_import_options){.split_on_header = true});
    expect_accepted(&in);
    cr_assert_eq(in.report.gpu_count, 2 * (size_t)gpus);
    cr_assert_eq(in.report.decisions[FW_IMPORT_HEADER_AGAIN], 1);
    imported_clear(&in);
    import_inputs(&in, (const fw_import_input[]){{"a.csv", a.data, a.length}, {"l.csv", later.data, later.length}}, 2,
                  &(fw_import_options){.join = true});
    expect_accepted(&in);
    cr_assert_eq(in.report.gpu_count, (size_t)gpus);
    cr_assert_eq(in.report.gpus[0].sample_count, 20);
    imported_clear(&in);
    import_inputs(&in, (const fw_import_input[]){{"u.csv", uuid.data, uuid.length}, {"v.csv", uuid.data, uuid.length}},
                  2, NOTHING);
    expect_accepted(&in);
    cr_assert_eq(in.report.gpu_count, (size_t)gpus, "the same GPUs, by another logger");
    cr_assert_eq(in.report.decisions[FW_IMPORT_LOGGER_COPY], 10 * (size_t)gpus);
    imported_clear(&in);
    fw_text *texts[] = {&a, &b, &both, &later, &uuid};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      fw_text_clear(texts[i]);
  }
}

/* --- rows and headers --- */

/* Two different readings of one instant: both lines are named, wherever they stand. */
Test(import_sources, conflicting_rows) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(12, round);
    int64_t at = roll(&d, SAMPLES);
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "t_s,gpu,power_w\n");
    for (int i = 0; i < SAMPLES; i++) {
      fw_text_add_format(&text, "%d,0,%d\n", i, 100 + i);
      if (i == at) fw_text_add_format(&text, "%d,0,%d\n", i, 101 + i);
    }
    char lines[60];
    snprintf(lines, sizeof lines, "line %lld and line %lld", (long long)at + 2, (long long)at + 3);
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_refused(&in, lines);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* What no row is, is dropped, counted and located; more than one in ten is not a log. */
Test(import_sources, unreadable_rows) {
  static const char *const rubbish[] = {"Unable to determine the device handle", "12:00,0", "2024,0,1x0.00 W",
                                        "nvidia-smi has failed,,,,"};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(13, round);
    size_t bad = 0, first = 0, line = 1;
    fw_power_mw truth[SAMPLES];
    fw_text text = FW_TEXT_INIT;
    int64_t sides = 5 + roll(&d, 60);
    fw_text_add(&text, "timestamp,index,power.draw [W]\n");
    for (int i = 0; i < SAMPLES; i++) {
      if (i > 0 && roll(&d, sides) == 0) {
        fw_text_add_format(&text, "%s\n", rubbish[roll(&d, 4)]);
        line++;
        if (bad++ == 0) first = line;
      }
      truth[i] = 100000 + 1000 * i;
      fw_text_add_format(&text, "2024/05/06 10:00:%02d.000,0,%d.00 W\n", i, 100 + i);
      line++;
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    if (10 * bad > SAMPLES + bad) {
      expect_refused(&in, "rows cannot be read");
    } else {
      expect_accepted(&in);
      expect_powers(series_of(&in, "0"), truth, SAMPLES);
      cr_assert_eq(in.report.decisions[FW_IMPORT_UNREADABLE], bad);
      cr_assert_eq(event_line(&in, FW_IMPORT_UNREADABLE, 0), first);
    }
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* A logger that was started again, with the same columns or with others. */
Test(import_sources, headers_in_the_middle) {
  static const char *const headers[] = {"t_s,gpu,power_w,temp_c", "t_s,temp_c,gpu,power_w", "power_w,t_s,gpu,temp_c"};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(14, round);
    size_t again = 0, changed = 0;
    fw_power_mw truth[SAMPLES];
    int64_t form = roll(&d, 3);
    fw_text text = FW_TEXT_INIT;
    fw_text_add_format(&text, "%s\n", headers[form]);
    for (int i = 0; i < SAMPLES; i++) {
      if (i > 0 && roll(&d, 8) == 0) {
        int64_t next = roll(&d, 3);
        again += next == form ? 1 : 0;
        changed += next == form ? 0 : 1;
        form = next;
        fw_text_add_format(&text, "%s\n", headers[form]);
      }
      int power = 100 + (int)roll(&d, 300), temperature = 30 + (int)roll(&d, 50);
      truth[i] = power * 1000;
      if (form == 0) fw_text_add_format(&text, "%d,0,%d,%d\n", i, power, temperature);
      if (form == 1) fw_text_add_format(&text, "%d,%d,0,%d\n", i, temperature, power);
      if (form == 2) fw_text_add_format(&text, "%d,%d,0,%d\n", power, i, temperature);
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    expect_powers(series_of(&in, "0"), truth, SAMPLES);
    cr_assert_eq(in.report.decisions[FW_IMPORT_HEADER_AGAIN], again);
    cr_assert_eq(in.report.decisions[FW_IMPORT_SCHEMA_CHANGE], changed);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* power.draw goes before its instant and its average, in any order of columns; a column that is named goes before all.
 * None is ever taken for another, and all are written. */
typedef struct seen_values {
  int64_t values[SAMPLES][FW_IMPORT_VALUE_COUNT];
  size_t count;
} seen_values;

static fw_status see_row(void *context, const fw_import_row *row, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  seen_values *seen = context;
  if (seen->count < SAMPLES) memcpy(seen->values[seen->count++], row->values, sizeof row->values);
  return FW_OK;
}

Test(import_sources, which_power) {
  static const char *const names[] = {"power.draw", "power.draw.instant", "power.draw.average"};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(15, round);
    size_t order[3] = {0, 1, 2}, present = 1 + (size_t)roll(&d, 7), used = 0; /* a bit for each */
    for (size_t i = 2; i > 0; i--) {
      size_t other = (size_t)roll(&d, (int64_t)i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    while ((present >> used & 1) == 0)
      used++;
    bool asked = roll(&d, 3) == 0;
    if (asked) {
      used = 2;
      while ((present >> used & 1) == 0)
        used--;
    }
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "t_s,index");
    for (size_t i = 0; i < 3; i++)
      if ((present >> order[i] & 1) != 0) fw_text_add_format(&text, ",%s [W]", names[order[i]]);
    fw_text_add(&text, "\n");
    int64_t truth[SAMPLES][3];
    for (int t = 0; t < SAMPLES; t++) {
      fw_text_add_format(&text, "%d,0", t);
      for (size_t i = 0; i < 3; i++) {
        if ((present >> order[i] & 1) == 0) continue;
        truth[t][order[i]] = 100000 + 1000 * roll(&d, 500);
        fw_text_add_format(&text, ",%lld W", (long long)(truth[t][order[i]] / 1000));
      }
      fw_text_add(&text, "\n");
    }
    const fw_import_options options = {.power_column = asked ? names[used] : NULL};
    imported in;
    import_text(&in, text.data, &options);
    expect_accepted(&in);
    const fw_series *series = series_of(&in, "0");
    cr_assert_eq(strncmp(in.report.sources[0].power_column, names[used], strlen(names[used])), 0);
    for (int t = 0; t < SAMPLES; t++)
      cr_assert_eq(series->power[t], truth[t][used], "%s", text.data);
    imported_clear(&in);
    seen_values seen = {.count = 0};
    fw_import_report report;
    const fw_import_input input = {"log", text.data, text.length};
    const fw_import_sink sink = {.context = &seen, .row = see_row};
    cr_assert_eq(fw_import_run(&input, 1, &options, &sink, &report, NULL), FW_OK);
    cr_assert_eq(seen.count, SAMPLES);
    for (int t = 0; t < SAMPLES; t++) {
      if (used != 1 && (present & 2) != 0) cr_assert_eq(seen.values[t][FW_IMPORT_INSTANT], truth[t][1]);
      if (used != 2 && (present & 4) != 0) cr_assert_eq(seen.values[t][FW_IMPORT_AVERAGE], truth[t][2]);
    }
    fw_import_report_clear(&report);
    fw_text_clear(&text);
  }
}

static int compare_times(const void *a, const void *b) {
  fw_time_ns first = *(const fw_time_ns *)a, second = *(const fw_time_ns *)b;
  return (first > second) - (first < second);
}

/* A log that is written on change: short intervals while power moves, long ones while it does not. From a quarter of
 * long ones on they are its habit, below they are gaps. */
Test(import_sources, written_on_change) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    dice d = make_dice(16, round);
    int64_t ms = 0, one_in = 2 + roll(&d, 6);
    fw_time_ns intervals[SAMPLES - 1], sorted[SAMPLES - 1], gap_time = 0;
    size_t gaps = 0;
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "t_ms,gpu,power_w\n0,0,100\n");
    for (int i = 0; i < SAMPLES - 1; i++) {
      int64_t interval = roll(&d, one_in) == 0 ? 2000 + roll(&d, 9000) : 100 + roll(&d, 20);
      ms += interval;
      intervals[i] = sorted[i] = interval * FW_NS_PER_MS;
      fw_text_add_format(&text, "%lld,0,%lld\n", (long long)ms, (long long)(100 + roll(&d, 100)));
    }
    qsort(sorted, SAMPLES - 1, sizeof *sorted, compare_times);
    fw_time_ns median = sorted[SAMPLES / 2 - 1], quartile = sorted[(3 * (SAMPLES - 1) + 3) / 4 - 1];
    fw_time_ns held = 3 * (quartile > 3 * median ? quartile : median);
    for (int i = 0; i < SAMPLES - 1; i++) {
      if (intervals[i] <= held) continue;
      gaps++;
      gap_time += intervals[i];
    }
    imported in;
    import_text(&in, text.data, NOTHING);
    expect_accepted(&in);
    const fw_import_gpu *gpu = gpu_of(&in, "0");
    cr_assert_eq(gpu->longest_held, held);
    cr_assert_eq(gpu->gap_count, gaps);
    cr_assert_eq(gpu->gap_time, gap_time);
    cr_assert_eq(gpu->covered, ms * FW_NS_PER_MS - gap_time);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}
