/* Which answers of a study moved against another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/study/sweep/stored.h"

const char *const fw_stored_verdict_names[] = {"same", "moved", "beyond"};

static const fw_stored_point *find_point(const fw_stored_study *study, const char *settings) {
  for (size_t i = 0; i < study->point_count; i++) {
    if (strcmp(study->points[i].settings, settings) == 0) {
      return &study->points[i];
    }
  }
  return NULL;
}

static bool same_budget(const fw_stored_arm *a, const fw_stored_arm *b) {
  return a->budget == b->budget || (a->budget > 0 && a->oversubscription == b->oversubscription);
}

static const fw_stored_arm *find_arm(const fw_stored_point *point, const fw_stored_arm *like) {
  for (size_t i = 0; point != NULL && i < point->arm_count; i++) {
    if (strcmp(point->arms[i].policy, like->policy) == 0 && same_budget(&point->arms[i], like)) {
      return &point->arms[i];
    }
  }
  return NULL;
}

static const fw_stored_metric *find_metric(const fw_stored_arm *arm, const fw_stored_metric *like) {
  for (size_t i = 0; i < arm->metric_count; i++) {
    if (arm->metrics[i].window == like->window && strcmp(arm->metrics[i].name, like->name) == 0) {
      return &arm->metrics[i];
    }
  }
  return NULL;
}

static bool same_seeds(const fw_stored_arm *a, const fw_stored_arm *b) {
  return a->runs == b->runs && memcmp(a->seeds, b->seeds, a->runs * sizeof *a->seeds) == 0;
}

static bool same_values(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) {
      return false;
    }
  }
  return true;
}

static bool apart(fw_estimate a, fw_estimate b) {
  return a.hi < b.lo || b.hi < a.lo;
}

static void judge(const fw_stored_arm *before, const fw_stored_metric *a, const fw_stored_arm *after,
                  const fw_stored_metric *b, fw_stored_change *change) {
  const double none = (double)NAN;
  change->before = a->estimate;
  change->after = b->estimate;
  change->difference = (fw_estimate){none, none, none};
  if (!same_seeds(before, after)) {
    change->verdict = apart(a->estimate, b->estimate) ? FW_STORED_BEYOND : FW_STORED_MOVED;
    return;
  }
  change->difference = fw_estimate_paired(b->values, a->values, before->runs).difference;
  if (same_values(a->values, b->values, before->runs)) {
    change->verdict = FW_STORED_SAME;
  } else if (change->difference.lo > 0.0 || change->difference.hi < 0.0) {
    change->verdict = FW_STORED_BEYOND;
  } else {
    change->verdict = FW_STORED_MOVED;
  }
}

static fw_status compare_arms(const fw_stored_arm *before, const fw_stored_arm *after, size_t point, size_t arm,
                              size_t *capacity, fw_stored_comparison *out, fw_diagnostics *diagnostics) {
  for (size_t m = 0; m < before->metric_count; m++) {
    const fw_stored_metric *other = find_metric(after, &before->metrics[m]);
    if (other == NULL) {
      continue;
    }
    if (!fw_grow(&out->changes, capacity, out->count + 1, sizeof *out->changes)) {
      return fw_error_memory(diagnostics, "a comparison of studies");
    }
    fw_stored_change *change = &out->changes[out->count++];
    *change = (fw_stored_change){.point = point, .arm = arm, .metric = m};
    judge(before, &before->metrics[m], after, other, change);
    out->verdicts[change->verdict]++;
  }
  return FW_OK;
}

static size_t count_arms(const fw_stored_study *study) {
  size_t arms = 0;
  for (size_t i = 0; i < study->point_count; i++) {
    arms += study->points[i].arm_count;
  }
  return arms;
}

fw_status fw_stored_compare(const fw_stored_study *before, const fw_stored_study *after, fw_stored_comparison *out,
                            fw_diagnostics *diagnostics) {
  size_t capacity = 0;
  size_t common = 0;
  fw_status status = FW_OK;
  *out = (fw_stored_comparison){.before = before, .after = after};
  for (size_t p = 0; p < before->point_count; p++) {
    const fw_stored_point *other = find_point(after, before->points[p].settings);
    for (size_t a = 0; status == FW_OK && a < before->points[p].arm_count; a++) {
      const fw_stored_arm *arm = find_arm(other, &before->points[p].arms[a]);
      if (arm != NULL) {
        common++;
        status = compare_arms(&before->points[p].arms[a], arm, p, a, &capacity, out, diagnostics);
      }
    }
  }
  out->only_before = count_arms(before) - common;
  out->only_after = count_arms(after) - common;
  if (status != FW_OK) {
    free(out->changes);
    out->changes = NULL;
  }
  return status;
}
