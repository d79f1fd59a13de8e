/* Runs a fuzzer over every file of a folder, in the order of their names: the part of fuzzing that needs no libFuzzer.
 * A folder without files is a failure, so that a lost corpus does not pass for a clean one. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "tests/fuzz/fuzz.h"

static int is_input(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* The fuzzer gets a copy that ends where the input ends, so that AddressSanitizer sees a read past it. */
static int feed(const fw_text *input) {
  uint8_t *copy = malloc(input->length + (input->length == 0));
  if (copy == NULL) return 1;
  for (size_t i = 0; i < input->length; i++)
    copy[i] = (uint8_t)input->data[i];
  const int failed = LLVMFuzzerTestOneInput(copy, input->length);
  free(copy);
  return failed;
}

static int replay(const char *folder, const char *name) {
  fw_text path = FW_TEXT_INIT;
  fw_text input = FW_TEXT_INIT;
  fw_text_add_format(&path, "%s/%s", folder, name);
  int failed = 1;
  if (path.failed || fw_file_read(path.data, FW_JSON_SIZE_LIMIT, &input, NULL) != FW_OK) {
    fprintf(stderr, "cannot read %s\n", name);
  } else {
    printf("%s\n", path.data);
    failed = feed(&input);
  }
  fw_text_clear(&input);
  fw_text_clear(&path);
  return failed;
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  struct dirent **inputs = NULL;
  int count = scandir(arguments[1], &inputs, is_input, alphasort);
  int failures = 0;
  for (int i = 0; i < count; i++) {
    failures += replay(arguments[1], inputs[i]->d_name) != 0;
    free(inputs[i]);
  }
  free(inputs);
  printf("%d inputs replayed, %d failed\n", count < 0 ? 0 : count, failures);
  return count <= 0 || failures > 0;
}
