/* Capacity: six small feeds on which other tools went wrong. The figures of each case are read from its file, run as a
 * fleet of GPUs that draw just that, and the figure of the bug must not appear. What went wrong, and where, stands
 * above each test. */
#include "models/electrical.h"
#include "tests/scenario_fixture.h"

/* A bay of GPUs that draws as a rack does: 20 of them, at 300 to 500 W each. */
#define BAY 20

/* Watts within a rounding to whole milliwatts of each of 20 GPUs, or of a limit. */
#define MILLIWATTS 0.02

static fw_json *case_file(const char *name, const char *file) {
  char path[512];
  fw_json *document = NULL;
  (void)snprintf(path, sizeof path, "%s/tests/cases/%s/%s", FW_SOURCE_DIR, name, file);
  cr_assert_eq(fw_json_read(path, &document, NULL), FW_OK, "%s", path);
  return document;
}

static double number_at(const fw_json_value *object, const char *key) {
  const fw_json_value *value = fw_json_get(object, key);
  cr_assert_not_null(value, "the case has no %s", key);
  return fw_json_number(value);
}

static const fw_json_value *element(const fw_json_value *array, size_t index) {
  const fw_json_value *value = fw_json_first(array);
  for (size_t i = 0; i < index; i++) {
    value = fw_json_next(value);
  }
  cr_assert_not_null(value);
  return value;
}

/* A job of `gpus` that goes through a case's profile once, its power shared equally. */
static void add_job(fw_text *text, const char *class, const fw_json_value *profile, size_t gpus, const char *duration,
                    const char *power, double offset_s, bool loop) {
  fw_text_add_format(text,
                     "{'kind': 'cycle', 'class': '%s', 'gpus': %zu, 'loop': %s, 'start_offset_s': %g, 'phases': [",
                     class, gpus, loop ? "true" : "false", offset_s);
  for (const fw_json_value *phase = fw_json_first(profile); phase != NULL; phase = fw_json_next(phase)) {
    fw_text_add_format(text, "%s{'duration_s': %g, 'power_w': %.6f}", phase == fw_json_first(profile) ? "" : ", ",
                       number_at(phase, duration), number_at(phase, power) / (double)gpus);
  }
  fw_text_add(text, "]}");
}

static fw_text scenario_text(const char *duration_s, const char *windows_s, const char *rest) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     "{'fleetwatt': 1, 'name': 'case', 'gpu': 'plain-gpu', 'duration_s': %s, 'windows_s': [%s], %s",
                     duration_s, windows_s, rest);
  return text;
}

static fw_result run_and_clear(fw_text *text) {
  cr_assert_not(text->failed);
  const fw_result result = run_text(text->data);
  fw_text_clear(text);
  return result;
}

static const fw_domain_result *domain(const fw_result *result, fw_domain_level level, size_t index) {
  for (size_t i = 0; i < result->domain_count; i++) {
    if (result->domains[i].level == level && result->domains[i].index == index) {
      return &result->domains[i];
    }
  }
  cr_assert_fail("no %s %zu", fw_domain_level_names[level], index);
  return NULL;
}

static double mean_w(const fw_result *result, fw_energy_pj energy) {
  return fw_energy_to_joules(energy) / fw_time_to_seconds(result->measured);
}

