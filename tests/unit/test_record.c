/* Records: the expected values and messages are written out beside each text. */
#include "sim/base/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/sample_record.h"

static fw_status decode(const char *text, top *out, fw_diagnostics *diagnostics) {
  fw_json *document;
  fw_status status = fw_json_parse(text, strlen(text), "t.json", &document, diagnostics);
  cr_assert_eq(status, FW_OK, "not JSON: %s", text);
  memset(out, 0xA5, sizeof *out); /* the decoder must not rely on what it is given */
  status = fw_record_decode(&top_record, fw_json_root(document), out, diagnostics);
  fw_json_free(document);
  cr_assert_eq(status, diagnostics->status);
  return status;
}

static top accept(const char *text) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  top out;
  fw_status status = decode(text, &out, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s: %s", text, diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  return out;
}

/* Checks that `text` gives exactly the faults listed, each as "path: message" in order. */
static void refuse(const char *text, size_t count, const char *const faults[]) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  top out;
  cr_expect_eq(decode(text, &out, &diagnostics), FW_ERROR_INPUT, "accepted: %s", text);
  fw_record_clear(&top_record, &out);
  for (size_t i = 0; i < diagnostics.count; i++) {
    char line[1024];
    const fw_diagnostic *entry = &diagnostics.entries[i];
    (void)snprintf(line, sizeof line, "%s: %s", entry->path != NULL ? entry->path : "", entry->message);
    cr_expect_gt(entry->line, 0);
    if (i < count) cr_expect_str_eq(line, faults[i]);
  }
  cr_expect_eq(diagnostics.count, count, "%s: %zu faults", text, diagnostics.count);
  fw_diagnostics_clear(&diagnostics);
}

static void refuse_one(const char *text, const char *fault) {
  refuse(text, 1, &fault);
}

Test(record, every_kind_is_decoded) {
  top out = accept("{\"on\": true, \"signed_count\": -7, \"seed\": 18446744073709551615, \"share\": 0.25,"
                   "\"name\": \"n\\u00e9\", \"shape\": \"logistic\", \"budget_kw\": 3.2, \"period\": \"500 ms\","
                   "\"gains\": [0, 1.5, 2], \"levels_w\": [100, 0.0005], \"windows\": [\"1 min\", \"0.5 s\"],"
                   "\"tags\": [\"a\", \"\"], \"leaf\": {\"gain\": 3}, \"leaves\": [{\"gain\": 1, \"level_mw\": 2}],"
                   "\"policy\": {\"kind\": \"leaf\", \"gain\": 9},"
                   "\"policies\": [{\"kind\": \"node\", \"name\": \"x\"}, {\"gain\": 8, \"kind\": \"leaf\"}],"
                   "\"tree\": [{\"name\": \"r\", \"children\": [{\"name\": \"c\"}]}],"
                   "\"provenance\": {\"any\": [1, null]}, \"notes\": 5, \"x_mine\": {}}");
  cr_expect(out.on && out.signed_count == -7 && out.seed == UINT64_MAX && out.share == 0.25);
  cr_expect_str_eq(out.name, "n\xC3\xA9");
  cr_expect(out.shape == SHAPE_LOGISTIC && out.budget == 3200000 && out.budget_given);
  cr_expect_eq(out.period, FW_NS_PER_S / 2);
  cr_assert_eq(out.gains.count, 3);
  cr_expect_eq(((double *)out.gains.data)[1], 1.5);
  cr_assert_eq(out.levels.count, 2);
  cr_expect_eq(((fw_power_mw *)out.levels.data)[0], 100000);
  cr_expect_eq(((fw_power_mw *)out.levels.data)[1], 1, "half a milliwatt rounds away from zero");
  cr_assert_eq(out.windows.count, 2);
  cr_expect_eq(((fw_time_ns *)out.windows.data)[0], 60 * FW_NS_PER_S);
  cr_assert_eq(out.tags.count, 2);
  cr_expect_str_eq(((char **)out.tags.data)[0], "a");
  cr_expect(out.leaf.gain == 3 && out.leaf.level == 7000, "what a nested record leaves out has its default");
  cr_assert_eq(out.leaves.count, 1);
  cr_expect_eq(((leaf *)out.leaves.data)[0].level, 2000000000, "\"_mw\" is megawatts");
  cr_assert_eq(out.policy.which, &sample_policies[0]);
  cr_expect_eq(((leaf *)out.policy.value)->gain, 9);
  cr_assert_eq(out.policies.count, 2);
  cr_expect_str_eq(((node *)((fw_variant *)out.policies.data)[0].value)->name, "x");
  cr_expect_eq(((leaf *)((fw_variant *)out.policies.data)[1].value)->gain, 8);
  cr_assert_eq(out.tree.count, 1);
  cr_expect_str_eq(((node *)((node *)out.tree.data)[0].children.data)[0].name, "c");
  fw_record_clear(&top_record, &out);
  top empty;
  memset(&empty, 0, sizeof empty);
  cr_expect_eq(memcmp(&out, &empty, sizeof out), 0, "cleared is zeroed");
}

