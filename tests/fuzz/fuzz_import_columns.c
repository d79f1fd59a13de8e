/* CSV by columns that are given, without stamps. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_import(
      data, size,
      &(fw_import_options){.columns = "power,index,temp_c", .unit = "W", .interval = FW_NS_PER_S, .gpu_count = 2});
}
