/* Names of fields: those of nvidia-smi's --help-query-gpu, of DCGM's field identifiers, of the common exporters, and of
 * our own CSV. A name is lowered, its words are joined by points, a unit at its end comes off, and the rest is looked
 * up. */
#include "traces/field.h"

#include <string.h>

#define NAME_SIZE ((size_t)64)

typedef struct known_name {
  const char *name;
  fwi_role role;
  const char *unit; /* that the definition of the field gives, where the name does not; NULL: none */
} known_name;

static const known_name known_names[] = {
    {"timestamp", FWI_ROLE_TIME, NULL},
    {"time", FWI_ROLE_TIME, NULL},
    {"t", FWI_ROLE_TIME, NULL},
    {"ts", FWI_ROLE_TIME, NULL},
    {"unix", FWI_ROLE_TIME, NULL},
    {"unix.time", FWI_ROLE_TIME, NULL},
    {"epoch", FWI_ROLE_TIME, NULL},
    {"datetime", FWI_ROLE_TIME, NULL},
    {"date.time", FWI_ROLE_TIME, NULL},
    {"elapsed", FWI_ROLE_TIME, NULL},
    {"date", FWI_ROLE_DATE, NULL},
    {"power.draw", FWI_ROLE_POWER, "W"},
    {"power", FWI_ROLE_POWER, NULL},
    {"power.usage", FWI_ROLE_POWER, NULL},
    {"gpu.power", FWI_ROLE_POWER, NULL},
    {"gpu.power.draw", FWI_ROLE_POWER, NULL},
    {"gpu.power.usage", FWI_ROLE_POWER, NULL},
    {"board.power", FWI_ROLE_POWER, NULL},
    {"pwr", FWI_ROLE_POWER, NULL},
    {"dcgm.fi.dev.power.usage", FWI_ROLE_POWER, "W"},
    {"nvidia.smi.power.draw", FWI_ROLE_POWER, NULL},
    {"nvidia.gpu.power.usage", FWI_ROLE_POWER, NULL},
    {"power.draw.average", FWI_ROLE_AVERAGE, "W"},
    {"power.average", FWI_ROLE_AVERAGE, NULL},
    {"nvidia.smi.power.draw.average", FWI_ROLE_AVERAGE, NULL},
    {"power.draw.instant", FWI_ROLE_INSTANT, "W"},
    {"power.instant", FWI_ROLE_INSTANT, NULL},
    {"dcgm.fi.dev.power.usage.instant", FWI_ROLE_INSTANT, "W"},
    {"nvidia.smi.power.draw.instant", FWI_ROLE_INSTANT, NULL},
    {"power.limit", FWI_ROLE_LIMIT, "W"},
    {"enforced.power.limit", FWI_ROLE_LIMIT, "W"},
    {"limit", FWI_ROLE_LIMIT, NULL},
    {"power.cap", FWI_ROLE_LIMIT, NULL},
    {"cap", FWI_ROLE_LIMIT, NULL},
    {"dcgm.fi.dev.power.mgmt.limit", FWI_ROLE_LIMIT, "W"},
    {"dcgm.fi.dev.enforced.power.limit", FWI_ROLE_LIMIT, "W"},
    {"nvidia.smi.enforced.power.limit", FWI_ROLE_LIMIT, NULL},
    {"utilization.gpu", FWI_ROLE_UTILISATION, "%"},
    {"gpu.util", FWI_ROLE_UTILISATION, "%"},
    {"gputl", FWI_ROLE_UTILISATION, "%"},
    {"util", FWI_ROLE_UTILISATION, "%"},
    {"utilization", FWI_ROLE_UTILISATION, "%"},
    {"utilisation", FWI_ROLE_UTILISATION, "%"},
    {"sm", FWI_ROLE_UTILISATION, "%"},
    {"dcgm.fi.dev.gpu.util", FWI_ROLE_UTILISATION, "%"},
    {"temperature.gpu", FWI_ROLE_TEMPERATURE, "C"},
    {"temperature", FWI_ROLE_TEMPERATURE, "C"},
    {"temp", FWI_ROLE_TEMPERATURE, "C"},
    {"gtemp", FWI_ROLE_TEMPERATURE, "C"},
    {"tmptr", FWI_ROLE_TEMPERATURE, "C"},
    {"dcgm.fi.dev.gpu.temp", FWI_ROLE_TEMPERATURE, "C"},
    {"requests.running", FWI_ROLE_OCCUPANCY, "%"},
    {"num.requests.running", FWI_ROLE_OCCUPANCY, "%"},
    {"occupancy", FWI_ROLE_OCCUPANCY, "%"},
    {"concurrency", FWI_ROLE_OCCUPANCY, "%"},
    {"energy", FWI_ROLE_COUNTER, NULL},
    {"energy.counter", FWI_ROLE_COUNTER, NULL},
    {"total.energy.consumption", FWI_ROLE_COUNTER, "mJ"},
    {"totec", FWI_ROLE_COUNTER, "mJ"},
    {"dcgm.fi.dev.total.energy.consumption", FWI_ROLE_COUNTER, "mJ"},
    {"uuid", FWI_ROLE_UUID, NULL},
    {"gpu.uuid", FWI_ROLE_UUID, NULL},
    {"serial", FWI_ROLE_SERIAL, NULL},
    {"gpu.serial", FWI_ROLE_SERIAL, NULL},
    {"pci.bus.id", FWI_ROLE_BUS, NULL},
    {"gpu.bus.id", FWI_ROLE_BUS, NULL},
    {"bus.id", FWI_ROLE_BUS, NULL},
    {"pci.bus", FWI_ROLE_BUS, NULL},
    {"index", FWI_ROLE_INDEX, NULL},
    {"gpu", FWI_ROLE_INDEX, NULL},
    {"gpu.id", FWI_ROLE_INDEX, NULL},
    {"gpu.index", FWI_ROLE_INDEX, NULL},
    {"minor", FWI_ROLE_INDEX, NULL},
    {"minor.number", FWI_ROLE_INDEX, NULL},
    {"device", FWI_ROLE_INDEX, NULL},
    {"device.id", FWI_ROLE_INDEX, NULL},
    {"host", FWI_ROLE_HOST, NULL},
    {"hostname", FWI_ROLE_HOST, NULL},
    {"node", FWI_ROLE_HOST, NULL},
    {"server", FWI_ROLE_HOST, NULL},
    {"instance", FWI_ROLE_HOST, NULL},
    {"rank", FWI_ROLE_LOGGER, NULL},
    {"local.rank", FWI_ROLE_LOGGER, NULL},
    {"global.rank", FWI_ROLE_LOGGER, NULL},
    {"pid", FWI_ROLE_LOGGER, NULL},
    {"process", FWI_ROLE_LOGGER, NULL},
    {"logger", FWI_ROLE_LOGGER, NULL},
    {"name", FWI_ROLE_MODEL, NULL},
    {"gpu.name", FWI_ROLE_MODEL, NULL},
    {"modelname", FWI_ROLE_MODEL, NULL},
};

