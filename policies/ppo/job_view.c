/* Powers are written as headroom under what is allowed, over the job's TDP: what matters is how far a job is from its
 * budget, and the trainer's normalisation does the rest. A window is judged against the mean of the budget over the
 * same window (sim/engine/meter.h), so the view remembers when budgets changed and gives the window's own headroom.
 * What is not known is 0; where 0 could be mistaken for a value, a flag stands beside it. */
#include "policies/ppo/job_view.h"

#include <math.h>
#include <string.h>

#include "sim/base/elementary.h"

#define SCHEMA_NAME "fleetwatt job view 1"
#define SHOWN_DIGITS 9
#define MOST_FEATURE 1e6 /* no reading is that many times the job's TDP; keeps what is infinite finite */
#define INTERVAL_UNIT_S 60.0
#define SOON_S 30.0   /* a change so near is about two decisions away */
#define LATER_S 300.0 /* and so near it is worth preparing for */

/* ---- The view ---- */

static bool counts_things(fw_actuator actuator) {
  return actuator == FW_ACTUATOR_CONCURRENCY || actuator == FW_ACTUATOR_GROUP_SIZE ||
         actuator == FW_ACTUATOR_COMPLETION_TOKENS;
}

/* Evenly spaced settings of a range; those that count things are whole, each once. */
static uint32_t space_out(const fw_actuator_range *range, bool whole, double *settings) {
  uint32_t count = 0;
  for (size_t i = 0; i < FW_JOB_VIEW_SPACED; i++) {
    const double share = (double)i / (double)(FW_JOB_VIEW_SPACED - 1);
    const double exact = range->min + share * (range->max - range->min);
    const double value = whole ? floor(exact + 0.5) : exact;
    if (count == 0 || value > settings[count - 1]) {
      settings[count++] = value;
    }
  }
  return count;
}

static fw_status add_head(const fw_job_setup *job, fw_actuator actuator, fw_job_view *view,
                          fw_diagnostics *diagnostics) {
  const fw_actuator_range *range = &job->actuators[actuator];
  const size_t head = view->space.head_count;
  if (!(range->min < range->max)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the job does not offer \"%s\", which the trained policy sets; give the job a range for it",
                    fw_actuator_names[actuator]);
  }
  view->actuators[head] = actuator;
  if (range->level_count > 0) {
    memcpy(view->settings[head], range->levels, range->level_count * sizeof range->levels[0]);
    view->space.head_size[head] = (uint32_t)range->level_count;
  } else {
    view->space.head_size[head] = space_out(range, counts_things(actuator), view->settings[head]);
  }
  view->space.head_count++;
  return FW_OK;
}

/* Numbers in an observation, as fw_job_view_observe writes them. */
static size_t observation_size(const fw_job_view *view) {
  const size_t windows = 3 * view->window_count; /* own, whether full, the site's */
  const size_t intervals = 3 * FW_JOB_VIEW_INTERVALS;
  return 2 + windows + intervals + 6 + view->space.head_count + 3;
}

fw_status fw_job_view_create(const fw_job_setup *job, uint32_t actuators, fw_job_view *out,
                             fw_diagnostics *diagnostics) {
  *out = (fw_job_view){.window_count = job->window_count, .tdp_w = job->tdp_w, .idle_w = job->idle_w};
  memcpy(out->windows_s, job->windows_s, sizeof out->windows_s);
  fw_status first = FW_OK;
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if ((actuators & 1u << i) != 0) {
      const fw_status status = add_head(job, (fw_actuator)i, out, diagnostics);
      first = first != FW_OK ? first : status;
    }
  }
  if (actuators == 0) {
    first = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "a trained policy must set at least one actuator");
  }
  out->space.observation_size = observation_size(out);
  return first;
}

static void add_numbers(const double *values, size_t count, fw_text *text) {
  for (size_t i = 0; i < count; i++) {
    fw_text_add(text, " ");
    fw_text_add_number(text, values[i], SHOWN_DIGITS);
  }
  fw_text_add(text, "\n");
}

void fw_job_view_schema(const fw_job_view *view, fw_text *text) {
  fw_text_add(text, SCHEMA_NAME "\nwindows_s:");
  add_numbers(view->windows_s, view->window_count, text);
  for (size_t head = 0; head < view->space.head_count; head++) {
    fw_text_add_format(text, "%s:", fw_actuator_names[view->actuators[head]]);
    add_numbers(view->settings[head], view->space.head_size[head], text);
  }
}

static bool has_line(const char *schema, const char *name) {
  const size_t length = strlen(name);
  for (const char *line = schema; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, length) == 0 && line[length] == ':') {
      return true;
    }
  }
  return false;
}

uint32_t fw_job_view_actuators(const char *schema) {
  uint32_t bits = 0;
  if (strncmp(schema, SCHEMA_NAME "\n", strlen(SCHEMA_NAME) + 1) != 0) {
    return 0;
  }
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    bits |= has_line(schema, fw_actuator_names[i]) ? 1u << i : 0;
  }
  return bits;
}

/* ---- The past ---- */

fw_job_view_memory fw_job_view_start(void) {
  return (fw_job_view_memory){.announced_s = (double)INFINITY};
}

/* A change counts from when it was announced for, where that lies between the last decision and this one. */
static void note_budget(fw_job_view_memory *memory, const fw_job_observation *seen) {
  const fw_job_view_budget now = {
      .from_s = memory->announced_s <= seen->time_s ? memory->announced_s : seen->time_s,
      .job_w = seen->budget_w,
      .site_w = seen->fleet_budget_w,
  };
  const fw_job_view_budget *last = &memory->budgets[memory->budget_count > 0 ? memory->budget_count - 1 : 0];
  memory->announced_s = seen->time_s + seen->next_budget_in_s;
  if (memory->budget_count > 0 && last->job_w == now.job_w && last->site_w == now.site_w) {
    return;
  }
  if (memory->budget_count == FW_JOB_VIEW_BUDGETS) {
    memory->budget_count--;
    memmove(memory->budgets, memory->budgets + 1, memory->budget_count * sizeof memory->budgets[0]);
  }
  memory->budgets[memory->budget_count++] = now;
}

