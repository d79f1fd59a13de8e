/* Flags by table. */
#include "sim/cli/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"

#define FLAG_LIMIT ((size_t)32)

static const fwi_flag *find(const fwi_flag *flags, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(flags[i].name, name) == 0) {
      return &flags[i];
    }
  }
  return NULL;
}

static fw_status unknown(const fwi_command *command, const fwi_flag *flags, size_t count, const char *name,
                         fw_diagnostics *diagnostics) {
  const char *names[FLAG_LIMIT];
  for (size_t i = 0; i < count && i < FLAG_LIMIT; i++) {
    names[i] = flags[i].name;
  }
  const char *nearest = fw_nearest_word(name, names, count < FLAG_LIMIT ? count : FLAG_LIMIT);
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "unknown flag %s; %s%s", name,
                  nearest != NULL ? "did you mean " : "see fleetwatt ", nearest != NULL ? nearest : command->name);
}

static fw_status bad_value(const fwi_flag *flag, const char *text, const char *wanted, fw_diagnostics *diagnostics) {
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s %s: expected %s", flag->name, text, wanted);
}

static fw_status read_numbers(const fwi_flag *flag, const char *text, fw_diagnostics *diagnostics) {
  fwi_numbers *numbers = flag->target;
  numbers->count = 0;
  for (const char *at = text;; at++) {
    const size_t length = strcspn(at, ",");
    double value = 0.0;
    if (!fw_number_parse(at, length, &value) || !(value > 0.0)) {
      return bad_value(flag, text, "numbers above 0, separated by commas", diagnostics);
    }
    if (numbers->count == FWI_LIST_LIMIT) {
      return bad_value(flag, text, "at most 64 numbers", diagnostics);
    }
    numbers->values[numbers->count++] = value;
    at += length;
    if (*at == '\0') {
      return FW_OK;
    }
  }
}

static void clear_words(fwi_words *words) {
  free(words->storage);
  *words = (fwi_words){0};
}

static fw_status read_words(const fwi_flag *flag, const char *text, fw_diagnostics *diagnostics) {
  fwi_words *words = flag->target;
  clear_words(words);
  words->storage = fw_copy_text(text);
  if (words->storage == NULL) {
    return fw_error_memory(diagnostics, "a flag's value");
  }
  for (char *at = words->storage;; at++) {
    const size_t length = strcspn(at, ",");
    if (length == 0 || words->count == FWI_LIST_LIMIT) {
      return bad_value(flag, text, "one to 64 names, separated by commas", diagnostics);
    }
    words->values[words->count++] = at;
    at += length;
    if (*at == '\0') {
      return FW_OK;
    }
    *at = '\0';
  }
}

static fw_status add_text(const fwi_flag *flag, const char *text, fw_diagnostics *diagnostics) {
  fwi_operands *texts = flag->target;
  if (texts->count == FWI_LIST_LIMIT) {
    return bad_value(flag, text, "it at most 64 times", diagnostics);
  }
  texts->values[texts->count++] = text;
  return FW_OK;
}

static fw_status read_value(const fwi_flag *flag, const char *text, fw_diagnostics *diagnostics) {
  switch (flag->kind) {
  case FWI_FLAG_SWITCH:
    break;
  case FWI_FLAG_TEXT:
  case FWI_FLAG_OUTPUT:
    *(const char **)flag->target = text;
    break;
  case FWI_FLAG_UNSIGNED:
    if (!fw_uint64_parse(text, strlen(text), flag->target)) {
      return bad_value(flag, text, "a whole number, 0 to 18446744073709551615", diagnostics);
    }
    break;
  case FWI_FLAG_COUNT:
    if (!fw_uint64_parse(text, strlen(text), flag->target) || *(const uint64_t *)flag->target == 0) {
      return bad_value(flag, text, "a whole number above 0", diagnostics);
    }
    break;
  case FWI_FLAG_NUMBER:
    if (!fw_number_parse(text, strlen(text), flag->target) || !(*(const double *)flag->target > 0.0)) {
      return bad_value(flag, text, "a number above 0", diagnostics);
    }
    break;
  case FWI_FLAG_NUMBERS:
    return read_numbers(flag, text, diagnostics);
  case FWI_FLAG_WORDS:
    return read_words(flag, text, diagnostics);
  case FWI_FLAG_TEXTS:
    return add_text(flag, text, diagnostics);
  }
  return FW_OK;
}

/* ---- Flags and operands ---- */

/* A command line under way. */
typedef struct parser {
  const fwi_command *command;
  const fwi_flag *flags;
  size_t flag_count;
  bool given[FLAG_LIMIT];
  fw_diagnostics *diagnostics;
} parser;

static bool is_given(const parser *p, const char *name) {
  const fwi_flag *flag = find(p->flags, p->flag_count, name);
  return flag != NULL && p->given[flag - p->flags];
}

