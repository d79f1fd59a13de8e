/* Names that differ only in the case of their letters are allowed, because look-ups go byte by byte, but one of the two
 * is often a slip. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/scenario/resolve.h"

#define MOST_WARNINGS 20

typedef struct named {
  const char *name;
  size_t index; /* of the entry in the file */
} named;

/* Without the locale. */
static int folded(char letter) {
  return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : (unsigned char)letter;
}

static int compare_folded(const char *a, const char *b) {
  while (*a != '\0' && folded(*a) == folded(*b)) {
    a++;
    b++;
  }
  return folded(*a) - folded(*b);
}

/* Alike names become neighbours, equal ones among them. */
static int by_name(const void *left, const void *right) {
  const named *a = left;
  const named *b = right;
  const int order = compare_folded(a->name, b->name);
  return order != 0 ? order : strcmp(a->name, b->name);
}

/* `list` of the file holds them, each under `key`. */
static void warn_of_neighbours(fwi_resolve *resolve, const char *list, const char *key, named *names, size_t count) {
  size_t warnings = 0;
  if (count > 1) {
    qsort(names, count, sizeof *names, by_name);
  }
  for (size_t i = 1; i < count && warnings < MOST_WARNINGS; i++) {
    const named *a = &names[i - 1];
    const named *b = &names[i];
    if (strcmp(a->name, b->name) != 0 && compare_folded(a->name, b->name) == 0) {
      char path[FW_JSON_PATH_SIZE];
      char shown[FW_SHOWN_SIZE];
      char other[FW_SHOWN_SIZE];
      const named *later = a->index > b->index ? a : b;
      const named *first = later == a ? b : a;
      const fw_json_value *entry = fw_record_element(resolve->root, list, later->index);
      fw_warning(resolve->diagnostics, fw_json_place(fw_record_member(entry, key), path),
                 "\"%s\" differs from \"%s\" only in the case of letters; they are taken for two",
                 fw_shown(later->name, strlen(later->name), shown), fw_shown(first->name, strlen(first->name), other));
      warnings++;
    }
  }
}

static size_t list_classes(const fwi_resolve *resolve, named *names) {
  const fw_scenario_parts *parts = resolve->parts;
  size_t count = 0;
  for (size_t i = 0; i < parts->job_count; i++) {
    if (parts->jobs[i].member == 0) {
      names[count++] = (named){parts->jobs[i].job_class, parts->jobs[i].class_index};
    }
  }
  return count;
}

static size_t list_policies(const fwi_resolve *resolve, named *names) {
  const fwi_file_policy *policies = resolve->file->policies.data;
  for (size_t i = 0; i < resolve->file->policies.count; i++) {
    names[i] = (named){policies[i].name, i};
  }
  return resolve->file->policies.count;
}

fw_status fwi_warn_of_alike_names(fwi_resolve *resolve) {
  const size_t jobs = resolve->file->jobs.count;
  const size_t policies = resolve->file->policies.count;
  named *names = fw_allocate(jobs > policies ? jobs : policies, sizeof *names);
  if (names == NULL) {
    return fw_error_memory(resolve->diagnostics, "the names of a scenario");
  }
  warn_of_neighbours(resolve, "jobs", "class", names, list_classes(resolve, names));
  warn_of_neighbours(resolve, "policies", "name", names, list_policies(resolve, names));
  free(names);
  return FW_OK;
}
