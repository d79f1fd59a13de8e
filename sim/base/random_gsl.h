/* The keyed generator as a gsl_rng_type, for GSL's own distributions and algorithms. */
#ifndef FW_BASE_RANDOM_GSL_H
#define FW_BASE_RANDOM_GSL_H

#include <gsl/gsl_rng.h>

#include "sim/base/random.h"

/* A sequential view of one stream: words 0, 1, 2, ... of its blocks in order. gsl_rng_set(seed) selects
 * the stream (seed, FW_DRAW_TEST, entity 0); use fw_gsl_rng_select for any other. */
const gsl_rng_type *fw_gsl_rng_philox(void);

/* Points `rng` (of the type above) at word 0 of `stream`. */
void fw_gsl_rng_select(gsl_rng *rng, fw_stream stream);

#endif
