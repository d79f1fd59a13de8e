/* The sample kernel: segments and residuals to true energy and readings, tick by tick. The hot path of a simulation.
 *
 * Truth is exact in time: a tick that holds several segments gets the energy of each. The residual is constant on a
 * tick; each segment's phase maps the same standardised value through its own marginal. Power is rounded to milliwatts
 * once, then everything is integer. */
#include "sim/fleet/job.h"

/* Power in mW below and above which a GPU cannot be: idle, and the board's maximum or an enforced cap. All are far
 * inside int64, and so is what lies between them. */
typedef struct limits {
  double floor;
  double ceiling;
  double board;
} limits;

static limits limits_of(const fwi_job *job, const fwi_segment *segment) {
  /* A recording is not questioned: its board may idle lower than this one. Nor is a board that is off, alone or among
   * those of a queue. */
  const fw_power_mw idle = job->setting->gpu->idle;
  const bool off = segment->phase == FW_PHASE_IDLE && segment->level < idle;
  const bool given = job->spec->kind == FW_JOB_REPLAY || job->spec->kind == FW_JOB_QUEUE;
  const double floor = given ? 0.0 : (double)(off ? segment->level : idle);
  return (limits){floor, (double)segment->ceiling, (double)job->setting->gpu->board_max};
}

/* Without a branch, so that loops over GPUs have one less. */
static inline bool is_inside(double power, limits bounds) {
  return (power >= bounds.floor) & (power <= bounds.ceiling);
}

/* To mW, for a power inside its limits. */
static inline fw_power_mw rounded(double power) {
  return (fw_power_mw)(power + 0.5);
}

/* The rare case, out of the kernel's way: counts what met a limit. */
static __attribute__((noinline)) fw_power_mw meet_limit(fwi_job *job, double power, limits bounds, fw_time_ns length) {
  if (power < bounds.floor) {
    job->floor_count++;
    job->bias_pj += (fw_energy_pj)((bounds.floor - power) * (double)length);
    return (fw_power_mw)bounds.floor;
  }
  if (bounds.ceiling < bounds.board) {
    job->capped_count++;
  } else {
    job->ceiling_count++;
    job->bias_pj -= (fw_energy_pj)((power - bounds.ceiling) * (double)length);
  }
  return (fw_power_mw)bounds.ceiling;
}

static fw_power_mw held(fwi_job *job, double power, limits bounds, fw_time_ns length) {
  return is_inside(power, bounds) ? rounded(power) : meet_limit(job, power, bounds, length);
}

static __attribute__((noinline)) void hold_all(fwi_job *job, const double *power, limits bounds, fw_time_ns length,
                                               int64_t *energy) {
  for (size_t g = 0; g < job->spec->gpus; g++) {
    energy[g] = length * held(job, power[g], bounds, length);
  }
}

static void set_levels(const fwi_segment *segment, size_t gpus, double *power) {
  if (segment->gpu_level == NULL) {
    for (size_t g = 0; g < gpus; g++) {
      power[g] = (double)segment->level;
    }
    return;
  }
  for (size_t g = 0; g < gpus; g++) {
    power[g] = (double)segment->gpu_level[g] * segment->scale;
  }
}

static double contrast_scale(const fwi_job *job, const fwi_segment *segment) {
  return fwi_noise_contrast_scale(job->noise.tables, (double)(segment->level - job->setting->gpu->idle));
}

static double common_mw(const fwi_job *job, fw_phase phase, size_t at) {
  const fw_marginal_table *total = &job->noise.tables->total[phase];
  return total->zero ? 0.0 : fw_marginal_mw(total, job->noise.z_total[at]) * job->per_gpu;
}

static bool has_contrasts(const fwi_noise *noise, fw_phase phase) {
  return noise->contrast != NULL && !noise->tables->contrast[phase].zero;
}

