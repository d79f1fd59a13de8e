/* The table-driven decoder: members are taken in the order of the text, each finds its field, and what no member
 * gave is looked for at the end, so that every fault of a document is reported in one pass. */
#include "sim/base/record.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/decode.h"
#include "sim/base/memory.h"

static const char tag_key[] = "kind";

static void decode_record(fwi_decoder *d, const fw_record *record, bool tagged, const fw_json_value *value, void *out);

static void refuse_missing_tag(fwi_decoder *d, const fw_json_value *value, const char *const *tags, size_t count) {
  char text[FWI_CHOICES_SIZE];
  fwi_refuse(d, value, "missing key \"%s\"; %s", tag_key, fwi_describe_choices("", tags, count, text));
}

static void decode_variant(fwi_decoder *d, const fw_field *field, const fw_json_value *value, fw_variant *out) {
  if (!fwi_expect(d, value, FW_JSON_OBJECT, NULL)) return;
  size_t count = 0;
  while (field->cases[count].tag != NULL)
    count++;
  const char **tags = fw_allocate(count, sizeof *tags);
  if (tags == NULL) {
    fwi_note_memory(d);
    return;
  }
  for (size_t i = 0; i < count; i++)
    tags[i] = field->cases[i].tag;
  const fw_json_value *tag = fw_json_get(value, tag_key);
  size_t choice = count;
  if (tag == NULL) {
    refuse_missing_tag(d, value, tags, count);
  } else {
    choice = fwi_find_choice(d, tag, tag_key, tags, count);
  }
  free(tags);
  if (choice == count) return;
  const fw_record *record = field->cases[choice].record;
  out->value = fw_allocate(1, record->size);
  if (out->value == NULL) {
    fwi_note_memory(d);
    return;
  }
  out->which = &field->cases[choice];
  decode_record(d, record, true, value, out->value);
}

/* One value, or one element of an array. */
static void decode_value(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                         void *out) {
  switch (fwi_element_kind(field->kind)) {
  case FW_FIELD_RECORD:
    decode_record(d, field->record, false, value, out);
    break;
  case FW_FIELD_VARIANT:
    decode_variant(d, field, value, out);
    break;
  default:
    fwi_decode_scalar(d, field, unit, value, out);
    break;
  }
}

static void decode_array(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                         fw_array *out) {
  if (!fwi_expect(d, value, FW_JSON_ARRAY, NULL)) return;
  size_t count = fw_json_count(value);
  if (count < field->min_count) {
    fwi_refuse(d, value, "needs at least %zu element%s, has %zu", field->min_count, field->min_count == 1 ? "" : "s",
               count);
  }
  if (count == 0) return;
  size_t size = fwi_element_size(field);
  out->data = fw_allocate(count, size);
  if (out->data == NULL) {
    fwi_note_memory(d);
    return;
  }
  out->count = count;
  char *element = out->data;
  const fw_json_value *item = fw_json_first(value);
  for (; item != NULL && !fwi_decoder_gave_up(d); item = fw_json_next(item), element += size) {
    decode_value(d, field, unit, item, element);
  }
}

static void decode_field(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                         char *record) {
  if (field->present_offset > 0) *(bool *)(void *)(record + field->present_offset) = true;
  if (fwi_is_array(field)) {
    decode_array(d, field, unit, value, (void *)(record + field->offset));
  } else {
    decode_value(d, field, unit, value, record + field->offset);
  }
}

static const fw_field *find_field(const fw_record *record, const char *key, const fwi_unit **unit) {
  for (size_t i = 0; i < record->field_count; i++) {
    if (fwi_field_matches(&record->fields[i], key, unit)) return &record->fields[i];
  }
  return NULL;
}

static bool is_free_key(const char *key) {
  return strncmp(key, "x_", 2) == 0 || strcmp(key, "notes") == 0;
}

/* All keys that a record may be read from, in one block: the pointers, then the texts. NULL when memory is short. */
static const char **list_spellings(const fw_record *record, bool tagged, size_t *count) {
  char key[FWI_KEY_SIZE];
  size_t total = tagged ? 1 : 0;
  for (size_t i = 0; i < record->field_count; i++) {
    for (size_t n = 0; fwi_field_spelling(&record->fields[i], n, key) != NULL; n++)
      total++;
  }
  const char **list = fw_allocate(total, sizeof *list + FWI_KEY_SIZE);
  if (list == NULL) return NULL;
  char *text = (char *)(list + total);
  *count = 0;
  for (size_t i = 0; i < record->field_count; i++) {
    for (size_t n = 0; fwi_field_spelling(&record->fields[i], n, text) != NULL; n++, text += FWI_KEY_SIZE) {
      list[(*count)++] = text;
    }
  }
  if (tagged) list[(*count)++] = tag_key;
  return list;
}

/* More keys than fit a message are looked up in the schema. */
static void add_where_to_look(const fw_record *record, const char **spellings, size_t count, fw_text *out) {
  if (count > 8) {
    fw_text_add_format(out, "run `fleetwatt schema` to see the keys of \"%s\"", record->name);
    return;
  }
  fw_text_add_format(out, "the keys of \"%s\" are", record->name);
  for (size_t i = 0; i < count; i++)
    fw_text_add_format(out, "%s %s", i > 0 ? "," : "", spellings[i]);
}

