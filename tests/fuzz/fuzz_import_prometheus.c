/* Scrapes of an exporter. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_import(data, size, &(fw_import_options){.format = FW_IMPORT_PROMETHEUS, .interval = 15 * FW_NS_PER_S});
}
