/* Random scenarios made by the tables that read them: a sound one (tests/random_scenario.h), to which keys are added
 * wherever a table has one that is not there, with values from within its bounds. What the reader does not like,
 * because two keys contradict each other, is taken out again, so that most of what comes out runs. A key that a table
 * gains is tried from then on, without a word here. */
#ifndef FW_TESTS_FUZZ_TABLE_SCENARIO_H
#define FW_TESTS_FUZZ_TABLE_SCENARIO_H

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "sim/scenario/tables.h"
#include "tests/random_scenario.h"

#define TABLE_SCENARIO_PATH FW_SOURCE_DIR "/tests/unit/data/input.json"
#define MOST_ADDED ((size_t)12)

typedef struct grower {
  dice *d;
  cJSON *tree;
  size_t added;
} grower;

static inline double pick_number(dice *d, const fw_field *field, double usual) {
  const bool bounded = field->min != 0.0 || field->max != 0.0;
  const double low = bounded && field->min > -usual ? field->min : bounded ? -usual : 0.0;
  const double high = bounded && field->max >= field->min && field->max < usual ? field->max : usual + low;
  if (roll(d, 6) == 0 && !field->exclusive_min) return low;
  if (roll(d, 6) == 0) return high;
  return low + (high - low) * (1 + roll(d, 200)) / 201.0;
}

static inline double pick_whole(dice *d, const fw_field *field) {
  const double low = field->min > 0.0 ? field->min : 0.0;
  const double high = field->max > 0.0 && field->max < low + 12.0 ? field->max : low + 12.0;
  return low + roll(d, (unsigned)(high - low) + 1);
}

static inline cJSON *pick_value(grower *g, const fw_field *field);

static inline const char *key_of(const fw_field *field, char key[64]) {
  const bool power = field->kind == FW_FIELD_POWER || field->kind == FW_FIELD_POWERS;
  const bool time = field->kind == FW_FIELD_TIME || field->kind == FW_FIELD_TIMES;
  (void)snprintf(key, 64, "%s%s", field->name, power ? "_w" : time ? "_s" : "");
  return key;
}

/* An object with the keys that it must have, and some of the others. */
static inline cJSON *pick_object(grower *g, const fw_record *record, const char *tag) {
  cJSON *object = cJSON_CreateObject();
  if (tag != NULL) (void)cJSON_AddStringToObject(object, "kind", tag);
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    char key[64];
    if (!field->required && roll(g->d, 4) != 0) continue;
    cJSON *value = pick_value(g, field);
    if (value != NULL) cJSON_AddItemToObject(object, key_of(field, key), value);
  }
  return object;
}

static inline cJSON *pick_variant(grower *g, const fw_variant_case *cases) {
  unsigned count = 0;
  while (cases[count].tag != NULL)
    count++;
  const fw_variant_case *one = &cases[roll(g->d, count)];
  return pick_object(g, one->record, one->tag);
}

static inline cJSON *pick_scalar(grower *g, const fw_field *field, fw_field_kind kind) {
  static const char *const words[] = {"g", "c", "plain-job", "job", "given", "recording.csv", "x"};
  unsigned count = 0;
  switch (kind) {
  case FW_FIELD_BOOL:
    return cJSON_CreateBool(roll(g->d, 2) == 1);
  case FW_FIELD_INTEGER:
  case FW_FIELD_UNSIGNED:
    return cJSON_CreateNumber(pick_whole(g->d, field));
  case FW_FIELD_NUMBER:
    return cJSON_CreateNumber(pick_number(g->d, field, 20.0));
  case FW_FIELD_POWER:
    return cJSON_CreateNumber(pick_number(g->d, field, 3000.0));
  case FW_FIELD_TIME:
    return cJSON_CreateNumber(0.5 * (double)(long)(2.0 * pick_number(g->d, field, 120.0)));
  case FW_FIELD_STRING:
    return cJSON_CreateString(words[roll(g->d, sizeof words / sizeof words[0])]);
  case FW_FIELD_ENUM:
    while (field->names[count] != NULL)
      count++;
    return cJSON_CreateString(field->names[roll(g->d, count)]);
  default:
    return NULL;
  }
}

