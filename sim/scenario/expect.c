/* "expect" resolved: every name, window and ratio found among the scenario's own, as they stand in the file. What a
 * command line takes out of the scenario does not make its file wrong. */
#include "sim/scenario/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/fields.h"
#include "sim/base/memory.h"
#include "sim/scenario/expect_tables.h"
#include "sim/scenario/resolve.h"

#define DIGEST_DIGITS 16

/* One check while it is resolved. */
typedef struct check {
  fwi_resolve *resolve;
  const fw_json_value *place; /* its object */
  fw_time_ns duration;        /* of its block */
  size_t seeds;
  fw_expectation *out;
} check;

/* ---- Arms ---- */

/* The name of a policy of the file, or NULL past the last. A file without policies has one arm. */
static const char *policy_name(const fwi_resolve *resolve, size_t index) {
  const fw_array *policies = &resolve->file->policies;
  if (policies->count == 0) {
    return index == 0 ? FWI_UNCONTROLLED : NULL;
  }
  return index < policies->count ? ((const fwi_file_policy *)policies->data)[index].name : NULL;
}

static fw_status find_policy(const check *c, const char *key, const char *name, size_t *out) {
  size_t count = 0;
  for (; policy_name(c->resolve, count) != NULL; count++) {
    if (strcmp(policy_name(c->resolve, count), name) == 0) {
      *out = count;
      return FW_OK;
    }
  }
  const char **names = fw_allocate(count, sizeof *names);
  if (names == NULL) {
    return fw_error_memory(c->resolve->diagnostics, "the checks of a scenario");
  }
  for (size_t i = 0; i < count; i++) {
    names[i] = policy_name(c->resolve, i);
  }
  char shown[FW_SHOWN_SIZE];
  const char *nearest = fw_nearest_word(name, names, count);
  const fw_status status =
      fw_json_error(fw_record_member(c->place, key), c->resolve->diagnostics,
                    "the scenario has no policy \"%s\"; %s \"%s\"", fw_shown(name, strlen(name), shown),
                    nearest != NULL ? "did you mean" : "its first is", nearest != NULL ? nearest : names[0]);
  free(names);
  return status;
}

static fw_status find_budget(const check *c, double ratio, size_t *out) {
  const fw_array *ratios = &c->resolve->file->oversubscription;
  const size_t count = ratios->count;
  const double *values = ratios->data;
  char number[FW_NUMBER_TEXT_SIZE];
  if (ratio == 0.0) {
    *out = 0;
    return count <= 1 ? FW_OK
                      : fw_json_error(c->place, c->resolve->diagnostics,
                                      "the scenario has %zu budgets; add \"oversubscription\": %s, or another of its "
                                      "ratios",
                                      count, fw_number_format(values[0], 6, number));
  }
  for (size_t i = 0; i < count; i++) {
    if (values[i] == ratio) {
      *out = i;
      return FW_OK;
    }
  }
  const fw_json_value *place = fw_record_member(c->place, "oversubscription");
  if (count == 0) {
    return fw_json_error(place, c->resolve->diagnostics,
                         "the scenario gives its budget in watts, not as ratios; leave the key out");
  }
  return fw_json_error(place, c->resolve->diagnostics, "not among the scenario's ratios; the first is %s",
                       fw_number_format(values[0], 6, number));
}

static fw_status resolve_arm(const check *c, const fwi_file_arm *arm) {
  c->out->why = arm->why;
  const fw_status status = find_policy(c, "policy", arm->policy, &c->out->policy);
  return fwi_first(status, find_budget(c, arm->oversubscription, &c->out->budget));
}

/* ---- Figures ---- */