Test(record, what_is_left_out_has_its_default) {
  top out = accept("{\"budget_w\": 1, \"gains\": [1, 1], \"tags\": []}");
  cr_expect(!out.on && out.share == 0.5 && out.shape == SHAPE_LOG2 && out.period == 5 * FW_NS_PER_S);
  cr_expect(out.leaf.gain == 1 && out.leaf.level == 7000, "a nested record has the defaults of its own table");
  cr_expect(out.name == NULL && out.policy.which == NULL && out.policy.value == NULL);
  cr_expect(out.tags.data == NULL && out.tags.count == 0 && out.leaves.data == NULL);
  fw_record_clear(&top_record, &out);
}

Test(record, all_spellings_of_a_quantity_are_one_value) {
  static const char *const powers[] = {
      "{\"budget_w\": 3200}",    "{\"budget_kw\": 3.2}",     "{\"budget_mw\": 0.0032}",      "{\"budget\": \"3200 W\"}",
      "{\"budget\": \"3.2kW\"}", "{\"budget\": \"3.2 kW\"}", "{\"budget\": \"0.0032   MW\"}"};
  static const char *const times[] = {"\"period_s\": 86400",      "\"period_ms\": 86400000",  "\"period_min\": 1440",
                                      "\"period_h\": 24",         "\"period_d\": 1",          "\"period\": \"86400 s\"",
                                      "\"period\": \"86.4e6ms\"", "\"period\": \"1440 min\"", "\"period\": \"24 h\"",
                                      "\"period\": \"1 d\""};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
    top out = accept(powers[i]);
    cr_expect_eq(out.budget, 3200000, "%s", powers[i]);
    fw_record_clear(&top_record, &out);
  }
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    char text[96];
    (void)snprintf(text, sizeof text, "{\"budget_w\": 1, %s}", times[i]);
    top out = accept(text);
    cr_expect_eq(out.period, 86400 * FW_NS_PER_S, "%s", times[i]);
    fw_record_clear(&top_record, &out);
  }
}

Test(record, unknown_keys_get_the_nearest_spelling) {
  refuse("{\"buget_w\": 5}", 2,
         (const char *const[]){"buget_w: unknown key \"buget_w\"; did you mean \"budget_w\"?",
                               ": missing key \"budget_w\": power that the feed carries"});
  refuse_one("{\"budget_w\": 1, \"Period_MS\": 5}",
             "Period_MS: unknown key \"Period_MS\"; did you mean \"period_ms\"?");
  refuse_one("{\"budget_w\": 1, \"leaf\": {\"gian\": 1, \"gain\": 1}}",
             "leaf.gian: unknown key \"gian\"; did you mean \"gain\"?");
  refuse_one("{\"budget_w\": 1, \"temperature\": 5}",
             "temperature: unknown key \"temperature\"; run `fleetwatt schema` to see the keys of \"top\"");
  refuse_one("{\"budget_w\": 1, \"leaf\": {\"gain\": 1, \"kind\": \"leaf\"}}",
             "leaf.kind: unknown key \"kind\"; the keys of \"leaf\" are gain, level_w, level_kw, level_mw, level");
  refuse_one("{\"budget_w\": 1, \"policy\": {\"kind\": \"leaf\", \"gain\": 1, \"knid\": 1}}",
             "policy.knid: unknown key \"knid\"; did you mean \"kind\"?");
}

