/* What befalls a fleet: the "events" of a scenario, in the form that a run uses. */
#ifndef FW_SCENARIO_ADVERSITY_H
#define FW_SCENARIO_ADVERSITY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/units.h"

typedef enum fw_adversity_kind {
  FW_ADVERSITY_RESTART,         /* jobs go down and come up together */
  FW_ADVERSITY_FEED_LOSS,       /* a share of the budget is left; jobs that hung on the feed are without power */
  FW_ADVERSITY_DEMAND_RESPONSE, /* the budget is lowered for a time, after a notice */
  FW_ADVERSITY_GPU_FAILURE,     /* one GPU, at a given time */
  FW_ADVERSITY_GPU_FAILURES,    /* any GPU, at random */
  FW_ADVERSITY_STRAGGLER,       /* one GPU is slower and holds up its job */
  FW_ADVERSITY_CAP_FAULTS,      /* cap commands that are late or lost */
  FW_ADVERSITY_KINDS
} fw_adversity_kind;

extern const char
    *const fw_adversity_kind_names[FW_ADVERSITY_KINDS + 1]; /* the "kind" in a scenario; NULL at the end */

/* How a job goes down and comes up again: `down` without its GPUs, then `load` until it works. */
typedef struct fw_outage {
  fw_time_ns down;
  fw_time_ns load;
  fw_power_mw power; /* of each of its GPUs while it is down */
  bool keeps_work;   /* goes on where it stopped; else from its last checkpoint */
} fw_outage;

typedef struct fw_adversity {
  fw_adversity_kind kind;
  fw_time_ns from;
  fw_time_ns to;              /* end of what lasts; `from` for what strikes at an instant */
  const char *const *classes; /* of the jobs that it befalls */
  size_t class_count;         /* 0: all of them, but for a loss of feed: none */
  size_t gpu;                 /* GPU_FAILURE, STRAGGLER */
  fw_outage outage;           /* RESTART, FEED_LOSS, GPU_FAILURE, GPU_FAILURES (of which `down` is drawn) */
  double factor;              /* on the budget (FEED_LOSS, DEMAND_RESPONSE) or on a job's times (STRAGGLER) */
  fw_time_ns mtbf;            /* GPU_FAILURES: mean time to the next failure of a GPU */
  fw_time_ns mttr;            /* GPU_FAILURES: mean of the exponential time of a repair */
  double lost;                /* CAP_FAULTS: probabilities */
  double late;
  fw_time_ns delay; /* CAP_FAULTS: how late */
} fw_adversity;

/* A stretch of time in which the site's budget is `factor` times what it would be. */
typedef struct fw_budget_call {
  fw_time_ns from;
  fw_time_ns to;
  double factor;
  fw_time_ns announced; /* from when on controllers know that it is to come */
  bool end_known;       /* whether they know then when it ends */
} fw_budget_call;

/* Whether a job of that class is among those that an event befalls. */
bool fw_adversity_befalls(const fw_adversity *adversity, const char *job_class);

#endif
