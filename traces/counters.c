/* An engine's counters: requests running, and tokens so far, at each reading. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "traces/intervals.h"
#include "traces/rows.h"
#include "traces/states.h"

enum { RUNNING = FWI_ROWS_STAMP_COUNT, PROMPT, GENERATED, GPU, ROLE, COLUMNS };
static const char *const column_names[COLUMNS] = {
    FWI_ROWS_STAMPS, "requests_running", "prompt_tokens_total", "generation_tokens_total", "gpu", "role"};

static const fw_time_ns SHORTEST_HOLD = 2 * FW_NS_PER_S;

/* One reading. */
typedef struct reading {
  fw_time_ns time;
  double running;
  double prompt; /* NaN: not read */
  double generated;
  size_t line;
} reading;

typedef struct reader {
  fwi_rows rows;
  const char *role;
  char *only_role; /* the one role of a file, where none was asked for */
  reading *readings;
  size_t count;
  size_t capacity;
  fw_time_ns last_stamp; /* of any row that counts, read or not */
  size_t last_line;
  fw_diagnostics *diagnostics;
} reader;

static void reader_clear(reader *read) {
  fwi_rows_close(&read->rows);
  free(read->readings);
  free(read->only_role);
}

static fw_status note_gpu(fwi_roles *roles, const fwi_csv_cell *cell, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < roles->count; i++) {
    if (fwi_csv_cell_is(cell, roles->gpus[i])) return FW_OK;
  }
  char *name = fw_copy_bytes(cell->text, cell->length);
  if (name == NULL || !fw_grow(&roles->gpus, &roles->capacity, roles->count + 1, sizeof *roles->gpus)) {
    free(name);
    return fw_error_memory(diagnostics, "the GPUs of a role");
  }
  roles->gpus[roles->count++] = name;
  return FW_OK;
}

/* Whether the row is of the role asked for. A file of several roles needs one to be asked for. */
static fw_status check_role(reader *read, fwi_roles *roles, bool *counts) {
  *counts = true;
  if (!roles->present) return FW_OK;
  const fwi_csv_cell *cell = fwi_rows_cell(&read->rows, ROLE);
  if (read->role == NULL && read->only_role == NULL) {
    read->only_role = fw_copy_bytes(cell->text, cell->length);
    if (read->only_role == NULL) return fw_error_memory(read->diagnostics, "the name of a role");
  }
  *counts = fwi_rows_is(&read->rows, ROLE, read->role != NULL ? read->role : read->only_role);
  if (!*counts && read->role == NULL) {
    char shown[FWI_CSV_EXCERPT_SIZE];
    return fw_error(read->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&read->rows.csv, cell->column),
                    "the file has the roles %s and %s: choose one with --role", read->only_role,
                    fwi_csv_excerpt(cell->text, cell->length, shown));
  }
  if (!*counts || !fwi_rows_has(&read->rows, GPU)) return FW_OK;
  return note_gpu(roles, fwi_rows_cell(&read->rows, GPU), read->diagnostics);
}

static fw_status check_order(const reader *read, fw_time_ns time) {
  if (read->last_line == 0 || time >= read->last_stamp) return FW_OK;
  return fw_error(read->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&read->rows.csv, 0),
                  "the time goes back behind line %zu: sort the counters by time", read->last_line);
}

/* A row without a count says nothing and the one before goes on. GPUs of one engine repeat a stamp. */
static fw_status take_row(reader *read, fwi_roles *roles) {
  reading row = {.line = read->rows.csv.line_number};
  bool counts = false;
  fw_status status = check_role(read, roles, &counts);
  if (status != FW_OK || !counts) return status;
  status = fwi_rows_stamp(&read->rows, &row.time, read->diagnostics);
  if (status == FW_OK) status = fwi_rows_number(&read->rows, RUNNING, &row.running, read->diagnostics);
  if (status == FW_OK) status = fwi_rows_number(&read->rows, PROMPT, &row.prompt, read->diagnostics);
  if (status == FW_OK) status = fwi_rows_number(&read->rows, GENERATED, &row.generated, read->diagnostics);
  if (status == FW_OK) status = check_order(read, row.time);
  if (status != FW_OK) return status;
  const bool repeated = read->last_line != 0 && row.time == read->last_stamp;
  read->last_stamp = row.time;
  read->last_line = row.line;
  if (repeated || isnan(row.running)) return FW_OK;
  if (!fw_grow(&read->readings, &read->capacity, read->count + 1, sizeof *read->readings)) {
    return fw_error_memory(read->diagnostics, "the counters of an engine");
  }
  read->readings[read->count++] = row;
  return FW_OK;
}

/* How long a reading holds at most. */
static fw_status longest_hold(const reader *read, fw_time_ns *out) {
  fwi_intervals intervals = {0};
  bool good = true;
  for (size_t i = 0; i + 1 < read->count && good; i++)
    good = fwi_intervals_add_row(&intervals, read->readings[i + 1].time - read->readings[i].time);
  *out = fw_time_later(fwi_intervals_longest_held(&intervals), SHORTEST_HOLD);
  fwi_intervals_clear(&intervals);
  return good ? FW_OK : fw_error_memory(read->diagnostics, "the intervals of counters");
}