Test(record, wrong_types_name_both) {
  refuse("[]", 1, (const char *const[]){": expected an object, found an array"});
  refuse_one("{\"budget_w\": null}", "budget_w: expected a number in W, found null");
  refuse_one("{\"budget_w\": [1]}", "budget_w: expected a number in W, found an array");
  refuse_one("{\"budget\": true}", "budget: expected a power with its unit such as \"500 W\", found a boolean");
  refuse_one("{\"budget_w\": 1, \"on\": 1}", "on: expected true or false, found a number");
  refuse_one("{\"budget_w\": 1, \"seed\": \"1\"}", "seed: expected a whole number, found a string");
  refuse_one("{\"budget_w\": 1, \"name\": 1}", "name: expected a string, found a number");
  refuse_one("{\"budget_w\": 1, \"tags\": \"a\"}",
             "tags: expected an array, found a string; a list of one element needs its brackets too");
  refuse_one("{\"budget_w\": 1, \"tags\": [\"a\", 1, \"b\"]}", "tags[1]: expected a string, found a number");
  refuse_one("{\"budget_w\": 1, \"leaves\": [{\"gain\": 1}, 2]}", "leaves[1]: expected an object, found a number");
  refuse_one("{\"budget_w\": 1, \"policy\": \"leaf\"}", "policy: expected an object, found a string");
}

Test(record, integers_are_exact_or_refused) {
  top out = accept("{\"budget_w\": 1, \"seed\": 9007199254740993}");
  cr_expect_eq(out.seed, UINT64_C(9007199254740993));
  fw_record_clear(&top_record, &out);
  refuse_one("{\"budget_w\": 1, \"seed\": 18446744073709551616}",
             "seed: must be from 0 to 18446744073709551615 (64 bits), is 18446744073709551616");
  refuse_one("{\"budget_w\": 1, \"seed\": -1}", "seed: must be from 0 to 18446744073709551615 (64 bits), is -1");
  refuse_one("{\"budget_w\": 1, \"seed\": 1e3}",
             "seed: expected a whole number, written without point and exponent, found 1e3");
  refuse_one("{\"budget_w\": 1, \"signed_count\": 1.5}",
             "signed_count: expected a whole number, written without point and exponent, found 1.5");
  refuse_one("{\"budget_w\": 1, \"signed_count\": -11}",
             "signed_count: must be at least -10 and at most 1e+18, is -11");
}

Test(record, a_newer_format_is_told_from_a_wrong_one) {
  top out = accept("{\"budget_w\": 1, \"version\": 1}");
  cr_expect_eq(out.version, 1);
  fw_record_clear(&top_record, &out);
  refuse_one("{\"budget_w\": 1, \"version\": 2}",
             "version: format 2 is newer than this fleetwatt, which reads format 1; use a newer fleetwatt");
  refuse_one("{\"budget_w\": 1, \"version\": 0}", "version: must be 1, is 0");
  refuse_one("{\"budget_w\": 1, \"version\": -1}", "version: must be 1, is -1");
  refuse_one("{\"budget_w\": 1, \"version\": 1.5}",
             "version: expected a whole number, written without point and exponent, found 1.5");
  refuse_one("{\"budget_w\": 1, \"version\": \"1\"}", "version: expected a whole number, found a string");
}