/* Takes the flag at argv[*at], which may be "--name value" or "--name=value". */
static fw_status take_flag(parser *p, int argc, char **argv, int *at) {
  char name[64];
  const size_t length = strcspn(argv[*at], "=");
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), argv[*at]);
  const fwi_flag *flag = find(p->flags, p->flag_count, name);
  if (flag == NULL) {
    return unknown(p->command, p->flags, p->flag_count, name, p->diagnostics);
  }
  bool *given = &p->given[flag - p->flags];
  const bool again = *given && flag->kind != FWI_FLAG_TEXTS;
  *given = true;
  if (flag->kind == FWI_FLAG_SWITCH) {
    *(bool *)flag->target = true;
    return argv[*at][length] == '\0' ? FW_OK : bad_value(flag, argv[*at] + length, "no value", p->diagnostics);
  }
  const char *value = argv[*at][length] == '=' ? argv[*at] + length + 1 : NULL;
  if (value == NULL && *at + 1 < argc) {
    value = argv[++*at];
  }
  if (value == NULL) {
    return fw_error(p->diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s needs a value: %s", flag->name, flag->argument);
  }
  if (again) {
    return fw_error(p->diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s is given twice; leave one out", flag->name);
  }
  return read_value(flag, value, p->diagnostics);
}

static fw_status take_operand(fwi_operands *operands, size_t limit, const char *value, fw_diagnostics *diagnostics) {
  if (operands->count == limit && limit == FWI_LIST_LIMIT) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s is one argument too many; at most %zu are taken",
                    value, limit);
  }
  if (operands->count == limit) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "unexpected argument %s", value);
  }
  operands->values[operands->count++] = value;
  return FW_OK;
}

/* How many operands a command takes at most, by what its help calls them. */
static size_t most_operands(const char *names) {
  size_t count = 0;
  for (const char *at = names; at != NULL; at = strchr(at, ' ')) {
    at += *at == ' ';
    count++;
  }
  return names != NULL && strstr(names, "...") != NULL ? FWI_LIST_LIMIT : count;
}

/* The first operand that is asked for, less what was given: it must be in brackets, or none. */
static fw_status check_operands(const parser *p, const fwi_operands *operands) {
  const char *name = p->command->operands;
  for (size_t i = 0; i < operands->count && name != NULL; i++) {
    name = strchr(name, ' ');
    name = name != NULL ? name + 1 : NULL;
  }
  if (name == NULL || *name == '[') {
    return FW_OK;
  }
  return fw_error(p->diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%.*s is missing; for example: %s",
                  (int)strcspn(name, " ."), name, p->command->example);
}

/* ---- What goes together ---- */

static fw_status check_rules(const parser *p) {
  fw_status status = FW_OK;
  for (const fwi_rule *rule = p->command->rules; rule != NULL && rule->flag != NULL; rule++) {
    const bool needs = rule->kind == FWI_NEEDS;
    if (!is_given(p, rule->flag) || is_given(p, rule->other) == needs) {
      continue;
    }
    status = fw_error(p->diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s %s %s: %s", rule->flag,
                      needs ? "needs" : "does not go with", rule->other, rule->why);
  }
  return status;
}

static fw_status check_outputs(const parser *p) {
  for (size_t i = 0; i < p->flag_count; i++) {
    for (size_t j = 0; j < i; j++) {
      const bool both =
          p->flags[i].kind == FWI_FLAG_OUTPUT && p->flags[j].kind == FWI_FLAG_OUTPUT && p->given[i] && p->given[j];
      if (both && strcmp(*(char **)p->flags[i].target, *(char **)p->flags[j].target) == 0) {
        return fw_error(p->diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s and %s name the same file; give two",
                        p->flags[j].name, p->flags[i].name);
      }
    }
  }
  return FW_OK;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

fw_status fwi_flags_parse(const fwi_command *command, const fwi_flag *flags, size_t flag_count, int argc, char **argv,
                          fwi_operands *operands, bool *help, fw_diagnostics *diagnostics) {
  parser p = {.command = command, .flags = flags, .flag_count = flag_count, .diagnostics = diagnostics};
  const size_t limit = most_operands(command->operands);
  fw_status status = FW_OK;
  *operands = (fwi_operands){0};
  *help = asks_for_help(argc, argv);
  for (int i = 0; i < argc && !*help; i++) {
    const bool flag = argv[i][0] == '-' && argv[i][1] != '\0';
    const fw_status one = flag ? take_flag(&p, argc, argv, &i) : take_operand(operands, limit, argv[i], diagnostics);
    status = status != FW_OK ? status : one;
  }
  if (*help || status != FW_OK) {
    return status;
  }
  status = check_operands(&p, operands);
  const fw_status together = check_rules(&p);
  status = status != FW_OK ? status : together;
  return status != FW_OK ? status : check_outputs(&p);
}

void fwi_flags_clear(const fwi_flag *flags, size_t flag_count) {
  for (size_t i = 0; i < flag_count; i++) {
    if (flags[i].kind == FWI_FLAG_WORDS) {
      clear_words(flags[i].target);
    }
  }
}

void fwi_flags_print_help(const fwi_command *command, const fwi_flag *flags, size_t flag_count) {
  printf("fleetwatt %s: %s\n\nusage: fleetwatt %s", command->name, command->summary, command->name);
  printf("%s%s [flags]\n\n", command->operands != NULL ? " " : "", command->operands != NULL ? command->operands : "");
  for (size_t i = 0; i < flag_count; i++) {
    char head[64];
    (void)snprintf(head, sizeof head, "%s %s", flags[i].name, flags[i].argument != NULL ? flags[i].argument : "");
    printf("  %-30s %s\n", head, flags[i].doc);
  }
  printf("  %-30s %s\n\nexample:\n  %s\n", "--help", "this text", command->example);
}
