/* The scenario format: every key, its unit, its range and what it means. The schema and the reference are printed from
 * here. */
#include "sim/scenario/tables.h"

#include "sim/base/fields.h"
#include "sim/scenario/scenario.h"

/* Ceilings catch a wrong unit, not an unusual wish. */
#define MOST_COUNT 1e7
#define MOST_TOKENS 1e7
#define MOST_S 3.2e9 /* a hundred years */
#define MOST_W 1e10

static const fw_field actuator_fields[] = {
    FW_FIELD(fwi_file_actuators, concurrency, FW_FIELD_NUMBERS, FW_OPTIONAL, 1, MOST_COUNT,
             "levels of the generation batch size; default: powers of two up to the job's concurrency"),
    FW_FIELD(fwi_file_actuators, group_size, FW_FIELD_NUMBERS, FW_OPTIONAL, 1, MOST_COUNT,
             "levels of the group size; default: any"),
    FW_FIELD(fwi_file_actuators, completion_tokens, FW_FIELD_NUMBERS, FW_OPTIONAL, 1, MOST_TOKENS,
             "levels of the completion limit; default: any up to the job's limit"),
    FW_FIELD(fwi_file_actuators, pause, FW_FIELD_TIMES, FW_OPTIONAL, 0, MOST_S,
             "levels of the pause between batches; default: any up to 600 s"),
};

static const fw_record actuator_record = {.name = "actuators",
                                          .doc = "settings that policies may choose from",
                                          .size = sizeof(fwi_file_actuators),
                                          .fields = actuator_fields,
                                          .field_count = FW_COUNT_OF(actuator_fields)};

static const char *const draws_names[] = {"own", "copied", NULL};

static const fwi_file_grpo grpo_defaults = {.count = 1, .checkpoint_steps = 1};
static const fw_field grpo_fields[] = {
    FWI_CLASS(fwi_file_grpo),
    FW_FIELD(fwi_file_grpo, model, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "parameter file without .json, looked up beside the scenario and then among the installed models"),
    FW_FIELD(fwi_file_grpo, count, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT, "how many such jobs"),
    FW_FIELD(fwi_file_grpo, priority, FW_FIELD_INTEGER, FW_OPTIONAL, -1000, 1000, "larger is more important"),
    {.name = "draws",
     .kind = FW_FIELD_ENUM,
     .offset = offsetof(fwi_file_grpo, draws),
     .names = draws_names,
     .doc =
         "\"copied\": all draw the random numbers of the first, each from its own start on, as if one recording stood "
         "for each"},
    FW_FIELD(fwi_file_grpo, start_offset, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "delay of the first step, on top of \"start\""),
    FW_FIELD(fwi_file_grpo, prompts, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "prompts in a step; default: the model's"),
    FW_FIELD(fwi_file_grpo, group_size, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "completions per prompt; default: the model's"),
    FW_FIELD(fwi_file_grpo, concurrency, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "most sequences in flight; default: the model's"),
    FW_FIELD(fwi_file_grpo, completion_limit, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_TOKENS,
             "tokens at which a completion is cut; default: the model's"),
    FW_FIELD(fwi_file_grpo, completion_mean, FW_FIELD_NUMBER, FW_OPTIONAL, 1, MOST_TOKENS,
             "mean completion length in tokens; default: the model's"),
    {.name = "completion_cv",
     .kind = FW_FIELD_NUMBER,
     .offset = offsetof(fwi_file_grpo, completion_cv),
     .min = 0,
     .max = 10,
     .present_offset = offsetof(fwi_file_grpo, completion_cv_given),
     .doc = "coefficient of variation of completion lengths; default: the model's"},
    {.name = "prompt_tokens",
     .kind = FW_FIELD_INTEGER,
     .offset = offsetof(fwi_file_grpo, prompt_tokens),
     .min = 0,
     .max = MOST_TOKENS,
     .present_offset = offsetof(fwi_file_grpo, prompt_tokens_given),
     .doc = "tokens of each prompt; default: the model's"},
    FW_FIELD_ABOVE(fwi_file_grpo, power_cap, FW_FIELD_POWER, FW_OPTIONAL, 0, 1e5,
                   "power cap of each GPU at the start; default: none"),
    FW_FIELD(fwi_file_grpo, checkpoint_steps, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "steps between checkpoints: a job that is struck down goes on from the last one"),
    FW_RECORD(fwi_file_grpo, actuators, &actuator_record, FW_OPTIONAL, "settings that policies may choose from"),
};

