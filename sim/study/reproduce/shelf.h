/* The scenarios that a ledger names: each read once, run once, kept until the study ends. */
#ifndef FW_STUDY_SHELF_H
#define FW_STUDY_SHELF_H

#include "sim/study/authority.h"
#include "sim/study/samples.h"

typedef struct fwi_shelf_options {
  const char *base;  /* file beside which the scenarios lie */
  const char *share; /* installed folder that holds models/ */
  size_t seeds;      /* 0: as the files say */
  const fw_study_options *study;
} fwi_shelf_options;

typedef struct fwi_shelved {
  char *name;
  fw_scenario *file;
  fw_scenario scenario;         /* the file's, with policies of its own that may be tuned */
  fw_scenario_policy *policies; /* those */
  void **tuned;                 /* settings owned for them, or NULL */
  fwi_samples samples;          /* empty until asked for, like the sweeps */
  fw_authority_result authority;
} fwi_shelved;

typedef struct fwi_shelf {
  fwi_shelf_options options;
  fwi_shelved **entries;
  size_t count;
  size_t capacity;
} fwi_shelf;

void fwi_shelf_free(fwi_shelf *shelf);

/* The scenario NAME.json; it must have one budget. */
fw_status fwi_shelf_find(fwi_shelf *shelf, const char *name, fwi_shelved **out, fw_diagnostics *diagnostics);

/* The index of an arm, or a message with the nearest name. */
fw_status fwi_shelved_policy(const fwi_shelved *entry, const char *name, size_t *index, fw_diagnostics *diagnostics);

/* The slot of a metric of ledger.h at `window`, or a message where the scenario has none. */
fw_status fwi_shelved_slot(const fwi_shelved *entry, int metric, fw_time_ns window, size_t *slot,
                           fw_diagnostics *diagnostics);

/* Gives the arm other settings, which the shelf then owns; before the scenario is run. */
void fwi_shelved_tune(fwi_shelved *entry, size_t policy, void *settings);

/* All arms on the scenario's own seeds, on the first call. */
fw_status fwi_shelved_samples(const fwi_shelf *shelf, fwi_shelved *entry, fw_diagnostics *diagnostics);

/* All actuators swept, on the first call. */
fw_status fwi_shelved_authority(const fwi_shelf *shelf, fwi_shelved *entry, fw_diagnostics *diagnostics);

#endif
