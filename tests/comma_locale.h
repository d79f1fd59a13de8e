/* A process under a locale whose decimal point is a comma, for the tests that numbers do not follow it. */
#ifndef FW_TESTS_COMMA_LOCALE_H
#define FW_TESTS_COMMA_LOCALE_H

#include <criterion/criterion.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int has_comma_locale(const char *name) {
  return setlocale(LC_ALL, name) != NULL && strcmp(nl_langinfo(RADIXCHAR), ",") == 0;
}

/* Compiles a locale (in the character set that is quickest to compile) from the system's sources into a folder of its
 * own, which the caller removes. */
static inline int make_comma_locale(char *folder) {
  char command[256];
  if (mkdtemp(folder) == NULL) return 0;
  (void)snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-1 %s/de_DE >/dev/null 2>&1", folder);
  return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && has_comma_locale("de_DE");
}

/* Fails the test, loudly, where the system has no such locale and cannot make one: passing without would say nothing.
 */
static inline void enter_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "sv_SE.UTF-8", "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (has_comma_locale(names[i])) return;
  }
  char folder[] = "/tmp/fw_locale_XXXXXX";
  char command[64];
  int made = make_comma_locale(folder);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
  cr_assert(made, "no locale with a decimal comma: install de_DE.UTF-8, or localedef with the locale sources");
  char proof[16];
  (void)snprintf(proof, sizeof proof, "%.1f", 0.5);
  cr_assert_str_eq(proof, "0,5", "the locale is set but printf does not follow it");
}

#endif
