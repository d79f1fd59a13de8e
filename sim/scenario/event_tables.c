/* The events of a scenario as they are written. */
#include "sim/base/fields.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/tables.h"

#define MOST_S 3.2e9 /* a hundred years */
#define MOST_GPU 1e7
#define MOST_W 1e5

#define RECORD(record_name, type, table, record_defaults, text)                                                        \
  {                                                                                                                    \
    .name = (record_name), .doc = (text), .size = sizeof(type), .defaults = (record_defaults), .fields = (table),      \
    .field_count = FW_COUNT_OF(table)                                                                                  \
  }

#define DOWN_POWER(type)                                                                                               \
  {                                                                                                                    \
    .name = "down_power", .kind = FW_FIELD_POWER, .offset = offsetof(type, down_power), .min = 0, .max = MOST_W,       \
    .present_offset = offsetof(type, down_power_given),                                                                \
    .doc = "power of each GPU of the job while it is down; default: idle power"                                        \
  }

#define LOAD(type)                                                                                                     \
  FW_FIELD(type, load, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S, "time to load the job again, at its model's load level")

static const fw_field restart_fields[] = {
    FW_FIELD(fwi_file_restart, at, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "when the jobs go down"),
    FW_FIELD(fwi_file_restart, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0, "classes of these jobs; default: all"),
    FW_FIELD(fwi_file_restart, down, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S, "how long they stay down"),
    LOAD(fwi_file_restart),
    DOWN_POWER(fwi_file_restart),
    FW_FIELD(fwi_file_restart, keeps_work, FW_FIELD_BOOL, FW_OPTIONAL, 0, 0,
             "they go on where they stopped; else from their last checkpoint"),
};

static const fw_field feed_loss_fields[] = {
    FW_FIELD(fwi_file_feed_loss, from, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "when the feed is lost"),
    FW_FIELD_ABOVE(fwi_file_feed_loss, duration, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "until it is back"),
    FW_FIELD_ABOVE(fwi_file_feed_loss, left, FW_FIELD_NUMBER, FW_REQUIRED, 0, 1,
                   "share of the site's budget that the other feeds carry"),
    FW_FIELD(fwi_file_feed_loss, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0,
             "classes of the jobs that had no other feed and are without power until it is back; default: none"),
    LOAD(fwi_file_feed_loss),
};

static const fw_field demand_response_fields[] = {
    FW_FIELD(fwi_file_demand_response, from, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "when the call begins"),
    FW_FIELD_ABOVE(fwi_file_demand_response, duration, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "how long it lasts"),
    FW_FIELD_ABOVE(fwi_file_demand_response, factor, FW_FIELD_NUMBER, FW_REQUIRED, 0, 1, "on the site's budget"),
    FW_FIELD(fwi_file_demand_response, notice, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "how long before it begins controllers are told"),
};

static const fw_field gpu_failure_fields[] = {
    FW_FIELD(fwi_file_gpu_failure, at, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "when the GPU fails"),
    FW_FIELD(fwi_file_gpu_failure, gpu, FW_FIELD_INTEGER, FW_REQUIRED, 0, MOST_GPU, "which one, from 0 on"),
    FW_FIELD(fwi_file_gpu_failure, repair, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S,
             "until its job has a working GPU in its place"),
    LOAD(fwi_file_gpu_failure),
    DOWN_POWER(fwi_file_gpu_failure),
};

static const fw_field gpu_failures_fields[] = {
    FW_FIELD_ABOVE(fwi_file_gpu_failures, mtbf, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S,
                   "mean of the exponential time until a GPU fails"),
    FW_FIELD(fwi_file_gpu_failures, mttr, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S,
             "mean of the exponential time until its job has a working GPU in its place"),
    FW_FIELD(fwi_file_gpu_failures, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0,
             "classes of the jobs whose GPUs fail; default: all"),
    LOAD(fwi_file_gpu_failures),
    DOWN_POWER(fwi_file_gpu_failures),
};

static const fw_field straggler_fields[] = {
    FW_FIELD(fwi_file_straggler, gpu, FW_FIELD_INTEGER, FW_REQUIRED, 0, MOST_GPU, "which GPU, from 0 on"),
    FW_FIELD(fwi_file_straggler, factor, FW_FIELD_NUMBER, FW_REQUIRED, 1, 1000,
             "its times as a multiple of the others'; the slowest holds up its job"),
    FW_FIELD(fwi_file_straggler, from, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S, "when it begins"),
    FW_FIELD_ABOVE(fwi_file_straggler, duration, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "how long it lasts; default: to the end"),
};

static const fw_field cap_faults_fields[] = {
    FW_FIELD(fwi_file_cap_faults, lost, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 1, "probability that a cap command is lost"),
    FW_FIELD(fwi_file_cap_faults, late, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 1, "probability that it is late"),
    FW_FIELD(fwi_file_cap_faults, delay, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "how late; commands to a job arrive in order, so those behind wait"),
    FW_FIELD(fwi_file_cap_faults, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0, "classes of the jobs; default: all"),
};

static const fw_record restart_record =
    RECORD("restart", fwi_file_restart, restart_fields, NULL, "jobs go down and start again together");
static const fw_record feed_loss_record = RECORD("feed_loss", fwi_file_feed_loss, feed_loss_fields, NULL,
                                                 "one feed is lost for a time; controllers do not see it coming");
static const fw_record demand_response_record =
    RECORD("demand_response", fwi_file_demand_response, demand_response_fields, NULL,
           "the site is asked to draw less for a time");
static const fw_record gpu_failure_record =
    RECORD("gpu_failure", fwi_file_gpu_failure, gpu_failure_fields, NULL, "one GPU fails and takes its job down");
static const fw_record gpu_failures_record =
    RECORD("gpu_failures", fwi_file_gpu_failures, gpu_failures_fields, NULL,
           "GPUs fail at random, keyed by seed, GPU and number; each takes its job down");
static const fw_record straggler_record =
    RECORD("straggler", fwi_file_straggler, straggler_fields, NULL, "one GPU is slower than the others");
static const fw_record cap_faults_record = RECORD("cap_faults", fwi_file_cap_faults, cap_faults_fields, NULL,
                                                  "power caps that policies command come late or not at all");

const fw_variant_case fwi_event_cases[] = {
    [FW_ADVERSITY_RESTART] = {"restart", &restart_record},
    [FW_ADVERSITY_FEED_LOSS] = {"feed_loss", &feed_loss_record},
    [FW_ADVERSITY_DEMAND_RESPONSE] = {"demand_response", &demand_response_record},
    [FW_ADVERSITY_GPU_FAILURE] = {"gpu_failure", &gpu_failure_record},
    [FW_ADVERSITY_GPU_FAILURES] = {"gpu_failures", &gpu_failures_record},
    [FW_ADVERSITY_STRAGGLER] = {"straggler", &straggler_record},
    [FW_ADVERSITY_CAP_FAULTS] = {"cap_faults", &cap_faults_record},
    [FW_ADVERSITY_KINDS] = {NULL, NULL},
};

const char *const fw_adversity_kind_names[FW_ADVERSITY_KINDS + 1] = {
    "restart", "feed_loss", "demand_response", "gpu_failure", "gpu_failures", "straggler", "cap_faults", NULL};
