/* Decisions: counts without limit, places with one. */
#include "traces/ledger.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

#define WARNED_LIMIT ((size_t)5)
#define SPELLING_LIMIT ((size_t)64)

const char *const fw_import_format_names[] = {"auto",       "smi",     "dmon", "dcgmi", "prometheus",
                                              "range-json", "grafana", "csv",  NULL};

const char *const fw_import_decision_names[FW_IMPORT_DECISION_COUNT] = {
    "implausibly high readings excluded",
    "implausibly low readings excluded",
    "readings below 1 W kept",
    "duplicate rows dropped",
    "rows dropped: second reading within one second",
    "clock steps back: series split",
    "energy counter resets",
    "counter intervals too short for a mean",
    "unreadable rows dropped",
    "cut last rows dropped",
    "headers repeated",
    "schema changes",
    "readings of other loggers dropped",
    "instance lines ignored: power is the whole GPU's",
    "entities or series passed over",
    "unknown spellings taken as missing",
    "readings written with a resolution of 10 W or less",
    "gaps",
};

/* Of what comes with every row one warning is enough. */
static size_t warned_limit(fw_import_decision decision) {
  bool usual = decision == FW_IMPORT_LOGGER_COPY || decision == FW_IMPORT_INSTANCE || decision == FW_IMPORT_COARSE ||
               decision == FW_IMPORT_OTHER_ENTITY || decision == FW_IMPORT_SAME_SECOND;
  return usual ? 1 : WARNED_LIMIT;
}

static fw_status list_event(fwi_ledger *ledger, const fw_import_event *event) {
  fw_import_report *report = ledger->report;
  if (ledger->listed[event->decision] == FW_IMPORT_LISTED) return FW_OK;
  ledger->listed[event->decision]++;
  if (!fw_grow(&report->events, &report->capacity_events, report->event_count + 1, sizeof *report->events)) {
    return fw_error_memory(ledger->diagnostics, "the report of an import");
  }
  report->events[report->event_count++] = *event;
  return FW_OK;
}

fw_status fwi_ledger_add(fwi_ledger *ledger, const fw_import_event *event, const char *format, ...) {
  ledger->report->decisions[event->decision]++;
  if (ledger->warned[event->decision] < warned_limit(event->decision)) {
    ledger->warned[event->decision]++;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fw_place place = {ledger->report->sources[event->source].file, event->line, 0, NULL};
    fw_warning(ledger->diagnostics, place, "%s", message);
  }
  return list_event(ledger, event);
}

void fwi_ledger_end(const fwi_ledger *ledger) {
  for (size_t i = 0; i < FW_IMPORT_DECISION_COUNT; i++) {
    size_t count = ledger->report->decisions[i];
    if (count <= ledger->warned[i] || ledger->warned[i] == 0) continue;
    fw_warning(ledger->diagnostics, (fw_place){0}, "%s: %zu in all, the first %zu of them shown",
               fw_import_decision_names[i], count, ledger->warned[i]);
  }
}

static fw_status add_spelling(fwi_ledger *ledger, const char *spelling, size_t length, size_t line) {
  fw_import_report *report = ledger->report;
  char *copy = fw_copy_bytes(spelling, length);
  if (copy == NULL ||
      !fw_grow(&report->missing, &report->capacity_missing, report->missing_kinds + 1, sizeof *report->missing)) {
    free(copy);
    return fw_error_memory(ledger->diagnostics, "the report of an import");
  }
  report->missing[report->missing_kinds++] = (fw_import_missing){copy, 1, line};
  return FW_OK;
}

/* Spellings beyond the limit are counted together, so that a hostile log cannot fill the memory with them. */
fw_status fwi_ledger_missing(fwi_ledger *ledger, const char *spelling, size_t length, size_t line) {
  static const char others[] = "(other spellings)";
  fw_import_report *report = ledger->report;
  bool full = report->missing_kinds >= SPELLING_LIMIT;
  report->missing_count++;
  if (length > 200) length = 200;
  for (size_t i = 0; i < report->missing_kinds; i++) {
    fw_import_missing *known = &report->missing[i];
    bool same = strlen(known->spelling) == length && memcmp(known->spelling, spelling, length) == 0;
    if (!same && !(full && i + 1 == report->missing_kinds)) continue;
    known->count++;
    return FW_OK;
  }
  if (report->missing_kinds + 1 == SPELLING_LIMIT) return add_spelling(ledger, others, sizeof others - 1, line);
  return add_spelling(ledger, spelling, length, line);
}
