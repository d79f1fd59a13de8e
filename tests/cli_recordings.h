/* Recordings beside the small scenario, for the commands that fit models to them. */
#ifndef FW_TESTS_CLI_RECORDINGS_H
#define FW_TESTS_CLI_RECORDINGS_H

#include "tests/cli_fixture.h"
#include "tests/recording_fixture.h"

/* One engine's recordings, and that of another which draws 60 W more while it generates. */
static inline void make_recordings(void) {
  made_engine other = usual_engine;
  char path[PATH_SIZE];
  other.p1_w += 60.0;
  make_folder();
  for (uint32_t run = 0; run < 3; run++) {
    char name[16];
    (void)snprintf(name, sizeof name, "run%u.csv", run);
    in_folder(name, path);
    make_recording(&usual_engine, run, 400, path);
  }
  in_folder("other.csv", path);
  make_recording(&other, 4, 400, path);
  write_file("table.csv", "concurrency,power_w\n1,200\n2,220\n4,240\n");
}

#endif
