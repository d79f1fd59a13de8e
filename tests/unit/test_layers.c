/* Holds every source to the layers of docs/architecture.md and to the rules of library code written there.
 *
 * The table is read from the document, so document and test cannot drift apart. The checker is a function on text,
 * tested on texts that break each rule before it is turned on the tree. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/file.h"

#define LAYER_LIMIT 24
#define NAME_SIZE 64
#define SOURCE_SIZE_LIMIT ((size_t)1024 * 1024)

typedef struct layer {
  char name[NAME_SIZE];                 /* a folder, from the project's root */
  char allowed[LAYER_LIMIT][NAME_SIZE]; /* folders, or single headers */
  size_t allowed_count;
} layer;

typedef struct table {
  layer layers[LAYER_LIMIT];
  size_t count;
} table;

/* --- the table in the document --- */

/* Copies the next `quoted` name at or after *cursor and moves on behind it; false when the line holds no more. */
static bool next_quoted(const char **cursor, const char *end, char name[NAME_SIZE]) {
  const char *open = memchr(*cursor, '`', (size_t)(end - *cursor));
  if (open == NULL) return false;
  const char *close = memchr(open + 1, '`', (size_t)(end - open - 1));
  if (close == NULL || close - open - 1 >= NAME_SIZE) return false;
  memcpy(name, open + 1, (size_t)(close - open - 1));
  name[close - open - 1] = '\0';
  *cursor = close + 1;
  return true;
}

/* One row: the first cell names the folder, the last what it may include. */
static bool parse_row(const char *row, const char *end, layer *out) {
  *out = (layer){0};
  const char *first_end = memchr(row + 1, '|', (size_t)(end - row - 1));
  if (first_end == NULL || !next_quoted(&row, first_end, out->name)) return false;
  while (end > first_end && *end != '|')
    end--; /* the bar that closes the row */
  const char *cell = end - 1;
  while (cell > first_end && *cell != '|')
    cell--;
  char name[NAME_SIZE];
  while (next_quoted(&cell, end, name)) {
    if (out->allowed_count == LAYER_LIMIT) return false;
    memcpy(out->allowed[out->allowed_count++], name, sizeof name);
  }
  return true;
}

static bool parse_table(const char *document, table *out) {
  out->count = 0;
  const char *line = strstr(document, "| folder |");
  for (size_t row = 0; line != NULL && *line == '|'; row++) {
    const char *end = line + strcspn(line, "\n");
    if (row >= 2) { /* below the heading and its rule */
      if (out->count == LAYER_LIMIT || !parse_row(line, end - 1, &out->layers[out->count])) return false;
      out->count++;
    }
    line = *end == '\n' ? end + 1 : NULL;
  }
  return out->count > 0;
}

/* --- rules about includes --- */

/* The row whose folder holds `path`; the longest name wins. NULL: no row does. */
static const layer *layer_of(const table *layers, const char *path) {
  const layer *best = NULL;
  for (size_t i = 0; i < layers->count; i++) {
    const layer *candidate = &layers->layers[i];
    const size_t length = strlen(candidate->name);
    const bool inside = strncmp(path, candidate->name, length) == 0 && path[length] == '/';
    if (inside && (best == NULL || length > strlen(best->name))) best = candidate;
  }
  return best;
}

static bool is_allowed(const layer *from, const layer *to, const char *header) {
  bool allowed = from == to;
  for (size_t i = 0; i < from->allowed_count; i++) {
    allowed = allowed || strcmp(from->allowed[i], to->name) == 0 || strcmp(from->allowed[i], header) == 0;
  }
  return allowed;
}

/* If the line includes a header of ours, copies its path. */
static bool own_include(const char *line, char header[NAME_SIZE]) {
  line += strspn(line, " \t");
  if (*line++ != '#') return false;
  line += strspn(line, " \t");
  if (strncmp(line, "include", 7) != 0) return false;
  line += 7 + strspn(line + 7, " \t");
  if (*line++ != '"') return false;
  const size_t length = strcspn(line, "\"\n");
  if (length >= NAME_SIZE) return false;
  memcpy(header, line, length);
  header[length] = '\0';
  return true;
}

