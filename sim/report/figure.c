/* Digits after the convention of the Particle Data Group (Review of Particle Physics, introduction, "Rounding"), but
 * with two digits of the error throughout: that is enough to compare two arms, and simpler. */
#include "sim/report/figure.h"

#include <math.h>
#include <stdio.h>

#define MOST_DECIMALS 6
#define PLUS_MINUS " \302\261 "

static const double powers_of_ten[MOST_DECIMALS + 1] = {1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/* From the last digit to the first; the point stands before `decimals` of them and behind at least one. */
const char *fwi_figure_fixed(double value, int decimals, char *buffer) {
  const double scaled = nearbyint(value * powers_of_ten[decimals]);
  if (!(fabs(scaled) < 1e15)) {
    return fw_number_format(value, 15, buffer);
  }
  char *at = buffer + FW_NUMBER_TEXT_SIZE - 1;
  *at = '\0';
  int64_t rest = (int64_t)fabs(scaled);
  for (int written = 0; rest > 0 || written <= decimals; written++, rest /= 10) {
    if (written == decimals && decimals > 0) {
      *--at = '.';
    }
    *--at = (char)('0' + rest % 10);
  }
  if (scaled < 0.0) {
    *--at = '-';
  }
  return at;
}

/* What would be printed as 0, rounding dust in particular. */
static bool is_nothing(double spread) {
  return !(spread * powers_of_ten[MOST_DECIMALS] >= 0.5);
}

/* Decimals that show `spread` with two significant digits: 9.95 is printed as 10, 0.995 as 1.0. */
static int decimals_of(double spread) {
  int decimals = 0;
  while (decimals < MOST_DECIMALS && spread * powers_of_ten[decimals] < 9.95) {
    decimals++;
  }
  return decimals;
}

const char *fwi_figure_estimate(fw_estimate value, double scale, int digits, char *buffer) {
  char number[FW_NUMBER_TEXT_SIZE];
  char half[FW_NUMBER_TEXT_SIZE];
  const double mean = value.mean * scale;
  const double spread = (value.hi - value.mean) * scale;
  if (isnan(mean)) {
    (void)snprintf(buffer, FWI_FIGURE_SIZE, "n/a");
  } else if (isnan(spread)) {
    (void)snprintf(buffer, FWI_FIGURE_SIZE, "%s", fw_number_format(mean, digits, number));
  } else if (is_nothing(spread)) {
    (void)snprintf(buffer, FWI_FIGURE_SIZE, "%s" PLUS_MINUS "0", fw_number_format(mean, digits, number));
  } else {
    const int decimals = decimals_of(spread);
    (void)snprintf(buffer, FWI_FIGURE_SIZE, "%s" PLUS_MINUS "%s", fwi_figure_fixed(mean, decimals, number),
                   fwi_figure_fixed(spread, decimals, half));
  }
  return buffer;
}

const char *fwi_figure_rate(fw_estimate share, char *buffer) {
  char number[FW_NUMBER_TEXT_SIZE];
  char end[FW_NUMBER_TEXT_SIZE];
  const double wider = fmax(share.hi - share.mean, share.mean - share.lo);
  const bool to_zero = share.lo <= 0.0;
  const bool to_all = share.hi >= 1.0;
  if (isnan(wider) || is_nothing(100.0 * wider) || !(to_zero || to_all)) {
    return fwi_figure_estimate((fw_estimate){share.mean, share.lo, share.mean + wider}, 100.0, 3, buffer);
  }
  const int decimals = decimals_of(100.0 * wider);
  const bool exact = share.mean == 0.0 || share.mean == 1.0;
  (void)snprintf(buffer, FWI_FIGURE_SIZE, "%s (%c %s)",
                 fwi_figure_fixed(100.0 * share.mean, exact ? 0 : decimals, number), to_zero ? '<' : '>',
                 fwi_figure_fixed(100.0 * (to_zero ? share.hi : share.lo), decimals, end));
  return buffer;
}
