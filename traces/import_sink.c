/* Where imported rows go: our CSV, or a trace in memory. Rows of our CSV are formatted by hand, digit by digit from the
 * back: they are as many as the log has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "traces/builder.h"
#include "traces/import.h"

/* --- our CSV --- */

#define BUFFER_SIZE ((size_t)64 * 1024)
#define DECIMAL_SIZE ((size_t)32)

struct fw_import_writer {
  fw_file_writer file;
  bool present[FW_IMPORT_VALUE_COUNT];
  fw_time_ns time; /* the last one written: GPUs that are read together share it */
  char time_text[DECIMAL_SIZE];
  size_t time_length; /* 0: none yet */
  char buffer[BUFFER_SIZE];
  size_t used;
};

static const char *const value_columns[FW_IMPORT_VALUE_COUNT] = {[FW_IMPORT_AVERAGE] = "power_average_w",
                                                                 [FW_IMPORT_INSTANT] = "power_instant_w",
                                                                 [FW_IMPORT_LIMIT] = "limit_w",
                                                                 [FW_IMPORT_UTILISATION] = "utilization_pct",
                                                                 [FW_IMPORT_TEMPERATURE] = "temperature_c",
                                                                 [FW_IMPORT_OCCUPANCY] = "requests_running"};

fw_status fw_import_writer_open(fw_import_writer **writer, const char *path, fw_diagnostics *diagnostics) {
  *writer = fw_allocate(1, sizeof **writer);
  if (*writer == NULL) return fw_error_memory(diagnostics, "the writer of a trace");
  fw_status status = fw_file_writer_open(&(*writer)->file, path, diagnostics);
  if (status == FW_OK) return FW_OK;
  free(*writer);
  *writer = NULL;
  return status;
}

static void flush_buffer(fw_import_writer *writer) {
  (void)fwrite(writer->buffer, 1, writer->used, writer->file.stream); /* commit asks whether all went well */
  writer->used = 0;
}

static void put(fw_import_writer *writer, const char *text, size_t length) {
  if (length > BUFFER_SIZE - writer->used) flush_buffer(writer);
  if (length > BUFFER_SIZE) {
    (void)fwrite(text, 1, length, writer->file.stream);
    return;
  }
  memcpy(writer->buffer + writer->used, text, length);
  writer->used += length;
}

/* Writes value / 10^decimals, without zeros at its end, flush right into `text`; where it begins. */
static size_t format_decimal(int64_t value, int decimals, char text[DECIMAL_SIZE]) {
  size_t at = DECIMAL_SIZE;
  uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
  bool significant = false;
  for (int digit = 0; digit <= decimals || rest > 0; digit++, rest /= 10) {
    if (digit == decimals && significant) text[--at] = '.';
    if (rest % 10 != 0 || digit >= decimals) significant = true;
    if (significant) text[--at] = (char)('0' + (int)(rest % 10));
  }
  if (value < 0) text[--at] = '-';
  return at;
}

static void put_value(fw_import_writer *writer, int64_t thousandths) {
  char text[DECIMAL_SIZE];
  size_t at = format_decimal(thousandths, 3, text);
  put(writer, text + at, DECIMAL_SIZE - at);
}

static void put_time(fw_import_writer *writer, fw_time_ns time) {
  if (writer->time_length == 0 || time != writer->time) {
    writer->time = time;
    writer->time_length = DECIMAL_SIZE - format_decimal(time, 9, writer->time_text);
  }
  put(writer, writer->time_text + DECIMAL_SIZE - writer->time_length, writer->time_length);
}

/* Quoted where it must be. */
static void put_name(fw_import_writer *writer, const char *name) {
  if (strpbrk(name, ",\"\t\r") == NULL && name[0] != ' ' && name[0] != '#') {
    put(writer, name, strlen(name));
    return;
  }
  put(writer, "\"", 1);
  for (; *name != '\0'; name++) {
    if (*name == '"') put(writer, "\"", 1);
    put(writer, name, 1);
  }
  put(writer, "\"", 1);
}

