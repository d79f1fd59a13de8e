/* `run --series FILE`: power, events and actuators of one run as CSV, written while it runs. */
#ifndef FW_CLI_SERIES_H
#define FW_CLI_SERIES_H

#include "sim/base/file.h"
#include "sim/fleet/sim.h"

typedef struct fwi_series_writer {
  fw_file_writer file;
  const fw_scenario *scenario;
  fw_sim_observer observer;
} fwi_series_writer;

/* Opens the file and writes its header (docs/results.md). The writer must stay where it is until it is closed. */
fw_status fwi_series_open(fwi_series_writer *writer, const char *path, const fw_scenario *scenario,
                          fw_diagnostics *diagnostics);

/* Renames the file into place when `status` is FW_OK, else removes it. */
fw_status fwi_series_close(fwi_series_writer *writer, fw_status status, fw_diagnostics *diagnostics);

#endif
