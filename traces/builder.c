/* Rows into a trace: one growing series per GPU, found by binary search over the names. */
#include "traces/builder.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "traces/intervals.h"

struct fwi_growth {
  size_t capacity;
  fw_time_ns last_time; /* of the last row, with or without power */
  size_t last_line;
  fwi_intervals intervals; /* between all rows */
};

fw_status fwi_builder_begin(fwi_builder *builder, fw_trace *trace, const char *file, fw_series_kind kind,
                            bool with_occupancy, fw_diagnostics *diagnostics) {
  *builder = (fwi_builder){.trace = trace, .with_occupancy = with_occupancy};
  *trace = (fw_trace){.file = fw_copy_text(file), .kind = kind};
  return trace->file == NULL ? fw_error_memory(diagnostics, "the name of a trace") : FW_OK;
}

void fwi_builder_clear(fwi_builder *builder) {
  for (size_t i = 0; builder->growth != NULL && i < builder->trace->series_count; i++) {
    fwi_intervals_clear(&builder->growth[i].intervals);
  }
  free(builder->growth);
  free(builder->by_name);
  *builder = (fwi_builder){0};
}

/* As strcmp, of a row's GPU with a series' name. */
static int compare_gpu(const fwi_row *row, const char *name) {
  size_t length = strlen(name);
  int order = memcmp(row->gpu, name, row->gpu_length < length ? row->gpu_length : length);
  if (order != 0) return order;
  return (row->gpu_length > length) - (row->gpu_length < length);
}

/* The position in `by_name` of the first series whose name is not before the row's GPU. */
static size_t position_of(const fwi_builder *builder, const fwi_row *row) {
  size_t low = 0, high = builder->trace->series_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_gpu(row, builder->trace->series[builder->by_name[middle]].gpu) > 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static fw_place place_of(const fwi_builder *builder, const fwi_row *row, size_t column) {
  return (fw_place){builder->trace->file, row->line, column, NULL};
}

static fw_status insert_series(fwi_builder *builder, const fwi_row *row, size_t position, fw_diagnostics *diagnostics) {
  fw_trace *trace = builder->trace;
  size_t count = trace->series_count;
  if (count == FWI_GPU_LIMIT) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place_of(builder, row, 0),
                    "more than %zu different GPUs: is the gpu column an identity?", FWI_GPU_LIMIT);
  }
  char *name = fw_copy_bytes(row->gpu, row->gpu_length);
  if (name == NULL || !fw_grow(&trace->series, &builder->series_capacity, count + 1, sizeof *trace->series) ||
      !fw_grow(&builder->growth, &builder->growth_capacity, count + 1, sizeof *builder->growth) ||
      !fw_grow(&builder->by_name, &builder->by_name_capacity, count + 1, sizeof *builder->by_name)) {
    free(name);
    return fw_error_memory(diagnostics, "the series of a trace");
  }
  memmove(builder->by_name + position + 1, builder->by_name + position, (count - position) * sizeof *builder->by_name);
  builder->by_name[position] = count;
  trace->series[count] = (fw_series){.gpu = name};
  builder->growth[count] = (fwi_growth){0};
  trace->series_count = count + 1;
  return FW_OK;
}

static bool is_series_of(const fwi_builder *builder, size_t index, const fwi_row *row) {
  return index < builder->trace->series_count && compare_gpu(row, builder->trace->series[index].gpu) == 0;
}

/* Logs mostly repeat a GPU or list the GPUs in turn, so the same and the next series are tried before the search. */
static fw_status find_series(fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics) {
  size_t guesses[] = {builder->latest, builder->latest + 1, 0};
  for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
    if (!is_series_of(builder, guesses[i], row)) continue;
    builder->latest = guesses[i];
    return FW_OK;
  }
  size_t position = position_of(builder, row);
  if (position == builder->trace->series_count || !is_series_of(builder, builder->by_name[position], row)) {
    fw_status status = insert_series(builder, row, position, diagnostics);
    if (status != FW_OK) return status;
  }
  builder->latest = builder->by_name[position];
  return FW_OK;
}

static fw_status check_range(const fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics) {
  fw_place time_place = place_of(builder, row, row->time_column);
  fw_place power_place = place_of(builder, row, row->power_column);
  if (row->time < -FWI_TIME_LIMIT || row->time > FWI_TIME_LIMIT) {
    return fw_error(diagnostics, FW_ERROR_INPUT, time_place,
                    "the time is more than 73 years from 0: check its unit (t_s, t_ms or t_ns)");
  }
  if (row->has_power && row->power < 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, power_place,
                    "negative power: a reading that failed is an empty cell, not a number");
  }
  if (row->has_power && row->power > FWI_POWER_LIMIT) {
    return fw_error(diagnostics, FW_ERROR_INPUT, power_place,
                    "power above 10 MW for one GPU: check its unit (power_w, power_mw or power_kw)");
  }
  return FW_OK;
}

