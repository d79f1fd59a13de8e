/* Operating points of a job: what it drew at one setting, as benchmarks publish it. No recording, one row a point. */
#ifndef FW_TRACES_POINTS_H
#define FW_TRACES_POINTS_H

#include "sim/base/diagnostics.h"

typedef struct fw_operating_point {
  double concurrency;   /* sequences in flight, at least 1 */
  double power_w;       /* of one GPU, mean over prompt and output; NaN: the point tells times only */
  double token_s;       /* time of a token of each sequence; NaN: unknown */
  double prompt_tokens; /* of each sequence; NaN */
  double prefill_s;     /* to read all prompts; NaN */
  double output_tokens; /* of each sequence; NaN */
  double peak_w;        /* the most that one GPU was read at; NaN */
  size_t line;          /* of the file, for messages */
} fw_operating_point;

typedef struct fw_operating_points {
  fw_operating_point *data;
  size_t count;
  size_t capacity;
} fw_operating_points;

/* Reads a CSV with the columns concurrency and power_w, and where it has them token_s, prompt_tokens, prefill_s,
 * output_tokens and peak_w; an empty cell is unknown, other columns are passed over. Errors name file and line: a
 * missing column, a cell that is no number, an empty concurrency, no point with power. Free with
 * fw_operating_points_clear.
 */
fw_status fw_operating_points_read(const char *path, fw_operating_points *out, fw_diagnostics *diagnostics);
void fw_operating_points_clear(fw_operating_points *points);

#endif