/* opendcim/openDCIM#603: planned against the full rating, where a breaker holds 80 % for good. Never 10.8 kW. */
Test(cap, breaker_80) {
  fw_json *file = case_file("cap-breaker-80", "breaker.json");
  const fw_json_value *root = fw_json_root(file);
  const fw_json_value *feed = fw_json_get(root, "feed");
  fw_text text = scenario_text("10800", "0.5, 1800", "'topology': {'gpus_per_node': 20, 'nodes_per_rack': 1}, ");
  fw_text_add_format(&text,
                     "'electrical': {'rack_feeds': [{'amps': %g, 'volts': %g, 'phases': %g, 'power_factor': %g, "
                     "'continuous_factor': %g}]}, 'jobs': [",
                     number_at(feed, "amps"), number_at(feed, "volts"), number_at(feed, "phases"),
                     number_at(feed, "power_factor"), number_at(feed, "continuous_factor"));
  for (size_t rack = 0; rack < 2; rack++) {
    fw_text_add(&text, rack > 0 ? ", " : "");
    add_job(&text, rack > 0 ? "r2" : "r1", fw_json_get(element(fw_json_get(root, "racks"), rack), "profile"), BAY,
            "for_s", "w", 0.0, false);
  }
  fw_text_add(&text, "]}");
  fw_result result = run_and_clear(&text);
  const fw_domain_result *r1 = domain(&result, FW_DOMAIN_RACK, 0);
  const fw_domain_result *r2 = domain(&result, FW_DOMAIN_RACK, 1);
  const fw_feed stated = {.amps = 30, .volts = 208, .phases = 3, .continuous_factor = 0.8, .power_factor = 1};
  cr_expect_float_eq(fw_feed_rating_va(&stated), 10808.0, 0.05); /* as printed */
  cr_expect_float_eq(fw_power_to_watts(r1->budget), 8646.4, 0.05);
  cr_expect_eq(r1->windows[0].violation_rate, 1.0);
  cr_expect_float_eq(r2->windows[0].violation_rate, 60.0 / 10800.0, 1e-12);
  cr_expect_float_eq(r2->windows[1].peak_w, 8066.67, 0.01);
  cr_expect_eq(r2->windows[1].violation_rate, 0.0);
  cr_expect_neq(fw_power_to_watts(r1->budget), fw_feed_rating_va(&stated), "planned against the full rating");
  fw_result_clear(&result);
  fw_json_free(file);
}

static const char kva_form[] = "'electrical': {'site_feeds': [{'rating_kva': %g, 'continuous_factor': %g%s}]}, "
                               "'jobs': [{'kind': 'cycle', 'class': 'load', 'gpus': 20, 'phases': [{'duration_s': 60, "
                               "'power_w': %g}]}]}";

/* openstreetmap/operations#875: 7.8 kW against 8.0 kVA "fits". */
Test(cap, kva_kw) {
  fw_json *file = case_file("cap-kva-kw", "kva.json");
  const fw_json_value *feed = fw_json_get(fw_json_root(file), "feed");
  const double load_w = number_at(fw_json_root(file), "load_w");
  const fw_feed stated = {.rating_kva = number_at(feed, "rating_kva"),
                          .continuous_factor = number_at(feed, "continuous_factor"),
                          .power_factor = number_at(feed, "power_factor")};
  cr_expect_float_eq(fw_apparent_va(load_w, stated.power_factor), 8210.5, 0.05);
  cr_expect_float_eq(fw_apparent_va(load_w, stated.power_factor) - fw_feed_continuous_va(&stated), 210.5, 0.05);
  cr_expect_float_eq(fw_feed_limit_w(&stated), 7600.0, MILLIWATTS);
  fw_text text = scenario_text("60", "0.5", "");
  char factor[40];
  (void)snprintf(factor, sizeof factor, ", 'power_factor': %g", stated.power_factor);
  fw_text_add_format(&text, kva_form, stated.rating_kva, stated.continuous_factor, factor, load_w / BAY);
  fw_result result = run_and_clear(&text);
  cr_expect_eq(result.windows[0].violation_rate, 1.0, "7.8 kW fits where 8.21 kVA do not");
  fw_result_clear(&result);
  fw_json_free(file);
}

