/* Between a job and an actor: a view of the job (job_view.c), and the actor's choices as an action. Weights are taken
 * only where the job's view has the schema that they were trained with, to the byte. */
#include "policies/ppo/policy.h"

#include <stdlib.h>
#include <string.h>

#include "policies/ppo/job_view.h"
#include "sim/base/fields.h"
#include "sim/base/memory.h"

typedef struct ppo_state {
  const fw_ppo_policy_settings *settings;
  fw_job_view view;
  fw_job_view_memory memory;
  fw_stream stream;
  uint8_t mask[FW_PPO_HEADS * FW_PPO_CHOICES];
} ppo_state;

static const fw_field fields[] = {
    FW_FIELD(fw_ppo_policy_settings, weights, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0,
             "weight file, with or without .safetensors, looked up beside the scenario and then among the installed "
             "weights"),
    FW_FIELD(fw_ppo_policy_settings, sampled, FW_FIELD_BOOL, FW_OPTIONAL, 0.0, 0.0,
             "draw settings from the policy as in training, instead of its most likely ones"),
};

/* The lines of a schema, each ended by a new line, as one. */
static void add_one_line(fw_text *text, const char *schema) {
  for (const char *line = schema; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    if (line != schema) fw_text_add(text, "; ");
    fw_text_add_bytes(text, line, length);
    line += length + (line[length] == '\n');
  }
}

static fw_status refuse(const fw_ppo_policy_settings *settings, const char *schema, const fw_json_value *place,
                        fw_diagnostics *diagnostics) {
  fw_text wanted = FW_TEXT_INIT;
  fw_text found = FW_TEXT_INIT;
  char path[FW_JSON_PATH_SIZE];
  add_one_line(&wanted, fw_ppo_actor_schema(settings->actor));
  add_one_line(&found, schema);
  const fw_status status = fw_error(
      diagnostics, FW_ERROR_INPUT, fw_json_place(place, path),
      "the weights \"%s\" were trained for [%s], and this job is [%s]; give the scenario those windows and the "
      "job those levels, or train for this one",
      settings->weights, wanted.data != NULL ? wanted.data : "", found.data != NULL ? found.data : "");
  fw_text_clear(&wanted);
  fw_text_clear(&found);
  return status;
}

static fw_status check_schema(const fw_ppo_policy_settings *settings, const fw_job_view *view,
                              const fw_json_value *place, fw_diagnostics *diagnostics) {
  fw_text schema = FW_TEXT_INIT;
  fw_job_view_schema(view, &schema);
  fw_status status = FW_OK;
  if (schema.failed) {
    status = fw_error_memory(diagnostics, "the schema of a trained policy");
  } else if (strcmp(schema.data, fw_ppo_actor_schema(settings->actor)) != 0) {
    status = refuse(settings, schema.data, place, diagnostics);
  }
  fw_text_clear(&schema);
  return status;
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  const fw_ppo_policy_settings *chosen = settings;
  const fw_json_value *place = fw_record_member(written, "weights");
  if (chosen->actor == NULL) {
    return fw_json_error(place, diagnostics, "the weights \"%s\" were not read", chosen->weights);
  }
  const uint32_t actuators = fw_job_view_actuators(fw_ppo_actor_schema(chosen->actor));
  if (actuators == 0) {
    return fw_json_error(place, diagnostics,
                         "the weights \"%s\" were not trained on a job; train them with fleetwatt train",
                         chosen->weights);
  }
  fw_job_view view;
  const fw_status status = fw_job_view_create(job, actuators, &view, diagnostics);
  return status == FW_OK ? check_schema(chosen, &view, place, diagnostics) : status;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)fleet;
  const fw_ppo_policy_settings *chosen = settings;
  ppo_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) {
    return fw_error_memory(diagnostics, "a trained policy");
  }
  made->settings = chosen;
  made->memory = fw_job_view_start();
  made->stream = fw_stream_make(job->seed, FW_DRAW_POLICY, job->job);
  const uint32_t actuators = fw_job_view_actuators(fw_ppo_actor_schema(chosen->actor));
  const fw_status status = fw_job_view_create(job, actuators, &made->view, diagnostics);
  if (status != FW_OK) {
    free(made);
    return status;
  }
  *state = made;
  return FW_OK;
}

/* Where an actuator has levels, they are the choices of its head; where it has none, nothing is forbidden. */
static void take_mask(ppo_state *made, const fw_job_observation *seen) {
  const fw_ppo_space *space = &made->view.space;
  uint8_t *next = made->mask;
  for (size_t head = 0; head < space->head_count; head++) {
    const uint32_t masked = seen->masked[made->view.actuators[head]];
    for (uint32_t i = 0; i < space->head_size[head]; i++) {
      *next++ = (masked >> i & 1u) == 0;
    }
  }
}

static fw_status decide(void *state, const fw_job_observation *seen, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  ppo_state *made = state;
  const fw_ppo_actor *actor = made->settings->actor;
  float observation[FW_PPO_OBSERVATIONS];
  uint32_t choices[FW_PPO_HEADS];
  fw_job_view_observe(&made->view, &made->memory, seen, observation);
  take_mask(made, seen);
  const fw_status status =
      made->settings->sampled
          ? fw_ppo_actor_sample(actor, made->stream, seen->decision, observation, made->mask, choices, diagnostics)
          : fw_ppo_actor_greedy(actor, observation, made->mask, choices, diagnostics);
  if (status == FW_OK) {
    fw_job_view_act(&made->view, choices, action);
  }
  return status;
}

static uint32_t drives(const void *settings) {
  const fw_ppo_actor *actor = ((const fw_ppo_policy_settings *)settings)->actor;
  return actor != NULL ? fw_job_view_actuators(fw_ppo_actor_schema(actor)) : 0;
}

static fw_status read_weights(const char *path, void **content, fw_diagnostics *diagnostics) {
  fw_ppo_actor *actor = NULL;
  const fw_status status = fw_ppo_actor_read(path, &actor, diagnostics);
  *content = actor;
  return status;
}

static void release_weights(void *content) {
  fw_ppo_actor_destroy(content);
}

static const fw_policy_file weights_file = {
    .key = "weights",
    .folder = "policies/weights",
    .extension = ".safetensors",
    .name_offset = offsetof(fw_ppo_policy_settings, weights),
    .content_offset = offsetof(fw_ppo_policy_settings, actor),
    .read = read_weights,
    .release = release_weights,
};

const fw_record fwi_ppo_policy_settings = {
    .name = "ppo",
    .doc = "a policy that was trained with `fleetwatt train`",
    .size = sizeof(fw_ppo_policy_settings),
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_ppo_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "ppo",
    .doc = "a trained network: proximal policy optimisation with constraints",
    .settings = &fwi_ppo_policy_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
    .file = &weights_file,
};
