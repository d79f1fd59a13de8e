/* `fleetwatt import`: what became of a log, for people and for machines. */
#ifndef FW_REPORT_IMPORT_REPORT_H
#define FW_REPORT_IMPORT_REPORT_H

#include "sim/base/text.h"
#include "traces/import.h"

/* `bridged`: also says what the energy would be if readings held across the gaps. */
void fw_report_import_text(const fw_import_report *report, bool bridged, fw_text *out);
void fw_report_import_json(const fw_import_report *report, bool bridged, const fw_diagnostics *diagnostics,
                           fw_text *out);

#endif
