/* Which points a study visits: settings of a scenario's keys, as a full grid, a Latin hypercube or a list.
 *
 * An axis is written "KEY=A,B,C" or, for a Latin hypercube, "KEY=FROM:TO"; a key is a path of sim/base/record_edit.h, a
 * value JSON or a word. Commas inside brackets, braces and quotes do not separate. */
#ifndef FW_STUDY_DESIGN_H
#define FW_STUDY_DESIGN_H

#include "sim/base/record_edit.h"

/* A key and its value as it is to stand in the text. */
typedef struct fw_setting {
  char *path;
  char *value;
} fw_setting;

typedef struct fw_design_point {
  fw_setting *settings; /* in the order of the axes */
  size_t count;
} fw_design_point;

/* Owns all of it. */
typedef struct fw_design {
  fw_design_point *points;
  size_t count;
} fw_design;

#define FW_DESIGN_LIMIT ((size_t)1000000) /* points */

/* Every combination of the axes' values; the last axis changes fastest. No axis gives the one point without settings.
 */
fw_status fw_design_grid(const char *const *axes, size_t axis_count, fw_design *out, fw_diagnostics *diagnostics);

/* `points` points: each axis is cut into as many equal strata, and each stratum is met once (McKay, Beckman, Conover,
 * Technometrics 21, 1979). Where `source` wants a whole number, all whole numbers of the range are equally likely. The
 * design depends on axes, points and seed alone. */
fw_status fw_design_latin(const fw_record_text *source, const char *const *axes, size_t axis_count, size_t points,
                          uint64_t seed, fw_design *out, fw_diagnostics *diagnostics);

/* The points of a JSON file: [{"KEY": VALUE, ...}, ...]. */
fw_status fw_design_read(const char *path, fw_design *out, fw_diagnostics *diagnostics);

/* The settings of a point as a JSON object. */
void fw_design_settings(const fw_design_point *point, fw_text *out);

void fw_design_clear(fw_design *design);

#endif
