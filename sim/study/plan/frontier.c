/* Look, test downward, test upward, check. */
#include "sim/study/plan/frontier.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"

/* Points that a walk may test before it gives up. */
#define MOST_STEPS 5

/* Runs after which a point that its budget cannot decide is given up. */
#define MOST_RUNS_IN_HOPE ((size_t)32)

/* Paired differences of so many deviations count as a fall. Among some dozen pairs chance makes one in ten thousand
 * searches, where runs are normal. */
#define FALL_DEVIATIONS 5.0
#define FALL_RUNS ((size_t)4)

const char *const fw_point_state_names[] = {"untested", "open", "meets", "fails"};

typedef struct finder {
  const fw_frontier_spec *spec;
  const fw_study_options *options;
  fw_frontier *found;
  size_t tested; /* points */
  fw_diagnostics *diagnostics;
} finder;

typedef struct batch {
  const fw_frontier_spec *spec;
  size_t point;
  uint64_t first; /* replication */
  double *risk;
  double *loss;
} batch;

static fw_status run_one(void *context, size_t index, fw_diagnostics *diagnostics) {
  const batch *work = context;
  return work->spec->run(work->spec->context, work->point, work->first + index, &work->risk[index], &work->loss[index],
                         diagnostics);
}

static fw_status make_room(fw_frontier_runs *runs, size_t count, fw_diagnostics *diagnostics) {
  runs->risk = fw_allocate(count, sizeof *runs->risk);
  runs->loss = fw_allocate(count, sizeof *runs->loss);
  return runs->risk != NULL && runs->loss != NULL ? FW_OK : fw_error_memory(diagnostics, "the runs of a search");
}

/* Adds `count` runs of a point, whose replications begin at `base`. */
static fw_status add_runs(finder *all, size_t point, uint64_t base, size_t count, fw_frontier_runs *runs) {
  batch work = {.spec = all->spec,
                .point = point,
                .first = base + runs->count,
                .risk = runs->risk + runs->count,
                .loss = runs->loss + runs->count};
  const fwi_replications replications = {.count = count, .heard = 1, .run = run_one, .context = &work};
  const fw_status status = fwi_replicate(&replications, all->options, all->diagnostics);
  runs->count += status == FW_OK ? count : 0;
  all->found->runs += count;
  return status;
}

/* ---- The first look ---- */

static fw_status look_at(finder *all, size_t index) {
  fw_frontier_runs *look = &all->found->points[index].look;
  if (look->count > 0) return FW_OK;
  const fw_status status = make_room(look, all->spec->look, all->diagnostics);
  return status == FW_OK ? add_runs(all, index, FW_FRONTIER_LOOK, all->spec->look, look) : status;
}

static double mean_of(const double *values, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += values[i];
  }
  return sum / (double)count;
}

const fw_frontier_runs *fw_frontier_best_runs(const fw_frontier_point *point) {
  return point->tests.count > 0 ? &point->tests : &point->look;
}

static bool looks_good(const fw_frontier_spec *spec, const fw_frontier_point *point) {
  const fw_frontier_runs *runs = fw_frontier_best_runs(point);
  return mean_of(runs->risk, runs->count) < spec->limit &&
         (!spec->limits_loss || mean_of(runs->loss, runs->count) < spec->loss_limit);
}

static fw_status survey(finder *all) {
  const size_t count = all->spec->survey;
  fw_status status = FW_OK;
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    const size_t last = all->spec->point_count - 1;
    status = look_at(all, count > 1 ? (i * last + (count - 1) / 2) / (count - 1) : last / 2);
  }
  return status;
}

