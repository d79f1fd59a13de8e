/* Laws of random times: between arrivals, or of a job's length. */
#ifndef FW_MODELS_TIME_LAW_H
#define FW_MODELS_TIME_LAW_H

#include "sim/base/random.h"
#include "sim/base/record.h"

typedef enum fw_time_law_kind {
  FW_TIME_CONSTANT,
  FW_TIME_EXPONENTIAL,      /* as a Poisson process */
  FW_TIME_GAMMA,            /* more regular than it (cv < 1) or more bursty (cv > 1) */
  FW_TIME_HYPEREXPONENTIAL, /* two exponentials with balanced means; cv >= 1 */
  FW_TIME_LOGNORMAL,
  FW_TIME_NORMAL /* what would be below 0 is 0, and is counted */
} fw_time_law_kind;

typedef struct fw_time_law {
  fw_time_law_kind kind;
  fw_time_ns mean; /* of the normal law: before it is cut */
  double cv;       /* coefficient of variation; 0 and 1 where the kind says it */
} fw_time_law;

/* The kinds as variants for scenario files, in the order of fw_time_law_kind; the value of each is an fw_time_law whose
 * kind is not set yet. */
extern const fw_variant_case fw_time_law_cases[];

/* The law that a variant holds. */
fw_time_law fw_time_law_of(const fw_variant *variant);

/* Draw `index` of the stream. Sub-counters from `sub` to `sub` + 2^16 are its own. `cut` (may be NULL) is set where the
 * draw was below 0 and was made 0. A time beyond all times is FW_TIME_MAX. */
fw_time_ns fw_time_law_draw(const fw_time_law *law, fw_stream stream, uint64_t index, uint32_t sub, bool *cut);

#endif
