/* A fair fight: trained policies against rules of every kind, each tuned with the same number of simulated runs on
 * seeds from the same pool, all measured on the same held-out runs and compared at equal violation rates.
 *
 * Tuning aims at several limits around the one of the contest, so each kind has a front: tokens by violation rate. A
 * trained policy is held against a kind at the policy's own rate, interpolated along the kind's front; where several
 * settings of a kind lie on one front, the best are taken, to the kind's advantage. */
#ifndef FW_STUDY_CONTEST_H
#define FW_STUDY_CONTEST_H

#include "sim/study/front.h"
#include "sim/study/samples.h"

#define FW_CONTEST_LIMITS ((size_t)3)
#define FW_CONTEST_NAME_SIZE ((size_t)64)

/* What limits are tuned for, as multiples of the contest's. */
extern const double fw_contest_limits[FW_CONTEST_LIMITS];

typedef enum fw_contest_kind {
  FW_CONTEST_STATIC,     /* one setting */
  FW_CONTEST_MIX,        /* two settings in turn */
  FW_CONTEST_SCHEDULE,   /* one mean setting for each step of the budget's timetable, and a lead */
  FW_CONTEST_THRESHOLD,  /* two thresholds on a signal */
  FW_CONTEST_HYSTERESIS, /* the same with a dwell time and steps of several levels */
  FW_CONTEST_RANDOM,
  FW_CONTEST_PPO, /* not a rule: its arms are the trained policies */
  FW_CONTEST_KINDS
} fw_contest_kind;

extern const char *const fw_contest_kind_names[FW_CONTEST_KINDS];

/* One contest, as read from a file of several. */
typedef struct fw_contest_entry {
  char *scenario;   /* beside the file */
  char *text;       /* what is to be said of it */
  fw_array classes; /* char *: job classes that are controlled; none: all */
  fw_array weights; /* char *: of trained policies, beside the file */
  fw_time_ns window;
  double limit;  /* on the mean share of time above the budget */
  uint64_t runs; /* that tuning one rule at one limit may cost */
} fw_contest_entry;

typedef struct fw_contest_plan {
  int64_t format;
  fw_array entries; /* fw_contest_entry */
} fw_contest_plan;

extern const fw_record fw_contest_plan_record;

/* Free with fw_record_clear(&fw_contest_plan_record, plan). */
fw_status fw_contest_plan_read(const char *path, fw_contest_plan *out, fw_diagnostics *diagnostics);

/* One setting of a rule or one trained policy, on the held-out runs. */
typedef struct fw_contest_arm {
  fw_contest_kind kind;
  char name[FW_CONTEST_NAME_SIZE]; /* "hysteresis on interval" */
  char settings[256];              /* as found: "lower_above 0.97, ..." */
  uint64_t tuned_for;              /* index into fw_contest_limits; of no meaning for what is not tuned */
  uint64_t runs;                   /* that finding it cost */
  uint64_t seed;                   /* trained policies: their training seed */
  fw_estimate tokens;
  fw_estimate tokens_per_mwh;
  fw_estimate rate[FW_POLICY_WINDOWS];
  bool dominated;     /* another arm, trained or not, has more tokens at no higher rate */
  double *run_tokens; /* of each held-out run; owned by the contest */
  double *run_rate;   /* at the judged window */
} fw_contest_arm;

/* Trained policies against one kind, at each policy's own rate. */
typedef struct fw_contest_difference {
  fw_contest_kind kind;
  fw_estimate relative; /* interquartile mean over policies of tokens / front's - 1, with a bootstrap interval */
  double at_limit;      /* tokens of the kind's front at the limit; NaN where the front does not reach it */
  size_t below; /* policies whose rate lies below the front's lowest, held against that: to their disadvantage */
  size_t above; /* above its highest, held against that: to their advantage */
} fw_contest_difference;

typedef struct fw_contest_result {
  const fw_contest_entry *entry;
  fw_scenario *scenario; /* owned */
  size_t window;         /* index into its windows */
  fw_contest_arm *arms;
  size_t arm_count;
  fw_contest_difference differences[FW_CONTEST_KINDS]; /* by kind; that of FW_CONTEST_PPO is left out */
  fw_estimate ppo_tokens;                              /* interquartile means over trained policies and runs */
  fw_estimate ppo_rate;
  double bound_at_limit;     /* tokens that nobody can pass at the limit: contest_bound.c */
  double bound_at_ppo;       /* at the trained policies' rate */
  double bound_additivity_w; /* how far residuals of two settings differ, root mean square: what the bound rests on */
} fw_contest_result;

/* `share` is the installed folder that holds models/ and policies/. Free with fw_contest_clear. */
fw_status fw_contest(const char *plan_path, const fw_contest_entry *entry, const char *share,
                     const fw_study_options *study, fw_contest_result *out, fw_diagnostics *diagnostics);
void fw_contest_clear(fw_contest_result *result);

/* ---- Tuned rules (contest_rules.c) ---- */

/* A rule with settings that a search found. */
typedef struct fwi_contest_rule {
  fw_contest_arm arm;
  fw_scenario_policy policy; /* its settings are `settings` */
  void *settings;            /* owned: free() */
  void *base;                /* what they share lists with; owned, of the policy's record */
} fwi_contest_rule;

typedef struct fwi_contest_rules {
  fwi_contest_rule *data;
  size_t count;
  size_t capacity;
} fwi_contest_rules;

/* All rules of all kinds, tuned. Free with fwi_contest_rules_clear. */
fw_status fwi_contest_tune(const fw_contest_entry *entry, const fw_contest_result *contest,
                           const fw_study_options *study, fwi_contest_rules *out, fw_diagnostics *diagnostics);
void fwi_contest_rules_clear(fwi_contest_rules *rules);

/* ---- The bound (contest_bound.c) ---- */

/* Fills the bound_ fields from the constant settings among `rules`; `rate` is where bound_at_ppo is taken. */
fw_status fwi_contest_bound(const fw_contest_entry *entry, const fwi_contest_rules *rules, double rate,
                            fw_contest_result *out, fw_diagnostics *diagnostics);

#endif
