/* Whether a text shows a figure, whatever its digits: for tests that the figure of a known mistake appears nowhere. */
#ifndef FW_TESTS_FIGURES_H
#define FW_TESTS_FIGURES_H

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Any number in `text` within 0.05 % of `figure`: reports show four digits at least. Digits that go on with a name or a
 * stamp (GPU 0, 2024-05-06T10:00:31Z) are numbers too, so ask for figures that no stamp shows. */
static inline bool shows_figure(const char *text, double figure) {
  for (const char *at = text; *at != '\0'; at++) {
    bool starts = isdigit((unsigned char)*at) && (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '.'));
    if (!starts) continue;
    char *end;
    double value = strtod(at, &end);
    if (at > text && at[-1] == '-') value = -value;
    if (fabs(value - figure) <= 5e-4 * fabs(figure)) return true;
    at = end - 1;
  }
  return false;
}

#endif
