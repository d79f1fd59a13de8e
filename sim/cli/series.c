/* Two files, so that the power of a run is a recording like any other: `fleetwatt windows` and replay jobs read it. */
#include "sim/cli/series.h"

#include <stdlib.h>
#include <string.h>

/* Milliwatts as watts with three decimals, exact and without locale. */
static void write_power(FILE *stream, fw_power_mw power) {
  (void)fprintf(stream, ",%lld.%03lld", (long long)(power / FW_MW_PER_W), (long long)(power % FW_MW_PER_W));
}

static void on_tick(void *context, const fw_sim_tick *tick) {
  fwi_series_writer *writer = context;
  FILE *stream = writer->power.stream;
  char time[FW_UNITS_TEXT_SIZE];
  (void)fprintf(stream, "%s", fw_time_format(tick->end, time));
  write_power(stream, tick->truth);
  write_power(stream, tick->reading);
  write_power(stream, tick->budget);
  for (size_t j = 0; j < tick->job_count; j++) {
    write_power(stream, tick->job_truth[j]);
  }
  (void)fprintf(stream, "\n");
}

static void on_event(void *context, const fw_sim_event *event) {
  fwi_series_writer *writer = context;
  char time[FW_UNITS_TEXT_SIZE];
  char value[FW_NUMBER_TEXT_SIZE];
  (void)fprintf(writer->events.stream, "%s,%u,%s,%s,%s\n", fw_time_format(event->time, time), event->job,
                fw_sim_event_names[event->kind],
                event->kind == FW_SIM_ACTUATOR ? fw_actuator_names[event->actuator] : "tokens",
                fw_number_format(event->value, 15, value));
}

/* "out.csv" -> "out.events.csv"; a name that does not end in .csv gets it all added. Caller frees. */
static char *events_path(const char *path) {
  const size_t length = strlen(path);
  const size_t stem = length > 4 && strcmp(path + length - 4, ".csv") == 0 ? length - 4 : length;
  fw_text text = FW_TEXT_INIT;
  fw_text_add_bytes(&text, path, stem);
  fw_text_add(&text, ".events.csv");
  if (text.failed) {
    fw_text_clear(&text);
  }
  return text.data;
}

static void write_headers(fwi_series_writer *writer, const fw_scenario *scenario) {
  (void)fprintf(writer->power.stream, "# kind: mean_to\nt_s,power_w,reading_w,budget_w");
  for (size_t j = 0; j < scenario->job_count; j++) {
    (void)fprintf(writer->power.stream, ",%s_%zu_w", scenario->jobs[j].job_class, scenario->jobs[j].member);
  }
  (void)fprintf(writer->power.stream, "\n");
  (void)fprintf(writer->events.stream, "t_s,job,event,what,value\n");
}

fw_status fwi_series_open(fwi_series_writer *writer, const char *path, const fw_scenario *scenario,
                          fw_diagnostics *diagnostics) {
  char *beside = events_path(path);
  if (beside == NULL) {
    return fw_error_memory(diagnostics, "the name of the events file");
  }
  fw_status status = fw_file_writer_open(&writer->power, path, diagnostics);
  if (status == FW_OK) {
    status = fw_file_writer_open(&writer->events, beside, diagnostics);
    if (status != FW_OK) {
      fw_file_writer_abandon(&writer->power);
    }
  }
  free(beside);
  if (status == FW_OK) {
    writer->observer = (fw_sim_observer){writer, on_tick, on_event};
    write_headers(writer, scenario);
  }
  return status;
}

fw_status fwi_series_close(fwi_series_writer *writer, fw_status status, fw_diagnostics *diagnostics) {
  if (status == FW_OK) {
    status = fw_file_writer_commit(&writer->power, diagnostics);
  } else {
    fw_file_writer_abandon(&writer->power);
  }
  if (status == FW_OK) {
    return fw_file_writer_commit(&writer->events, diagnostics);
  }
  fw_file_writer_abandon(&writer->events);
  return status;
}
