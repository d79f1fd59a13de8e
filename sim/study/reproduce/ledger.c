/* The tables of a ledger file and what they cannot say: unique ids, and rows of rows in order. */
#include "sim/study/reproduce/ledger.h"

#include <string.h>

#include "policies/policy.h"
#include "sim/base/fields.h"
#include "sim/base/file.h"

#define MOST_NUMBER 1e15
#define MOST_RUNS 1e6
#define MOST_WATTS 1e5

const char *const fw_ledger_metrics[] = {
    "tokens",
    "energy_wh",
    "tokens_per_mwh",
    "wh_per_1k_tokens",
    "cost",
    "carbon_kg",
    "mean_w",
    "breaker_use",
    "breaker_use_earliest",
    "breaker_use_latest",
    "breaker_use_one_lost",
    "trips",
    "trips_earliest",
    "trips_latest",
    "trips_one_lost",
    "dark_s",
    "down_s",
    "lost_tokens",
    "served",
    "wait_mean_s",
    "wait_p95_s",
    "latency_p95_s",
    "first_token_p95_s",
    "peak_w",
    "p99_w",
    "violation_rate",
    "violation_rate_sensed",
    "episodes",
    "longest_episode_s",
    "excess_ws",
    "decisions_above",
    NULL,
};

_Static_assert(FW_COUNT_OF(fw_ledger_metrics) == (size_t)FW_METRIC_COUNT + 2, "one name for each metric, and one more");

static const char *const swing_names[] = {"mean_swing", "peak_swing", "throughput_ratio", NULL};

const char *const fw_tolerance_kind_names[] = {"absolute", "relative", "factor", "three_runs",
                                               "at_most",  "at_least", NULL};

/* ---- Where a figure comes from ---- */

static const fw_field arm_fields[] = {
    FW_FIELD(fw_ledger_arm, scenario, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "file beside the ledger, without .json"),
    FW_FIELD(fw_ledger_arm, policy, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "the arm"),
    FW_ENUM(fw_ledger_arm, metric, fw_ledger_metrics, FW_REQUIRED, "what is taken of each run"),
    FW_FIELD_ABOVE(fw_ledger_arm, window, FW_FIELD_TIME, FW_OPTIONAL, 0, 0, "of metrics that have one"),
    FW_FIELD_ABOVE(fw_ledger_arm, per, FW_FIELD_NUMBER, FW_OPTIONAL, 0, MOST_NUMBER, "the figure is divided by this"),
};
static const fw_ledger_arm arm_defaults = {.per = 1.0};
static const fw_record arm_record = {.name = "ledger_arm",
                                     .doc = "a figure of one arm, mean over its seeds",
                                     .size = sizeof(fw_ledger_arm),
                                     .defaults = &arm_defaults,
                                     .fields = arm_fields,
                                     .field_count = FW_COUNT_OF(arm_fields)};

static const fw_field authority_fields[] = {
    FW_FIELD(fw_ledger_authority, scenario, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "file beside the ledger"),
    {.name = "class",
     .kind = FW_FIELD_STRING,
     .offset = offsetof(fw_ledger_authority, job_class),
     .required = true,
     .doc = "class of the job"},
    FW_ENUM(fw_ledger_authority, actuator, fw_actuator_names, FW_REQUIRED, "swept alone"),
    FW_ENUM(fw_ledger_authority, figure, swing_names, FW_REQUIRED, "what the sweep is judged by"),
};
static const fw_record authority_record = {.name = "ledger_authority",
                                           .doc = "a figure of a sweep of one actuator",
                                           .size = sizeof(fw_ledger_authority),
                                           .fields = authority_fields,
                                           .field_count = FW_COUNT_OF(authority_fields)};

static const fw_field rows_fields[] = {
    FW_FIELD(fw_ledger_rows, of, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "id of an earlier row"),
    FW_FIELD(fw_ledger_rows, over, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "id of an earlier row"),
    FW_FIELD(fw_ledger_rows, times, FW_FIELD_NUMBER, FW_OPTIONAL, -MOST_NUMBER, MOST_NUMBER, "factor on the quotient"),
    FW_FIELD(fw_ledger_rows, plus, FW_FIELD_NUMBER, FW_OPTIONAL, -MOST_NUMBER, MOST_NUMBER, "added to it"),
};
static const fw_ledger_rows rows_defaults = {.times = 1.0};
static const fw_record rows_record = {.name = "ledger_rows",
                                      .doc = "times x of / over + plus",
                                      .size = sizeof(fw_ledger_rows),
                                      .defaults = &rows_defaults,
                                      .fields = rows_fields,
                                      .field_count = FW_COUNT_OF(rows_fields)};

