/* Checked sizes and growing arrays. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

Test(memory, sums_and_products_are_exact_or_refused) {
  size_t out = 7;
  cr_assert(fw_size_add(SIZE_MAX - 1, 1, &out));
  cr_assert_eq(out, SIZE_MAX);
  cr_assert(fw_size_multiply(SIZE_MAX / 3, 3, &out));
  cr_assert_eq(out, SIZE_MAX / 3 * 3);
  cr_assert(fw_size_multiply(0, SIZE_MAX, &out));
  cr_assert_eq(out, 0);
  out = 7;
  cr_assert_not(fw_size_add(SIZE_MAX, 1, &out));
  cr_assert_not(fw_size_multiply(SIZE_MAX / 2 + 1, 2, &out));
  cr_assert_not(fw_size_multiply(SIZE_MAX, SIZE_MAX, &out));
  cr_assert_eq(out, 7, "a refused operation must leave its result untouched");
}

Test(memory, allocation_is_zeroed) {
  unsigned char *bytes = fw_allocate(1000, 3);
  cr_assert_not_null(bytes);
  for (size_t i = 0; i < 3000; i++)
    cr_assert_eq(bytes[i], 0);
  free(bytes);
}

Test(memory, zero_elements_are_not_a_failure) {
  void *none = fw_allocate(0, 8);
  cr_assert_not_null(none);
  free(none);
}

Test(memory, a_size_that_overflows_is_a_failure) {
  /* Unchecked, the product would wrap to 16 bytes. */
  cr_assert_null(fw_allocate(SIZE_MAX / 16 + 2, 16));
}

Test(memory, growing_keeps_elements_and_doubles) {
  uint64_t *array = NULL;
  size_t capacity = 0, growths = 0;
  for (size_t i = 0; i < 100000; i++) {
    size_t before = capacity;
    cr_assert(fw_grow(&array, &capacity, i + 1, sizeof *array));
    cr_assert_geq(capacity, i + 1);
    growths += capacity != before;
    array[i] = i * i;
  }
  for (size_t i = 0; i < 100000; i++)
    cr_assert_eq(array[i], i * i);
  cr_assert_leq(growths, 17, "doubling from at least 1 reaches 100000 in 17 steps, not %zu", growths);
  free(array);
}

Test(memory, growing_jumps_to_what_is_needed) {
  char *array = NULL;
  size_t capacity = 0;
  cr_assert(fw_grow(&array, &capacity, 12345, 1));
  cr_assert_geq(capacity, 12345);
  char *same = array;
  cr_assert(fw_grow(&array, &capacity, 12000, 1));
  cr_assert_eq(array, same, "an array that is large enough stays where it is");
  free(array);
}

Test(memory, growing_beyond_the_address_space_leaves_the_array) {
  int *array = NULL;
  size_t capacity = 0;
  cr_assert(fw_grow(&array, &capacity, 1, sizeof *array));
  array[0] = 42;
  size_t before = capacity;
  cr_assert_not(fw_grow(&array, &capacity, SIZE_MAX / sizeof *array + 1, sizeof *array));
  cr_assert_eq(capacity, before);
  cr_assert_eq(array[0], 42);
  free(array);
}

Test(memory, copies_are_terminated_and_apart) {
  char source[] = "power";
  char *text = fw_copy_text(source);
  char *bytes = fw_copy_bytes(source, 3);
  char *empty = fw_copy_bytes(NULL, 0);
  source[0] = 'P';
  cr_assert_str_eq(text, "power");
  cr_assert_str_eq(bytes, "pow");
  cr_assert_str_eq(empty, "");
  free(text);
  free(bytes);
  free(empty);
}

Test(memory, a_copy_with_no_room_for_its_end_is_refused) {
  cr_assert_null(fw_copy_bytes("", SIZE_MAX));
}
