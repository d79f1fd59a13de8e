/* Picking ticks, levels and times out of the recordings of S2 and S6. */
#include "models/fit_a100/recordings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "sim/base/text.h"

static const double TICK_S = 0.5;

static fw_status read_table(const char *data, const char *folder, const char *name, const char *suffix,
                            const char *const *columns, size_t count, fwi_filter filter, fwi_table *out,
                            fw_diagnostics *diagnostics) {
  fw_text path = FW_TEXT_INIT;
  fw_text_add_format(&path, "%s/%s/%s%s", data, folder, name, suffix);
  const fw_status status = path.failed ? fw_error_memory(diagnostics, "a path")
                                       : fwi_table_read(path.data, columns, count, filter, out, diagnostics);
  fw_text_clear(&path);
  return status;
}

/* --- samples --- */

void fwi_sample_free(fwi_sample *sample) {
  free(sample->power_w);
  free(sample->segment);
  free(sample->running);
  *sample = (fwi_sample){0};
}

/* False, with nothing to free, when memory is short. */
static bool sample_allocate(size_t ticks, size_t gpus, bool with_running, fwi_sample *out) {
  size_t cells = 0;
  *out = (fwi_sample){.gpus = gpus};
  if (fw_size_multiply(ticks, gpus, &cells)) {
    out->power_w = fw_allocate(cells, sizeof *out->power_w);
    out->segment = fw_allocate(ticks, sizeof *out->segment);
    if (with_running) out->running = fw_allocate(ticks, sizeof *out->running);
  }
  if (out->power_w != NULL && out->segment != NULL && (out->running != NULL || !with_running)) return true;
  fwi_sample_free(out);
  return false;
}

fw_recording fwi_sample_recording(const fwi_sample *sample, const double *level_w) {
  return (fw_recording){sample->gpus, sample->ticks, sample->power_w, sample->segment, level_w};
}

/* --- S2 --- */

fw_status fwi_node_read(const char *data, const char *name, size_t gpus, fwi_node *out, fw_diagnostics *diagnostics) {
  static const char *const power_columns[] = {"t_s", "gpu", "power_w"};
  static const char *const phase_columns[] = {"t_start_s", "t_end_s", "input_tokens", "trace_mean_w"};
  static const char folder[] = "a100_inference_traces";
  const fwi_filter all = {NULL, NULL};
  const fwi_filter generate = {"phase", "generate"};
  const fwi_filter load = {"phase", "model_load"};
  *out = (fwi_node){.gpus = gpus};
  fw_status status = read_table(data, folder, name, ".csv", power_columns, 3, all, &out->power, diagnostics);
  if (status == FW_OK) {
    status = read_table(data, folder, name, ".phases.csv", phase_columns, 4, generate, &out->generate, diagnostics);
  }
  if (status == FW_OK) {
    status = read_table(data, folder, name, ".phases.csv", phase_columns, 4, load, &out->load, diagnostics);
  }
  if (status != FW_OK) fwi_node_free(out);
  return status;
}

void fwi_node_free(fwi_node *node) {
  fwi_table_free(&node->power);
  fwi_table_free(&node->generate);
  fwi_table_free(&node->load);
}

enum { POWER_TIME, POWER_GPU, POWER_W };

/* Row `row` begins a bin that all GPUs have, one after the other. */
static bool whole_bin(const fwi_node *node, size_t row) {
  if (row + node->gpus > node->power.rows) return false;
  for (size_t g = 0; g < node->gpus; g++) {
    if (fwi_cell(&node->power, row + g, POWER_GPU) != (double)g) return false;
    if (fwi_cell(&node->power, row + g, POWER_TIME) != fwi_cell(&node->power, row, POWER_TIME)) return false;
    if (isnan(fwi_cell(&node->power, row + g, POWER_W))) return false;
  }
  return true;
}

static void keep_bin(const fwi_node *node, size_t row, size_t segment, fwi_sample *out) {
  for (size_t g = 0; g < node->gpus; g++)
    out->power_w[out->ticks * node->gpus + g] = fwi_cell(&node->power, row + g, POWER_W);
  out->segment[out->ticks++] = segment;
}

