/* Dirty logs of which the truth is known. A generator draws a recording, spoils it by a known number of faults of each
 * kind, and writes it as each format; the import must give the truth back and count exactly those faults. Rules that
 * are about more than one row, source or unit have logs of their own below. */
#include "sim/base/random.h"
#include "sim/base/text.h"
#include "tests/import_fixture.h"

enum { GPUS = 3, TICKS = 90, ROUNDS = 40, ROWS = TICKS * GPUS * 2 };

#define START_S INT64_C(1714989600) /* 2024-05-06T10:00:00Z */
#define START_MS (START_S * 1000)

typedef struct dice {
  fw_stream stream;
  uint64_t next;
} dice;

static dice make_dice(uint32_t number) {
  return (dice){fw_stream_make(2024, FW_DRAW_TEST, number), 0};
}

static int64_t roll(dice *d, int64_t sides) {
  return (int64_t)fw_random_below(d->stream, d->next++, (uint64_t)sides);
}

static bool once_in(dice *d, int64_t times) {
  return roll(d, times) == 0;
}

/* --- a dirty log --- */

typedef enum fault { NONE, MISSING, UNKNOWN_WORD, TOO_HIGH, NEGATIVE, TOO_LOW, NEAR_ZERO, FAULTS } fault;

/* One reading as the log has it, and what is true of it. */
typedef struct reading {
  int64_t time_ms;
  size_t gpu;
  size_t piece; /* the clock was set so often before */
  fault fault;
  int64_t mw;
  bool repeated; /* the row stands there twice */
} reading;

enum { SPELLINGS = 12 };

typedef struct spelled {
  const char *word;
  size_t count;
} spelled;

typedef struct dirty_log {
  spelled spelled[SPELLINGS]; /* of missing readings; filled where they are written */
  reading rows[ROWS];
  size_t count;
  size_t gpus;
  size_t expected[FW_IMPORT_DECISION_COUNT];
  size_t missing;
} dirty_log;

#define LIMIT_W 400 /* power limit, in formats that have it */

/* What a format can say, and how it is written. */
typedef struct format {
  const char *name;
  void (*write)(fw_text *, dice *, dirty_log *);
  int64_t step_mw;    /* of a reading */
  int64_t stamp_ms;   /* of a time */
  bool has_limit;     /* rows carry the power limit */
  bool has_stamps;    /* so there can be gaps */
  bool can_repeat;    /* a row */
  bool can_step_back; /* its stamps */
} format;

static int64_t draw_power(dice *d, const format *f, fault kind) {
  switch (kind) {
  case TOO_HIGH:
    return (f->has_limit ? 2 * LIMIT_W + 1 : 2001) * 1000 + roll(d, 1000000) * f->step_mw;
  case NEGATIVE:
    return -(1 + roll(d, 300)) * f->step_mw;
  case TOO_LOW:
    return LIMIT_W * 1000 / 200 / f->step_mw / 2 * f->step_mw;
  case NEAR_ZERO:
    return f->step_mw < 1000 ? 10 * roll(d, 99) : 0;
  default:
    return 50000 + roll(d, 600) * 1000 + (f->step_mw < 1000 ? 10 * roll(d, 100) : 0);
  }
}

/* Where the limit says what is too low, a reading near zero may be that: only one of the two is drawn. */
static fault draw_fault(dice *d, const format *f, bool first) {
  if (first || !once_in(d, 4)) return NONE;
  fault kind = (fault)(1 + roll(d, FAULTS - 1));
  if (kind == (f->has_limit ? NEAR_ZERO : TOO_LOW)) return NONE;
  return kind;
}

static void count_fault(dirty_log *log, const reading *row) {
  static const fw_import_decision decisions[FAULTS] = {[UNKNOWN_WORD] = FW_IMPORT_UNKNOWN_SPELLING,
                                                       [TOO_HIGH] = FW_IMPORT_TOO_HIGH,
                                                       [NEGATIVE] = FW_IMPORT_TOO_LOW,
                                                       [TOO_LOW] = FW_IMPORT_TOO_LOW,
                                                       [NEAR_ZERO] = FW_IMPORT_NEAR_ZERO};
  if (row->fault == MISSING || row->fault == UNKNOWN_WORD) log->missing++;
  if (row->fault > MISSING) log->expected[decisions[row->fault]]++;
  if (row->repeated) log->expected[FW_IMPORT_DUPLICATE]++;
}

/* A second apart, more or less; sometimes a pause; sometimes the clock is set back by less than its piece is long, to a
 * stamp that was not there: stamps of piece p end in p ms. */
