/* Martingales in logarithms; mixtures by the log of a sum. */
#include "sim/study/plan/sequential.h"

#include <math.h>
#include <stdbool.h>

#include "sim/base/elementary.h"

/* Variance of the prior on the effect size. */
#define EFFECT_VARIANCE 1.0

/* Stakes and rate ratios of the mixtures. */
#define STAKES 12
#define RATES 4

/* Halvings of an interval's end: to a millionth of a millionth. */
#define HALVINGS 40

typedef struct moments {
  double mean;
  double variance; /* of one value, at least that of rounding */
  double skewness;
  size_t with_event; /* runs */
} moments;

static moments moments_of(const fw_sequence *sequence) {
  const size_t n = sequence->count;
  moments out = {0};
  double squares = 0.0;
  double cubes = 0.0;
  for (size_t i = 0; i < n; i++) {
    out.mean += sequence->values[i] / (double)n;
    out.with_event += sequence->kind == FW_SEQUENCE_PLAIN || sequence->values[i] != 0.0;
  }
  for (size_t i = 0; i < n; i++) {
    const double off = sequence->values[i] - out.mean;
    squares += off * off;
    cubes += off * off * off;
  }
  const double rounding = sequence->quantum * sequence->quantum / 12.0; /* of a uniform number in one step */
  out.variance = n > 1 ? fmax(squares / (double)(n - 1), rounding) : 0.0;
  out.skewness = squares > 0.0 ? sqrt((double)n) * cubes / (squares * sqrt(squares)) : 0.0;
  return out;
}

/* Cochran's rule for means of skewed values ("Sampling Techniques", 3rd ed., 1977, section 2.15). */
#define RUNS_PER_SQUARED_SKEWNESS 25.0

static bool counts_as_normal(const fw_sequence *sequence, const moments *seen) {
  return seen->with_event >= FW_SEQUENCE_LEAST &&
         (double)sequence->count >= RUNS_PER_SQUARED_SKEWNESS * seen->skewness * seen->skewness;
}

/* Half-width of the interval of the t test's Bayes factor: with G = 1 + n g and x = t^2 / (n - 1),
 *
 *   factor = G^(-1/2) ((1 + x) / (1 + x / G))^(n / 2) = 1 / alpha
 *
 * is solved by x = (R - 1) / (1 - R / G), R = (sqrt(G) / alpha)^(2 / n). Infinite where no t reaches it. */
static double normal_half_width(size_t count, double variance, double alpha) {
  const double n = (double)count;
  const double growth = 1.0 + n * EFFECT_VARIANCE;
  const double root = fw_exp(2.0 / n * (0.5 * fw_log(growth) - fw_log(alpha)));
  if (root >= growth) return (double)INFINITY;
  const double x = (root - 1.0) / (1.0 - root / growth);
  return sqrt(x * (n - 1.0) * variance / n);
}

/* log of the sum of exp(logs[i]) x weights[i]. */
static double log_mixture(const double *logs, const double *weights, size_t count) {
  double most = -(double)INFINITY;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, logs[i]);
  }
  if (isinf(most)) return most;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += weights[i] * fw_exp(logs[i] - most);
  }
  return most + fw_log(sum);
}

/* Log wealth of bets on a mean below (`sign` -1) or above (+1) `limit`: product of 1 + sign stake (value - limit). The
 * stakes are the largest that cannot ruin, times 2^-i. Below, the largest gets half the weight, the next a quarter and
 * so on, because few events are what it is for. Above, the largest is left out: a run without an event would ruin it.
 */
static double share_wealth(const fw_sequence *sequence, double limit, int sign, size_t clean) {
  double logs[STAKES];
  double weights[STAKES];
  const double largest = sign < 0 ? 1.0 / (1.0 - limit) : 1.0 / limit;
  double halves = 1.0;
  for (size_t k = 0; k < STAKES; k++) {
    const double stake = largest * (sign < 0 ? halves : 0.5 * halves);
    halves *= 0.5;
    weights[k] = sign < 0 ? (k + 1 < STAKES ? halves : 2.0 * halves) : 1.0 / STAKES;
    logs[k] = (double)clean * fw_log(fmax(1.0 - (double)sign * stake * limit, 0.0));
    for (size_t i = 0; i < sequence->count; i++) {
      logs[k] += fw_log(fmax(1.0 + (double)sign * stake * (sequence->values[i] - limit), 0.0));
    }
  }
  return log_mixture(logs, weights, STAKES);
}

/* Log likelihood ratio of Poisson rates ratio x limit against the limit: events x log(ratio) + (1 - ratio) x expected.
 * Where counts vary more than Poisson's, both are divided by how much more (quasi-likelihood; McCullagh and Nelder,
 * "Generalized Linear Models", ch. 9). */
