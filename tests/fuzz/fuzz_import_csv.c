/* CSV by the names of its columns. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_import(data, size, &(fw_import_options){.format = FW_IMPORT_CSV, .unit = "mW"});
}
