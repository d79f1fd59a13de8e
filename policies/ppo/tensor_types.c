#include "policies/ppo/tensor_types.h"

#include <string.h>

static uint64_t load_u8(const void *array, size_t index) {
  return ((const uint8_t *)array)[index];
}

static void store_u8(void *array, size_t index, uint64_t bits) {
  ((uint8_t *)array)[index] = (uint8_t)bits;
}

/* An element of four bytes, a number or a float. */
static uint64_t load_4(const void *array, size_t index) {
  uint32_t bits;
  memcpy(&bits, (const char *)array + 4 * index, sizeof bits);
  return bits;
}

static void store_4(void *array, size_t index, uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  memcpy((char *)array + 4 * index, &low, sizeof low);
}

static uint64_t load_8(const void *array, size_t index) {
  uint64_t bits;
  memcpy(&bits, (const char *)array + 8 * index, sizeof bits);
  return bits;
}

static void store_8(void *array, size_t index, uint64_t bits) {
  memcpy((char *)array + 8 * index, &bits, sizeof bits);
}

const fwi_tensor_type_info fwi_tensor_types[FWI_TENSOR_TYPES] = {
    [FWI_TENSOR_U8] = {"U8", 1, false, load_u8, store_u8}, [FWI_TENSOR_U32] = {"U32", 4, false, load_4, store_4},
    [FWI_TENSOR_U64] = {"U64", 8, false, load_8, store_8}, [FWI_TENSOR_F32] = {"F32", 4, true, load_4, store_4},
    [FWI_TENSOR_F64] = {"F64", 8, true, load_8, store_8},
};
