/* "expect" as it is written: one struct for each JSON object. */
#ifndef FW_SCENARIO_EXPECT_TABLES_H
#define FW_SCENARIO_EXPECT_TABLES_H

#include "sim/base/record.h"

/* What a check is of. `oversubscription` is 0 where it was left out. */
typedef struct fwi_file_arm {
  char *policy;
  double oversubscription;
  char *why;
} fwi_file_arm;

/* Of which figure; `window` is 0 where it was left out. */
typedef struct fwi_file_figure {
  int metric; /* fw_metric */
  fw_time_ns window;
} fwi_file_figure;

typedef struct fwi_file_digest {
  fwi_file_arm arm;
  uint64_t seed;
  bool seed_given;
  char *digest;
} fwi_file_digest;

typedef struct fwi_file_range {
  fwi_file_arm arm;
  fwi_file_figure figure;
  double at_least;
  bool at_least_given;
  double at_most;
  bool at_most_given;
} fwi_file_range;

typedef struct fwi_file_comparison {
  fwi_file_arm arm;
  fwi_file_figure figure;
  int is; /* 1: above */
  char *than;
  double by;
  double confidence;
} fwi_file_comparison;

typedef struct fwi_file_tolerance {
  int kind; /* fw_expect_tolerance_kind */
  double value;
} fwi_file_tolerance;

typedef struct fwi_file_recorded {
  fwi_file_arm arm;
  fwi_file_figure figure;
  double value;
  fwi_file_tolerance tolerance;
} fwi_file_recorded;

typedef struct fwi_file_expect {
  int64_t seeds;       /* 0: the scenario's */
  fw_time_ns duration; /* 0: the scenario's */
  fw_array checks;     /* fw_variant */
} fwi_file_expect;

extern const fw_record fwi_file_expect_record;

/* The kinds of checks, in the order of fw_expect_kind. */
extern const fw_variant_case fwi_expect_cases[];

#endif
