/* What a result was found to need saying, below its tables. */
#ifndef FW_REPORT_NOTES_H
#define FW_REPORT_NOTES_H

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"

/* An empty line and one line for each message, each once; nothing where there is none. */
void fwi_notes_add(const fw_diagnostics *diagnostics, fw_text *out);

#endif
