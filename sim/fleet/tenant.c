/* The residual of a running job of a queue: totals, contrasts and spikes, drawn in blocks from its first tick on. */
#include "sim/fleet/tenant.h"

#include <stdlib.h>

#include "sim/base/memory.h"

void fwi_tenant_free(fwi_tenant *tenant) {
  if (tenant != NULL) {
    free(tenant->gpu);
    free(tenant->total);
    free(tenant->contrast);
    free(tenant->z_total);
    free(tenant->z_contrast);
    free(tenant->spike_tick);
    free(tenant->spike_number);
    free(tenant->spike_height);
    free(tenant->power_mw);
    free(tenant);
  }
}

static bool allocate(fwi_tenant *tenant) {
  const size_t gpus = tenant->gpus;
  size_t total_cells = 0;
  size_t contrast_cells = 0;
  bool ok = fw_size_multiply(tenant->total_count, FWI_NOISE_BLOCK, &total_cells) &&
            fw_size_multiply(gpus, FWI_NOISE_BLOCK, &contrast_cells) &&
            (tenant->gpu = fw_allocate(gpus, sizeof *tenant->gpu)) != NULL &&
            (tenant->total = fw_allocate(tenant->total_count, sizeof *tenant->total)) != NULL &&
            (tenant->z_total = fw_allocate(total_cells, sizeof *tenant->z_total)) != NULL &&
            (tenant->spike_tick = fw_allocate(gpus, sizeof *tenant->spike_tick)) != NULL &&
            (tenant->spike_number = fw_allocate(gpus, sizeof *tenant->spike_number)) != NULL &&
            (tenant->spike_height = fw_allocate(gpus, sizeof *tenant->spike_height)) != NULL &&
            (tenant->power_mw = fw_allocate(gpus, sizeof *tenant->power_mw)) != NULL;
  if (ok && tenant->team > 1) {
    ok = (tenant->contrast = fw_allocate(gpus, sizeof *tenant->contrast)) != NULL &&
         (tenant->z_contrast = fw_allocate(contrast_cells, sizeof *tenant->z_contrast)) != NULL;
  }
  return ok;
}

/* A seed for every job of every queue: 64 bits of a block that nothing else draws. */
static uint64_t own_seed(const fwi_tenant_key *key) {
  uint32_t words[4];
  fw_random_block(fw_stream_make(key->seed, FW_DRAW_TENANT, key->queue), key->number, 0, words);
  return (uint64_t)words[1] << 32 | words[0];
}

static void find_spike(fwi_tenant *tenant, size_t gpu, uint64_t after) {
  const bool more =
      fw_spike_next(&tenant->tables->model->residual.spikes, tenant->tick_s, tenant->seed, (uint32_t)gpu,
                    tenant->spike_number[gpu]++, after, &tenant->spike_tick[gpu], &tenant->spike_height[gpu]);
  tenant->spike_tick[gpu] = more ? tenant->spike_tick[gpu] : UINT64_MAX;
}

static void start(fwi_tenant *tenant) {
  const fw_residual_model *model = &tenant->tables->model->residual;
  const double total = fw_residual_total_lag1(model, tenant->tick_s);
  const double contrast = fw_residual_contrast_lag1(model, tenant->tick_s);
  for (size_t i = 0; i < tenant->total_count; i++) {
    tenant->total[i] = fw_ar1_start(fw_stream_make(tenant->seed, FW_DRAW_RESIDUAL_TOTAL, (uint32_t)i), total, 0);
  }
  for (size_t g = 0; g < tenant->gpus; g++) {
    if (tenant->contrast != NULL) {
      tenant->contrast[g] =
          fw_ar1_start(fw_stream_make(tenant->seed, FW_DRAW_RESIDUAL_CONTRAST, (uint32_t)g), contrast, 0);
    }
    find_spike(tenant, g, 0);
  }
}