static inline cJSON *pick_list(grower *g, const fw_field *field, fw_field_kind element) {
  cJSON *list = cJSON_CreateArray();
  const unsigned count = (unsigned)field->min_count + roll(g->d, 3);
  for (unsigned i = 0; i < count; i++) {
    cJSON *value = element == FW_FIELD_RECORD    ? pick_object(g, field->record, NULL)
                   : element == FW_FIELD_VARIANT ? pick_variant(g, field->cases)
                                                 : pick_scalar(g, field, element);
    (void)cJSON_AddItemToArray(list, value);
  }
  return list;
}

static inline cJSON *pick_value(grower *g, const fw_field *field) {
  switch (field->kind) {
  case FW_FIELD_NUMBERS:
    return pick_list(g, field, FW_FIELD_NUMBER);
  case FW_FIELD_POWERS:
    return pick_list(g, field, FW_FIELD_POWER);
  case FW_FIELD_TIMES:
    return pick_list(g, field, FW_FIELD_TIME);
  case FW_FIELD_STRINGS:
    return pick_list(g, field, FW_FIELD_STRING);
  case FW_FIELD_RECORDS:
    return pick_list(g, field, FW_FIELD_RECORD);
  case FW_FIELD_VARIANTS:
    return pick_list(g, field, FW_FIELD_VARIANT);
  case FW_FIELD_RECORD:
    return pick_object(g, field->record, NULL);
  case FW_FIELD_VARIANT:
    return pick_variant(g, field->cases);
  case FW_FIELD_FORMAT:
    return cJSON_CreateNumber(1);
  case FW_FIELD_FREE:
    return cJSON_CreateNull();
  default:
    return pick_scalar(g, field, field->kind);
  }
}

/* Whether the object has the field under one of its keys. */
static inline cJSON *member_of(const cJSON *object, const fw_field *field) {
  const size_t length = strlen(field->name);
  for (cJSON *member = object->child; member != NULL; member = member->next) {
    const char *rest = strncmp(member->string, field->name, length) == 0 ? member->string + length : NULL;
    if (rest != NULL && (*rest == '\0' || (*rest == '_' && strlen(rest) <= 4))) return member;
  }
  return NULL;
}

static inline fw_status read_tree(const cJSON *tree, fw_scenario **out, fw_diagnostics *diagnostics) {
  static const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR,
                                                  .trace = FW_SOURCE_DIR "/tests/unit/data/recording.csv"};
  char *text = cJSON_PrintUnformatted(tree);
  if (text == NULL) abort();
  const fw_status status = fw_scenario_parse(text, strlen(text), TABLE_SCENARIO_PATH, &overrides, out, diagnostics);
  cJSON_free(text);
  return status;
}

/* Adds a key if the reader takes it. */
static inline void add_key(grower *g, const fw_field *field, cJSON *object) {
  char key[64];
  cJSON *value = pick_value(g, field);
  if (value == NULL || !cJSON_AddItemToObject(object, key_of(field, key), value)) return;
  fw_scenario *scenario = NULL;
  if (read_tree(g->tree, &scenario, NULL) == FW_OK) {
    g->added++;
  } else {
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
  }
  fw_scenario_free(scenario);
}

static inline void grow_object(grower *g, const fw_record *record, cJSON *object);

static inline void grow_inside(grower *g, const fw_field *field, cJSON *value) {
  if (field->kind == FW_FIELD_RECORD) grow_object(g, field->record, value);
  for (cJSON *item = value->child; field->kind == FW_FIELD_RECORDS && item != NULL; item = item->next)
    grow_object(g, field->record, item);
  const bool one = field->kind == FW_FIELD_VARIANT;
  for (cJSON *item = one ? value : value->child; (one || field->kind == FW_FIELD_VARIANTS) && item != NULL;
       item = one ? NULL : item->next) {
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
    for (size_t i = 0; field->cases[i].tag != NULL && kind != NULL; i++) {
      if (strcmp(field->cases[i].tag, kind->valuestring) == 0) grow_object(g, field->cases[i].record, item);
    }
  }
}

