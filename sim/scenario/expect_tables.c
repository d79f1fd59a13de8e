/* The keys of "expect". */
#include "sim/scenario/expect_tables.h"

#include "sim/base/fields.h"
#include "sim/scenario/expect.h"

#define MOST_NUMBER 1e300
#define MOST_S 3.2e9 /* a hundred years, as elsewhere in the scenario */

/* The arm and the figure that a check is of; `type` holds them as `arm` and `figure`. */
#define ARM_FIELDS(type)                                                                                               \
  {.name = "policy",                                                                                                   \
   .kind = FW_FIELD_STRING,                                                                                            \
   .offset = offsetof(type, arm.policy),                                                                               \
   .required = true,                                                                                                   \
   .doc = "the arm"},                                                                                                  \
      {.name = "oversubscription",                                                                                     \
       .kind = FW_FIELD_NUMBER,                                                                                        \
       .offset = offsetof(type, arm.oversubscription),                                                                 \
       .exclusive_min = true,                                                                                          \
       .max = 1000,                                                                                                    \
       .doc = "one of the scenario's ratios; may be left out where the scenario has one budget"},                      \
  {                                                                                                                    \
    .name = "why", .kind = FW_FIELD_STRING, .offset = offsetof(type, arm.why), .doc = "what a failure means"           \
  }

#define FIGURE_FIELDS(type)                                                                                            \
  {.name = "metric",                                                                                                   \
   .kind = FW_FIELD_ENUM,                                                                                              \
   .offset = offsetof(type, figure.metric),                                                                            \
   .required = true,                                                                                                   \
   .names = fw_metric_names,                                                                                           \
   .doc = "the figure: mean over the seeds"},                                                                          \
  {                                                                                                                    \
    .name = "window", .kind = FW_FIELD_TIME, .offset = offsetof(type, figure.window), .exclusive_min = true,           \
    .max = MOST_S, .doc = "one of the scenario's windows, of figures that have one"                                    \
  }

static const fw_field digest_fields[] = {
    ARM_FIELDS(fwi_file_digest),
    {.name = "seed",
     .kind = FW_FIELD_UNSIGNED,
     .offset = offsetof(fwi_file_digest, seed),
     .present_offset = offsetof(fwi_file_digest, seed_given),
     .doc = "seed of the run; default: the scenario's"},
    FW_FIELD(fwi_file_digest, digest, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "16 hexadecimal digits, as `fleetwatt run --digest` says them"),
};

static const fw_record digest_record = {.name = "digest",
                                        .doc = "every tick and event of one run, to the last bit",
                                        .size = sizeof(fwi_file_digest),
                                        .fields = digest_fields,
                                        .field_count = FW_COUNT_OF(digest_fields)};

static const fw_field range_fields[] = {
    ARM_FIELDS(fwi_file_range),
    FIGURE_FIELDS(fwi_file_range),
    {.name = "at_least",
     .kind = FW_FIELD_NUMBER,
     .offset = offsetof(fwi_file_range, at_least),
     .min = -MOST_NUMBER,
     .max = MOST_NUMBER,
     .present_offset = offsetof(fwi_file_range, at_least_given),
     .doc = "lower bound, itself allowed; default: none"},
    {.name = "at_most",
     .kind = FW_FIELD_NUMBER,
     .offset = offsetof(fwi_file_range, at_most),
     .min = -MOST_NUMBER,
     .max = MOST_NUMBER,
     .present_offset = offsetof(fwi_file_range, at_most_given),
     .doc = "upper bound, itself allowed; default: none"},
};

static const fw_record range_record = {.name = "range",
                                       .doc = "a figure's mean lies between bounds",
                                       .size = sizeof(fwi_file_range),
                                       .fields = range_fields,
                                       .field_count = FW_COUNT_OF(range_fields)};

static const char *const direction_names[] = {"below", "above", NULL};
static const fwi_file_comparison comparison_defaults = {.confidence = 0.99};
static const fw_field comparison_fields[] = {
    ARM_FIELDS(fwi_file_comparison),
    FIGURE_FIELDS(fwi_file_comparison),
    FW_ENUM(fwi_file_comparison, is, direction_names, FW_REQUIRED, "on which side of the other arm's figure"),
    FW_FIELD(fwi_file_comparison, than, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "the other policy, at the same budget"),
    FW_FIELD(fwi_file_comparison, by, FW_FIELD_NUMBER, FW_OPTIONAL, 0, MOST_NUMBER,
             "by how much at least, in the figure's unit"),
    FW_FIELD(fwi_file_comparison, confidence, FW_FIELD_NUMBER, FW_OPTIONAL, 0.5, 0.999999,
             "of a one-sided paired t test over the seeds"),
};

static const fw_record comparison_record = {.name = "comparison",
                                            .doc = "a figure is below or above another arm's, seed by seed",
                                            .size = sizeof(fwi_file_comparison),
                                            .defaults = &comparison_defaults,
                                            .fields = comparison_fields,
                                            .field_count = FW_COUNT_OF(comparison_fields)};

const char *const fw_expect_tolerance_names[] = {"absolute", "relative", "factor", NULL};
static const fw_field tolerance_fields[] = {
    FW_ENUM(fwi_file_tolerance, kind, fw_expect_tolerance_names, FW_REQUIRED, "what the number is of"),
    FW_FIELD(fwi_file_tolerance, value, FW_FIELD_NUMBER, FW_REQUIRED, 0, MOST_NUMBER,
             "in the figure's unit; a share of the value; or a factor, at least 1"),
};

static const fw_record tolerance_record = {.name = "tolerance",
                                           .doc = "how far a figure may be off",
                                           .size = sizeof(fwi_file_tolerance),
                                           .fields = tolerance_fields,
                                           .field_count = FW_COUNT_OF(tolerance_fields)};

static const fw_field recorded_fields[] = {
    ARM_FIELDS(fwi_file_recorded),
    FIGURE_FIELDS(fwi_file_recorded),
    FW_FIELD(fwi_file_recorded, value, FW_FIELD_NUMBER, FW_REQUIRED, -MOST_NUMBER, MOST_NUMBER,
             "as it was; `fleetwatt check --update` writes it"),
    FW_RECORD(fwi_file_recorded, tolerance, &tolerance_record, FW_REQUIRED, "how far it may be off"),
};

static const fw_record recorded_record = {.name = "recorded",
                                          .doc = "a figure's mean is what it was",
                                          .size = sizeof(fwi_file_recorded),
                                          .fields = recorded_fields,
                                          .field_count = FW_COUNT_OF(recorded_fields)};

const fw_variant_case fwi_expect_cases[] = {
    {"digest", &digest_record},
    {"range", &range_record},
    {"comparison", &comparison_record},
    {"recorded", &recorded_record},
    {NULL, NULL},
};

static const fw_field expect_fields[] = {
    FW_FIELD(fwi_file_expect, seeds, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 1e6, "replications; default: the scenario's"),
    FW_FIELD_ABOVE(fwi_file_expect, duration, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "simulated time; default: the scenario's"),
    {.name = "checks",
     .kind = FW_FIELD_VARIANTS,
     .offset = offsetof(fwi_file_expect, checks),
     .required = true,
     .min_count = 1,
     .cases = fwi_expect_cases,
     .doc = "what must hold of these runs"},
};

const fw_record fwi_file_expect_record = {.name = "expect",
                                          .doc = "runs, and what `fleetwatt check` holds them to",
                                          .size = sizeof(fwi_file_expect),
                                          .fields = expect_fields,
                                          .field_count = FW_COUNT_OF(expect_fields)};
