/* JSON read piece by piece from a source, for answers too long to hold in memory. Strict in structure; what a caller
 * does not want is skipped. */
#ifndef FWI_TRACES_JSON_PULL_H
#define FWI_TRACES_JSON_PULL_H

#include "sim/base/text.h"
#include "traces/source.h"

#define FWI_JSON_STRING_LIMIT ((size_t)64 * 1024)

typedef struct fwi_json_pull {
  fwi_source *source;
  fw_diagnostics *diagnostics;
  size_t line;
  fw_text text;     /* the string or number that was read last */
  fw_status status; /* of the first fault; then everything below does nothing and returns false */
} fwi_json_pull;

void fwi_json_pull_begin(fwi_json_pull *pull, fwi_source *source, fw_diagnostics *diagnostics);
void fwi_json_pull_clear(fwi_json_pull *pull);

/* The next character that is no blank, not taken; -1 at the end. */
int fwi_json_peek(fwi_json_pull *pull);

/* Takes `c`; anything else is an error. */
bool fwi_json_expect(fwi_json_pull *pull, char c);

/* Takes `c` if it comes next. */
bool fwi_json_take(fwi_json_pull *pull, char c);

/* Within an object or array whose bracket was taken: moves to the next member. `first` starts true. False at the
 * closing bracket, which is taken. For an object the key is then in `text`, and its colon is taken. */
bool fwi_json_member(fwi_json_pull *pull, bool *first);
bool fwi_json_element(fwi_json_pull *pull, bool *first);

bool fwi_json_read_string(fwi_json_pull *pull); /* into `text` */
bool fwi_json_read_number(fwi_json_pull *pull);
bool fwi_json_skip(fwi_json_pull *pull);
bool fwi_json_text_is(const fwi_json_pull *pull, const char *word);

/* An FW_ERROR_INPUT at the present line. */
void fwi_json_fail(fwi_json_pull *pull, const char *message);

#endif
