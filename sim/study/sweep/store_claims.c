/* Who simulates what: a claim is a locked byte of the claims file, at an offset that the run's name hashes to.
 *
 * POSIX locks belong to the process, so that they die with it, and say nothing between its threads: those look into
 * the list of what the process holds. Two runs that hash to one byte (one pair in 2^62) would wait for each other. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/study/code_version.h"
#include "sim/study/sweep/store_db.h"

static int64_t byte_of(const fw_store_key *key) {
  uint64_t hash = FW_HASH_START;
  hash = fw_hash_bytes(hash, fw_code_version, strlen(fw_code_version) + 1);
  hash = fw_hash_bytes(hash, key->scenario, strlen(key->scenario) + 1);
  hash = fw_hash_bytes(hash, key->policy, strlen(key->policy) + 1);
  hash = fw_hash_bytes(hash, &key->budget, sizeof key->budget);
  hash = fw_hash_bytes(hash, &key->seed, sizeof key->seed);
  return (int64_t)(hash >> 2);
}

static int lock_byte(int descriptor, short type, int64_t byte) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
  return fcntl(descriptor, F_SETLK, &lock);
}

static fw_status system_error(const fwi_claims *claims, const char *what, fw_diagnostics *diagnostics) {
  const int error = errno;
  char reason[128];
  if (strerror_r(error, reason, sizeof reason) != 0) {
    (void)snprintf(reason, sizeof reason, "error %d", error);
  }
  return fw_error(diagnostics, FW_ERROR_IO, (fw_place){.file = claims->path}, "%s: %s", what, reason);
}

static bool is_held(const fwi_claims *claims, int64_t byte) {
  for (size_t i = 0; i < claims->count; i++) {
    if (claims->held[i] == byte) {
      return true;
    }
  }
  return false;
}

static fw_status claim_byte(fwi_claims *claims, int64_t byte, bool *claimed, fw_diagnostics *diagnostics) {
  if (claims->descriptor < 0) {
    claims->descriptor = open(claims->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  }
  if (claims->descriptor < 0) {
    return system_error(claims, "cannot create the file", diagnostics);
  }
  if (is_held(claims, byte)) {
    return FW_OK;
  }
  if (!fw_grow(&claims->held, &claims->capacity, claims->count + 1, sizeof *claims->held)) {
    return fw_error_memory(diagnostics, "the claims of a study");
  }
  if (lock_byte(claims->descriptor, F_WRLCK, byte) != 0) {
    return errno == EACCES || errno == EAGAIN ? FW_OK : system_error(claims, "cannot lock the file", diagnostics);
  }
  claims->held[claims->count++] = byte;
  *claimed = true;
  return FW_OK;
}

fw_status fw_store_claim(fw_store *store, const fw_store_key *key, bool *claimed, fw_diagnostics *diagnostics) {
  *claimed = false;
  omp_set_lock(&store->claims.lock);
  const fw_status status = claim_byte(&store->claims, byte_of(key), claimed, diagnostics);
  omp_unset_lock(&store->claims.lock);
  return status;
}

void fw_store_release(fw_store *store, const fw_store_key *key) {
  const int64_t byte = byte_of(key);
  omp_set_lock(&store->claims.lock);
  fwi_claims *claims = &store->claims;
  for (size_t i = 0; i < claims->count; i++) {
    if (claims->held[i] == byte) {
      claims->held[i] = claims->held[--claims->count];
      (void)lock_byte(claims->descriptor, F_UNLCK, byte);
      break;
    }
  }
  omp_unset_lock(&store->claims.lock);
}

void fwi_claims_init(fwi_claims *claims, const char *store_path) {
  fw_text path = FW_TEXT_INIT;
  fw_text_add_format(&path, "%s-claims", store_path);
  if (path.failed) {
    fw_text_clear(&path);
  }
  *claims = (fwi_claims){.path = path.data, .descriptor = -1};
  omp_init_lock(&claims->lock);
}

void fwi_claims_close(fwi_claims *claims) {
  if (claims->descriptor >= 0) {
    (void)close(claims->descriptor);
  }
  free(claims->held);
  free(claims->path);
  omp_destroy_lock(&claims->lock);
}
