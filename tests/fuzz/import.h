/* Any bytes as a log of one format. What is accepted must hold together: there are samples, every row is accounted for,
 * stamps increase, energies lie between the smallest and the largest power. */
#ifndef FW_TESTS_FUZZ_IMPORT_H
#define FW_TESTS_FUZZ_IMPORT_H

#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "traces/import.h"

static inline void require(bool condition) {
  if (!condition) abort();
}

static inline void check_gpu(const fw_import_gpu *gpu) {
  require(gpu->sample_count + gpu->missing_count + gpu->excluded_count <= gpu->row_count);
  require(gpu->covered >= 0 && gpu->gap_time >= 0);
  if (gpu->sample_count == 0) return;
  require(gpu->smallest >= 0 && gpu->smallest <= gpu->largest);
  if (gpu->counter_count > 0) return; /* where power comes from the counter, energy is not made of the samples */
  require(gpu->hold_last >= fw_energy_of(gpu->smallest, gpu->covered));
  require(gpu->hold_last <= fw_energy_of(gpu->largest, gpu->covered));
  require(gpu->trapezoid >= fw_energy_of(gpu->smallest, gpu->covered));
  require(gpu->trapezoid <= fw_energy_of(gpu->largest, gpu->covered));
  require(gpu->bridged >= gpu->hold_last);
}

static inline void check_import(const fw_import_report *report, const fw_trace *trace) {
  size_t samples = 0, in_trace = 0;
  require(report->sample_count > 0);
  for (size_t i = 0; i < report->gpu_count; i++) {
    check_gpu(&report->gpus[i]);
    samples += report->gpus[i].total ? 0 : report->gpus[i].sample_count;
  }
  for (size_t s = 0; s < trace->series_count; s++) {
    const fw_series *series = &trace->series[s];
    in_trace += series->count;
    for (size_t i = 1; i < series->count; i++)
      require(series->time[i] > series->time[i - 1]);
  }
  require(in_trace == samples);
}

static inline int fuzz_import(const uint8_t *data, size_t size, const fw_import_options *options) {
  fw_trace trace;
  fw_import_report report;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const uint8_t nothing = 0;
  const fw_import_input input = {"input", size > 0 ? data : &nothing, size};
  fw_status status = fw_import_trace(&input, 1, options, &trace, &report, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) check_import(&report, &trace);
  fw_trace_clear(&trace);
  fw_import_report_clear(&report);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}

#endif