/* The generate phase that holds [t, t + tick) whole; the count of phases where none does. */
static size_t phase_at(const fwi_node *node, double t) {
  for (size_t i = 1; i < node->generate.rows; i++) {
    if (t >= fwi_cell(&node->generate, i, FWI_PHASE_START) &&
        t + TICK_S <= fwi_cell(&node->generate, i, FWI_PHASE_END)) {
      return i;
    }
  }
  return node->generate.rows;
}

fw_status fwi_node_sample(const fwi_node *node, double least_tokens, fwi_sample *out, fw_diagnostics *diagnostics) {
  if (!sample_allocate(node->power.rows, node->gpus, false, out)) {
    return fw_error_memory(diagnostics, "the ticks of a recording");
  }
  for (size_t row = 0; row < node->power.rows; row++) {
    if (!whole_bin(node, row)) continue;
    const size_t phase = phase_at(node, fwi_cell(&node->power, row, POWER_TIME));
    if (phase == node->generate.rows || fwi_cell(&node->generate, phase, FWI_PHASE_TOKENS) < least_tokens) continue;
    keep_bin(node, row, phase, out);
  }
  return FW_OK;
}

/* Everything before the load, less a margin for the tokenizer. */
double fwi_node_idle_w(const fwi_node *node) {
  const double end_s = fwi_cell(&node->load, 0, FWI_PHASE_START) - 2.0;
  double sum = 0.0;
  size_t count = 0;
  for (size_t row = 0; row < node->power.rows; row++) {
    if (fwi_cell(&node->power, row, POWER_TIME) + TICK_S > end_s) continue;
    sum += fwi_cell(&node->power, row, POWER_W);
    count++;
  }
  return count > 0 ? sum / (double)count : 0.0;
}

double fwi_node_loading_w(const fwi_node *node) {
  return fwi_cell(&node->load, 0, FWI_PHASE_MEAN_W) / (double)node->gpus;
}

/* The first phase is left out, so one alone tells nothing. */
static fw_status check_phases(const fwi_node *node, fw_diagnostics *diagnostics) {
  if (node->generate.rows >= 2) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "a recording needs two generate phases or more; check its phases file");
}

fw_status fwi_node_pass_line(const fwi_node *node, double passes, fw_line *out, fw_diagnostics *diagnostics) {
  const fw_status checked = check_phases(node, diagnostics);
  if (checked != FW_OK) return checked;
  const size_t count = node->generate.rows - 1;
  double *tokens = fw_allocate(count, sizeof *tokens);
  double *seconds = fw_allocate(count, sizeof *seconds);
  const bool usable = tokens != NULL && seconds != NULL;
  for (size_t i = 0; usable && i < count; i++) {
    tokens[i] = fwi_cell(&node->generate, i + 1, FWI_PHASE_TOKENS);
    seconds[i] = fwi_cell(&node->generate, i + 1, FWI_PHASE_END) - fwi_cell(&node->generate, i + 1, FWI_PHASE_START);
    seconds[i] /= passes;
  }
  if (usable) *out = fw_fit_line(tokens, seconds, count);
  free(tokens);
  free(seconds);
  return usable ? FW_OK : fw_error_memory(diagnostics, "the passes of a recording");
}

double fwi_node_level_w(const fwi_node *node, double least_tokens) {
  double energy_j = 0.0;
  double time_s = 0.0;
  for (size_t i = 1; i < node->generate.rows; i++) {
    if (fwi_cell(&node->generate, i, FWI_PHASE_TOKENS) < least_tokens) continue;
    const double length_s = fwi_cell(&node->generate, i, FWI_PHASE_END) - fwi_cell(&node->generate, i, FWI_PHASE_START);
    energy_j += fwi_cell(&node->generate, i, FWI_PHASE_MEAN_W) * length_s;
    time_s += length_s;
  }
  return time_s > 0.0 ? energy_j / time_s / (double)node->gpus : 0.0;
}