/* The number of points that look as if they met the limits, taken to be the first ones. */
static fw_status bisect(finder *all, size_t *good) {
  size_t from = 0;
  size_t to = all->spec->point_count;
  fw_status status = FW_OK;
  while (from < to && status == FW_OK) {
    const size_t middle = from + (to - from) / 2;
    status = look_at(all, middle);
    if (status == FW_OK && looks_good(all->spec, &all->found->points[middle])) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  *good = from;
  return status;
}

/* ---- Tests ---- */

static fw_sequence risk_sequence(const fw_frontier_spec *spec, const fw_frontier_runs *runs) {
  fw_sequence sequence = spec->risk;
  sequence.values = runs->risk;
  sequence.count = runs->count;
  return sequence;
}

static fw_sequence loss_sequence(const fw_frontier_spec *spec, const fw_frontier_runs *runs) {
  return (fw_sequence){
      .kind = FW_SEQUENCE_PLAIN, .quantum = spec->loss_quantum, .values = runs->loss, .count = runs->count};
}

static fw_point_state state_of(fw_verdict verdict) {
  switch (verdict) {
  case FW_VERDICT_BELOW:
    return FW_POINT_MEETS;
  case FW_VERDICT_ABOVE:
    return FW_POINT_FAILS;
  default:
    return FW_POINT_OPEN;
  }
}

/* A point meets with both below, so each may err as often as both together; it fails with either above, so there they
 * share. */
static fw_point_state judge(const fw_frontier_spec *spec, const fw_frontier_point *point) {
  const fw_sequence risk = risk_sequence(spec, &point->tests);
  if (!spec->limits_loss) return state_of(fw_sequence_judge(&risk, spec->limit, point->alpha));
  const fw_sequence loss = loss_sequence(spec, &point->tests);
  const fw_point_state by_risk = state_of(fw_sequence_judge(&risk, spec->limit, point->alpha / 2.0));
  const fw_point_state by_loss = state_of(fw_sequence_judge(&loss, spec->loss_limit, point->alpha / 2.0));
  if (by_risk == FW_POINT_FAILS || by_loss == FW_POINT_FAILS) return FW_POINT_FAILS;
  return by_risk == FW_POINT_MEETS && by_loss == FW_POINT_MEETS ? FW_POINT_MEETS : FW_POINT_OPEN;
}

/* Whether all the runs that it may have would not prove its risk to be below the limit. */
static bool is_hopeless(const fw_frontier_spec *spec, const fw_frontier_point *point) {
  const fw_sequence risk = risk_sequence(spec, &point->tests);
  const double alpha = spec->limits_loss ? point->alpha / 2.0 : point->alpha;
  return point->tests.count >= MOST_RUNS_IN_HOPE && fw_sequence_is_hopeless(&risk, spec->limit, alpha, spec->most_runs);
}

/* Runs a point until it is decided, its runs are used up, or they would not do. */
static fw_status test_point(finder *all, size_t index) {
  const fw_frontier_spec *spec = all->spec;
  fw_frontier_point *point = &all->found->points[index];
  if (point->state != FW_POINT_UNTESTED) return FW_OK;
  all->tested++;
  point->alpha = spec->alpha / ((double)all->tested * (double)(all->tested + 1));
  point->state = FW_POINT_OPEN;
  fw_status status = make_room(&point->tests, spec->most_runs, all->diagnostics);
  while (status == FW_OK && point->state == FW_POINT_OPEN && point->tests.count < spec->most_runs &&
         !is_hopeless(spec, point)) {
    const size_t left = spec->most_runs - point->tests.count;
    status = add_runs(all, index, 0, spec->batch < left ? spec->batch : left, &point->tests);
    point->state = status == FW_OK ? judge(spec, point) : FW_POINT_OPEN;
  }
  return status;
}

/* What clean runs leave open, no lower point decides with as many. */
static bool is_clean(const fw_frontier_point *point) {
  return mean_of(point->tests.risk, point->tests.count) == 0.0;
}

/* How far a walk goes on: past an open point ever farther, because the limit is near and every point there costs all
 * its runs; else to the neighbour. */
static size_t stride(fw_point_state state, size_t *reach) {
  const size_t step = state == FW_POINT_OPEN ? *reach : 1;
  *reach *= state == FW_POINT_OPEN ? 2 : 1;
  return step;
}

/* From the last of the `good` points down to one that meets the limits. */
static fw_status walk_down(finder *all, size_t good) {
  fw_status status = FW_OK;
  size_t reach = 1;
  size_t below = 1;
  for (size_t tests = 0; tests < MOST_STEPS && below <= good && status == FW_OK; tests++) {
    const fw_frontier_point *point = &all->found->points[good - below];
    status = test_point(all, good - below);
    if (status != FW_OK || point->state == FW_POINT_MEETS || is_clean(point)) break;
    below += stride(point->state, &reach);
  }
  return status;
}

/* From point `from` up to one that fails. */
static fw_status walk_up(finder *all, size_t from) {
  fw_status status = FW_OK;
  size_t reach = 1;
  for (size_t tests = 0; tests < MOST_STEPS && from < all->spec->point_count && status == FW_OK; tests++) {
    const fw_frontier_point *point = &all->found->points[from];
    status = test_point(all, from);
    if (status != FW_OK || point->state == FW_POINT_FAILS) break;
    from += stride(point->state, &reach);
  }
  return status;
}

/* ---- The answer ---- */

/* The last proven point below which none is proven to fail, and the first above it that is. */
static void settle(fw_frontier *found) {
  found->meets = FW_NO_POINT;
  found->fails = FW_NO_POINT;
  for (size_t i = 0; i < found->point_count && found->fails == FW_NO_POINT; i++) {
    if (found->points[i].state == FW_POINT_MEETS) found->meets = i;
    if (found->points[i].state == FW_POINT_FAILS) found->fails = i;
  }
  const size_t next = found->meets == FW_NO_POINT ? 0 : found->meets + 1;
  found->decided = next == found->point_count || found->fails == next;
}

/* Mean difference over its error, of the runs that two points have in common; 0 where there are too few. */
static double fall_between(const fw_frontier_runs *low, const fw_frontier_runs *high) {
  const size_t count = low->count < high->count ? low->count : high->count;
  double mean = 0.0;
  double squares = 0.0;
  if (count < FALL_RUNS) return 0.0;
  for (size_t i = 0; i < count; i++) {
    const double difference = low->risk[i] - high->risk[i];
    const double step = difference - mean;
    mean += step / (double)(i + 1);
    squares += step * (difference - mean);
  }
  const double error = sqrt(squares / (double)(count - 1) / (double)count);
  return mean > 0.0 ? mean / error : 0.0;
}

static void check_rise(fw_frontier *found) {
  size_t last = FW_NO_POINT;
  for (size_t i = 0; i < found->point_count && !found->falls; i++) {
    const fw_frontier_point *point = &found->points[i];
    if (fw_frontier_best_runs(point)->count == 0) continue;
    if (last != FW_NO_POINT) {
      const fw_frontier_point *before = &found->points[last];
      const double fall = fmax(fall_between(&before->look, &point->look), fall_between(&before->tests, &point->tests));
      found->falls = fall > FALL_DEVIATIONS;
      found->falls_from = last;
    }
    last = i;
  }
}

/* Where the risk was found to fall, the proven answer must not lie above a point that looks worse than the limit. */
static fw_status go_below_what_looks_bad(finder *all) {
  fw_frontier *found = all->found;
  fw_status status = FW_OK;
  for (size_t i = 0; found->falls && found->meets != FW_NO_POINT && i < found->meets && status == FW_OK; i++) {
    const fw_frontier_point *point = &found->points[i];
    if (fw_frontier_best_runs(point)->count > 0 && !looks_good(all->spec, point)) {
      status = test_point(all, i);
      status = status == FW_OK ? walk_down(all, i) : status;
      settle(found);
    }
  }
  return status;
}

static fw_status find(finder *all) {
  size_t good = 0;
  fw_status status = survey(all);
  status = status == FW_OK ? bisect(all, &good) : status;
  status = status == FW_OK ? walk_down(all, good) : status;
  settle(all->found);
  if (status == FW_OK && all->found->fails == FW_NO_POINT) {
    status = walk_up(all, good);
  }
  if (status == FW_OK) {
    settle(all->found);
    check_rise(all->found);
    status = go_below_what_looks_bad(all);
  }
  return status;
}

fw_status fw_frontier_find(const fw_frontier_spec *spec, const fw_study_options *options, fw_frontier *out,
                           fw_diagnostics *diagnostics) {
  *out = (fw_frontier){.point_count = spec->point_count};
  finder all = {.spec = spec, .options = options, .found = out, .diagnostics = diagnostics};
  out->points = fw_allocate(spec->point_count, sizeof *out->points);
  const fw_status status = out->points != NULL ? find(&all) : fw_error_memory(diagnostics, "a search");
  if (status != FW_OK) fw_frontier_clear(out);
  return status;
}

fw_estimate fw_frontier_risk(const fw_frontier_spec *spec, const fw_frontier_point *point) {
  const fw_sequence sequence = risk_sequence(spec, fw_frontier_best_runs(point));
  return fw_sequence_interval(&sequence, spec->alpha);
}

fw_estimate fw_frontier_loss(const fw_frontier_spec *spec, const fw_frontier_point *point) {
  const fw_sequence sequence = loss_sequence(spec, fw_frontier_best_runs(point));
  return fw_sequence_interval(&sequence, spec->alpha);
}

static void clear_runs(fw_frontier_runs *runs) {
  free(runs->risk);
  free(runs->loss);
}

void fw_frontier_clear(fw_frontier *frontier) {
  for (size_t i = 0; frontier->points != NULL && i < frontier->point_count; i++) {
    clear_runs(&frontier->points[i].look);
    clear_runs(&frontier->points[i].tests);
  }
  free(frontier->points);
  *frontier = (fw_frontier){0};
}