fw_status fwi_tenant_create(const fwi_tenant_key *key, fwi_tenant **out, fw_diagnostics *diagnostics) {
  fwi_tenant *tenant = fw_allocate(1, sizeof *tenant);
  if (tenant == NULL) {
    return fw_error_memory(diagnostics, "the residual of a job");
  }
  tenant->gpus = key->gpus;
  tenant->tables = key->tables;
  tenant->team = (size_t)key->tables->model->gpus;
  tenant->total_count = key->residual == FW_QUEUE_RESIDUAL_APART ? key->gpus / tenant->team : 1;
  tenant->first_tick = key->first_tick;
  tenant->seed = own_seed(key);
  tenant->tick_s = key->tick_s;
  if (!allocate(tenant)) {
    fwi_tenant_free(tenant);
    return fw_error_memory(diagnostics, "the residual of a job");
  }
  start(tenant);
  *out = tenant;
  return FW_OK;
}

static void draw_block(fwi_tenant *tenant) {
  for (size_t i = 0; i < tenant->total_count; i++) {
    fw_ar1_next(&tenant->total[i], FWI_NOISE_BLOCK, tenant->z_total + i * FWI_NOISE_BLOCK);
  }
  for (size_t g = 0; tenant->contrast != NULL && g < tenant->gpus; g++) {
    fw_ar1_next(&tenant->contrast[g], FWI_NOISE_BLOCK, tenant->z_contrast + g * FWI_NOISE_BLOCK);
  }
  tenant->drawn += FWI_NOISE_BLOCK;
}

/* Contrasts of one team, which sum to zero; `z` is that of its first GPU. */
static void add_contrasts(const fwi_tenant *tenant, const double *z, double floor, double *power) {
  const fw_marginal_table *law = &tenant->tables->contrast[tenant->phase];
  const double scale = fwi_noise_contrast_scale(tenant->tables, (double)tenant->level - floor);
  const double per_gpu = 1.0 / (double)tenant->team;
  double sum = 0.0;
  bool lacking = false;
  for (size_t g = 0; g < tenant->team; g++) {
    sum += scale * fw_marginal_mw(law, z[g * FWI_NOISE_BLOCK]);
  }
  for (size_t g = 0; g < tenant->team; g++) {
    power[g] += scale * fw_marginal_mw(law, z[g * FWI_NOISE_BLOCK]) - sum * per_gpu;
    lacking |= power[g] < floor;
  }
  if (lacking) {
    fwi_noise_share_out(power, tenant->team, floor);
  }
}

static void add_spikes(fwi_tenant *tenant, uint64_t since) {
  for (size_t g = 0; g < tenant->gpus; g++) {
    while (tenant->spike_tick[g] < since) {
      find_spike(tenant, g, tenant->spike_tick[g]);
    }
    tenant->power_mw[g] +=
        tenant->spike_tick[g] == since && tenant->phase != FW_PHASE_IDLE ? (double)tenant->spike_height[g] : 0.0;
  }
}

static void draw_power(fwi_tenant *tenant, size_t at, double floor) {
  const fw_marginal_table *law = &tenant->tables->total[tenant->phase];
  const bool contrasts = tenant->contrast != NULL && !tenant->tables->contrast[tenant->phase].zero;
  const double per_gpu = 1.0 / (double)tenant->team;
  for (size_t first = 0, i = 0; first < tenant->gpus; first += tenant->team, i++) {
    const double *z_total = tenant->z_total + (tenant->total_count > 1 ? i * FWI_NOISE_BLOCK : 0);
    double *power = tenant->power_mw + first;
    const double alike = (double)tenant->level + (law->zero ? 0.0 : fw_marginal_mw(law, z_total[at]) * per_gpu);
    for (size_t g = 0; g < tenant->team; g++) {
      power[g] = alike;
    }
    if (contrasts) {
      add_contrasts(tenant, tenant->z_contrast + first * FWI_NOISE_BLOCK + at, floor, power);
    }
  }
}

const double *fwi_tenant_power(fwi_tenant *tenant, uint64_t tick, fw_phase phase, fw_power_mw level, fw_power_mw idle) {
  if (tenant->known && tenant->tick == tick && tenant->phase == phase && tenant->level == level) {
    return tenant->power_mw;
  }
  const uint64_t since = tick - tenant->first_tick;
  while (since >= tenant->drawn) {
    draw_block(tenant);
  }
  tenant->known = true;
  tenant->tick = tick;
  tenant->phase = phase;
  tenant->level = level;
  draw_power(tenant, (size_t)(since - (tenant->drawn - FWI_NOISE_BLOCK)), (double)idle);
  add_spikes(tenant, since);
  return tenant->power_mw;
}
