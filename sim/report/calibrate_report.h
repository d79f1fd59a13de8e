/* `fleetwatt calibrate`: what was fitted and how well, for people and for machines. */
#ifndef FW_REPORT_CALIBRATE_REPORT_H
#define FW_REPORT_CALIBRATE_REPORT_H

#include "sim/base/text.h"
#include "sim/study/calibrate/calibrate.h"

void fw_report_calibration_text(const fw_calibration *calibration, fw_text *out);
void fw_report_calibration_json(const fw_calibration *calibration, const fw_diagnostics *diagnostics, fw_text *out);

#endif
