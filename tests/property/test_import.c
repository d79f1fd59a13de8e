/* One random recording, written as each kind of log in random variations, comes back as the same series; what is
 * written of it is read back the same; and what the report says of it is what a sum over the samples says. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/base/text.h"
#include "tests/import_fixture.h"

enum { GPU_LIMIT = 4, TICK_LIMIT = 60, ROUNDS = 150 };

#define START_MS INT64_C(1714989600000)
#define MISSING INT64_MIN

/* Every GPU is read at every tick; a reading is in steps of 10 mW, as nvidia-smi prints it. */
typedef struct recording {
  size_t gpus;
  size_t ticks;
  int64_t time_ms[TICK_LIMIT];
  int64_t power_mw[TICK_LIMIT][GPU_LIMIT];
} recording;

typedef struct generator {
  uint64_t state;
} generator;

static uint64_t draw(generator *g, uint64_t limit) {
  g->state ^= g->state << 13;
  g->state ^= g->state >> 7;
  g->state ^= g->state << 17;
  return (g->state >> 11) % limit;
}

static recording make_recording(generator *g) {
  recording r = {.gpus = 1 + draw(g, GPU_LIMIT), .ticks = 2 + draw(g, TICK_LIMIT - 2)};
  int64_t time = START_MS;
  for (size_t t = 0; t < r.ticks; t++) {
    time += 450 + (int64_t)draw(g, 100);
    r.time_ms[t] = time;
    for (size_t i = 0; i < r.gpus; i++) {
      r.power_mw[t][i] = draw(g, 12) == 0 && t > 0 ? MISSING : 10000 + 10 * (int64_t)draw(g, 60000);
    }
  }
  return r;
}

static const char *spelling(generator *g) {
  static const char *const spellings[] = {"[N/A]", "N/A", "", "ERR!", "[Not Supported]", "nan"};
  return spellings[draw(g, sizeof spellings / sizeof *spellings)];
}

static void add_power(fw_text *text, generator *g, int64_t mw, const char *unit) {
  if (mw == MISSING) {
    fw_text_add(text, spelling(g));
  } else {
    fw_text_add_format(text, "%lld.%02lld%s", (long long)(mw / 1000), (long long)(mw % 1000 / 10), unit);
  }
}

/* --- as nvidia-smi's CSV and its like --- */

typedef enum column { COLUMN_TIME, COLUMN_INDEX, COLUMN_POWER, COLUMN_TEMPERATURE, COLUMN_COUNT } column;

typedef struct variant {
  column order[COLUMN_COUNT];
  const char *separator;
  const char *line_end;
  const char *unit; /* in cells */
  bool unix_time;
  bool quoted;
} variant;

static variant draw_variant(generator *g) {
  static const char *const separators[] = {",", ", ", ";", "\t"};
  variant v = {.separator = separators[draw(g, 4)],
               .line_end = draw(g, 2) == 0 ? "\n" : "\r\n",
               .unit = draw(g, 2) == 0 ? " W" : "",
               .unix_time = draw(g, 3) == 0,
               .quoted = draw(g, 4) == 0};
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    size_t at = draw(g, i + 1);
    v.order[i] = v.order[at];
    v.order[at] = (column)i;
  }
  return v;
}

static void add_header(fw_text *text, const variant *v) {
  static const char *const names[] = {"timestamp", "index", "power.draw [W]", "temperature.gpu"};
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    const char *name = v->order[i] == COLUMN_TIME && v->unix_time ? "t_ms" : names[v->order[i]];
    fw_text_add_format(text, v->quoted ? "%s\"%s\"" : "%s%s", i > 0 ? v->separator : "", name);
  }
  fw_text_add(text, v->line_end);
}

static void add_time(fw_text *text, const variant *v, int64_t ms) {
  if (v->unix_time) {
    fw_text_add_format(text, "%lld", (long long)ms);
  } else { /* all stamps lie within the hour behind 2024/05/06 10:00 */
    int64_t seconds = ms / 1000 - START_MS / 1000;
    fw_text_add_format(text, "2024/05/06 10:%02lld:%02lld.%03lld", (long long)(seconds / 60), (long long)(seconds % 60),
                       (long long)(ms % 1000));
  }
}

