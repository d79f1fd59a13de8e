/* Any bytes as a log whose format is found by its content, gzip and UTF-16 among them. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_import(data, size, &(fw_import_options){0});
}
