/* fleetwatt sweep */
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/ranks.h"
#include "sim/cli/scenario_flags.h"
#include "sim/scenario/tables.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/stored.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {{"--latin-seed", FWI_NEEDS, "--latin", "it chooses among hypercubes"}, {0}};

const fwi_command fwi_sweep_command = {
    "sweep",
    "a scenario at many points, kept in a result store",
    "SCENARIO [KEY=VALUES...]",
    rules,
    "fleetwatt sweep scenarios/fleet16-staggered.json --store results.db --seeds 8 \\\n"
    "    --grid oversubscription=1.8,2.0,2.2 start=aligned,staggered\n"
    "  fleetwatt sweep scenarios/fleet16-staggered.json --store results.db --study latin \\\n"
    "    --latin 50 'jobs[7b].count=1:4' oversubscription=1.5:2.5",
    run};

typedef struct sweep_flags {
  fwi_scenario_flags scenario;
  fwi_operands grid;
  uint64_t latin;
  uint64_t latin_seed;
  const char *points;
  const char *store;
  const char *study;
  fwi_ranks ranks;
} sweep_flags;

/* ---- The points ---- */

/* Axes stand behind --grid and behind the scenario. */
static fw_status gather_axes(const fwi_operands *operands, const sweep_flags *flags, fwi_operands *axes,
                             fw_diagnostics *diagnostics) {
  *axes = flags->grid;
  for (size_t i = 1; i < operands->count; i++) {
    if (axes->count == FWI_LIST_LIMIT) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "a sweep has at most %zu axes", FWI_LIST_LIMIT);
    }
    axes->values[axes->count++] = operands->values[i];
  }
  const int ways = (axes->count > 0 && flags->latin == 0) + (flags->latin > 0) + (flags->points != NULL);
  if (ways != 1 || (flags->points != NULL && axes->count > 0)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "say which points in one way: --grid KEY=A,B ..., --latin N KEY=FROM:TO ..., or --points FILE");
  }
  return FW_OK;
}

static fw_status make_latin(const char *path, const sweep_flags *flags, const fwi_operands *axes, fw_design *out,
                            fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_status status = fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, diagnostics);
  if (status == FW_OK) {
    const fw_record_text source = {&fwi_file_record, text.data, text.length, path};
    status =
        fw_design_latin(&source, axes->values, axes->count, (size_t)flags->latin, flags->latin_seed, out, diagnostics);
  }
  fw_text_clear(&text);
  return status;
}

static fw_status make_design(const fwi_operands *operands, const sweep_flags *flags, fw_design *out,
                             fw_diagnostics *diagnostics) {
  fwi_operands axes;
  const fw_status status = gather_axes(operands, flags, &axes, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  if (flags->points != NULL) {
    return fw_design_read(flags->points, out, diagnostics);
  }
  return flags->latin > 0 ? make_latin(operands->values[0], flags, &axes, out, diagnostics)
                          : fw_design_grid(axes.values, axes.count, out, diagnostics);
}

/* A flag would hide what an axis sets. */
static fw_status check_hidden(const fw_design *design, const sweep_flags *flags, fw_diagnostics *diagnostics) {
  for (size_t p = 0; p < design->count; p++) {
    for (size_t s = 0; s < design->points[p].count; s++) {
      const char *path = design->points[p].settings[s].path;
      const char *flag = NULL;
      if (flags->scenario.hours > 0.0 && strncmp(path, "duration", 8) == 0) {
        flag = "--hours";
      } else if (flags->scenario.seeds > 0 && strcmp(path, "seeds") == 0) {
        flag = "--seeds";
      }
      if (flag != NULL) {
        return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.path = path},
                        "%s takes the place of this key; give one", flag);
      }
    }
  }
  return FW_OK;
}

/* ---- The work ---- */

typedef struct outcome {
  fw_stored_study study;
  size_t simulated;
} outcome;

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const outcome *o = result;
  fw_report_stored_text(&o->study, diagnostics, out);
  fw_text_add_format(out, "\nRuns simulated now: %zu.\n", o->simulated);
}

/* The same whoever simulated what. */
static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const outcome *o = result;
  fw_report_stored_json(&o->study, "sweep", diagnostics, out);
}

static fw_status report(fw_sweep *sweep, fw_store *store, const char *study, const sweep_flags *flags,
                        fw_diagnostics *diagnostics) {
  outcome o = {.simulated = fw_sweep_simulated(sweep)};
  fw_status status = fw_stored_read(store, study, &o.study, diagnostics);
  if (status == FW_OK) {
    status = fwi_deliver(&flags->scenario, as_text, as_json, &o, diagnostics);
    fw_stored_clear(&o.study);
  }
  return status;
}