/* Draws the contrast of each GPU at one tick; returns their mean, which is to be taken off: contrasts sum to zero. */
static inline double draw_contrasts(const fwi_job *job, const fw_marginal_table *law, double scale, size_t at,
                                    double *contrast) {
  const size_t gpus = job->noise.gpus;
  const double *z = job->noise.z_contrast + at;
  double sum = 0.0;
  for (size_t g = 0; g < gpus; g++) {
    contrast[g] = scale * fw_marginal_mw(law, z[g * FWI_NOISE_BLOCK]);
    sum += contrast[g];
  }
  return sum * job->per_gpu;
}

static void add_contrasts(const fwi_job *job, const fwi_segment *segment, size_t at, double *power) {
  const double floor = (double)job->setting->gpu->idle;
  const fw_marginal_table *law = &job->noise.tables->contrast[segment->phase];
  const double mean = draw_contrasts(job, law, contrast_scale(job, segment), at, job->contrast_mw);
  bool lacking = false;
  for (size_t g = 0; g < job->noise.gpus; g++) {
    power[g] = power[g] + job->contrast_mw[g] - mean;
    lacking |= power[g] < floor;
  }
  if (lacking) {
    fwi_noise_share_out(power, job->noise.gpus, floor);
  }
}

/* Adds to each GPU its part of the job's total, then the contrasts. */
static void add_residual(const fwi_job *job, const fwi_segment *segment, size_t at, double *power) {
  const fwi_noise *noise = &job->noise;
  const double common = common_mw(job, segment->phase, at);
  for (size_t g = 0; g < noise->gpus; g++) {
    power[g] += common;
  }
  if (has_contrasts(noise, segment->phase)) {
    add_contrasts(job, segment, at, power);
  }
}

static void add_spikes(const fwi_job *job, uint64_t tick, double *power) {
  for (size_t g = 0; g < job->spec->gpus; g++) {
    power[g] += job->spike_tick[g] == tick ? (double)job->spike_height[g] : 0.0;
  }
}

/* The GPUs of the jobs that a queue runs, each with its residual, and not below idle power unless its level is. */
static void add_tenants(fwi_job *job, const fwi_segment *segment, fw_time_ns length, uint64_t tick, double *power) {
  const fw_power_mw idle = job->setting->gpu->idle;
  const fwi_stay *stays = job->stays + segment->row * job->spec->gpus;
  limits bounds = limits_of(job, segment);
  for (size_t i = 0; i < segment->stay_count; i++) {
    fwi_tenant *tenant = stays[i].tenant;
    const fw_power_mw level = segment->gpu_level[tenant->gpu[0]];
    const double *own = fwi_tenant_power(tenant, tick, stays[i].phase, level, idle);
    bounds.floor = (double)(level < idle ? level : idle);
    for (size_t g = 0; g < tenant->gpus; g++) {
      power[tenant->gpu[g]] = own[g] < bounds.floor ? (double)meet_limit(job, own[g], bounds, length) : own[g];
    }
  }
}

/* Adds the energy of `length` within one tick, spent in `segment`. */
static void sample_piece(fwi_job *job, const fwi_segment *segment, fw_time_ns length, uint64_t tick, size_t at,
                         int64_t *energy) {
  const limits bounds = limits_of(job, segment);
  const size_t gpus = job->spec->gpus;
  double *power = job->power_mw;
  set_levels(segment, gpus, power);
  if (job->noise.tables != NULL) {
    add_residual(job, segment, at, power);
  }
  if (segment->stay_count > 0) {
    add_tenants(job, segment, length, tick, power);
  }
  if (job->next_spike == tick && segment->phase != FW_PHASE_IDLE) {
    add_spikes(job, tick, power);
  }
  for (size_t g = 0; g < gpus; g++) {
    energy[g] += length * held(job, power[g], bounds, length);
  }
}

