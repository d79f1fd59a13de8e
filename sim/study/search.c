/* Rounds of quasi-random points in a box that halves around the best so far, then a final among the winners.
 *
 * Points are Halton's (Numerische Mathematik 2, 1960): deterministic, and even in every projection, so that a rule in
 * which one setting matters is not starved by the others. Halving the box around the incumbent is recursive random
 * search (Ye and Kalyanaraman, ACM SIGMETRICS 2003). On few seeds the best points are the luckiest as well, and the
 * best of all lie at the limit, where half of them seem to break it: so rounds forgive one standard error, and the best
 * of all rounds meet once more on many seeds of their own, where the limit is the limit. Only that decides. */
#include "sim/study/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

typedef struct point {
  double unit[FW_SEARCH_DIMENSIONS]; /* position in the box, 0 to 1 along each dimension */
  double objective;
  double limited;
  double forgiven; /* of an excess over the limit */
} point;

typedef struct searcher {
  const fw_scenario *scenario;
  const fw_search_spec *spec;
  const fw_study_options *options;
  const fw_record *record;      /* of the policy's settings */
  size_t settings_size;         /* with a copy of every list of records in them */
  unsigned char *settings;      /* one after the other, for a round or the final */
  fw_scenario_policy *policies; /* the same */
  point *points;                /* of all rounds, one after the other */
  point *finalists;
  uint64_t next_seed;
  size_t runs;
} searcher;

/* ---- From a position to settings ---- */

/* The radical inverse of `index` in a prime base. */
static double halton(size_t index, size_t dimension) {
  static const size_t bases[FW_SEARCH_DIMENSIONS] = {2, 3, 5, 7, 11, 13, 17, 19};
  const size_t base = bases[dimension];
  double value = 0.0;
  double digit = 1.0;
  for (; index > 0; index /= base) {
    digit /= (double)base;
    value += digit * (double)(index % base);
  }
  return value;
}

static size_t find_dimension(const fw_search_spec *spec, const char *setting, size_t before) {
  size_t i = 0;
  while (i < before && strcmp(spec->dimensions[i].setting, setting) != 0) {
    i++;
  }
  return i;
}

static double draw(const fw_search_dimension *dimension, double unit) {
  if (dimension->choice_count > 0) {
    const size_t index = (size_t)(unit * (double)dimension->choice_count);
    return dimension->choices[index < dimension->choice_count ? index : dimension->choice_count - 1];
  }
  return dimension->from + unit * (dimension->to - dimension->from);
}

static void values_at(const fw_search_spec *spec, const point *at, double values[FW_SEARCH_DIMENSIONS]) {
  for (size_t i = 0; i < spec->dimension_count; i++) {
    const fw_search_dimension *dimension = &spec->dimensions[i];
    const double drawn = draw(dimension, at->unit[i]);
    values[i] = dimension->under != NULL ? values[find_dimension(spec, dimension->under, i)] - drawn : drawn;
  }
}

static const fw_field *find_field(const fw_record *record, const char *name, size_t length) {
  for (size_t i = 0; i < record->field_count; i++) {
    if (strlen(record->fields[i].name) == length && strncmp(record->fields[i].name, name, length) == 0) {
      return &record->fields[i];
    }
  }
  return NULL;
}

/* A setting and the struct that holds it. */
typedef struct target {
  const fw_field *field; /* NULL: there is none of that name */
  unsigned char *holder;
} target;

/* "list[index].key" in the settings' own copy of the list. */
static target find_in_list(const fw_record *record, const char *name, const char *bracket, unsigned char *settings) {
  const fw_field *list = find_field(record, name, (size_t)(bracket - name));
  const char *end = strstr(bracket, "].");
  uint64_t index = 0;
  fw_array array = {0};
  if (list == NULL || list->kind != FW_FIELD_RECORDS || end == NULL ||
      !fw_uint64_parse(bracket + 1, (size_t)(end - bracket) - 1, &index)) {
    return (target){0};
  }
  memcpy(&array, settings + list->offset, sizeof array);
  if (index >= array.count) {
    return (target){0};
  }
  return (target){find_field(list->record, end + 2, strlen(end + 2)),
                  (unsigned char *)array.data + index * list->record->size};
}