static fw_status find_window(const check *c, fw_time_ns window) {
  const fw_scenario *scenario = c->resolve->scenario;
  const fw_json_value *place = fw_record_member(c->place, "window");
  char text[FW_UNITS_TEXT_SIZE];
  if (window > c->duration) {
    return fw_json_error(place, c->resolve->diagnostics, "the window of %s s is longer than the runs of its block",
                         fw_time_format(window, text));
  }
  for (size_t i = 0; i < scenario->window_count; i++) {
    if (scenario->windows[i] == window) {
      c->out->window = i;
      return FW_OK;
    }
  }
  return fw_json_error(place, c->resolve->diagnostics, "not among the scenario's windows; the first is of %s s",
                       fw_time_format(scenario->windows[0], text));
}

static fw_status resolve_figure(const check *c, const fwi_file_figure *figure) {
  const fw_metric_info *info = &fw_metric_table[figure->metric];
  c->out->metric = (fw_metric)figure->metric;
  if (!info->windowed) {
    return figure->window == 0 ? FW_OK
                               : fw_json_error(fw_record_member(c->place, "window"), c->resolve->diagnostics,
                                               "%s is of the whole run; leave the window out", info->name);
  }
  if (figure->window == 0) {
    return fw_json_error(c->place, c->resolve->diagnostics, "missing key \"window_s\": %s is of one window",
                         info->name);
  }
  return find_window(c, figure->window);
}

/* ---- Checks ---- */

static fw_status resolve_digest(const check *c, const fwi_file_digest *file) {
  c->out->seed = file->seed_given ? file->seed : c->resolve->file->seed;
  c->out->digest = file->digest;
  const fw_status status = resolve_arm(c, &file->arm);
  if (strlen(file->digest) == DIGEST_DIGITS && strspn(file->digest, "0123456789abcdef") == DIGEST_DIGITS) {
    return status;
  }
  return fwi_first(status, fw_json_error(fw_record_member(c->place, "digest"), c->resolve->diagnostics,
                                         "a digest has 16 digits, each one of 0123456789abcdef; write 16 zeros and "
                                         "let `fleetwatt check --update` fill it in"));
}

static fw_status resolve_range(const check *c, const fwi_file_range *file) {
  c->out->least = file->at_least_given ? file->at_least : -HUGE_VAL;
  c->out->most = file->at_most_given ? file->at_most : HUGE_VAL;
  fw_status status = resolve_arm(c, &file->arm);
  status = fwi_first(status, resolve_figure(c, &file->figure));
  if (!file->at_least_given && !file->at_most_given) {
    status = fw_json_error(c->place, c->resolve->diagnostics, "a range needs \"at_least\", \"at_most\" or both");
  } else if (c->out->least > c->out->most) {
    status = fw_json_error(fw_record_member(c->place, "at_least"), c->resolve->diagnostics,
                           "nothing lies between these bounds; \"at_least\" is above \"at_most\"");
  }
  return status;
}

static fw_status resolve_comparison(const check *c, const fwi_file_comparison *file) {
  c->out->above = file->is == 1;
  c->out->by = file->by;
  c->out->confidence = file->confidence;
  fw_status status = resolve_arm(c, &file->arm);
  status = fwi_first(status, resolve_figure(c, &file->figure));
  status = fwi_first(status, find_policy(c, "than", file->than, &c->out->than));
  if (status == FW_OK && c->out->than == c->out->policy) {
    status = fw_json_error(fw_record_member(c->place, "than"), c->resolve->diagnostics,
                           "an arm cannot be compared with itself");
  }
  if (c->seeds < 2) {
    status = fwi_first(status, fw_json_error(c->place, c->resolve->diagnostics,
                                             "a comparison needs at least 2 seeds; set \"seeds\" of its block"));
  }
  return status;
}

