/* First-order heat, stepped by its exact solution. */
#include "models/breaker.h"

#include <math.h>

#include "models/ceilings.h"
#include "models/check.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

#define LEAST_TIME_CONSTANT_S 0.001
#define MOST_TRIP 100.0
#define HEAT_SLACK 1e-9

static const char *const effect_names[] = {"count", "outage", NULL};

#define LAW_FIELDS(type, of)                                                                                           \
  {.name = "time_constant",                                                                                            \
   .kind = FW_FIELD_TIME,                                                                                              \
   .offset = (of) + offsetof(fw_breaker_law, time_constant),                                                           \
   .min = LEAST_TIME_CONSTANT_S,                                                                                       \
   .max = FWI_MOST_S,                                                                                                  \
   .doc = "memory of its heat"},                                                                                       \
  {                                                                                                                    \
    .name = "trip", .kind = FW_FIELD_NUMBER, .offset = (of) + offsetof(fw_breaker_law, trip), .exclusive_min = true,   \
    .min = 1.0, .max = MOST_TRIP, .doc = "heat at which it opens; its rating, held for good, makes 1"                  \
  }

/* 1.1025 is 105 % and 1.69 is 130 % of the rating, squared. */
const fw_breaker_model fw_breaker_model_default = {
    .nominal = {.time_constant = 250 * FW_NS_PER_S, .trip = 1.2065},
    .earliest = {.time_constant = 125 * FW_NS_PER_S, .trip = 1.1025},
    .latest = {.time_constant = 1000 * FW_NS_PER_S, .trip = 1.69},
    .outage = 1800 * FW_NS_PER_S,
};

static const fw_field law_fields[] = {LAW_FIELDS(fw_breaker_law, 0)};

static const fw_record earliest_record = {.name = "breaker_earliest",
                                          .doc = "the breaker that trips first of those it may be",
                                          .size = sizeof(fw_breaker_law),
                                          .defaults = &fw_breaker_model_default.earliest,
                                          .fields = law_fields,
                                          .field_count = FW_COUNT_OF(law_fields)};

static const fw_record latest_record = {.name = "breaker_latest",
                                        .doc = "the breaker that trips last of those it may be",
                                        .size = sizeof(fw_breaker_law),
                                        .defaults = &fw_breaker_model_default.latest,
                                        .fields = law_fields,
                                        .field_count = FW_COUNT_OF(law_fields)};

static const fw_field model_fields[] = {
    LAW_FIELDS(fw_breaker_model, offsetof(fw_breaker_model, nominal)),
    FW_RECORD(fw_breaker_model, earliest, &earliest_record, FW_OPTIONAL, "the earliest that it may trip"),
    FW_RECORD(fw_breaker_model, latest, &latest_record, FW_OPTIONAL, "the latest that it may trip"),
    FW_FIELD(fw_breaker_model, outage, FW_FIELD_TIME, FW_OPTIONAL, 0, FWI_MOST_S,
             "how long everything behind it is off after a trip"),
    FW_ENUM(fw_breaker_model, on_trip, effect_names, FW_OPTIONAL,
            "whether a trip is counted only, or takes the power and the work of everything behind it"),
    FW_FIELD(fw_breaker_model, load, FW_FIELD_TIME, FW_OPTIONAL, 0, FWI_MOST_S,
             "with \"on_trip\": \"outage\": how long jobs are loaded when the power is back"),
};

const fw_record fw_breaker_model_record = {.name = "breaker",
                                           .doc = "inverse-time breakers in every power domain that has a budget",
                                           .size = sizeof(fw_breaker_model),
                                           .defaults = &fw_breaker_model_default,
                                           .fields = model_fields,
                                           .field_count = FW_COUNT_OF(model_fields)};

