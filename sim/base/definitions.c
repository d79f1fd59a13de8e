/* A list that is searched from its start: tables have tens of records. */
#include "sim/base/definitions.h"

#include <string.h>

#include "sim/base/memory.h"

static bool same_tag(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool fwi_definitions_intern(fwi_definitions *list, const fw_record *record, const char *tag, size_t *index) {
  for (*index = 0; *index < list->count; (*index)++) {
    const fwi_definition *known = &list->data[*index];
    if (known->record == record && same_tag(known->tag, tag)) return true;
  }
  if (!fw_grow(&list->data, &list->capacity, list->count + 1, sizeof *list->data)) return false;
  list->data[list->count++] = (fwi_definition){record, tag};
  return true;
}

void fwi_definitions_name(const fwi_definitions *list, size_t index, fw_text *name) {
  const char *own = list->data[index].record->name;
  size_t namesakes = 0;
  for (size_t i = 0; i < index; i++)
    namesakes += strcmp(list->data[i].record->name, own) == 0;
  fw_text_add(name, own);
  if (namesakes > 0) fw_text_add_format(name, "_%zu", namesakes + 1);
}
