/* Diagnostics: a growing list that never forgets that an error happened, even when memory is short. */
#include "sim/base/diagnostics.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

static char *format_message(const char *format, va_list arguments) {
  va_list measured;
  va_copy(measured, arguments);
  int length = vsnprintf(NULL, 0, format, measured);
  va_end(measured);
  if (length < 0) return NULL;
  size_t size = (size_t)length + 1;
  char *message = malloc(size);
  if (message != NULL) vsnprintf(message, size, format, arguments);
  return message;
}

static void free_entry(fw_diagnostic *entry) {
  free(entry->file);
  free(entry->path);
  free(entry->message);
}

/* Copies what `place` holds; false when memory is short, with `entry` safe to free either way. */
static bool copy_place(fw_diagnostic *entry, fw_place place) {
  if (place.file != NULL) entry->file = fw_copy_text(place.file);
  if (place.path != NULL) entry->path = fw_copy_text(place.path);
  entry->line = place.line;
  entry->column = place.column;
  return (place.file == NULL || entry->file != NULL) && (place.path == NULL || entry->path != NULL);
}

/* Takes over `message`, which is NULL when memory for it could not be had. */
static void add_entry(fw_diagnostics *list, fw_severity severity, fw_status status, fw_place place, char *message) {
  fw_diagnostic entry = {.severity = severity, .status = status, .message = message};
  bool complete = message != NULL && copy_place(&entry, place) && list->count < SIZE_MAX &&
                  fw_grow(&list->entries, &list->capacity, list->count + 1, sizeof entry);
  if (!complete) {
    free_entry(&entry);
    list->lost++;
    return;
  }
  list->entries[list->count++] = entry;
}

fw_status fw_error(fw_diagnostics *list, fw_status status, fw_place place, const char *format, ...) {
  if (list == NULL) return status;
  list->error_count++;
  if (list->status == FW_OK) list->status = status;
  va_list arguments;
  va_start(arguments, format);
  add_entry(list, FW_SEVERITY_ERROR, status, place, format_message(format, arguments));
  va_end(arguments);
  return status;
}

void fw_warning(fw_diagnostics *list, fw_place place, const char *format, ...) {
  if (list == NULL) return;
  va_list arguments;
  va_start(arguments, format);
  add_entry(list, FW_SEVERITY_WARNING, FW_OK, place, format_message(format, arguments));
  va_end(arguments);
}

fw_status fw_error_memory(fw_diagnostics *list, const char *what) {
  fw_place nowhere = {NULL, 0, 0, NULL};
  return fw_error(list, FW_ERROR_MEMORY, nowhere,
                  "out of memory while making %s; ask for less at once or free memory on this machine", what);
}

void fw_diagnostics_append(fw_diagnostics *to, fw_diagnostics *from) {
  if (to == NULL) {
    fw_diagnostics_clear(from);
    return;
  }
  size_t count;
  bool fits =
      fw_size_add(to->count, from->count, &count) && fw_grow(&to->entries, &to->capacity, count, sizeof *to->entries);
  if (fits && from->count > 0) {
    memcpy(to->entries + to->count, from->entries, from->count * sizeof *from->entries);
    to->count = count;
    from->count = 0; /* the strings now belong to `to` */
  }
  to->lost += from->lost + from->count;
  to->error_count += from->error_count;
  if (to->status == FW_OK) to->status = from->status;
  fw_diagnostics_clear(from);
}

bool fw_diagnostics_repeated(const fw_diagnostics *list, size_t index) {
  const fw_diagnostic *entry = &list->entries[index];
  for (size_t i = 0; i < index; i++) {
    const fw_diagnostic *earlier = &list->entries[i];
    if (earlier->severity == entry->severity && strcmp(earlier->message, entry->message) == 0) return true;
  }
  return false;
}

void fw_diagnostics_clear(fw_diagnostics *list) {
  for (size_t i = 0; i < list->count; i++)
    free_entry(&list->entries[i]);
  free(list->entries);
  *list = (fw_diagnostics)FW_DIAGNOSTICS_INIT;
}

/* Writes what fits and counts what would be needed, as snprintf does. */
typedef struct writer {
  char *buffer;
  size_t size;
  size_t length;
} writer;

static void write_text(writer *out, const char *text) {
  for (; *text != '\0'; text++, out->length++)
    if (out->length + 1 < out->size) out->buffer[out->length] = *text;
}

static void write_position(writer *out, size_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%zu", number);
  write_text(out, digits);
}

static void write_place(writer *out, const fw_diagnostic *entry) {
  if (entry->file != NULL) write_text(out, entry->file);
  if (entry->line > 0) {
    if (entry->file != NULL) write_text(out, ":");
    write_position(out, entry->line);
    if (entry->column > 0) {
      write_text(out, ":");
      write_position(out, entry->column);
    }
  }
  if (out->length > 0) write_text(out, ": ");
}

size_t fw_diagnostic_format(const fw_diagnostic *entry, char *buffer, size_t size) {
  writer out = {buffer, size, 0};
  write_place(&out, entry);
  write_text(&out, entry->severity == FW_SEVERITY_ERROR ? "error: " : "warning: ");
  if (entry->path != NULL && entry->path[0] != '\0') {
    write_text(&out, entry->path);
    write_text(&out, ": ");
  }
  write_text(&out, entry->message);
  if (size > 0) buffer[out.length < size ? out.length : size - 1] = '\0';
  return out.length;
}

int fw_status_exit_code(fw_status status) {
  switch (status) {
  case FW_OK:
    return 0;
  case FW_ERROR_INPUT:
    return 2;
  case FW_ERROR_MEMORY:
  case FW_ERROR_IO:
  case FW_ERROR_FAULT:
    break;
  }
  return 3;
}