static const fw_record grpo_record = {.name = "grpo",
                                      .doc = "GRPO post-training jobs: rollout in generation batches, then update",
                                      .size = sizeof(fwi_file_grpo),
                                      .defaults = &grpo_defaults,
                                      .fields = grpo_fields,
                                      .field_count = FW_COUNT_OF(grpo_fields)};

static const fwi_file_replay replay_defaults = {
    .count = 1, .kind = FW_SERIES_MEAN_FROM, .loop = true, .concurrency = 1, .decision = 15 * FW_NS_PER_S};
static const fw_field replay_fields[] = {
    FWI_CLASS(fwi_file_replay),
    FW_FIELD(fwi_file_replay, trace, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "recorded power CSV beside the scenario, or \"given\": from the flag --trace"),
    FW_FIELD(fwi_file_replay, check_trace, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "CSV beside the scenario that `fleetwatt check` takes where the trace is to be given"),
    {.name = "series",
     .kind = FW_FIELD_ENUM,
     .offset = offsetof(fwi_file_replay, kind),
     .names = fw_series_kind_names,
     .doc = "what a time stamp means"},
    FW_FIELD(fwi_file_replay, count, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT, "how many such jobs"),
    FW_FIELD(fwi_file_replay, priority, FW_FIELD_INTEGER, FW_OPTIONAL, -1000, 1000, "larger is more important"),
    FW_FIELD(fwi_file_replay, start_offset, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S, "delay before the recording starts"),
    FW_FIELD(fwi_file_replay, loop, FW_FIELD_BOOL, FW_OPTIONAL, 0, 0, "start again at the end"),
    FW_FIELD(fwi_file_replay, model, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "parameter file whose level rescales the recording when the concurrency moves"),
    FW_FIELD(fwi_file_replay, concurrency, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "concurrency at which it was recorded"),
    FW_FIELD_ABOVE(fwi_file_replay, decision, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "interval between decision instants"),
};

static const fw_record replay_record = {.name = "replay",
                                        .doc = "a recorded power trace",
                                        .size = sizeof(fwi_file_replay),
                                        .defaults = &replay_defaults,
                                        .fields = replay_fields,
                                        .field_count = FW_COUNT_OF(replay_fields)};

static const fwi_file_occupancy occupancy_defaults = {
    .count = 1, .kind = FW_SERIES_INSTANT, .skipped_phases = 1, .loop = true, .decision = 15 * FW_NS_PER_S};
