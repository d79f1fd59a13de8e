/* Searching the settings of a policy: the highest mean of one figure among those settings that keep the mean of
 * another at or below a limit.
 *
 * Any number, time or power of any policy's settings can be searched, those in its lists too, and what a search may
 * cost is a number of runs, so rules of different kinds can be tuned with the same budget of simulated time. Searches
 * use seeds of their own: figures of the settings found are to be taken on others. */
#ifndef FW_STUDY_SEARCH_H
#define FW_STUDY_SEARCH_H

#include "sim/study/samples.h"

#define FW_SEARCH_DIMENSIONS ((size_t)8)

typedef struct fw_search_dimension {
  const char *setting; /* key in the policy's table, without its unit: "dwell", or "steps[1].setting" in a list */
  const char *under;   /* NULL, or an earlier dimension's setting: the value is so much below that one */
  double from;         /* in the setting's own unit, W or s */
  double to;
  const double *choices; /* or one of these instead, all alike */
  size_t choice_count;
} fw_search_dimension;

typedef struct fw_search_spec {
  size_t policy; /* index into the scenario: the arm whose job policy is searched; other settings stay as they are */
  const fw_search_dimension *dimensions;
  size_t dimension_count; /* 1 to FW_SEARCH_DIMENSIONS */
  size_t objective;       /* slot of samples.h whose mean is to be high */
  size_t limited;         /* slot whose mean may be at most `limit` */
  double limit;
  uint64_t first_seed;
  size_t rounds;
  size_t points; /* tried in each round */
  size_t seeds;  /* of each point; each round takes new ones */
  size_t finalists;
  size_t final_seeds; /* of each finalist */
} fw_search_spec;

typedef struct fw_search_result {
  void *settings; /* for the policy's `create`; one block, which shares texts with the scenario's. Free with free(). */
  double values[FW_SEARCH_DIMENSIONS]; /* of the settings searched, in the order of the dimensions */
  fw_estimate objective;               /* on the seeds of the final */
  fw_estimate limited;
  size_t runs; /* what the search cost */
} fw_search_result;

/* Settings that the policy refuses end the search with its message. The result depends on nothing but scenario and
 * spec. */
fw_status fw_search(const fw_scenario *scenario, const fw_search_spec *spec, const fw_study_options *options,
                    fw_search_result *out, fw_diagnostics *diagnostics);

#endif