fwi_quantity_kind fwi_role_quantity(fwi_role role) {
  if (role == FWI_ROLE_COUNTER) return FWI_ENERGY_READING;
  return role >= FWI_ROLE_POWER && role <= FWI_ROLE_LIMIT ? FWI_POWER_READING : FWI_PLAIN_READING;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_joint(char c) {
  return c == '_' || c == ' ' || c == '-' || c == '/' || c == '.' || c == '\t';
}

/* "Power.Draw" and "power_draw" become "power.draw". Names beyond the buffer are cut: no known name is that long. */
static size_t normalise(const char *name, size_t length, char out[NAME_SIZE]) {
  size_t used = 0;
  for (size_t i = 0; i < length && used + 1 < NAME_SIZE; i++) {
    if (!is_joint(name[i])) {
      out[used++] = lower(name[i]);
    } else if (used > 0 && out[used - 1] != '.') {
      out[used++] = '.';
    }
  }
  while (used > 0 && out[used - 1] == '.')
    used--;
  out[used] = '\0';
  return used;
}

static const known_name *look_up(const char *name) {
  for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
    if (strcmp(known_names[i].name, name) == 0) return &known_names[i];
  }
  return NULL;
}

/* Splits "name [unit]" or "name (unit)". */
static size_t bracket_at(const char *name, size_t length, const char **unit, size_t *unit_length) {
  *unit = NULL;
  if (length < 3 || (name[length - 1] != ']' && name[length - 1] != ')')) return length;
  char open = name[length - 1] == ']' ? '[' : '(';
  for (size_t i = length - 1; i > 0; i--) {
    if (name[i - 1] != open) continue;
    *unit = name + i;
    *unit_length = length - 1 - i;
    return i - 1;
  }
  return length;
}

typedef struct unit_word {
  const char *word; /* at the end of a name */
  const char *symbol;
} unit_word;

