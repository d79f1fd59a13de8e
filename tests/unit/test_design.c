/* Designs: the grid against nested loops, the Latin hypercube against its definition, lists against their text. */
#include "sim/study/sweep/design.h"

#include <math.h>
#include <unistd.h>

#include "sim/scenario/tables.h"
#include "tests/scenario_fixture.h"

static const char text[] = "{\"fleetwatt\": 1, \"jobs\": [{\"kind\": \"cycle\", \"class\": \"c\"}]}";
static const fw_record_text source = {&fwi_file_record, text, sizeof text - 1, "s.json"};

static void expect_setting(const fw_design *design, size_t point, size_t axis, const char *path, const char *value) {
  const fw_setting *setting = &design->points[point].settings[axis];
  cr_expect_str_eq(setting->path, path, "point %zu", point);
  cr_expect_str_eq(setting->value, value, "point %zu", point);
}

Test(design, a_grid_is_nested_loops_the_last_axis_inside) {
  static const char *const axes[] = {"a=1,2", "jobs[x=1].b=\"u,v\",[1, 2],w", "c=true"};
  static const char *const first[] = {"1", "2"};
  static const char *const second[] = {"\"u,v\"", "[1, 2]", "w"};
  fw_design design;
  cr_assert_eq(fw_design_grid(axes, 3, &design, NULL), FW_OK);
  cr_assert_eq(design.count, 6);
  for (size_t i = 0; i < 2; i++) {
    for (size_t j = 0; j < 3; j++) {
      cr_assert_eq(design.points[i * 3 + j].count, 3);
      expect_setting(&design, i * 3 + j, 0, "a", first[i]);
      expect_setting(&design, i * 3 + j, 1, "jobs[x=1].b", second[j]);
      expect_setting(&design, i * 3 + j, 2, "c", "true");
    }
  }
  fw_text settings = FW_TEXT_INIT;
  fw_design_settings(&design.points[5], &settings);
  cr_expect_str_eq(settings.data, "{\"a\": 2, \"jobs[x=1].b\": \"w\", \"c\": true}");
  fw_text_clear(&settings);
  fw_design_clear(&design);
}

Test(design, a_latin_hypercube_meets_every_stratum_once) {
  enum { POINTS = 200 };
  static const char *const axes[] = {"tariff.start_hour=0:1e0", "duration_s=-3:5", "start=u,v,w,x", "seeds=1:50"};
  fw_design design;
  fw_design again;
  cr_assert_eq(fw_design_latin(&source, axes, 4, POINTS, 9, &design, NULL), FW_OK);
  cr_assert_eq(fw_design_latin(&source, axes, 4, POINTS, 9, &again, NULL), FW_OK);
  bool seen[POINTS] = {false};
  size_t words[4] = {0};
  size_t whole[51] = {0};
  bool sorted = true;
  double last = -INFINITY;
  for (size_t p = 0; p < POINTS; p++) {
    double value = 0.0;
    const char *number = design.points[p].settings[1].value;
    cr_assert(fw_number_parse(number, strlen(number), &value));
    cr_assert(value >= -3.0 && value < 5.0);
    const size_t stratum = (size_t)((value + 3.0) / 8.0 * POINTS);
    cr_expect_not(seen[stratum], "stratum %zu twice", stratum);
    seen[stratum] = true;
    sorted = sorted && value > last;
    last = value;
    words[design.points[p].settings[2].value[0] - 'u']++;
    int64_t integer = 0;
    number = design.points[p].settings[3].value;
    cr_assert(fw_int64_parse(number, strlen(number), &integer), "%s is no whole number", number);
    cr_assert(integer >= 1 && integer <= 50);
    whole[integer]++;
    for (size_t a = 0; a < 4; a++) {
      cr_expect_str_eq(design.points[p].settings[a].value, again.points[p].settings[a].value);
    }
  }
  cr_expect_not(sorted, "the order is shuffled");
  for (size_t w = 0; w < 4; w++) {
    cr_expect_eq(words[w], POINTS / 4);
  }
  for (size_t n = 1; n <= 50; n++) {
    cr_expect_eq(whole[n], POINTS / 50, "%zu", n);
  }
  fw_design_clear(&design);
  fw_design_clear(&again);
}