/* Tokens between two readings; 0 over a restart, NaN where not counted. */
static double tokens_between(double before, double after) {
  return after < before ? 0.0 : after - before;
}

/* The engine was started again between two readings. */
static bool restarted(const reader *read, const reading *before, const reading *now, bool warned) {
  if (!(now->prompt < before->prompt) && !(now->generated < before->generated)) return false;
  const fw_place place = {.file = read->rows.csv.file, .line = now->line};
  if (!warned) {
    fw_warning(read->diagnostics, place, "a counter goes back: the engine was restarted; nothing is counted over it");
  }
  return true;
}

/* Where the present step of the engine began, and what it has done. */
typedef struct step {
  size_t first; /* the reading at its start */
  double prompt;
  double generated;
} step;

/* The readings from `first` to `last` become states; the tokens of the step are spread over all of them. */
static fw_status add_step(const reader *read, const step *present, size_t last, fw_time_ns hold, fwi_states *out) {
  const double seconds = fw_time_to_seconds(read->readings[last].time - read->readings[present->first].time);
  const bool moved = present->prompt > 0.0 || present->generated > 0.0;
  fw_status status = FW_OK;
  for (size_t i = present->first; i < last && status == FW_OK; i++) {
    const reading *now = &read->readings[i];
    const reading *next = now + 1;
    if (next->time - now->time > hold) continue;
    const bool work = now->running > 0.0 || moved;
    const fwi_state state = {
        .from = now->time,
        .to = next->time,
        .activity = work ? FW_ACTIVITY_WORK : FW_ACTIVITY_READY,
        .in_flight = fmax(now->running, work ? 1.0 : 0.0),
        .prompt_per_s = present->prompt / seconds,
        .generated_per_s = present->generated / seconds,
        .step = present->first,
    };
    status = fwi_states_add(out, &state, read->diagnostics);
  }
  return status;
}

static size_t count_requests(const reader *read) {
  double rises = 0.0;
  for (size_t i = 1; i < read->count; i++)
    rises += fmax(read->readings[i].running - read->readings[i - 1].running, 0.0);
  return rises < 1e15 ? (size_t)rises : 0;
}

/* A step is in progress while requests run and no counter moves. */
static fw_status make_states(const reader *read, fwi_counters *out) {
  fw_time_ns hold = 0;
  fw_status status = longest_hold(read, &hold);
  step present = {0};
  bool warned = false;
  for (size_t i = 1; i < read->count && status == FW_OK; i++) {
    const reading *before = &read->readings[i - 1];
    const reading *now = &read->readings[i];
    const bool again = restarted(read, before, now, warned);
    warned = warned || again;
    present.prompt = tokens_between(before->prompt, now->prompt);
    present.generated = tokens_between(before->generated, now->generated);
    const bool still = present.prompt == 0.0 && present.generated == 0.0 && !again;
    const bool goes_on = still && before->running > 0.0 && now->running > 0.0 && now->time - before->time <= hold;
    if (goes_on && i + 1 < read->count) continue;
    status = add_step(read, &present, i, hold, &out->states);
    present.first = i;
  }
  out->requests = count_requests(read);
  out->has_tokens = !isnan(read->readings[0].prompt) && !isnan(read->readings[0].generated);
  return status;
}

static fw_status read_rows(reader *read, fwi_counters *out) {
  fw_status status = fwi_rows_need_stamp(&read->rows, read->diagnostics);
  bool found = status == FW_OK;
  while (status == FW_OK && found) {
    status = fwi_rows_next(&read->rows, &found, read->diagnostics);
    if (status == FW_OK && found) status = take_row(read, &out->roles);
  }
  if (status != FW_OK) return status;
  if (read->count < 2) {
    const fw_place place = {.file = read->rows.csv.file};
    return fw_error(read->diagnostics, FW_ERROR_INPUT, place,
                    read->role != NULL ? "fewer than two counter readings of the role \"%s\""
                                       : "fewer than two counter readings%s",
                    read->role != NULL ? read->role : "");
  }
  return make_states(read, out);
}

fw_status fwi_read_counters(const char *path, const char *role, fwi_counters *out, fw_diagnostics *diagnostics) {
  *out = (fwi_counters){0};
  reader read = {.role = role, .diagnostics = diagnostics};
  fw_status status = fwi_rows_open(&read.rows, path, column_names, COLUMNS, diagnostics);
  if (status == FW_OK) {
    out->roles.present = fwi_rows_has(&read.rows, ROLE);
    out->found = fwi_rows_has(&read.rows, RUNNING);
    if (role != NULL && !out->roles.present) status = fwi_rows_need(&read.rows, ROLE, diagnostics);
    if (status == FW_OK && out->found) status = read_rows(&read, out);
  }
  reader_clear(&read);
  if (status != FW_OK) fwi_counters_clear(out);
  return status;
}
