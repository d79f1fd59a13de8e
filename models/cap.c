/* Slowdown by linear interpolation in a monotone table, and the exact mean of a first-order transient.
 * docs/models.md, "Cap", names where the table's numbers come from. */
#include "models/cap.h"

#include <math.h>

#include "models/ceilings.h"
#include "models/check.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

static const fw_field cap_fields[] = {
    FW_FIELD(fw_cap_response, latency, FW_FIELD_TIME, FW_REQUIRED, 0.0, FWI_MOST_S,
             "from a command to its first effect"),
    FW_FIELD(fw_cap_response, settling, FW_FIELD_TIME, FW_REQUIRED, 0.0, FWI_MOST_S, "time constant of the approach"),
    FW_FIELD_ABOVE(fw_cap_response, settled_share, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 1.0, "settled mean over the cap"),
    FW_NUMBERS(fw_cap_response, ratio, 2, 0.0, 1.0, "cap over demand, falling from 1"),
    FW_NUMBERS(fw_cap_response, update_slowdown, 2, 1.0, 1000.0,
               "time of compute-bound work (update, prefill) over its time without a cap, one for each ratio"),
    FW_NUMBERS(fw_cap_response, rollout_slowdown, 2, 1.0, 1000.0,
               "time of memory-bound work (rollout) over its time without a cap, one for each ratio"),
};

const fw_record fw_cap_response_record = {
    .name = "cap_response",
    .doc = "what the firmware does when it holds a power cap",
    .size = sizeof(fw_cap_response),
    .fields = cap_fields,
    .field_count = FW_COUNT_OF(cap_fields),
};

static bool compute_bound(fw_phase phase) {
  return phase == FW_PHASE_UPDATE || phase == FW_PHASE_PREFILL;
}

/* `ratio` falls; the last cell serves everything below it. */
static double interpolate(const double *ratio, const double *slowdown, size_t count, double at) {
  size_t cell = 0;
  while (cell + 2 < count && at < ratio[cell + 1])
    cell++;
  const double share = (ratio[cell] - at) / (ratio[cell] - ratio[cell + 1]);
  return slowdown[cell] + share * (slowdown[cell + 1] - slowdown[cell]);
}

double fw_cap_slowdown(const fw_cap_response *response, fw_phase phase, double cap_w, double demand_w,
                       bool *extrapolated) {
  const bool compute = compute_bound(phase);
  if ((!compute && phase != FW_PHASE_ROLLOUT) || demand_w <= cap_w || response->ratio.count == 0) return 1.0;
  const double *ratio = response->ratio.data;
  const double at = fmax(cap_w, 0.0) / demand_w;
  if (extrapolated != NULL && at < ratio[response->ratio.count - 1]) *extrapolated = true;
  const fw_array *slowdown = compute ? &response->update_slowdown : &response->rollout_slowdown;
  return interpolate(ratio, slowdown->data, response->ratio.count, at);
}

fw_power_mw fw_cap_settled(const fw_cap_response *response, fw_power_mw cap) {
  return (fw_power_mw)floor((double)cap * response->settled_share + 0.5);
}

/* Mean of exp(-x) over [0, x], (1 - exp(-x)) / x; near 0, where that cancels, its series. */
static double mean_decay(double x) {
  if (x > 0.5) return (1.0 - fw_exp(-x)) / x;
  double sum = 1.0;
  for (int k = 14; k >= 1; k--) { /* 0.5^14 / 15! < 1e-16 */
    sum = 1.0 - sum * x / (double)(k + 1);
  }
  return sum;
}

double fw_cap_transient_mean_w(const fw_cap_response *response, double from_w, double to_w, fw_time_ns a,
                               fw_time_ns b) {
  if (response->settling <= 0) return to_w;
  const double settling = (double)response->settling;
  const double left = fw_exp(-(double)a / settling) * mean_decay((double)(b - a) / settling);
  return to_w + (from_w - to_w) * left;
}

static fw_status check_ratio(const fw_array *ratio, const fw_json_value *value, fw_diagnostics *diagnostics) {
  const fw_json_value *place = fw_record_member(value, "ratio");
  const double *numbers = ratio->data;
  fw_status status = FW_OK;
  if (numbers[0] != 1.0) status = fw_json_error(place, diagnostics, "must begin with 1, a cap equal to the demand");
  for (size_t i = 1; i < ratio->count; i++) {
    if (numbers[i] < numbers[i - 1]) continue;
    return fw_json_error(place, diagnostics, "must fall from each entry to the next; entry %zu does not", i);
  }
  if (numbers[ratio->count - 1] <= 0.0) return fw_json_error(place, diagnostics, "must stay above 0");
  return status;
}

static fw_status check_slowdown(const fw_array *slowdown, size_t count, const fw_json_value *place,
                                fw_diagnostics *diagnostics) {
  if (slowdown->count != count) {
    return fw_json_error(place, diagnostics, "has %zu entries, \"ratio\" has %zu; give one for each ratio",
                         slowdown->count, count);
  }
  const double *numbers = slowdown->data;
  fw_status status = FW_OK;
  if (numbers[0] != 1.0) status = fw_json_error(place, diagnostics, "must begin with 1, no slowdown at the demand");
  for (size_t i = 1; i < count; i++) {
    if (numbers[i] >= numbers[i - 1]) continue;
    return fw_json_error(place, diagnostics, "must never fall; entry %zu is below the one before", i);
  }
  return status;
}

fw_status fwi_cap_check(const fw_cap_response *response, const fw_json_value *value, fw_diagnostics *diagnostics) {
  const size_t count = response->ratio.count;
  const fw_status ratio = check_ratio(&response->ratio, value, diagnostics);
  const fw_status update =
      check_slowdown(&response->update_slowdown, count, fw_record_member(value, "update_slowdown"), diagnostics);
  const fw_status rollout =
      check_slowdown(&response->rollout_slowdown, count, fw_record_member(value, "rollout_slowdown"), diagnostics);
  return fwi_worse(ratio, fwi_worse(update, rollout));
}
