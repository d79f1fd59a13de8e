/* The nearest word: edit distance with transpositions of neighbours ("optimal string alignment": Damerau 1964,
 * computed by the recurrence of Wagner and Fischer 1974 over three rows). */
#include "sim/base/text.h"

#include <string.h>

/* Keys and names are short. A longer word is nobody's misspelling, and the bound keeps a hostile one cheap. */
#define WORD_LIMIT ((size_t)64)

static char fold(char c) {
  if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
  return c;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static bool swapped(const char *a, size_t i, const char *b, size_t j) {
  return i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]);
}

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[3][WORD_LIMIT + 1];
  for (size_t j = 0; j <= b_length; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3];
    const size_t *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t replaced = above[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));
      row[j] = least(replaced, 1 + least(above[j], row[j - 1]));
      if (swapped(a, i, b, j)) row[j] = least(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

const char *fw_nearest_word(const char *word, const char *const *candidates, size_t count) {
  size_t length = strlen(word);
  if (length > WORD_LIMIT) return NULL;
  const char *nearest = NULL;
  size_t nearest_distance = (length + 1) / 2; /* twice a smaller distance is below the length */
  for (size_t i = 0; i < count; i++) {
    size_t candidate_length = strlen(candidates[i]);
    if (candidate_length > WORD_LIMIT) continue;
    size_t distance = edit_distance(word, length, candidates[i], candidate_length);
    if (distance < nearest_distance) {
      nearest = candidates[i];
      nearest_distance = distance;
    }
  }
  return nearest;
}
