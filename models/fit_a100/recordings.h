/* What the jobs take from the measured data in FLEETWATT_DATA. The keys S1 to S9 are those of its README. */
#ifndef FWI_FIT_A100_RECORDINGS_H
#define FWI_FIT_A100_RECORDINGS_H

#include "models/fit.h"
#include "models/fit_a100/table.h"

/* Ticks of 0.5 s picked out of a recording, ready for fw_fit_residual. */
typedef struct fwi_sample {
  size_t gpus;
  size_t ticks;
  double *power_w; /* [tick * gpus + gpu] */
  size_t *segment; /* neighbours in time share one */
  double *running; /* requests in flight; NULL where the recording does not say */
} fwi_sample;

void fwi_sample_free(fwi_sample *sample);
fw_recording fwi_sample_recording(const fwi_sample *sample, const double *level_w);

/* A recording of S2: no key-value cache, one prompt at a time, prompts growing step by step. */
typedef struct fwi_node {
  size_t gpus;
  fwi_table power;    /* t_s, gpu, power_w: bins of 0.5 s */
  fwi_table generate; /* t_start_s, t_end_s, input_tokens, trace_mean_w */
  fwi_table load;     /* the same, one row */
} fwi_node;

enum { FWI_PHASE_START, FWI_PHASE_END, FWI_PHASE_TOKENS, FWI_PHASE_MEAN_W };

fw_status fwi_node_read(const char *data, const char *name, size_t gpus, fwi_node *out, fw_diagnostics *diagnostics);
void fwi_node_free(fwi_node *node);

/* The whole ticks inside generate phases with prompts of `least_tokens` or more; a segment is a phase. The first phase,
 * in which the engine warms up, is left out here and below. */
fw_status fwi_node_sample(const fwi_node *node, double least_tokens, fwi_sample *out, fw_diagnostics *diagnostics);

double fwi_node_idle_w(const fwi_node *node);    /* of one GPU, before anything was loaded */
double fwi_node_loading_w(const fwi_node *node); /* of one GPU, while the model was loaded */

/* Seconds of one forward pass over tokens in it: each phase makes `passes`. */
fw_status fwi_node_pass_line(const fwi_node *node, double passes, fw_line *out, fw_diagnostics *diagnostics);

/* Mean power of one GPU over generate phases with `least_tokens` or more. */
double fwi_node_level_w(const fwi_node *node, double least_tokens);

/* Median pause between one generate phase and the next. */
fw_status fwi_node_pause_s(const fwi_node *node, double *out, fw_diagnostics *diagnostics);

/* A recording of S6, at 0.25 s. */
typedef struct fwi_serving {
  size_t gpus;
  size_t count;   /* of instants */
  fwi_table rows; /* gpu, power_w, requests_running, prompt_tokens_total; GPUs of one instant follow each other */
} fwi_serving;

fw_status fwi_serving_read(const char *data, const char *name, size_t gpus, fwi_serving *out,
                           fw_diagnostics *diagnostics);
void fwi_serving_free(fwi_serving *serving);

/* Pairs of instants make ticks of 0.5 s; kept are those with requests running all the time and, where `no_prefill`,
 * with no prompt read from the instant before to the instant after. */
fw_status fwi_serving_sample(const fwi_serving *serving, bool no_prefill, fwi_sample *out, fw_diagnostics *diagnostics);

/* Mean power of one GPU with the engine loaded and nothing running. */
double fwi_serving_ready_w(const fwi_serving *serving);

#endif
