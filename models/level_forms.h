/* The forms of the level as formulas: what level.c reads from files and fit_level.c fits. */
#ifndef FWI_MODELS_LEVEL_FORMS_H
#define FWI_MODELS_LEVEL_FORMS_H

#include <stddef.h>

#include "models/timing.h"

typedef struct fwi_level_constant {
  double p_w;
} fwi_level_constant;

typedef struct fwi_level_log2 {
  double p1_w;
  double k_w;
  double saturation;
} fwi_level_log2;

typedef struct fwi_level_logistic {
  double p0_w;
  double dp_w;
  double slope;
  double midpoint;
} fwi_level_logistic;

typedef struct fwi_level_roofline {
  double p_base_w;
  double p_compute_w;
  double p_memory_w;
  double compute_s;
  double memory_s;
} fwi_level_roofline;

/* Watts at each of `count` >= 1 rising concurrencies. */
typedef struct fwi_level_table {
  const double *concurrency;
  const double *p_w;
  size_t count;
} fwi_level_table;

/* Watts at `concurrency` >= 1. */
double fwi_log2_w(const fwi_level_log2 *form, double concurrency);
double fwi_logistic_w(const fwi_level_logistic *form, double concurrency);
double fwi_table_w(const fwi_level_table *form, double concurrency);
double fwi_roofline_w(const fwi_level_roofline *form, double concurrency, const fw_timing *timing);

#endif
