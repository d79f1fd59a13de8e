/* Any bytes as a ledger. What is accepted must hold together: rows are found by their ids, and judge. */
#include <math.h>
#include <stdlib.h>

#include "sim/study/reproduce/ledger.h"
#include "tests/fuzz/fuzz.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_ledger(const fw_ledger *ledger) {
  for (size_t i = 0; i < ledger->rows.count; i++) {
    const fw_ledger_row *row = fw_ledger_row_at(ledger, i);
    require(fw_ledger_find(ledger, row->id) == i);
    require(row->from.which != NULL && row->from.value != NULL);
    require(!fw_tolerance_holds(&row->tolerance, row->published, 0.1, (double)NAN));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_ledger ledger = {0};
  const fw_status status = fw_ledger_parse((const char *)data, size, "input", &ledger, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) check_ledger(&ledger);
  fw_ledger_clear(&ledger);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}