static size_t check_includes(const table *layers, const layer *from, const char *path, const char *text,
                             fw_text *report) {
  size_t violations = 0;
  for (size_t number = 1; text != NULL; number++) {
    char header[NAME_SIZE];
    if (own_include(text, header)) {
      const layer *to = layer_of(layers, header);
      if (to == NULL || !is_allowed(from, to, header)) {
        fw_text_add_format(report, "%s:%zu: %s may not include \"%s\"%s\n", path, number, from->name, header,
                           to == NULL ? ", which is in no folder of the table (write paths from the root)" : "");
        violations++;
      }
    }
    text = strchr(text, '\n');
    if (text != NULL) text++;
  }
  return violations;
}

/* --- rules about calls --- */

typedef struct rule {
  const char *why;
  const char *const *names;
} rule;

static const char *const ends_or_prints[] = {"printf", "vprintf", "puts",       "putchar", "perror", "exit",   "_exit",
                                             "_Exit",  "abort",   "quick_exit", "assert",  "stdout", "stderr", NULL};
static const char *const outside_world[] = {"time", "clock", "clock_gettime", "gettimeofday", "getenv", "setlocale",
                                            "rand", "srand", "random",        "rand_r",       NULL};
static const char *const processor_dependent[] = {"exp",    "exp2", "expm1", "log",   "log2",   "log10", "log1p",
                                                  "pow",    "sin",  "cos",   "tan",   "sinh",   "cosh",  "tanh",
                                                  "asin",   "acos", "atan",  "atan2", "erf",    "erfc",  "lgamma",
                                                  "tgamma", "cbrt", "hypot", "fma",   "sincos", NULL};

static const rule rules[] = {
    {"library code neither prints nor ends the process: return an fw_status", ends_or_prints},
    {"a run is a function of scenario and seed: no clock, environment, locale or other randomness", outside_world},
    {"its last digits depend on the processor: use sim/base/elementary.h", processor_dependent},
};

/* Programs print and end; tests may do anything. */
static bool is_library(const layer *from, const char *path) {
  return strcmp(from->name, "sim/cli") != 0 && strcmp(from->name, "tests") != 0 &&
         strcmp(path, "models/fit_a100/main.c") != 0;
}

/* The end of the comment or literal that starts at `text`; `text` itself where none does. */
static const char *skip_passive(const char *text) {
  if (text[0] == '/' && text[1] == '/') return text + strcspn(text, "\n");
  if (text[0] == '/' && text[1] == '*') {
    const char *end = strstr(text + 2, "*/");
    return end == NULL ? text + strlen(text) : end + 2;
  }
  if (text[0] != '"' && text[0] != '\'') return text;
  const char quote = *text++;
  while (*text != '\0' && *text != quote)
    text += text[0] == '\\' && text[1] != '\0' ? 2 : 1;
  return *text == quote ? text + 1 : text;
}

static bool is_word_character(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t check_word(const char *path, size_t line, const char *word, size_t length, fw_text *report) {
  size_t violations = 0;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    for (const char *const *name = rules[i].names; *name != NULL; name++) {
      if (strlen(*name) != length || strncmp(*name, word, length) != 0) continue;
      const bool is_stream = strcmp(*name, "stdout") == 0 || strcmp(*name, "stderr") == 0;
      if (!is_stream && word[length + strspn(word + length, " \t\n")] != '(') continue;
      fw_text_add_format(report, "%s:%zu: %s: %s\n", path, line, *name, rules[i].why);
      violations++;
    }
  }
  return violations;
}

static size_t check_calls(const char *path, const char *text, fw_text *report) {
  size_t violations = 0;
  size_t line = 1;
  while (*text != '\0') {
    const char *end = skip_passive(text);
    if (end == text) {
      while (is_word_character(*end))
        end++;
      violations += check_word(path, line, text, (size_t)(end - text), report);
      end += end == text;
    }
    for (; text < end; text++)
      line += *text == '\n';
  }
  return violations;
}

