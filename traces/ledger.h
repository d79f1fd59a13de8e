/* The book of an import's decisions: each is counted, the first of a kind are located in the report and warned of. */
#ifndef FWI_TRACES_LEDGER_H
#define FWI_TRACES_LEDGER_H

#include "traces/import.h"

typedef struct fwi_ledger {
  fw_import_report *report;
  fw_diagnostics *diagnostics;
  size_t listed[FW_IMPORT_DECISION_COUNT];
  size_t warned[FW_IMPORT_DECISION_COUNT];
} fwi_ledger;

/* Writes an event down with its words, which are a warning at its line. Only memory can fail. */
fw_status fwi_ledger_add(fwi_ledger *ledger, const fw_import_event *event, const char *format, ...) FW_PRINTF(3, 4);

/* Counts one reading without power, by its spelling. */
fw_status fwi_ledger_missing(fwi_ledger *ledger, const char *spelling, size_t length, size_t line);

/* Says of each kind how many more there were than were warned of. */
void fwi_ledger_end(const fwi_ledger *ledger);

#endif
