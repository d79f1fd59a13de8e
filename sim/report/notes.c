/* Notes under the tables. */
#include "sim/report/notes.h"

void fwi_notes_add(const fw_diagnostics *diagnostics, fw_text *out) {
  if (diagnostics->count > 0) {
    fw_text_add(out, "\n");
  }
  for (size_t i = 0; i < diagnostics->count; i++) {
    if (!fw_diagnostics_repeated(diagnostics, i)) {
      fw_text_add_format(out, "note: %s\n", diagnostics->entries[i].message);
    }
  }
}
