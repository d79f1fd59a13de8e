/* Any document: the decoder refuses it with a reason, or leaves a record that keeps the bounds of its table. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/sample_record.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_bounds(const top *record) {
  const double *gains = record->gains.data;
  const fw_time_ns *windows = record->windows.data;
  require(record->budget > 0 && record->budget_given);
  require(record->share > 0 && record->share <= 1);
  require(record->signed_count >= -10);
  require(record->shape >= SHAPE_FLAT && record->shape <= SHAPE_LOGISTIC);
  require(record->period > 0 && record->period <= 1000000000 * FW_NS_PER_S);
  require(record->gains.count == 0 || record->gains.count >= 2);
  for (size_t i = 0; i < record->gains.count; i++)
    require(gains[i] >= 0 && gains[i] <= 2);
  for (size_t i = 0; i < record->windows.count; i++)
    require(windows[i] > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  top record;
  if (fw_json_parse((const char *)data, size, "fuzz", &document, NULL) != FW_OK) return 0;
  fw_status status = fw_record_decode(&top_record, fw_json_root(document), &record, &diagnostics);
  fw_json_free(document);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) check_bounds(&record);
  fw_record_clear(&top_record, &record);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}
