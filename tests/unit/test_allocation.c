/* Every allocation on the way from text to record and schema fails once, in turn: the work ends with
 * FW_ERROR_MEMORY, says so, leaks nothing and crashes nowhere (the sanitizers watch).
 *
 * The functions of memory.h are defined here, so the linker takes none of them from the library. */
#include "sim/base/memory.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/reference.h"
#include "tests/sample_record.h"

static size_t allocations_left;

static bool fails(void) {
  if (allocations_left == 0) return true;
  allocations_left--;
  return false;
}

bool fw_size_add(size_t a, size_t b, size_t *out) {
  if (a > SIZE_MAX - b) return false;
  *out = a + b;
  return true;
}

bool fw_size_multiply(size_t a, size_t b, size_t *out) {
  if (b > 0 && a > SIZE_MAX / b) return false;
  *out = a * b;
  return true;
}

void *fw_allocate(size_t count, size_t size) {
  return fails() ? NULL : calloc(count + 1, size + 1);
}

/* Grows to what is needed and no further, so that growth fails as often as it can. */
bool fw_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return true;
  if (fails()) return false;
  void *array;
  memcpy(&array, array_pointer, sizeof array);
  array = realloc(array, needed * size);
  if (array == NULL) return false;
  memcpy(array_pointer, &array, sizeof array);
  *capacity = needed;
  return true;
}

char *fw_copy_bytes(const char *bytes, size_t length) {
  if (fails()) return NULL;
  char *copy = malloc(length + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

char *fw_copy_text(const char *text) {
  return fw_copy_bytes(text, strlen(text));
}

static void *allocate_for_cjson(size_t size) {
  return fails() ? NULL : malloc(size);
}

static const char text[] =
    "{\"name\": \"n\", \"budget_kw\": 3.2, \"gains\": [0, 1.5], \"levels_w\": [1], \"tags\": [\"a\", \"b\"],"
    "\"leaf\": {\"gain\": 3}, \"leaves\": [{\"gain\": 1}, {\"gain\": 2}],"
    "\"policy\": {\"kind\": \"leaf\", \"gain\": 9},"
    "\"policies\": [{\"kind\": \"node\", \"name\": \"x\"}, {\"gain\": 8, \"kind\": \"leaf\"}],"
    "\"tree\": [{\"name\": \"r\", \"children\": [{\"name\": \"c\"}]}]";

/* The whole way; FW_OK, or the status of what failed. */
static fw_status work(const char *end, fw_diagnostics *diagnostics) {
  char source[sizeof text + 32];
  fw_json *document;
  top out;
  strcpy(source, text);
  strcat(source, end);
  fw_status status = fw_json_parse(source, strlen(source), "t.json", &document, diagnostics);
  if (status != FW_OK) {
    cr_assert_null(document);
    return status;
  }
  status = fw_record_decode(&top_record, fw_json_root(document), &out, diagnostics);
  fw_record_clear(&top_record, &out);
  fw_json_free(document);
  return status;
}

/* Lets the n-th allocation and all after it fail, for every n that matters; returns how many there are. */
static size_t fail_in_turn(const char *end, fw_status expected) {
  cJSON_Hooks hooks = {allocate_for_cjson, free};
  cJSON_InitHooks(&hooks);
  allocations_left = SIZE_MAX;
  cr_assert_eq(work(end, NULL), expected);
  size_t total = SIZE_MAX - allocations_left;
  for (size_t n = 0; n < total; n++) {
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    allocations_left = n;
    fw_status status = work(end, &diagnostics);
    cr_assert(status == FW_ERROR_MEMORY || (status == expected && status != FW_OK), "allocation %zu of %zu", n, total);
    cr_assert_gt(diagnostics.error_count, 0, "a failure says so");
    fw_diagnostics_clear(&diagnostics);
  }
  return total;
}

Test(allocation, no_failure_passes_for_success) {
  cr_expect_gt(fail_in_turn("}", FW_OK), 50);
}

Test(allocation, faults_are_not_forgotten_when_memory_is_short) {
  cr_expect_gt(fail_in_turn(", \"buget_w\": 1}", FW_ERROR_INPUT), 50);
  cr_expect_gt(fail_in_turn(", \"name\": 1}", FW_ERROR_INPUT), 50);
}

static void add_schema(fw_text *out) {
  fw_record_schema(&top_record, "id", out);
}

static void add_reference(fw_text *out) {
  fw_record_reference(&top_record, out);
}

static void fail_while_writing(void (*write)(fw_text *out)) {
  for (size_t n = 0;; n++) {
    fw_text out = FW_TEXT_INIT;
    allocations_left = n;
    write(&out);
    bool enough = allocations_left > 0;
    cr_assert_eq(out.failed, !enough);
    fw_text_clear(&out);
    if (enough) break;
    n += n / 20; /* the text grows byte by byte: sample the later failures */
  }
}

Test(allocation, a_schema_that_is_not_whole_says_so) {
  fail_while_writing(add_schema);
}

Test(allocation, a_reference_that_is_not_whole_says_so) {
  fail_while_writing(add_reference);
}
