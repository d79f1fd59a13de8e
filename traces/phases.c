/* A script's log of its phases. */
#include "traces/rows.h"
#include "traces/states.h"

enum { START, END, PHASE, TOKENS, LIMIT, COLUMNS };
static const char *const column_names[COLUMNS] = {"t_start_s", "t_end_s", "phase", "input_tokens",
                                                  "output_token_limit"};

typedef struct known_phase {
  const char *name;
  fw_activity activity;
} known_phase;

static const known_phase known_phases[] = {
    {"idle", FW_ACTIVITY_IDLE},   {"tokenizer", FW_ACTIVITY_LOAD}, {"model_load", FW_ACTIVITY_LOAD},
    {"ready", FW_ACTIVITY_READY}, {"generate", FW_ACTIVITY_WORK},
};
#define KNOWN_COUNT (sizeof known_phases / sizeof *known_phases)

static fw_status find_activity(const fwi_rows *rows, fw_activity *out, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    if (!fwi_rows_is(rows, PHASE, known_phases[i].name)) continue;
    *out = known_phases[i].activity;
    return FW_OK;
  }
  const fwi_csv_cell *cell = fwi_rows_cell(rows, PHASE);
  char shown[FWI_CSV_EXCERPT_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, cell->column),
                  "phase \"%s\" is not known: idle, tokenizer, model_load, ready or generate",
                  fwi_csv_excerpt(cell->text, cell->length, shown));
}

/* Without a cache every output token repeats the prompt and what was written before it: pass k of n holds the prompt
 * and k tokens, on average (n - 1) / 2 of them. */
static double tokens_in_pass(double prompt, double limit) {
  return prompt + (limit > 0.0 ? 0.5 * (limit - 1.0) : 0.0);
}

static fw_status read_phase(const fwi_rows *rows, fwi_state *out, fw_diagnostics *diagnostics) {
  double prompt = 0.0;
  double limit = 0.0;
  *out = fwi_state_bare(0, 0, FW_ACTIVITY_IDLE);
  fw_status status = fwi_rows_time(rows, START, 9, &out->from, diagnostics);
  if (status == FW_OK) status = fwi_rows_time(rows, END, 9, &out->to, diagnostics);
  if (status == FW_OK) status = find_activity(rows, &out->activity, diagnostics);
  if (status == FW_OK) status = fwi_rows_number(rows, TOKENS, &prompt, diagnostics);
  if (status == FW_OK) status = fwi_rows_number(rows, LIMIT, &limit, diagnostics);
  if (status != FW_OK) return status;
  if (out->to < out->from) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, 0), "the phase ends before it starts");
  }
  if (out->activity == FW_ACTIVITY_WORK && prompt > 0.0) {
    out->in_flight = tokens_in_pass(prompt, limit);
    if (limit > 0.0 && out->to > out->from) out->generated_per_s = limit / fw_time_to_seconds(out->to - out->from);
  }
  return FW_OK;
}

/* What nobody logged: nothing before the first phase, an engine that waits after it. */
static fw_status add_between(fw_time_ns from, fw_time_ns to, bool first, fwi_states *out, fw_diagnostics *diagnostics) {
  const fwi_state state = fwi_state_bare(from, to, first ? FW_ACTIVITY_IDLE : FW_ACTIVITY_READY);
  return fwi_states_add(out, &state, diagnostics);
}

typedef struct walk {
  fw_time_ns reached;
  size_t phases;
  size_t work;
} walk;

static fw_status take_phase(const fwi_rows *rows, size_t skipped, walk *at, fwi_states *out,
                            fw_diagnostics *diagnostics) {
  fwi_state phase;
  fw_status status = read_phase(rows, &phase, diagnostics);
  if (status != FW_OK) return status;
  if (at->phases > 0 && phase.from < at->reached) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, 0),
                    "the phase starts before the one above it ends: phases must follow each other");
  }
  status = add_between(at->reached, phase.from, at->phases == 0, out, diagnostics);
  phase.phase = ++at->phases;
  at->work += phase.activity == FW_ACTIVITY_WORK;
  at->reached = phase.to;
  if (phase.activity == FW_ACTIVITY_WORK && at->work <= skipped) return status;
  return status == FW_OK ? fwi_states_add(out, &phase, diagnostics) : status;
}

fw_status fwi_read_phases(const char *path, size_t skipped, fw_time_ns from, fw_time_ns to, fwi_states *out,
                          size_t *work_phases, fw_diagnostics *diagnostics) {
  fwi_rows rows;
  walk at = {.reached = from};
  fw_status status = fwi_rows_open(&rows, path, column_names, COLUMNS, diagnostics);
  for (size_t i = START; i <= PHASE && status == FW_OK; i++)
    status = fwi_rows_need(&rows, i, diagnostics);
  bool found = status == FW_OK;
  while (status == FW_OK && found) {
    status = fwi_rows_next(&rows, &found, diagnostics);
    if (status == FW_OK && found) status = take_phase(&rows, skipped, &at, out, diagnostics);
  }
  if (status == FW_OK && at.phases == 0) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path}, "a header but no phases");
  }
  if (status == FW_OK) status = add_between(at.reached, to, false, out, diagnostics);
  *work_phases = at.work > skipped ? at.work - skipped : 0;
  fwi_rows_close(&rows);
  return status;
}
