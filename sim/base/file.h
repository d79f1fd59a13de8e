/* Files: read whole with a bound, written whole or not at all. */
#ifndef FW_BASE_FILE_H
#define FW_BASE_FILE_H

#include <stdio.h>

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"

/* Reads all of `path` ("-" is standard input) into `out` (owned by the caller, terminated). A file that cannot be
 * read is FW_ERROR_INPUT with the system's reason; one above `limit` bytes too. */
fw_status fw_file_read(const char *path, size_t limit, fw_text *out, fw_diagnostics *diagnostics);

/* Writes `length` bytes to a temporary file beside `path`, flushes it to the disk and renames it: `path` holds the
 * old content or the new, never a part. On failure the temporary file is removed and FW_ERROR_IO says why. */
fw_status fw_file_write(const char *path, const char *data, size_t length, fw_diagnostics *diagnostics);

/* The same for output too long to hold in memory: open, print to `stream`, then commit or abandon. */
typedef struct fw_file_writer {
  FILE *stream;
  char *path;
  char *temporary_path;
} fw_file_writer;

fw_status fw_file_writer_open(fw_file_writer *writer, const char *path, fw_diagnostics *diagnostics);
fw_status fw_file_writer_commit(fw_file_writer *writer, fw_diagnostics *diagnostics);
void fw_file_writer_abandon(fw_file_writer *writer); /* safe after commit and after a failed open */

/* "dir/of/base" + "/" + `name`, or `name` alone when it is absolute. Caller frees; NULL when memory is short.
 * `base` is a file: its folder is used. */
char *fw_path_beside(const char *base, const char *name);

/* What stands behind the last slash, inside `path`: "b.csv" of "a/b.csv", "" of "a/". */
const char *fw_path_name(const char *path);

#endif
