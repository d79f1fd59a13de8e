/* The tables of published.json and fleet.json. */
#include "models/fit_a100/published.h"

#include "models/ceilings.h"
#include "sim/base/fields.h"

#define NUMBER(type, member, text) FW_FIELD_ABOVE(type, member, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 1e12, text)
#define SHARE(type, member, text) FW_FIELD(type, member, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 1.0, text)

static const fw_field arm_fields[] = {
    FW_FIELD(fwi_published_arm, concurrency, FW_FIELD_NUMBER, FW_OPTIONAL, 1.0, FWI_MOST_COUNT, "sequences in flight"),
    NUMBER(fwi_published_arm, tokens, "tokens generated in the run"),
    NUMBER(fwi_published_arm, wh_per_1k, "Wh for 1,000 tokens"),
    SHARE(fwi_published_arm, rate_30s, "share of 30 s means above the budget"),
};

static const fw_record arm_record = {
    .name = "published_arm",
    .doc = "one arm of the 72B live runs",
    .size = sizeof(fwi_published_arm),
    .fields = arm_fields,
    .field_count = FW_COUNT_OF(arm_fields),
};

static const fw_field job_72b_fields[] = {
    NUMBER(fwi_published_72b, gpus, "GPUs of the job"),
    NUMBER(fwi_published_72b, run_s, "length of a run"),
    {.name = "static_arms",
     .kind = FW_FIELD_RECORDS,
     .offset = offsetof(fwi_published_72b, static_arms),
     .required = true,
     .min_count = 2,
     .record = &arm_record,
     .doc = "the two static arms: uncontrolled, safe"},
    FW_RECORD(fwi_published_72b, trained_arm, &arm_record, FW_REQUIRED, "the arm with the trained policy"),
    FW_NUMBERS(fwi_published_72b, window_s, 4, 0.0, FWI_MOST_S, "windows of the window table"),
    FW_NUMBERS(fwi_published_72b, window_rate, 4, 0.0, 1.0, "their violation rates, single job"),
    FW_NUMBERS(fwi_published_72b, batch_interval_s, 2, 0.0, FWI_MOST_S, "shortest and longest generation batch"),
    NUMBER(fwi_published_72b, throughput_ratio_1_to_8, "of the concurrency actuator"),
    NUMBER(fwi_published_72b, throughput_ratio_1_to_4, "of group size applied as concurrency"),
    SHARE(fwi_published_72b, mean_swing_1_to_8, "of the concurrency actuator"),
    SHARE(fwi_published_72b, mean_swing_1_to_4, "of group size applied as concurrency"),
    NUMBER(fwi_published_72b, pause_throughput_ratio, "of the pause between batches"),
    SHARE(fwi_published_72b, pause_mean_swing, "of the pause between batches"),
};

static const fw_record job_72b_record = {
    .name = "published_72b",
    .doc = "figures of the 72B job",
    .size = sizeof(fwi_published_72b),
    .fields = job_72b_fields,
    .field_count = FW_COUNT_OF(job_72b_fields),
};

static const fw_field job_7b_fields[] = {
    NUMBER(fwi_published_7b, gpus, "GPUs of the job"),
    NUMBER(fwi_published_7b, budget_w, "budget of the job"),
    NUMBER(fwi_published_7b, steps, "training steps of the run"),
    NUMBER(fwi_published_7b, step_s, "length of a step"),
    NUMBER(fwi_published_7b, violations, "budget violations of the baseline"),
    NUMBER(fwi_published_7b, tokens, "tokens of the baseline"),
    NUMBER(fwi_published_7b, energy_kwh, "energy of the baseline"),
};

static const fw_record job_7b_record = {
    .name = "published_7b",
    .doc = "figures of the 7B job",
    .size = sizeof(fwi_published_7b),
    .fields = job_7b_fields,
    .field_count = FW_COUNT_OF(job_7b_fields),
};

static const fw_field prior_fields[] = {
    FW_FIELD(fwi_prior, source, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0, "where the prior comes from"),
    FW_NUMBERS(fwi_prior, batch, 4, 1.0, FWI_MOST_COUNT, "batch sizes"),
    FW_NUMBERS(fwi_prior, tokens_per_s_7b, 4, 0.0, 1e9, "token rates of a 7B model on one GPU"),
    FW_NUMBERS(fwi_prior, tokens_per_s_14b, 4, 0.0, 1e9, "token rates of a 14B model on two GPUs"),
    NUMBER(fwi_prior, prefill_7b_w, "watts of one GPU in prefill, 7B"),
    NUMBER(fwi_prior, prefill_14b_w, "watts of one GPU in prefill, 14B"),
};

static const fw_record prior_record = {
    .name = "prior",
    .doc = "figures of another source, where the study is silent",
    .size = sizeof(fwi_prior),
    .fields = prior_fields,
    .field_count = FW_COUNT_OF(prior_fields),
};

static const fw_field published_fields[] = {
    FW_FORMAT(fwi_published, format, "fleetwatt_published"),
    FW_FIELD(fwi_published, source, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0, "the study"),
    FW_RECORD(fwi_published, job_72b, &job_72b_record, FW_REQUIRED, "72B on four GPUs"),
    FW_RECORD(fwi_published, job_7b, &job_7b_record, FW_REQUIRED, "7B on one GPU"),
    FW_RECORD(fwi_published, prior, &prior_record, FW_REQUIRED, "figures of another source"),
};

static const fw_record published_record = {
    .name = "published",
    .doc = "published figures",
    .size = sizeof(fwi_published),
    .fields = published_fields,
    .field_count = FW_COUNT_OF(published_fields),
};

static const fw_field fleet_fit_fields[] = {
    FW_FORMAT(fwi_fleet_fit, format, "fleetwatt_fleet_fit"),
    FW_FIELD(fwi_fleet_fit, source, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0, "the study whose figure it was fitted to"),
    NUMBER(fwi_fleet_fit, update_14b_w, "watts of one GPU in the updates of the 14B job"),
};

static const fw_record fleet_fit_record = {
    .name = "fleet_fit",
    .doc = "what is fitted by simulation",
    .size = sizeof(fwi_fleet_fit),
    .fields = fleet_fit_fields,
    .field_count = FW_COUNT_OF(fleet_fit_fields),
};

/* On failure `out` is empty. */
static fw_status read_record(const char *path, const fw_record *record, void *out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_status status = fw_json_read(path, &document, diagnostics);
  if (status == FW_OK) status = fw_record_decode(record, fw_json_root(document), out, diagnostics);
  fw_json_free(document);
  if (status != FW_OK) fw_record_clear(record, out);
  return status;
}

fw_status fwi_published_read(const char *path, fwi_published *out, fw_diagnostics *diagnostics) {
  *out = (fwi_published){0};
  return read_record(path, &published_record, out, diagnostics);
}

void fwi_published_clear(fwi_published *published) {
  fw_record_clear(&published_record, published);
}

fw_status fwi_fleet_fit_read(const char *path, fwi_fleet_fit *out, fw_diagnostics *diagnostics) {
  *out = (fwi_fleet_fit){0};
  return read_record(path, &fleet_fit_record, out, diagnostics);
}

void fwi_fleet_fit_clear(fwi_fleet_fit *fit) {
  fw_record_clear(&fleet_fit_record, fit);
}
