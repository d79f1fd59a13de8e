/* Runs the study, then writes what goes to files first, so that a closed pipe does not lose it. */
#include "sim/cli/beyond.h"

#include "sim/cli/cli.h"

typedef enum form { AS_TEXT, AS_MARKDOWN, AS_JSON, AS_CSV } form;

static fw_status write_as(form as, const fw_beyond_result *result, const char *path, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  switch (as) {
  case AS_TEXT:
    fw_report_beyond_text(result, &text);
    break;
  case AS_MARKDOWN:
    fw_report_beyond_markdown(result, &text);
    break;
  case AS_JSON:
    fw_report_beyond_json(result, diagnostics, &text);
    break;
  case AS_CSV:
    fw_report_beyond_csv(&result->ratios, &text);
    break;
  }
  const fw_status status = fwi_output(&text, path, diagnostics);
  fw_text_clear(&text);
  return status;
}

static fw_status write_all(const fw_beyond_result *result, const fwi_beyond_flags *flags, fw_diagnostics *diagnostics) {
  const form printed = flags->json ? AS_JSON : (flags->markdown ? AS_MARKDOWN : AS_TEXT);
  fw_status status = flags->csv != NULL ? write_as(AS_CSV, result, flags->csv, diagnostics) : FW_OK;
  if (status == FW_OK && flags->save != NULL) {
    status = write_as(AS_JSON, result, flags->save, diagnostics);
  }
  return status == FW_OK ? write_as(printed, result, flags->output, diagnostics) : status;
}

fw_status fwi_beyond(const fwi_beyond_flags *flags, fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("beyond");
  const fw_beyond_options options = {.base = flags->ledger,
                                     .share = fwi_share_folder(),
                                     .seeds = flags->seeds,
                                     .study = {.threads = flags->threads,
                                               .progress = fwi_progress_show,
                                               .progress_context = &progress,
                                               .cancel = fwi_watch_interrupt()}};
  fw_beyond_result result = {0};
  fw_status status = fw_beyond(&options, &result, diagnostics);
  fwi_progress_end(&progress);
  if (status == FW_OK) {
    status = write_all(&result, flags, diagnostics);
    fw_beyond_clear(&result);
  }
  return status;
}