/* Without a power factor it is assumed to be 1, and said. */
Test(cap, kva_kw_without_power_factor) {
  fw_text text = scenario_text("60", "0.5", "");
  fw_text_add_format(&text, kva_form, 10.0, 0.8, "", 390.0);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_assert_eq(scenario_try(text.data, NULL, &scenario, &diagnostics), FW_OK);
  cr_expect(reported(&diagnostics, FW_SEVERITY_WARNING, "electrical.site_feeds[0]", "power factor 1 assumed"));
  fw_result result = run_seed(scenario, 1);
  cr_expect_eq(result.windows[0].violation_rate, 0.0);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

/* mlco2/ecologits#230, mlco2/codecarbon#1320, Uninett/nav#1658: PUE twice, or on energy and not on power, or upside
 * down. Never 1690 kWh. */
Test(cap, pue_once) {
  fw_json *file = case_file("cap-pue-once", "pue.json");
  const fw_json_value *root = fw_json_root(file);
  const double pue = number_at(root, "pue");
  fw_text text = scenario_text("36000", "0.5", "");
  fw_text_add_format(&text,
                     "'budget_kw': %g, 'electrical': {'pue': %g}, 'tariff': {'cost_per_kwh': [%g], "
                     "'carbon_kg_per_kwh': [%g]}, 'jobs': [{'kind': 'cycle', 'class': 'it', 'gpus': 250, 'phases': "
                     "[{'duration_s': 60, 'power_w': %g}]}]}",
                     number_at(root, "budget_it_kw"), pue, number_at(root, "tariff_per_kwh"),
                     number_at(root, "carbon_kg_per_kwh"), 1000.0 * number_at(root, "it_power_kw") / 250.0);
  fw_result result = run_and_clear(&text);
  expect_energy(result.energy, joules(3600000) * 1000, "IT energy: 1000 kWh");
  expect_energy(result.facility_energy, joules(3600000) * 1300, "facility energy: 1300 kWh, never 1690");
  cr_expect_float_eq(mean_w(&result, result.energy), 100e3, MILLIWATTS);
  cr_expect_float_eq(mean_w(&result, result.facility_energy), 130e3, MILLIWATTS); /* power x time = energy */
  cr_expect_float_eq(result.cost, 104.0, 1e-9);                                   /* roundings of sums over the hours */
  cr_expect_float_eq(result.carbon_kg, 325.0, 1e-9);
  cr_expect_eq(result.windows[0].violation_rate, 0.0, "an IT budget is compared with IT power");
  fw_result_clear(&result);
  fw_json_free(file);
}

static fw_result run_row(const fw_json_value *root, double first_rack_later_s) {
  fw_text text = scenario_text("3600", "0.5", "");
  fw_text_add_format(&text,
                     "'topology': {'gpus_per_node': 20, 'nodes_per_rack': 1, 'racks_per_row': 4, 'rack_budget_w': %g, "
                     "'row_budget_w': %g}, 'jobs': [",
                     number_at(element(fw_json_get(root, "racks"), 0), "limit_w"), number_at(root, "row_limit_w"));
  for (size_t rack = 0; rack < 4; rack++) {
    const fw_json_value *profile = fw_json_get(element(fw_json_get(root, "racks"), rack), "profile");
    fw_text_add(&text, rack > 0 ? ", " : "");
    if (rack == 0 && first_rack_later_s > 0.0) { /* it draws its lower power until then, too */
      fw_text_add_format(&text,
                         "{'kind': 'cycle', 'class': 'r0', 'gpus': 20, 'phases': [{'duration_s': %g, 'power_w': "
                         "300}, {'duration_s': 600, 'power_w': 400}, {'duration_s': 3600, 'power_w': 300}]}",
                         1200.0 + first_rack_later_s);
    } else {
      add_job(&text, "rack", profile, BAY, "for_s", "w", 0.0, false);
    }
  }
  fw_text_add(&text, "]}");
  return run_and_clear(&text);
}

/* netbox-community/netbox#5976: only racks are checked, or the row's limit is the sum of its racks'. */
Test(cap, row_below_racks) {
  fw_json *file = case_file("cap-row-below-racks", "row.json");
  fw_result result = run_row(fw_json_root(file), 0.0);
  const fw_domain_result *row = domain(&result, FW_DOMAIN_ROW, 0);
  for (size_t rack = 0; rack < 4; rack++) {
    const fw_domain_result *one = domain(&result, FW_DOMAIN_RACK, rack);
    cr_expect_eq(one->windows[0].violation_rate, 0.0);
    cr_expect_float_eq(one->windows[0].peak_w, 8000.0, MILLIWATTS);
  }
  cr_expect_float_eq(row->windows[0].violation_rate, 600.0 / 3600.0, 1e-12);
  cr_expect_float_eq(row->windows[0].peak_w, 32000.0, MILLIWATTS);
  cr_expect_float_eq(mean_w(&result, row->energy), 25333.0, 0.5);
  cr_expect_float_eq(row->oversubscription, 4.0 / 3.0, 1e-12);
  fw_result_clear(&result);
  result = run_row(fw_json_root(file), 600.0);
  row = domain(&result, FW_DOMAIN_ROW, 0);
  cr_expect_float_eq(row->windows[0].peak_w, 30000.0, MILLIWATTS);
  cr_expect_eq(row->windows[0].violation_rate, 0.0, "equal is not above");
  fw_result_clear(&result);
  fw_json_free(file);
}

/* netbox-community/netbox#54: both inputs added up as load, or both feeds as capacity. Never 8000 W, never 5888 W. */
Test(cap, two_feeds) {
  fw_json *file = case_file("cap-two-feeds", "feeds.json");
  const fw_json_value *given = element(fw_json_get(fw_json_root(file), "feeds"), 0);
  const double load_w = number_at(fw_json_root(file), "load_w");
  const fw_feed one = {.amps = number_at(given, "amps"),
                       .volts = number_at(given, "volts"),
                       .phases = (int64_t)number_at(given, "phases"),
                       .continuous_factor = number_at(given, "continuous_factor"),
                       .power_factor = 1.0};
  const fw_feed feeds[] = {one, one};
  const double normal_w = fw_feeds_limit_w(feeds, 2, FW_NO_FEED_LOST);
  cr_expect_float_eq(fw_feed_limit_w(&one), 2944.0, MILLIWATTS);
  cr_expect_float_eq(100.0 * load_w / normal_w, 67.9, 0.05);
  for (size_t lost = 0; lost < 2; lost++) {
    cr_expect_float_eq(100.0 * load_w / fw_feeds_limit_w(feeds, 2, lost), 135.9, 0.05);
  }
  cr_expect_float_eq(fw_feeds_usable_limit_w(feeds, 2), 2944.0, MILLIWATTS, "never 5888 W");
  fw_text text = scenario_text("600", "0.5", "");
  fw_text_add_format(&text,
                     "'electrical': {'breaker': {}, 'site_feeds': [{'amps': %g, 'volts': %g}, {'amps': %g, 'volts': "
                     "%g}]}, 'jobs': [{'kind': 'cycle', 'class': 'dual', 'gpus': 10, 'phases': [{'duration_s': 60, "
                     "'power_w': %g}]}]}",
                     one.amps, one.volts, one.amps, one.volts, load_w / 10.0);
  fw_result result = run_and_clear(&text);
  const fw_domain_result *site = domain(&result, FW_DOMAIN_SITE, 0);
  cr_expect_float_eq(mean_w(&result, site->energy), 4000.0, MILLIWATTS, "redundant inputs are one load, never 8000 W");
  cr_expect_float_eq(fw_power_to_watts(site->budget), 2944.0, MILLIWATTS);
  cr_expect_eq(site->windows[0].violation_rate, 1.0);
  /* 4000 W are 54 % of both ratings, 109 % of one: the breakers hold, and one alone warms up to (4000 / 3680)^2. */
  cr_expect(site->breaker.redundant);
  cr_expect_float_eq(site->breaker.all[FW_BREAKER_NOMINAL].use, pow(4000.0 / 7360.0, 2.0) / 1.2065, 1e-9);
  cr_expect_gt(site->breaker.one_lost[FW_BREAKER_NOMINAL].use, 1.0 / 1.2065);
  cr_expect_eq(site->breaker.one_lost[FW_BREAKER_LATEST].trips, 0);
  fw_result_clear(&result);
  fw_json_free(file);
}

/* Four jobs as a case's file has them; `events` is what else happens. */
static fw_text starts_text(const fw_json_value *root, const char *windows_s, const char *events) {
  fw_text text = scenario_text("1200", windows_s, events);
  fw_text_add(&text, "'jobs': [");
  const fw_json_value *jobs = fw_json_get(root, "jobs");
  for (const fw_json_value *job = fw_json_first(jobs); job != NULL; job = fw_json_next(job)) {
    fw_text_add(&text, job == fw_json_first(jobs) ? "" : ", ");
    add_job(&text, fw_json_string(fw_json_get(job, "id")), fw_json_get(job, "phases"), 1, "duration_s", "power_w",
            number_at(job, "arrive_s"), true);
  }
  fw_text_add(&text, "]}");
  return text;
}

/* geopm/geopm#3028: peaks of independent jobs averaged away, where a common event puts them in phase. */
Test(cap, aligned_starts) {
  fw_json *file = case_file("cap-aligned-starts", "aligned.json");
  fw_text text = starts_text(fw_json_root(file), "0.5, 30", "");
  fw_result result = run_and_clear(&text);
  cr_expect_float_eq(result.windows[0].peak_w, 1600.0, MILLIWATTS);
  cr_expect_float_eq(result.windows[1].peak_w, 1600.0, MILLIWATTS);
  cr_expect_float_eq(mean_w(&result, result.energy), 1200.0, MILLIWATTS);
  fw_result_clear(&result);
  fw_json_free(file);
}

/* Flat from the last arrival on: what the warm-up of 90 s leaves has no window that is not 1200 W. */
Test(cap, staggered_starts) {
  fw_json *file = case_file("cap-aligned-starts", "staggered.json");
  fw_text text = starts_text(fw_json_root(file), "0.5", "");
  fw_result result = run_and_clear(&text);
  cr_expect_float_eq(result.windows[0].peak_w, 1200.0, MILLIWATTS);
  fw_result_clear(&result);
  text = starts_text(fw_json_root(file), "0.5", "'warmup_s': 90, ");
  result = run_and_clear(&text);
  cr_expect_float_eq(result.windows[0].peak_w, 1200.0, MILLIWATTS);
  expect_energy(result.energy, joules(1200) * 1110, "1200 W for the 1110 s after the last arrival");
  fw_result_clear(&result);
  fw_json_free(file);
}

/* A common restart puts them in phase for good: 1200 W until then, 1600 W peaks after it. */
Test(cap, a_common_restart_of_staggered_jobs) {
  fw_json *file = case_file("cap-aligned-starts", "staggered_restart.json");
  const fw_json_value *action = element(fw_json_get(fw_json_root(file), "actions"), 0);
  cr_assert_str_eq(fw_json_string(fw_json_get(action, "do")), "restart_all_jobs_from_phase_0");
  char events[80];
  (void)snprintf(events, sizeof events, "'events': [{'kind': 'restart', 'at_s': %g}], ", number_at(action, "t_s"));
  fw_text text = starts_text(fw_json_root(file), "0.5, 30", events);
  fw_result result = run_and_clear(&text);
  cr_expect_float_eq(result.windows[0].peak_w, 1600.0, MILLIWATTS);
  cr_expect_float_eq(result.windows[1].peak_w, 1600.0, MILLIWATTS);
  fw_result_clear(&result);
  char judged[120]; /* above 1200 W for half of the time after the restart, and never before */
  (void)snprintf(judged, sizeof judged, "%s'budget_w': 1200, ", events);
  text = starts_text(fw_json_root(file), "0.5", judged);
  result = run_and_clear(&text);
  cr_expect_float_eq(result.windows[0].violation_rate, 300.0 / 1200.0, 1e-12);
  cr_expect_float_eq(result.windows[0].longest_episode_s, 60.0, 1e-9);
  fw_result_clear(&result);
  fw_json_free(file);
}
