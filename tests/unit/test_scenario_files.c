/* The scenarios that ship: each can be read, the printed schema knows all their keys, and a key of theirs that is one
 * letter off is refused by name, wherever it stands. */
#include <ctype.h>
#include <unistd.h>

#include "tests/scenario_fixture.h"
#include "tests/shipped.h"

/* A recording for those that want one given. */
#define RECORDING FW_SOURCE_DIR "/tests/unit/data/recording.csv"

static const fw_scenario_overrides installed = {.share = FW_SOURCE_DIR, .trace = RECORDING};

/* Beside digests there must be something that says what the scenario is for. */
static bool has_meaning(const fw_scenario *scenario) {
  for (size_t b = 0; b < scenario->expect_count; b++) {
    for (size_t i = 0; i < scenario->expect[b].count; i++) {
      if (scenario->expect[b].checks[i].kind != FW_EXPECT_DIGEST) return true;
    }
  }
  return false;
}

static void read_one(const char *path, const fw_text *text) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  const fw_status status = fw_scenario_parse(text->data, text->length, path, &installed, &scenario, &diagnostics);
  cr_expect_eq(status, FW_OK, "%s:\n%s", path, all_entries(&diagnostics, buffer));
  cr_expect(status != FW_OK || scenario->description[0] != '\0', "%s does not say what it shows", path);
  cr_expect(status != FW_OK || has_meaning(scenario),
            "%s expects nothing of itself, or nothing but digests; give it \"expect\" (docs/check.md)", path);
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
}

Test(scenario_files, can_be_read) {
  cr_expect_gt(for_each_shipped(read_one), 0);
}

/* ---- One letter off ---- */

/* The length of the key that begins at the quote `text`, or 0 where a value begins there. */
static size_t key_length(const char *text) {
  const char *end = strchr(text + 1, '"');
  const char *after = end + 1;
  while (isspace((unsigned char)*after))
    after++;
  return *after == ':' ? (size_t)(end - text - 1) : 0;
}

/* An unknown key is named; where it was the "kind" that tells which keys there are, that is what is missing. */
static bool names_key(const fw_diagnostics *list, const char *key) {
  for (size_t i = 0; i < list->count; i++) {
    const fw_diagnostic *entry = &list->entries[i];
    const char *last = entry->path != NULL ? strrchr(entry->path, '.') : NULL;
    last = last != NULL ? last + 1 : entry->path;
    if (last != NULL && strcmp(last, key) == 0 && strstr(entry->message, "unknown key") != NULL) return true;
    if (strstr(entry->message, "missing key \"kind\"") != NULL) return true;
  }
  return false;
}

/* The key at `at` with its letter number `wrong` changed. */
static void mutate_key(const char *path, const fw_text *text, size_t at, size_t length, size_t wrong) {
  char key[64] = {0};
  char buffer[2000];
  char *copy = malloc(text->length + 1);
  cr_assert(copy != NULL && length < sizeof key);
  memcpy(copy, text->data, text->length + 1);
  char *letter = copy + at + 1 + wrong;
  *letter = *letter == 'q' ? 'z' : 'q';
  memcpy(key, copy + at + 1, length);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  const fw_status status = fw_scenario_parse(copy, text->length, path, &installed, &scenario, &diagnostics);
  cr_expect_eq(status, FW_ERROR_INPUT, "%s: \"%s\" is accepted", path, key);
  cr_expect(names_key(&diagnostics, key), "%s: \"%s\" is not named:\n%s", path, key, all_entries(&diagnostics, buffer));
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  free(copy);
}

static void mutate_all(const char *path, const fw_text *text) {
  size_t keys = 0;
  for (size_t i = 0; i < text->length; i++) {
    if (text->data[i] != '"') continue;
    const size_t length = key_length(text->data + i);
    if (length > 0) {
      for (size_t wrong = 0; wrong < length; wrong++)
        mutate_key(path, text, i, length, wrong);
      keys++;
    }
    i = (size_t)(strchr(text->data + i + 1, '"') - text->data);
  }
  cr_expect_gt(keys, 10, "%s: only %zu keys were found", path, keys);
}

Test(scenario_files, a_key_one_letter_off_is_refused_by_name) {
  cr_expect_gt(for_each_shipped(mutate_all), 0);
}

/* ---- The schema ---- */

static const fw_json_value *schema_root;

static const fw_json_value *followed(const fw_json_value *schema) {
  const fw_json_value *reference = fw_json_get(schema, "$ref");
  if (reference == NULL) return schema;
  return fw_json_get(fw_json_get(schema_root, "$defs"), strrchr(fw_json_string(reference), '/') + 1);
}