/* A name is written in small letters, so "mw" in it is milliwatt; megawatts are no unit of a GPU. */
static const unit_word unit_words[] = {
    {"w", "W"},      {"mw", "mW"}, {"kw", "kW"},          {"watts", "W"}, {"milliwatts", "mW"},
    {"mj", "mJ"},    {"j", "J"},   {"joules", "J"},       {"kj", "kJ"},   {"wh", "Wh"},
    {"kwh", "kWh"},  {"uj", "uJ"}, {"millijoules", "mJ"}, {"c", "C"},     {"pct", "%"},
    {"percent", "%"}};

static fwi_time_unit time_unit_of(const char *word, size_t length) {
  static const struct {
    const char *word;
    fwi_time_unit unit;
  } units[] = {{"s", FWI_TIME_S},   {"sec", FWI_TIME_S}, {"seconds", FWI_TIME_S},
               {"ms", FWI_TIME_MS}, {"us", FWI_TIME_US}, {"ns", FWI_TIME_NS}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].word) == length && memcmp(units[i].word, word, length) == 0) return units[i].unit;
  }
  return FWI_TIME_BY_SIZE;
}

static fwi_field field_of(const known_name *known, const char *unit, size_t unit_length) {
  fwi_field field = {.role = known->role};
  if (known->role == FWI_ROLE_TIME) {
    field.time_unit = unit == NULL ? FWI_TIME_BY_SIZE : time_unit_of(unit, unit_length);
    return field;
  }
  if (unit == NULL && known->unit != NULL) {
    unit = known->unit;
    unit_length = strlen(unit);
  }
  if (unit != NULL) field.scale = fwi_scale_find(fwi_role_quantity(known->role), unit, unit_length);
  return field;
}

/* "power.mw": the last word may be a unit. */
static fwi_field field_with_suffix(char *name, const char *written) {
  char *point = strrchr(name, '.');
  if (point == NULL) return (fwi_field){0};
  const char *word = point + 1;
  *point = '\0';
  const known_name *known = look_up(name);
  if (known == NULL) return (fwi_field){0};
  if (known->role == FWI_ROLE_TIME) {
    fwi_field field = field_of(known, word, strlen(word));
    return field.time_unit == FWI_TIME_BY_SIZE ? (fwi_field){0} : field;
  }
  for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++) {
    if (strcmp(unit_words[i].word, word) != 0) continue;
    bool mega = word[0] == 'm' && strstr(written, "M") != NULL; /* "power_MW": not what is taken for milliwatt */
    const char *symbol = mega ? "" : unit_words[i].symbol;
    fwi_field field = field_of(known, symbol, strlen(symbol));
    return field.scale == NULL && !mega ? (fwi_field){0} : field;
  }
  return (fwi_field){0};
}

fwi_field fwi_field_of_name(const char *name, size_t length) {
  char normal[NAME_SIZE], written[NAME_SIZE];
  const char *unit;
  size_t unit_length = 0;
  size_t bare = bracket_at(name, length, &unit, &unit_length);
  if (bare >= NAME_SIZE) return (fwi_field){0};
  normalise(name, bare, normal);
  const known_name *known = look_up(normal);
  if (known != NULL) return field_of(known, unit, unit_length);
  size_t tail = bare < 3 ? bare : 3;
  memcpy(written, name + bare - tail, tail);
  written[tail] = '\0';
  return field_with_suffix(normal, written);
}

const fwi_scale *fwi_bracket_scale(const char *name, size_t length) {
  const char *unit;
  size_t unit_length = 0;
  (void)bracket_at(name, length, &unit, &unit_length);
  return unit == NULL ? NULL : fwi_scale_find(FWI_POWER_READING, unit, unit_length);
}

bool fwi_same_name(const char *a, size_t a_length, const char *b, size_t b_length) {
  char first[NAME_SIZE], second[NAME_SIZE];
  const char *unit;
  size_t unit_length;
  normalise(a, bracket_at(a, a_length, &unit, &unit_length), first);
  normalise(b, bracket_at(b, b_length, &unit, &unit_length), second);
  return strcmp(first, second) == 0;
}

bool fwi_is_total_name(const char *name, size_t length) {
  static const char *const words[] = {"total", "sum", "all", "overall", "aggregate"};
  char normal[NAME_SIZE];
  normalise(name, length, normal);
  for (char *word = normal; word != NULL;) {
    char *point = strchr(word, '.');
    if (point != NULL) *point = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      if (strcmp(word, words[i]) == 0) return true;
    }
    word = point == NULL ? NULL : point + 1;
  }
  return false;
}
