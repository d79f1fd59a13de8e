/* Forms of the level, one record and one function each. log2: the study's own figures (docs/models.md, "Level");
 * logistic in log2(c): the form that openg2g fits to batch sweeps; roofline: utilisation of the compute and bandwidth
 * peaks, after Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009, with the square root of the bandwidth
 * share that powertrace-sim found on A100s. */
#include "models/level.h"

#include <math.h>

#include "models/ceilings.h"
#include "models/check.h"
#include "models/level_forms.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

/* As a file has it. */
typedef struct file_table {
  fw_array concurrency; /* double */
  fw_array p_w;
} file_table;

static const fw_field table_fields[] = {
    FW_NUMBERS(file_table, concurrency, 1, 1.0, FWI_MOST_COUNT, "concurrencies of the points, rising"),
    FW_NUMBERS(file_table, p_w, 1, 0.0, FWI_MOST_W, "watts at each of them"),
};

static const fw_field constant_fields[] = {
    FW_FIELD(fwi_level_constant, p_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W, "watts at any concurrency"),
};

static const fw_field log2_fields[] = {
    FW_FIELD(fwi_level_log2, p1_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W, "watts at one sequence in flight"),
    FW_FIELD(fwi_level_log2, k_w, FW_FIELD_NUMBER, FW_REQUIRED, -FWI_MOST_W, FWI_MOST_W, "watts for each doubling"),
    FW_FIELD(fwi_level_log2, saturation, FW_FIELD_NUMBER, FW_OPTIONAL, 1.0, FWI_MOST_COUNT,
             "concurrency from which the level is flat; left out: it never is"),
};

static const fw_field logistic_fields[] = {
    FW_FIELD(fwi_level_logistic, p0_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W, "watts far below the midpoint"),
    FW_FIELD(fwi_level_logistic, dp_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W,
             "rise in watts, far above less far below"),
    FW_FIELD(fwi_level_logistic, slope, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 100.0,
             "steepness per doubling of concurrency"),
    FW_FIELD(fwi_level_logistic, midpoint, FW_FIELD_NUMBER, FW_REQUIRED, -30.0, 30.0,
             "log2 of the concurrency at half the rise"),
};

static const fw_field roofline_fields[] = {
    FW_FIELD(fwi_level_roofline, p_base_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W,
             "watts with neither peak in use"),
    FW_FIELD(fwi_level_roofline, p_compute_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W,
             "watts at the compute peak"),
    FW_FIELD(fwi_level_roofline, p_memory_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W,
             "watts at the bandwidth peak"),
    FW_FIELD(fwi_level_roofline, compute_s, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_S,
             "seconds of the compute peak that one token costs"),
    FW_FIELD(fwi_level_roofline, memory_s, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_S,
             "seconds of the bandwidth peak that one pass costs"),
};

/* Any concurrency is below it. */
static const fwi_level_log2 log2_defaults = {.saturation = FWI_MOST_COUNT};

static const fw_record constant_record = {
    .name = "level_constant",
    .doc = "P = p",
    .size = sizeof(fwi_level_constant),
    .fields = constant_fields,
    .field_count = FW_COUNT_OF(constant_fields),
};

static const fw_record log2_record = {
    .name = "level_log2",
    .doc = "P = p1 + k log2(c)",
    .size = sizeof(fwi_level_log2),
    .defaults = &log2_defaults,
    .fields = log2_fields,
    .field_count = FW_COUNT_OF(log2_fields),
};

static const fw_record logistic_record = {
    .name = "level_logistic",
    .doc = "P = p0 + dp / (1 + exp(-slope (log2 c - midpoint)))",
    .size = sizeof(fwi_level_logistic),
    .fields = logistic_fields,
    .field_count = FW_COUNT_OF(logistic_fields),
};

static const fw_record roofline_record = {
    .name = "level_roofline",
    .doc = "P = p_base + p_compute u_c + p_memory sqrt(u_m)",
    .size = sizeof(fwi_level_roofline),
    .fields = roofline_fields,
    .field_count = FW_COUNT_OF(roofline_fields),
};

static const fw_record table_record = {
    .name = "level_table",
    .doc = "linear in log2(c) between points, flat beyond them",
    .size = sizeof(file_table),
    .fields = table_fields,
    .field_count = FW_COUNT_OF(table_fields),
};

const fw_variant_case fw_level_cases[] = {
    {"constant", &constant_record}, {"log2", &log2_record},   {"logistic", &logistic_record},
    {"roofline", &roofline_record}, {"table", &table_record}, {NULL, NULL},
};

fw_status fwi_level_check(const fw_variant *level, const fw_json_value *value, fw_diagnostics *diagnostics) {
  if (level->which == NULL || level->which->record != &table_record) return FW_OK;
  const file_table *table = level->value;
  const double *concurrency = table->concurrency.data;
  if (table->p_w.count != table->concurrency.count) {
    return fw_json_error(fw_record_member(value, "p_w"), diagnostics,
                         "has %zu entries, \"concurrency\" has %zu; give one for each", table->p_w.count,
                         table->concurrency.count);
  }
  for (size_t i = 1; i < table->concurrency.count; i++) {
    if (concurrency[i] > concurrency[i - 1]) continue;
    return fw_json_error(fw_record_member(value, "concurrency"), diagnostics,
                         "must rise from each entry to the next; entry %zu does not", i);
  }
  return FW_OK;
}

double fwi_log2_w(const fwi_level_log2 *form, double concurrency) {
  return form->p1_w + form->k_w * fw_log2(fmin(concurrency, form->saturation));
}

double fwi_logistic_w(const fwi_level_logistic *form, double concurrency) {
  const double argument = form->slope * (fw_log2(concurrency) - form->midpoint);
  return form->p0_w + form->dp_w / (1.0 + fw_exp(-argument));
}

double fwi_roofline_w(const fwi_level_roofline *form, double concurrency, const fw_timing *timing) {
  const double token_s = fw_timing_token_s(timing, concurrency);
  const double compute_share = fmin(1.0, concurrency * form->compute_s / token_s);
  const double memory_share = fmin(1.0, form->memory_s / token_s);
  return form->p_base_w + form->p_compute_w * compute_share + form->p_memory_w * sqrt(memory_share);
}

double fwi_table_w(const fwi_level_table *form, double concurrency) {
  const size_t last = form->count - 1;
  if (concurrency <= form->concurrency[0]) return form->p_w[0];
  if (concurrency >= form->concurrency[last]) return form->p_w[last];
  size_t right = 1;
  while (form->concurrency[right] < concurrency)
    right++;
  const double from = fw_log2(form->concurrency[right - 1]);
  const double share = (fw_log2(concurrency) - from) / (fw_log2(form->concurrency[right]) - from);
  return form->p_w[right - 1] + share * (form->p_w[right] - form->p_w[right - 1]);
}

static double file_table_w(const file_table *form, double concurrency) {
  const fwi_level_table table = {form->concurrency.data, form->p_w.data, form->p_w.count};
  return fwi_table_w(&table, concurrency);
}

double fw_level_w(const fw_variant *level, double concurrency, const fw_timing *timing) {
  const double c = fmax(concurrency, 1.0);
  const fw_record *form = level->which->record;
  if (form == &log2_record) return fwi_log2_w(level->value, c);
  if (form == &logistic_record) return fwi_logistic_w(level->value, c);
  if (form == &roofline_record) return fwi_roofline_w(level->value, c, timing);
  if (form == &table_record) return file_table_w(level->value, c);
  return ((const fwi_level_constant *)level->value)->p_w;
}
