/* A fuzzer: one function that must survive every input. It gives back 0. */
#ifndef FW_TESTS_FUZZ_FUZZ_H
#define FW_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
