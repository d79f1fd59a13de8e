/* The rules, in the order in which a row meets them: whose it is, whether time goes on, what its counter says, whether
 * its power is plausible. docs/telemetry.md states each in words. */
#include "traces/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/builder.h"

#define GPU_LIMIT ((size_t)100000)
#define DEFAULT_BOUND (INT64_C(2000) * FW_MW_PER_W)
#define COUNTER_INTERVAL_LIMIT (10 * FW_NS_PER_MS)
#define PJ_PER_UJ INT64_C(1000000)

void fwi_rules_begin(fwi_rules *rules, const fw_import_options *options, const fw_import_sink *sink,
                     fw_import_report *report, fw_diagnostics *diagnostics) {
  *rules = (fwi_rules){.options = options, .sink = sink, .report = report, .diagnostics = diagnostics};
  rules->ledger = (fwi_ledger){.report = report, .diagnostics = diagnostics};
}

void fwi_rules_clear(fwi_rules *rules) {
  for (size_t i = 0; i < rules->report->gpu_count && rules->series != NULL; i++)
    fwi_intervals_clear(&rules->series[i].intervals);
  free(rules->series);
  free(rules->table);
  free(rules->key);
  *rules = (fwi_rules){0};
}

static fw_place place_of(const fwi_rules *rules, size_t line) {
  return (fw_place){rules->report->sources[rules->source].file, line, 0, NULL};
}

/* --- sources --- */

fw_status fwi_rules_source(fwi_rules *rules, const char *file, const char *name, fw_import_format format) {
  fw_import_report *report = rules->report;
  fw_import_source source = {.file = fw_copy_text(file), .name = fw_copy_text(name), .format = format};
  bool grown = source.file != NULL && source.name != NULL &&
               fw_grow(&report->sources, &report->capacity_sources, report->source_count + 1, sizeof *report->sources);
  if (!grown) {
    free(source.file);
    free(source.name);
    return fw_error_memory(rules->diagnostics, "the sources of an import");
  }
  rules->source = report->source_count++;
  report->sources[rules->source] = source;
  return FW_OK;
}

static fw_status begin_sink(fwi_rules *rules, const fwi_shape *shape) {
  rules->begun = true;
  rules->report->kind = shape->kind;
  memcpy(rules->present, shape->present, sizeof rules->present);
  if (rules->sink == NULL || rules->sink->begin == NULL) return FW_OK;
  return rules->sink->begin(rules->sink->context, shape->kind, rules->present, rules->diagnostics);
}

static fw_status check_same_kind(const fwi_rules *rules, const fwi_shape *shape) {
  if (shape->kind == rules->report->kind) return FW_OK;
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, 0),
                  "its series is %s%s, but that of the log before is %s: import them one by one",
                  fw_series_kind_names[shape->kind], shape->derived ? " (power from an energy counter)" : "",
                  fw_series_kind_names[rules->report->kind]);
}

fw_status fwi_rules_shape(fwi_rules *rules, const fwi_shape *shape) {
  fw_import_source *source = &rules->report->sources[rules->source];
  if (source->power_column == NULL) {
    source->power_column = fw_copy_bytes(shape->power_column, shape->power_column_length);
    if (source->power_column == NULL) return fw_error_memory(rules->diagnostics, "the sources of an import");
    source->derived = shape->derived;
  }
  return rules->begun ? check_same_kind(rules, shape) : begin_sink(rules, shape);
}

/* The next node of a log that several nodes' logs were joined to. */
static fw_status split_source(fwi_rules *rules) {
  char name[32];
  const fw_import_source *before = &rules->report->sources[rules->source];
  char *file = fw_copy_text(before->file);
  char *column = before->power_column == NULL ? NULL : fw_copy_text(before->power_column);
  bool derived = before->derived;
  (void)snprintf(name, sizeof name, "part%zu", rules->report->source_count + 1);
  fw_status status = file == NULL ? fw_error_memory(rules->diagnostics, "the sources of an import")
                                  : fwi_rules_source(rules, file, name, before->format);
  free(file);
  if (status != FW_OK) {
    free(column);
    return status;
  }
  rules->report->sources[rules->source].power_column = column;
  rules->report->sources[rules->source].derived = derived;
  return FW_OK;
}