static inline void grow_object(grower *g, const fw_record *record, cJSON *object) {
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    cJSON *member = member_of(object, field);
    if (member != NULL) {
      grow_inside(g, field, member);
    } else if (g->added < MOST_ADDED && roll(g->d, object == g->tree ? 4 : 12) == 0) {
      add_key(g, field, object);
    }
  }
}

/* Enough jobs that threads share those of one run; few ticks. */
static inline void make_crowd(cJSON *tree) {
  cJSON *jobs = cJSON_GetObjectItemCaseSensitive(tree, "jobs");
  (void)cJSON_AddItemToArray(jobs,
                             cJSON_Parse("{\"kind\": \"cycle\", \"class\": \"crowd\", \"count\": 1030, \"phases\": "
                                         "[{\"duration_s\": 1.3, \"power_w\": 300}]}"));
  cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(tree, "topology"), "gpus");
  cJSON_DeleteItemFromObjectCaseSensitive(tree, "duration_ms");
  cJSON_DeleteItemFromObjectCaseSensitive(tree, "warmup_ms");
  (void)cJSON_AddNumberToObject(tree, "duration_s", 20);
}

/* Breakers quick and weak enough to trip within few ticks, and to take the power; unless the tree has others. */
static inline void make_tripping(grower *g) {
  cJSON *electrical = cJSON_GetObjectItemCaseSensitive(g->tree, "electrical");
  if (electrical == NULL) electrical = cJSON_AddObjectToObject(g->tree, "electrical");
  if (cJSON_GetObjectItemCaseSensitive(electrical, "breaker") != NULL) return;
  cJSON *breaker = cJSON_AddObjectToObject(electrical, "breaker");
  (void)cJSON_AddStringToObject(breaker, "on_trip", "outage");
  (void)cJSON_AddNumberToObject(breaker, "outage_s", 0.25 * (1 + roll(g->d, 60)));
  (void)cJSON_AddNumberToObject(breaker, "load_s", 0.25 * roll(g->d, 20));
  (void)cJSON_AddNumberToObject(breaker, "time_constant_s", 1 + roll(g->d, 20));
  (void)cJSON_AddNumberToObject(breaker, "trip", 1.01 + roll(g->d, 60) / 100.0);
  (void)cJSON_AddItemToObject(breaker, "earliest", cJSON_Parse("{\"time_constant_s\": 1, \"trip\": 1.01}"));
}

/* The scenario that the dice make. Free with fw_scenario_free. */
static inline fw_scenario *table_scenario(dice *d, fw_text *shown) {
  const bool aligned = roll(d, 8) == 0;
  fw_text text = fleet_of_dice(d, aligned, !aligned && roll(d, 3) == 0);
  for (size_t i = 0; i < text.length; i++)
    text.data[i] = text.data[i] == '\'' ? '"' : text.data[i];
  cJSON *tree = cJSON_Parse(text.data);
  fw_text_clear(&text);
  if (tree == NULL) abort();
  if (roll(d, 100) == 99) make_crowd(tree);
  grower g = {.d = d, .tree = tree};
  grow_object(&g, &fwi_file_record, tree);
  if (roll(d, 8) == 7) make_tripping(&g);
  fw_scenario *scenario = NULL;
  const fw_status status = read_tree(tree, &scenario, NULL);
  char *final = cJSON_PrintUnformatted(tree);
  fw_text_add(shown, final);
  cJSON_free(final);
  cJSON_Delete(tree);
  if (status != FW_OK) {
    fprintf(stderr, "a scenario that should be sound is refused:\n%s\n", shown->data);
    abort();
  }
  return scenario;
}

#endif