static void draw_rows(dice *d, const format *f, dirty_log *log) {
  int64_t time = START_MS, last = time, piece_start = time;
  size_t piece = 0, in_piece = 0;
  *log = (dirty_log){.gpus = 1 + (size_t)roll(d, GPUS)};
  for (size_t t = 0; t < TICKS; t++) {
    int64_t jitter = f->stamp_ms < 1000 ? 10 * roll(d, 20) : 0;
    bool pause = f->has_stamps && once_in(d, 20);
    time += 1000 + jitter + (pause ? 1000 * (4 + roll(d, 6)) : 0);
    if (f->can_step_back && in_piece > 5 && piece < 9 && once_in(d, 25)) {
      time = piece_start + (last - piece_start) / 2 / 10 * 10 + (int64_t)++piece;
      piece_start = time;
      in_piece = 0;
      log->expected[FW_IMPORT_CLOCK_STEP] += log->gpus;
    }
    for (size_t g = 0; g < log->gpus; g++) {
      reading *row = &log->rows[log->count++];
      *row = (reading){.time_ms = time, .gpu = g, .piece = piece, .fault = draw_fault(d, f, in_piece == 0)};
      row->mw = draw_power(d, f, row->fault);
      row->repeated = f->can_repeat && once_in(d, 15);
      count_fault(log, row);
    }
    last = time;
    in_piece++;
  }
}

static bool is_sample(const reading *row) {
  return row->fault == NONE || row->fault == NEAR_ZERO;
}

/* --- its formats --- */

static void add_decimal(fw_text *text, int64_t mw, int decimals) {
  const char *sign = mw < 0 ? "-" : "";
  long long size = mw < 0 ? -mw : mw;
  if (decimals == 0) {
    fw_text_add_format(text, "%s%lld", sign, size / 1000);
  } else {
    fw_text_add_format(text, "%s%lld.%03lld", sign, size / 1000, size % 1000);
  }
}

static void add_word(fw_text *text, dirty_log *log, const char *word) {
  size_t i = 0;
  while (log->spelled[i].word != NULL && strcmp(log->spelled[i].word, word) != 0)
    i++;
  log->spelled[i].word = word;
  log->spelled[i].count++;
  fw_text_add(text, word);
}

/* A cell of power in W, or one of the words for none. */
static void add_cell(fw_text *text, dice *d, dirty_log *log, const reading *row, int decimals, const char *unit,
                     const char *const *words) {
  if (row->fault == MISSING) {
    int64_t count = 0;
    while (words[count] != NULL)
      count++;
    add_word(text, log, words[roll(d, count)]);
  } else if (row->fault == UNKNOWN_WORD) {
    add_word(text, log, "broken");
  } else {
    add_decimal(text, row->mw, decimals);
    fw_text_add(text, unit);
  }
}

static const char *const cell_words[] = {"[N/A]", "N/A", "", "ERR!", "[Not Supported]", "[Unknown Error]", "nan", NULL};
static const char *const table_words[] = {"-", "N/A", NULL};
static const char *const number_words[] = {"NaN", "+Inf", "-Inf", NULL};

static void add_clock(fw_text *text, const char *day, int64_t ms, bool fraction) {
  int64_t s = ms / 1000 - START_S;
  fw_text_add_format(text, "%s %02lld:%02lld:%02lld", day, (long long)(10 + s / 3600), (long long)(s / 60 % 60),
                     (long long)(s % 60));
  if (fraction) fw_text_add_format(text, ".%03lld", (long long)(ms % 1000));
}

/* As often as the row stands there. */
static void add_line(fw_text *text, fw_text *line, const reading *row) {
  for (int copies = row->repeated ? 2 : 1; copies > 0; copies--)
    fw_text_add(text, line->data);
  fw_text_clear(line);
}

static void write_smi(fw_text *text, dice *d, dirty_log *log) {
  fw_text_add(text, "timestamp, index, power.draw [W], power.limit [W]\n");
  for (size_t i = 0; i < log->count; i++) {
    fw_text line = FW_TEXT_INIT;
    add_clock(&line, "2024/05/06", log->rows[i].time_ms, true);
    fw_text_add_format(&line, ", %zu, ", log->rows[i].gpu);
    add_cell(&line, d, log, &log->rows[i], 3, " W", cell_words);
    fw_text_add_format(&line, ", %d.00 W\n", LIMIT_W);
    add_line(text, &line, &log->rows[i]);
  }
}

static void write_csv(fw_text *text, dice *d, dirty_log *log) {
  fw_text_add(text, "t_ms,gpu,power_w\n");
  for (size_t i = 0; i < log->count; i++) {
    fw_text line = FW_TEXT_INIT;
    fw_text_add_format(&line, "%lld,%zu,", (long long)log->rows[i].time_ms, log->rows[i].gpu);
    add_cell(&line, d, log, &log->rows[i], 3, "", cell_words);
    fw_text_add(&line, "\n");
    add_line(text, &line, &log->rows[i]);
  }
}

