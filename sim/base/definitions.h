/* Inside sim/base: the records that a table leads to, each once, for the schema and the reference.
 *
 * The list grows while its entries are walked: whoever describes one interns what it refers to, so the walk is breadth
 * first and tables may refer to themselves. */
#ifndef FW_BASE_DEFINITIONS_H
#define FW_BASE_DEFINITIONS_H

#include "sim/base/record.h"

/* With a tag, it is the case of a variant and has a constant "kind". */
typedef struct fwi_definition {
  const fw_record *record;
  const char *tag;
} fwi_definition;

typedef struct fwi_definitions {
  fwi_definition *data; /* owned; free() */
  size_t count;
  size_t capacity;
} fwi_definitions;

/* The index of a definition, added when it is new. False when memory is short. */
bool fwi_definitions_intern(fwi_definitions *list, const fw_record *record, const char *tag, size_t *index);

/* The record's name, numbered where an earlier definition has it too: "leaf", "leaf_2". */
void fwi_definitions_name(const fwi_definitions *list, size_t index, fw_text *name);

#endif
