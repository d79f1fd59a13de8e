/* Refusals with a place and a remedy, for the readers of all formats. */
#include "traces/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

fwi_record fwi_reader_record(const fwi_reader *reader) {
  fwi_record record = {.line = reader->source->line_number};
  for (size_t i = 0; i < FW_IMPORT_VALUE_COUNT; i++)
    record.values[i] = FW_IMPORT_NO_VALUE;
  return record;
}

fw_status fwi_reader_unreadable(fwi_reader *reader, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  reader->unreadable_count++;
  return fwi_rules_note(reader->rules, FW_IMPORT_UNREADABLE, reader->source->line_number, message);
}

fw_status fwi_reader_check(const fwi_reader *reader) {
  if (reader->unreadable_count <= reader->line_count / 10) return FW_OK;
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_source_place(reader->source, 0),
                  "%zu of %zu rows cannot be read (the first are named above): mend or delete them, or name the format "
                  "with --format",
                  reader->unreadable_count, reader->line_count);
}

fw_status fwi_reader_time_fault(fwi_reader *reader, fwi_cell cell, fwi_stamp_fault fault) {
  char shown[FW_SHOWN_SIZE];
  fw_shown(cell.text, cell.length, shown);
  if (fault == FWI_STAMP_NO_UNIT) {
    return fw_error(
        reader->diagnostics, FW_ERROR_INPUT, fwi_source_place(reader->source, 0),
        "the time \"%s\" has no unit: name the column t_s, t_ms, t_us or t_ns in the header or with --columns", shown);
  }
  return fwi_reader_unreadable(reader,
                               fault == FWI_STAMP_RANGE
                                   ? "\"%s\" is no time within 73 years of 1970: row dropped"
                                   : "\"%s\" is no time stamp that is known, such as 2026-10-07 09:30:00.250 or a "
                                     "Unix time: row dropped",
                               shown);
}

fw_status fwi_reader_time(fwi_reader *reader, fwi_cell cell, fw_time_ns *out, bool *good) {
  fwi_stamp_fault fault = fwi_stamp_parse(&reader->stamper, cell.text, cell.length, out);
  *good = fault == FWI_STAMP_GOOD;
  return *good ? FW_OK : fwi_reader_time_fault(reader, cell, fault);
}

const fwi_scale *fwi_reader_unit(const fwi_reader *reader) {
  reader->rules->needs_unit = true;
  return reader->unit;
}

fw_status fwi_reader_no_unit(const fwi_reader *reader, const char *column, size_t column_length, fwi_cell cell) {
  char shown[FW_SHOWN_SIZE], name[FW_SHOWN_SIZE];
  double number = 0;
  (void)fw_number_parse(cell.text, cell.length, &number);
  bool milli = number > 2000 && number < 2000000;
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_source_place(reader->source, 0),
                  "%s %s has no unit in its cell or header: say --unit W, --unit mW or --unit kW%s",
                  fw_shown(column, column_length, name), fw_shown(cell.text, cell.length, shown),
                  milli ? " (as W it is implausible for a GPU, as mW it is plausible)" : "");
}

fw_status fwi_reader_split(fwi_reader *reader, char separator, bool *good) {
  fwi_split split = fwi_split_line(reader->source->line, reader->source->length, separator, &reader->cells);
  *good = split == FWI_SPLIT_GOOD;
  if (split == FWI_SPLIT_MEMORY) return fw_error_memory(reader->diagnostics, "the cells of a line");
  if (split == FWI_SPLIT_QUOTE) {
    return fwi_reader_unreadable(reader, "a quote that is not closed, or text behind one: row dropped");
  }
  if (reader->options->decimal_comma && fwi_cells_point(&reader->cells, reader->source->line)) {
    reader->rules->needs_comma = true;
  }
  return FW_OK;
}