fw_status fwi_rules_header(fwi_rules *rules, size_t line, bool changed) {
  rules->header_count++;
  fw_import_event event = {.decision = changed ? FW_IMPORT_SCHEMA_CHANGE : FW_IMPORT_HEADER_AGAIN,
                           .source = rules->source,
                           .gpu = SIZE_MAX,
                           .line = line};
  fw_status status = changed ? fwi_ledger_add(&rules->ledger, &event,
                                              "schema changed at line %zu: columns are bound anew from here on", line)
                             : fwi_ledger_add(&rules->ledger, &event,
                                              "header repeated at line %zu: the logger was started again", line);
  if (status != FW_OK || !rules->options->split_on_header) return status;
  return split_source(rules);
}

fw_status fwi_rules_note(fwi_rules *rules, fw_import_decision decision, size_t line, const char *message) {
  fw_import_event event = {.decision = decision, .source = rules->source, .gpu = SIZE_MAX, .line = line};
  return fwi_ledger_add(&rules->ledger, &event, "%s", message);
}

void fwi_rules_step(fwi_rules *rules, size_t present, size_t expected, fw_power_mw sum) {
  fw_import_report *report = rules->report;
  if (rules->options->only_count > 0) return; /* the sum is of others too */
  if (present < expected || expected == 0) {
    if (present > 0) report->steps_partial++;
    return;
  }
  if (report->steps_complete == 0 || sum < report->fleet_smallest) report->fleet_smallest = sum;
  if (report->steps_complete == 0 || sum > report->fleet_largest) report->fleet_largest = sum;
  report->steps_complete++;
}

/* --- which series --- */

static void append_key(char *key, size_t *used, const char *text, size_t length) {
  if (length > 0) memcpy(key + *used, text, length);
  *used += length;
}

/* "node/host/id" of what there is; without any, "0". */
static fw_status make_key(fwi_rules *rules, const fwi_record *record, size_t *length) {
  const fw_import_source *source = &rules->report->sources[rules->source];
  bool prefixed = rules->prefixed && !record->global_id && record->host == NULL;
  size_t prefix = prefixed || (rules->options->split_on_header && !record->global_id) ? strlen(source->name) : 0;
  size_t needed = prefix + record->host_length + record->id_length + 3;
  if (!fw_grow(&rules->key, &rules->key_capacity, needed, 1)) {
    return fw_error_memory(rules->diagnostics, "the name of a GPU");
  }
  size_t used = 0;
  append_key(rules->key, &used, source->name, prefix);
  if (record->host != NULL && record->host_length > 0) {
    if (used > 0) rules->key[used++] = '/';
    append_key(rules->key, &used, record->host, record->host_length);
  }
  bool has_id = record->id != NULL && record->id_length > 0;
  if (used > 0 && has_id) rules->key[used++] = '/';
  append_key(rules->key, &used, record->id, has_id ? record->id_length : 0);
  if (used == 0) rules->key[used++] = '0';
  *length = used;
  return FW_OK;
}

static bool is_key(const fwi_rules *rules, size_t index, size_t length) {
  if (index >= rules->report->gpu_count) return false;
  const char *name = rules->report->gpus[index].gpu;
  return strncmp(name, rules->key, length) == 0 && name[length] == '\0';
}

static void place_in_table(fwi_rules *rules, size_t index) {
  size_t slot = (size_t)rules->series[index].hash & (rules->table_size - 1);
  while (rules->table[slot] != SIZE_MAX)
    slot = (slot + 1) & (rules->table_size - 1);
  rules->table[slot] = index;
}

static bool grow_table(fwi_rules *rules) {
  size_t size = rules->table_size == 0 ? 64 : 2 * rules->table_size;
  size_t *table = fw_allocate(size, sizeof *table);
  if (table == NULL) return false;
  free(rules->table);
  rules->table = table;
  rules->table_size = size;
  for (size_t i = 0; i < size; i++)
    table[i] = SIZE_MAX;
  for (size_t i = 0; i < rules->report->gpu_count; i++)
    place_in_table(rules, i);
  return true;
}