static void write_dmon(fw_text *text, dice *d, dirty_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    const reading *row = &log->rows[i];
    if (i == 0 || once_in(d, 30)) {
      fw_text_add(text, "#Date       Time        gpu   pwr gtemp\n#YYYYMMDD   HH:MM:SS    Idx     W     C\n");
    }
    fw_text line = FW_TEXT_INIT;
    add_clock(&line, " 20240506 ", row->time_ms, false);
    fw_text_add_format(&line, "  %zu  ", row->gpu);
    add_cell(&line, d, log, row, 0, "", table_words);
    fw_text_add(&line, "  45\n");
    add_line(text, &line, row);
  }
}

/* No stamps: each GPU's n-th row is of tick n. */
static void write_dcgmi(fw_text *text, dice *d, dirty_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    if (log->rows[i].gpu == 0 && (i == 0 || once_in(d, 10))) {
      fw_text_add(text, "#Entity   POWER     GPUTL\nID        W         %\n");
    }
    fw_text_add_format(text, "GPU %zu     ", log->rows[i].gpu);
    add_cell(text, d, log, &log->rows[i], 3, "", table_words);
    fw_text_add(text, "    97\n");
  }
}

static void write_scrapes(fw_text *text, dice *d, dirty_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    if (log->rows[i].gpu == 0) fw_text_add(text, "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n");
    fw_text_add_format(text, "DCGM_FI_DEV_POWER_USAGE{gpu=\"%zu\"} ", log->rows[i].gpu);
    add_cell(text, d, log, &log->rows[i], 3, "", number_words);
    fw_text_add_format(text, " %lld\n", (long long)log->rows[i].time_ms);
  }
}

