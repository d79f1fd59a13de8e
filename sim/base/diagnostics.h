/* Diagnostics: errors and warnings as values that carry a message and a place.
 *
 * Every function of fleetwatt that can fail returns an `fw_status` and reports what went wrong, and
 * where, into a list that the caller owns. Nothing below `sim/cli` prints or exits. A validator adds
 * one entry per fault and goes on, so a user sees all faults of a file at once. */
#ifndef FW_BASE_DIAGNOSTICS_H
#define FW_BASE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fw_status {
  FW_OK = 0,
  FW_ERROR_INPUT,  /* a file, flag or value that the user gave is wrong: exit status 2 */
  FW_ERROR_MEMORY, /* an allocation failed, or a size does not fit: exit status 3 */
  FW_ERROR_IO,     /* the system refused to read or write: exit status 3 */
  FW_ERROR_FAULT   /* a run cannot go on (a policy failed, time does not advance): exit status 3 */
} fw_status;

typedef enum fw_severity { FW_SEVERITY_ERROR, FW_SEVERITY_WARNING } fw_severity;

/* Where a diagnostic points. Any member may be left out (NULL or 0). Lines and columns count from 1,
 * columns in bytes; `path` is dotted, with indices in brackets: "jobs[2].concurrency". */
typedef struct fw_place {
  const char *file;
  size_t line;
  size_t column;
  const char *path;
} fw_place;

/* One entry. The strings belong to the list. */
typedef struct fw_diagnostic {
  fw_severity severity;
  fw_status status; /* FW_OK for a warning */
  char *file;
  size_t line;
  size_t column;
  char *path;
  char *message; /* says what is wrong and how to mend it; no trailing full stop or line end */
} fw_diagnostic;

/* A growing list. Initialise with FW_DIAGNOSTICS_INIT, free with fw_diagnostics_clear. Where memory for
 * an entry cannot be had, the entry is counted in `lost` and the status is kept, so an error is never
 * mistaken for success. Not safe to share between threads: give each its own and append in order. */
typedef struct fw_diagnostics {
  fw_diagnostic *entries;
  size_t count;
  size_t capacity;
  size_t error_count; /* errors among the entries, lost ones included */
  size_t lost;
  fw_status status; /* that of the first error; FW_OK when there is none */
} fw_diagnostics;

#define FW_DIAGNOSTICS_INIT                                                                                            \
  { NULL, 0, 0, 0, 0, FW_OK }

#define FW_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))

/* Adds an error and returns `status`, so that a function can end with `return fw_error(...)`.
 * `list` may be NULL: then only the status is returned. */
fw_status fw_error(fw_diagnostics *list, fw_status status, fw_place place, const char *format, ...) FW_PRINTF(4, 5);

/* Adds a warning; to no list, nothing. */
void fw_warning(fw_diagnostics *list, fw_place place, const char *format, ...) FW_PRINTF(3, 4);

/* FW_ERROR_MEMORY with the words that belong to it: "out of memory" and what was being made. */
fw_status fw_error_memory(fw_diagnostics *list, const char *what);

/* Moves all entries of `from` to the end of `to`, where that is not NULL, and leaves `from` empty. */
void fw_diagnostics_append(fw_diagnostics *to, fw_diagnostics *from);

/* Whether an earlier entry has the severity and the message of entry `index`, wherever it points. */
bool fw_diagnostics_repeated(const fw_diagnostics *list, size_t index);

void fw_diagnostics_clear(fw_diagnostics *list);

/* Formats one entry as "file:line:column: error: path: message", leaving out what is missing, into
 * `buffer` of `size` bytes, always terminated. Returns the length the whole text needs, as snprintf. */
size_t fw_diagnostic_format(const fw_diagnostic *entry, char *buffer, size_t size);

/* The exit status of a command that ended with `status`: 0, 2 or 3. */
int fw_status_exit_code(fw_status status);

#endif
