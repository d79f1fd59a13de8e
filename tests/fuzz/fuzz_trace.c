/* Any bytes as a recording. What is accepted must also hold together: stamps increase, pieces do not overlap, and the
 * energy of the total is finite and not negative. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "traces/trace.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_series(const fw_series *series) {
  for (size_t i = 0; i < series->count; i++) {
    require(series->power[i] >= 0);
    require(i == 0 || series->time[i] > series->time[i - 1]);
  }
}

static void check_pieces(const fw_pieces *pieces) {
  fw_energy_pj sum = 0;
  for (size_t i = 0; i < pieces->count; i++) {
    const fw_piece *piece = &pieces->data[i];
    require(piece->power >= 0 && piece->from < piece->to);
    require(i == 0 || piece->from >= pieces->data[i - 1].to);
    sum += fw_energy_of(piece->power, piece->to - piece->from);
  }
  fw_time_ns covered;
  require(fw_pieces_energy(pieces, -FW_TIME_MAX, FW_TIME_MAX, &covered) == sum);
}

static void check_trace(fw_trace *trace, fw_diagnostics *diagnostics) {
  size_t samples = 0;
  for (size_t s = 0; s < trace->series_count; s++) {
    check_series(&trace->series[s]);
    samples += trace->series[s].count;
  }
  require(samples == trace->row_count - trace->missing_count);
  for (int kind = FW_SERIES_INSTANT; kind <= FW_SERIES_MEAN_TO; kind++) {
    fw_pieces total;
    trace->kind = (fw_series_kind)kind;
    require(fw_trace_total(trace, &total, diagnostics) == FW_OK);
    check_pieces(&total);
    fw_pieces_clear(&total);
  }
  fw_trace_report_gaps(trace, diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_trace trace;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_status status = fw_trace_parse((const char *)data, size, "input", FW_SERIES_INSTANT, &trace, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) check_trace(&trace, &diagnostics);
  fw_trace_clear(&trace);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}