static void write_answer(fw_text *text, dice *d, dirty_log *log) {
  fw_text_add(text, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
  for (size_t g = 0; g < log->gpus; g++) {
    fw_text_add_format(text, "%s{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"%zu\"},\"values\":[",
                       g > 0 ? "," : "", g);
    for (size_t i = g; i < log->count; i += log->gpus) {
      const reading *row = &log->rows[i];
      fw_text_add_format(text, "%s[%lld.%03lld,\"", i > g ? "," : "", (long long)(row->time_ms / 1000),
                         (long long)(row->time_ms % 1000));
      add_cell(text, d, log, row, 3, "", number_words);
      fw_text_add(text, "\"]");
    }
    fw_text_add(text, "]}");
  }
  fw_text_add(text, "]}}");
}

static void write_panel(fw_text *text, dice *d, dirty_log *log) {
  fw_text_add(text, "\"Time\"");
  for (size_t g = 0; g < log->gpus; g++)
    fw_text_add_format(text, ",\"{gpu=\"\"%zu\"\"}\"", g);
  for (size_t i = 0; i < log->count; i++) {
    if (log->rows[i].gpu == 0) fw_text_add_format(text, "\n%lld", (long long)log->rows[i].time_ms);
    fw_text_add(text, ",");
    add_cell(text, d, log, &log->rows[i], 3, " W", cell_words);
  }
  fw_text_add(text, "\n");
}

static const format formats[] = {
    {"smi", write_smi, 10, 1, true, true, true, true},
    {"csv", write_csv, 10, 1, false, true, true, true},
    {"dmon", write_dmon, 1000, 1000, false, true, true, false},
    {"dcgmi", write_dcgmi, 10, 1000, false, false, false, false},
    {"prometheus", write_scrapes, 10, 1, false, true, false, true},
    {"range-json", write_answer, 10, 1, false, true, false, true},
    {"grafana", write_panel, 10, 1, false, true, false, true},
};

/* --- the truth --- */

static int compare_int64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Three times the median interval between the rows of a GPU within its pieces, or three times the upper quartile where
 * a quarter is longer than that; sorted, nearest rank. */
static int64_t longest_held(const dirty_log *log, size_t gpu) {
  int64_t intervals[TICKS];
  size_t count = 0;
  for (size_t i = gpu + log->gpus; i < log->count; i += log->gpus) {
    const reading *row = &log->rows[i], *before = &log->rows[i - log->gpus];
    if (row->piece == before->piece) intervals[count++] = row->time_ms - before->time_ms;
  }
  qsort(intervals, count, sizeof *intervals, compare_int64);
  int64_t median = intervals[(count + 1) / 2 - 1], quartile = intervals[(3 * count + 3) / 4 - 1];
  return 3 * (count >= 16 && quartile > 3 * median ? quartile : median);
}

/* The samples of a GPU, one after the other, with their energy and gaps. */
static void check_gpu(const imported *in, const dirty_log *log, const format *f, size_t gpu, size_t *gaps) {
  const fw_series *series = &in->trace.series[gpu];
  const fw_import_gpu *found = &in->report.gpus[gpu];
  const reading *before = NULL;
  int64_t held = longest_held(log, gpu);
  fw_energy_pj energy = 0;
  size_t at = 0;
  for (size_t i = gpu; i < log->count; i += log->gpus) {
    const reading *row = &log->rows[i];
    if (!is_sample(row)) continue;
    cr_assert_lt(at, series->count, "%s", f->name);
    cr_assert_eq(series->power[at], row->mw, "%s: GPU %zu, sample %zu", f->name, gpu, at);
    if (before != NULL && before->piece == row->piece) {
      int64_t interval = row->time_ms - before->time_ms;
      cr_assert_eq(series->time[at] - series->time[at - 1], interval * FW_NS_PER_MS, "%s", f->name);
      if (interval > held) (*gaps)++;
      if (interval <= held) energy += fw_energy_of(before->mw, interval * FW_NS_PER_MS);
    } else if (before != NULL) {
      cr_assert_gt(series->time[at] - series->time[at - 1], held * FW_NS_PER_MS, "%s: a break is a gap", f->name);
    } else if (f->has_stamps) {
      cr_assert_eq(series->time[at], row->time_ms * FW_NS_PER_MS, "%s", f->name);
    }
    before = row;
    at++;
  }
  cr_assert_eq(at, series->count, "%s: GPU %zu", f->name, gpu);
  cr_assert(found->hold_last == energy, "%s: GPU %zu", f->name, gpu);
  cr_assert_eq(found->longest_held, held * FW_NS_PER_MS);
}

static size_t spelled_count(const imported *in, const char *word) {
  for (size_t i = 0; i < in->report.missing_kinds; i++) {
    if (strcmp(in->report.missing[i].spelling, word[0] == '\0' ? "(empty)" : word) == 0)
      return in->report.missing[i].count;
  }
  return 0;
}

static void check_decisions(const imported *in, const dirty_log *log, const format *f) {
  for (int k = 0; k < FW_IMPORT_DECISION_COUNT; k++) {
    bool header = strcmp(f->name, "dmon") == 0 || strcmp(f->name, "dcgmi") == 0;
    if (k == FW_IMPORT_HEADER_AGAIN && header) continue; /* these repeat it by habit */
    cr_assert_eq(in->report.decisions[k], log->expected[k], "%s: %s: %zu, not %zu", f->name,
                 fw_import_decision_names[k], in->report.decisions[k], log->expected[k]);
  }
  cr_assert_eq(in->report.missing_count, log->missing, "%s", f->name);
  for (size_t i = 0; i < SPELLINGS && log->spelled[i].word != NULL; i++)
    cr_assert_eq(spelled_count(in, log->spelled[i].word), log->spelled[i].count, "%s: \"%s\"", f->name,
                 log->spelled[i].word);
}

/* A dirty log without stamps has its ticks a second apart. */
static void number_ticks(dirty_log *log) {
  for (size_t i = 0; i < log->count; i++)
    log->rows[i].time_ms = START_MS + 1000 * (int64_t)(i / log->gpus);
}

Test(import_rules, every_format_gives_the_truth_back) {
  static dirty_log log;
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    const format *f = &formats[k];
    for (uint32_t round = 0; round < ROUNDS; round++) {
      dice d = make_dice(1000 * (uint32_t)k + round);
      fw_text text = FW_TEXT_INIT;
      size_t gaps = 0;
      draw_rows(&d, f, &log);
      if (!f->has_stamps) number_ticks(&log);
      f->write(&text, &d, &log);
      imported in;
      import_text(&in, text.data, &(fw_import_options){.interval = f->has_stamps ? 0 : FW_NS_PER_S});
      cr_assert_eq(in.status, FW_OK, "%s: %s", f->name,
                   in.diagnostics.count > 0 ? in.diagnostics.entries[in.diagnostics.count - 1].message : "");
      cr_assert_str_eq(fw_import_format_names[in.report.sources[0].format], f->name);
      cr_assert_eq(in.trace.series_count, log.gpus, "%s", f->name);
      for (size_t g = 0; g < log.gpus; g++)
        check_gpu(&in, &log, f, g, &gaps);
      log.expected[FW_IMPORT_GAP] = gaps;
      check_decisions(&in, &log, f);
      imported_clear(&in);
      fw_text_clear(&text);
    }
  }
}
