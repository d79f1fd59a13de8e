/* Fronts of tokens by violation rate. */
#include "sim/study/front.h"

#include <stdlib.h>

bool fw_front_dominates(fw_front_point one, fw_front_point other) {
  const bool as_good = one.tokens >= other.tokens && one.rate <= other.rate;
  return as_good && (one.tokens > other.tokens || one.rate < other.rate);
}

static int by_rate(const void *a, const void *b) {
  const fw_front_point *x = a;
  const fw_front_point *y = b;
  if (x->rate != y->rate) {
    return x->rate > y->rate ? 1 : -1;
  }
  return (x->tokens < y->tokens) - (x->tokens > y->tokens);
}

size_t fw_front_make(fw_front_point *points, size_t count) {
  size_t kept = 0;
  qsort(points, count, sizeof *points, by_rate);
  for (size_t i = 0; i < count; i++) {
    if (kept == 0 || points[i].tokens > points[kept - 1].tokens) {
      points[kept++] = points[i];
    }
  }
  return kept;
}

double fw_front_at(const fw_front_point *front, size_t count, double rate) {
  size_t above = 0;
  while (above < count && front[above].rate < rate) {
    above++;
  }
  if (above == 0 || above == count) {
    return front[above == 0 ? 0 : count - 1].tokens;
  }
  const fw_front_point *low = &front[above - 1];
  const double share = (rate - low->rate) / (front[above].rate - low->rate);
  return low->tokens + share * (front[above].tokens - low->tokens);
}