/* Whether the record is of a GPU that is to be taken. */
static fw_status is_wanted(fwi_rules *rules, const fwi_record *record, bool *wanted) {
  const fw_import_options *options = rules->options;
  *wanted = options->only_count == 0;
  if (*wanted) return FW_OK;
  size_t length = 0;
  fw_status status = make_key(rules, record, &length);
  for (size_t i = 0; i < options->only_count && status == FW_OK && !*wanted; i++)
    *wanted = strlen(options->only[i]) == length && memcmp(options->only[i], rules->key, length) == 0;
  return status;
}

static fw_status insert_series(fwi_rules *rules, const fwi_record *record, size_t length, uint64_t hash) {
  fw_import_report *report = rules->report;
  size_t count = report->gpu_count;
  if (count == GPU_LIMIT) {
    return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, record->line),
                    "more than %zu different GPUs: is the column that names them an identity?", GPU_LIMIT);
  }
  bool grown = fw_grow(&report->gpus, &report->capacity_gpus, count + 1, sizeof *report->gpus) &&
               fw_grow(&rules->series, &rules->series_capacity, count + 1, sizeof *rules->series) &&
               (2 * count < rules->table_size || grow_table(rules));
  char *name = grown ? fw_copy_bytes(rules->key, length) : NULL;
  if (name == NULL) return fw_error_memory(rules->diagnostics, "the GPUs of an import");
  report->gpus[count] = (fw_import_gpu){.gpu = name, .total = record->total, .source = rules->source};
  rules->series[count] = (fwi_series_state){.hash = hash, .nameless = record->id == NULL && record->host == NULL};
  report->gpu_count++;
  place_in_table(rules, count);
  rules->latest = count;
  return FW_OK;
}

/* Logs mostly repeat a GPU or list the GPUs in turn, so these are tried before the table. */
static fw_status find_series(fwi_rules *rules, const fwi_record *record) {
  size_t length = 0;
  fw_status status = make_key(rules, record, &length);
  if (status != FW_OK) return status;
  const size_t guesses[] = {rules->latest + 1, rules->latest, 0};
  for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
    if (!is_key(rules, guesses[i], length)) continue;
    rules->latest = guesses[i];
    return FW_OK;
  }
  uint64_t hash = fw_hash_bytes(FW_HASH_START, rules->key, length);
  for (size_t slot = (size_t)hash; rules->table_size > 0; slot++) {
    size_t index = rules->table[slot & (rules->table_size - 1)];
    if (index == SIZE_MAX) break;
    if (!is_key(rules, index, length)) continue;
    rules->latest = index;
    return FW_OK;
  }
  return insert_series(rules, record, length, hash);
}

static fwi_series_state *state_of(fwi_rules *rules) {
  return &rules->series[rules->latest];
}

static fw_import_gpu *gpu_of(fwi_rules *rules) {
  return &rules->report->gpus[rules->latest];
}

static fw_import_event event_of(const fwi_rules *rules, fw_import_decision decision, const fwi_record *record) {
  return (fw_import_event){.decision = decision,
                           .source = rules->source,
                           .gpu = rules->latest,
                           .line = record->line,
                           .time = record->time,
                           .power = record->power.state == FWI_READING_VALUE ? record->power.value : 0};
}

/* --- one GPU, several loggers --- */

static bool is_known_logger(const fwi_series_state *state, uint64_t logger) {
  for (size_t i = 0; i < state->logger_count; i++) {
    if (state->loggers[i] == logger) return true;
  }
  return state->logger_count == FWI_LOGGER_LIMIT;
}

static void note_logger(fwi_series_state *state, uint64_t logger) {
  if (!is_known_logger(state, logger)) state->loggers[state->logger_count++] = logger;
}

/* A later file that begins where the one before it ended goes on with the series; anything else that another logger
 * says of a GPU is a copy. */
static bool takes_over(const fwi_series_state *state, const fwi_rules *rules, const fwi_record *record,
                       uint64_t logger) {
  return rules->source != state->owner_source && record->time > state->last_time && !is_known_logger(state, logger);
}