static const fw_field occupancy_fields[] = {
    FWI_CLASS(fwi_file_occupancy),
    FW_FIELD(fwi_file_occupancy, model, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "parameter file without .json, looked up beside the scenario and then among the installed models"),
    FW_FIELD(fwi_file_occupancy, trace, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "recorded power CSV beside the scenario, or \"given\": from the flag --trace; its power is not used"),
    FW_FIELD(fwi_file_occupancy, check_trace, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "CSV beside the scenario that `fleetwatt check` takes where the trace is to be given"),
    {.name = "series",
     .kind = FW_FIELD_ENUM,
     .offset = offsetof(fwi_file_occupancy, kind),
     .names = fw_series_kind_names,
     .doc = "what a time stamp means"},
    FW_FIELD(fwi_file_occupancy, counters, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "engine counters CSV beside the scenario; default: the columns of the recording"),
    FW_FIELD(fwi_file_occupancy, phases, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "phases CSV beside the scenario; default: none"),
    FW_FIELD(fwi_file_occupancy, role, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "role of the GPUs that count, where the recording holds several"),
    FW_FIELD(fwi_file_occupancy, skipped_phases, FW_FIELD_INTEGER, FW_OPTIONAL, 0, MOST_COUNT,
             "work phases at the start of a phases file that are left out: engines warm up in the first"),
    FW_FIELD(fwi_file_occupancy, count, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT, "how many such jobs"),
    FW_FIELD(fwi_file_occupancy, priority, FW_FIELD_INTEGER, FW_OPTIONAL, -1000, 1000, "larger is more important"),
    FW_FIELD(fwi_file_occupancy, start_offset, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "delay before the recording starts"),
    FW_FIELD(fwi_file_occupancy, loop, FW_FIELD_BOOL, FW_OPTIONAL, 0, 0, "start again at the end"),
    FW_FIELD_ABOVE(fwi_file_occupancy, decision, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "interval between decision instants"),
};

static const fw_record occupancy_record = {.name = "occupancy",
                                           .doc = "what a job did while it was recorded, with the power of a model",
                                           .size = sizeof(fwi_file_occupancy),
                                           .defaults = &occupancy_defaults,
                                           .fields = occupancy_fields,
                                           .field_count = FW_COUNT_OF(occupancy_fields)};

static const fw_field phase_fields[] = {
    FW_FIELD(fwi_file_phase, duration, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "how long the phase lasts"),
    FW_FIELD(fwi_file_phase, power, FW_FIELD_POWER, FW_REQUIRED, 0, 1e5, "power of each GPU in it"),
};

static const fw_record phase_record = {.name = "phase",
                                       .doc = "a stretch of constant power",
                                       .size = sizeof(fwi_file_phase),
                                       .fields = phase_fields,
                                       .field_count = FW_COUNT_OF(phase_fields)};

static const fwi_file_cycle cycle_defaults = {.count = 1, .gpus = 1, .loop = true, .decision = 15 * FW_NS_PER_S};
static const fw_field cycle_fields[] = {
    FWI_CLASS(fwi_file_cycle),
    FW_FIELD(fwi_file_cycle, count, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT, "how many such jobs"),
    FW_FIELD(fwi_file_cycle, gpus, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 65536, "GPUs of each job"),
    FW_FIELD(fwi_file_cycle, priority, FW_FIELD_INTEGER, FW_OPTIONAL, -1000, 1000, "larger is more important"),
    FW_FIELD(fwi_file_cycle, start_offset, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S, "delay before the first phase"),
    FW_FIELD(fwi_file_cycle, loop, FW_FIELD_BOOL, FW_OPTIONAL, 0, 0, "start again at the end"),
    FW_RECORDS(fwi_file_cycle, phases, &phase_record, FW_REQUIRED, "what the job does, in order"),
    FW_FIELD_ABOVE(fwi_file_cycle, decision, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "interval between decision instants"),
};

static const fw_record cycle_record = {.name = "cycle",
                                       .doc = "fixed phases of given power",
                                       .size = sizeof(fwi_file_cycle),
                                       .defaults = &cycle_defaults,
                                       .fields = cycle_fields,
                                       .field_count = FW_COUNT_OF(cycle_fields)};

const fw_variant_case fwi_job_cases[] = {{"grpo", &grpo_record},
                                         {"replay", &replay_record},
                                         {"cycle", &cycle_record},
                                         {"occupancy", &occupancy_record},
                                         {"queue", &fwi_queue_record},
                                         {"serving", &fwi_serving_record},
                                         {NULL, NULL}};

