/* Numbers in order. */
#ifndef FW_BASE_SORT_H
#define FW_BASE_SORT_H

#include <stddef.h>

/* Sorts in place, rising. None may be NaN. */
void fw_sort_numbers(double *values, size_t count);

#endif
