/* Random times by inversion where there is one, so that a draw is one uniform number; gamma by the squeeze of Marsaglia
 * and Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000, each try on its own sub-counters.
 * The hyperexponential has two branches of equal share in the mean ("balanced means": Tijms, "Stochastic Models", 1994,
 * appendix B). Moments of the lognormal: Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 1, ch. 14.
 */
#include "models/time_law.h"

#include <math.h>

#include "sim/base/elementary.h"
#include "sim/base/fields.h"

#define MOST_S 3.2e9
#define GAMMA_TRIES 10000u

#define MEAN FW_FIELD(fw_time_law, mean, FW_FIELD_TIME, FW_REQUIRED, 0, MOST_S, "mean")
#define CV(low, text) FW_FIELD(fw_time_law, cv, FW_FIELD_NUMBER, FW_REQUIRED, low, 100, text)

#define RECORD(record_name, table, text)                                                                               \
  {                                                                                                                    \
    .name = (record_name), .doc = (text), .size = sizeof(fw_time_law), .fields = (table),                              \
    .field_count = FW_COUNT_OF(table)                                                                                  \
  }

static const fw_field mean_fields[] = {MEAN};
static const fw_field spread_fields[] = {
    MEAN,
    {.name = "cv",
     .kind = FW_FIELD_NUMBER,
     .offset = offsetof(fw_time_law, cv),
     .required = true,
     .exclusive_min = true,
     .min = 0,
     .max = 100,
     .doc = "coefficient of variation: standard deviation over mean"},
};
static const fw_field burst_fields[] = {MEAN, CV(1, "coefficient of variation: standard deviation over mean")};

static const fw_record constant_record = RECORD("constant", mean_fields, "always the same");
static const fw_record exponential_record =
    RECORD("exponential", mean_fields, "as between the events of a Poisson process");
static const fw_record gamma_record = RECORD("gamma", spread_fields, "regular where cv is below 1, bursty above");
static const fw_record hyperexponential_record =
    RECORD("hyperexponential", burst_fields, "two exponentials with balanced means: bursty");
static const fw_record lognormal_record = RECORD("lognormal", spread_fields, "a lognormal law");
static const fw_record normal_record =
    RECORD("normal", spread_fields, "a normal law; draws below 0 are made 0 and counted");

const fw_variant_case fw_time_law_cases[] = {{"constant", &constant_record},
                                             {"exponential", &exponential_record},
                                             {"gamma", &gamma_record},
                                             {"hyperexponential", &hyperexponential_record},
                                             {"lognormal", &lognormal_record},
                                             {"normal", &normal_record},
                                             {NULL, NULL}};

fw_time_law fw_time_law_of(const fw_variant *variant) {
  fw_time_law law = {0};
  if (variant->which != NULL) {
    law = *(const fw_time_law *)variant->value;
    law.kind = (fw_time_law_kind)(variant->which - fw_time_law_cases);
  }
  return law;
}

static double exponential(fw_stream stream, uint64_t index, uint32_t sub) {
  return -fw_log(fw_random_uniform(stream, index, sub));
}

static double normal(fw_stream stream, uint64_t index, uint32_t sub) {
  return fw_normal_quantile(fw_random_uniform(stream, index, sub));
}

/* Shape >= 1, scale 1. */
static double gamma_above_one(double shape, fw_stream stream, uint64_t index, uint32_t sub) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / sqrt(9.0 * d);
  for (uint32_t i = 0; i < GAMMA_TRIES; i++) {
    const double z = normal(stream, index, sub + 2 * i);
    const double u = fw_random_uniform(stream, index, sub + 2 * i + 1);
    const double v = (1.0 + c * z) * (1.0 + c * z) * (1.0 + c * z);
    if (v > 0.0 && fw_log(u) < 0.5 * z * z + d - d * v + d * fw_log(v)) {
      return d * v;
    }
  }
  return d; /* 19 tries in 20 are taken, so nobody comes here */
}

/* Mean 1. */
static double gamma_variate(double cv, fw_stream stream, uint64_t index, uint32_t sub) {
  const double shape = 1.0 / (cv * cv);
  if (shape >= 1.0) {
    return gamma_above_one(shape, stream, index, sub) / shape;
  }
  const double boost = fw_exp(-exponential(stream, index, sub) / shape);
  return gamma_above_one(shape + 1.0, stream, index, sub + 1) * boost / shape;
}

static double hyperexponential(double cv, fw_stream stream, uint64_t index, uint32_t sub) {
  const double square = cv * cv;
  const double share = 0.5 * (1.0 + sqrt((square - 1.0) / (square + 1.0)));
  const bool frequent = fw_random_uniform(stream, index, sub) < share;
  return exponential(stream, index, sub + 1) / (2.0 * (frequent ? share : 1.0 - share));
}

static double lognormal(double cv, fw_stream stream, uint64_t index, uint32_t sub) {
  const double square = fw_log(1.0 + cv * cv);
  return fw_exp(sqrt(square) * normal(stream, index, sub) - 0.5 * square);
}

static double draw(const fw_time_law *law, fw_stream stream, uint64_t index, uint32_t sub) {
  switch (law->kind) {
  case FW_TIME_EXPONENTIAL:
    return exponential(stream, index, sub);
  case FW_TIME_GAMMA:
    return gamma_variate(law->cv, stream, index, sub);
  case FW_TIME_HYPEREXPONENTIAL:
    return hyperexponential(law->cv, stream, index, sub);
  case FW_TIME_LOGNORMAL:
    return lognormal(law->cv, stream, index, sub);
  case FW_TIME_NORMAL:
    return 1.0 + law->cv * normal(stream, index, sub);
  case FW_TIME_CONSTANT:
    break;
  }
  return 1.0;
}

fw_time_ns fw_time_law_draw(const fw_time_law *law, fw_stream stream, uint64_t index, uint32_t sub, bool *cut) {
  const double time = draw(law, stream, index, sub) * (double)law->mean;
  if (cut != NULL) {
    *cut = time < 0.0;
  }
  return time > 0.0 ? fw_time_nearest(time) : 0;
}