/* Only sim/base/file.c opens a file to write it: to a temporary name, and renamed. Others may open one to read. */
static size_t check_opens(const char *path, const char *text, fw_text *report) {
  size_t violations = 0;
  if (strcmp(path, "sim/base/file.c") == 0) return 0;
  for (const char *at = strstr(text, "fopen("); at != NULL; at = strstr(at + 1, "fopen(")) {
    const char *reads = strstr(at, "\"rb\"");
    if (reads != NULL && reads < at + strcspn(at, "\n")) continue;
    fw_text_add_format(report, "%s: fopen: files are written through sim/base/file.h, whole or not at all\n", path);
    violations++;
  }
  return violations;
}

static size_t check_source(const table *layers, const char *path, const char *text, fw_text *report) {
  const layer *from = layer_of(layers, path);
  if (from == NULL) {
    fw_text_add_format(report, "%s: its folder has no row in the table of docs/architecture.md\n", path);
    return 1;
  }
  size_t violations = check_includes(layers, from, path, text, report);
  if (is_library(from, path)) violations += check_calls(path, text, report);
  if (strcmp(from->name, "tests") != 0) violations += check_opens(path, text, report);
  return violations;
}

/* --- the tree --- */

static bool is_source(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot != NULL && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0);
}

/* Checks all sources below `folder` (a path from the root); counts them. */
static size_t check_folder(const table *layers, const char *folder, size_t *sources, fw_text *report) {
  fw_text full = FW_TEXT_INIT;
  fw_text_add_format(&full, "%s/%s", FW_SOURCE_DIR, folder);
  DIR *directory = opendir(full.data);
  cr_assert_not_null(directory, "cannot open %s", full.data);
  size_t violations = 0;
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    fw_text path = FW_TEXT_INIT;
    fw_text_add_format(&path, "%s/%s", folder, entry->d_name);
    fw_text_clear(&full);
    fw_text_add_format(&full, "%s/%s", FW_SOURCE_DIR, path.data);
    struct stat status;
    cr_assert_eq(stat(full.data, &status), 0);
    if (S_ISDIR(status.st_mode)) {
      violations += check_folder(layers, path.data, sources, report);
    } else if (is_source(entry->d_name)) {
      fw_text source = FW_TEXT_INIT;
      cr_assert_eq(fw_file_read(full.data, SOURCE_SIZE_LIMIT, &source, NULL), FW_OK, "cannot read %s", full.data);
      violations += check_source(layers, path.data, source.length == 0 ? "" : source.data, report);
      (*sources)++;
      fw_text_clear(&source);
    }
    fw_text_clear(&path);
  }
  closedir(directory);
  fw_text_clear(&full);
  return violations;
}

static void read_table(table *layers) {
  fw_text document = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(FW_SOURCE_DIR "/docs/architecture.md", SOURCE_SIZE_LIMIT, &document, NULL), FW_OK);
  cr_assert(parse_table(document.data, layers), "docs/architecture.md has no readable table of layers");
  fw_text_clear(&document);
}

Test(layers, every_source_keeps_to_the_table) {
  static table layers;
  read_table(&layers);
  fw_text report = FW_TEXT_INIT;
  size_t sources = 0;
  size_t violations = 0;
  const char *const roots[] = {"sim", "traces", "models", "policies", "tests"};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    violations += check_folder(&layers, roots[i], &sources, &report);
  }
  cr_assert_eq(violations, 0, "%zu violations:\n%s", violations, report.data);
  cr_assert_gt(sources, 50, "only %zu sources found: the walk is broken",
               sources); /* there are more, and ever will be */
  fw_text_clear(&report);
}

Test(layers, the_table_is_in_order) {
  static table layers;
  read_table(&layers);
  for (size_t i = 0; i < layers.count; i++) {
    for (size_t k = 0; k < layers.layers[i].allowed_count; k++) {
      const char *allowed = layers.layers[i].allowed[k];
      bool above = false;
      for (size_t j = 0; j < i; j++) {
        const char *name = layers.layers[j].name;
        above = above || strcmp(name, allowed) == 0 || layer_of(&layers, allowed) == &layers.layers[j];
      }
      cr_expect(above, "%s may include %s, which does not stand above it", layers.layers[i].name, allowed);
    }
  }
}

/* --- the checker itself --- */

