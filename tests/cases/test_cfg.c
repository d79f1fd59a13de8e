/* Small configuration files that broke other tools, each with its right answer. The tables below mirror the keys of the
 * cases; the scenario's own tables are tested with the scenario. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/record.h"
#include "tests/comma_locale.h"

#define CASE(name) FW_SOURCE_DIR "/tests/cases/" name

/* Reads and decodes; the caller clears `out` and `diagnostics`. */
static fw_status decode_file(const char *path, const fw_record *record, void *out, fw_diagnostics *diagnostics) {
  fw_json *document;
  memset(out, 0, record->size);
  fw_status status = fw_json_read(path, &document, diagnostics);
  if (status != FW_OK) return status;
  status = fw_record_decode(record, fw_json_root(document), out, diagnostics);
  fw_json_free(document);
  return status;
}

static void expect_fault(const fw_diagnostic *entry, size_t line, const char *path, const char *words) {
  cr_expect_eq(entry->line, line, "line %zu: %s", entry->line, entry->message);
  if (path != NULL) cr_expect_str_eq(entry->path, path);
  cr_expect_not_null(strstr(entry->message, words), "\"%s\" lacks \"%s\"", entry->message, words);
}

/* --- cfg-big-integers: cJSON keeps doubles, and ...993 becomes ...992 ------------------------------------------- */

typedef struct big {
  uint64_t seed;
  int64_t start_unix_ns;
  int64_t samples;
  int64_t ticks;
} big;

static const fw_field big_fields[] = {
    {.name = "seed", .kind = FW_FIELD_UNSIGNED, .offset = offsetof(big, seed)},
    {.name = "start_unix_ns", .kind = FW_FIELD_INTEGER, .offset = offsetof(big, start_unix_ns)},
    {.name = "samples", .kind = FW_FIELD_INTEGER, .offset = offsetof(big, samples)},
    {.name = "ticks", .kind = FW_FIELD_INTEGER, .offset = offsetof(big, ticks)},
};
static const fw_record big_record = {"big", NULL, sizeof(big), NULL, big_fields, 4};

