/* A short run of what `./fw fuzz` does at length: random scenarios made by the tables, with every invariant watched.
 * What does not hold ends the test with the line that says so and the scenario. */
#include <criterion/criterion.h>

#include "tests/fuzz/random_runs.h"

#define SCENARIOS 300

Test(runs, of_random_scenarios_keep_their_invariants) {
  for (uint64_t number = 0; number < SCENARIOS; number++) {
    /* The bits of a multiple of the golden ratio spread over all bytes. */
    const uint64_t bits = number * UINT64_C(0x9E3779B97F4A7C15);
    uint8_t bytes[sizeof bits];
    for (size_t i = 0; i < sizeof bits; i++)
      bytes[i] = (uint8_t)(bits >> (8 * i));
    check_random_runs(bytes, sizeof bytes);
  }
}