/* Moves on the spikes that `tick` used up. */
static void next_spikes(fwi_job *job, uint64_t tick) {
  job->next_spike = UINT64_MAX;
  for (size_t g = 0; g < job->spec->gpus; g++) {
    while (job->spike_tick[g] <= tick) {
      (void)fw_spike_next(&job->noise.tables->model->residual.spikes, fw_time_to_seconds(job->setting->tick),
                          job->noise.draws.seed, job->noise.draws.first_gpu + (uint32_t)g, ++job->spike_number[g],
                          job->spike_tick[g], &job->spike_tick[g], &job->spike_height[g]);
    }
    job->next_spike = job->spike_tick[g] < job->next_spike ? job->spike_tick[g] : job->next_spike;
  }
}

/* What the job's sensors read together at each of `ticks` ticks. Their errors are independent and Gaussian, so their
 * sum is one draw, exactly. Collects the ticks. */
static void read_sensors(fwi_job *job, size_t ticks, size_t at, const int64_t *energy) {
  const size_t gpus = job->spec->gpus;
  const fw_sensor *sensor = &job->setting->gpu->sensor;
  const double *gain = job->gain_per_tick;
  const double *z = job->noise.z_sensor + at;
  fw_energy_pj *total = job->total + job->collected_ticks;
  fw_power_mw *reading = job->reading + job->collected_ticks;
  for (size_t t = 0; t < ticks; t++) {
    double seen_mw = 0.0;
    fw_energy_pj sum = 0;
    for (size_t g = 0; g < gpus; g++) {
      seen_mw += gain[g] * (double)*energy;
      sum += *energy++;
    }
    job->energy += sum;
    total[t] = sum;
    reading[t] = fw_sensor_reading(sensor, job->sensor_error_mw, seen_mw, z[t]);
    fwi_telemetry_add(&job->telemetry, reading[t]);
  }
  job->collected_ticks += ticks;
}

/* Takes the power off the GPUs that have none at `ticks` ticks from the next on. */
static __attribute__((noinline)) void darken(const fwi_job *job, size_t ticks, int64_t *energy) {
  fw_time_ns from = job->sampled_to;
  for (size_t t = 0; t < ticks; t++, from += job->setting->tick) {
    for (size_t g = 0; g < job->spec->gpus; g++, energy++) {
      *energy = from < job->dark_until[g] ? 0 : *energy;
    }
  }
}

/* Samples the next tick; `segment` is the first that reaches into it and is moved past those that end in it. */
static void sample_tick(fwi_job *job, size_t *segment) {
  const size_t gpus = job->spec->gpus;
  const uint64_t tick = job->sampled;
  const size_t at = fwi_noise_at(&job->noise, tick);
  int64_t *energy = job->energy_pj + job->collected_ticks * gpus;
  fw_time_ns from = job->sampled_to;
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
  if (job->sampled_to < job->dark_to) {
    darken(job, 1, energy);
  }
  read_sensors(job, 1, at, energy);
  if (job->next_spike <= tick) {
    next_spikes(job, tick);
  }
  job->sampled++;
  job->sampled_to = end;
}

/* How many ticks from the next on lie within one segment whose GPUs are alike, and in the present block of noise: 0
 * when the next one does not. */
static size_t run_length(const fwi_job *job, const fwi_segment *segment, size_t at) {
  if (segment->gpu_level != NULL) {
    return 0;
  }
  const fw_time_ns end = segment->to < job->now ? segment->to : job->now;
  const uint64_t whole = (uint64_t)((end - job->sampled_to) / job->setting->tick);
  const uint64_t calm = job->next_spike - job->sampled;
  const uint64_t ticks = whole < calm ? whole : calm;
  return ticks < FWI_NOISE_BLOCK - at ? (size_t)ticks : FWI_NOISE_BLOCK - at;
}

