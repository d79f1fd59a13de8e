/* Command lines from a table: what a subcommand accepts, its help, and where the values go. */
#ifndef FW_CLI_FLAGS_H
#define FW_CLI_FLAGS_H

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"

#define FWI_LIST_LIMIT ((size_t)64)

typedef struct fwi_numbers {
  double values[FWI_LIST_LIMIT];
  size_t count;
} fwi_numbers;

typedef struct fwi_words {
  char *storage; /* owned; NULL when the flag was not given */
  const char *values[FWI_LIST_LIMIT];
  size_t count;
} fwi_words;

typedef struct fwi_operands {
  const char *values[FWI_LIST_LIMIT];
  size_t count;
} fwi_operands;

typedef enum fwi_flag_kind {
  FWI_FLAG_SWITCH,   /* bool */
  FWI_FLAG_TEXT,     /* const char * */
  FWI_FLAG_UNSIGNED, /* uint64_t */
  FWI_FLAG_COUNT,    /* uint64_t, above 0 */
  FWI_FLAG_NUMBER,   /* double, above 0 */
  FWI_FLAG_NUMBERS,  /* fwi_numbers: comma-separated, each above 0 */
  FWI_FLAG_WORDS,    /* fwi_words: comma-separated */
  FWI_FLAG_TEXTS     /* fwi_operands: the flag may be given more than once */
} fwi_flag_kind;

typedef struct fwi_flag {
  const char *name; /* with its dashes */
  fwi_flag_kind kind;
  void *target;         /* keeps its value when the flag is left out */
  const char *argument; /* what the help calls it */
  const char *doc;
} fwi_flag;

typedef struct fwi_command {
  const char *name;
  const char *summary;
  const char *operand; /* "SCENARIO", or NULL when there is none */
  const char *example; /* one or more lines */
  int (*run)(int argc, char **argv);
} fwi_command;

/* Parses argv[0 .. argc-1] (without program and command). The operand goes to `operand`; `help` is set by --help, and
 * then nothing is checked. All faults are reported. */
fw_status fwi_flags_parse(const fwi_command *command, const fwi_flag *flags, size_t flag_count, int argc, char **argv,
                          const char **operand, bool *help, fw_diagnostics *diagnostics);

/* The same for a command that takes one operand or more. */
fw_status fwi_flags_parse_many(const fwi_command *command, const fwi_flag *flags, size_t flag_count, int argc,
                               char **argv, fwi_operands *operands, bool *help, fw_diagnostics *diagnostics);

void fwi_flags_print_help(const fwi_command *command, const fwi_flag *flags, size_t flag_count);
void fwi_words_clear(fwi_words *words);

#endif
