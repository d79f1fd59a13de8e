/* Inside policies/ppo: the number type of the networks, and rows of them for SIMD instructions.
 *
 * The arithmetic of the networks (network.c, loss.c, gradient.c) is written once. It runs in single precision; a test
 * compiles the same files with FWI_PPO_DOUBLE to hold their gradients against finite differences.
 *
 * A row is as wide as an AVX register. Functions that are hot are compiled twice, for any processor and for AVX2, with
 * every helper part of its caller; a multiplication and an addition are always two roundings (no FMA), so both give the
 * same bits. */
#ifndef FW_POLICIES_PPO_REAL_H
#define FW_POLICIES_PPO_REAL_H

#include "sim/base/elementary.h"
#include "sim/base/elementary_float.h"

#ifdef FWI_PPO_DOUBLE
typedef double fwi_real;
#else
typedef float fwi_real;
#endif

#define FWI_ROW_BYTES 32
enum { FWI_LANES = FWI_ROW_BYTES / sizeof(fwi_real) };

/* May stand at any place in an array of numbers. */
typedef fwi_real fwi_row __attribute__((vector_size(FWI_ROW_BYTES), aligned(sizeof(fwi_real)), may_alias));

#define FWI_INLINED inline __attribute__((always_inline))

#ifdef __x86_64__
#define FWI_WIDE __attribute__((target("avx2")))
#define FWI_HAS_WIDE() __builtin_cpu_supports("avx2")
#else
#define FWI_WIDE
#define FWI_HAS_WIDE() 0
#endif

/* Defines the public function `name` with a body that was compiled both ways. */
#define FWI_BOTH_WAYS(name, parameters, arguments)                                                                     \
  static void name##_plain parameters {                                                                                \
    name##_body arguments;                                                                                             \
  }                                                                                                                    \
  FWI_WIDE static void name##_wide parameters {                                                                        \
    name##_body arguments;                                                                                             \
  }                                                                                                                    \
  void name parameters {                                                                                               \
    if (FWI_HAS_WIDE()) {                                                                                              \
      name##_wide arguments;                                                                                           \
    } else {                                                                                                           \
      name##_plain arguments;                                                                                          \
    }                                                                                                                  \
  }

static FWI_INLINED size_t fwi_whole_rows(size_t count) {
  return (count + FWI_LANES - 1) / FWI_LANES * FWI_LANES;
}

static FWI_INLINED fwi_real fwi_tanh(fwi_real x) {
#ifdef FWI_PPO_DOUBLE
  return fw_tanh(x);
#else
  return fw_tanh_float(x);
#endif
}

static FWI_INLINED fwi_real fwi_exp(fwi_real x) {
#ifdef FWI_PPO_DOUBLE
  return fw_exp(x);
#else
  return fw_exp_float(x);
#endif
}

#endif