static target find_target(const fw_record *record, const char *name, unsigned char *settings) {
  const char *bracket = strchr(name, '[');
  return bracket != NULL ? find_in_list(record, name, bracket, settings)
                         : (target){find_field(record, name, strlen(name)), settings};
}

static bool set_whole(double value, void *place) {
  if (!(fabs(value) < 1e15)) {
    return false;
  }
  const int64_t whole = (int64_t)nearbyint(value);
  memcpy(place, &whole, sizeof whole);
  return true;
}

/* False where the field holds no number, or not that one. */
static bool set_target(target to, double value) {
  if (to.field == NULL) {
    return false;
  }
  void *place = to.holder + to.field->offset;
  if (to.field->present_offset != 0) {
    to.holder[to.field->present_offset] = true;
  }
  switch (to.field->kind) {
  case FW_FIELD_NUMBER:
    memcpy(place, &value, sizeof value);
    return true;
  case FW_FIELD_TIME:
    return fw_time_from_seconds(value, place);
  case FW_FIELD_POWER:
    return fw_power_from_watts(value, place);
  case FW_FIELD_INTEGER:
  case FW_FIELD_UNSIGNED:
    return set_whole(value, place);
  default:
    return false;
  }
}

/* Sizes in a block are such that whatever follows is aligned for anything. */
static size_t padded(size_t size) {
  const size_t unit = _Alignof(max_align_t);
  return (size + unit - 1) / unit * unit;
}

static size_t block_size(const fw_record *record, const void *settings) {
  size_t size = padded(record->size);
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    if (field->kind == FW_FIELD_RECORDS) {
      fw_array array = {0};
      memcpy(&array, (const unsigned char *)settings + field->offset, sizeof array);
      size += padded(array.count * field->record->size);
    }
  }
  return size;
}

/* The scenario's settings with lists of their own, all in one block. */
static void copy_settings(const searcher *search, unsigned char *block) {
  const fw_record *record = search->record;
  size_t used = padded(record->size);
  memcpy(block, search->scenario->policies[search->spec->policy].job_settings, record->size);
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    if (field->kind == FW_FIELD_RECORDS) {
      fw_array array = {0};
      memcpy(&array, block + field->offset, sizeof array);
      const size_t bytes = array.count * field->record->size;
      if (bytes > 0) {
        memcpy(block + used, array.data, bytes);
        array.data = block + used;
      }
      memcpy(block + field->offset, &array, sizeof array);
      used += padded(bytes);
    }
  }
}

static bool may_be_set(const searcher *search, const fw_search_dimension *dimension) {
  copy_settings(search, search->settings);
  return set_target(find_target(search->record, dimension->setting, search->settings),
                    dimension->choice_count > 0 ? dimension->choices[0] : dimension->from);
}

static fw_status check_spec(const searcher *search, fw_diagnostics *diagnostics) {
  const fw_search_spec *spec = search->spec;
  fw_status status = FW_OK;
  if (spec->dimension_count == 0 || spec->dimension_count > FW_SEARCH_DIMENSIONS || spec->rounds == 0 ||
      spec->points == 0 || spec->seeds == 0 || spec->final_seeds == 0 || spec->finalists == 0 ||
      spec->finalists > spec->rounds * spec->points) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a search needs 1 to %zu settings, at least one round, point and seed, and 1 to as many finalists "
                    "as it tries points",
                    FW_SEARCH_DIMENSIONS);
  }
  for (size_t i = 0; i < spec->dimension_count; i++) {
    const fw_search_dimension *dimension = &spec->dimensions[i];
    if (!may_be_set(search, dimension)) {
      status =
          fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                   "\"%s\" is no number, time or power in the settings of the policy \"%s\" and cannot be searched",
                   dimension->setting, search->record->name);
    }
    if (dimension->under != NULL && find_dimension(spec, dimension->under, i) == i) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                        "\"%s\" is to lie under \"%s\", which is not searched before it", dimension->setting,
                        dimension->under);
    }
  }
  return status;
}

