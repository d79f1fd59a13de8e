/* Inside policies/ppo: the element types of tensor files: name in the file, size, and how an element of a C array
 * becomes bits and back. */
#ifndef FW_POLICIES_PPO_TENSOR_TYPES_H
#define FW_POLICIES_PPO_TENSOR_TYPES_H

#include "policies/ppo/tensors.h"

typedef struct fwi_tensor_type_info {
  const char *name;
  size_t size;
  bool is_float;
  uint64_t (*load)(const void *array, size_t index);
  void (*store)(void *array, size_t index, uint64_t bits);
} fwi_tensor_type_info;

extern const fwi_tensor_type_info fwi_tensor_types[FWI_TENSOR_TYPES];

#endif