static double count_wealth(const fw_sequence *sequence, const moments *seen, double limit, int sign, size_t clean) {
  static const double below[RATES] = {0.0, 0.25, 0.5, 0.75};
  static const double below_weight[RATES] = {0.5, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
  static const double above[RATES] = {4.0 / 3.0, 2.0, 4.0, 16.0};
  static const double above_weight[RATES] = {0.25, 0.25, 0.25, 0.25};
  const double n = (double)sequence->count;
  const double dispersion = seen->mean > 0.0 ? fmax(seen->variance * sequence->exposure / seen->mean, 1.0) : 1.0;
  const double events = seen->mean * n * sequence->exposure / dispersion;
  const double expected = limit * (n + (double)clean) * sequence->exposure / dispersion;
  double logs[RATES];
  for (size_t k = 0; k < RATES; k++) {
    const double ratio = sign < 0 ? below[k] : above[k];
    logs[k] = (1.0 - ratio) * expected + (events > 0.0 ? events * fw_log(ratio) : 0.0);
  }
  return log_mixture(logs, sign < 0 ? below_weight : above_weight, RATES);
}

/* Whether the evidence that needs no shape excludes every mean at or beyond `limit`, on the side that `sign` bets
 * against, once `clean` more runs without an event have come. */
static bool would_exclude(const fw_sequence *sequence, const moments *seen, double limit, int sign, double alpha,
                          size_t clean) {
  const double needed = -fw_log(alpha);
  if (sequence->count == 0 || sequence->kind == FW_SEQUENCE_PLAIN || limit < 0.0) return false;
  if (sequence->kind == FW_SEQUENCE_COUNT) {
    return limit > 0.0 ? count_wealth(sequence, seen, limit, sign, clean) >= needed : sign > 0 && seen->mean > 0.0;
  }
  if (limit >= 1.0 || limit <= 0.0) {
    return (sign < 0 && limit > 1.0) || (sign > 0 && limit == 0.0 && seen->mean > 0.0);
  }
  return share_wealth(sequence, limit, sign, clean) >= needed;
}

static bool excludes(const fw_sequence *sequence, const moments *seen, double limit, int sign, double alpha) {
  return would_exclude(sequence, seen, limit, sign, alpha, 0);
}

bool fw_sequence_is_hopeless(const fw_sequence *sequence, double limit, double alpha, size_t most) {
  const moments seen = moments_of(sequence);
  const size_t clean = most > sequence->count ? most - sequence->count : 0;
  const size_t events_to_come = seen.with_event * most / (sequence->count > 0 ? sequence->count : 1);
  return sequence->kind != FW_SEQUENCE_PLAIN && seen.mean < limit && events_to_come < FW_SEQUENCE_LEAST &&
         !would_exclude(sequence, &seen, limit, -1, alpha / 4.0, clean);
}

/* The largest stake, or the rate 0, has half of the weight and alone comes to this. */
double fw_sequence_clean_runs(const fw_sequence *sequence, double limit, double alpha) {
  const double needed = fw_log(2.0 * 4.0 / alpha);
  if (sequence->kind == FW_SEQUENCE_PLAIN) return (double)INFINITY;
  return ceil(sequence->kind == FW_SEQUENCE_SHARE ? needed / -fw_log(1.0 - limit)
                                                  : needed / (limit * sequence->exposure));
}

fw_verdict fw_sequence_judge(const fw_sequence *sequence, double limit, double alpha) {
  const moments seen = moments_of(sequence);
  const bool plain = sequence->kind == FW_SEQUENCE_PLAIN;
  if (counts_as_normal(sequence, &seen)) {
    const double half = normal_half_width(sequence->count, seen.variance, plain ? alpha : alpha / 2.0);
    if (seen.mean + half < limit) return FW_VERDICT_BELOW;
    if (seen.mean - half > limit) return FW_VERDICT_ABOVE;
  }
  if (seen.mean < limit && excludes(sequence, &seen, limit, -1, alpha / 4.0)) return FW_VERDICT_BELOW;
  if (seen.mean > limit && excludes(sequence, &seen, limit, +1, alpha / 4.0)) return FW_VERDICT_ABOVE;
  return FW_VERDICT_OPEN;
}

/* The end of the interval between a mean that is not excluded and one that is. */
static double end_between(const fw_sequence *sequence, const moments *seen, double inside, double outside, int sign,
                          double alpha) {
  for (size_t i = 0; i < HALVINGS; i++) {
    const double middle = inside + 0.5 * (outside - inside);
    if (excludes(sequence, seen, middle, sign, alpha)) {
      outside = middle;
    } else {
      inside = middle;
    }
  }
  return outside;
}

/* A mean that is surely excluded from above, or infinity where there is none. */
static double surely_above(const fw_sequence *sequence, const moments *seen, double alpha) {
  if (sequence->kind == FW_SEQUENCE_SHARE) return 1.0;
  double mean = fmax(seen->mean, 1.0 / ((double)sequence->count * sequence->exposure));
  for (size_t i = 0; i < HALVINGS && !excludes(sequence, seen, mean, -1, alpha); i++) {
    mean *= 2.0;
  }
  return excludes(sequence, seen, mean, -1, alpha) ? mean : (double)INFINITY;
}

fw_estimate fw_sequence_interval(const fw_sequence *sequence, double alpha) {
  const moments seen = moments_of(sequence);
  fw_estimate out = {(double)NAN, -(double)INFINITY, (double)INFINITY};
  if (sequence->count == 0) return (fw_estimate){(double)NAN, (double)NAN, (double)NAN};
  out.mean = seen.mean;
  if (counts_as_normal(sequence, &seen)) {
    const double half =
        normal_half_width(sequence->count, seen.variance, sequence->kind == FW_SEQUENCE_PLAIN ? alpha : alpha / 2.0);
    out.lo = seen.mean - half;
    out.hi = seen.mean + half;
  }
  if (sequence->kind != FW_SEQUENCE_PLAIN) {
    const double top = surely_above(sequence, &seen, alpha / 4.0);
    const double hi = isinf(top) ? top : end_between(sequence, &seen, seen.mean, top, -1, alpha / 4.0);
    const double lo = seen.mean > 0.0 ? end_between(sequence, &seen, seen.mean, 0.0, +1, alpha / 4.0) : 0.0;
    out.hi = fmin(out.hi, hi);
    out.lo = fmax(out.lo, lo);
  }
  return out;
}