static void refuse_unknown_key(fwi_decoder *d, const fw_record *record, bool tagged, const fw_json_value *value) {
  const char *key = fw_json_key(value);
  char shown[FW_SHOWN_SIZE];
  size_t count;
  const char **spellings = list_spellings(record, tagged, &count);
  if (spellings == NULL) {
    fwi_note_memory(d);
    return;
  }
  const char *nearest = fw_nearest_word(key, spellings, count);
  fw_shown(key, strlen(key), shown);
  if (nearest != NULL) {
    fwi_refuse(d, value, "unknown key \"%s\"; did you mean \"%s\"?", shown, nearest);
  } else {
    fw_text look = FW_TEXT_INIT;
    add_where_to_look(record, spellings, count, &look);
    fwi_refuse(d, value, "unknown key \"%s\"; %s", shown, look.failed ? "" : look.data);
    if (look.failed) fwi_note_memory(d);
    fw_text_clear(&look);
  }
  free(spellings);
}

static void refuse_missing_key(fwi_decoder *d, const fw_field *field, const fw_json_value *object) {
  char key[FWI_KEY_SIZE];
  fwi_field_spelling(field, 0, key);
  fwi_refuse(d, object, "missing key \"%s\"%s%s", key, field->doc != NULL ? ": " : "",
             field->doc != NULL ? field->doc : "");
}

/* Finds the field of a member and decodes it; `given` holds the key that gave each field so far. */
static void decode_member(fwi_decoder *d, const fw_record *record, bool tagged, const fw_json_value *member,
                          const char **given, char *out) {
  const char *key = fw_json_key(member);
  const fwi_unit *unit;
  if (is_free_key(key) || (tagged && strcmp(key, tag_key) == 0)) return;
  const fw_field *field = find_field(record, key, &unit);
  if (field == NULL) {
    refuse_unknown_key(d, record, tagged, member);
    return;
  }
  const char **giver = &given[field - record->fields];
  if (*giver != NULL) {
    fwi_refuse(d, member, "\"%s\" is given twice, as \"%s\" and as \"%s\"; keep one", field->name, *giver, key);
    return;
  }
  *giver = key;
  decode_field(d, field, unit, member, out);
}

static void initialise(const fw_record *record, char *out) {
  if (record->defaults != NULL) {
    memcpy(out, record->defaults, record->size);
  } else {
    memset(out, 0, record->size);
  }
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    if (field->kind == FW_FIELD_RECORD) initialise(field->record, out + field->offset);
  }
}

/* `tagged`: the object is a variant, and its key "kind" has been read. */
static void decode_record(fwi_decoder *d, const fw_record *record, bool tagged, const fw_json_value *value, void *out) {
  initialise(record, out);
  if (!fwi_expect(d, value, FW_JSON_OBJECT, NULL)) return;
  const char **given = fw_allocate(record->field_count, sizeof *given);
  if (given == NULL) {
    fwi_note_memory(d);
    return;
  }
  const fw_json_value *member = fw_json_first(value);
  for (; member != NULL && !fwi_decoder_gave_up(d); member = fw_json_next(member)) {
    decode_member(d, record, tagged, member, given, out);
  }
  for (size_t i = 0; i < record->field_count && !fwi_decoder_gave_up(d); i++) {
    if (record->fields[i].required && given[i] == NULL) refuse_missing_key(d, &record->fields[i], value);
  }
  free(given);
}

fw_status fw_record_decode(const fw_record *record, const fw_json_value *value, void *out,
                           fw_diagnostics *diagnostics) {
  fwi_decoder d = {.diagnostics = diagnostics, .status = FW_OK};
  decode_record(&d, record, false, value, out);
  return d.status;
}

static void clear_value(const fw_field *field, void *value) {
  switch (fwi_element_kind(field->kind)) {
  case FW_FIELD_STRING:
    free(*(char **)value);
    break;
  case FW_FIELD_RECORD:
    fw_record_clear(field->record, value);
    break;
  case FW_FIELD_VARIANT:
    fw_variant_clear(value);
    break;
  default: /* holds nothing */
    break;
  }
}

static void clear_array(const fw_field *field, fw_array *array) {
  char *element = array->data;
  size_t size = fwi_element_size(field);
  for (size_t i = 0; i < array->count; i++)
    clear_value(field, element + i * size);
  free(array->data);
}

void fw_record_clear(const fw_record *record, void *out) {
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    void *value = (char *)out + field->offset;
    if (fwi_is_array(field)) {
      clear_array(field, value);
    } else {
      clear_value(field, value);
    }
  }
  memset(out, 0, record->size);
}

void fw_variant_clear(fw_variant *variant) {
  if (variant->value != NULL) fw_record_clear(variant->which->record, variant->value);
  free(variant->value);
  *variant = (fw_variant){NULL, NULL};
}
