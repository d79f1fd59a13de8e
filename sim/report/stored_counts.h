/* How far a stored study is. */
#ifndef FW_REPORT_STORED_COUNTS_H
#define FW_REPORT_STORED_COUNTS_H

#include "sim/study/sweep/stored.h"

static inline size_t fwi_stored_runs(const fw_stored_study *study) {
  size_t runs = 0;
  for (size_t p = 0; p < study->point_count; p++) {
    for (size_t a = 0; a < study->points[p].arm_count; a++) {
      runs += study->points[p].arms[a].runs;
    }
  }
  return runs;
}

static inline size_t fwi_stored_wanted(const fw_stored_study *study) {
  size_t wanted = 0;
  for (size_t p = 0; p < study->point_count; p++) {
    wanted += study->points[p].arm_count * study->points[p].seeds;
  }
  return wanted;
}

#endif
