/* Decimal text to integers of a smaller unit, exactly: "0.5" s is 500000000 ns, whatever doubles can hold. */
#ifndef FWI_TRACES_FIXED_H
#define FWI_TRACES_FIXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number in all of `text`, times 10^`decimals`, rounded to nearest (halves away from zero). False when the text is
 * no number (fw_number_parse's grammar) or the result does not fit. */
bool fwi_fixed_parse(const char *text, size_t length, int decimals, int64_t *out);

/* Digits behind the decimal point. */
size_t fwi_fixed_decimals(const char *text, size_t length);

#endif
