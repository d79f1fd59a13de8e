/* Beyond the study: questions that it leaves open, put to the model that reproduces it (docs/beyond.md).
 *
 * Each question has a scenario of its own, scenarios/study/beyond-*.json, which lists the arms; what the arms are asked
 * stands in the code. Estimates carry 95 % intervals over seeds: those say what chance can do, not what the model's
 * numbers may be off by. */
#ifndef FW_STUDY_BEYOND_H
#define FW_STUDY_BEYOND_H

#include "sim/study/samples.h"

typedef struct fw_beyond_options {
  const char *base;  /* file beside which the scenarios lie */
  const char *share; /* installed folder that holds models/ */
  size_t seeds;      /* of every arm and search instead of those of the files; 0: theirs */
  fw_study_options study;
} fw_beyond_options;

/* What a figure rests on. */
typedef enum fw_beyond_kind {
  FW_BEYOND_PREDICTED, /* fitted and measured numbers alone */
  FW_BEYOND_ASSUMPTION /* numbers of the board that nobody has measured as well */
} fw_beyond_kind;

extern const char *const fw_beyond_kind_names[];

/* Of an arm's figures: what a power cap does rests on assumptions (docs/parameters.md). */
fw_beyond_kind fw_beyond_kind_of(const fw_scenario_policy *policy);

/* One arm at its budget, on true power. */
typedef struct fw_beyond_figures {
  fw_estimate tokens;
  fw_estimate wh_per_1k_tokens;
  fw_estimate mean_w;
  fw_estimate rate[FW_POLICY_WINDOWS];
} fw_beyond_figures;

/* ---- The best constant settings (beyond_levels.c) ---- */

/* The published trained arm of the 72B job. */
typedef struct fw_beyond_published {
  double tokens;
  double wh_per_1k_tokens;
  double rate_30s;
} fw_beyond_published;

extern const fw_beyond_published fw_beyond_trained;

/* Figures this close count as equal: a tenth of what one level is worth. */
#define FW_BEYOND_EQUAL 0.01

typedef enum fw_beyond_verdict {
  FW_BEYOND_BEATS, /* more tokens, less energy for each, and the whole interval of its rate at or below the published */
  FW_BEYOND_EQUALS, /* tokens and energy no worse by more than FW_BEYOND_EQUAL, the rate not clearly above */
  FW_BEYOND_FALLS_SHORT
} fw_beyond_verdict;

extern const char *const fw_beyond_verdict_names[];

typedef struct fw_beyond_level {
  const char *name;
  fw_beyond_figures figures;
  bool mix;
  double share; /* of the decisions at the higher level, as searched; NaN for constant levels */
  bool allowed; /* its 30 s rate is not clearly above the published: the interval begins at or below it */
  fw_beyond_verdict verdict;
} fw_beyond_level;

typedef struct fw_beyond_levels {
  fw_scenario *scenario;
  fw_beyond_level *arms; /* as the scenario's */
  size_t arm_count;
  size_t best_static; /* most tokens among those allowed; arm_count: none is */
  size_t best_mix;
} fw_beyond_levels;

fw_status fw_beyond_levels_run(const fw_beyond_options *options, fw_beyond_levels *out, fw_diagnostics *diagnostics);
void fw_beyond_levels_clear(fw_beyond_levels *levels);

/* The verdict on figures whose 30 s window is the `window`-th. */
fw_beyond_verdict fw_beyond_judge(const fw_beyond_figures *figures, size_t window);

/* ---- Truth against readings (beyond_sensor.c) ---- */

/* One choice of what is assumed of the sensor. */
typedef struct fw_beyond_sensor_setting {
  const char *name;
  double path_sigma_w;
  double path_memory_s;
  double observed_s;
  double gain_sigma; /* from board to board */
  double gain;       /* of all boards alike */
} fw_beyond_sensor_setting;

typedef struct fw_beyond_sensor_row {
  fw_beyond_sensor_setting setting;
  size_t arm;                          /* index into the scenario's policies */
  fw_estimate read[FW_POLICY_WINDOWS]; /* rate of the readings */
  fw_estimate less[FW_POLICY_WINDOWS]; /* readings less truth, seed by seed */
} fw_beyond_sensor_row;

typedef struct fw_beyond_sensor {
  fw_scenario *scenario;
  fw_beyond_figures *truth;   /* of each arm; the sensor does not move it */
  fw_beyond_sensor_row *rows; /* settings outermost, the file's own first */
  size_t row_count;
} fw_beyond_sensor;