const fw_variant_case fw_ledger_source_cases[] = {
    {"arm", &arm_record}, {"authority", &authority_record}, {"rows", &rows_record}, {NULL, NULL}};

/* ---- Rows ---- */

static const fw_field tolerance_fields[] = {
    FW_ENUM(fw_tolerance, kind, fw_tolerance_kind_names, FW_REQUIRED, "how the distance is measured"),
    FW_FIELD(fw_tolerance, value, FW_FIELD_NUMBER, FW_REQUIRED, 0, MOST_NUMBER, "how far off is inside"),
    FW_FIELD(fw_tolerance, why, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "one line"),
};
static const fw_record tolerance_record = {.name = "tolerance",
                                           .doc = "how far a simulated figure may be off",
                                           .size = sizeof(fw_tolerance),
                                           .fields = tolerance_fields,
                                           .field_count = FW_COUNT_OF(tolerance_fields)};

static const fw_field row_fields[] = {
    FW_FIELD(fw_ledger_row, id, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "name for machines"),
    FW_FIELD(fw_ledger_row, group, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "the published table"),
    FW_FIELD(fw_ledger_row, figure, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "name for people"),
    FW_FIELD(fw_ledger_row, published, FW_FIELD_NUMBER, FW_REQUIRED, -MOST_NUMBER, MOST_NUMBER, "shares, not per cent"),
    FW_FIELD(fw_ledger_row, unit, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "\"%\" shows a share as per cent"),
    FW_FIELD(fw_ledger_row, fitted, FW_FIELD_BOOL, FW_REQUIRED, 0, 0, "a parameter was solved from it"),
    FW_FIELD(fw_ledger_row, independent, FW_FIELD_BOOL, FW_REQUIRED, 0, 0, "neither zero nor derived nor trivial"),
    FW_RECORD(fw_ledger_row, tolerance, &tolerance_record, FW_REQUIRED, "set before the run"),
    FW_FIELD(fw_ledger_row, inside, FW_FIELD_BOOL, FW_REQUIRED, 0, 0, "holds today"),
    FW_FIELD(fw_ledger_row, why, FW_FIELD_STRING, FW_OPTIONAL, 0, 0, "what a miss means"),
    FW_VARIANT(fw_ledger_row, from, fw_ledger_source_cases, FW_REQUIRED, "where the simulated figure comes from"),
};
static const fw_record row_record = {.name = "ledger_row",
                                     .doc = "a published figure and its simulated counterpart",
                                     .size = sizeof(fw_ledger_row),
                                     .fields = row_fields,
                                     .field_count = FW_COUNT_OF(row_fields)};

/* ---- What stands beside the rows ---- */

static const fw_field parameter_fields[] = {
    FW_FIELD(fw_ledger_parameter, name, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "the number"),
    FW_FIELD(fw_ledger_parameter, file, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "where it stands"),
    FW_FIELD(fw_ledger_parameter, fitted_to, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "published figures used for it"),
};
static const fw_record parameter_record = {.name = "ledger_parameter",
                                           .doc = "a number that published figures were used for",
                                           .size = sizeof(fw_ledger_parameter),
                                           .fields = parameter_fields,
                                           .field_count = FW_COUNT_OF(parameter_fields)};

static const fw_field dimension_fields[] = {
    FW_FIELD(fw_ledger_dimension, setting, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "key without its unit"),
    FW_FIELD(fw_ledger_dimension, under, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "from and to count down from that setting"),
    FW_FIELD(fw_ledger_dimension, from, FW_FIELD_NUMBER, FW_REQUIRED, -MOST_NUMBER, MOST_NUMBER, "in W, s or itself"),
    FW_FIELD(fw_ledger_dimension, to, FW_FIELD_NUMBER, FW_REQUIRED, -MOST_NUMBER, MOST_NUMBER, "in W, s or itself"),
};
static const fw_record dimension_record = {.name = "ledger_dimension",
                                           .doc = "a setting that is searched",
                                           .size = sizeof(fw_ledger_dimension),
                                           .fields = dimension_fields,
                                           .field_count = FW_COUNT_OF(dimension_fields)};

