/* The events of a scenario: from what is written to what a run uses, each held against jobs, GPUs and time. */
#include "sim/scenario/adversity.h"

#include <string.h>

#include "sim/base/memory.h"
#include "sim/scenario/resolve.h"

bool fw_adversity_befalls(const fw_adversity *adversity, const char *job_class) {
  for (size_t i = 0; i < adversity->class_count; i++) {
    if (strcmp(adversity->classes[i], job_class) == 0) {
      return true;
    }
  }
  return adversity->class_count == 0 && adversity->kind != FW_ADVERSITY_FEED_LOSS;
}

static fw_status take_classes(fwi_resolve *resolve, const fw_array *classes, const fw_json_value *value,
                              fw_adversity *out) {
  out->classes = (const char *const *)classes->data;
  out->class_count = classes->count;
  return fwi_check_classes(resolve, classes, value);
}

/* GPUs without a job do nothing that could fail. */
static fw_status take_gpu(fwi_resolve *resolve, int64_t gpu, const fw_json_value *value, fw_adversity *out) {
  const fw_scenario_parts *parts = resolve->parts;
  const fw_scenario_job *last = parts->job_count > 0 ? &parts->jobs[parts->job_count - 1] : NULL;
  const size_t used = last != NULL ? last->first_gpu + last->gpus : 0;
  out->gpu = (size_t)gpu;
  if (out->gpu < used) {
    return FW_OK;
  }
  return fw_json_error(fw_record_member(value, "gpu"), resolve->diagnostics,
                       "GPU %zu has no job: jobs are on the GPUs 0 to %zu", out->gpu, used > 0 ? used - 1 : 0);
}

static fw_power_mw down_power(const fwi_resolve *resolve, bool given, fw_power_mw power) {
  return given ? power : resolve->scenario->gpu.idle;
}

static fw_status take_end(fwi_resolve *resolve, fw_time_ns duration, const fw_json_value *value, fw_adversity *out) {
  if (fw_time_add(out->from, duration, &out->to)) {
    return FW_OK;
  }
  return fw_json_error(fw_record_member(value, "duration"), resolve->diagnostics, "the event lasts too long");
}

static fw_status take_restart(fwi_resolve *resolve, const fwi_file_restart *file, const fw_json_value *value,
                              fw_adversity *out) {
  out->from = out->to = file->at;
  out->outage = (fw_outage){.down = file->down,
                            .load = file->load,
                            .power = down_power(resolve, file->down_power_given, file->down_power),
                            .keeps_work = file->keeps_work};
  return take_classes(resolve, &file->classes, value, out);
}

static fw_status take_feed_loss(fwi_resolve *resolve, const fwi_file_feed_loss *file, const fw_json_value *value,
                                fw_adversity *out) {
  out->from = file->from;
  out->factor = file->left;
  out->outage = (fw_outage){.down = file->duration, .load = file->load};
  return fwi_first(take_end(resolve, file->duration, value, out), take_classes(resolve, &file->classes, value, out));
}

static fw_status take_demand_response(fwi_resolve *resolve, const fwi_file_demand_response *file,
                                      const fw_json_value *value, fw_adversity *out) {
  out->from = file->from;
  out->factor = file->factor;
  return take_end(resolve, file->duration, value, out);
}

static fw_status take_gpu_failure(fwi_resolve *resolve, const fwi_file_gpu_failure *file, const fw_json_value *value,
                                  fw_adversity *out) {
  out->from = out->to = file->at;
  out->outage = (fw_outage){
      .down = file->repair, .load = file->load, .power = down_power(resolve, file->down_power_given, file->down_power)};
  return take_gpu(resolve, file->gpu, value, out);
}

static fw_status take_gpu_failures(fwi_resolve *resolve, const fwi_file_gpu_failures *file, const fw_json_value *value,
                                   fw_adversity *out) {
  out->to = resolve->scenario->duration;
  out->mtbf = file->mtbf;
  out->mttr = file->mttr;
  out->outage = (fw_outage){.load = file->load, .power = down_power(resolve, file->down_power_given, file->down_power)};
  return take_classes(resolve, &file->classes, value, out);
}

static fw_status take_straggler(fwi_resolve *resolve, const fwi_file_straggler *file, const fw_json_value *value,
                                fw_adversity *out) {
  out->from = file->from;
  out->to = resolve->scenario->duration;
  out->factor = file->factor;
  const fw_status status = file->duration > 0 ? take_end(resolve, file->duration, value, out) : FW_OK;
  return fwi_first(status, take_gpu(resolve, file->gpu, value, out));
}

static fw_status take_cap_faults(fwi_resolve *resolve, const fwi_file_cap_faults *file, const fw_json_value *value,
                                 fw_adversity *out) {
  out->to = resolve->scenario->duration;
  out->lost = file->lost;
  out->late = file->late;
  out->delay = file->delay;
  fw_status status = take_classes(resolve, &file->classes, value, out);
  if (file->lost + file->late > 1.0) {
    status = fw_json_error(value, resolve->diagnostics,
                           "a command is lost, late or neither: the probabilities %g and %g add up to more than 1",
                           file->lost, file->late);
  }
  if (file->late > 0.0 && file->delay == 0) {
    status = fw_json_error(value, resolve->diagnostics, "commands may be late; say by how much: add \"delay_s\"");
  }
  return status;
}

