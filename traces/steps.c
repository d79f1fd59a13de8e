/* A sorted array of stamps; a series walks along it, so the next stamp is mostly the next entry. */
#include "traces/steps.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

void fwi_steps_clear(fwi_steps *steps) {
  free(steps->data);
  *steps = (fwi_steps){0};
}

/* The position of the first entry that is not before `time`. */
static size_t position_of(const fwi_steps *steps, fw_time_ns time) {
  size_t low = 0, high = steps->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (steps->data[middle].time < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool insert(fwi_steps *steps, size_t position, fw_time_ns time) {
  if (steps->count == FWI_STEP_LIMIT) {
    steps->full = true;
    return true;
  }
  if (!fw_grow(&steps->data, &steps->capacity, steps->count + 1, sizeof *steps->data)) return false;
  fwi_step *step = &steps->data[position];
  memmove(step + 1, step, (steps->count - position) * sizeof *step);
  *step = (fwi_step){.time = time};
  steps->count++;
  return true;
}

bool fwi_steps_add(fwi_steps *steps, fw_time_ns time, fw_power_mw power) {
  if (steps->full) return true;
  size_t position = steps->next;
  if (position >= steps->count || steps->data[position].time != time) position = position_of(steps, time);
  bool known = position < steps->count && steps->data[position].time == time;
  if (!known && !insert(steps, position, time)) return false;
  if (steps->full) return true;
  steps->data[position].sum += power;
  steps->data[position].count++;
  steps->next = position + 1;
  return true;
}