fw_status fwi_node_pause_s(const fwi_node *node, double *out, fw_diagnostics *diagnostics) {
  const fw_status checked = check_phases(node, diagnostics);
  if (checked != FW_OK) return checked;
  const size_t count = node->generate.rows - 1;
  double *pause_s = fw_allocate(count, sizeof *pause_s);
  if (pause_s == NULL) return fw_error_memory(diagnostics, "the pauses of a recording");
  for (size_t i = 0; i < count; i++) {
    pause_s[i] = fwi_cell(&node->generate, i + 1, FWI_PHASE_START) - fwi_cell(&node->generate, i, FWI_PHASE_END);
  }
  fw_sort_numbers(pause_s, count);
  *out = fw_fit_quantile(pause_s, count, 0.5);
  free(pause_s);
  return FW_OK;
}

/* --- S6 --- */

enum { SERVING_GPU, SERVING_W, SERVING_RUNNING, SERVING_PROMPT };

fw_status fwi_serving_read(const char *data, const char *name, size_t gpus, fwi_serving *out,
                           fw_diagnostics *diagnostics) {
  static const char *const columns[] = {"gpu", "power_w", "requests_running", "prompt_tokens_total"};
  const fwi_filter all = {NULL, NULL};
  *out = (fwi_serving){.gpus = gpus};
  fw_status status = read_table(data, "a100_serving_traces", name, ".csv", columns, 4, all, &out->rows, diagnostics);
  out->count = out->rows.rows / gpus;
  for (size_t i = 0; status == FW_OK && i < out->rows.rows; i++) {
    if (fwi_cell(&out->rows, i, SERVING_GPU) == (double)(i % gpus)) continue;
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = name, .line = i + 2},
                      "the rows of one instant do not name GPUs 0 to %zu in order", gpus - 1);
  }
  if (status != FW_OK) fwi_serving_free(out);
  return status;
}

void fwi_serving_free(fwi_serving *serving) {
  fwi_table_free(&serving->rows);
}

static double running_at(const fwi_serving *serving, size_t instant) {
  return fwi_cell(&serving->rows, instant * serving->gpus, SERVING_RUNNING);
}

static double prompt_at(const fwi_serving *serving, size_t instant) {
  return fwi_cell(&serving->rows, instant * serving->gpus, SERVING_PROMPT);
}

/* Instants first and first + 1 are busy (a missing count, NaN, is not), and quiet where that is asked for. */
static bool keeps(const fwi_serving *serving, size_t first, bool no_prefill) {
  if (!(running_at(serving, first) > 0.0) || !(running_at(serving, first + 1) > 0.0)) return false;
  if (!no_prefill) return true;
  if (first == 0 || first + 2 >= serving->count) return false;
  return prompt_at(serving, first - 1) == prompt_at(serving, first + 2);
}

fw_status fwi_serving_sample(const fwi_serving *serving, bool no_prefill, fwi_sample *out,
                             fw_diagnostics *diagnostics) {
  const size_t gpus = serving->gpus;
  if (!sample_allocate(serving->count, gpus, true, out)) {
    return fw_error_memory(diagnostics, "the ticks of a recording");
  }
  size_t segment = 0;
  for (size_t i = 0; i + 1 < serving->count; i += 2) {
    if (!keeps(serving, i, no_prefill)) {
      segment++;
      continue;
    }
    for (size_t g = 0; g < gpus; g++) {
      out->power_w[out->ticks * gpus + g] = 0.5 * (fwi_cell(&serving->rows, i * gpus + g, SERVING_W) +
                                                   fwi_cell(&serving->rows, (i + 1) * gpus + g, SERVING_W));
    }
    out->running[out->ticks] = 0.5 * (running_at(serving, i) + running_at(serving, i + 1));
    out->segment[out->ticks++] = segment;
  }
  return FW_OK;
}

/* Above 120 W a request came and went between two looks at the count. */
double fwi_serving_ready_w(const fwi_serving *serving) {
  static const double BUSY_W = 120.0;
  double sum = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < serving->rows.rows; i++) {
    const double power_w = fwi_cell(&serving->rows, i, SERVING_W);
    if (fwi_cell(&serving->rows, i, SERVING_RUNNING) != 0.0 || !(power_w < BUSY_W)) continue;
    sum += power_w;
    count++;
  }
  return count > 0 ? sum / (double)count : 0.0;
}
