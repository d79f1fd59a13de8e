/* One row for each tick and one for each event; empty cells where a column does not apply. */
#include "sim/cli/series.h"

static void write_power(FILE *stream, fw_power_mw power) {
  /* Milliwatts as watts with three decimals, exact and without locale. */
  (void)fprintf(stream, ",%lld.%03lld", (long long)(power / FW_MW_PER_W), (long long)(power % FW_MW_PER_W));
}

static void on_tick(void *context, const fw_sim_tick *tick) {
  fwi_series_writer *writer = context;
  FILE *stream = writer->file.stream;
  char time[FW_UNITS_TEXT_SIZE];
  (void)fprintf(stream, "%s,tick", fw_time_format(tick->end, time));
  write_power(stream, tick->truth);
  write_power(stream, tick->reading);
  write_power(stream, tick->budget);
  for (size_t j = 0; j < tick->job_count; j++) {
    write_power(stream, tick->job_truth[j]);
  }
  (void)fprintf(stream, ",,,\n");
}

static void on_event(void *context, const fw_sim_event *event) {
  static const char *const names[] = {"batch_end", "step_end", "actuator", "job_end"};
  fwi_series_writer *writer = context;
  char time[FW_UNITS_TEXT_SIZE];
  char value[FW_NUMBER_TEXT_SIZE];
  (void)fprintf(writer->file.stream, "%s,%s,,,", fw_time_format(event->time, time), names[event->kind]);
  for (size_t j = 0; j < writer->scenario->job_count; j++) {
    (void)fprintf(writer->file.stream, ",");
  }
  (void)fprintf(writer->file.stream, ",%u,%s,%s\n", event->job,
                event->kind == FW_SIM_ACTUATOR ? fw_actuator_names[event->actuator] : "tokens",
                fw_number_format(event->value, 15, value));
}

fw_status fwi_series_open(fwi_series_writer *writer, const char *path, const fw_scenario *scenario,
                          fw_diagnostics *diagnostics) {
  const fw_status status = fw_file_writer_open(&writer->file, path, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  writer->scenario = scenario;
  writer->observer = (fw_sim_observer){writer, on_tick, on_event};
  (void)fprintf(writer->file.stream, "# kind: mean_to\nt_s,row,power_w,reading_w,budget_w");
  for (size_t j = 0; j < scenario->job_count; j++) {
    (void)fprintf(writer->file.stream, ",%s_%zu_w", scenario->jobs[j].job_class, scenario->jobs[j].member);
  }
  (void)fprintf(writer->file.stream, ",job,what,value\n");
  return FW_OK;
}

fw_status fwi_series_close(fwi_series_writer *writer, fw_status status, fw_diagnostics *diagnostics) {
  if (status == FW_OK) {
    return fw_file_writer_commit(&writer->file, diagnostics);
  }
  fw_file_writer_abandon(&writer->file);
  return status;
}
