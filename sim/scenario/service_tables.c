/* Jobs that serve what comes from outside, as they are written. */
#include "sim/base/fields.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/tables.h"

#define MOST_COUNT 1e12
#define MOST_TOKENS 1e7
#define MOST_S 3.2e9 /* a hundred years */

static const char *const discipline_names[] = {"fifo", "easy", NULL};

static const char *const residual_names[] = {"none", "together", "apart", NULL};

static const fwi_file_queue_phase queue_phase_defaults = {.phase = FW_PHASE_ROLLOUT};
static const fw_field queue_phase_fields[] = {
    FW_FIELD(fwi_file_queue_phase, duration, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "how long the phase lasts"),
    {.name = "power",
     .kind = FW_FIELD_POWER,
     .offset = offsetof(fwi_file_queue_phase, power),
     .present_offset = offsetof(fwi_file_queue_phase, power_given),
     .max = 1e5,
     .doc = "power of each GPU in it; default: that of the model"},
    {.name = "phase",
     .kind = FW_FIELD_ENUM,
     .offset = offsetof(fwi_file_queue_phase, phase),
     .present_offset = offsetof(fwi_file_queue_phase, phase_given),
     .names = fw_phase_names,
     .doc = "which phase of the model it is; default: rollout"},
    FW_FIELD(fwi_file_queue_phase, concurrency, FW_FIELD_NUMBER, FW_OPTIONAL, 1, 1e7,
             "sequences in flight in each of the model's jobs, for its power; default: the model's"),
};

static const fw_record queue_phase_record = {.name = "queue_phase",
                                             .doc = "a stretch of the jobs of a queue",
                                             .size = sizeof(fwi_file_queue_phase),
                                             .defaults = &queue_phase_defaults,
                                             .fields = queue_phase_fields,
                                             .field_count = FW_COUNT_OF(queue_phase_fields)};

static const fwi_file_queue queue_defaults = {.gpus = 1, .decision = 15 * FW_NS_PER_S};
static const fw_field queue_fields[] = {
    FWI_CLASS(fwi_file_queue),
    FW_FIELD(fwi_file_queue, gpus, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 65536, "GPUs that its jobs share"),
    FW_FIELD(fwi_file_queue, priority, FW_FIELD_INTEGER, FW_OPTIONAL, -1000, 1000, "larger is more important"),
    FW_FIELD(fwi_file_queue, start_offset, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "jobs wait so long before the first may begin"),
    FW_ENUM(fwi_file_queue, discipline, discipline_names, FW_OPTIONAL,
            "who may begin: in order of arrival, or with EASY backfill"),
    FW_FIELD(fwi_file_queue, trace, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "CSV beside the scenario: submit_s, gpus, duration_s or steps, limit_s, power_w; default: jobs are drawn"),
    FW_FIELD(fwi_file_queue, jobs, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "how many are drawn; default: without end"),
    FW_VARIANT(fwi_file_queue, interval, fw_time_law_cases, FW_OPTIONAL, "time between two arrivals"),
    FW_VARIANT(fwi_file_queue, duration, fw_time_law_cases, FW_OPTIONAL, "time that a job takes on its GPUs"),
    {.name = "sizes",
     .kind = FW_FIELD_NUMBERS,
     .offset = offsetof(fwi_file_queue, sizes),
     .min = 1,
     .max = 65536,
     .doc = "GPUs of a job, one of these; default: 1"},
    {.name = "weights",
     .kind = FW_FIELD_NUMBERS,
     .offset = offsetof(fwi_file_queue, weights),
     .exclusive_min = true,
     .min = 0,
     .max = 1e6,
     .doc = "how often each of the sizes is drawn; default: equally often"},
    FW_FIELD_ABOVE(fwi_file_queue, limit, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "a job that runs longer is killed; backfill takes it as the estimate; default: none"),
    FW_RECORDS(fwi_file_queue, phases, &queue_phase_record, FW_REQUIRED,
               "what a job does on each GPU, over again until its time is over"),
    FW_FIELD(fwi_file_queue, model, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "parameter file of its jobs without .json, looked up like those of other jobs; default: none"),
    {.name = "residual",
     .kind = FW_FIELD_ENUM,
     .offset = offsetof(fwi_file_queue, residual),
     .present_offset = offsetof(fwi_file_queue, residual_given),
     .names = residual_names,
     .doc = "what power does around its level, by the model: the totals of a job larger than the model's move together "
            "or apart; default: together, none without a model"},
    FW_FIELD_ABOVE(fwi_file_queue, decision, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "interval between decision instants"),
};

