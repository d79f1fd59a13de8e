/* Points of a study: axes as they are written, and the designs made of them. */
#include "sim/study/sweep/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"

#define RANGE_DIGITS 9 /* of a number drawn from a range */

/* One axis, taken apart. */
typedef struct axis {
  char *path;
  char **values; /* listed values */
  size_t count;
  bool range; /* instead of values */
  bool whole; /* numbers of the range are whole */
  double from;
  double to;
} axis;

typedef struct axis_list {
  axis *list;
  size_t count;
} axis_list;

static fw_status memory_error(fw_diagnostics *diagnostics) {
  return fw_error_memory(diagnostics, "the points of a study");
}

static fw_status bad_axis(const char *written, const char *why, fw_diagnostics *diagnostics) {
  char shown[FW_SHOWN_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "\"%s\": %s; an axis is written KEY=A,B,C or KEY=FROM:TO",
                  fw_shown(written, strlen(written), shown), why);
}

/* ---- Axes ---- */

/* The length of the text up to the first comma outside of brackets, braces and quotes. */
static size_t value_length(const char *text) {
  size_t depth = 0;
  bool quoted = false;
  size_t at = 0;
  for (; text[at] != '\0' && (quoted || depth > 0 || text[at] != ','); at++) {
    if (text[at] == '\\' && quoted && text[at + 1] != '\0') {
      at++;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[at] == '[' || text[at] == '{')) {
      depth++;
    } else if (!quoted && depth > 0 && (text[at] == ']' || text[at] == '}')) {
      depth--;
    }
  }
  return at;
}

static fw_status add_value(axis *a, size_t *capacity, const char *text, size_t length, fw_diagnostics *diagnostics) {
  if (!fw_grow(&a->values, capacity, a->count + 1, sizeof *a->values)) {
    return memory_error(diagnostics);
  }
  a->values[a->count] = fw_copy_bytes(text, length);
  return a->values[a->count++] != NULL ? FW_OK : memory_error(diagnostics);
}

static fw_status read_values(axis *a, const char *written, const char *text, fw_diagnostics *diagnostics) {
  size_t capacity = 0;
  for (;;) {
    const size_t length = value_length(text);
    if (length == 0) {
      return bad_axis(written, "a value is missing", diagnostics);
    }
    const fw_status status = add_value(a, &capacity, text, length, diagnostics);
    if (status != FW_OK || text[length] == '\0') {
      return status;
    }
    text += length + 1;
  }
}

static bool read_range(axis *a, const char *text) {
  const char *colon = strchr(text, ':');
  a->range = colon != NULL && fw_number_parse(text, (size_t)(colon - text), &a->from) &&
             fw_number_parse(colon + 1, strlen(colon + 1), &a->to);
  return a->range;
}

static fw_status read_axis(axis *a, const char *written, bool ranges, fw_diagnostics *diagnostics) {
  /* A key may hold a name in brackets, and that an equals sign. */
  size_t length = strcspn(written, "=[");
  while (written[length] == '[') {
    length += strcspn(written + length, "]");
    length += strcspn(written + length, "=[");
  }
  if (length == 0 || written[length] != '=') {
    return bad_axis(written, "no key before an equals sign", diagnostics);
  }
  a->path = fw_copy_bytes(written, length);
  if (a->path == NULL) {
    return memory_error(diagnostics);
  }
  const char *text = written + length + 1;
  if (read_range(a, text)) {
    return ranges && a->from < a->to
               ? FW_OK
               : bad_axis(written, ranges ? "the range does not rise" : "a range needs --latin N", diagnostics);
  }
  return read_values(a, written, text, diagnostics);
}

static void free_axes(axis_list *all) {
  for (size_t i = 0; i < all->count; i++) {
    for (size_t v = 0; v < all->list[i].count; v++) {
      free(all->list[i].values[v]);
    }
    free(all->list[i].values);
    free(all->list[i].path);
  }
  free(all->list);
}

static fw_status check_repeats(const axis_list *all, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < all->count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (strcmp(all->list[i].path, all->list[j].path) == 0) {
        return bad_axis(all->list[i].path, "the key is given twice", diagnostics);
      }
    }
    for (size_t v = 0; v < all->list[i].count; v++) {
      for (size_t u = 0; u < v; u++) {
        if (strcmp(all->list[i].values[u], all->list[i].values[v]) == 0) {
          return bad_axis(all->list[i].path, "a value is given twice", diagnostics);
        }
      }
    }
  }
  return FW_OK;
}