static const fwi_file_topology topology_defaults = {.gpus_per_node = 8, .nodes_per_rack = 4, .racks_per_row = 10};
static const fw_field topology_fields[] = {
    FW_FIELD(fwi_file_topology, gpus, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "GPUs of the fleet; those without a job idle; default: as many as the jobs need"),
    FW_FIELD(fwi_file_topology, gpus_per_node, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT, "GPUs that share a node"),
    FW_FIELD(fwi_file_topology, nodes_per_rack, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "nodes that share a rack"),
    FW_FIELD(fwi_file_topology, racks_per_row, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT, "racks that share a row"),
    FW_FIELD_ABOVE(fwi_file_topology, node_budget, FW_FIELD_POWER, FW_OPTIONAL, 0, MOST_W,
                   "budget of each node; default: none"),
    FW_FIELD_ABOVE(fwi_file_topology, rack_budget, FW_FIELD_POWER, FW_OPTIONAL, 0, MOST_W,
                   "budget of each rack; default: none"),
    FW_FIELD_ABOVE(fwi_file_topology, row_budget, FW_FIELD_POWER, FW_OPTIONAL, 0, MOST_W,
                   "budget of each row; default: none"),
};

static const fw_record topology_record = {.name = "topology",
                                          .doc = "the tree of power domains",
                                          .size = sizeof(fwi_file_topology),
                                          .defaults = &topology_defaults,
                                          .fields = topology_fields,
                                          .field_count = FW_COUNT_OF(topology_fields)};

static const fwi_file_electrical electrical_defaults = {
    .supply_efficiency = 1.0, .pue = 1.0, .continuous_factor = FW_CONTINUOUS_FACTOR};
static const fw_field electrical_fields[] = {
    FW_FIELD(fwi_file_electrical, node_overhead, FW_FIELD_POWER, FW_OPTIONAL, 0, 1e5,
             "what a node draws beside its GPUs, behind its power supplies; idle nodes too"),
    FW_FIELD(fwi_file_electrical, supply_efficiency, FW_FIELD_NUMBER, FW_OPTIONAL, 0.1, 1,
             "output over input of a node's power supplies, to a millionth"),
    FW_FIELD(fwi_file_electrical, pue, FW_FIELD_NUMBER, FW_OPTIONAL, 1, 100,
             "facility over IT energy, for facility energy, cost and carbon; to a millionth"),
    FW_FIELD_ABOVE(fwi_file_electrical, continuous_factor, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 1,
                   "budget over rating of the breakers where no feeds are given"),
    FW_RECORDS(fwi_file_electrical, node_feeds, &fw_feed_record, FW_OPTIONAL,
               "feeds of each node; their limit is its budget"),
    FW_RECORDS(fwi_file_electrical, rack_feeds, &fw_feed_record, FW_OPTIONAL,
               "feeds of each rack; their limit is its budget"),
    FW_RECORDS(fwi_file_electrical, row_feeds, &fw_feed_record, FW_OPTIONAL,
               "feeds of each row; their limit is its budget"),
    FW_RECORDS(fwi_file_electrical, site_feeds, &fw_feed_record, FW_OPTIONAL,
               "feeds of the site, in place of \"budget\": what they carry for good after the worst loss of one"),
    {.name = "breaker",
     .kind = FW_FIELD_RECORD,
     .offset = offsetof(fwi_file_electrical, breaker),
     .record = &fw_breaker_model_record,
     .present_offset = offsetof(fwi_file_electrical, breaker_given),
     .doc = "breakers of every domain that has a budget; default: none"},
};

static const fw_record electrical_record = {.name = "electrical",
                                            .doc = "what stands between the GPUs and the grid",
                                            .size = sizeof(fwi_file_electrical),
                                            .defaults = &electrical_defaults,
                                            .fields = electrical_fields,
                                            .field_count = FW_COUNT_OF(electrical_fields)};

static const fw_field step_fields[] = {
    FW_FIELD(fwi_file_step, from, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "when the step begins, within the repeat"),
    FW_FIELD_ABOVE(fwi_file_step, factor, FW_FIELD_NUMBER, FW_REQUIRED, 0, 100, "budget as a multiple of the base"),
};

