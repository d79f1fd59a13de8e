/* A sheet and the three ways it is written. */
#include "models/fit_a100/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

static const char *const kind_names[] = {"name", "published", "fitted", "measured", "assumed", "derived", "predicted"};

/* Nine digits hold every number well beyond what is known of it, and hide the last bits, which a compiler may move. */
enum { DIGITS = 9, SHOWN_DIGITS = 5, DEPTH_MAX = 8 };

static fwi_entry *add_entry(fwi_sheet *sheet, const char *key, fwi_kind kind, const char *source, const char *basis) {
  if (!fw_grow(&sheet->entries, &sheet->capacity, sheet->count + 1, sizeof *sheet->entries)) {
    sheet->failed = true;
    return NULL;
  }
  fwi_entry *entry = &sheet->entries[sheet->count++];
  *entry = (fwi_entry){.key = key, .kind = kind, .source = source, .basis = basis};
  return entry;
}

void fwi_sheet_number(fwi_sheet *sheet, const char *key, double value, fwi_kind kind, const char *source,
                      const char *basis) {
  fwi_entry *entry = add_entry(sheet, key, kind, source, basis);
  if (entry == NULL) return;
  fw_text_add_number(&entry->value, value, DIGITS);
  sheet->failed = sheet->failed || entry->value.failed;
}

void fwi_sheet_numbers(fwi_sheet *sheet, const char *key, const double *values, size_t count, fwi_kind kind,
                       const char *source, const char *basis) {
  fwi_entry *entry = add_entry(sheet, key, kind, source, basis);
  if (entry == NULL) return;
  for (size_t i = 0; i < count; i++) {
    fw_text_add(&entry->value, i == 0 ? "[" : ", ");
    fw_text_add_number(&entry->value, values[i], DIGITS);
  }
  fw_text_add(&entry->value, "]");
  sheet->failed = sheet->failed || entry->value.failed;
}

void fwi_sheet_name(fwi_sheet *sheet, const char *key, const char *value, fwi_kind kind, const char *source,
                    const char *basis) {
  fwi_entry *entry = add_entry(sheet, key, kind, source, basis);
  if (entry == NULL) return;
  fw_text_add_json_string(&entry->value, value);
  sheet->failed = sheet->failed || entry->value.failed;
}

void fwi_sheet_quality(fwi_sheet *sheet, const char *label, double value, const char *unit) {
  if (sheet->count == 0) return;
  fw_text *quality = &sheet->entries[sheet->count - 1].quality;
  if (quality->length > 0) fw_text_add(quality, "; ");
  fw_text_add_format(quality, "%s ", label);
  fw_text_add_number(quality, value, SHOWN_DIGITS);
  if (unit[0] != '\0') fw_text_add_format(quality, " %s", unit);
  sheet->failed = sheet->failed || quality->failed;
}

static bool stands_in_file(const fwi_entry *entry) {
  return entry->kind != FWI_DERIVED && entry->kind != FWI_PREDICTED;
}

static const char *text_of(const fw_text *text) {
  return text->data != NULL ? text->data : "";
}

/* --- JSON --- */

static void new_line(fw_text *out, size_t depth) {
  fw_text_add_format(out, "\n%*s", (int)(2 * depth), "");
}

/* Length of the first `count` components of a dotted key, dots between them included; 0 when it has fewer. */
static size_t prefix_length(const char *key, size_t count) {
  const char *at = key;
  for (size_t i = 0; i < count; i++) {
    const char *dot = strchr(at, '.');
    if (dot == NULL) return 0;
    at = dot + 1;
  }
  return (size_t)(at - key);
}

/* Objects that two keys share. */
static size_t shared_depth(const char *left, const char *right) {
  size_t depth = 0;
  while (depth < DEPTH_MAX) {
    const size_t length = prefix_length(left, depth + 1);
    if (length == 0 || length != prefix_length(right, depth + 1) || strncmp(left, right, length) != 0) return depth;
    depth++;
  }
  return depth;
}

static size_t depth_of(const char *key) {
  size_t depth = 0;
  for (const char *at = key; *at != '\0'; at++)
    depth += *at == '.' ? 1 : 0;
  return depth;
}

/* Closes what the last key was in and this one is not, opens what is new, and writes the member. */
static void add_member(fw_text *out, const char *last_key, const fwi_entry *entry) {
  const size_t shared = last_key == NULL ? 0 : shared_depth(last_key, entry->key);
  const size_t before = last_key == NULL ? 0 : depth_of(last_key);
  for (size_t depth = before; depth > shared; depth--) {
    new_line(out, depth);
    fw_text_add(out, "}");
  }
  if (last_key != NULL) fw_text_add(out, ",");
  const char *name = entry->key + prefix_length(entry->key, shared);
  size_t depth = shared + 1;
  for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(name, '.')) {
    new_line(out, depth++);
    fw_text_add_format(out, "\"%.*s\": {", (int)(dot - name), name);
    name = dot + 1;
  }
  new_line(out, depth);
  fw_text_add_format(out, "\"%s\": %s", name, text_of(&entry->value));
}