const fw_record fwi_queue_record = {.name = "queue",
                                    .doc = "jobs that arrive, wait for GPUs and run on them",
                                    .size = sizeof(fwi_file_queue),
                                    .defaults = &queue_defaults,
                                    .fields = queue_fields,
                                    .field_count = FW_COUNT_OF(queue_fields)};

static const fwi_file_serving serving_defaults = {
    .count = 1, .context_limit = 10000000, .output_limit = 10000000, .decision = 15 * FW_NS_PER_S};
static const fw_field serving_fields[] = {
    FWI_CLASS(fwi_file_serving),
    FW_FIELD(fwi_file_serving, model, FW_FIELD_STRING, FW_REQUIRED, 0, 0,
             "parameter file without .json, looked up beside the scenario and then among the installed models"),
    FW_FIELD(fwi_file_serving, count, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 1e7,
             "how many such engines; the requests of a trace are dealt out in turn, drawn ones come to each"),
    FW_FIELD(fwi_file_serving, priority, FW_FIELD_INTEGER, FW_OPTIONAL, -1000, 1000, "larger is more important"),
    FW_FIELD(fwi_file_serving, start_offset, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
             "requests wait so long before the first is read"),
    FW_FIELD(fwi_file_serving, concurrency, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 1e7,
             "most requests in flight; default: the model's"),
    FW_FIELD(fwi_file_serving, trace, FW_FIELD_STRING, FW_OPTIONAL, 0, 0,
             "CSV beside the scenario: t_s, context_tokens, generated_tokens; default: requests are drawn"),
    FW_FIELD_ABOVE(fwi_file_serving, repeat, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "period after which the trace starts again; default: never"),
    FW_FIELD(fwi_file_serving, requests, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_COUNT,
             "how many are drawn; default: without end"),
    FW_VARIANT(fwi_file_serving, interval, fw_time_law_cases, FW_OPTIONAL, "time between two requests"),
    FW_FIELD(fwi_file_serving, context_mean, FW_FIELD_NUMBER, FW_OPTIONAL, 1, MOST_TOKENS,
             "mean prompt of a request, tokens"),
    FW_FIELD(fwi_file_serving, context_cv, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 100,
             "coefficient of variation of the lognormal prompts; 0: all alike"),
    FW_FIELD(fwi_file_serving, output_mean, FW_FIELD_NUMBER, FW_OPTIONAL, 1, MOST_TOKENS,
             "mean answer to a request, tokens"),
    FW_FIELD(fwi_file_serving, output_cv, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 100,
             "coefficient of variation of the lognormal answers; 0: all alike"),
    FW_FIELD(fwi_file_serving, context_limit, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_TOKENS,
             "tokens at which a prompt is cut"),
    FW_FIELD(fwi_file_serving, output_limit, FW_FIELD_INTEGER, FW_OPTIONAL, 1, MOST_TOKENS,
             "tokens at which an answer is cut"),
    FW_FIELD_ABOVE(fwi_file_serving, power_cap, FW_FIELD_POWER, FW_OPTIONAL, 0, 1e5,
                   "power cap of each GPU at the start; default: none"),
    FW_FIELD_ABOVE(fwi_file_serving, decision, FW_FIELD_TIME, FW_OPTIONAL, 0, MOST_S,
                   "interval between decision instants"),
};

const fw_record fwi_serving_record = {.name = "serving",
                                      .doc = "engines that answer requests with continuous batching",
                                      .size = sizeof(fwi_file_serving),
                                      .defaults = &serving_defaults,
                                      .fields = serving_fields,
                                      .field_count = FW_COUNT_OF(serving_fields)};