static fw_status find_copy(fwi_rules *rules, const fwi_record *record, bool *copy) {
  fwi_series_state *state = state_of(rules);
  uint64_t source = rules->options->join ? 0 : rules->source;
  uint64_t logger = fw_hash_bytes(FW_HASH_START, &source, sizeof source);
  logger = fw_hash_bytes(logger, record->logger, record->logger == NULL ? 0 : record->logger_length);
  *copy = false;
  if (!state->has_row) {
    state->owner_source = rules->source;
    state->owner_logger = logger;
    note_logger(state, logger);
    return FW_OK;
  }
  if (logger == state->owner_logger) return FW_OK;
  if (takes_over(state, rules, record, logger)) {
    state->owner_source = rules->source;
    state->owner_logger = logger;
    return FW_OK;
  }
  *copy = true;
  note_logger(state, logger);
  if (record->power.state == FWI_READING_VALUE && record->has_power) {
    state->copies += record->power.value;
    state->copy_count++;
  }
  fw_import_event event = event_of(rules, FW_IMPORT_LOGGER_COPY, record);
  return fwi_ledger_add(&rules->ledger, &event, "GPU %s: another logger's reading of the same GPU: not counted again",
                        gpu_of(rules)->gpu);
}

/* --- the order of time --- */

static fw_status conflict(const fwi_rules *rules, const fwi_record *record, size_t line_before) {
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, record->line),
                  "GPU %s: line %zu and line %zu give two readings for the same time: where logs of several nodes were "
                  "joined, use --split-on-header or give one file per node; else delete one of the lines",
                  rules->report->gpus[rules->latest].gpu, line_before, record->line);
}

fw_status fwi_rules_mingled(const fwi_rules *rules, size_t line, const char *sign) {
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, line),
                  "%s, and no column says which GPU a row is of: name the column that does with --id-column, or say "
                  "--gpus N if rows go round N GPUs (--gpus 1: all are of one)",
                  sign);
}

/* Time falls back to a stamp that the series has, or to before its first. */
static fw_status started_over(const fwi_rules *rules, const fwi_record *record, size_t same_stamp) {
  const fwi_series_state *state = &rules->series[rules->latest];
  bool again = rules->header_count > state->header_count;
  if (same_stamp > 0 || again) return conflict(rules, record, same_stamp > 0 ? same_stamp : state->first_line);
  if (state->nameless) return fwi_rules_mingled(rules, record->line, "time goes back");
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, record->line),
                  "GPU %s: line %zu goes back to before line %zu, where the log begins: where logs of several nodes "
                  "were joined, use --split-on-header or give one file per node",
                  rules->report->gpus[rules->latest].gpu, record->line, state->first_line);
}

static fw_status repeated_stamp(fwi_rules *rules, const fwi_record *record, bool *drop) {
  fwi_series_state *state = state_of(rules);
  *drop = true;
  if (state->nameless) {
    if (state->repeat_count++ == 0) state->repeat_line = record->line;
    return FW_OK;
  }
  bool has_power = record->has_power && record->power.state == FWI_READING_VALUE;
  bool same = has_power == state->last_has_power && (!has_power || record->power.value == state->last_power);
  if (!same && !record->coarse_stamp) return conflict(rules, record, state->last_line);
  fw_import_event event = event_of(rules, same ? FW_IMPORT_DUPLICATE : FW_IMPORT_SAME_SECOND, record);
  return fwi_ledger_add(&rules->ledger, &event, "GPU %s: %s as line %zu: dropped", gpu_of(rules)->gpu,
                        same ? "the same row" : "the same second", state->last_line);
}

/* The line of the present piece with this stamp, as far as it is remembered; 0: none. */
static size_t line_with_stamp(const fwi_series_state *state, fw_time_ns time) {
  for (size_t i = 0; i < state->stamp_count; i++) {
    if (state->stamps[i].time == time) return state->stamps[i].line;
  }
  return 0;
}

static void begin_piece(fwi_series_state *state, const fwi_record *record) {
  state->first_time = record->time;
  state->first_line = record->line;
  state->stamp_count = 0;
  state->has_sample = false;
  state->has_counter = false;
}

/* On the way out the new piece starts so much later that the break is a gap there too. */
static fw_status shift_piece(fwi_rules *rules, const fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  fw_time_ns held = fwi_intervals_longest_held(&state->intervals);
  fw_time_ns pause = held > 0 && held < FWI_TIME_LIMIT ? held + held / 3 : FW_NS_PER_S;
  fw_time_ns wanted;
  bool fits = fw_time_add(state->last_time, state->shift, &wanted) && fw_time_add(wanted, pause, &wanted) &&
              wanted <= FWI_TIME_LIMIT;
  state->shift = wanted - record->time; /* both within the limit */
  if (fits) return FW_OK;
  return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, record->line),
                  "the clock steps of GPU %s add up to more than 73 years: is this its time column?",
                  gpu_of(rules)->gpu);
}

