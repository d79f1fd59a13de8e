/* A job in time: blocks of its program laid out under a power cap (job.c), struck by what the scenario has in store
 * (outage.c), told of what comes from outside (open.c), cut into ticks of true power and readings (sample.c), and the
 * readings as its policy sees them (telemetry.c). A job touches nothing but itself, so jobs advance in parallel. */
#ifndef FW_FLEET_JOB_H
#define FW_FLEET_JOB_H

#include "sim/engine/scheduler.h"
#include "sim/fleet/cap_channel.h"
#include "sim/fleet/incident.h"
#include "sim/fleet/noise.h"
#include "sim/fleet/program.h"
#include "sim/fleet/sim.h"
#include "sim/fleet/telemetry.h"

/* What all jobs of a simulation share; constant while they advance. */
typedef struct fwi_job_setting {
  const fw_gpu_model *gpu;
  fw_time_ns tick;
  size_t window_ticks;    /* ticks in the longest stretch between two collections */
  size_t telemetry_ticks; /* readings that a job's telemetry keeps */
  bool record_events;
  const fw_adversity *adversities;
  size_t adversity_count;
  /* Windows that end earlier, because a breaker may trip there, leave no trace in a block's work. */
  fw_time_ns stock_at;
} fwi_job_setting;

#define FWI_NO_ROW SIZE_MAX

/* Constant level over [from, to). */
typedef struct fwi_segment {
  fw_time_ns from;
  fw_time_ns to;
  fw_phase phase;
  fw_power_mw level; /* of each GPU, unless gpu_level is set */
  const fw_power_mw *gpu_level;
  size_t row; /* of the job's own copy of gpu_level, and of who is there, or FWI_NO_ROW */
  size_t stay_count;
  double scale; /* on gpu_level */
  fw_power_mw ceiling;
} fwi_segment;

/* The power cap as the firmware carries it out. */
typedef struct fwi_cap {
  fw_power_mw commanded;
  fw_time_ns effective_at; /* FW_TIME_MAX: nothing under way */
  fw_power_mw enforced;
  bool active;
  double clocks; /* power over demand that the last block left them at */
  /* While it has not settled: what a GPU may draw moves exponentially from `from_w` to `to_w` since `since`. */
  bool in_transient;
  fw_time_ns since;
  double from_w;
  double to_w;
} fwi_cap;

/* Where a job stands that was struck down, and what that has cost it since the warm-up ended. */
typedef struct fwi_outage_state {
  bool down_now; /* down, or being loaded */
  bool decides;  /* its policy is asked when it is up again: it begins anew */
  fw_time_ns down_until;
  fw_time_ns up_at; /* from then on the job works */
  fw_power_mw power;
  fw_time_ns down_since;      /* of the present outage */
  int64_t checkpoint_tokens;  /* at the last checkpoint */
  uint64_t checkpoint_steps;  /* likewise */
  uint64_t checkpoint_number; /* the step that begins there, since the start */
  fw_time_ns down_time;       /* of outages that are over */
  double held_up_ns;
  fw_disturbance counts;
} fwi_outage_state;

typedef struct fwi_job {
  const fw_scenario_job *spec;
  const fwi_job_setting *setting;
  uint32_t index;

  const fwi_program_type *program;
  void *program_state;
  fwi_blocks blocks;
  size_t next_block;
  fwi_block block;      /* the present one */
  fw_time_ns remaining; /* of its work, at full speed, when stock of it was last taken */
  fw_time_ns stock_taken;
  double slowdown;
  fw_time_ns block_began;
  size_t block_row;       /* of the copy of its levels, or FWI_NO_ROW */
  fw_time_ns block_until; /* FW_TIME_MAX: when its work is done */
  fw_time_ns worked;      /* of the last open block, and tokens counted for it */
  int64_t worked_tokens;
  bool in_block;
  bool ended;
  bool waiting;
  uint64_t blocks_at_now; /* zero-length blocks in a row: a guard */

  fw_time_ns now;
  fwi_cap cap;
  fwi_cap_channel channel;
  fwi_incidents incidents;
  fwi_outage_state outage;
  double pace; /* factor of the slowest straggler on the job's times */
  double settings[FW_ACTUATOR_COUNT];
  fw_job_setup setup;

  fw_power_mw *levels; /* rows of GPUs: the levels of open blocks whose segments are not yet sampled */
  size_t level_rows;
  size_t level_capacity;
  fwi_stay *stays; /* likewise: who is there; nothing where nobody has a residual */
  size_t stay_capacity;

  fwi_segment *segments; /* not yet sampled */
  size_t segment_count;
  size_t segment_capacity;
  uint64_t sampled; /* ticks sampled so far */
  fw_time_ns sampled_to;

  fwi_noise noise;
  double *gain_per_tick;  /* per GPU: gain of its sensor over the tick, in mW for each pJ */
  double sensor_error_mw; /* of the job's reading */
  double per_gpu;         /* 1 / GPUs */
  fw_time_ns *dark_until; /* per GPU: without power until then, whatever the job does */
  fw_time_ns dark_to;     /* the latest of them */
  double *power_mw;       /* scratch, per GPU */
  double *contrast_mw;    /* likewise */
  uint64_t *spike_tick;
  uint64_t *spike_number;
  fw_power_mw *spike_height;
  uint64_t next_spike; /* the earliest of all GPUs' */

  /* Ticks since the last collection. */
  int64_t *energy_pj;   /* window_ticks x gpus */
  fw_power_mw *reading; /* window_ticks: of all GPUs together */
  fw_energy_pj *total;  /* window_ticks: likewise */
  size_t collected_ticks;

  fwi_telemetry telemetry;
  fw_sim_event *events;
  size_t event_count;
  size_t event_capacity;

  /* Since the warm-up ended (tokens of the present block are added by fwi_job_tokens). */
  int64_t tokens;
  int64_t block_tokens_before; /* of the present block, already counted or before the warm-up */
  uint64_t steps;
  uint64_t step_number;   /* since the start */
  fw_time_ns step_began;  /* the present one; still to come while its start is put off */
  fw_time_ns step_length; /* of the last whole one; 0 before there is one */
  uint64_t batches;
  uint64_t decisions;
  uint64_t decision_number; /* since the start */
  uint64_t adjusted;
  bool extrapolated;
  double rollout_ns; /* time in rollout, and its integral with occupancy */
  double occupancy_ns;
  uint64_t floor_count;
  uint64_t ceiling_count;
  uint64_t capped_count;
  fw_energy_pj bias_pj;
  fw_energy_pj energy;
  fw_time_ns decided_at;   /* the last decision */
  int64_t decision_tokens; /* at the last decision */
  double decision_rollout_ns;
  double decision_occupancy_ns;
} fwi_job;

