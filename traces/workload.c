/* Readers of recorded work: rows by column, strict. */
#include "traces/workload.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "traces/rows.h"

#define MOST_TOKENS 1e7
#define MOST_GPUS 65536.0
#define MOST_STEPS 1e9

enum { REQUEST_TIME, REQUEST_CONTEXT, REQUEST_GENERATED, REQUEST_COLUMNS };
static const char *const request_columns[REQUEST_COLUMNS] = {"t_s", "context_tokens", "generated_tokens"};

enum {
  SUBMISSION_TIME,
  SUBMISSION_GPUS,
  SUBMISSION_DURATION,
  SUBMISSION_STEPS,
  SUBMISSION_LIMIT,
  SUBMISSION_POWER,
  SUBMISSION_COLUMNS
};
static const char *const submission_columns[SUBMISSION_COLUMNS] = {"submit_s", "gpus",    "duration_s",
                                                                   "steps",    "limit_s", "power_w"};

void fw_requests_clear(fw_requests *requests) {
  free(requests->data);
  *requests = (fw_requests){0};
}

void fw_submissions_clear(fw_submissions *submissions) {
  free(submissions->data);
  *submissions = (fw_submissions){0};
}

static fw_place cell_place(const fwi_rows *rows, size_t column) {
  return fwi_csv_place(&rows->csv, fwi_rows_cell(rows, column)->column);
}

static bool is_given(const fwi_rows *rows, size_t column) {
  return fwi_rows_has(rows, column) && fwi_rows_cell(rows, column)->length > 0;
}

/* A whole number from `least` to `most` in a cell that must be there. */
static fw_status whole(const fwi_rows *rows, size_t column, double least, double most, int64_t *out,
                       fw_diagnostics *diagnostics) {
  double number = 0.0;
  const fw_status status = fwi_rows_number(rows, column, &number, diagnostics);
  if (status != FW_OK) return status;
  if (number >= least && number <= most && number == floor(number)) {
    *out = (int64_t)number;
    return FW_OK;
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, cell_place(rows, column), "%s: write a whole number from %.0f to %.0f",
                  rows->names[column], least, most);
}

/* A time of at least 0 that does not lie before `last`. */
static fw_status rising(const fwi_rows *rows, size_t column, fw_time_ns last, fw_time_ns *out,
                        fw_diagnostics *diagnostics) {
  const fw_status status = fwi_rows_time(rows, column, 9, out, diagnostics);
  if (status != FW_OK) return status;
  if (*out < 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, cell_place(rows, column), "%s is below 0: count from the start",
                    rows->names[column]);
  }
  if (*out < last) {
    return fw_error(diagnostics, FW_ERROR_INPUT, cell_place(rows, column),
                    "%s goes back behind the line before: sort the file by time", rows->names[column]);
  }
  return FW_OK;
}

/* A time of at least 0 in an optional cell; 0 where there is none. */
static fw_status optional_time(const fwi_rows *rows, size_t column, fw_time_ns *out, fw_diagnostics *diagnostics) {
  *out = 0;
  return is_given(rows, column) ? rising(rows, column, 0, out, diagnostics) : FW_OK;
}

static fw_status no_rows(const char *path, size_t count, fw_diagnostics *diagnostics) {
  if (count > 0) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path}, "the file has a header and no rows");
}

/* ---- Requests ---- */

static fw_status take_request(const fwi_rows *rows, fw_requests *out, fw_diagnostics *diagnostics) {
  const fw_time_ns last = out->count > 0 ? out->data[out->count - 1].time : 0;
  fw_request row = {0};
  fw_status status = rising(rows, REQUEST_TIME, last, &row.time, diagnostics);
  if (status == FW_OK) status = whole(rows, REQUEST_CONTEXT, 0.0, MOST_TOKENS, &row.context_tokens, diagnostics);
  if (status == FW_OK) status = whole(rows, REQUEST_GENERATED, 1.0, MOST_TOKENS, &row.generated_tokens, diagnostics);
  if (status != FW_OK) return status;
  if (!fw_grow(&out->data, &out->capacity, out->count + 1, sizeof *out->data)) {
    return fw_error_memory(diagnostics, "the requests of a trace");
  }
  out->data[out->count++] = row;
  return FW_OK;
}