static void add_row(fw_text *text, generator *g, const variant *v, const recording *r, size_t tick, size_t gpu) {
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    if (i > 0) fw_text_add(text, v->separator);
    switch (v->order[i]) {
    case COLUMN_TIME:
      add_time(text, v, r->time_ms[tick]);
      break;
    case COLUMN_INDEX:
      fw_text_add_format(text, "%zu", gpu);
      break;
    case COLUMN_POWER:
      add_power(text, g, r->power_mw[tick][gpu], v->unit);
      break;
    default:
      fw_text_add_format(text, "%d", 40 + (int)draw(g, 50));
    }
  }
  fw_text_add(text, v->line_end);
}

static void write_rows(fw_text *text, generator *g, const recording *r) {
  variant v = draw_variant(g);
  char separator = v.separator[0];
  add_header(text, &v);
  for (size_t t = 0; t < r->ticks; t++) {
    if (t > 0 && draw(g, 20) == 0) { /* the logger is started again, perhaps with other columns */
      variant next = draw_variant(g);
      next.separator = v.separator;
      next.line_end = v.line_end;
      if (separator == ',' || !next.quoted) v = next;
      add_header(text, &v);
    }
    for (size_t i = 0; i < r->gpus; i++)
      add_row(text, g, &v, r, t, i);
  }
}

/* --- as others --- */

static void write_wide(fw_text *text, generator *g, const recording *r) {
  fw_text_add(text, draw(g, 2) == 0 ? "sep=,\r\n\"Time\"" : "Time");
  for (size_t i = 0; i < r->gpus; i++)
    fw_text_add_format(text, ",\"{gpu=\"\"%zu\"\"}\"", i);
  fw_text_add(text, "\n");
  for (size_t t = 0; t < r->ticks; t++) {
    fw_text_add_format(text, "%lld", (long long)r->time_ms[t]);
    for (size_t i = 0; i < r->gpus; i++) {
      fw_text_add(text, ",");
      add_power(text, g, r->power_mw[t][i], " W");
    }
    fw_text_add(text, "\n");
  }
}

static void write_scrapes(fw_text *text, generator *g, const recording *r) {
  bool end = draw(g, 2) == 0;
  for (size_t t = 0; t < r->ticks; t++) {
    if (!end) fw_text_add(text, "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n");
    for (size_t i = 0; i < r->gpus; i++) {
      fw_text_add_format(text, "DCGM_FI_DEV_POWER_USAGE{gpu=\"%zu\"} ", i);
      if (r->power_mw[t][i] == MISSING) {
        fw_text_add(text, "NaN");
      } else {
        add_power(text, g, r->power_mw[t][i], "");
      }
      fw_text_add_format(text, " %lld\n", (long long)r->time_ms[t]);
    }
    if (end) fw_text_add(text, "# EOF\n");
  }
}

static void write_answer(fw_text *text, generator *g, const recording *r) {
  const char *blank = draw(g, 2) == 0 ? " " : "\n  ";
  fw_text_add_format(text, "{\"status\":%s\"success\",\"data\":{\"result\":[", blank);
  for (size_t i = 0; i < r->gpus; i++) {
    fw_text_add_format(text, "%s{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"%zu\"},\"values\":[",
                       i > 0 ? "," : "", i);
    for (size_t t = 0; t < r->ticks; t++) {
      fw_text_add_format(text, "%s%s[%lld.%03lld,\"", t > 0 ? "," : "", blank, (long long)(r->time_ms[t] / 1000),
                         (long long)(r->time_ms[t] % 1000));
      if (r->power_mw[t][i] == MISSING) {
        fw_text_add(text, "NaN");
      } else {
        add_power(text, g, r->power_mw[t][i], "");
      }
      fw_text_add(text, "\"]");
    }
    fw_text_add(text, "]}");
  }
  fw_text_add(text, "],\"resultType\":\"matrix\"}}");
}

/* --- packing --- */

