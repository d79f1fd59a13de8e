/* Makes Criterion work under ThreadSanitizer.
 *
 * Criterion shares an arena with the child that runs a test and maps it at a random fixed address, base 2^45 plus
 * (rand_r() mod 2^22) x 2^24. ThreadSanitizer allows programs only parts of the address space and refuses nearly all of
 * these ("Could not initialize inheritable arena"). A program may bring its own rand_r: this one yields only numbers
 * that lead to the range of position-independent executables, 0x550000000000 to 0x568000000000 on x86-64. */
#include <stdlib.h>

int rand_r(unsigned *seed) {
  const unsigned first = 0x350000; /* (0x550000000000 - 2^45) / 2^24 */
  const unsigned count = 0x018000; /* (0x568000000000 - 0x550000000000) / 2^24 */
  *seed = *seed * 1103515245U + 12345U;
  return (int)(first + (*seed >> 8) % count);
}
