/* The sample kernel: segments and residuals to true energy and readings, tick by tick. The hot path of a simulation.
 *
 * Truth is exact in time: a tick that holds several segments gets the energy of each. The residual is constant on a
 * tick; each segment's phase maps the same standardised value through its own marginal. Power is rounded to milliwatts
 * once, then everything is integer. */
#include "sim/fleet/job.h"

/* Power in mW above which, and below which, a GPU cannot be. */
typedef struct limits {
  double floor;
  double ceiling;
  double board;
} limits;

static fw_power_mw clamp(fwi_job *job, double power, limits bounds, fw_time_ns length) {
  /* All limits are far inside int64, and so is what lies between them. */
  if (power < bounds.floor) {
    job->floor_count++;
    job->bias_pj += (fw_energy_pj)((bounds.floor - power) * (double)length);
    return (fw_power_mw)bounds.floor;
  }
  if (power > bounds.ceiling) {
    if (bounds.ceiling < bounds.board) {
      job->capped_count++;
    } else {
      job->ceiling_count++;
      job->bias_pj -= (fw_energy_pj)((power - bounds.ceiling) * (double)length);
    }
    return (fw_power_mw)bounds.ceiling;
  }
  return (fw_power_mw)(power + 0.5);
}

/* Fills the scratch with each GPU's contrast, zero-sum over the job, at buffer position `at`. */
static void contrasts(fwi_job *job, const fw_marginal_table *table, size_t at) {
  const size_t gpus = job->spec->gpus;
  double sum = 0.0;
  for (size_t g = 0; g < gpus; g++) {
    job->contrast_mw[g] = fw_marginal_mw(table, job->noise.z_contrast[g * FWI_NOISE_BLOCK + at]);
    sum += job->contrast_mw[g];
  }
  const double mean = sum / (double)gpus;
  for (size_t g = 0; g < gpus; g++) {
    job->contrast_mw[g] -= mean;
  }
}

static double segment_level(const fwi_segment *segment, size_t gpu) {
  return segment->gpu_level != NULL ? (double)segment->gpu_level[gpu] * segment->scale : (double)segment->level;
}

/* Adds the energy of `length` within one tick, spent in `segment`. */
static void sample_piece(fwi_job *job, const fwi_segment *segment, fw_time_ns length, uint64_t tick, size_t at,
                         int64_t *energy) {
  const size_t gpus = job->spec->gpus;
  const fwi_noise_tables *tables = job->noise.tables;
  const limits bounds = {(double)job->setting->gpu->idle, (double)segment->ceiling,
                         (double)job->setting->gpu->board_max};
  double total = 0.0;
  bool contrast = false;
  if (tables != NULL) {
    const fw_marginal_table *law = &tables->total[segment->phase];
    total = law->zero ? 0.0 : fw_marginal_mw(law, job->noise.z_total[at]) / (double)gpus;
    contrast = gpus > 1 && !tables->contrast[segment->phase].zero;
    if (contrast) {
      contrasts(job, &tables->contrast[segment->phase], at);
    }
  }
  for (size_t g = 0; g < gpus; g++) {
    double power = segment_level(segment, g) + total;
    power += contrast ? job->contrast_mw[g] : 0.0;
    power += job->spike_tick[g] == tick && segment->phase != FW_PHASE_IDLE ? (double)job->spike_height[g] : 0.0;
    energy[g] += clamp(job, power, bounds, length) * length;
  }
}

static void next_spikes(fwi_job *job, uint64_t tick) {
  for (size_t g = 0; g < job->spec->gpus; g++) {
    while (job->spike_tick[g] <= tick) {
      (void)fw_spike_next(&job->noise.tables->model->residual.spikes, fw_time_to_seconds(job->setting->tick),
                          job->noise.seed, (uint32_t)(job->spec->first_gpu + g), ++job->spike_number[g],
                          job->spike_tick[g], &job->spike_tick[g], &job->spike_height[g]);
    }
  }
}

static void read_sensors(fwi_job *job, size_t at, const int64_t *energy, fw_power_mw *reading) {
  const fw_sensor *sensor = &job->setting->gpu->sensor;
  const double per_tick = 1.0 / (double)job->setting->tick;
  fw_power_mw sum = 0;
  for (size_t g = 0; g < job->spec->gpus; g++) {
    reading[g] = fw_sensor_reading(sensor, job->sensor_error_mw, job->gain[g], (double)energy[g] * per_tick,
                                   job->noise.z_sensor[g * FWI_NOISE_BLOCK + at]);
    sum += reading[g];
  }
  fwi_telemetry_add(&job->telemetry, sum);
}

/* Samples tick `tick`; `segment` is the first that reaches into it and is moved to the last that does. */
static void sample_tick(fwi_job *job, uint64_t tick, size_t *segment) {
  const size_t gpus = job->spec->gpus;
  const size_t at = fwi_noise_at(&job->noise, tick);
  int64_t *energy = job->energy_pj + job->collected_ticks * gpus;
  fw_time_ns from = (fw_time_ns)tick * job->setting->tick;
  const fw_time_ns end = from + job->setting->tick;
  for (size_t g = 0; g < gpus; g++) {
    energy[g] = 0;
  }
  while (from < end) {
    const fwi_segment *piece = &job->segments[*segment];
    const fw_time_ns to = piece->to < end ? piece->to : end;
    sample_piece(job, piece, to - from, tick, at, energy);
    from = to;
    *segment += piece->to <= end;
  }
  for (size_t g = 0; g < gpus; g++) {
    job->energy += energy[g];
  }
  read_sensors(job, at, energy, job->reading + job->collected_ticks * gpus);
  if (job->noise.tables != NULL) {
    next_spikes(job, tick);
  }
  job->collected_ticks++;
}

void fwi_job_sample(fwi_job *job) {
  const uint64_t whole = (uint64_t)(job->now / job->setting->tick);
  size_t segment = 0;
  for (; job->sampled < whole; job->sampled++) {
    sample_tick(job, job->sampled, &segment);
  }
  for (size_t i = segment; i < job->segment_count; i++) {
    job->segments[i - segment] = job->segments[i];
  }
  job->segment_count -= segment;
}
