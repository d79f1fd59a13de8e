/* What independent runs say about a mean, however long one looks: intervals and verdicts that stay right when the
 * decision to go on depends on what was seen.
 *
 * Two kinds of evidence share the chance of error equally, so which one speaks may be chosen by looking at the data:
 *
 *  - Where at least FW_SEQUENCE_LEAST runs saw an event, and there are as many runs as Cochran's rule asks for their
 *    skewness, runs count as normal with unknown mean and deviation. The evidence against a mean is the Bayes factor of
 * the t test with a normal prior of variance 1 on the effect size and the right Haar prior on the deviation. Under that
 * mean it is a martingale of the scale-invariant data (Lai 1976; Hendriksen, de Heide, Gruenwald 2021; Wang and Ramdas
 * 2024), so by Ville's inequality (1939) it ever reaches 1/alpha with chance at most alpha.
 *  - Always, without any assumption on shapes: for shares, the wealth of bets against the mean (Waudby-Smith and
 * Ramdas, "Estimating means of bounded random variables by betting", JRSS B 2024), mixed over a fixed grid of stakes;
 * for counts, the likelihood ratio of Poisson rates, mixed the same way, with the variance of what was counted where it
 *    exceeds the mean. Both are supermartingales under every mean on the other side of the limit. Without any event in
 * n runs the first is worth (1 - limit)^-n / 2, which is the one-sided bound of n clean runs, less a factor of 2 for
 *    having looked at everything else too.
 *
 * docs/planning.md derives both. Values are summed in the order of the runs, so results do not depend on threads. */
#ifndef FW_STUDY_SEQUENTIAL_H
#define FW_STUDY_SEQUENTIAL_H

#include <stdbool.h>

#include "sim/study/estimate.h"

#define FW_SEQUENCE_LEAST ((size_t)8) /* runs with an event, before they count as normal */

typedef enum fw_sequence_kind {
  FW_SEQUENCE_SHARE, /* values in [0, 1]; 0: no event */
  FW_SEQUENCE_COUNT, /* events per unit of exposure; 0: no event */
  FW_SEQUENCE_PLAIN  /* any number; runs count as normal */
} fw_sequence_kind;

typedef struct fw_sequence {
  fw_sequence_kind kind;
  double quantum;  /* steps of the values: a deviation below that of rounding to them counts as that one */
  double exposure; /* COUNT: of one run; value x exposure is a whole number of events */
  const double *values;
  size_t count;
} fw_sequence;

typedef enum fw_verdict {
  FW_VERDICT_OPEN,
  FW_VERDICT_BELOW, /* the mean is below the limit */
  FW_VERDICT_ABOVE  /* the mean is above it */
} fw_verdict;

/* Over all numbers of runs together, either wrong verdict comes with chance at most `alpha`. */
fw_verdict fw_sequence_judge(const fw_sequence *sequence, double limit, double alpha);

/* Whether `most` runs would leave it open even if all that are to come saw nothing, and too few events are to be
 * expected for runs to count as normal. */
bool fw_sequence_is_hopeless(const fw_sequence *sequence, double limit, double alpha, size_t most);

/* Runs without any event that surely give the verdict "below": what a limit takes where events are rare. Infinite where
 * no number does. */
double fw_sequence_clean_runs(const fw_sequence *sequence, double limit, double alpha);

/* The means that the same evidence does not exclude, with the plain mean. NaN ends: nothing is excluded on that side.
 */
fw_estimate fw_sequence_interval(const fw_sequence *sequence, double alpha);

#endif
