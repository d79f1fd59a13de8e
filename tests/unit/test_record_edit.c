/* Changing one value of a scenario's text: what came out is read by the strict reader and compared with what was asked
 * for; the lines stay where they were. */
#include "sim/base/record_edit.h"

#include "sim/scenario/tables.h"
#include "tests/scenario_fixture.h"

static const char sample[] =
    "{\n  'fleetwatt': 1, 'name': 'a \\'b\\' {[,', 'notes': {'x': ['}', 1]},\n  'gpu': 'plain-gpu', 'duration_h' : 1,\n"
    "  'windows_s': [0.5, 10], 'oversubscription': [1.5, 2],\n  'jobs': [{'kind': 'cycle', 'class': 'c-1.5', 'count': "
    "2, "
    "'phases': [{'duration_s': 60, 'power_w': 400}]},\n    {'kind': 'cycle', 'class': 'd', 'phases': []}],\n"
    "  'policies': [{'name': 'u'}, {'name': 'h', 'job': {'kind': 'hysteresis', 'lower_above': 0.95}}]\n}\n";

static char *sample_text(void) {
  return with_quotes(sample);
}

/* The sample after an edit; free it. */
static char *edited(const char *path, const char *value) {
  char *text = sample_text();
  const fw_record_text source = {&fwi_file_record, text, strlen(text), "s.json"};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text out = FW_TEXT_INIT;
  const fw_status status = fw_record_edit(&source, path, value, &out, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s=%s: %s", path, value, diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  free(text);
  return out.data;
}

/* The edit must be the sample with one stretch replaced, as written here by hand. */
static void expect_edit(const char *path, const char *value, const char *old, const char *new) {
  char *text = sample_text();
  char *from = with_quotes(old);
  char *to = with_quotes(new);
  char *at = strstr(text, from);
  cr_assert_not_null(at, "the test's own text");
  fw_text wanted = FW_TEXT_INIT;
  fw_text_add_bytes(&wanted, text, (size_t)(at - text));
  fw_text_add(&wanted, to);
  fw_text_add(&wanted, at + strlen(from));
  char *got = edited(path, value);
  cr_expect_str_eq(got, wanted.data, "%s=%s", path, value);
  free(got);
  free(text);
  free(from);
  free(to);
  fw_text_clear(&wanted);
}

Test(record_edit, values_are_replaced_where_they_stand) {
  expect_edit("jobs[0].count", "7", "'count': 2", "'count': 7");
  expect_edit("jobs[c-1.5].count", "7", "'count': 2", "'count': 7");
  expect_edit("gpu", "a100", "'gpu': 'plain-gpu'", "'gpu': 'a100'");
  expect_edit("name", "\"12\"", "'name': 'a \\'b\\' {[,'", "'name': '12'");
  expect_edit("jobs[0].phases[0].power_w", "1e2", "'power_w': 400", "'power_w': 1e2");
  expect_edit("policies[h].job.lower_above", "0.9", "0.95", "0.9");
  expect_edit("windows_s[1]", "30", "[0.5, 10]", "[0.5, 30]");
  expect_edit("jobs[1]", "{\"kind\": \"x\"}", "{'kind': 'cycle', 'class': 'd', 'phases': []}", "{'kind': 'x'}");
  expect_edit("policies[h].job.kind", "threshold", "'kind': 'hysteresis'", "'kind': 'threshold'");
}

Test(record_edit, a_quantity_replaces_itself_in_another_unit) {
  expect_edit("duration_s", "90", "'duration_h' : 1", "'duration_s': 90");
  expect_edit("duration", "90 s", "'duration_h' : 1", "'duration': '90 s'");
  expect_edit("jobs[0].phases[0].power_kw", "0.5", "'power_w': 400", "'power_kw': 0.5");
}

Test(record_edit, a_single_value_stands_for_a_list_of_it) {
  expect_edit("oversubscription", "2.5", "[1.5, 2],", "[2.5],");
  expect_edit("oversubscription", " [1, 2.5]", "'oversubscription': [1.5, 2]", "'oversubscription':  [1, 2.5]");
  expect_edit("policies[u].classes", "d", "{'name': 'u'}", "{'name': 'u', 'classes': ['d']}");
}

Test(record_edit, keys_that_are_not_there_are_added) {
  expect_edit("jobs[1].count", "3", "'phases': []}", "'phases': [], 'count': 3}");
  expect_edit("start", "random", "0.95}}]\n", "0.95}}], 'start': 'random'\n");
  expect_edit("topology.gpus_per_node", "4", "0.95}}]\n", "0.95}}], 'topology': {'gpus_per_node': 4}\n");
}

Test(record_edit, null_takes_a_key_away) {
  expect_edit("oversubscription", "null", ", 'oversubscription': [1.5, 2]", "");
  expect_edit("jobs[0].count", "null", ", 'count': 2", "");
  expect_edit("policies[u].name", "null", "{'name': 'u'}", "{}");
  expect_edit("jobs[1].kind", "null", "{'kind': 'cycle', 'class': 'd'", "{'class': 'd'");
  expect_edit("seeds", "null", "{\n", "{\n");
}

static void expect_refusal(const char *path, const char *words) {
  char *text = sample_text();
  const fw_record_text source = {&fwi_file_record, text, strlen(text), "s.json"};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text out = FW_TEXT_INIT;
  cr_expect_eq(fw_record_edit(&source, path, "1", &out, &diagnostics), FW_ERROR_INPUT, "%s", path);
  cr_assert_eq(diagnostics.count, 1, "%s", path);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, words), "%s: %s", path, diagnostics.entries[0].message);
  cr_expect_str_eq(diagnostics.entries[0].path, path);
  cr_expect_eq(out.length, 0);
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&out);
  free(text);
}