static const fw_field search_fields[] = {
    FW_FIELD(fw_ledger_search, scenario, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "file beside the ledger"),
    FW_FIELD(fw_ledger_search, policy, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "the arm"),
    FW_ENUM(fw_ledger_search, objective, fw_ledger_metrics, FW_REQUIRED, "to be high"),
    FW_FIELD_ABOVE(fw_ledger_search, objective_window, FW_FIELD_TIME, FW_OPTIONAL, 0, 0, "its window, if any"),
    FW_ENUM(fw_ledger_search, limited, fw_ledger_metrics, FW_REQUIRED, "to stay low"),
    FW_FIELD_ABOVE(fw_ledger_search, limited_window, FW_FIELD_TIME, FW_OPTIONAL, 0, 0, "its window, if any"),
    FW_FIELD(fw_ledger_search, at_most, FW_FIELD_NUMBER, FW_REQUIRED, -MOST_NUMBER, MOST_NUMBER, "its limit"),
    FW_FIELD(fw_ledger_search, seed, FW_FIELD_UNSIGNED, FW_REQUIRED, 0, 0, "the first of those trained on"),
    FW_FIELD(fw_ledger_search, rounds, FW_FIELD_INTEGER, FW_REQUIRED, 1, 30, "each halves the box"),
    FW_FIELD(fw_ledger_search, points, FW_FIELD_INTEGER, FW_REQUIRED, 1, MOST_RUNS, "of a round"),
    FW_FIELD(fw_ledger_search, seeds, FW_FIELD_INTEGER, FW_REQUIRED, 1, MOST_RUNS, "of a point"),
    FW_FIELD(fw_ledger_search, finalists, FW_FIELD_INTEGER, FW_REQUIRED, 1, MOST_RUNS, "best points of all rounds"),
    FW_FIELD(fw_ledger_search, final_seeds, FW_FIELD_INTEGER, FW_REQUIRED, 1, MOST_RUNS, "of a finalist"),
    FW_RECORDS(fw_ledger_search, dimensions, &dimension_record, FW_REQUIRED, "what is searched"),
};
static const fw_record search_record = {.name = "ledger_search",
                                        .doc = "an arm whose policy is tuned first",
                                        .size = sizeof(fw_ledger_search),
                                        .fields = search_fields,
                                        .field_count = FW_COUNT_OF(search_fields)};

static const fw_field fit_fields[] = {
    FW_FIELD(fw_ledger_fit, row, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "id of the row that is met"),
    {.name = "class",
     .kind = FW_FIELD_STRING,
     .offset = offsetof(fw_ledger_fit, job_class),
     .required = true,
     .doc = "whose update level is solved for"},
    FW_FIELD(fw_ledger_fit, key, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "its name in the file"),
    FW_FIELD(fw_ledger_fit, value, FW_FIELD_NUMBER, FW_REQUIRED, -MOST_NUMBER, MOST_NUMBER, "what it is to be"),
    FW_FIELD_ABOVE(fw_ledger_fit, from_w, FW_FIELD_NUMBER, FW_REQUIRED, 0, MOST_WATTS, "looked for above"),
    FW_FIELD_ABOVE(fw_ledger_fit, to_w, FW_FIELD_NUMBER, FW_REQUIRED, 0, MOST_WATTS, "and below"),
    FW_FIELD(fw_ledger_fit, file, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "where it is written, beside the ledger"),
};
static const fw_record fit_record = {.name = "ledger_fit",
                                     .doc = "a level solved from one row, by simulation",
                                     .size = sizeof(fw_ledger_fit),
                                     .fields = fit_fields,
                                     .field_count = FW_COUNT_OF(fit_fields)};

static const fw_field left_out_fields[] = {
    FW_FIELD(fw_ledger_left_out, figure, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "what"),
    FW_FIELD(fw_ledger_left_out, published, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "its value, with its unit"),
    FW_FIELD(fw_ledger_left_out, why, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "why nothing is simulated for it"),
};
static const fw_record left_out_record = {.name = "ledger_left_out",
                                          .doc = "a published figure without a row",
                                          .size = sizeof(fw_ledger_left_out),
                                          .fields = left_out_fields,
                                          .field_count = FW_COUNT_OF(left_out_fields)};

static const fw_field ledger_fields[] = {
    FW_FORMAT(fw_ledger, format, "fleetwatt_ledger"),
    FW_FIELD(fw_ledger, source, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "where the figures were published"),
    FW_RECORD(fw_ledger, fit, &fit_record, FW_REQUIRED, "the one number that is fitted by simulation"),
    FW_RECORDS(fw_ledger, parameters, &parameter_record, FW_REQUIRED, "what published figures were used for"),
    FW_RECORDS(fw_ledger, choices, &parameter_record, FW_OPTIONAL, "between a few alternatives, made by figures"),
    FW_RECORDS(fw_ledger, searches, &search_record, FW_OPTIONAL, "arms that are tuned first"),
    FW_RECORDS(fw_ledger, rows, &row_record, FW_REQUIRED, "the figures"),
    FW_RECORDS(fw_ledger, left_out, &left_out_record, FW_OPTIONAL, "published figures without a row"),
};
static const fw_record ledger_record = {.name = "ledger",
                                        .doc = "published figures against simulated ones",
                                        .size = sizeof(fw_ledger),
                                        .fields = ledger_fields,
                                        .field_count = FW_COUNT_OF(ledger_fields)};

