/* Inside policies/ppo: everything that a weight file holds: networks, normalisation, what they are for and how they
 * were made. The trainer has one, the actor has one. docs/ppo.md describes the file. */
#ifndef FW_POLICIES_PPO_WEIGHTS_H
#define FW_POLICIES_PPO_WEIGHTS_H

#include "policies/ppo/config.h"
#include "policies/ppo/model.h"
#include "policies/ppo/normaliser.h"
#include "policies/ppo/tensors.h"

typedef struct fwi_weights {
  fw_ppo_space space;
  char *schema;
  double cost_limit[FW_PPO_COSTS]; /* NaN: none */
  fw_ppo_config config;            /* it is trained with */
  uint64_t seed;
  uint64_t decisions; /* made so far */
  fwi_model model;
  size_t channel[FWI_CRITICS]; /* of cost that critic 1, 2, ... values */
  float *parameters;
  fwi_normaliser observations;
  fwi_normaliser returns;
} fwi_weights;

/* Networks of zeros. */
fw_status fwi_weights_create(fwi_weights *weights, const fw_ppo_space *space, const char *schema,
                             const double cost_limit[FW_PPO_COSTS], const fw_ppo_config *config,
                             fw_diagnostics *diagnostics);
void fwi_weights_clear(fwi_weights *weights); /* also after a failed create or read */

/* Orthogonal matrices (A. Saxe, J. McClelland, S. Ganguli, ICLR 2014) with gain sqrt(2), of the last layers 0.01 for
 * the actor and 1 for critics; biases 0. */
void fwi_weights_initialise(fwi_weights *weights, uint64_t seed);

/* Whether no parameter is NaN or infinite. */
bool fwi_weights_are_finite(const fwi_weights *weights);
uint64_t fwi_weights_hash(const fwi_weights *weights);

void fwi_weights_add(const fwi_weights *weights, fwi_tensor_writer *writer);
fw_status fwi_weights_read(fwi_weights *weights, fwi_tensor_file *file, fw_diagnostics *diagnostics);

#endif