static const fw_record step_record = {.name = "budget_step",
                                      .doc = "one step of the budget",
                                      .size = sizeof(fwi_file_step),
                                      .fields = step_fields,
                                      .field_count = FW_COUNT_OF(step_fields)};

static const fw_field schedule_fields[] = {
    FW_FIELD_ABOVE(fwi_file_schedule, repeat, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "period after which the steps start again; default: never"),
    FW_RECORDS(fwi_file_schedule, steps, &step_record, FW_REQUIRED, "rising in time, the first at 0"),
};

static const fw_record schedule_record = {.name = "budget_schedule",
                                          .doc = "a budget that changes over time",
                                          .size = sizeof(fwi_file_schedule),
                                          .fields = schedule_fields,
                                          .field_count = FW_COUNT_OF(schedule_fields)};

static const fw_field tariff_fields[] = {
    FW_FIELD(fwi_file_tariff, cost_per_kwh, FW_FIELD_NUMBERS, FW_OPTIONAL, -1000, 1000,
             "price of a kWh: one number, or 24 for the hours of the day"),
    FW_FIELD(fwi_file_tariff, carbon_kg_per_kwh, FW_FIELD_NUMBERS, FW_OPTIONAL, 0, 1000,
             "kg CO2 of a kWh: one number, or 24 for the hours of the day"),
    FW_FIELD(fwi_file_tariff, start_hour, FW_FIELD_INTEGER, FW_OPTIONAL, 0, 23,
             "hour of the day at which a run begins"),
};

static const fw_record tariff_record = {.name = "tariff",
                                        .doc = "what energy costs",
                                        .size = sizeof(fwi_file_tariff),
                                        .fields = tariff_fields,
                                        .field_count = FW_COUNT_OF(tariff_fields)};

static const fwi_file_shield shield_defaults = {.window = 30 * FW_NS_PER_S, .share = 1.0};
static const fw_field shield_fields[] = {
    FW_FIELD_ABOVE(fwi_file_shield, window, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "one of the scenario's windows, which is to stay below the budget"),
    FW_FIELD_ABOVE(fwi_file_shield, share, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 2,
                   "of the budget that its mean is predicted to keep to"),
};

static const fw_record shield_record = {.name = "shield",
                                        .doc = "forbids settings that are predicted to put a window of the site above "
                                               "its budget",
                                        .size = sizeof(fwi_file_shield),
                                        .defaults = &shield_defaults,
                                        .fields = shield_fields,
                                        .field_count = FW_COUNT_OF(shield_fields)};

static const fw_field policy_fields[] = {
    FW_FIELD(fwi_file_policy, name, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "name of the arm in reports and on the command line"),
    FW_VARIANT(fwi_file_policy, job, fw_job_policy_cases, FW_OPTIONAL, "policy of each job; default: uncontrolled"),
    FW_VARIANT(fwi_file_policy, fleet, fw_fleet_policy_cases, FW_OPTIONAL, "policy of the fleet; default: none"),
    FW_FIELD(fwi_file_policy, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0,
             "job classes that the job policy controls; default: all"),
    {.name = "shield",
     .kind = FW_FIELD_RECORD,
     .offset = offsetof(fwi_file_policy, shield),
     .record = &shield_record,
     .present_offset = offsetof(fwi_file_policy, shield_given),
     .doc = "over the job policy; default: none"},
};

static const fw_record policy_record = {.name = "policy",
                                        .doc = "one arm of the comparison",
                                        .size = sizeof(fwi_file_policy),
                                        .fields = policy_fields,
                                        .field_count = FW_COUNT_OF(policy_fields)};

const char *const fwi_start_names[] = {"aligned", "random", "staggered", NULL};

