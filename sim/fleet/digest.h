/* A digest of everything that a run did: of each of its ticks and events, in their order.
 *
 * Two runs with the same digest went the same way to the last bit, so a test can hold a whole run to 16 hexadecimal
 * digits. The digest is the same for any number of threads, compiler, build type and order of bytes. It is FNV-1a
 * (sim/base/hash.h): it finds accidents, not attacks. */
#ifndef FW_FLEET_DIGEST_H
#define FW_FLEET_DIGEST_H

#include "sim/fleet/sim.h"

#define FW_DIGEST_TEXT_SIZE ((size_t)17)

/* An observer that takes the digest and passes all it hears on to `next` (NULL: to nobody). It points into itself, so
 * it must stay where it is. */
typedef struct fw_digest {
  uint64_t hash;
  const fw_sim_observer *next;
  fw_sim_observer observer; /* for fw_run_options */
} fw_digest;

void fw_digest_start(fw_digest *digest, const fw_sim_observer *next);

/* 16 hexadecimal digits; `buffer` holds FW_DIGEST_TEXT_SIZE bytes. Returns it. */
const char *fw_digest_format(const fw_digest *digest, char *buffer);

#endif