Test(cfg, big_integers) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text echo = FW_TEXT_INIT;
  big out;
  cr_assert_eq(decode_file(CASE("cfg-big-integers/ints.json"), &big_record, &out, &diagnostics), FW_OK);
  fw_text_add_format(&echo, "%" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64, out.seed, out.start_unix_ns, out.samples,
                     out.ticks);
  cr_expect_str_eq(echo.data, "9007199254740993 1491926160718000001 3000000000 1234567890123460");
  fw_text_clear(&echo);
  cr_expect_eq(decode_file(CASE("cfg-big-integers/too_big.json"), &big_record, &out, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  expect_fault(&diagnostics.entries[0], 2, "seed", "64 bits");
  cr_expect_eq(out.seed, 0, "not clamped");
  fw_diagnostics_clear(&diagnostics);
}

/* --- cfg-case-folding: cJSON_GetObjectItem takes Budget_W for budget_w ------------------------------------------ */

typedef struct row {
  char *id;
  fw_power_mw limit;
} row;

typedef struct site {
  fw_power_mw budget;
  fw_array rows; /* of row */
} site;

static const fw_field row_fields[] = {
    {.name = "id", .kind = FW_FIELD_STRING, .offset = offsetof(row, id), .required = true},
    {.name = "limit", .kind = FW_FIELD_POWER, .offset = offsetof(row, limit), .required = true},
};
static const fw_record row_record = {"row", NULL, sizeof(row), NULL, row_fields, 2};
static const fw_field site_fields[] = {
    {.name = "budget", .kind = FW_FIELD_POWER, .offset = offsetof(site, budget), .required = true},
    {.name = "rows", .kind = FW_FIELD_RECORDS, .offset = offsetof(site, rows), .record = &row_record},
};
static const fw_record site_record = {"site", NULL, sizeof(site), NULL, site_fields, 2};

Test(cfg, case_folding) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  site out;
  cr_expect_eq(decode_file(CASE("cfg-case-folding/case.json"), &site_record, &out, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  expect_fault(&diagnostics.entries[0], 2, "Budget_W", "unknown key \"Budget_W\"; did you mean \"budget_w\"?");
  fw_diagnostics_clear(&diagnostics);
  fw_record_clear(&site_record, &out);
}

Test(cfg, case_folding_without_the_line) {
  fw_text text;
  fw_json *document;
  site out;
  cr_assert_eq(fw_file_read(CASE("cfg-case-folding/case.json"), 4096, &text, NULL), FW_OK);
  char *line = strstr(text.data, " \"Budget_W\": 9999,\n");
  cr_assert_not_null(line);
  memset(line, ' ', strcspn(line, "\n"));
  cr_assert_eq(fw_json_parse(text.data, text.length, NULL, &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(&site_record, fw_json_root(document), &out, NULL), FW_OK);
  const row *rows = out.rows.data;
  cr_expect_eq(out.budget, 5000 * FW_MW_PER_W);
  cr_assert_eq(out.rows.count, 2);
  cr_expect(rows[0].limit == 3000 * FW_MW_PER_W && rows[1].limit == 2000 * FW_MW_PER_W);
  cr_expect_str_eq(rows[0].id, "Row1");
  cr_expect_str_eq(rows[1].id, "row1");
  fw_record_clear(&site_record, &out);
  fw_json_free(document);
  fw_text_clear(&text);
}

/* --- cfg-comma-locale: strtod stops at the point, printf writes a comma ----------------------------------------- */

typedef struct priced {
  fw_power_mw budget;
  fw_array windows; /* of fw_time_ns */
  double tariff_per_kwh;
  fw_array pairs; /* of double */
} priced;

static const fw_field priced_fields[] = {
    {.name = "note", .kind = FW_FIELD_FREE},
    {.name = "budget", .kind = FW_FIELD_POWER, .offset = offsetof(priced, budget)},
    {.name = "windows", .kind = FW_FIELD_TIMES, .offset = offsetof(priced, windows)},
    {.name = "tariff_per_kwh", .kind = FW_FIELD_NUMBER, .offset = offsetof(priced, tariff_per_kwh)},
    {.name = "pairs", .kind = FW_FIELD_NUMBERS, .offset = offsetof(priced, pairs)},
};
static const fw_record priced_record = {"priced", NULL, sizeof(priced), NULL, priced_fields, 5};

static void print_priced(const priced *in, fw_text *out) {
  const fw_time_ns *windows = in->windows.data;
  const double *pairs = in->pairs.data;
  fw_text_add(out, "{\"budget_w\": ");
  fw_text_add_number(out, fw_power_to_watts(in->budget), 9);
  for (size_t i = 0; i < in->windows.count; i++) {
    fw_text_add(out, i == 0 ? ", \"windows_s\": [" : ", ");
    fw_text_add_number(out, fw_time_to_seconds(windows[i]), 9);
  }
  fw_text_add(out, "], \"tariff_per_kwh\": ");
  fw_text_add_number(out, in->tariff_per_kwh, 9);
  for (size_t i = 0; i < in->pairs.count; i++) {
    fw_text_add(out, i == 0 ? ", \"pairs\": [" : ", ");
    fw_text_add_number(out, pairs[i], 9);
  }
  fw_text_add(out, "]}");
}

static void check_priced(void) {
  fw_text text = FW_TEXT_INIT;
  priced out;
  cr_assert_eq(decode_file(CASE("cfg-comma-locale/scenario.json"), &priced_record, &out, NULL), FW_OK);
  print_priced(&out, &text);
  cr_expect_str_eq(text.data, "{\"budget_w\": 314.6, \"windows_s\": [0.5, 10, 30], \"tariff_per_kwh\": 0.08, "
                              "\"pairs\": [1, 2]}");
  cr_expect_eq(out.tariff_per_kwh, 0.08);
  fw_text_clear(&text);
  fw_record_clear(&priced_record, &out);
}

Test(cfg, comma_locale) {
  check_priced();
  enter_comma_locale();
  check_priced();
}

/* --- cfg-duplicate-keys: first wins here, last wins there ------------------------------------------------------- */

Test(cfg, duplicate_keys) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  cr_expect_eq(fw_json_read(CASE("cfg-duplicate-keys/dup.json"), &document, &diagnostics), FW_ERROR_INPUT);
  cr_expect_null(document);
  cr_assert_eq(diagnostics.count, 1);
  expect_fault(&diagnostics.entries[0], 5, "budget_w",
               "the key \"budget_w\" stands in line 3 and again in line 5; keep one");
  fw_diagnostics_clear(&diagnostics);
}

/* --- cfg-not-json: one relaxation each, accepted by one reader and refused by the next -------------------------- */

Test(cfg, not_json) {
  static const struct {
    const char *path;
    size_t line;
    size_t column;
    const char *words;
  } files[] = {
      {CASE("cfg-not-json/comment.json"), 2, 2, "no comments"},
      {CASE("cfg-not-json/trailing.json"), 2, 28, "no comma may stand before it"},
      {CASE("cfg-not-json/nan.json"), 2, 14, "no NaN"},
      {CASE("cfg-not-json/infinity.json"), 2, 14, "no Infinity"},
      {CASE("cfg-not-json/overflow.json"), 2, 14, "not finite"},
      {CASE("cfg-not-json/leading_zero.json"), 2, 14, "leading zeros"},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    fw_json *document;
    cr_expect_eq(fw_json_read(files[i].path, &document, &diagnostics), FW_ERROR_INPUT);
    cr_expect_null(document);
    cr_assert_eq(diagnostics.count, 1);
    expect_fault(&diagnostics.entries[0], files[i].line, NULL, files[i].words);
    cr_expect_eq(diagnostics.entries[0].column, files[i].column, "%s", files[i].path);
    fw_diagnostics_clear(&diagnostics);
  }
}

/* --- cfg-units-in-strings: units dropped, misread or missing ---------------------------------------------------- */

typedef struct powered {
  fw_power_mw power;
} powered;

typedef struct sources {
  powered a, b, c, d, e, f, g;
} sources;

static const fw_field powered_fields[] = {
    {.name = "power", .kind = FW_FIELD_POWER, .offset = offsetof(powered, power), .required = true}};
static const fw_record powered_record = {"powered", NULL, sizeof(powered), NULL, powered_fields, 1};

#define SOURCE(letter)                                                                                                 \
  { .name = #letter, .kind = FW_FIELD_RECORD, .offset = offsetof(sources, letter), .record = &powered_record }
static const fw_field sources_fields[] = {SOURCE(a), SOURCE(b), SOURCE(c), SOURCE(d), SOURCE(e), SOURCE(f), SOURCE(g)};
static const fw_record sources_record = {"sources", NULL, sizeof(sources), NULL, sources_fields, 7};

Test(cfg, units_in_strings) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  sources out;
  cr_expect_eq(decode_file(CASE("cfg-units-in-strings/units.json"), &sources_record, &out, &diagnostics),
               FW_ERROR_INPUT);
  cr_expect_eq(out.a.power, 500 * FW_MW_PER_W);
  cr_expect_eq(out.b.power, 500 * FW_MW_PER_W);
  cr_expect_eq(out.c.power, 500 * FW_MW_PER_W);
  cr_assert_eq(diagnostics.count, 4);
  expect_fault(&diagnostics.entries[0], 12, "d.power", "unknown unit \"KVA\"; did you mean \"kVA\"?");
  expect_fault(&diagnostics.entries[1], 15, "e.power", "needs a power factor");
  expect_fault(&diagnostics.entries[2], 18, "f.power",
               "500 has no unit: write \"power_w\": 500 or \"power\": \"500 W\"");
  expect_fault(&diagnostics.entries[3], 21, "g.power_w", "expected a number in W");
  cr_expect(out.d.power == 0 && out.e.power == 0 && out.f.power == 0 && out.g.power == 0);
  fw_record_clear(&sources_record, &out);
  fw_diagnostics_clear(&diagnostics);
}

/* --- cfg-unknown-key: skipped by others, and the study ran without its budget ----------------------------------- */

typedef struct phase {
  fw_time_ns duration;
  fw_power_mw power;
} phase;

typedef struct jobs {
  int64_t count;
  fw_time_ns stagger;
  int64_t gpus;
  fw_array phases; /* of phase */
} jobs;

typedef struct fleet {
  int64_t gpus;
  fw_power_mw idle;
} fleet;

typedef struct study {
  fw_time_ns horizon;
  fw_power_mw budget;
  fleet fleet;
  jobs jobs;
} study;

static const fw_field phase_fields[] = {
    {.name = "duration", .kind = FW_FIELD_TIME, .offset = offsetof(phase, duration), .required = true},
    {.name = "power", .kind = FW_FIELD_POWER, .offset = offsetof(phase, power), .required = true},
};
static const fw_record phase_record = {"phase", NULL, sizeof(phase), NULL, phase_fields, 2};
static const fw_field jobs_fields[] = {
    {.name = "count", .kind = FW_FIELD_INTEGER, .offset = offsetof(jobs, count)},
    {.name = "stagger", .kind = FW_FIELD_TIME, .offset = offsetof(jobs, stagger)},
    {.name = "gpus", .kind = FW_FIELD_INTEGER, .offset = offsetof(jobs, gpus)},
    {.name = "phases", .kind = FW_FIELD_RECORDS, .offset = offsetof(jobs, phases), .record = &phase_record},
};
static const fw_record jobs_record = {"jobs", NULL, sizeof(jobs), NULL, jobs_fields, 4};
static const fw_field fleet_fields[] = {
    {.name = "gpus", .kind = FW_FIELD_INTEGER, .offset = offsetof(fleet, gpus)},
    {.name = "idle", .kind = FW_FIELD_POWER, .offset = offsetof(fleet, idle)},
};
static const fw_record fleet_record = {"fleet", NULL, sizeof(fleet), NULL, fleet_fields, 2};
static const fw_field study_fields[] = {
    {.name = "horizon", .kind = FW_FIELD_TIME, .offset = offsetof(study, horizon)},
    {.name = "budget", .kind = FW_FIELD_POWER, .offset = offsetof(study, budget)},
    {.name = "fleet", .kind = FW_FIELD_RECORD, .offset = offsetof(study, fleet), .record = &fleet_record},
    {.name = "jobs", .kind = FW_FIELD_RECORD, .offset = offsetof(study, jobs), .record = &jobs_record},
};
static const fw_record study_record = {"study", NULL, sizeof(study), NULL, study_fields, 4};

Test(cfg, unknown_key) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  study out;
  cr_expect_eq(decode_file(CASE("cfg-unknown-key/typo.json"), &study_record, &out, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 2, "both in one pass, and \"notes\" is free");
  expect_fault(&diagnostics.entries[0], 3, "buget_w", "did you mean \"budget_w\"?");
  expect_fault(&diagnostics.entries[1], 10, "jobs.stager_s", "did you mean \"stagger_s\"?");
  fw_record_clear(&study_record, &out);
  fw_diagnostics_clear(&diagnostics);
}
