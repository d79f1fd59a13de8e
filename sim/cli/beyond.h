/* fleetwatt reproduce --beyond: what the study leaves open. */
#ifndef FW_CLI_BEYOND_H
#define FW_CLI_BEYOND_H

#include "sim/base/diagnostics.h"

typedef struct fwi_beyond_flags {
  const char *ledger; /* file beside which the scenarios lie */
  size_t seeds;
  unsigned threads;
  bool json;
  bool markdown;
  const char *output;
  const char *save; /* where the JSON goes as well, or NULL */
  const char *csv;  /* where the rates over oversubscription go as well, or NULL */
} fwi_beyond_flags;

fw_status fwi_beyond(const fwi_beyond_flags *flags, fw_diagnostics *diagnostics);

#endif