/* A `max` equal to `min` is a bound, but for 0 and for what must be above it. */
Test(record, equal_bounds_allow_one_value) {
  static const struct {
    double min, max;
    bool exclusive_min, accepts_one, accepts_two, accepts_three;
  } cases[] = {{2, 2, false, false, true, false}, {2, 1, false, false, true, true},
               {0, 0, false, true, true, true},   {2, 2, true, false, false, true},
               {1, 2, false, true, true, false},  {-1, -1, false, false, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fw_field field = {.name = "n",
                            .kind = FW_FIELD_INTEGER,
                            .exclusive_min = cases[i].exclusive_min,
                            .min = cases[i].min,
                            .max = cases[i].max};
    const fw_record record = {"one", NULL, sizeof(int64_t), NULL, &field, 1};
    for (int n = 1; n <= 3; n++) {
      const bool accepted = n == 1 ? cases[i].accepts_one : n == 2 ? cases[i].accepts_two : cases[i].accepts_three;
      char text[32];
      (void)snprintf(text, sizeof text, "{\"n\": %d}", n);
      fw_json *document;
      int64_t out;
      cr_assert_eq(fw_json_parse(text, strlen(text), NULL, &document, NULL), FW_OK);
      cr_expect_eq(fw_record_decode(&record, fw_json_root(document), &out, NULL) == FW_OK, accepted, "case %zu: %s", i,
                   text);
      fw_json_free(document);
    }
  }
}

Test(record, bounds_are_stated_in_the_unit_of_the_bound) {
  refuse_one("{\"budget_w\": -5}", "budget_w: must be above 0 W, is -5 W");
  refuse_one("{\"budget_kw\": 0}", "budget_kw: must be above 0 W, is 0 kW");
  refuse_one("{\"budget\": \"-1 MW\"}", "budget: must be above 0 W, is -1 MW");
  refuse_one("{\"budget_w\": 0.0004}", "budget_w: must be above 0 W, is 0.0004 W");
  refuse_one("{\"budget_w\": 1, \"share\": 1.5}", "share: must be above 0 and at most 1, is 1.5");
  refuse_one("{\"budget_w\": 1, \"share\": 0}", "share: must be above 0 and at most 1, is 0");
  refuse_one("{\"budget_w\": 1, \"period_d\": 12000}",
             "period_d: must be above 0 s and at most 1000000000 s, is 12000 d");
  refuse_one("{\"budget_w\": 1e300}", "budget_w: 1e300 W is too large for a power (64 bits of mW)");
  refuse_one("{\"budget\": \"1e308 MW\"}", "budget: 1e308 MW is too large for a power (64 bits of mW)");
  refuse_one("{\"budget_w\": 1, \"gains\": [1, 3, 2]}", "gains[1]: must be at least 0 and at most 2, is 3");
  refuse_one("{\"budget_w\": 1, \"windows_ms\": [5, 0]}", "windows_ms[1]: must be above 0 s, is 0 ms");
  refuse_one("{\"budget_w\": 1, \"gains\": [1]}", "gains: needs at least 2 elements, has 1");
}

Test(record, a_quantity_has_its_unit_once) {
  refuse_one("{\"budget\": 500}", "budget: 500 has no unit: write \"budget_w\": 500 or \"budget\": \"500 W\"");
  refuse_one("{\"budget_w\": 1, \"levels\": [5]}",
             "levels[0]: 5 has no unit: write \"levels_w\": [5, ...] or \"levels\": [\"5 W\", ...]");
  refuse_one("{\"budget\": \"500\"}", "budget: \"500\" has no unit: write \"500 W\"");
  refuse_one("{\"budget_w\": \"0.5 kW\"}",
             "budget_w: expected a number in W, found the string \"0.5 kW\"; with a unit in "
             "the value the key is \"budget\"");
  refuse_one("{\"budget_w\": 1, \"budget_kw\": 2}",
             "budget_kw: \"budget\" is given twice, as \"budget_w\" and as \"budget_kw\"; keep one");
}

Test(record, units_are_compared_with_their_capitals) {
  refuse_one("{\"budget\": \"12 KVA\"}",
             "budget: \"12 KVA\": unknown unit \"KVA\"; did you mean \"kVA\"? But apparent power needs a power factor: "
             "write the real power, kVA x power factor, in W, kW or MW");
  refuse_one("{\"budget\": \"12 kVA\"}",
             "budget: \"12 kVA\": apparent power needs a power factor: write the real power, "
             "kVA x power factor, in W, kW or MW");
  refuse_one("{\"budget\": \"12 KW\"}",
             "budget: \"12 KW\": unknown unit \"KW\"; did you mean kW? a power is in W, kW or MW");
  refuse_one("{\"budget\": \"12 watts\"}", "budget: \"12 watts\": unknown unit \"watts\"; a power is in W, kW or MW");
  refuse_one("{\"budget\": \"W\"}", "budget: \"W\" is no power: a number begins with a digit or '-'");
  refuse_one("{\"budget\": \"\"}", "budget: \"\" is no power: a number begins with a digit or '-'");
  refuse_one("{\"budget\": \"1,5 kW\"}", "budget: \"1,5 kW\": unknown unit \",5 kW\"; a power is in W, kW or MW");
  refuse_one("{\"budget\": \"1e999 W\"}", "budget: \"1e999 W\" is not finite");
  refuse_one("{\"budget_w\": 1, \"period\": \"5 ns\"}",
             "period: \"5 ns\": unknown unit \"ns\"; a time is in s, ms, min, h or d");
}

Test(record, names_and_kinds_are_looked_up) {
  refuse_one("{\"budget_w\": 1, \"shape\": \"logistik\"}",
             "shape: unknown value \"logistik\"; did you mean \"logistic\"?");
  refuse_one("{\"budget_w\": 1, \"shape\": \"cubic\"}",
             "shape: unknown value \"cubic\"; it is one of \"flat\", \"log2\", \"logistic\"");
  refuse_one("{\"budget_w\": 1, \"policy\": {}}", "policy: missing key \"kind\"; it is one of \"leaf\", \"node\"");
  refuse_one("{\"budget_w\": 1, \"policy\": {\"kind\": \"laef\"}}",
             "policy.kind: unknown kind \"laef\"; did you mean \"leaf\"?");
  refuse_one("{\"budget_w\": 1, \"policy\": {\"kind\": 3}}", "policy.kind: expected a string, found a number");
}

Test(record, all_faults_are_listed_in_one_pass) {
  static const char text[] = "{\"buget_w\": 5000,\n"
                             " \"leaves\": [{\"gain\": \"x\"}, {}, {\"gain\": 1, \"level_w\": \"5 W\"}],\n"
                             " \"policies\": [{\"kind\": \"node\", \"name\": 4}, {\"kind\": \"none\"}],\n"
                             " \"tree\": [{\"name\": \"a\", \"children\": [{}]}],\n"
                             " \"shape\": 5}";
  refuse(text, 9,
         (const char *const[]){
             "buget_w: unknown key \"buget_w\"; did you mean \"budget_w\"?",
             "leaves[0].gain: expected a number, found a string",
             "leaves[1]: missing key \"gain\"",
             "leaves[2].level_w: expected a number in W, found the string \"5 W\"; with a unit in the value the key is "
             "\"level\"",
             "policies[0].name: expected a string, found a number",
             "policies[1].kind: unknown kind \"none\"; did you mean \"node\"?",
             "tree[0].children[0]: missing key \"name\"",
             "shape: expected a string, found a number",
             ": missing key \"budget_w\": power that the feed carries",
         });
}

Test(record, the_number_of_reports_is_bounded) {
  fw_text text = FW_TEXT_INIT;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  top out;
  fw_text_add(&text, "{\"budget_w\": 1");
  for (int i = 0; i < 20000; i++)
    fw_text_add_format(&text, ", \"budget_%d\": 1", i);
  fw_text_add(&text, "}");
  cr_expect_eq(decode(text.data, &out, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, FW_JSON_FAULT_LIMIT + 1);
  cr_expect_str_eq(diagnostics.entries[FW_JSON_FAULT_LIMIT].message, "100 faults so far: the check ends here");
  fw_record_clear(&top_record, &out);
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

Test(record, the_message_of_a_hostile_key_is_harmless) {
  refuse_one("{\"budget_w\": 1, \"\\u001b[2J\\n\": 1}",
             "?[2J?: unknown key \"?[2J?\"; run `fleetwatt schema` to see the keys of \"top\"");
}

Test(record, a_variant_is_cleared_alone) {
  top out = accept("{\"budget_w\": 1, \"policy\": {\"kind\": \"node\", \"name\": \"x\"}}");
  fw_variant_clear(&out.policy);
  cr_expect(out.policy.which == NULL && out.policy.value == NULL);
  fw_variant_clear(&out.policy);
  fw_record_clear(&top_record, &out);
}

/* ---- Places of fields ---- */

Test(record_place, finds_a_field_by_its_name_whatever_its_unit) {
  static const char text[] = "{\"cap_min_w\": 1, \"cap_ms\": 2, \"list\": [3,\n4], \"cap\": {}, \"window\": \"1 s\"}";
  fw_json *document = NULL;
  cr_assert_eq(fw_json_parse(text, strlen(text), NULL, &document, NULL), FW_OK);
  const fw_json_value *root = fw_json_root(document);
  cr_expect_eq(fw_record_member(root, "cap_min"), fw_json_get(root, "cap_min_w"));
  cr_expect_eq(fw_record_member(root, "cap"), fw_json_get(root, "cap"), "the exact key comes first");
  cr_expect_eq(fw_record_member(root, "window"), fw_json_get(root, "window"));
  cr_expect_eq(fw_record_member(root, "cap_min_of"), root, "what is not there is the object");
  cr_expect_eq(fw_record_member(root, "lis"), root);
  cr_expect_eq(fw_json_number(fw_record_element(root, "list", 1)), 4);
  cr_expect_eq(fw_record_element(root, "list", 2), fw_json_get(root, "list"), "or the array");
  cr_expect_eq(fw_record_element(root, "none", 0), root);
  fw_json_free(document);
}

/* Settings that stand in no file: no place, and the message all the same. */
Test(record_place, of_nothing_is_nowhere) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_expect_null(fw_record_member(NULL, "a"));
  cr_expect_null(fw_record_element(NULL, "a", 0));
  cr_expect_eq(fw_json_error(NULL, &diagnostics, "wrong: %d", 7), FW_ERROR_INPUT);
  cr_expect_null(diagnostics.entries[0].file);
  cr_expect_eq(diagnostics.entries[0].line, 0);
  cr_expect_str_eq(diagnostics.entries[0].message, "wrong: 7");
  fw_diagnostics_clear(&diagnostics);
}