static fw_status check_order(const fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics) {
  const fwi_growth *growth = &builder->growth[builder->latest];
  if (growth->last_line == 0 || row->time > growth->last_time) return FW_OK;
  char before[FW_UNITS_TEXT_SIZE], now[FW_UNITS_TEXT_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, place_of(builder, row, row->time_column),
                  "GPU %s: time %s s %s line %zu (%s s): sort the file by time and keep one row per GPU and instant",
                  builder->trace->series[builder->latest].gpu, fw_time_format(row->time, now),
                  row->time == growth->last_time ? "repeats that of" : "goes back behind", growth->last_line,
                  fw_time_format(growth->last_time, before));
}

/* Grows one column of a series whose columns share a capacity. */
static bool grow_column(void *column, size_t *capacity, size_t shared, size_t needed, size_t size) {
  *capacity = shared;
  return fw_grow(column, capacity, needed, size);
}

static bool grow_series(fwi_builder *builder, fw_series *series) {
  fwi_growth *growth = &builder->growth[builder->latest];
  size_t needed = series->count + 1, capacity = growth->capacity;
  if (needed <= capacity) return true;
  bool grown = grow_column(&series->time, &capacity, growth->capacity, needed, sizeof *series->time) &&
               grow_column(&series->power, &capacity, growth->capacity, needed, sizeof *series->power) &&
               grow_column(&series->line, &capacity, growth->capacity, needed, sizeof *series->line);
  if (grown && builder->with_occupancy) {
    grown = grow_column(&series->occupancy, &capacity, growth->capacity, needed, sizeof *series->occupancy);
  }
  if (grown) growth->capacity = capacity;
  return grown;
}

static fw_status append_sample(fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics) {
  fw_series *series = &builder->trace->series[builder->latest];
  if (!grow_series(builder, series)) return fw_error_memory(diagnostics, "the samples of a trace");
  series->time[series->count] = row->time;
  series->power[series->count] = row->power;
  series->line[series->count] = row->line;
  if (builder->with_occupancy) series->occupancy[series->count] = row->occupancy;
  series->count++;
  return FW_OK;
}

static fw_status note_row(fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics) {
  fwi_growth *growth = &builder->growth[builder->latest];
  if (growth->last_line > 0 && !fwi_intervals_add_row(&growth->intervals, row->time - growth->last_time)) {
    return fw_error_memory(diagnostics, "the intervals of a trace");
  }
  growth->last_time = row->time;
  growth->last_line = row->line;
  builder->trace->row_count++;
  if (!row->has_power) builder->trace->missing_count++;
  return FW_OK;
}

fw_status fwi_builder_add(fwi_builder *builder, const fwi_row *row, fw_diagnostics *diagnostics) {
  fw_status status = check_range(builder, row, diagnostics);
  if (status == FW_OK) status = find_series(builder, row, diagnostics);
  if (status == FW_OK) status = check_order(builder, row, diagnostics);
  if (status == FW_OK && row->has_power) status = append_sample(builder, row, diagnostics);
  return status == FW_OK ? note_row(builder, row, diagnostics) : status;
}

void fwi_builder_end(const fwi_builder *builder) {
  for (size_t i = 0; builder->growth != NULL && i < builder->trace->series_count; i++) {
    const fwi_intervals *intervals = &builder->growth[i].intervals;
    builder->trace->series[i].interval = fwi_intervals_quantile(intervals, 50);
    builder->trace->series[i].longest_held = fwi_intervals_longest_held(intervals);
  }
}

fw_status fwi_builder_check(const fwi_builder *builder, fw_diagnostics *diagnostics) {
  const fw_trace *trace = builder->trace;
  fw_place place = {trace->file, 0, 0, NULL};
  if (trace->row_count == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place, "a header but no rows: nothing was recorded");
  }
  if (trace->missing_count == trace->row_count) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place, "no row has a power reading: every power cell is empty");
  }
  if (trace->missing_count > 0) {
    fw_warning(diagnostics, place, "%zu of %zu rows have no power reading: they are left out, not taken as 0 W",
               trace->missing_count, trace->row_count);
  }
  for (size_t i = 0; i < trace->series_count; i++) {
    if (trace->series[i].count > 0) continue;
    fw_warning(diagnostics, place, "GPU %s has no power reading at all, so the total over all GPUs is unknown",
               trace->series[i].gpu);
  }
  return FW_OK;
}