static fw_status step_back(fwi_rules *rules, const fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  size_t same_stamp = line_with_stamp(state, record->time);
  bool restarted = rules->header_count > state->header_count;
  if (same_stamp > 0 || restarted || record->time <= state->first_time) {
    return started_over(rules, record, same_stamp);
  }
  char back[FW_UNITS_TEXT_SIZE];
  fw_time_ns step = state->last_time - record->time;
  fw_import_event event = event_of(rules, FW_IMPORT_CLOCK_STEP, record);
  event.duration = step;
  fw_status status = fwi_ledger_add(
      &rules->ledger, &event,
      "GPU %s: the clock goes back by %s s behind line %zu%s: the series is split here and the break is not covered; "
      "later stamps are written later by what keeps them in order",
      gpu_of(rules)->gpu, fw_time_format(step, back), state->last_line,
      step > 3300 * FW_NS_PER_S && step < 3900 * FW_NS_PER_S ? " (an hour: the end of daylight saving time?)" : "");
  if (status == FW_OK) status = shift_piece(rules, record);
  gpu_of(rules)->clock_steps++;
  begin_piece(state, record);
  return status;
}

fw_status fwi_rules_nameless(const fwi_rules *rules, const fwi_series_state *state) {
  return fw_error(
      rules->diagnostics, FW_ERROR_INPUT, place_of(rules, state->repeat_line),
      "time stamp repeated %zu times without a GPU id column: name the column that tells the GPUs apart with "
      "--id-column, or say --gpus %zu if rows go round so many GPUs",
      state->repeat_count + 1, state->repeat_count + 1);
}

static fw_status check_order(fwi_rules *rules, const fwi_record *record, bool *drop) {
  fwi_series_state *state = state_of(rules);
  *drop = false;
  if (!state->has_row) {
    begin_piece(state, record);
    return FW_OK;
  }
  if (record->time == state->last_time) return repeated_stamp(rules, record, drop);
  if (state->repeat_count > 0) return fwi_rules_nameless(rules, state);
  if (record->time < state->last_time) return step_back(rules, record);
  if (fwi_intervals_add_row(&state->intervals, record->time - state->last_time)) return FW_OK;
  return fw_error_memory(rules->diagnostics, "the intervals of an import");
}

static void note_row(fwi_rules *rules, const fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  fw_import_source *source = &rules->report->sources[rules->source];
  if (source->row_count == 0 || record->time < source->first) source->first = record->time;
  if (source->row_count == 0 || record->time > source->last) source->last = record->time;
  source->row_count++;
  state->has_row = true;
  state->last_time = record->time;
  state->last_line = record->line;
  state->header_count = rules->header_count;
  state->last_has_power = record->has_power && record->power.state == FWI_READING_VALUE;
  state->last_power = record->power.value;
  if (state->stamp_count < FWI_REMEMBERED_STAMPS) {
    state->stamps[state->stamp_count].time = record->time;
    state->stamps[state->stamp_count++].line = record->line;
  }
  gpu_of(rules)->row_count++;
}

/* --- the energy counter --- */

static fw_status counter_reset(fwi_rules *rules, const fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  fw_import_gpu *gpu = gpu_of(rules);
  char from[FW_UNITS_TEXT_SIZE], to[FW_UNITS_TEXT_SIZE], energy[FW_UNITS_TEXT_SIZE];
  fw_energy_pj least = (fw_energy_pj)record->counter.value * PJ_PER_UJ;
  gpu->counter_resets++;
  gpu->reset_time += record->time - state->counter_time;
  gpu->reset_energy += least;
  fw_import_event event = event_of(rules, FW_IMPORT_COUNTER_RESET, record);
  event.duration = record->time - state->counter_time;
  return fwi_ledger_add(&rules->ledger, &event,
                        "GPU %s: the energy counter restarts between %s s and %s s: at least %s J there", gpu->gpu,
                        fw_time_format(state->counter_time, from), fw_time_format(record->time, to),
                        fw_energy_format(least, energy));
}