fw_status fw_requests_read(const char *path, fw_requests *out, fw_diagnostics *diagnostics) {
  fwi_rows rows;
  bool found = true;
  *out = (fw_requests){0};
  fw_status status = fwi_rows_open(&rows, path, request_columns, REQUEST_COLUMNS, diagnostics);
  for (size_t i = 0; i < REQUEST_COLUMNS && status == FW_OK; i++)
    status = fwi_rows_need(&rows, i, diagnostics);
  while (status == FW_OK && found) {
    status = fwi_rows_next(&rows, &found, diagnostics);
    if (status == FW_OK && found) status = take_request(&rows, out, diagnostics);
  }
  fwi_rows_close(&rows);
  if (status == FW_OK) status = no_rows(path, out->count, diagnostics);
  if (status != FW_OK) fw_requests_clear(out);
  return status;
}

/* ---- Submissions ---- */

static fw_status take_power(const fwi_rows *rows, fw_power_mw *out, fw_diagnostics *diagnostics) {
  double watts = 0.0;
  if (!is_given(rows, SUBMISSION_POWER)) return FW_OK;
  const fw_status status = fwi_rows_number(rows, SUBMISSION_POWER, &watts, diagnostics);
  if (status != FW_OK) return status;
  if (watts > 0.0 && watts <= 1e5 && fw_power_from_watts(watts, out)) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, cell_place(rows, SUBMISSION_POWER),
                  "power_w: give what each GPU draws, above 0 to 100000 W");
}

static fw_status take_length(const fwi_rows *rows, fw_submission *row, fw_diagnostics *diagnostics) {
  const bool timed = is_given(rows, SUBMISSION_DURATION);
  if (timed == is_given(rows, SUBMISSION_STEPS)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, 0),
                    "give each job a duration_s or a number of steps, one of the two");
  }
  if (timed) return rising(rows, SUBMISSION_DURATION, 0, &row->duration, diagnostics);
  int64_t steps = 0;
  const fw_status status = whole(rows, SUBMISSION_STEPS, 1.0, MOST_STEPS, &steps, diagnostics);
  row->steps = (uint64_t)steps;
  return status;
}

static fw_status take_submission(const fwi_rows *rows, fw_submissions *out, fw_diagnostics *diagnostics) {
  fw_submission row = {.line = rows->csv.line_number};
  int64_t gpus = 0;
  fw_status status = rising(rows, SUBMISSION_TIME, 0, &row.time, diagnostics);
  if (status == FW_OK) status = whole(rows, SUBMISSION_GPUS, 1.0, MOST_GPUS, &gpus, diagnostics);
  if (status == FW_OK) status = take_length(rows, &row, diagnostics);
  if (status == FW_OK) status = optional_time(rows, SUBMISSION_LIMIT, &row.limit, diagnostics);
  if (status == FW_OK) status = take_power(rows, &row.power, diagnostics);
  if (status != FW_OK) return status;
  row.gpus = (size_t)gpus;
  if (!fw_grow(&out->data, &out->capacity, out->count + 1, sizeof *out->data)) {
    return fw_error_memory(diagnostics, "the jobs of a trace");
  }
  out->data[out->count++] = row;
  return FW_OK;
}

static int by_time(const void *left, const void *right) {
  const fw_submission *a = left;
  const fw_submission *b = right;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

fw_status fw_submissions_read(const char *path, fw_submissions *out, fw_diagnostics *diagnostics) {
  fwi_rows rows;
  bool found = true;
  *out = (fw_submissions){0};
  fw_status status = fwi_rows_open(&rows, path, submission_columns, SUBMISSION_COLUMNS, diagnostics);
  if (status == FW_OK) status = fwi_rows_need(&rows, SUBMISSION_TIME, diagnostics);
  if (status == FW_OK) status = fwi_rows_need(&rows, SUBMISSION_GPUS, diagnostics);
  while (status == FW_OK && found) {
    status = fwi_rows_next(&rows, &found, diagnostics);
    if (status == FW_OK && found) status = take_submission(&rows, out, diagnostics);
  }
  fwi_rows_close(&rows);
  if (status == FW_OK) status = no_rows(path, out->count, diagnostics);
  if (status == FW_OK) qsort(out->data, out->count, sizeof *out->data, by_time);
  if (status != FW_OK) fw_submissions_clear(out);
  return status;
}