static const char example[] = "Words.\n\n"
                              "| folder | holds | may include |\n"
                              "|---|---|---|\n"
                              "| `sim/base` | time, `errors` | nothing of ours |\n"
                              "| `models` | level | `sim/base` |\n"
                              "| `sim/study` | results | `sim/base`, `models` |\n"
                              "| `sim/report` | text | `sim/base`, `sim/study/result.h` |\n"
                              "| `sim/cli` | main | `sim/base`, `sim/report` |\n"
                              "\n| `other` | table | `models` |\n";

static size_t violations_in(const char *path, const char *text) {
  static table layers;
  cr_assert(parse_table(example, &layers));
  fw_text report = FW_TEXT_INIT;
  const size_t violations = check_source(&layers, path, text, &report);
  cr_assert_eq(violations == 0, report.length == 0, "each violation, and nothing else, is reported");
  fw_text_clear(&report);
  return violations;
}

Test(layers, the_table_is_parsed) {
  static table layers;
  cr_assert(parse_table(example, &layers));
  cr_assert_eq(layers.count, 5);
  cr_assert_str_eq(layers.layers[0].name, "sim/base");
  cr_assert_eq(layers.layers[0].allowed_count, 0, "names in the middle cell are not includes");
  cr_assert_eq(layers.layers[3].allowed_count, 2);
  cr_assert_str_eq(layers.layers[3].allowed[1], "sim/study/result.h");
  cr_assert_not(parse_table("no table", &layers));
  cr_assert_not(parse_table("| folder | holds | may include |\n|---|---|---|\n| base | x | y |\n", &layers));
}

Test(layers, allowed_includes_pass) {
  cr_expect_eq(violations_in("models/a.c", "#include <math.h>\n#include \"sim/base/json.h\"\n"), 0);
  cr_expect_eq(violations_in("models/a.c", "#include \"models/b.h\"\n"), 0, "its own folder");
  cr_expect_eq(violations_in("sim/report/a.c", "#include \"sim/study/result.h\"\n"), 0, "a single header");
}

Test(layers, forbidden_includes_are_found) {
  cr_expect_eq(violations_in("sim/base/a.h", "\n  #  include \"models/b.h\"\n"), 1, "upwards");
  cr_expect_eq(violations_in("sim/report/a.c", "#include \"sim/study/compare.h\"\n"), 1, "not that header");
  cr_expect_eq(violations_in("models/a.c", "#include \"b.h\"\n"), 1, "not from the root");
  cr_expect_eq(violations_in("models/a.c", "#include \"sim/base_two/b.h\"\n"), 1, "a name that only begins alike");
  cr_expect_eq(violations_in("models/a.c", "#include \"sim/study/r.h\"\n#include \"sim/cli/m.h\""), 2,
               "each is counted");
  cr_expect_eq(violations_in("extra/a.c", "int x;\n"), 1, "a folder without a row");
}

Test(layers, forbidden_calls_are_found) {
  cr_expect_eq(violations_in("models/a.c", "void f(void) { printf(\"x\"); exit (1); }"), 2);
  cr_expect_eq(violations_in("models/a.c", "fprintf(stderr, \"x\");"), 1);
  cr_expect_eq(violations_in("models/a.c", "y = exp(x) + log\n(x);"), 2);
  cr_expect_eq(violations_in("models/a.c", "t = time(NULL);"), 1);
  cr_expect_eq(violations_in("models/a.c", "c = '\"'; abort(); d = '\"';"), 1,
               "a quote in a character opens no string");
}

Test(layers, what_only_looks_like_a_call_passes) {
  cr_expect_eq(violations_in("models/a.c", "/* printf(x) */ // exit(1)\n"), 0);
  cr_expect_eq(violations_in("models/a.c", "s = \"exit(1) \\\" abort()\";"), 0);
  cr_expect_eq(violations_in("models/a.c", "fw_exp(x); snprintf(b, n, f); fprintf(stream, f); exponent = exp;"), 0);
  cr_expect_eq(violations_in("sim/cli/main.c", "FILE *f = fopen(path, \"w\");"), 1, "not even programs");
  cr_expect_eq(violations_in("models/a.c", "f = fopen(path, \"rb\");"), 0);
  cr_expect_eq(violations_in("sim/cli/main.c", "printf(\"x\"); exit(1);"), 0, "programs print");
}