static fw_status resolve_recorded(const check *c, const fwi_file_recorded *file) {
  c->out->value = file->value;
  c->out->tolerance_kind = (fw_expect_tolerance_kind)file->tolerance.kind;
  c->out->tolerance = file->tolerance.value;
  fw_status status = resolve_arm(c, &file->arm);
  status = fwi_first(status, resolve_figure(c, &file->figure));
  if (c->out->tolerance_kind == FW_EXPECT_FACTOR && !(c->out->tolerance >= 1.0 && file->value > 0.0)) {
    status = fwi_first(status, fw_json_error(fw_record_member(c->place, "tolerance"), c->resolve->diagnostics,
                                             "a factor is at least 1, and of a value above 0; \"absolute\" and "
                                             "\"relative\" are not"));
  }
  return status;
}

static fw_status resolve_check(const check *c, const fw_variant *file) {
  char path[FW_JSON_PATH_SIZE];
  c->out->kind = (fw_expect_kind)(file->which - fwi_expect_cases);
  c->out->line = fw_json_place(c->place, path).line;
  switch (c->out->kind) {
  case FW_EXPECT_DIGEST:
    return resolve_digest(c, file->value);
  case FW_EXPECT_RANGE:
    return resolve_range(c, file->value);
  case FW_EXPECT_COMPARISON:
    return resolve_comparison(c, file->value);
  case FW_EXPECT_RECORDED:
    break;
  }
  return resolve_recorded(c, file->value);
}

/* ---- Blocks ---- */

static fw_status check_duration(const fwi_resolve *resolve, const fw_json_value *block, fw_time_ns duration) {
  const fw_scenario *scenario = resolve->scenario;
  const fw_json_value *place = fw_record_member(block, "duration");
  if (duration % scenario->tick != 0) {
    char tick[FW_UNITS_TEXT_SIZE];
    return fw_json_error(place, resolve->diagnostics, "the duration is not a whole number of ticks of %s s",
                         fw_time_format(scenario->tick, tick));
  }
  return scenario->warmup < duration
             ? FW_OK
             : fw_json_error(place, resolve->diagnostics, "the scenario's warm-up leaves nothing of the duration");
}

static fw_status resolve_block(fwi_resolve *resolve, const fwi_file_expect *file, const fw_json_value *place,
                               fw_expect_block *out) {
  fw_expectation *checks = fw_allocate(file->checks.count, sizeof *checks);
  *out = (fw_expect_block){.duration = file->duration > 0 ? file->duration : resolve->file->duration,
                           .seeds = (size_t)(file->seeds > 0 ? file->seeds : resolve->file->seeds),
                           .checks = checks,
                           .count = file->checks.count};
  if (checks == NULL) {
    return fw_error_memory(resolve->diagnostics, "the checks of a scenario");
  }
  fw_status status = file->duration > 0 ? check_duration(resolve, place, file->duration) : FW_OK;
  const fw_json_value *element = fw_json_first(fw_record_member(place, "checks"));
  for (size_t i = 0; i < out->count; i++, element = fw_json_next(element)) {
    const check one = {resolve, element, out->duration, out->seeds, &checks[i]};
    status = fwi_first(status, resolve_check(&one, (const fw_variant *)file->checks.data + i));
  }
  return status;
}

fw_status fwi_resolve_expect(fwi_resolve *resolve) {
  const fw_array *file = &resolve->file->expect;
  fw_expect_block *blocks = fw_allocate(file->count, sizeof *blocks);
  resolve->parts->expect = blocks;
  if (blocks == NULL) {
    return fw_error_memory(resolve->diagnostics, "the checks of a scenario");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; i < file->count; i++) {
    resolve->parts->expect_count++;
    status = fwi_first(status, resolve_block(resolve, (const fwi_file_expect *)file->data + i,
                                             fw_record_element(resolve->root, "expect", i), &blocks[i]));
  }
  resolve->scenario->expect = blocks;
  resolve->scenario->expect_count = file->count;
  return status;
}

void fwi_clear_expect(fw_scenario_parts *parts) {
  for (size_t i = 0; i < parts->expect_count; i++) {
    free((void *)(uintptr_t)parts->expect[i].checks);
  }
  free(parts->expect);
}