/* GPUs without contrasts: one power for all of them at each tick. */
static void sample_alike(fwi_job *job, const fwi_segment *segment, size_t ticks, size_t at, limits bounds,
                         int64_t *energy) {
  const bool has_residual = job->noise.tables != NULL;
  const size_t gpus = job->spec->gpus;
  const fw_time_ns length = job->setting->tick;
  const double level = (double)segment->level;
  for (size_t t = 0; t < ticks; t++) {
    const double power = level + (has_residual ? common_mw(job, segment->phase, at + t) : 0.0);
    if (is_inside(power, bounds)) {
      const int64_t each = length * rounded(power);
      for (size_t g = 0; g < gpus; g++) {
        energy[g] = each;
      }
    } else {
      for (size_t g = 0; g < gpus; g++) {
        energy[g] = length * meet_limit(job, power, bounds, length);
      }
    }
    energy += gpus;
  }
}

/* GPUs that differ by their contrasts. */
static void sample_apart(fwi_job *job, const fwi_segment *segment, size_t ticks, size_t at, limits bounds,
                         int64_t *energy) {
  const size_t gpus = job->spec->gpus;
  const fw_time_ns length = job->setting->tick;
  const fw_marginal_table *law = &job->noise.tables->contrast[segment->phase];
  const double scale = contrast_scale(job, segment);
  const double floor = (double)job->setting->gpu->idle;
  double *power = job->power_mw;
  for (size_t t = 0; t < ticks; t++) {
    const double alike = (double)segment->level + common_mw(job, segment->phase, at + t);
    const double mean = draw_contrasts(job, law, scale, at + t, power);
    bool lacking = false;
    bool inside = true;
    for (size_t g = 0; g < gpus; g++) {
      power[g] = alike + power[g] - mean;
      lacking |= power[g] < floor;
      inside &= is_inside(power[g], bounds);
    }
    if (lacking) {
      fwi_noise_share_out(power, gpus, floor);
    }
    if (inside && !lacking) {
      for (size_t g = 0; g < gpus; g++) {
        energy[g] = length * rounded(power[g]);
      }
    } else {
      hold_all(job, power, bounds, length, energy);
    }
    energy += gpus;
  }
}

/* Samples `ticks` ticks of one segment at once: what is the same for all of them is looked up once. */
static void sample_run(fwi_job *job, const fwi_segment *segment, size_t ticks, size_t at) {
  const size_t gpus = job->spec->gpus;
  int64_t *energy = job->energy_pj + job->collected_ticks * gpus;
  const limits bounds = limits_of(job, segment);
  if (has_contrasts(&job->noise, segment->phase)) {
    sample_apart(job, segment, ticks, at, bounds, energy);
  } else {
    sample_alike(job, segment, ticks, at, bounds, energy);
  }
  if (job->sampled_to < job->dark_to) {
    darken(job, ticks, energy);
  }
  read_sensors(job, ticks, at, energy);
  job->sampled += ticks;
  job->sampled_to += (fw_time_ns)ticks * job->setting->tick;
}

/* Rows of levels may have moved since the segments were laid out. */
static void find_rows(fwi_job *job) {
  for (size_t i = 0; i < job->segment_count; i++) {
    fwi_segment *segment = &job->segments[i];
    segment->gpu_level = segment->row != FWI_NO_ROW ? job->levels + segment->row * job->spec->gpus : segment->gpu_level;
  }
}

void fwi_job_sample(fwi_job *job) {
  size_t segment = 0;
  if (job->level_rows > 0) {
    find_rows(job);
  }
  while (job->now - job->sampled_to >= job->setting->tick) {
    const size_t at = fwi_noise_at(&job->noise, job->sampled);
    const size_t ticks = run_length(job, &job->segments[segment], at);
    if (ticks > 0) {
      sample_run(job, &job->segments[segment], ticks, at);
      segment += job->segments[segment].to <= job->sampled_to;
    } else {
      sample_tick(job, &segment);
    }
  }
  for (size_t i = segment; i < job->segment_count; i++) {
    job->segments[i - segment] = job->segments[i];
  }
  job->segment_count -= segment;
}