Test(design, axes_are_independent_and_seeds_differ) {
  enum { POINTS = 400 };
  static const char *const axes[] = {"warmup_s=0:1", "duration_s=0:1"};
  fw_design designs[2];
  double sum = 0.0;
  bool differ = false;
  for (size_t d = 0; d < 2; d++) {
    cr_assert_eq(fw_design_latin(&source, axes, 2, POINTS, d, &designs[d], NULL), FW_OK);
  }
  for (size_t p = 0; p < POINTS; p++) {
    double x = 0.0;
    double y = 0.0;
    (void)fw_number_parse(designs[0].points[p].settings[0].value, strlen(designs[0].points[p].settings[0].value), &x);
    (void)fw_number_parse(designs[0].points[p].settings[1].value, strlen(designs[0].points[p].settings[1].value), &y);
    sum += (x - 0.5) * (y - 0.5);
    differ = differ || strcmp(designs[0].points[p].settings[0].value, designs[1].points[p].settings[0].value) != 0;
  }
  /* The correlation of 400 independent pairs has the standard deviation 0.05: four of them. */
  cr_expect_lt(fabs(sum / POINTS * 12.0), 0.2);
  cr_expect(differ);
  fw_design_clear(&designs[0]);
  fw_design_clear(&designs[1]);
}

static void expect_fault(fw_status status, const fw_design *design, fw_diagnostics *diagnostics, const char *words) {
  cr_expect_eq(status, FW_ERROR_INPUT, "%s", words);
  cr_expect_eq(design->count, 0);
  cr_assert_gt(diagnostics->count, 0, "%s", words);
  cr_expect_not_null(strstr(diagnostics->entries[0].message, words), "%s", diagnostics->entries[0].message);
  fw_diagnostics_clear(diagnostics);
}

Test(design, what_is_no_axis_is_told) {
  static const struct {
    const char *axis;
    const char *words;
    bool latin;
  } faults[] = {{"a", "no key before an equals sign", false}, {"=1", "no key before an equals sign", false},
                {"a=", "a value is missing", false},          {"a=1,", "a value is missing", false},
                {"a=1,2,1", "a value is given twice", false}, {"a=1:2", "a range needs --latin", false},
                {"a=2:2", "the range does not rise", true},   {"a[x=1", "no key before an equals sign", false},
                {"seeds=1.5:3", "wants whole numbers", true}, {"sedes=1:3", "did you mean \"seeds\"", true}};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    fw_design design;
    const fw_status status = faults[i].latin ? fw_design_latin(&source, &faults[i].axis, 1, 3, 1, &design, &diagnostics)
                                             : fw_design_grid(&faults[i].axis, 1, &design, &diagnostics);
    expect_fault(status, &design, &diagnostics, faults[i].words);
  }
}

Test(design, too_many_points_are_refused_before_they_are_made) {
  static const char *const axes[] = {"a=1,2,3,4,5,6,7,8,9,10",
                                     "b=1,2,3,4,5,6,7,8,9,10",
                                     "c=1,2,3,4,5,6,7,8,9,10",
                                     "d=1,2,3,4,5,6,7,8,9,10",
                                     "e=1,2,3,4,5,6,7,8,9,10",
                                     "f=1,2,3,4,5,6,7,8,9,10",
                                     "g=1,2"};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_design design;
  expect_fault(fw_design_grid(axes, 7, &design, &diagnostics), &design, &diagnostics, "more than 1000000 points");
}

static fw_status read_list(const char *json, fw_design *out, fw_diagnostics *diagnostics) {
  char path[] = "/tmp/fleetwatt-points-XXXXXX";
  const int descriptor = mkstemp(path);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(write(descriptor, json, strlen(json)), (ssize_t)strlen(json));
  (void)close(descriptor);
  const fw_status status = fw_design_read(path, out, diagnostics);
  (void)unlink(path);
  return status;
}

Test(design, a_list_keeps_values_as_they_are_written) {
  fw_design design;
  cr_assert_eq(
      read_list("[{\"a\": 1.50, \"b\": \"x y\"}, {\"c\": [1, {\"d\": null}], \"e\": false}, {}]", &design, NULL),
      FW_OK);
  cr_assert_eq(design.count, 3);
  expect_setting(&design, 0, 0, "a", "1.50");
  expect_setting(&design, 0, 1, "b", "\"x y\"");
  expect_setting(&design, 1, 0, "c", "[1, {\"d\": null}]");
  expect_setting(&design, 1, 1, "e", "false");
  cr_expect_eq(design.points[2].count, 0);
  fw_design_clear(&design);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  expect_fault(read_list("[]", &design, &diagnostics), &design, &diagnostics, "expected a list");
  expect_fault(read_list("[1]", &design, &diagnostics), &design, &diagnostics, "expected an object");
}
