/* Figures as people read them: as many digits as their interval carries, the same in every locale. */
#ifndef FW_REPORT_FIGURE_H
#define FW_REPORT_FIGURE_H

#include "sim/base/text.h"
#include "sim/study/estimate.h"

#define FWI_FIGURE_SIZE ((size_t)(3 * FW_NUMBER_TEXT_SIZE))

/* `value` with `decimals` (0 to 6) digits after the point. `buffer` holds FW_NUMBER_TEXT_SIZE bytes. Returns the text,
 * which stands somewhere in it. */
const char *fwi_figure_fixed(double value, int decimals, char *buffer);

/* "12.3 ± 0.4", times `scale`: the half-width of the interval with two significant digits, the mean as far as that one
 * goes. The mean with `digits` where there is no interval, or one of no width; "n/a" where there is no value. `buffer`
 * holds FWI_FIGURE_SIZE bytes. Returns it. */
const char *fwi_figure_estimate(fw_estimate value, double scale, int digits, char *buffer);

/* The same for a share, in %. An interval that ends at 0 or at 100 is given by its other end, "0.3 (< 0.8)", so that
 * none seems to reach beyond. */
const char *fwi_figure_rate(fw_estimate share, char *buffer);

#endif
