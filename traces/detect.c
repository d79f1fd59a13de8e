/* Which format a log is in, by its first lines. */
#include <string.h>

#include "traces/reader.h"

#define LOOK_AHEAD ((size_t)16 * 1024)

typedef struct line_view {
  const char *text;
  size_t length;
} line_view;

/* The next line of text that is not blank; false at its end. */
static bool next_line(const char **at, const char *end, line_view *out) {
  while (*at < end) {
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    const char *line_end = stop == NULL ? end : stop;
    const char *text = *at;
    *at = stop == NULL ? end : stop + 1;
    while (text < line_end && (*text == ' ' || *text == '\t'))
      text++;
    while (line_end > text && (line_end[-1] == '\r' || line_end[-1] == ' '))
      line_end--;
    *out = (line_view){text, (size_t)(line_end - text)};
    if (out->length > 0) return true;
  }
  return false;
}

static bool begins(line_view line, const char *word) {
  size_t length = strlen(word);
  return line.length >= length && memcmp(line.text, word, length) == 0;
}

/* The first word behind '#'. */
static bool head_begins(line_view line, const char *word) {
  size_t at = 1;
  while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t'))
    at++;
  return begins((line_view){line.text + at, line.length - at}, word);
}

static fw_import_format format_of_mark(line_view line) {
  if (head_begins(line, "Entity")) return FW_IMPORT_DCGMI_DMON;
  if (head_begins(line, "gpu ") || head_begins(line, "Date ")) return FW_IMPORT_SMI_DMON;
  if (head_begins(line, "HELP ") || head_begins(line, "TYPE ") || head_begins(line, "UNIT ")) {
    return FW_IMPORT_PROMETHEUS;
  }
  return FW_IMPORT_AUTO;
}

/* name{label="x"} 1.5, or name 1.5 with a name that we know: no header has this shape. */
static bool is_metric(line_view line) {
  size_t at = 0;
  while (at < line.length && line.text[at] != '{' && line.text[at] != ' ' && line.text[at] != ',')
    at++;
  return at > 0 && at + 1 < line.length && line.text[at] == '{' && memchr(line.text, '"', line.length) != NULL &&
         memchr(line.text, '}', line.length) != NULL;
}

/* A wide table names a time first and no power, counter or identity behind it. */
static bool is_wide_header(line_view line) {
  bool first = true, time = false;
  size_t others = 0;
  for (size_t at = 0; at <= line.length;) {
    const char *comma = at < line.length ? memchr(line.text + at, ',', line.length - at) : NULL;
    size_t end = comma == NULL ? line.length : (size_t)(comma - line.text);
    size_t from = at, to = end;
    while (from < to && (line.text[from] == '"' || line.text[from] == ' '))
      from++;
    while (to > from && (line.text[to - 1] == '"' || line.text[to - 1] == ' '))
      to--;
    fwi_role role = fwi_field_of_name(line.text + from, to - from).role;
    if (first) time = role == FWI_ROLE_TIME;
    if (!first && role != FWI_ROLE_NONE) return false;
    if (!first) others++;
    first = false;
    at = end + 1;
  }
  return time && others > 0;
}

static bool has_smi_name(line_view line) {
  static const char name[] = "power.draw";
  for (size_t i = 0; i + sizeof name - 1 <= line.length; i++) {
    if (memcmp(line.text + i, name, sizeof name - 1) == 0) return true;
  }
  return false;
}

static fw_import_format format_of_text(const char *text, size_t length) {
  const char *at = text, *end = text + length;
  line_view line;
  while (next_line(&at, end, &line)) {
    if (line.text[0] == '{' && line.text[line.length - 1] != ',') return FW_IMPORT_RANGE_JSON;
    if (line.text[0] == '#') {
      fw_import_format format = format_of_mark(line);
      if (format != FW_IMPORT_AUTO) return format;
      continue;
    }
    if (begins(line, "sep=")) continue;
    if (is_metric(line)) return FW_IMPORT_PROMETHEUS;
    if (is_wide_header(line)) return FW_IMPORT_GRAFANA;
    return has_smi_name(line) ? FW_IMPORT_SMI_CSV : FW_IMPORT_CSV;
  }
  return FW_IMPORT_CSV;
}

fw_status fwi_detect_format(fwi_source *source, fw_import_format *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  while (status == FW_OK && !source->at_end && source->end - source->start < LOOK_AHEAD)
    status = fwi_source_fill(source, FWI_LINE_LIMIT, diagnostics);
  size_t length = source->end - source->start;
  *out = status == FW_OK && length > 0 ? format_of_text(source->buffer + source->start, length) : FW_IMPORT_CSV;
  return status;
}