/* `tables` may be NULL. The job idles for `start` first. */
fw_status fwi_job_create(const fw_scenario_job *spec, const fwi_job_setting *setting, uint32_t index, uint64_t seed,
                         const fwi_noise_tables *tables, fw_time_ns start, const fw_job_setup *setup, fwi_job *out,
                         fw_diagnostics *diagnostics);
void fwi_job_free(fwi_job *job);

/* The scheduler's view: `pointer` is a job. */
fw_process_state fwi_job_advance(void *pointer, fw_time_ns until, fw_diagnostics *diagnostics);
fw_time_ns fwi_job_waiting_since(const void *pointer);

/* New settings from the job's own policy, while it waits. */
fw_status fwi_job_act(fwi_job *job, const fw_job_action *action, fw_diagnostics *diagnostics);

/* Sets one actuator at `time`, from outside; the value is brought into the job's range. */
void fwi_job_set(fwi_job *job, fw_time_ns time, fw_actuator actuator, double value);

/* `count` GPUs of the job, from its `first` on, lose their power now, for `outage.down`: a whole number of ticks, like
 * now. What becomes of the job is decided when it goes on: it goes down, or without them (outage.c). Between windows
 * only. */
fw_status fwi_job_lose_power(fwi_job *job, size_t first, size_t count, const fw_outage *outage,
                             fw_diagnostics *diagnostics);

/* Takes off what the present block has got done since this was last done, rounded to nanoseconds. */
void fwi_job_take_stock(fwi_job *job);

/* Takes the incident that is due (outage.c). */
fw_status fwi_job_strike(fwi_job *job, fw_diagnostics *diagnostics);

/* An outage is over. */
fw_status fwi_job_come_up(fwi_job *job, fw_diagnostics *diagnostics);

/* A step has ended: a checkpoint, if it is due. */
void fwi_job_checkpoint(fwi_job *job);

/* What the events of the scenario did to it since the warm-up ended. */
fw_disturbance fwi_job_disturbance(const fwi_job *job);

/* Counts from here on: the warm-up has ended. `tokens` of those since the last checkpoint are forgotten. */
void fwi_job_restart_disturbance(fwi_job *job);

/* For outage.c: the slowdown of the present block, anew, and an event for the observer. */
void fwi_job_update_slowdown(fwi_job *job);
fw_status fwi_job_record(fwi_job *job, fw_sim_event_kind kind, fw_actuator actuator, double value,
                         fw_diagnostics *diagnostics);

/* Tokens of the present block so far, less those that are counted or from before the warm-up. */
int64_t fwi_job_block_tokens(const fwi_job *job);

/* For open programs (open.c). The block that is entered next keeps a copy of its levels; the program is told what was
 * worked; the present block ends here, whatever it has got done, and that is counted; at the end of a run the program
 * takes in what was worked. */
fw_status fwi_job_keep_levels(fwi_job *job, const fwi_block *block, fw_diagnostics *diagnostics);
fwi_turn fwi_job_take_turn(fwi_job *job);
void fwi_job_close_open_block(fwi_job *job);
fw_status fwi_job_settle(fwi_job *job, fw_diagnostics *diagnostics);

/* What an open program was given to do and did, as settled last; false for others. */
bool fwi_job_service(const fwi_job *job, fw_service_result *out);

/* Samples every whole tick that ends by job->now (sample.c). */
void fwi_job_sample(fwi_job *job);

/* Forgets the first `ticks` collected ticks and the first `events` events. */
void fwi_job_collected(fwi_job *job, size_t ticks, size_t events);

/* Ends the warm-up: counters start from zero. */
void fwi_job_restart(fwi_job *job);

/* Tokens so far, those of the present block in proportion to its progress. */
int64_t fwi_job_tokens(const fwi_job *job);

#endif