/* ---- Checks ---- */

static size_t find_before(const fw_ledger *ledger, const char *id, size_t count) {
  size_t i = 0;
  while (i < count && strcmp(fw_ledger_row_at(ledger, i)->id, id) != 0) {
    i++;
  }
  return i;
}

size_t fw_ledger_find(const fw_ledger *ledger, const char *id) {
  return find_before(ledger, id, ledger->rows.count);
}

static const fw_json_value *member(const fw_json_value *object, const char *key) {
  const fw_json_value *found = fw_json_get(object, key);
  return found != NULL ? found : object;
}

static fw_status check_earlier(const fw_ledger *ledger, size_t index, const char *id, const fw_json_value *place,
                               fw_diagnostics *diagnostics) {
  if (find_before(ledger, id, index) < index) {
    return FW_OK;
  }
  char shown[FW_SHOWN_SIZE];
  return fw_json_error(place, diagnostics, "no earlier row has the id \"%s\"; a row made of rows follows them",
                       fw_shown(id, strlen(id), shown));
}

static fw_status check_row(const fw_ledger *ledger, size_t index, const fw_json_value *value,
                           fw_diagnostics *diagnostics) {
  const fw_ledger_row *row = fw_ledger_row_at(ledger, index);
  const fw_json_value *from = member(value, "from");
  fw_status status = FW_OK;
  if (find_before(ledger, row->id, index) < index) {
    char shown[FW_SHOWN_SIZE];
    status = fw_json_error(member(value, "id"), diagnostics, "another row has the id \"%s\"; give each its own",
                           fw_shown(row->id, strlen(row->id), shown));
  }
  if (row->tolerance.kind == FW_TOLERANCE_FACTOR && !(row->tolerance.value >= 1.0)) {
    status = fw_json_error(member(member(value, "tolerance"), "value"), diagnostics, "a factor is at least 1");
  }
  if (row->from.which == &fw_ledger_source_cases[FW_SOURCE_ROWS]) {
    const fw_ledger_rows *rows = row->from.value;
    const fw_status of = check_earlier(ledger, index, rows->of, member(from, "of"), diagnostics);
    const fw_status over = check_earlier(ledger, index, rows->over, member(from, "over"), diagnostics);
    status = status != FW_OK ? status : of != FW_OK ? of : over;
  }
  return status;
}

/* The fit needs the run-by-run figure of one arm. */
static fw_status check_fit(const fw_ledger *ledger, const fw_json_value *root, fw_diagnostics *diagnostics) {
  const size_t index = fw_ledger_find(ledger, ledger->fit.row);
  const fw_json_value *place = member(member(root, "fit"), "row");
  if (index < ledger->rows.count &&
      fw_ledger_row_at(ledger, index)->from.which == &fw_ledger_source_cases[FW_SOURCE_ARM]) {
    return FW_OK;
  }
  return fw_json_error(place, diagnostics, "no row of this id takes its figure from an arm");
}

static fw_status check(const fw_ledger *ledger, const fw_json_value *root, fw_diagnostics *diagnostics) {
  fw_status status = check_fit(ledger, root, diagnostics);
  const fw_json_value *value = fw_json_first(fw_json_get(root, "rows"));
  for (size_t i = 0; i < ledger->rows.count; i++, value = fw_json_next(value)) {
    const fw_status one = check_row(ledger, i, value, diagnostics);
    status = status != FW_OK ? status : one;
  }
  return status;
}

fw_status fw_ledger_parse(const char *text, size_t length, const char *path, fw_ledger *out,
                          fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  *out = (fw_ledger){0};
  fw_status status = fw_json_parse(text, length, path, &document, diagnostics);
  if (status == FW_OK) {
    status = fw_record_decode(&ledger_record, fw_json_root(document), out, diagnostics);
  }
  if (status == FW_OK) {
    status = check(out, fw_json_root(document), diagnostics);
  }
  fw_json_free(document);
  return status;
}

fw_status fw_ledger_read(const char *path, fw_ledger *out, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  *out = (fw_ledger){0};
  fw_status status = fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, diagnostics);
  if (status == FW_OK) {
    status = fw_ledger_parse(text.data, text.length, path, out, diagnostics);
  }
  fw_text_clear(&text);
  return status;
}

void fw_ledger_clear(fw_ledger *ledger) {
  fw_record_clear(&ledger_record, ledger);
}