static void shift_in(double values[FW_JOB_VIEW_INTERVALS], double newest) {
  memmove(values + 1, values, (FW_JOB_VIEW_INTERVALS - 1) * sizeof values[0]);
  values[0] = newest;
}

/* Mean budget over (now - window, now], as far back as is remembered. */
static double mean_budget(const fw_job_view_memory *memory, double now_s, double window_s, bool site) {
  double end = now_s;
  double sum = 0.0;
  double covered = 0.0;
  for (size_t i = memory->budget_count; i > 0 && covered < window_s; i--) {
    const fw_job_view_budget *piece = &memory->budgets[i - 1];
    const double from = fmax(piece->from_s, now_s - window_s);
    const double length = end > from ? end - from : 0.0;
    sum += length * (site ? piece->site_w : piece->job_w);
    covered += length;
    end = from;
  }
  return covered > 0.0 ? sum / covered : (site ? memory->budgets[0].site_w : memory->budgets[0].job_w);
}

/* ---- Writing ---- */

typedef struct writer {
  float *next;
} writer;

static double known_or_0(double value) {
  return isnan(value) ? 0.0 : value;
}

static void put(writer *to, double value) {
  const double known = known_or_0(value);
  *to->next++ = (float)(known > MOST_FEATURE ? MOST_FEATURE : known < -MOST_FEATURE ? -MOST_FEATURE : known);
}

static void put_windows(const fw_job_view *view, const fw_job_view_memory *memory, const fw_job_observation *seen,
                        writer *to) {
  for (size_t i = 0; i < view->window_count; i++) {
    const double window_s = view->windows_s[i];
    const double own = mean_budget(memory, seen->time_s, window_s, false) - seen->window_mean_w[i];
    const double site = mean_budget(memory, seen->time_s, window_s, true) - seen->fleet_window_mean_w[i];
    put(to, own / view->tdp_w);
    put(to, isnan(seen->window_mean_w[i]) ? 0.0 : 1.0);
    put(to, site / view->tdp_w);
  }
}

static void put_intervals(const fw_job_view_memory *memory, writer *to) {
  for (size_t i = 0; i < FW_JOB_VIEW_INTERVALS; i++) {
    put(to, memory->headroom[i]);
    put(to, memory->site_headroom[i]);
    put(to, memory->elapsed_s[i] / INTERVAL_UNIT_S);
  }
}

static void put_budgets(const fw_job_view *view, const fw_job_observation *seen, writer *to) {
  const double in_s = isnan(seen->next_budget_in_s) ? (double)INFINITY : seen->next_budget_in_s;
  put(to, seen->budget_w / view->tdp_w);
  put(to, seen->budget_w / seen->fleet_budget_w);
  put(to, (seen->next_budget_w - seen->budget_w) / view->tdp_w);
  put(to, fw_exp(-in_s / SOON_S));
  put(to, fw_exp(-in_s / LATER_S));
  put(to, isnan(seen->budget_w) ? 0.0 : 1.0);
}

/* Where the setting in force lies among those to choose from, 0 to 1. */
static double position(const fw_job_view *view, size_t head, double setting) {
  const size_t last = view->space.head_size[head] - 1;
  size_t nearest = 0;
  for (size_t i = 1; i <= last; i++) {
    const double nearer = fabs(view->settings[head][i] - setting);
    nearest = nearer < fabs(view->settings[head][nearest] - setting) ? i : nearest;
  }
  return last > 0 ? (double)nearest / (double)last : 0.0;
}

static void put_job(const fw_job_view *view, const fw_job_observation *seen, writer *to) {
  for (size_t head = 0; head < view->space.head_count; head++) {
    put(to, position(view, head, seen->settings[view->actuators[head]]));
  }
  put(to, seen->occupancy / fmax(seen->settings[FW_ACTUATOR_CONCURRENCY], 1.0));
  put(to, seen->step_progress);
  put(to, seen->decision == 0 ? 1.0 : 0.0);
}

void fw_job_view_observe(const fw_job_view *view, fw_job_view_memory *memory, const fw_job_observation *seen,
                         float *observation) {
  note_budget(memory, seen);
  const double interval_budget_w = mean_budget(memory, seen->time_s, seen->elapsed_s, false);
  shift_in(memory->headroom, known_or_0((interval_budget_w - seen->interval_mean_w) / view->tdp_w));
  shift_in(memory->site_headroom, known_or_0((seen->fleet_budget_w - seen->fleet_power_w) / view->tdp_w));
  shift_in(memory->elapsed_s, seen->elapsed_s);
  writer to = {observation};
  put(&to, (seen->budget_w - seen->power_w) / view->tdp_w);
  put(&to, (seen->interval_mean_w - view->idle_w) / view->tdp_w);
  put_windows(view, memory, seen, &to);
  put_intervals(memory, &to);
  put_budgets(view, seen, &to);
  put_job(view, seen, &to);
}

void fw_job_view_act(const fw_job_view *view, const uint32_t *choices, fw_job_action *action) {
  for (size_t head = 0; head < view->space.head_count; head++) {
    const fw_actuator actuator = view->actuators[head];
    action->settings[actuator] = view->settings[head][choices[head]];
    action->set |= 1u << actuator;
  }
}
