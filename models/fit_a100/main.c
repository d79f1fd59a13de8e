/* fit-a100: fits the study's three jobs and writes their parameter files, models/a100/NAME.json. docs/parameters.md
 * describes the fits and holds the tables that --markdown prints. */
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/fit_a100/jobs.h"
#include "sim/base/file.h"

enum { JOBS = 3 };

typedef struct options {
  const char *published;
  const char *data;
  const char *out; /* NULL: write no file */
  bool markdown;
  bool help;
} options;

static const char usage[] =
    "Usage: fit-a100 --published FILE --data DIR [--out DIR] [--markdown]\n"
    "\n"
    "Fits the three jobs of the study on A100 GPUs and prints every number with its kind and source.\n"
    "\n"
    "  --published FILE  the study's published figures; beside it lie fleet.json and ../gpu\n"
    "  --data DIR        the measured data\n"
    "  --out DIR         write the parameter files there\n"
    "  --markdown        print the tables of docs/parameters.md\n"
    "\n"
    "Example: fit-a100 --published models/a100/published.json --data \"$FLEETWATT_DATA\" --out models/a100\n";

static bool take_value(int count, char **arguments, int *at, const char *flag, const char **value) {
  if (strcmp(arguments[*at], flag) != 0 || *at + 1 >= count) return false;
  *value = arguments[++*at];
  return true;
}

static bool parse(int count, char **arguments, options *out) {
  *out = (options){0};
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--markdown") == 0) {
      out->markdown = true;
    } else if (strcmp(arguments[i], "--help") == 0) {
      out->help = true;
    } else if (!take_value(count, arguments, &i, "--published", &out->published) &&
               !take_value(count, arguments, &i, "--data", &out->data) &&
               !take_value(count, arguments, &i, "--out", &out->out)) {
      return false;
    }
  }
  return out->help || (out->published != NULL && out->data != NULL);
}

static fw_status read_gpu(const char *published, fw_gpu_model *out, fw_diagnostics *diagnostics) {
  char *path = fw_path_beside(published, "../gpu/a100-sxm4-80gb.json");
  if (path == NULL) return fw_error_memory(diagnostics, "a path");
  const fw_status status = fw_gpu_model_read(path, out, diagnostics);
  free(path);
  return status;
}

static fw_status read_fleet_fit(const char *published, double *update_14b_w, fw_diagnostics *diagnostics) {
  char *path = fw_path_beside(published, "fleet.json");
  if (path == NULL) return fw_error_memory(diagnostics, "a path");
  fwi_fleet_fit fit;
  const fw_status status = fwi_fleet_fit_read(path, &fit, diagnostics);
  *update_14b_w = fit.update_14b_w;
  fwi_fleet_fit_clear(&fit);
  free(path);
  return status;
}

static fw_status fit_jobs(const fwi_inputs *inputs, fwi_sheet sheet[JOBS], fw_diagnostics *diagnostics) {
  fwi_common common;
  fw_status status = fwi_measure_common(inputs, &common, diagnostics);
  if (status == FW_OK) status = fwi_fit_7b(inputs, &common, &sheet[0], diagnostics);
  if (status == FW_OK) status = fwi_fit_14b(inputs, &common, &sheet[1], diagnostics);
  if (status == FW_OK) status = fwi_fit_72b(inputs, &common, &sheet[2], diagnostics);
  for (size_t i = 0; status == FW_OK && i < JOBS; i++) {
    if (sheet[i].failed) status = fw_error_memory(diagnostics, "a sheet of numbers");
  }
  return status;
}

static fw_status write_job(const fwi_sheet *sheet, const char *folder, fw_diagnostics *diagnostics) {
  fw_text path = FW_TEXT_INIT;
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&path, "%s/%s.json", folder, sheet->id);
  fwi_sheet_json(sheet, &text);
  const fw_status status = path.failed || text.failed ? fw_error_memory(diagnostics, "a parameter file")
                                                      : fw_file_write(path.data, text.data, text.length, diagnostics);
  fw_text_clear(&path);
  fw_text_clear(&text);
  return status;
}

static fw_status print_jobs(const fwi_sheet sheet[JOBS], bool markdown, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  for (size_t i = 0; i < JOBS; i++)
    (markdown ? fwi_sheet_markdown : fwi_sheet_table)(&sheet[i], &text);
  fw_status status = FW_OK;
  if (text.failed) {
    status = fw_error_memory(diagnostics, "the tables");
  } else if (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout) != 0) {
    status = fw_error(diagnostics, FW_ERROR_IO, (fw_place){0}, "cannot write to standard output");
  }
  fw_text_clear(&text);
  return status;
}

static fw_status run(const options *chosen, fw_diagnostics *diagnostics) {
  fwi_published published = {0};
  fw_gpu_model gpu = {0};
  fwi_sheet sheet[JOBS] = {0};
  fw_status status = fwi_published_read(chosen->published, &published, diagnostics);
  if (status == FW_OK) status = read_gpu(chosen->published, &gpu, diagnostics);
  fwi_inputs inputs = {.published = &published, .gpu = &gpu, .data = chosen->data};
  if (status == FW_OK) status = read_fleet_fit(chosen->published, &inputs.update_14b_w, diagnostics);
  if (status == FW_OK) status = fit_jobs(&inputs, sheet, diagnostics);
  for (size_t i = 0; status == FW_OK && chosen->out != NULL && i < JOBS; i++)
    status = write_job(&sheet[i], chosen->out, diagnostics);
  if (status == FW_OK) status = print_jobs(sheet, chosen->markdown, diagnostics);
  for (size_t i = 0; i < JOBS; i++)
    fwi_sheet_clear(&sheet[i]);
  fw_gpu_model_clear(&gpu);
  fwi_published_clear(&published);
  return status;
}

static void print_diagnostics(const fw_diagnostics *diagnostics) {
  char line[1024];
  for (size_t i = 0; i < diagnostics->count; i++) {
    (void)fw_diagnostic_format(&diagnostics->entries[i], line, sizeof line);
    (void)fprintf(stderr, "%s\n", line);
  }
}

int main(int count, char **arguments) {
  options chosen;
  if (!parse(count, arguments, &chosen)) {
    (void)fputs(usage, stderr);
    return 2;
  }
  if (chosen.help) return fputs(usage, stdout) < 0 ? 3 : 0;
  (void)gsl_set_error_handler_off(); /* GSL's own would end the process; the solver's status is looked at instead */
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = run(&chosen, &diagnostics);
  print_diagnostics(&diagnostics);
  fw_diagnostics_clear(&diagnostics);
  return fw_status_exit_code(status);
}