static fw_status counter_too_close(fwi_rules *rules, const fwi_record *record) {
  char interval[FW_UNITS_TEXT_SIZE];
  fw_import_event event = event_of(rules, FW_IMPORT_SHORT_INTERVAL, record);
  event.duration = record->time - state_of(rules)->counter_time;
  return fwi_ledger_add(&rules->ledger, &event,
                        "GPU %s: two counter readings %s s apart: below 10 ms no mean power is made of them",
                        gpu_of(rules)->gpu, fw_time_format(event.duration, interval));
}

/* Stores the mean power of the interval in `power` where the log has no power of its own. */
static fw_status use_counter(fwi_rules *rules, fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  fw_import_gpu *gpu = gpu_of(rules);
  if (!record->has_counter || record->counter.state != FWI_READING_VALUE) return FW_OK;
  fw_status status = FW_OK;
  fw_time_ns interval = record->time - state->counter_time;
  if (!state->has_counter) {
    status = FW_OK;
  } else if (record->counter.value < state->counter) {
    status = counter_reset(rules, record);
  } else if (interval < COUNTER_INTERVAL_LIMIT) {
    status = counter_too_close(rules, record);
  } else {
    fw_energy_pj energy = (fw_energy_pj)(record->counter.value - state->counter) * PJ_PER_UJ;
    gpu->counter_time += interval;
    gpu->counter_energy += energy;
    if (!record->has_power) {
      record->power = (fwi_reading){.state = FWI_READING_VALUE, .value = fw_energy_mean_power(energy, interval)};
    }
  }
  if (gpu->counter_count++ == 0) state->counter_first = record->time;
  state->has_counter = true;
  state->counter_time = record->time;
  state->counter = record->counter.value;
  return status;
}

/* --- plausible power --- */

static fw_power_mw bound_of(const fwi_rules *rules, const fwi_record *record, const fwi_series_state *state) {
  if (record->total) return FWI_POWER_LIMIT;
  if (rules->options->max_power > 0) return rules->options->max_power;
  return state->limit > 0 ? 2 * state->limit : DEFAULT_BOUND;
}

/* A board that drew more than a tenth of its limit does not draw a two-hundredth of it at the next reading. */
static bool is_too_low(const fwi_series_state *state, fw_power_mw power) {
  if (power < 0) return true;
  return state->limit > 0 && power < state->limit / 200 && state->has_sample && state->sample_power > state->limit / 10;
}

static fw_status exclude(fwi_rules *rules, const fwi_record *record, fw_import_decision decision, fw_power_mw bound) {
  char power[FW_NUMBER_TEXT_SIZE], limit[FW_NUMBER_TEXT_SIZE];
  fw_import_event event = event_of(rules, decision, record);
  gpu_of(rules)->excluded_count++;
  fw_number_format(fw_power_to_watts(record->power.value), 12, power);
  if (decision == FW_IMPORT_TOO_LOW) {
    return fwi_ledger_add(&rules->ledger, &event, "GPU %s: %s W at line %zu is implausibly low: excluded",
                          gpu_of(rules)->gpu, power, record->line);
  }
  fw_number_format(fw_power_to_watts(bound), 12, limit);
  return fwi_ledger_add(&rules->ledger, &event,
                        "GPU %s: %s W at line %zu is above %s W, the most that is plausible (--max-power): excluded",
                        gpu_of(rules)->gpu, power, record->line, limit);
}

static fw_status note_missing(fwi_rules *rules, const fwi_record *record) {
  char shown[FW_SHOWN_SIZE];
  const fwi_reading *power = &record->power;
  gpu_of(rules)->missing_count++;
  fw_status status = fwi_ledger_missing(&rules->ledger, power->spelling, power->spelling_length, record->line);
  if (status != FW_OK || power->state != FWI_READING_UNKNOWN) return status;
  fw_import_event event = event_of(rules, FW_IMPORT_UNKNOWN_SPELLING, record);
  return fwi_ledger_add(&rules->ledger, &event, "\"%s\" is no power reading that is known: taken as missing",
                        fw_shown(power->spelling, power->spelling_length, shown));
}

