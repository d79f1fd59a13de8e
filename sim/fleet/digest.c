/* Numbers go in as eight bytes each, lowest first, so that the digest does not depend on the machine's order; doubles
 * by their bits. A letter in front tells ticks from events. */
#include "sim/fleet/digest.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/hash.h"

static void add(fw_digest *digest, uint64_t number) {
  unsigned char bytes[8];
  for (size_t i = 0; i < sizeof bytes; i++) {
    bytes[i] = (unsigned char)(number >> (8 * i));
  }
  digest->hash = fw_hash_bytes(digest->hash, bytes, sizeof bytes);
}

static void add_double(fw_digest *digest, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  add(digest, bits);
}

static void on_tick(void *context, const fw_sim_tick *tick) {
  fw_digest *digest = context;
  add(digest, 't');
  add(digest, (uint64_t)tick->end);
  add(digest, (uint64_t)tick->truth);
  add(digest, (uint64_t)tick->reading);
  add(digest, (uint64_t)tick->budget);
  for (size_t j = 0; j < tick->job_count; j++) {
    add(digest, (uint64_t)tick->job_truth[j]);
    add(digest, (uint64_t)tick->job_reading[j]);
  }
  if (digest->next != NULL) {
    digest->next->tick(digest->next->context, tick);
  }
}

static void on_event(void *context, const fw_sim_event *event) {
  fw_digest *digest = context;
  add(digest, 'e');
  add(digest, (uint64_t)event->time);
  add(digest, event->job);
  add(digest, (uint64_t)event->kind);
  add(digest, event->kind == FW_SIM_ACTUATOR ? (uint64_t)event->actuator : 0);
  add_double(digest, event->value);
  if (digest->next != NULL) {
    digest->next->event(digest->next->context, event);
  }
}

void fw_digest_start(fw_digest *digest, const fw_sim_observer *next) {
  *digest = (fw_digest){.hash = FW_HASH_START, .next = next, .observer = {digest, on_tick, on_event}};
}

const char *fw_digest_format(const fw_digest *digest, char *buffer) {
  (void)snprintf(buffer, FW_DIGEST_TEXT_SIZE, "%016llx", (unsigned long long)digest->hash);
  return buffer;
}