static void pack_utf16(const fw_text *text, bool little, bool mark, fw_text *out) {
  const char bom[2] = {little ? '\xFF' : '\xFE', little ? '\xFE' : '\xFF'};
  if (mark) fw_text_add_bytes(out, bom, 2);
  for (size_t i = 0; i < text->length; i++) {
    const char unit[2] = {little ? text->data[i] : '\0', little ? '\0' : text->data[i]};
    fw_text_add_bytes(out, unit, 2);
  }
}

static void pack_gzip(const fw_text *text, fw_text *out) {
  z_stream stream = {0};
  unsigned char chunk[4096];
  cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = (z_const Bytef *)text->data;
  stream.avail_in = (uInt)text->length;
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = chunk;
    stream.avail_out = sizeof chunk;
    result = deflate(&stream, Z_FINISH);
    fw_text_add_bytes(out, (const char *)chunk, sizeof chunk - stream.avail_out);
  }
  cr_assert_eq(result, Z_STREAM_END);
  deflateEnd(&stream);
}

static void pack(generator *g, const fw_text *text, fw_text *out) {
  fw_text encoded = FW_TEXT_INIT;
  switch (draw(g, 4)) {
  case 0:
    pack_utf16(text, draw(g, 2) == 0, draw(g, 2) == 0, &encoded);
    break;
  case 1:
    fw_text_add(&encoded, "\xEF\xBB\xBF");
    fw_text_add_bytes(&encoded, text->data, text->length);
    break;
  default:
    fw_text_add_bytes(&encoded, text->data, text->length);
  }
  if (draw(g, 3) == 0) {
    pack_gzip(&encoded, out);
  } else {
    fw_text_add_bytes(out, encoded.data, encoded.length);
  }
  fw_text_clear(&encoded);
}

/* --- the check --- */

static void check_trace(const fw_trace *trace, const recording *r, const char *what) {
  cr_assert_eq(trace->series_count, r->gpus, "%s: %zu GPUs", what, trace->series_count);
  for (size_t i = 0; i < r->gpus; i++) {
    const fw_series *series = &trace->series[i];
    size_t at = 0;
    cr_assert_eq(series->gpu[0], (char)('0' + i));
    for (size_t t = 0; t < r->ticks; t++) {
      if (r->power_mw[t][i] == MISSING) continue;
      cr_assert_lt(at, series->count, "%s", what);
      cr_assert_eq(series->time[at], r->time_ms[t] * FW_NS_PER_MS, "%s", what);
      cr_assert_eq(series->power[at], r->power_mw[t][i], "%s", what);
      at++;
    }
    cr_assert_eq(at, series->count, "%s", what);
  }
}

/* Of a recording without gaps (no two ticks are three medians apart unless readings are missing). */
static void check_report(const fw_import_report *report, const recording *r) {
  for (size_t i = 0; i < r->gpus; i++) {
    const fw_import_gpu *gpu = &report->gpus[i];
    fw_energy_pj last = 0, next = 0, bridged = 0;
    size_t before = SIZE_MAX, gaps = 0;
    for (size_t t = 0; t < r->ticks; t++) {
      if (r->power_mw[t][i] == MISSING) continue;
      if (before != SIZE_MAX) {
        fw_time_ns interval = (r->time_ms[t] - r->time_ms[before]) * FW_NS_PER_MS;
        bool gap = interval > gpu->longest_held;
        bridged += fw_energy_of(r->power_mw[before][i], interval);
        last += gap ? 0 : fw_energy_of(r->power_mw[before][i], interval);
        next += gap ? 0 : fw_energy_of(r->power_mw[t][i], interval);
        gaps += gap;
      }
      before = t;
    }
    cr_assert(gpu->hold_last == last && gpu->hold_next == next && gpu->bridged == bridged);
    cr_assert_eq(gpu->gap_count, gaps);
    cr_assert_eq(gpu->row_count, r->ticks);
  }
}

static void check_log(generator *g, const recording *r, void (*write)(fw_text *, generator *, const recording *),
                      const char *what) {
  fw_text text = FW_TEXT_INIT, packed = FW_TEXT_INIT;
  imported in;
  write(&text, g, r);
  pack(g, &text, &packed);
  import_bytes(&in, packed.data, packed.length, &(fw_import_options){0});
  cr_assert_eq(in.status, FW_OK, "%s: %s\n%.300s", what,
               in.diagnostics.count > 0 ? in.diagnostics.entries[0].message : "", text.data);
  check_trace(&in.trace, r, what);
  check_report(&in.report, r);
  imported_clear(&in);
  fw_text_clear(&text);
  fw_text_clear(&packed);
}