static fw_status note_near_zero(fwi_rules *rules, const fwi_record *record) {
  fw_import_event event = event_of(rules, FW_IMPORT_NEAR_ZERO, record);
  char power[FW_NUMBER_TEXT_SIZE];
  return fwi_ledger_add(&rules->ledger, &event,
                        "GPU %s: %s W at line %zu: kept, but a GPU that is on draws more: did the logger write 0 for a "
                        "missing reading?",
                        gpu_of(rules)->gpu, fw_number_format(fw_power_to_watts(record->power.value), 12, power),
                        record->line);
}

/* Decides whether the row's power is a sample. */
static fw_status judge_power(fwi_rules *rules, fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  int64_t limit = record->values[FW_IMPORT_LIMIT];
  if (limit > 0 && limit < FWI_POWER_LIMIT) state->limit = limit;
  if (record->power.state != FWI_READING_VALUE) return record->has_power ? note_missing(rules, record) : FW_OK;
  fw_power_mw bound = bound_of(rules, record, state);
  if (record->power.value > bound) return exclude(rules, record, FW_IMPORT_TOO_HIGH, bound);
  if (is_too_low(state, record->power.value)) return exclude(rules, record, FW_IMPORT_TOO_LOW, bound);
  record->sampled = true;
  return record->power.value < FW_MW_PER_W ? note_near_zero(rules, record) : FW_OK;
}

static fw_status add_sample(fwi_rules *rules, const fwi_record *record) {
  fwi_series_state *state = state_of(rules);
  fw_import_gpu *gpu = gpu_of(rules);
  fw_power_mw power = record->power.value;
  if (state->has_sample && !fwi_intervals_add_sample(&state->intervals, state->sample_time, record->time,
                                                     state->sample_power, power, record->line)) {
    return fw_error_memory(rules->diagnostics, "the intervals of an import");
  }
  if (gpu->sample_count == 0 || record->time < gpu->first) gpu->first = record->time;
  if (gpu->sample_count == 0 || record->time > gpu->last) gpu->last = record->time;
  if (gpu->sample_count == 0 || power < gpu->smallest) gpu->smallest = power;
  if (gpu->sample_count == 0 || power > gpu->largest) gpu->largest = power;
  gpu->sample_count++;
  state->readings += power;
  state->derived = !record->has_power;
  state->has_sample = true;
  state->sample_time = record->time;
  state->sample_power = power;
  if (record->values[FW_IMPORT_AVERAGE] != FW_IMPORT_NO_VALUE) {
    rules->both_average++;
    rules->equal_average += record->values[FW_IMPORT_AVERAGE] == power;
  }
  return FW_OK;
}

/* --- the whole --- */

static fw_status hand_on(fwi_rules *rules, const fwi_record *record) {
  if (rules->sink == NULL) return FW_OK;
  fw_import_row row = {.gpu = gpu_of(rules)->gpu,
                       .total = record->total,
                       .time = record->time + state_of(rules)->shift,
                       .has_power = record->sampled,
                       .power = record->sampled ? record->power.value : 0,
                       .line = record->line};
  if (row.time > FWI_TIME_LIMIT) {
    return fw_error(rules->diagnostics, FW_ERROR_INPUT, place_of(rules, record->line),
                    "the time is more than 73 years from 1970: check its unit");
  }
  memcpy(row.values, record->values, sizeof row.values);
  return rules->sink->row(rules->sink->context, &row, rules->diagnostics);
}

fw_status fwi_rules_accept(fwi_rules *rules, fwi_record *record) {
  record->sampled = false;
  if (!record->has_power) record->power = (fwi_reading){.state = FWI_READING_MISSING};
  bool wanted, drop;
  fw_status status = is_wanted(rules, record, &wanted);
  if (status != FW_OK || !wanted) return status;
  status = find_series(rules, record);
  if (status == FW_OK) status = find_copy(rules, record, &drop);
  if (status != FW_OK || drop) return status;
  status = check_order(rules, record, &drop);
  if (status != FW_OK || drop) return status;
  note_row(rules, record);
  status = use_counter(rules, record);
  if (status == FW_OK) status = judge_power(rules, record);
  if (status == FW_OK && record->sampled) status = add_sample(rules, record);
  return status == FW_OK ? hand_on(rules, record) : status;
}