static fw_status begin_csv(void *context, fw_series_kind kind, const bool present[FW_IMPORT_VALUE_COUNT],
                           fw_diagnostics *diagnostics) {
  (void)diagnostics;
  fw_import_writer *writer = context;
  static const char head[] = "# kind: ", columns[] = "\nt_s,gpu,power_w";
  put(writer, head, sizeof head - 1);
  put(writer, fw_series_kind_names[kind], strlen(fw_series_kind_names[kind]));
  put(writer, columns, sizeof columns - 1);
  for (size_t i = 0; i < FW_IMPORT_VALUE_COUNT; i++) {
    writer->present[i] = present[i];
    if (!present[i]) continue;
    put(writer, ",", 1);
    put(writer, value_columns[i], strlen(value_columns[i]));
  }
  put(writer, "\n", 1);
  return FW_OK;
}

static fw_status write_csv(void *context, const fw_import_row *row, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  fw_import_writer *writer = context;
  if (row->total) return FW_OK;
  put_time(writer, row->time);
  put(writer, ",", 1);
  put_name(writer, row->gpu);
  put(writer, ",", 1);
  if (row->has_power) put_value(writer, row->power);
  for (size_t i = 0; i < FW_IMPORT_VALUE_COUNT; i++) {
    if (!writer->present[i]) continue;
    put(writer, ",", 1);
    if (row->values[i] != FW_IMPORT_NO_VALUE) put_value(writer, row->values[i]);
  }
  put(writer, "\n", 1);
  return FW_OK;
}

fw_import_sink fw_import_writer_sink(fw_import_writer *writer) {
  return (fw_import_sink){.context = writer, .begin = begin_csv, .row = write_csv};
}

fw_status fw_import_writer_commit(fw_import_writer *writer, fw_diagnostics *diagnostics) {
  flush_buffer(writer);
  fw_status status = fw_file_writer_commit(&writer->file, diagnostics);
  free(writer);
  return status;
}

void fw_import_writer_abandon(fw_import_writer *writer) {
  if (writer == NULL) return;
  fw_file_writer_abandon(&writer->file);
  free(writer);
}

/* --- a trace in memory --- */

typedef struct trace_sink {
  fwi_builder builder;
  fw_trace *trace;
  const char *file;
} trace_sink;

static fw_status begin_trace(void *context, fw_series_kind kind, const bool present[FW_IMPORT_VALUE_COUNT],
                             fw_diagnostics *diagnostics) {
  trace_sink *sink = context;
  return fwi_builder_begin(&sink->builder, sink->trace, sink->file, kind, present[FW_IMPORT_OCCUPANCY], diagnostics);
}

static fw_status add_to_trace(void *context, const fw_import_row *row, fw_diagnostics *diagnostics) {
  trace_sink *sink = context;
  if (row->total) return FW_OK;
  int64_t occupancy = row->values[FW_IMPORT_OCCUPANCY];
  fwi_row built = {.gpu = row->gpu,
                   .gpu_length = strlen(row->gpu),
                   .time = row->time,
                   .has_power = row->has_power,
                   .power = row->power,
                   .occupancy = occupancy == FW_IMPORT_NO_VALUE ? (double)NAN : (double)occupancy / 1000.0,
                   .line = row->line};
  return fwi_builder_add(&sink->builder, &built, diagnostics);
}

fw_status fw_import_trace(const fw_import_input *inputs, size_t input_count, const fw_import_options *options,
                          fw_trace *out, fw_import_report *report, fw_diagnostics *diagnostics) {
  *out = (fw_trace){0};
  trace_sink context = {.trace = out, .file = input_count > 0 ? inputs[0].name : ""};
  fw_import_sink sink = {.context = &context, .begin = begin_trace, .row = add_to_trace};
  fw_status status = fw_import_run(inputs, input_count, options, &sink, report, diagnostics);
  fwi_builder_end(&context.builder);
  fwi_builder_clear(&context.builder);
  if (status != FW_OK) fw_trace_clear(out);
  return status;
}