Test(import, a_recording_comes_back_from_every_format) {
  generator g = {20240506};
  for (int round = 0; round < ROUNDS; round++) {
    recording r = make_recording(&g);
    check_log(&g, &r, write_rows, "rows");
    check_log(&g, &r, write_wide, "wide");
    check_log(&g, &r, write_scrapes, "scrapes");
    check_log(&g, &r, write_answer, "answer");
  }
}

/* Every sample of `trace` is one of the recording's. */
static void check_subset(const fw_trace *trace, const recording *r, const char *what, size_t length) {
  for (size_t s = 0; s < trace->series_count; s++) {
    const fw_series *series = &trace->series[s];
    size_t gpu = (size_t)(series->gpu[0] - '0'), tick = 0;
    cr_assert_lt(gpu, r->gpus, "%s cut to %zu bytes: GPU %s", what, length, series->gpu);
    for (size_t i = 0; i < series->count; i++) {
      while (tick < r->ticks && r->time_ms[tick] * FW_NS_PER_MS < series->time[i])
        tick++;
      cr_assert_lt(tick, r->ticks);
      cr_assert_eq(series->time[i], r->time_ms[tick] * FW_NS_PER_MS, "%s cut to %zu bytes", what, length);
      cr_assert_eq(series->power[i], r->power_mw[tick][gpu], "%s cut to %zu bytes: %lld mW", what, length,
                   (long long)series->power[i]);
    }
  }
}

/* A copy of a live log ends anywhere; no reading may come of it that was not there. */
Test(import, a_cut_log_invents_nothing) {
  static const struct {
    const char *name;
    void (*write)(fw_text *, generator *, const recording *);
  } logs[] = {{"rows", write_rows}, {"wide", write_wide}, {"scrapes", write_scrapes}, {"answer", write_answer}};
  generator g = {11};
  for (int round = 0; round < 12; round++) {
    recording r = make_recording(&g);
    if (r.ticks > 5) r.ticks = 5;
    for (size_t l = 0; l < sizeof logs / sizeof *logs; l++) {
      fw_text text = FW_TEXT_INIT;
      logs[l].write(&text, &g, &r);
      for (size_t length = 1; length < text.length; length++) {
        imported in;
        import_bytes(&in, text.data, length, &(fw_import_options){0});
        if (in.status == FW_OK) check_subset(&in.trace, &r, logs[l].name, length);
        imported_clear(&in);
      }
      fw_text_clear(&text);
    }
  }
}

/* --- what is put into a log on purpose --- */

static void add_plain_row(fw_text *text, const recording *r, size_t tick, size_t gpu, int64_t mw) {
  fw_text_add_format(text, "%lld,%zu,", (long long)r->time_ms[tick], gpu);
  if (mw != MISSING) fw_text_add_format(text, "%lld", (long long)mw);
  fw_text_add(text, "\n");
}

