/* Whether a simulated figure is inside its tolerance.
 *
 * The study repeated its live arms three times. The mean of three runs is known to t(2) s / sqrt(3) with 95 %
 * confidence (Student, Biometrika 6, 1908); s is the simulator's, because the study's own is not published. */
#include <math.h>

#include "sim/base/elementary.h"
#include "sim/study/reproduce/ledger.h"

#define STUDY_RUNS 3.0
#define CONFIDENCE 0.95

static double three_runs(double deviation) {
  return fw_student_quantile(0.5 + CONFIDENCE / 2.0, STUDY_RUNS - 1.0) * deviation / sqrt(STUDY_RUNS);
}

double fw_tolerance_width(const fw_tolerance *tolerance, double published, double deviation) {
  switch ((fw_tolerance_kind)tolerance->kind) {
  case FW_TOLERANCE_RELATIVE:
    return tolerance->value * fabs(published);
  case FW_TOLERANCE_THREE_RUNS:
    return fmax(tolerance->value, three_runs(deviation));
  case FW_TOLERANCE_ABSOLUTE:
  case FW_TOLERANCE_FACTOR:
  case FW_TOLERANCE_AT_MOST:
  case FW_TOLERANCE_AT_LEAST:
    break;
  }
  return tolerance->value;
}

bool fw_tolerance_holds(const fw_tolerance *tolerance, double published, double deviation, double simulated) {
  const double width = fw_tolerance_width(tolerance, published, deviation);
  switch ((fw_tolerance_kind)tolerance->kind) {
  case FW_TOLERANCE_FACTOR:
    return simulated >= published / width && simulated <= published * width;
  case FW_TOLERANCE_AT_MOST:
    return simulated <= width;
  case FW_TOLERANCE_AT_LEAST:
    return simulated >= width;
  case FW_TOLERANCE_ABSOLUTE:
  case FW_TOLERANCE_RELATIVE:
  case FW_TOLERANCE_THREE_RUNS:
    break;
  }
  return fabs(simulated - published) <= width;
}