static void make_settings(const searcher *search, const point *at, unsigned char *block) {
  const fw_search_spec *spec = search->spec;
  double values[FW_SEARCH_DIMENSIONS];
  copy_settings(search, block);
  values_at(spec, at, values);
  for (size_t i = 0; i < spec->dimension_count; i++) {
    (void)set_target(find_target(search->record, spec->dimensions[i].setting, block), values[i]);
  }
}

/* ---- Trying ---- */

/* What a point came to, and how far the mean of what is limited may be off. */
static fw_status sum_up(const searcher *search, const fwi_samples *samples, size_t index, point *out,
                        fw_diagnostics *diagnostics) {
  fwi_summary objective = {0};
  fwi_summary limited = {0};
  fw_status status = fwi_samples_summary(samples, index, search->spec->objective, &objective, diagnostics);
  status = status == FW_OK ? fwi_samples_summary(samples, index, search->spec->limited, &limited, diagnostics) : status;
  out->objective = objective.estimate.mean;
  out->limited = limited.estimate.mean;
  out->forgiven = limited.deviation / sqrt((double)samples->seeds);
  return status;
}

/* Runs all points on `seeds` seeds that nobody has used before. */
static fw_status try_points(searcher *search, point *points, size_t count, size_t seeds, fwi_samples *samples,
                            fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < count; i++) {
    unsigned char *block = search->settings + i * search->settings_size;
    make_settings(search, &points[i], block);
    search->policies[i] = search->scenario->policies[search->spec->policy];
    search->policies[i].job_settings = block;
  }
  fw_scenario scenario = *search->scenario;
  scenario.policies = search->policies;
  scenario.policy_count = count;
  fw_status status = fwi_samples_take(&scenario, search->next_seed, seeds, search->options, samples, diagnostics);
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    status = sum_up(search, samples, i, &points[i], diagnostics);
  }
  search->next_seed += seeds;
  search->runs += count * seeds;
  return status;
}

/* Within the limit the higher objective wins, beyond it the smaller excess; the earlier point on a tie. */
static bool beats(const point *challenger, const point *holder, double limit) {
  const bool allowed = challenger->limited - challenger->forgiven <= limit;
  if (allowed != (holder->limited - holder->forgiven <= limit)) {
    return allowed;
  }
  return allowed ? challenger->objective > holder->objective : challenger->limited < holder->limited;
}

static size_t best_of(const point *points, size_t count, double limit) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++) {
    best = beats(&points[i], &points[best], limit) ? i : best;
  }
  return best;
}

/* The incumbent first, so that a round of chance does not lose it. */
static void spread_points(const searcher *search, size_t round, const point *incumbent, point *points) {
  const double width = 1.0 / (double)((size_t)1 << (round < 32 ? round : 32));
  for (size_t p = 0; p < search->spec->points; p++) {
    for (size_t d = 0; d < search->spec->dimension_count; d++) {
      const double from = fmin(fmax(incumbent->unit[d] - width / 2.0, 0.0), 1.0 - width);
      points[p].unit[d] = from + width * halton(round * search->spec->points + p + 1, d);
    }
  }
  if (round > 0) {
    points[0] = *incumbent;
  }
}

