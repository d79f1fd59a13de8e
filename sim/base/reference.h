/* Reference documentation from the tables that read the files, so that it cannot drift from the code. */
#ifndef FW_BASE_REFERENCE_H
#define FW_BASE_REFERENCE_H

#include "sim/base/record.h"

/* Adds Markdown to `text`: what holds for every object, then a section (heading of level 3) for `record` and for each
 * record that it leads to, once each: a table of its keys with type, range, default and meaning. Lines end in "\n", the
 * last too. */
void fw_record_reference(const fw_record *record, fw_text *text);

#endif
