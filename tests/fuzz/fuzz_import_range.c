/* Answers to range queries. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_import(data, size, &(fw_import_options){.format = FW_IMPORT_RANGE_JSON, .unit = "W"});
}