/* Only rank 0 comes here with a store. */
static fw_status simulate(fw_sweep *sweep, fw_store *store, const sweep_flags *flags, fwi_ranks *ranks,
                          fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("sweep");
  const fw_study_options options = {.threads = (unsigned)flags->scenario.threads,
                                    .progress = fwi_progress_show,
                                    .progress_context = &progress,
                                    .cancel = fwi_watch_interrupt()};
  fw_status status = FW_OK;
  if (ranks->rank > 0) {
    fwi_ranks_work(ranks, sweep, &options);
  } else {
    const fw_sweep_server server = {fwi_ranks_serve, ranks};
    status = fw_sweep_run(sweep, store, &options, ranks->size > 1 ? &server : NULL, diagnostics);
    fwi_progress_end(&progress);
  }
  return status;
}

/* All ranks prepare the same points; rank 0 opens the store. */
static fw_status sweep_points(const fw_sweep_spec *spec, const sweep_flags *flags, fwi_ranks *ranks,
                              fw_diagnostics *diagnostics) {
  fw_sweep *sweep = NULL;
  fw_store *store = NULL;
  const char *study = flags->study;
  fw_status status = fw_sweep_prepare(spec, &sweep, diagnostics);
  if (status == FW_OK && ranks->rank == 0) {
    study = study != NULL ? study : fw_sweep_scenario(sweep);
    status = fw_store_open(flags->store, FW_STORE_CREATE, &store, diagnostics);
    status = status == FW_OK ? fw_sweep_register(sweep, store, study, diagnostics) : status;
  }
  if (!fwi_ranks_agree(ranks, status == FW_OK, status == FW_OK ? fw_sweep_digest(sweep) : 0) && status == FW_OK) {
    status = fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                      "another rank failed, or does not have the same program, scenario and parameter files");
  }
  status = status == FW_OK ? simulate(sweep, store, flags, ranks, diagnostics) : status;
  if (status == FW_OK && ranks->rank == 0) {
    status = report(sweep, store, study, flags, diagnostics);
  }
  fw_store_close(store);
  fw_sweep_free(sweep);
  return status;
}

static fw_status sweep(const fwi_operands *operands, const sweep_flags *flags, fwi_ranks *ranks,
                       fw_diagnostics *diagnostics) {
  fw_scenario_overrides overrides;
  fw_design design = {0};
  fw_status status = fwi_overrides(&flags->scenario, &overrides, diagnostics);
  if (status == FW_OK && flags->store == NULL) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "--store FILE is missing: the file that keeps the results, such as --store results.db");
  }
  status = status == FW_OK ? make_design(operands, flags, &design, diagnostics) : status;
  status = status == FW_OK ? check_hidden(&design, flags, diagnostics) : status;
  if (status == FW_OK) {
    const fw_sweep_spec spec = {operands->values[0], &overrides, &design};
    status = sweep_points(&spec, flags, ranks, diagnostics);
  }
  fw_design_clear(&design);
  return status;
}

/* Rank 0 speaks for all. */
static fw_status act(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  sweep_flags *flags = values;
  fw_status status = fwi_ranks_begin(&flags->ranks, diagnostics);
  status = status == FW_OK ? sweep(operands, flags, &flags->ranks, diagnostics) : status;
  if (flags->ranks.rank > 0) {
    fw_diagnostics_clear(diagnostics);
  }
  return status;
}

static int run(int argc, char **argv) {
  sweep_flags values = {.latin_seed = 1};
  const fwi_flag flags[] = {
      {"--store", FWI_FLAG_TEXT, &values.store, "FILE", "keep the results there; what it has is not run again"},
      {"--study", FWI_FLAG_TEXT, &values.study, "NAME", "name of the study in the store (default: the scenario's)"},
      {"--grid", FWI_FLAG_TEXTS, &values.grid, "KEY=A,B", "every combination of these and of further KEY=A,B"},
      {"--latin", FWI_FLAG_COUNT, &values.latin, "N", "N points of a Latin hypercube over KEY=FROM:TO or KEY=A,B"},
      {"--latin-seed", FWI_FLAG_UNSIGNED, &values.latin_seed, "N", "another hypercube (default: 1)"},
      {"--points", FWI_FLAG_TEXT, &values.points, "FILE", "these points: JSON, [{\"KEY\": VALUE, ...}, ...]"},
      FWI_HOURS_FLAG(values.scenario),
      {"--seeds", FWI_FLAG_COUNT, &values.scenario.seeds, "N", "replications of each arm instead of the file's"},
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "A,B", "only these of the file's policies"},
      FWI_TRACE_FLAG(values.scenario),
      FWI_THREADS_FLAG(values.scenario),
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {&fwi_sweep_command, flags, sizeof flags / sizeof flags[0], act, &values, NULL};
  const int exit_status = fwi_invoke(&invocation, argc, argv);
  fwi_ranks_end(&values.ranks);
  return exit_status;
}
