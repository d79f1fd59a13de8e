/* The path is walked through record and document side by side; then one stretch of the text is replaced. */
#include "sim/base/record_edit.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/field.h"
#include "sim/base/json.h"
#include "sim/base/memory.h"

typedef struct walk {
  const fw_record_text *source;
  const char *path; /* whole, for messages */
  const char *at;   /* the rest of it */
  fw_diagnostics *diagnostics;
  /* Where the walk has come to. */
  const fw_record *record;
  bool tagged;                  /* the object has a "kind" */
  const fw_json_value *object;  /* the last that is there; described by `record` while nothing is missing */
  const fw_field *field;        /* of the last key; NULL for "kind" */
  const fw_json_value *member;  /* of `object`, the last key's; NULL where it is not there */
  const fw_json_value *element; /* of the list `member`, where the path ends in brackets */
  fw_text key;                  /* the last key as written in the path */
  fw_text missing;              /* objects to make around the value: {"topology": { */
  size_t missing_count;
} walk;

static const char tag_key[] = "kind";

static fw_status refuse(const walk *w, const char *format, const char *subject, const char *rest) {
  const fw_place place = {.file = w->source->file, .path = w->path};
  char shown[FW_SHOWN_SIZE];
  return fw_error(w->diagnostics, FW_ERROR_INPUT, place, format, fw_shown(subject, strlen(subject), shown), rest);
}

/* ---- Keys ---- */

static fw_status refuse_key(const walk *w) {
  enum { MOST = 512 };
  char(*spellings)[FWI_KEY_SIZE] = fw_allocate(MOST, sizeof *spellings);
  const char **list = fw_allocate(MOST, sizeof *list);
  if (spellings == NULL || list == NULL) {
    free(spellings);
    free(list);
    return fw_error_memory(w->diagnostics, "a list of keys");
  }
  size_t count = 0;
  for (size_t i = 0; i < w->record->field_count; i++) {
    for (size_t n = 0; count < MOST && fwi_field_spelling(&w->record->fields[i], n, spellings[count]) != NULL; n++) {
      list[count] = spellings[count];
      count++;
    }
  }
  const char *nearest = fw_nearest_word(w->key.data, list, count);
  const fw_status status = nearest != NULL
                               ? refuse(w, "unknown key \"%s\"; did you mean \"%s\"?", w->key.data, nearest)
                               : refuse(w, "unknown key \"%s\"; run `fleetwatt schema` to see the keys of \"%s\"",
                                        w->key.data, w->record->name);
  free(spellings);
  free(list);
  return status;
}

/* The field that `key` gives, or NULL. */
static const fw_field *field_of(const fw_record *record, const char *key) {
  const fwi_unit *unit = NULL;
  for (size_t i = 0; i < record->field_count; i++) {
    if (fwi_field_matches(&record->fields[i], key, &unit)) return &record->fields[i];
  }
  return NULL;
}

/* The member that gives the field: under the key of the path, or under another of its units. */
static const fw_json_value *member_of(const walk *w) {
  if (w->missing_count > 0) return NULL;
  if (w->field == NULL) return fw_json_get(w->object, tag_key);
  const fw_json_value *member = fw_json_first(w->object);
  while (member != NULL && field_of(w->record, fw_json_key(member)) != w->field)
    member = fw_json_next(member);
  return member;
}

static fw_status take_key(walk *w) {
  const size_t length = strcspn(w->at, ".[");
  w->key.length = 0;
  fw_text_add_bytes(&w->key, w->at, length);
  if (w->key.failed) return fw_error_memory(w->diagnostics, "a key");
  w->at += length;
  const bool is_tag = w->tagged && strcmp(w->key.data, tag_key) == 0;
  w->field = is_tag ? NULL : field_of(w->record, w->key.data);
  if (w->field == NULL && !is_tag) return refuse_key(w);
  w->member = member_of(w);
  w->element = NULL;
  return FW_OK;
}

/* ---- Elements ---- */

static const char *element_name(const fw_json_value *element) {
  const fw_json_value *name = fw_json_get(element, "name");
  if (name == NULL) name = fw_json_get(element, "class");
  return name != NULL && fw_json_type_of(name) == FW_JSON_STRING ? fw_json_string(name) : "";
}

static fw_status find_named(walk *w, const char *name) {
  const char *first = NULL;
  for (const fw_json_value *e = fw_json_first(w->member); e != NULL; e = fw_json_next(e)) {
    if (first == NULL) first = element_name(e);
    if (strcmp(element_name(e), name) != 0) continue;
    if (w->element != NULL) {
      return refuse(w, "several elements are named \"%s\"; give the index, 0 for the first%s", name, "");
    }
    w->element = e;
  }
  if (w->element == NULL) {
    return refuse(w, "no element is named \"%s\"; the first is named \"%s\"", name, first != NULL ? first : "");
  }
  return FW_OK;
}

