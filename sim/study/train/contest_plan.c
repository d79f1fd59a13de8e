/* Contests as files. */
#include "sim/base/fields.h"
#include "sim/study/train/contest.h"

const char *const fw_contest_kind_names[FW_CONTEST_KINDS] = {
    [FW_CONTEST_STATIC] = "static",
    [FW_CONTEST_MIX] = "mix",
    [FW_CONTEST_SCHEDULE] = "schedule",
    [FW_CONTEST_THRESHOLD] = "threshold",
    [FW_CONTEST_HYSTERESIS] = "hysteresis",
    [FW_CONTEST_RANDOM] = "random",
    [FW_CONTEST_PPO] = "ppo",
};

static const fw_contest_entry entry_defaults = {.window = 30 * FW_NS_PER_S, .limit = 0.0227, .runs = 4096};

static const fw_field entry_fields[] = {
    FW_FIELD(fw_contest_entry, scenario, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "scenario file, beside this one"),
    FW_FIELD(fw_contest_entry, text, FW_FIELD_STRING, FW_OPTIONAL, 0, 0, "what is to be said of it"),
    FW_FIELD(fw_contest_entry, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0,
             "job classes that are controlled; default: all"),
    {.name = "weights",
     .kind = FW_FIELD_STRINGS,
     .offset = offsetof(fw_contest_entry, weights),
     .required = true,
     .min_count = 5,
     .doc = "trained policies, each of its own seed, beside this file"},
    FW_FIELD_ABOVE(fw_contest_entry, window, FW_FIELD_TIME, FW_OPTIONAL, 0, 1e9, "window that is judged"),
    FW_FIELD_ABOVE(fw_contest_entry, limit, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 1,
                   "on the mean share of time above the budget"),
    FW_FIELD(fw_contest_entry, runs, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1, 1e9,
             "that tuning one rule at one limit may cost"),
};

static const fw_record entry_record = {.name = "contest_entry",
                                       .doc = "one contest",
                                       .size = sizeof(fw_contest_entry),
                                       .defaults = &entry_defaults,
                                       .fields = entry_fields,
                                       .field_count = FW_COUNT_OF(entry_fields)};

static const fw_field fields[] = {
    FW_FORMAT(fw_contest_plan, format, "fleetwatt_contest"),
    FW_RECORDS(fw_contest_plan, entries, &entry_record, FW_REQUIRED, "the contests"),
};

const fw_record fw_contest_plan_record = {.name = "contest",
                                          .doc = "trained policies against tuned rules",
                                          .size = sizeof(fw_contest_plan),
                                          .fields = fields,
                                          .field_count = FW_COUNT_OF(fields)};

fw_status fw_contest_plan_read(const char *path, fw_contest_plan *out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_status status = fw_json_read(path, &document, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = fw_record_decode(&fw_contest_plan_record, fw_json_root(document), out, diagnostics);
  if (status != FW_OK) {
    fw_record_clear(&fw_contest_plan_record, out);
  }
  fw_json_free(document);
  return status;
}