Test(import, duplicates_and_spikes_leave_the_rest_as_it_was) {
  generator g = {12};
  for (int round = 0; round < ROUNDS; round++) {
    recording r = make_recording(&g);
    fw_text text = FW_TEXT_INIT;
    size_t duplicates = 0, spikes = 0;
    fw_text_add(&text, "t_ms,gpu,power_mw\n");
    for (size_t t = 0; t < r.ticks; t++) {
      for (size_t i = 0; i < r.gpus; i++) {
        bool spike = t > 0 && draw(&g, 15) == 0;
        int64_t written = spike ? 2000001 + (int64_t)draw(&g, 1000000000) : r.power_mw[t][i];
        if (spike) r.power_mw[t][i] = MISSING;
        spikes += spike;
        add_plain_row(&text, &r, t, i, written);
        if (draw(&g, 10) != 0) continue;
        add_plain_row(&text, &r, t, i, written);
        duplicates++;
      }
    }
    imported in;
    import_text(&in, text.data, &(fw_import_options){0});
    cr_assert_eq(in.status, FW_OK);
    check_trace(&in.trace, &r, "duplicates and spikes");
    check_report(&in.report, &r);
    cr_assert_eq(in.report.decisions[FW_IMPORT_DUPLICATE], duplicates);
    cr_assert_eq(in.report.decisions[FW_IMPORT_TOO_HIGH], spikes);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* A clock that is set back in mid-log: the energy is that of the two pieces, in the report and in the recording. */
Test(import, a_clock_step_splits_the_energy) {
  generator g = {13};
  for (int round = 0; round < ROUNDS; round++) {
    recording r = make_recording(&g);
    if (r.ticks < 6) continue;
    size_t step = 3 + draw(&g, r.ticks - 5); /* each piece has at least two intervals */
    int64_t back = r.time_ms[step] - r.time_ms[step - 1] + 7;
    fw_energy_pj expected = 0;
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "t_ms,gpu,power_mw\n");
    for (size_t t = 0; t < r.ticks; t++) {
      if (r.power_mw[t][0] == MISSING) r.power_mw[t][0] = 50000;
      if (t >= step) r.time_ms[t] -= back;
      if (t > 0 && t != step) {
        expected += fw_energy_of(r.power_mw[t - 1][0], (r.time_ms[t] - r.time_ms[t - 1]) * FW_NS_PER_MS);
      }
      add_plain_row(&text, &r, t, 0, r.power_mw[t][0]);
    }
    imported in;
    import_text(&in, text.data, &(fw_import_options){0});
    cr_assert_eq(in.status, FW_OK, "%s", text.data);
    cr_assert_eq(in.report.gpus[0].clock_steps, 1);
    cr_assert(in.report.gpus[0].hold_last == expected);
    fw_pieces pieces;
    fw_time_ns covered;
    cr_assert_eq(fw_series_pieces(&in.trace, 0, &pieces, NULL), FW_OK);
    cr_assert(fw_pieces_energy(&pieces, -FW_TIME_MAX, FW_TIME_MAX, &covered) == expected);
    cr_assert_eq(pieces.gap_count, 1);
    fw_pieces_clear(&pieces);
    imported_clear(&in);
    fw_text_clear(&text);
  }
}

/* Log to our CSV, and our CSV to a trace by its own reader: the same as at once. */
Test(import, what_is_written_is_read_back) {
  generator g = {7};
  char path[] = "/tmp/fleetwatt_import_XXXXXX";
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  close(file);
  for (int round = 0; round < 20; round++) {
    recording r = make_recording(&g);
    fw_text text = FW_TEXT_INIT;
    write_rows(&text, &g, &r);
    fw_import_writer *writer;
    fw_import_report report;
    const fw_import_input input = {"log", text.data, text.length};
    cr_assert_eq(fw_import_writer_open(&writer, path, NULL), FW_OK);
    fw_import_sink sink = fw_import_writer_sink(writer);
    cr_assert_eq(fw_import_run(&input, 1, &(fw_import_options){0}, &sink, &report, NULL), FW_OK);
    cr_assert_eq(fw_import_writer_commit(writer, NULL), FW_OK);
    fw_trace trace;
    cr_assert_eq(fw_trace_read(path, FW_SERIES_MEAN_TO, &trace, NULL), FW_OK);
    cr_assert_eq(trace.kind, FW_SERIES_INSTANT, "its kind is in the file");
    check_trace(&trace, &r, "written");
    for (size_t i = 0; i < trace.series_count; i++) {
      fw_pieces pieces;
      cr_assert_eq(fw_series_pieces(&trace, i, &pieces, NULL), FW_OK);
      cr_assert_eq(trace.series[i].longest_held, report.gpus[i].longest_held, "one rule for log and recording");
      cr_assert_eq(pieces.gap_count, report.gpus[i].gap_count);
      cr_assert_eq(pieces.gap_time, report.gpus[i].gap_time);
      fw_pieces_clear(&pieces);
    }
    fw_trace_clear(&trace);
    fw_import_report_clear(&report);
    fw_text_clear(&text);
  }
  unlink(path);
}