static fw_status read_axes(const char *const *written, size_t count, bool ranges, axis_list *out,
                           fw_diagnostics *diagnostics) {
  *out = (axis_list){fw_allocate(count, sizeof *out->list), count};
  if (out->list == NULL) {
    out->count = 0;
    return memory_error(diagnostics);
  }
  fw_status status = FW_OK;
  for (size_t i = 0; i < count; i++) {
    const fw_status one = read_axis(&out->list[i], written[i], ranges, diagnostics);
    status = status != FW_OK ? status : one;
  }
  return status == FW_OK ? check_repeats(out, diagnostics) : status;
}

/* ---- Points ---- */

static fw_status make_points(size_t count, fw_design *out, fw_diagnostics *diagnostics) {
  *out = (fw_design){fw_allocate(count, sizeof *out->points), count};
  if (out->points != NULL) {
    return FW_OK;
  }
  out->count = 0;
  return memory_error(diagnostics);
}

static fw_status make_settings(fw_design_point *point, size_t count, fw_diagnostics *diagnostics) {
  point->settings = fw_allocate(count, sizeof *point->settings);
  point->count = point->settings != NULL ? count : 0;
  return point->settings != NULL ? FW_OK : memory_error(diagnostics);
}

static fw_status set(fw_setting *setting, const char *path, const char *value, fw_diagnostics *diagnostics) {
  setting->path = fw_copy_text(path);
  setting->value = fw_copy_text(value);
  return setting->path != NULL && setting->value != NULL ? FW_OK : memory_error(diagnostics);
}

void fw_design_clear(fw_design *design) {
  for (size_t i = 0; i < design->count; i++) {
    for (size_t s = 0; s < design->points[i].count; s++) {
      free(design->points[i].settings[s].path);
      free(design->points[i].settings[s].value);
    }
    free(design->points[i].settings);
  }
  free(design->points);
  *design = (fw_design){0};
}

void fw_design_settings(const fw_design_point *point, fw_text *out) {
  fw_text_add(out, "{");
  for (size_t i = 0; i < point->count; i++) {
    fw_text_add(out, i > 0 ? ", " : "");
    fw_text_add_json_string(out, point->settings[i].path);
    fw_text_add(out, ": ");
    fw_record_value(point->settings[i].value, out);
  }
  fw_text_add(out, "}");
}

/* ---- Full grid ---- */

static fw_status grid_size(const axis_list *all, size_t *size, fw_diagnostics *diagnostics) {
  *size = 1;
  for (size_t i = 0; i < all->count; i++) {
    if (!fw_size_multiply(*size, all->list[i].count, size) || *size > FW_DESIGN_LIMIT) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "the grid has more than %zu points; give fewer values, or --latin N", FW_DESIGN_LIMIT);
    }
  }
  return FW_OK;
}

static fw_status fill_grid_point(const axis_list *all, size_t index, fw_design_point *point,
                                 fw_diagnostics *diagnostics) {
  fw_status status = make_settings(point, all->count, diagnostics);
  for (size_t i = all->count; status == FW_OK && i > 0; i--) {
    const axis *a = &all->list[i - 1];
    status = set(&point->settings[i - 1], a->path, a->values[index % a->count], diagnostics);
    index /= a->count;
  }
  return status;
}

fw_status fw_design_grid(const char *const *axes, size_t axis_count, fw_design *out, fw_diagnostics *diagnostics) {
  axis_list all = {0};
  size_t size = 0;
  *out = (fw_design){0};
  fw_status status = read_axes(axes, axis_count, false, &all, diagnostics);
  status = status == FW_OK ? grid_size(&all, &size, diagnostics) : status;
  status = status == FW_OK ? make_points(size, out, diagnostics) : status;
  for (size_t i = 0; status == FW_OK && i < size; i++) {
    status = fill_grid_point(&all, i, &out->points[i], diagnostics);
  }
  free_axes(&all);
  if (status != FW_OK) {
    fw_design_clear(out);
  }
  return status;
}

/* ---- Latin hypercube ---- */

/* Where in [0, 1) the point lies that has stratum `stratum` of `count`. */
static double place_in(fw_stream stream, size_t stratum, size_t count) {
  return ((double)stratum + fw_random_uniform(stream, count + stratum, 0)) / (double)count;
}

static const char *value_at(const axis *a, double place, char buffer[FW_NUMBER_TEXT_SIZE]) {
  if (!a->range) {
    return a->values[(size_t)(place * (double)a->count)];
  }
  if (a->whole) {
    const double number = floor(a->from + place * (a->to - a->from + 1.0));
    return fw_number_format(number < a->to ? number : a->to, 17, buffer);
  }
  return fw_number_format(a->from + place * (a->to - a->from), RANGE_DIGITS, buffer);
}