Test(record_edit, paths_that_lead_nowhere_are_answered_with_what_is_near) {
  expect_refusal("jobs[0].cuont", "unknown key \"cuont\"; did you mean \"count\"?");
  expect_refusal("oversubscripton", "did you mean \"oversubscription\"?");
  expect_refusal("jobs[9].count", "there is no element 9");
  expect_refusal("jobs[e].count", "no element is named \"e\"; the first is named \"c-1.5\"");
  expect_refusal("jobs.count", "is a list; say which element");
  expect_refusal("jobs[0.count", "a bracket is not closed");
  expect_refusal("gpu.x", "\"gpu\" holds no keys");
  expect_refusal("gpu[0]", "\"gpu\" is no list");
  expect_refusal("policies[u].job.kind", "\"job\" is not there; give all of it as an object");
  expect_refusal("jobs[0]count", "expected a dot");
  expect_refusal("jobs[0].kind.x", "\"kind\" holds no keys");
}

Test(record_edit, the_kind_of_a_value_is_known) {
  static const struct {
    const char *path;
    fw_field_kind kind;
  } places[] = {{"jobs[0].count", FW_FIELD_INTEGER}, {"oversubscription", FW_FIELD_NUMBER}, {"seed", FW_FIELD_UNSIGNED},
                {"windows_s[0]", FW_FIELD_TIME},     {"duration", FW_FIELD_TIME},           {"start", FW_FIELD_ENUM}};
  char *text = sample_text();
  const fw_record_text source = {&fwi_file_record, text, strlen(text), "s.json"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    fw_field_kind kind;
    cr_assert_eq(fw_record_kind_at(&source, places[i].path, &kind, NULL), FW_OK);
    cr_expect_eq(kind, places[i].kind, "%s", places[i].path);
  }
  free(text);
}

Test(record_edit, a_byte_order_mark_stays) {
  static const char text[] = "\xEF\xBB\xBF{\"seeds\": 3, \"seed\": 4}";
  const fw_record_text source = {&fwi_file_record, text, strlen(text), "s.json"};
  fw_text out = FW_TEXT_INIT;
  cr_assert_eq(fw_record_edit(&source, "seed", "7", &out, NULL), FW_OK);
  cr_expect_str_eq(out.data, "\xEF\xBB\xBF{\"seeds\": 3, \"seed\": 7}");
  fw_text_clear(&out);
}

/* What the strict reader makes of the new text is what was asked for, at the line where it was. */
Test(record_edit, later_messages_point_at_the_same_lines) {
  char *text = edited("jobs[0].count", "0");
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_expect_eq(fw_scenario_parse(text, strlen(text), "s.json", NULL, &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_assert_gt(diagnostics.count, 0);
  cr_expect_eq(diagnostics.entries[0].line, 5);
  cr_expect_str_eq(diagnostics.entries[0].path, "jobs[0].count");
  fw_diagnostics_clear(&diagnostics);
  free(text);
}
