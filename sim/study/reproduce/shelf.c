/* Scenarios by name, and what they came to. */
#include "sim/study/reproduce/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/study/reproduce/ledger.h"

static void free_entry(fwi_shelved *entry) {
  if (entry == NULL) {
    return;
  }
  for (size_t i = 0; entry->tuned != NULL && i < entry->scenario.policy_count; i++) {
    free(entry->tuned[i]);
  }
  free(entry->tuned);
  free(entry->policies);
  free(entry->name);
  fwi_samples_free(&entry->samples);
  fw_authority_clear(&entry->authority);
  fw_scenario_free(entry->file);
  free(entry);
}

void fwi_shelf_free(fwi_shelf *shelf) {
  for (size_t i = 0; i < shelf->count; i++) {
    free_entry(shelf->entries[i]);
  }
  free(shelf->entries);
  *shelf = (fwi_shelf){0};
}

static fw_status read_file(const fwi_shelf *shelf, const char *name, fw_scenario **out, fw_diagnostics *diagnostics) {
  const fw_scenario_overrides overrides = {.seeds = shelf->options.seeds, .share = shelf->options.share};
  fw_text file = FW_TEXT_INIT;
  fw_text_add_format(&file, "%s.json", name);
  char *path = file.failed ? NULL : fw_path_beside(shelf->options.base, file.data);
  fw_text_clear(&file);
  if (path == NULL) {
    return fw_error_memory(diagnostics, "the path of a scenario");
  }
  fw_status status = fw_scenario_read(path, &overrides, out, diagnostics);
  if (status == FW_OK && (*out)->budget_count != 1) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path},
                      "a ledger's figures are taken at one budget, and this scenario has %zu; keep one",
                      (*out)->budget_count);
  }
  free(path);
  return status;
}

static fw_status make_entry(const fwi_shelf *shelf, const char *name, fwi_shelved *entry, fw_diagnostics *diagnostics) {
  const fw_status status = read_file(shelf, name, &entry->file, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  entry->scenario = *entry->file;
  entry->name = fw_copy_text(name);
  entry->policies = fw_allocate(entry->file->policy_count, sizeof *entry->policies);
  entry->tuned = fw_allocate(entry->file->policy_count, sizeof *entry->tuned);
  if (entry->name == NULL || entry->policies == NULL || entry->tuned == NULL) {
    return fw_error_memory(diagnostics, "a scenario of the ledger");
  }
  memcpy(entry->policies, entry->file->policies, entry->file->policy_count * sizeof *entry->policies);
  entry->scenario.policies = entry->policies;
  return FW_OK;
}

fw_status fwi_shelf_find(fwi_shelf *shelf, const char *name, fwi_shelved **out, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < shelf->count; i++) {
    if (strcmp(shelf->entries[i]->name, name) == 0) {
      *out = shelf->entries[i];
      return FW_OK;
    }
  }
  fwi_shelved *entry = fw_allocate(1, sizeof *entry);
  if (entry == NULL || !fw_grow(&shelf->entries, &shelf->capacity, shelf->count + 1, sizeof(fwi_shelved *))) {
    free(entry);
    return fw_error_memory(diagnostics, "the scenarios of the ledger");
  }
  const fw_status status = make_entry(shelf, name, entry, diagnostics);
  if (status != FW_OK) {
    free_entry(entry);
    return status;
  }
  shelf->entries[shelf->count++] = entry;
  *out = entry;
  return FW_OK;
}

fw_status fwi_shelved_policy(const fwi_shelved *entry, const char *name, size_t *index, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < entry->scenario.policy_count; i++) {
    if (strcmp(entry->policies[i].name, name) == 0) {
      *index = i;
      return FW_OK;
    }
  }
  char shown[FW_SHOWN_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "the scenario \"%s\" has no policy \"%s\"; its first is \"%s\"", entry->name,
                  fw_shown(name, strlen(name), shown), entry->policies[0].name);
}

fw_status fwi_shelved_slot(const fwi_shelved *entry, int metric, fw_time_ns window, size_t *slot,
                           fw_diagnostics *diagnostics) {
  if (metric == FW_LEDGER_DECISIONS_ABOVE && window == 0) {
    *slot = FWI_SLOT_DECISIONS_ABOVE;
    return FW_OK;
  }
  if (metric != FW_LEDGER_DECISIONS_ABOVE && fwi_slot_of(&entry->scenario, (fw_metric)metric, window, slot)) {
    return FW_OK;
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "the scenario \"%s\" has no such window for %s: a rate or a peak needs one of the scenario's, other "
                  "figures have none",
                  entry->name, fw_ledger_metrics[metric]);
}

void fwi_shelved_tune(fwi_shelved *entry, size_t policy, void *settings) {
  free(entry->tuned[policy]);
  entry->tuned[policy] = settings;
  entry->policies[policy].job_settings = settings;
}

fw_status fwi_shelved_samples(const fwi_shelf *shelf, fwi_shelved *entry, fw_diagnostics *diagnostics) {
  if (entry->samples.values != NULL) {
    return FW_OK;
  }
  return fwi_samples_take(&entry->scenario, entry->scenario.seed, entry->scenario.seeds, shelf->options.study,
                          &entry->samples, diagnostics);
}

fw_status fwi_shelved_authority(const fwi_shelf *shelf, fwi_shelved *entry, fw_diagnostics *diagnostics) {
  if (entry->authority.rows != NULL) {
    return FW_OK;
  }
  const fw_authority_options options = {
      .window = FW_AUTHORITY_WINDOW, .threshold = FW_AUTHORITY_THRESHOLD, .study = *shelf->options.study};
  return fw_authority(&entry->scenario, &options, &entry->authority, diagnostics);
}