fw_status fw_beyond_sensor_run(const fw_beyond_options *options, fw_beyond_sensor *out, fw_diagnostics *diagnostics);
void fw_beyond_sensor_clear(fw_beyond_sensor *sensor);

/* ---- A firmware cap (beyond_caps.c) ---- */

typedef struct fw_beyond_cap {
  const char *name;
  fw_beyond_kind kind;
  fw_beyond_figures figures;
  fw_estimate worst_tokens; /* if work were lost in proportion to the power above idle that a cap takes off */
} fw_beyond_cap;

typedef struct fw_beyond_caps {
  fw_scenario *scenario;
  fw_beyond_cap *arms; /* as the scenario's; the first is left alone */
  size_t arm_count;
} fw_beyond_caps;

fw_status fw_beyond_caps_run(const fw_beyond_options *options, fw_beyond_caps *out, fw_diagnostics *diagnostics);
void fw_beyond_caps_clear(fw_beyond_caps *caps);

/* ---- Oversubscription (beyond_ratios.c) ---- */

/* One policy at one budget over one duration. */
typedef struct fw_beyond_ratio {
  fw_time_ns duration;
  size_t policy; /* indices into the scenario */
  size_t budget;
  size_t seeds;
  fw_beyond_figures figures;
} fw_beyond_ratio;

typedef struct fw_beyond_ratios {
  fw_scenario *scenario;
  fw_beyond_ratio *points; /* durations outermost, then policies, then budgets */
  size_t point_count;
} fw_beyond_ratios;

fw_status fw_beyond_ratios_run(const fw_beyond_options *options, fw_beyond_ratios *out, fw_diagnostics *diagnostics);
void fw_beyond_ratios_clear(fw_beyond_ratios *ratios);

/* ---- Starts (beyond_starts.c) ---- */

/* A stretch of a run. */
typedef struct fw_beyond_stretch {
  fw_time_ns from;
  fw_time_ns to;
} fw_beyond_stretch;

#define FW_BEYOND_STRETCHES ((size_t)7)
#define FW_BEYOND_PEAK_STRETCHES ((size_t)5)
#define FW_BEYOND_CLASSES ((size_t)8)
#define FW_BEYOND_PEAK_LENGTH (1200 * FW_NS_PER_S) /* the study's runs: peaks are of so long */
#define FW_BEYOND_PEAK_WINDOW (30 * FW_NS_PER_S)

extern const fw_beyond_stretch fw_beyond_stretches[FW_BEYOND_STRETCHES];           /* of coherences */
extern const fw_beyond_stretch fw_beyond_peak_stretches[FW_BEYOND_PEAK_STRETCHES]; /* whole peak lengths */

/* One policy from one kind of start. NaN in stretches that the run does not reach. */
typedef struct fw_beyond_start {
  fw_start_kind start;
  size_t policy;
  fw_beyond_figures figures;
  fw_estimate peak_w[FW_BEYOND_PEAK_STRETCHES];                  /* mean over the peak lengths in the stretch */
  fw_estimate coherence[FW_BEYOND_CLASSES][FW_BEYOND_STRETCHES]; /* coherence.h, of each class */
} fw_beyond_start;

typedef struct fw_beyond_starts {
  fw_scenario *scenario;
  const char *classes[FW_BEYOND_CLASSES]; /* of two jobs or more */
  size_t class_sizes[FW_BEYOND_CLASSES];
  size_t class_count;
  fw_beyond_start *arms; /* kinds of start outermost, in the order of fw_start_kind */
  size_t arm_count;
} fw_beyond_starts;

fw_status fw_beyond_starts_run(const fw_beyond_options *options, fw_beyond_starts *out, fw_diagnostics *diagnostics);
void fw_beyond_starts_clear(fw_beyond_starts *starts);

/* ---- All of them (beyond.c) ---- */

typedef struct fw_beyond_result {
  fw_beyond_levels levels;
  fw_beyond_sensor sensor;
  fw_beyond_caps caps;
  fw_beyond_ratios ratios;
  fw_beyond_starts starts;
} fw_beyond_result;

/* The result depends on nothing but the scenarios and `seeds`. Free with fw_beyond_clear. */
fw_status fw_beyond(const fw_beyond_options *options, fw_beyond_result *out, fw_diagnostics *diagnostics);
void fw_beyond_clear(fw_beyond_result *result);

/* For the files above. */
fw_status fwi_beyond_read(const fw_beyond_options *options, const char *name, fw_scenario **out,
                          fw_diagnostics *diagnostics);
fw_status fwi_beyond_figures(const fwi_samples *samples, const fw_scenario *scenario, size_t policy,
                             fw_beyond_figures *out, fw_diagnostics *diagnostics);

#endif