static fw_status play_rounds(searcher *search, fw_diagnostics *diagnostics) {
  const fw_search_spec *spec = search->spec;
  point incumbent = {.unit = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
  fw_status status = FW_OK;
  for (size_t round = 0; round < spec->rounds && status == FW_OK; round++) {
    fwi_samples samples = {0};
    point *points = &search->points[round * spec->points];
    spread_points(search, round, &incumbent, points);
    status = try_points(search, points, spec->points, spec->seeds, &samples, diagnostics);
    fwi_samples_free(&samples);
    incumbent = points[best_of(points, spec->points, spec->limit)];
  }
  return status;
}

/* The best of all rounds, by repeated choice: `points` is used up. */
static void choose_finalists(searcher *search) {
  size_t left = search->spec->rounds * search->spec->points;
  for (size_t i = 0; i < search->spec->finalists; i++) {
    const size_t best = best_of(search->points, left, search->spec->limit);
    search->finalists[i] = search->points[best];
    search->points[best] = search->points[--left];
  }
}

static fw_status play_final(searcher *search, fw_search_result *out, fw_diagnostics *diagnostics) {
  const fw_search_spec *spec = search->spec;
  fwi_samples samples = {0};
  fwi_summary objective = {0};
  fwi_summary limited = {0};
  choose_finalists(search);
  fw_status status = try_points(search, search->finalists, spec->finalists, spec->final_seeds, &samples, diagnostics);
  for (size_t i = 0; i < spec->finalists; i++) {
    search->finalists[i].forgiven = 0.0;
  }
  const size_t best = best_of(search->finalists, spec->finalists, spec->limit);
  status = status == FW_OK ? fwi_samples_summary(&samples, best, spec->objective, &objective, diagnostics) : status;
  status = status == FW_OK ? fwi_samples_summary(&samples, best, spec->limited, &limited, diagnostics) : status;
  fwi_samples_free(&samples);
  if (status != FW_OK) {
    return status;
  }
  *out = (fw_search_result){.settings = fw_allocate(1, search->settings_size),
                            .objective = objective.estimate,
                            .limited = limited.estimate,
                            .runs = search->runs};
  if (out->settings == NULL) {
    return fw_error_memory(diagnostics, "the settings that a search found");
  }
  make_settings(search, &search->finalists[best], out->settings);
  values_at(spec, &search->finalists[best], out->values);
  return FW_OK;
}

static bool allocate(searcher *search) {
  const fw_search_spec *spec = search->spec;
  const size_t most = spec->points > spec->finalists ? spec->points : spec->finalists;
  size_t tried = 0;
  return fw_size_multiply(spec->rounds, spec->points, &tried) &&
         (search->settings = fw_allocate(most, search->settings_size)) != NULL &&
         (search->policies = fw_allocate(most, sizeof *search->policies)) != NULL &&
         (search->points = fw_allocate(tried, sizeof *search->points)) != NULL &&
         (search->finalists = fw_allocate(spec->finalists, sizeof *search->finalists)) != NULL;
}

static fw_status play(searcher *search, fw_search_result *out, fw_diagnostics *diagnostics) {
  if (!allocate(search)) {
    return fw_error_memory(diagnostics, "a search");
  }
  fw_status status = check_spec(search, diagnostics);
  status = status == FW_OK ? play_rounds(search, diagnostics) : status;
  return status == FW_OK ? play_final(search, out, diagnostics) : status;
}

fw_status fw_search(const fw_scenario *scenario, const fw_search_spec *spec, const fw_study_options *options,
                    fw_search_result *out, fw_diagnostics *diagnostics) {
  const fw_record *record = scenario->policies[spec->policy].job->settings;
  searcher search = {.scenario = scenario,
                     .spec = spec,
                     .options = options,
                     .record = record,
                     .settings_size = block_size(record, scenario->policies[spec->policy].job_settings),
                     .next_seed = spec->first_seed};
  *out = (fw_search_result){0};
  const fw_status status = play(&search, out, diagnostics);
  free(search.settings);
  free(search.policies);
  free(search.points);
  free(search.finalists);
  return status;
}
