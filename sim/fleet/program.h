/* A program: what a job does next, as blocks of work, before power caps slow it down.
 *
 * A job's engine (job.c) asks for blocks when it has run out of them, and places them in time. Programs know nothing of
 * time, caps or residuals; the engine knows nothing of rollouts. */
#ifndef FW_FLEET_PROGRAM_H
#define FW_FLEET_PROGRAM_H

#include "sim/fleet/result.h"
#include "sim/fleet/tenant.h"
#include "sim/scenario/scenario.h"

/* What happens when a block ends. */
enum {
  FWI_MARK_BATCH_END = 1,
  FWI_MARK_STEP_END = 2,
  FWI_MARK_DECISION = 4, /* the job waits for its policy */
  FWI_MARK_JOB_END = 8,
  FWI_MARK_DOWN = 16, /* a job that is down (outage.c) */
  FWI_MARK_UP = 32    /* and is being loaded: at its end the outage is over */
};

/* A job that is on GPUs of a program which has many. */
typedef struct fwi_stay {
  fwi_tenant *tenant;
  fw_phase phase;
} fwi_stay;

typedef struct fwi_block {
  fw_phase phase;
  fw_time_ns work;               /* duration at full speed; 0 is allowed and carries only marks */
  fw_power_mw demand;            /* level of one GPU without a cap; of the highest where they differ */
  const fw_power_mw *gpu_demand; /* each GPU's own, valid as long as the program, or NULL: all alike */
  double scale;                  /* on `gpu_demand`: the counterfactual ratio of a replay whose actuator moved */
  double occupancy;              /* sequences in flight */
  int64_t tokens;                /* generated over the block, evenly */
  const fwi_stay *stays; /* an open block: who is there, at most one for each GPU, or NULL: nobody has a residual */
  size_t stay_count;
  bool paced;        /* the program knows by itself how fast its jobs go, and is asked again when the cap changes */
  bool extrapolated; /* and one goes slower than the cap's tables say */
  unsigned marks;
  fw_time_ns until; /* an open block: it ends then, though its work may not be done; 0: when its work is done */
} fwi_block;

typedef struct fwi_blocks {
  fwi_block *data;
  size_t count;
  size_t capacity;
} fwi_blocks;

fw_status fwi_blocks_add(fwi_blocks *blocks, fwi_block block, fw_diagnostics *diagnostics);

/* Level of one GPU in `phase` (fw_job_level_w), for models that were read: their files' levels are held against 10 kW,
 * so it fits. */
fw_power_mw fwi_level(const fw_job_model *model, fw_phase phase, double occupancy, double idle_w);

/* Where a program stands that walks a list of stretches, once or for ever. */
typedef struct fwi_walk {
  size_t position;
  size_t count;
  fw_time_ns since_decision;
} fwi_walk;

/* Appends `block`, the stretch at the walk's position, with the marks that belong there, and moves on. */
fw_status fwi_walk_add(fwi_walk *walk, const fw_scenario_job *job, fwi_block block, fwi_blocks *blocks,
                       fw_diagnostics *diagnostics);
double fwi_walk_progress(const fwi_walk *walk);
void fwi_walk_rewind(fwi_walk *walk);

/* What a program is told when it is asked what comes next. */
typedef struct fwi_turn {
  const double *settings; /* in force, FW_ACTUATOR_COUNT of them */
  fw_time_ns now;
  fw_time_ns worked;  /* of its open block, at full speed */
  int64_t tokens;     /* that were counted for it */
  fw_power_mw cap;    /* that the firmware enforces; 0: none */
  fw_time_ns sampled; /* power up to here has been drawn, and nobody asks again */
} fwi_turn;

/* A program type. `next` appends at least one block. `progress` is the share of the
 * present step's completions that are done. `rewind` goes back to the beginning of `step`, counted from 0: the next
 * blocks do it again, with the same draws.
 *
 * Work that comes from outside comes at its time, however fast the GPUs are. A program that serves such work is open:
 * it gives one open block at a time, up to the next thing that may change it, and has `settle`, `restart` and `report`;
 * the others have none of them. An open block may also be cut short by an outage. `settle` takes in what was worked up
 * to now; `next` does so, too. `restart` begins to count anew, `report` says what was counted up to the last `settle`.
 * One that runs jobs of their own on its GPUs has `equip`, `slow_gpu` and `held_up_ns`. `equip`, before the first
 * block, gives it the GPU and the tables of its jobs' residual (NULL: none); one that is not equipped shows no tenants
 * and no paced blocks. `slow_gpu` makes what is on `gpu` take `pace` times as long from now on; what that has cost all
 * jobs since the last `restart`, beyond what their work takes, is `held_up_ns`. Of what `rewind` forgets, an open
 * program returns the tokens. One that goes on without a GPU that failed has `fail_gpu`, which takes `gpu` out for
 * `outage`; under all others such a failure takes the whole job down. */
typedef struct fwi_program_type {
  fw_status (*create)(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **state,
                      fw_diagnostics *diagnostics);
  void (*equip)(void *state, const fw_gpu_model *gpu, const fwi_noise_tables *tables, fw_time_ns tick);
  void (*destroy)(void *state);
  fw_status (*next)(void *state, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics);
  double (*progress)(const void *state);
  int64_t (*rewind)(void *state, uint64_t step);
  fw_status (*settle)(void *state, const fwi_turn *turn, fw_diagnostics *diagnostics);
  void (*restart)(void *state, fw_time_ns now);
  void (*report)(const void *state, fw_service_result *out);
  fw_status (*slow_gpu)(void *state, size_t gpu, double pace, fw_diagnostics *diagnostics);
  double (*held_up_ns)(const void *state);
  fw_status (*fail_gpu)(void *state, fw_time_ns now, size_t gpu, const fw_outage *outage, fw_diagnostics *diagnostics);
} fwi_program_type;

/* Work that all GPUs of a job do in step, so that the slowest holds it up. */
bool fwi_is_in_step(fw_phase phase);

/* The time that work takes at a slowdown, and the work that is done in a time. What takes a time is what is done in it
 * while times are below 104 days, to the nanosecond. */
fw_time_ns fwi_time_for_work(fw_time_ns work, double slowdown);
fw_time_ns fwi_work_in_time(fw_time_ns time, double slowdown);

extern const fwi_program_type fwi_grpo_program;
extern const fwi_program_type fwi_replay_program;
extern const fwi_program_type fwi_cycle_program;
extern const fwi_program_type fwi_queue_program;
extern const fwi_program_type fwi_serving_program;
extern const fwi_program_type fwi_occupancy_program;

const fwi_program_type *fwi_program_find(fw_job_kind kind);

#endif
