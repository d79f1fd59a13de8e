/* Quantities as text: units are compared with their capitals, for "MW" and "mW" differ by a factor of 10^9 and
 * an apparent power in kVA is a real one in kW only after its power factor. */
#include "sim/base/quantity.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

static const fwi_unit power_units[] = {{"W", "_w", 1, 1}, {"kW", "_kw", 1e3, 1}, {"MW", "_mw", 1e6, 1}};
static const fwi_unit time_units[] = {
    {"s", "_s", 1, 1}, {"ms", "_ms", 1, 1e3}, {"min", "_min", 60, 1}, {"h", "_h", 3600, 1}, {"d", "_d", 86400, 1}};

const fwi_quantity fwi_power = {"power", "W, kW or MW", "W|kW|MW", power_units,
                                sizeof power_units / sizeof *power_units};
const fwi_quantity fwi_time = {"time", "s, ms, min, h or d", "s|ms|min|h|d", time_units,
                               sizeof time_units / sizeof *time_units};

static const char *const apparent_units[] = {"kVA", "VA", "MVA"};

enum { APPARENT_COUNT = sizeof apparent_units / sizeof *apparent_units, SUGGESTION_LIMIT = 16 };

double fwi_unit_to_base(const fwi_unit *unit, double number) {
  return number * unit->multiply / unit->divide;
}

double fwi_unit_from_base(const fwi_unit *unit, double value) {
  return value * unit->divide / unit->multiply;
}

/* "12 kVA" or, with wrong capitals, "12 KVA": no guess may turn it into kW. */
static bool explain_apparent_unit(const fwi_quantity *quantity, const char *text, const char *symbol, char *fault) {
  static const char remedy[] = "apparent power needs a power factor: write the real power, kVA x power factor";
  const char *nearest = fw_nearest_word(symbol, apparent_units, APPARENT_COUNT);
  if (quantity != &fwi_power || nearest == NULL || strlen(nearest) != strlen(symbol)) return false;
  if (strcmp(nearest, symbol) == 0) {
    (void)snprintf(fault, FWI_FAULT_SIZE, "\"%s\": %s, in %s", text, remedy, quantity->symbols);
  } else {
    (void)snprintf(fault, FWI_FAULT_SIZE, "\"%s\": unknown unit \"%s\"; did you mean \"%s\"? But %s, in %s", text,
                   symbol, nearest, remedy, quantity->symbols);
  }
  return true;
}

static void explain_unknown_unit(const fwi_quantity *quantity, const char *text, const char *symbol, char *fault) {
  const char *candidates[SUGGESTION_LIMIT];
  char hint[SUGGESTION_LIMIT + sizeof " did you mean ?"] = "";
  for (size_t i = 0; i < quantity->unit_count; i++)
    candidates[i] = quantity->units[i].symbol;
  const char *nearest = fw_nearest_word(symbol, candidates, quantity->unit_count);
  if (nearest != NULL) (void)snprintf(hint, sizeof hint, " did you mean %s?", nearest);
  (void)snprintf(fault, FWI_FAULT_SIZE, "\"%s\": unknown unit \"%s\";%s a %s is in %s", text, symbol, hint,
                 quantity->name, quantity->symbols);
}

bool fwi_quantity_parse(const fwi_quantity *quantity, const char *text, double *out, char *fault) {
  char shown[FW_SHOWN_SIZE];
  const char *wrong;
  double number;
  size_t span = fw_number_span(text, strlen(text), &wrong);
  const char *symbol = text + span + strspn(text + span, " ");
  fw_shown(text, strlen(text), shown);
  if (wrong != NULL) {
    (void)snprintf(fault, FWI_FAULT_SIZE, "\"%s\" is no %s: %s", shown, quantity->name, wrong);
    return false;
  }
  if (!fw_number_parse(text, span, &number)) {
    (void)snprintf(fault, FWI_FAULT_SIZE, "\"%s\" is not finite", shown);
    return false;
  }
  if (*symbol == '\0') {
    (void)snprintf(fault, FWI_FAULT_SIZE, "\"%s\" has no unit: write \"%s %s\"", shown, shown,
                   quantity->units[0].symbol);
    return false;
  }
  for (size_t i = 0; i < quantity->unit_count; i++) {
    if (strcmp(symbol, quantity->units[i].symbol) != 0) continue;
    *out = fwi_unit_to_base(&quantity->units[i], number);
    return true;
  }
  char shown_symbol[FW_SHOWN_SIZE];
  fw_shown(symbol, strlen(symbol), shown_symbol);
  if (!explain_apparent_unit(quantity, shown, shown_symbol, fault)) {
    explain_unknown_unit(quantity, shown, shown_symbol, fault);
  }
  return false;
}