static fw_status take_event(fwi_resolve *resolve, size_t index, fw_adversity *out) {
  const fw_variant *written = (const fw_variant *)resolve->file->events.data + index;
  const fw_json_value *value = fw_record_element(resolve->root, "events", index);
  out->kind = (fw_adversity_kind)(written->which - fwi_event_cases);
  switch (out->kind) {
  case FW_ADVERSITY_RESTART:
    return take_restart(resolve, written->value, value, out);
  case FW_ADVERSITY_FEED_LOSS:
    return take_feed_loss(resolve, written->value, value, out);
  case FW_ADVERSITY_DEMAND_RESPONSE:
    return take_demand_response(resolve, written->value, value, out);
  case FW_ADVERSITY_GPU_FAILURE:
    return take_gpu_failure(resolve, written->value, value, out);
  case FW_ADVERSITY_GPU_FAILURES:
    return take_gpu_failures(resolve, written->value, value, out);
  case FW_ADVERSITY_STRAGGLER:
    return take_straggler(resolve, written->value, value, out);
  case FW_ADVERSITY_CAP_FAULTS:
  case FW_ADVERSITY_KINDS:
    break;
  }
  return take_cap_faults(resolve, written->value, value, out);
}

/* Two laws of random failures or of faulty commands for one job would draw the same numbers. */
static fw_status check_once(fwi_resolve *resolve, const fw_adversity *events, size_t index) {
  const fw_adversity_kind kind = events[index].kind;
  if (kind != FW_ADVERSITY_GPU_FAILURES && kind != FW_ADVERSITY_CAP_FAULTS) {
    return FW_OK;
  }
  for (size_t i = 0; i < index; i++) {
    for (size_t j = 0; events[i].kind == kind && j < resolve->parts->job_count; j++) {
      const char *job_class = resolve->parts->jobs[j].job_class;
      if (fw_adversity_befalls(&events[i], job_class) && fw_adversity_befalls(&events[index], job_class)) {
        return fw_json_error(fw_record_element(resolve->root, "events", index), resolve->diagnostics,
                             "events[%zu] already says \"%s\" for class \"%s\"; give each class one law", i,
                             fw_adversity_kind_names[kind], job_class);
      }
    }
  }
  return FW_OK;
}

static void warn_if_never(const fwi_resolve *resolve, const fw_adversity *event, size_t index) {
  if (event->from >= resolve->scenario->duration) {
    char path[FW_JSON_PATH_SIZE];
    fw_warning(resolve->diagnostics, fw_json_place(fw_record_element(resolve->root, "events", index), path),
               "the run ends before this event begins");
  }
}

/* What changes the budget of the site. */
static void add_call(fw_scenario_parts *parts, const fw_adversity *event, fw_time_ns notice,
                     fw_budget_schedule *schedule) {
  parts->calls[schedule->call_count++] = (fw_budget_call){.from = event->from,
                                                          .to = event->to,
                                                          .factor = event->factor,
                                                          .announced = event->from > notice ? event->from - notice : 0,
                                                          .end_known = event->kind == FW_ADVERSITY_DEMAND_RESPONSE};
}

static void add_calls(fwi_resolve *resolve) {
  fw_scenario_parts *parts = resolve->parts;
  for (size_t i = 0; i < resolve->scenario->adversity_count; i++) {
    const fw_adversity *event = &parts->adversities[i];
    if (event->kind == FW_ADVERSITY_FEED_LOSS) {
      add_call(parts, event, 0, &resolve->scenario->schedule);
    } else if (event->kind == FW_ADVERSITY_DEMAND_RESPONSE) {
      const fw_variant *written = (const fw_variant *)resolve->file->events.data + i;
      const fwi_file_demand_response *file = written->value;
      add_call(parts, event, file->notice, &resolve->scenario->schedule);
    }
  }
}

fw_status fwi_resolve_adversities(fwi_resolve *resolve) {
  fw_scenario_parts *parts = resolve->parts;
  fw_scenario *scenario = resolve->scenario;
  const size_t count = resolve->file->events.count;
  if (count == 0) {
    return FW_OK;
  }
  parts->adversities = fw_allocate(count, sizeof *parts->adversities);
  parts->calls = fw_allocate(count, sizeof *parts->calls);
  if (parts->adversities == NULL || parts->calls == NULL) {
    return fw_error_memory(resolve->diagnostics, "the events of the scenario");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; i < count; i++) {
    status = fwi_first(status, take_event(resolve, i, &parts->adversities[i]));
    status = fwi_first(status, check_once(resolve, parts->adversities, i));
    warn_if_never(resolve, &parts->adversities[i], i);
  }
  scenario->adversities = parts->adversities;
  scenario->adversity_count = count;
  scenario->schedule.calls = parts->calls;
  add_calls(resolve);
  return status;
}