static fw_status find_indexed(walk *w, uint64_t index, const char *written) {
  w->element = fw_json_first(w->member);
  for (uint64_t i = 0; i < index && w->element != NULL; i++)
    w->element = fw_json_next(w->element);
  if (w->element == NULL) return refuse(w, "there is no element %s; the first has index 0%s", written, "");
  return FW_OK;
}

static fw_status take_element(walk *w) {
  const size_t length = strcspn(w->at + 1, "]");
  if (w->at[1 + length] != ']') return refuse(w, "a bracket is not closed after \"%s\"%s", w->key.data, "");
  if (w->field == NULL || !fwi_is_array(w->field)) return refuse(w, "\"%s\" is no list%s", w->key.data, "");
  if (w->member == NULL || fw_json_type_of(w->member) != FW_JSON_ARRAY) {
    return refuse(w, "\"%s\" is not there; give all of it as a list%s", w->key.data, "");
  }
  char *inside = fw_copy_bytes(w->at + 1, length);
  if (inside == NULL) return fw_error_memory(w->diagnostics, "an index");
  uint64_t index = 0;
  const fw_status status =
      fw_uint64_parse(inside, length, &index) ? find_indexed(w, index, inside) : find_named(w, inside);
  free(inside);
  w->at += length + 2;
  return status;
}

/* ---- Going deeper ---- */

static const fw_record *record_of_case(const fw_field *field, const fw_json_value *object) {
  const fw_json_value *tag = fw_json_get(object, tag_key);
  if (tag == NULL || fw_json_type_of(tag) != FW_JSON_STRING) return NULL;
  for (const fw_variant_case *one = field->cases; one->tag != NULL; one++) {
    if (strcmp(one->tag, fw_json_string(tag)) == 0) return one->record;
  }
  return NULL;
}

/* An object that the text does not have: it is made around the value. */
static fw_status enter_missing(walk *w) {
  if (w->field->kind != FW_FIELD_RECORD) {
    return refuse(w, "\"%s\" is not there; give all of it as an object%s", w->key.data, "");
  }
  fw_text_add_json_string(&w->missing, w->key.data);
  fw_text_add(&w->missing, ": {");
  w->missing_count++;
  w->record = w->field->record;
  w->tagged = false;
  return FW_OK;
}

static fw_status enter(walk *w) {
  const fw_json_value *object = w->element != NULL ? w->element : w->member;
  const fw_field_kind kind = w->field != NULL ? fwi_element_kind(w->field->kind) : FW_FIELD_STRING;
  const bool nested = kind == FW_FIELD_RECORD || kind == FW_FIELD_VARIANT;
  if (!nested || (fwi_is_array(w->field) && w->element == NULL)) {
    return refuse(w, nested ? "\"%s\" is a list; say which element, as in jobs[0]%s" : "\"%s\" holds no keys%s",
                  w->key.data, "");
  }
  if (object == NULL) return enter_missing(w);
  const fw_record *record = kind == FW_FIELD_RECORD ? w->field->record : record_of_case(w->field, object);
  if (record == NULL || fw_json_type_of(object) != FW_JSON_OBJECT) {
    return refuse(w, "\"%s\" is no object of a known \"%s\"", w->key.data, tag_key);
  }
  w->record = record;
  w->tagged = kind == FW_FIELD_VARIANT;
  w->object = object;
  return FW_OK;
}

static fw_status follow(walk *w) {
  for (;;) {
    fw_status status = take_key(w);
    if (status == FW_OK && *w->at == '[') status = take_element(w);
    if (status != FW_OK || *w->at == '\0') return status;
    if (*w->at != '.') return refuse(w, "expected a dot or the end of the path before \"%s\"%s", w->at, "");
    w->at++;
    status = enter(w);
    if (status != FW_OK) return status;
  }
}

/* ---- Stretches of the text, which was found to be JSON ---- */

static size_t skip_blanks(const char *text, size_t at) {
  return at + strspn(text + at, " \t\r\n");
}

typedef struct stretch {
  size_t from; /* of a member: its key's */
  size_t to;
} stretch;

static stretch stretch_of(const fw_json_value *value) {
  size_t from = 0;
  size_t length = 0;
  fw_json_extent(value, &from, &length);
  return (stretch){from, from + length};
}

/* The stretches of a member of `object` and of its neighbours; one that is not there has the length 0. */
static void find_member(const char *text, const fw_json_value *object, const fw_json_value *member, stretch *before,
                        stretch *self, stretch *after) {
  stretch current = {0, 0};
  size_t at = stretch_of(object).from + 1;
  *before = *self = *after = current;
  for (const fw_json_value *m = fw_json_first(object); m != NULL; m = fw_json_next(m)) {
    const stretch last = current;
    current.from = skip_blanks(text, at);
    current.to = stretch_of(m).to;
    if (m == member) {
      *before = last;
      *self = current;
    } else if (self->to > 0) {
      *after = current;
      return;
    }
    at = skip_blanks(text, current.to) + 1; /* behind the comma */
  }
}

