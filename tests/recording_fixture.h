/* Recordings with engine counters made by a known model, as CSV files in a folder of their own. */
#ifndef FW_TESTS_RECORDING_FIXTURE_H
#define FW_TESTS_RECORDING_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/residual.h"
#include "sim/base/file.h"

/* An engine: ready, it draws `ready_w`; at work p1 + k log2(c) but for the share of its time that reads prompts. */
typedef struct made_engine {
  double ready_w;
  double p1_w;
  double k_w;
  double prefill_w;
  double prefill_per_token_s;
  double token_s; /* of each of any number of sequences */
  double sigma_w; /* Gaussian, of memory `lag1` on ticks of 0.5 s */
  double lag1;
} made_engine;

static const made_engine usual_engine = {.ready_w = 85.0,
                                         .p1_w = 250.0,
                                         .k_w = 12.0,
                                         .prefill_w = 450.0,
                                         .prefill_per_token_s = 5e-5,
                                         .token_s = 0.012,
                                         .sigma_w = 6.0,
                                         .lag1 = 0.5};

static inline double made_uniform(uint32_t run, uint32_t which, uint64_t index) {
  return fw_random_uniform(fw_stream_make(run, FW_DRAW_TEST, which), index, 0);
}

/* Writes `ticks` ticks of 0.5 s, two readings each, that begin with a sixth of readiness. In every tick the count of
 * requests is constant and every third tick reads prompts, so a tick is known exactly but for the noise. */
static inline void make_recording(const made_engine *engine, uint32_t run, size_t ticks, const char *path) {
  double *z = calloc(ticks, sizeof *z);
  cr_assert_not_null(z);
  fw_ar1 process = fw_ar1_start(fw_stream_make(run, FW_DRAW_TEST, 9), engine->lag1, 0);
  fw_ar1_next(&process, ticks, z);
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "t_s,gpu,power_w,requests_running,prompt_tokens_total,generation_tokens_total\n");
  double prompt = 1000.0;
  double generated = 500.0;
  for (size_t i = 0; i <= ticks; i++) {
    const bool ready = i < ticks / 6 || i == ticks;
    const double c = ready ? 0.0 : floor(pow(2.0, 5.0 * made_uniform(run, 1, i / 10)));
    const double read = ready || i % 3 != 0 ? 0.0 : floor(12000.0 * made_uniform(run, 2, i));
    const double share = fmin(1.0, read / 0.5 * engine->prefill_per_token_s);
    const double rollout_w = engine->p1_w + (c > 0.0 ? engine->k_w * log2(c) : 0.0);
    const double level_w = ready ? engine->ready_w : (1.0 - share) * rollout_w + share * engine->prefill_w;
    const double noise_w = ready ? 0.0 : engine->sigma_w * z[i];
    for (int half = 0; half < 2; half++) {
      fw_text_add_number(&text, 0.5 * (double)i + 0.25 * half, 9);
      fw_text_add(&text, ",0,");
      fw_text_add_number(&text, level_w + noise_w, 9);
      fw_text_add_format(&text, ",%d,", (int)c);
      fw_text_add_number(&text, prompt, 15);
      fw_text_add(&text, ",");
      fw_text_add_number(&text, generated, 15);
      fw_text_add(&text, "\n");
      prompt += 0.5 * read;
      generated += c * (1.0 - share) * 0.25 / engine->token_s;
    }
  }
  cr_assert_eq(fw_file_write(path, text.data, text.length, NULL), FW_OK);
  fw_text_clear(&text);
  free(z);
}

#endif