static void add_body(const fwi_sheet *sheet, fw_text *out) {
  const char *last_key = NULL;
  for (size_t i = 0; i < sheet->count; i++) {
    if (!stands_in_file(&sheet->entries[i])) continue;
    add_member(out, last_key, &sheet->entries[i]);
    last_key = sheet->entries[i].key;
  }
  for (size_t depth = last_key == NULL ? 0 : depth_of(last_key); depth > 0; depth--) {
    new_line(out, depth);
    fw_text_add(out, "}");
  }
}

static void add_words(fw_text *out, const char *key, const char *words) {
  if (words[0] == '\0') return;
  fw_text_add_format(out, ", \"%s\": ", key);
  fw_text_add_json_string(out, words);
}

static void add_origin(fw_text *out, const fwi_entry *entry, bool *first) {
  fw_text_add(out, *first ? "" : ",");
  new_line(out, 3);
  fw_text_add_format(out, "\"%s\": {\"kind\": \"%s\"", entry->key, kind_names[entry->kind]);
  if (!stands_in_file(entry)) fw_text_add_format(out, ", \"value\": %s", text_of(&entry->value));
  add_words(out, "source", entry->source);
  add_words(out, "basis", entry->basis);
  add_words(out, "quality", text_of(&entry->quality));
  fw_text_add(out, "}");
  *first = false;
}

static void add_origins(const fwi_sheet *sheet, const char *name, bool of_file, fw_text *out) {
  bool first = true;
  new_line(out, 2);
  fw_text_add_format(out, "\"%s\": {", name);
  for (size_t i = 0; i < sheet->count; i++) {
    const fwi_entry *entry = &sheet->entries[i];
    if (entry->kind != FWI_NAME && stands_in_file(entry) == of_file) add_origin(out, entry, &first);
  }
  new_line(out, 2);
  fw_text_add(out, "}");
}

void fwi_sheet_json(const fwi_sheet *sheet, fw_text *out) {
  fw_text_add(out, "{");
  add_body(sheet, out);
  fw_text_add(out, ",");
  new_line(out, 1);
  fw_text_add(out, "\"provenance\": {");
  new_line(out, 2);
  fw_text_add(out, "\"written_by\": \"fit-a100; docs/parameters.md explains kinds and sources\",");
  add_origins(sheet, "numbers", true, out);
  fw_text_add(out, ",");
  add_origins(sheet, "beside", false, out);
  new_line(out, 1);
  fw_text_add(out, "}\n}\n");
}

/* --- tables --- */

/* A list is shown by its ends. */
static void add_shown(fw_text *out, const fwi_entry *entry) {
  const char *value = text_of(&entry->value);
  const char *first_end = strchr(value, ',');
  const char *last = strrchr(value, ' ');
  if (value[0] != '[' || first_end == NULL || last == NULL) {
    fw_text_add(out, value);
    return;
  }
  fw_text_add_format(out, "%.*s .. %s", (int)(first_end - value), value, last + 1);
}

void fwi_sheet_table(const fwi_sheet *sheet, fw_text *out) {
  fw_text_add_format(out, "%s\n", sheet->id);
  for (size_t i = 0; i < sheet->count; i++) {
    const fwi_entry *entry = &sheet->entries[i];
    if (entry->kind == FWI_NAME) continue;
    fw_text shown = FW_TEXT_INIT;
    add_shown(&shown, entry);
    fw_text_add_format(out, "  %-36s %-28s %-9s  %s\n", entry->key, text_of(&shown), kind_names[entry->kind],
                       entry->source);
    fw_text_clear(&shown);
  }
}

void fwi_sheet_markdown(const fwi_sheet *sheet, fw_text *out) {
  fw_text_add_format(
      out, "### %s\n\n| number | value | kind | source | rests on | quality |\n|---|---|---|---|---|---|\n", sheet->id);
  for (size_t i = 0; i < sheet->count; i++) {
    const fwi_entry *entry = &sheet->entries[i];
    if (entry->kind == FWI_NAME) continue;
    fw_text_add_format(out, "| `%s` | ", entry->key);
    add_shown(out, entry);
    fw_text_add_format(out, " | %s | %s | %s | %s |\n", kind_names[entry->kind], entry->source, entry->basis,
                       text_of(&entry->quality));
  }
  fw_text_add(out, "\n");
  fw_text_add(out, text_of(&sheet->appendix));
}

void fwi_sheet_clear(fwi_sheet *sheet) {
  for (size_t i = 0; i < sheet->count; i++) {
    fw_text_clear(&sheet->entries[i].value);
    fw_text_clear(&sheet->entries[i].quality);
  }
  fw_text_clear(&sheet->appendix);
  free(sheet->entries);
  *sheet = (fwi_sheet){0};
}