/* ---- The change ---- */

static bool is_json(const char *value) {
  fw_json *document = NULL;
  fw_diagnostics unheard = FW_DIAGNOSTICS_INIT;
  const bool sound = fw_json_parse(value, strlen(value), NULL, &document, &unheard) == FW_OK;
  fw_json_free(document);
  fw_diagnostics_clear(&unheard);
  return sound;
}

void fw_record_value(const char *value, fw_text *out) {
  if (is_json(value)) {
    fw_text_add(out, value);
  } else {
    fw_text_add_json_string(out, value);
  }
}

/* "key": value, inside the objects that are made for it; without the key for an element. */
static void add_new(const walk *w, const char *value, bool with_key, fw_text *out) {
  if (with_key) {
    if (w->missing_count > 0) fw_text_add(out, w->missing.data);
    fw_text_add_json_string(out, w->key.data);
    fw_text_add(out, ": ");
  }
  const size_t blanks = skip_blanks(value, 0);
  const bool wrapped = w->field != NULL && fwi_is_array(w->field) && w->element == NULL && value[blanks] != '[';
  fw_text_add(out, wrapped ? "[" : "");
  fw_record_value(value, out);
  fw_text_add(out, wrapped ? "]" : "");
  for (size_t i = 0; with_key && i < w->missing_count; i++)
    fw_text_add(out, "}");
}

/* The text with a stretch replaced by the value, or by nothing where that is NULL. */
static void splice(const walk *w, stretch old, const char *separator, const char *value, bool with_key, fw_text *out) {
  fw_text_add_bytes(out, w->source->text, old.from);
  if (value != NULL) {
    fw_text_add(out, separator);
    add_new(w, value, with_key, out);
  }
  fw_text_add(out, w->source->text + old.to);
}

static void remove_member(const walk *w, fw_text *out) {
  stretch before;
  stretch self;
  stretch after;
  find_member(w->source->text, w->object, w->member, &before, &self, &after);
  if (before.to > 0) {
    self.from = before.to;
  } else if (after.to > 0) {
    self.to = after.from;
  }
  splice(w, self, "", NULL, false, out);
}

static void insert_member(const walk *w, const char *value, fw_text *out) {
  size_t end = stretch_of(w->object).from + 1;
  for (const fw_json_value *m = fw_json_first(w->object); m != NULL; m = fw_json_next(m))
    end = stretch_of(m).to;
  splice(w, (stretch){end, end}, fw_json_count(w->object) > 0 ? ", " : "", value, true, out);
}

static void change(const walk *w, const char *value, fw_text *out) {
  const bool removal = strcmp(value, "null") == 0;
  if (w->element != NULL) {
    splice(w, stretch_of(w->element), "", value, false, out);
  } else if (w->member == NULL && removal) {
    fw_text_add(out, w->source->text);
  } else if (w->member == NULL) {
    insert_member(w, value, out);
  } else if (removal) {
    remove_member(w, out);
  } else {
    stretch before;
    stretch self;
    stretch after;
    find_member(w->source->text, w->object, w->member, &before, &self, &after);
    splice(w, self, "", value, true, out);
  }
}

/* Walks to the end of the path; end with end_walk. */
static fw_status start(walk *w, fw_json **document) {
  const fw_record_text *source = w->source;
  fw_status status = fw_json_parse(source->text, source->length, source->file, document, w->diagnostics);
  if (status != FW_OK) return status;
  w->object = fw_json_root(*document);
  if (fw_json_type_of(w->object) != FW_JSON_OBJECT) {
    return fw_json_error(w->object, w->diagnostics, "expected an object");
  }
  status = follow(w);
  if (status == FW_OK && w->missing.failed) status = fw_error_memory(w->diagnostics, "a change of a JSON text");
  return status;
}

static void end_walk(walk *w, fw_json *document) {
  fw_text_clear(&w->key);
  fw_text_clear(&w->missing);
  fw_json_free(document);
}

fw_status fw_record_edit(const fw_record_text *source, const char *path, const char *value, fw_text *out,
                         fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  walk w = {.source = source, .path = path, .at = path, .diagnostics = diagnostics, .record = source->record};
  fw_status status = start(&w, &document);
  if (status == FW_OK) {
    change(&w, value, out);
    if (out->failed) status = fw_error_memory(diagnostics, "a change of a JSON text");
  }
  end_walk(&w, document);
  return status;
}

fw_status fw_record_kind_at(const fw_record_text *source, const char *path, fw_field_kind *kind,
                            fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  walk w = {.source = source, .path = path, .at = path, .diagnostics = diagnostics, .record = source->record};
  const fw_status status = start(&w, &document);
  *kind = w.field != NULL ? fwi_element_kind(w.field->kind) : FW_FIELD_STRING;
  end_walk(&w, document);
  return status;
}
