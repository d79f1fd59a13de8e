/* What a GPU of a job is doing. Levels, residuals and cap responses are kept per phase. */
#ifndef FW_MODELS_PHASE_H
#define FW_MODELS_PHASE_H

typedef enum fw_phase {
  FW_PHASE_IDLE,    /* no job, or a job that has not started */
  FW_PHASE_LOAD,    /* loading a model */
  FW_PHASE_PREFILL, /* reading the prompts of a generation batch */
  FW_PHASE_ROLLOUT, /* generating completions */
  FW_PHASE_GAP,     /* between batches or between rollout and update: rewards, weight sync, a commanded pause */
  FW_PHASE_UPDATE,  /* training on the completions */
  FW_PHASE_COUNT
} fw_phase;

extern const char *const fw_phase_names[FW_PHASE_COUNT + 1]; /* "idle", ..., NULL */

#endif