/* A random order of the strata (Fisher and Yates), then a place in each. */
static fw_status fill_axis(const axis *a, size_t index, uint64_t seed, size_t *order, fw_design *out,
                           fw_diagnostics *diagnostics) {
  const fw_stream stream = fw_stream_make(seed, FW_DRAW_DESIGN, (uint32_t)index);
  char buffer[FW_NUMBER_TEXT_SIZE];
  for (size_t i = 0; i < out->count; i++) {
    const size_t j = (size_t)fw_random_below(stream, i, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < out->count; i++) {
    const char *value = value_at(a, place_in(stream, order[i], out->count), buffer);
    status = set(&out->points[i].settings[index], a->path, value, diagnostics);
  }
  return status;
}

static fw_status find_whole_axes(const fw_record_text *source, axis_list *all, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < all->count; i++) {
    axis *a = &all->list[i];
    fw_field_kind kind = FW_FIELD_NUMBER;
    if (a->range) {
      const fw_status one = fw_record_kind_at(source, a->path, &kind, diagnostics);
      status = status != FW_OK ? status : one;
    }
    a->whole = kind == FW_FIELD_INTEGER || kind == FW_FIELD_UNSIGNED;
    if (a->whole && (floor(a->from) != a->from || floor(a->to) != a->to)) {
      status = bad_axis(a->path, "the key wants whole numbers, and the range's ends are none", diagnostics);
    }
  }
  return status;
}

static fw_status fill_latin(const axis_list *all, uint64_t seed, fw_design *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  size_t *order = fw_allocate(out->count, sizeof *order);
  for (size_t i = 0; status == FW_OK && i < out->count; i++) {
    status = make_settings(&out->points[i], all->count, diagnostics);
  }
  for (size_t i = 0; status == FW_OK && i < all->count; i++) {
    status = order != NULL ? fill_axis(&all->list[i], i, seed, order, out, diagnostics) : memory_error(diagnostics);
  }
  free(order);
  return status;
}

fw_status fw_design_latin(const fw_record_text *source, const char *const *axes, size_t axis_count, size_t points,
                          uint64_t seed, fw_design *out, fw_diagnostics *diagnostics) {
  axis_list all = {0};
  *out = (fw_design){0};
  if (points == 0 || points > FW_DESIGN_LIMIT || axis_count == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a Latin hypercube has 1 to %zu points and at least one axis", FW_DESIGN_LIMIT);
  }
  fw_status status = read_axes(axes, axis_count, true, &all, diagnostics);
  status = status == FW_OK ? find_whole_axes(source, &all, diagnostics) : status;
  status = status == FW_OK ? make_points(points, out, diagnostics) : status;
  status = status == FW_OK ? fill_latin(&all, seed, out, diagnostics) : status;
  free_axes(&all);
  if (status != FW_OK) {
    fw_design_clear(out);
  }
  return status;
}

/* ---- List ---- */

static fw_status read_point(const fw_json_value *value, fw_design_point *point, fw_diagnostics *diagnostics) {
  if (fw_json_type_of(value) != FW_JSON_OBJECT) {
    return fw_json_error(value, diagnostics, "expected an object of keys and values, as in {\"jobs[0].count\": 4}");
  }
  fw_status status = make_settings(point, fw_json_count(value), diagnostics);
  size_t index = 0;
  for (const fw_json_value *m = fw_json_first(value); status == FW_OK && m != NULL; m = fw_json_next(m)) {
    fw_text text = FW_TEXT_INIT;
    fw_json_write(m, &text);
    status = text.failed ? memory_error(diagnostics)
                         : set(&point->settings[index++], fw_json_key(m), text.data, diagnostics);
    fw_text_clear(&text);
  }
  return status;
}

static fw_status read_points(const fw_json *document, fw_design *out, fw_diagnostics *diagnostics) {
  const fw_json_value *root = fw_json_root(document);
  if (fw_json_type_of(root) != FW_JSON_ARRAY || fw_json_count(root) == 0 || fw_json_count(root) > FW_DESIGN_LIMIT) {
    return fw_json_error(root, diagnostics, "expected a list of 1 to %zu points, as in [{\"jobs[0].count\": 4}]",
                         FW_DESIGN_LIMIT);
  }
  fw_status status = make_points(fw_json_count(root), out, diagnostics);
  size_t index = 0;
  for (const fw_json_value *p = fw_json_first(root); status == FW_OK && p != NULL; p = fw_json_next(p)) {
    status = read_point(p, &out->points[index++], diagnostics);
  }
  return status;
}

fw_status fw_design_read(const char *path, fw_design *out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  *out = (fw_design){0};
  fw_status status = fw_json_read(path, &document, diagnostics);
  status = status == FW_OK ? read_points(document, out, diagnostics) : status;
  fw_json_free(document);
  if (status != FW_OK) {
    fw_design_clear(out);
  }
  return status;
}
