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
  char *storage; /* owned by the flags; NULL when the flag was not given */
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
  FWI_FLAG_OUTPUT,   /* const char *: a file that is written; no two flags may name the same */
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

/* Which flags go together. A flag that another one would leave without effect is refused, never passed over. */
typedef enum fwi_rule_kind {
  FWI_NEEDS,   /* `flag` is nothing without `other` */
  FWI_EXCLUDES /* `flag` is nothing beside `other`, or the other way round */
} fwi_rule_kind;

typedef struct fwi_rule {
  const char *flag;
  fwi_rule_kind kind;
  const char *other;
  const char *why;
} fwi_rule;

typedef struct fwi_command {
  const char *name;
  const char *summary;
  const char *operands;  /* as the help says them and as they are asked for: "MODEL RECORDING..." are two or more,
                          * "SCENARIO [AXIS...]" one or more; NULL: none */
  const fwi_rule *rules; /* the last one's flag is NULL; NULL: none */
  const char *example;   /* one or more lines */
  int (*run)(int argc, char **argv);
} fwi_command;

/* Parses argv[0 .. argc-1] (without program and command); `help` is set by --help, and then nothing is checked. All
 * faults are reported. */
fw_status fwi_flags_parse(const fwi_command *command, const fwi_flag *flags, size_t flag_count, int argc, char **argv,
                          fwi_operands *operands, bool *help, fw_diagnostics *diagnostics);

void fwi_flags_print_help(const fwi_command *command, const fwi_flag *flags, size_t flag_count);

/* Frees what the values of flags own. */
void fwi_flags_clear(const fwi_flag *flags, size_t flag_count);

#endif
