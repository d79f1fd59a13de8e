/* A record with a field of every kind, for the tests and the fuzzer of the decoder and the schema. */
#ifndef FW_TESTS_SAMPLE_RECORD_H
#define FW_TESTS_SAMPLE_RECORD_H

#include "sim/base/record.h"

typedef struct leaf {
  double gain;
  fw_power_mw level;
} leaf;

typedef struct node {
  char *name;
  fw_array children; /* of node */
} node;

typedef enum shape { SHAPE_FLAT, SHAPE_LOG2, SHAPE_LOGISTIC } shape;

typedef struct top {
  bool on;
  int64_t signed_count;
  uint64_t seed;
  double share;
  char *name;
  int shape;
  int64_t version;
  fw_power_mw budget;
  fw_time_ns period;
  fw_array gains;   /* of double */
  fw_array levels;  /* of fw_power_mw */
  fw_array windows; /* of fw_time_ns */
  fw_array tags;    /* of char * */
  leaf leaf;
  fw_array leaves; /* of leaf */
  fw_variant policy;
  fw_array policies; /* of fw_variant */
  fw_array tree;     /* of node */
  bool budget_given;
} top;

static const char *const sample_shapes[] = {"flat", "log2", "logistic", NULL};

static const fw_field leaf_fields[] = {
    {.name = "gain", .kind = FW_FIELD_NUMBER, .offset = offsetof(leaf, gain), .required = true},
    {.name = "level", .kind = FW_FIELD_POWER, .offset = offsetof(leaf, level)},
};
static const leaf leaf_defaults = {.gain = 1, .level = 7000};
static const fw_record leaf_record = {"leaf", NULL, sizeof(leaf), &leaf_defaults, leaf_fields, 2};

static const fw_record node_record;
static const fw_field node_fields[] = {
    {.name = "name", .kind = FW_FIELD_STRING, .offset = offsetof(node, name), .required = true},
    {.name = "children", .kind = FW_FIELD_RECORDS, .offset = offsetof(node, children), .record = &node_record},
};
static const fw_record node_record = {"node", NULL, sizeof(node), NULL, node_fields, 2};

static const fw_variant_case sample_policies[] = {{"leaf", &leaf_record}, {"node", &node_record}, {NULL, NULL}};

static const fw_field top_fields[] = {
    {.name = "on", .kind = FW_FIELD_BOOL, .offset = offsetof(top, on)},
    {.name = "signed_count", .kind = FW_FIELD_INTEGER, .offset = offsetof(top, signed_count), .min = -10, .max = 1e18},
    {.name = "seed", .kind = FW_FIELD_UNSIGNED, .offset = offsetof(top, seed)},
    {.name = "share", .kind = FW_FIELD_NUMBER, .offset = offsetof(top, share), .exclusive_min = true, .max = 1},
    {.name = "name", .kind = FW_FIELD_STRING, .offset = offsetof(top, name)},
    {.name = "shape", .kind = FW_FIELD_ENUM, .offset = offsetof(top, shape), .names = sample_shapes},
    {.name = "version", .kind = FW_FIELD_FORMAT, .offset = offsetof(top, version), .min = 1, .max = 1},
    {.name = "budget",
     .kind = FW_FIELD_POWER,
     .offset = offsetof(top, budget),
     .required = true,
     .exclusive_min = true,
     .doc = "power that the feed carries",
     .present_offset = offsetof(top, budget_given)},
    {.name = "period", .kind = FW_FIELD_TIME, .offset = offsetof(top, period), .exclusive_min = true, .max = 1e9},
    {.name = "gains", .kind = FW_FIELD_NUMBERS, .offset = offsetof(top, gains), .min = 0, .max = 2, .min_count = 2},
    {.name = "levels", .kind = FW_FIELD_POWERS, .offset = offsetof(top, levels)},
    {.name = "windows", .kind = FW_FIELD_TIMES, .offset = offsetof(top, windows), .exclusive_min = true},
    {.name = "tags", .kind = FW_FIELD_STRINGS, .offset = offsetof(top, tags)},
    {.name = "leaf", .kind = FW_FIELD_RECORD, .offset = offsetof(top, leaf), .record = &leaf_record},
    {.name = "leaves", .kind = FW_FIELD_RECORDS, .offset = offsetof(top, leaves), .record = &leaf_record},
    {.name = "policy", .kind = FW_FIELD_VARIANT, .offset = offsetof(top, policy), .cases = sample_policies},
    {.name = "policies", .kind = FW_FIELD_VARIANTS, .offset = offsetof(top, policies), .cases = sample_policies},
    {.name = "tree", .kind = FW_FIELD_RECORDS, .offset = offsetof(top, tree), .record = &node_record},
    {.name = "provenance", .kind = FW_FIELD_FREE},
};
static const top top_defaults = {.share = 0.5, .shape = SHAPE_LOG2, .period = 5 * FW_NS_PER_S};
static const fw_record top_record = {"top",         "the whole", sizeof(top),
                                     &top_defaults, top_fields,  sizeof top_fields / sizeof *top_fields};

#endif