/* The case of a variant whose "kind" is that of `object`. */
static const fw_json_value *chosen(const fw_json_value *schema, const fw_json_value *object) {
  const fw_json_value *cases = fw_json_get(schema, "oneOf");
  if (cases == NULL) return schema;
  for (const fw_json_value *one = fw_json_first(cases); one != NULL; one = fw_json_next(one)) {
    const fw_json_value *kind = fw_json_get(fw_json_get(fw_json_get(followed(one), "properties"), "kind"), "const");
    if (strcmp(fw_json_string(kind), fw_json_string(fw_json_get(object, "kind"))) == 0) return followed(one);
  }
  return NULL;
}

static void check_keys(const fw_json_value *schema, const fw_json_value *value) {
  char path[FW_JSON_PATH_SIZE];
  schema = chosen(followed(schema), value);
  cr_assert_not_null(schema, "no case for %s", fw_json_place(value, path).path);
  const bool object = fw_json_type_of(value) == FW_JSON_OBJECT;
  if (!object && fw_json_type_of(value) != FW_JSON_ARRAY) return;
  const fw_json_value *properties = fw_json_get(schema, "properties");
  for (const fw_json_value *one = fw_json_first(value); one != NULL; one = fw_json_next(one)) {
    const fw_json_value *inner = object ? fw_json_get(properties, fw_json_key(one)) : fw_json_get(schema, "items");
    cr_expect_not_null(inner, "the schema does not know %s", fw_json_place(one, path).path);
    if (inner != NULL) check_keys(inner, one);
  }
}

static void check_against_schema(const char *path, const fw_text *text) {
  fw_json *document = NULL;
  cr_assert_eq(fw_json_parse(text->data, text->length, path, &document, NULL), FW_OK);
  check_keys(schema_root, fw_json_root(document));
  fw_json_free(document);
}

Test(scenario_files, have_no_key_that_the_schema_does_not_know) {
  fw_text text = FW_TEXT_INIT;
  fw_json *schema = NULL;
  fw_scenario_schema(&text);
  cr_assert_eq(fw_json_parse(text.data, text.length, "schema", &schema, NULL), FW_OK);
  schema_root = fw_json_root(schema);
  cr_expect_gt(for_each_shipped(check_against_schema), 0);
  fw_json_free(schema);
  fw_text_clear(&text);
}

/* ---- Recordings ---- */

/* The status and the words for a recording of this text. */
static void expect_recording(const char *csv, fw_status wanted, const char *words) {
  char path[] = "/tmp/fleetwatt-recording-XXXXXX";
  const int file = mkstemp(path);
  cr_assert_geq(file, 0);
  cr_assert_eq(fw_file_write(path, csv, strlen(csv), NULL), FW_OK);
  const fw_scenario_overrides overrides = {.trace = path};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  const fw_status status =
      scenario_try(HEAD("60", "1", "'budget_w': 100") ", 'jobs': [{'kind': 'replay', 'class': 'r', 'trace': 'given'}]}",
                   &overrides, &scenario, &diagnostics);
  cr_expect_eq(status, wanted, "%s\n%s", csv, all_entries(&diagnostics, buffer));
  cr_expect(words == NULL || (diagnostics.count == 1 && strstr(diagnostics.entries[0].message, words) != NULL),
            "%s\n%s", csv, all_entries(&diagnostics, buffer));
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  (void)unlink(path);
  (void)close(file);
}

Test(scenario_files, recordings_that_cannot_be_replayed_are_refused) {
  expect_recording("t_s,power_w\n0,100\n0.5,110\n1,120\n", FW_OK, NULL);
  expect_recording("t_s,power_w\n0,100\n0.5,110\n1,120\n9,130\n9.5,100\n", FW_ERROR_INPUT,
                   "has a gap on GPU 0 from 1 s to 9 s (line 5)");
  expect_recording("t_s,power_w\n0,100\n", FW_ERROR_INPUT, "two readings of each");
  expect_recording("t_s,gpu,power_w\n0,a,100\n0.5,a,110\n5,b,120\n5.5,b,110\n", FW_ERROR_INPUT, "no time on all");
  expect_recording("t_s,power_w\n", FW_ERROR_INPUT, NULL);
  expect_recording("", FW_ERROR_INPUT, NULL);
  expect_recording("t_s,power_w\n0,-5\n1,1\n", FW_ERROR_INPUT, NULL);
}