fw_status fw_breaker_model_check(const fw_breaker_model *model, const fw_json_value *value,
                                 fw_diagnostics *diagnostics) {
  const bool times = model->earliest.time_constant <= model->nominal.time_constant &&
                     model->nominal.time_constant <= model->latest.time_constant;
  const bool trips = model->earliest.trip <= model->nominal.trip && model->nominal.trip <= model->latest.trip;
  fw_status status = FW_OK;
  if (!times) {
    status = fw_json_error(fw_record_member(value, "time_constant"), diagnostics,
                           "the time constant must lie between those of \"earliest\" and \"latest\"; give all three");
  }
  if (!trips) {
    status = fw_json_error(fw_record_member(value, "trip"), diagnostics,
                           "the threshold must lie between those of \"earliest\" and \"latest\"; give all three");
  }
  if (model->on_trip == FW_BREAKER_OPENS && model->outage <= 0) {
    status = fw_json_error(fw_record_member(value, "outage"), diagnostics,
                           "a breaker that takes the power stays open for a time above 0");
  }
  if (model->on_trip == FW_BREAKER_COUNTS && model->load > 0) {
    status = fw_json_error(fw_record_member(value, "load"), diagnostics,
                           "trips that are only counted load no jobs; set \"on_trip\": \"outage\" or take this out");
  }
  return status;
}

const fw_breaker_law *fw_breaker_law_of(const fw_breaker_model *model, fw_breaker_case which) {
  switch (which) {
  case FW_BREAKER_EARLIEST:
    return &model->earliest;
  case FW_BREAKER_LATEST:
    return &model->latest;
  default:
    return &model->nominal;
  }
}

double fw_breaker_time_to_trip_s(const fw_breaker_law *law, double heat, double ratio) {
  const double square = ratio * ratio;
  if (heat >= law->trip) return 0.0;
  if (square <= law->trip) return (double)INFINITY; /* it comes ever closer at best */
  return fw_time_to_seconds(law->time_constant) * fw_log((square - heat) / (square - law->trip));
}

void fw_breaker_start(fw_breaker *breaker, const fw_breaker_law *law, fw_time_ns outage, fw_time_ns tick) {
  *breaker = (fw_breaker){.decay = fw_exp(-(double)tick / (double)law->time_constant),
                          .trip = law->trip,
                          .tick = tick,
                          .outage = outage,
                          .heat = -1.0,
                          .first_trip = -1};
}

void fw_breaker_push(fw_breaker *breaker, double square) {
  breaker->elapsed += breaker->tick;
  if (breaker->open > 0) {
    breaker->open -= breaker->tick;
    breaker->heat *= breaker->decay;
    return;
  }
  if (breaker->heat < 0.0) breaker->heat = fmin(square, 1.0);
  breaker->heat = square + (breaker->heat - square) * breaker->decay;
  breaker->largest = fmax(breaker->largest, breaker->heat / breaker->trip);
  if (breaker->heat >= breaker->trip) {
    breaker->first_trip = breaker->trips == 0 ? breaker->elapsed : breaker->first_trip;
    breaker->trips++;
    breaker->open = breaker->outage;
  }
}

/* While it is open no cooling is counted on: when it closes the question is asked again. */
size_t fw_breaker_ticks_to_trip(const fw_breaker_law *law, const fw_breaker *breaker, double square, size_t most) {
  const fw_time_ns open = breaker->open > 0 ? (breaker->open - 1) / breaker->tick + 1 : 0;
  const double heat = breaker->heat < 0.0 ? fmin(square, 1.0) : breaker->heat;
  const double trip = breaker->trip - HEAT_SLACK * fmax(square, breaker->trip);
  double ticks = (double)open + 1.0;
  if (heat < trip) {
    const double to_trip = square > trip ? fw_log((square - heat) / (square - trip)) : (double)INFINITY;
    ticks = (double)open + fmax(1.0, ceil(to_trip * (double)law->time_constant / (double)breaker->tick));
  }
  return ticks < (double)most ? (size_t)ticks : most;
}

void fw_breaker_restart(fw_breaker *breaker) {
  breaker->largest = 0.0;
  breaker->trips = 0;
  breaker->elapsed = 0;
  breaker->first_trip = -1;
}
