/* `run --series FILE`: power of one run as a recording, tick by tick, and its events and actuators beside it. */
#ifndef FW_CLI_SERIES_H
#define FW_CLI_SERIES_H

#include "sim/base/file.h"
#include "sim/fleet/sim.h"

/* `power` is FILE, `events` stands beside it: FILE.csv and FILE.events.csv. */
typedef struct fwi_series_writer {
  fw_file_writer power;
  fw_file_writer events;
  fw_sim_observer observer;
} fwi_series_writer;

/* Opens both files and writes their headers (docs/results.md). The writer must stay where it is until it is closed. */
fw_status fwi_series_open(fwi_series_writer *writer, const char *path, const fw_scenario *scenario,
                          fw_diagnostics *diagnostics);

/* Renames the files into place when `status` is FW_OK, else removes them. */
fw_status fwi_series_close(fwi_series_writer *writer, fw_status status, fw_diagnostics *diagnostics);

#endif