static const fwi_file file_defaults = {.seed = 1, .seeds = 30, .tick = FW_NS_PER_S / 2};
static const fw_field file_fields[] = {
    FW_FORMAT(fwi_file, format, "fleetwatt"),
    FW_FIELD(fwi_file, name, FW_FIELD_STRING, FW_REQUIRED, 0, 0, "name in reports"),
    FW_FIELD(fwi_file, description, FW_FIELD_STRING, FW_OPTIONAL, 0, 0, "what it shows"),
    FW_FIELD(fwi_file, seed, FW_FIELD_UNSIGNED, FW_OPTIONAL, 0, 0, "seed of the first replication"),
    FW_FIELD(fwi_file, seeds, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 1e6,
             "replications, with the seeds seed, seed + 1, ..."),
    FW_FIELD_ABOVE(fwi_file, duration, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "simulated time"),
    FW_FIELD(fwi_file, warmup, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "time at the start that no result counts, rounded up to whole seconds and ticks"),
    FW_FIELD_ABOVE(fwi_file, tick, FW_FIELD_TIME, FW_OPTIONAL, 0, 3600,
                   "sampling period; must equal that of the models"),
    {.name = "windows",
     .kind = FW_FIELD_TIMES,
     .offset = offsetof(fwi_file, windows),
     .required = true,
     .exclusive_min = true,
     .min = 0,
     .max = MOST_S,
     .min_count = 1,
     .doc = "windows that power is judged at, 1 to 8 of them"},
    FW_FIELD(fwi_file, gpu, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "GPU file without .json, looked up beside the scenario and then among the installed GPUs"),
    FW_RECORD(fwi_file, topology, &topology_record, FW_OPTIONAL, "the tree of power domains"),
    FW_RECORD(fwi_file, electrical, &electrical_record, FW_OPTIONAL,
              "feeds, breakers and losses; default: GPUs alone, as their nameplate counts them"),
    {.name = "jobs",
     .kind = FW_FIELD_VARIANTS,
     .offset = offsetof(fwi_file, jobs),
     .required = true,
     .min_count = 1,
     .cases = fwi_job_cases,
     .doc = "what runs on the fleet, placed in this order"},
    FW_ENUM(fwi_file, start, fwi_start_names, FW_OPTIONAL, "how the first steps of equal jobs are spread over a cycle"),
    {.name = "budget",
     .kind = FW_FIELD_POWER,
     .offset = offsetof(fwi_file, budget),
     .exclusive_min = true,
     .min = 0,
     .max = MOST_W,
     .present_offset = offsetof(fwi_file, budget_given),
     .doc = "budget of the site; or give \"oversubscription\""},
    FW_FIELD_ABOVE(fwi_file, oversubscription, FW_FIELD_NUMBERS, FW_OPTIONAL, 0, 1000,
                   "ratios of nameplate to budget to compare; or give \"budget\""),
    {.name = "budget_schedule",
     .kind = FW_FIELD_RECORD,
     .offset = offsetof(fwi_file, schedule),
     .record = &schedule_record,
     .doc = "how the budget changes over time; default: constant"},
    FW_RECORD(fwi_file, tariff, &tariff_record, FW_OPTIONAL, "what energy costs; default: nothing"),
    FW_RECORDS(fwi_file, policies, &policy_record, FW_OPTIONAL, "arms to compare; default: uncontrolled"),
    {.name = "events",
     .kind = FW_FIELD_VARIANTS,
     .offset = offsetof(fwi_file, events),
     .cases = fwi_event_cases,
     .doc = "what befalls the fleet: restarts, losses of a feed, failures; default: nothing"},
    FW_RECORDS(fwi_file, expect, &fwi_file_expect_record, FW_OPTIONAL, "what `fleetwatt check` holds the results to"),
};

const fw_record fwi_file_record = {.name = "scenario",
                                   .doc = "a fleetwatt scenario",
                                   .size = sizeof(fwi_file),
                                   .defaults = &file_defaults,
                                   .fields = file_fields,
                                   .field_count = FW_COUNT_OF(file_fields)};
