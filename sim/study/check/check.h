/* Check: scenario files held to what they expect of themselves (sim/scenario/expect.h).
 *
 * The runs of all files are one pool of work, so that two cores are busy to the end. A file that cannot be read, or a
 * run that fails, is that file's own matter: the others are judged all the same. */
#ifndef FW_STUDY_CHECK_H
#define FW_STUDY_CHECK_H

#include "sim/base/folder.h"
#include "sim/base/text.h"
#include "sim/fleet/digest.h"
#include "sim/scenario/scenario.h"
#include "sim/study/estimate.h"
#include "sim/study/replicate.h"

typedef struct fw_check_options {
  const char *share; /* installed folder that holds models/ */
  fw_study_options study;
} fw_check_options;

/* How one check came out. */
typedef struct fw_check_outcome {
  const fw_expectation *check;
  const fw_expect_block *block;
  bool holds;
  fw_estimate got; /* the figure, with its 95 % interval; of a comparison `policy` less `than`, with a lower and an
                      upper bound that each has the check's confidence. NaN where a run had no such figure */
  size_t seeds;
  uint64_t seed;     /* the run that shows best what is wrong; of a digest its run */
  double seed_value; /* the figure in that run; of a comparison the difference */
  char digest[FW_DIGEST_TEXT_SIZE];
} fw_check_outcome;

typedef enum fw_check_state {
  FW_CHECK_HOLDS,  /* every check of the file */
  FW_CHECK_FAILS,  /* at least one does not */
  FW_CHECK_BROKEN, /* the file cannot be read, or a run failed: see `diagnostics` */
  FW_CHECK_NOTHING /* a sound scenario without "expect" */
} fw_check_state;

typedef struct fw_check_file {
  char *path;
  fw_text text;          /* as it was read */
  fw_scenario *scenario; /* NULL when the file cannot be read */
  fw_status status;      /* of reading and of the runs */
  fw_diagnostics diagnostics;
  fw_check_state state;
  fw_check_outcome *outcomes; /* in the order of the file */
  size_t count;
  size_t failed; /* of the outcomes */
  size_t runs;
} fw_check_file;

typedef struct fw_check_result {
  fw_check_file *files; /* in the order of the operands; of a folder in the order of their names */
  size_t count;
  size_t states[FW_CHECK_NOTHING + 1]; /* how many files are in each */
  size_t checks;
  size_t runs;
  fw_status status; /* the worst of the files' */
} fw_check_result;

/* The files that operands stand for: a file itself; of a folder every .json in it that is no other kind of fleetwatt's
 * files (the first of whose keys begins with "fleetwatt_"). */
fw_status fw_check_gather(const char *const *operands, size_t count, fw_paths *out, fw_diagnostics *diagnostics);

/* Runs and judges. A failed check or a broken file is no error of this function; being interrupted is one, and then the
 * files whose runs had all ended are judged nevertheless. Free with fw_check_clear, also after a failure. */
fw_status fw_check(const fw_paths *paths, const fw_check_options *options, fw_check_result *out,
                   fw_diagnostics *diagnostics);
void fw_check_clear(fw_check_result *result);

/* A recorded value or digest that is to change. */
typedef struct fw_check_change {
  size_t outcome; /* index into the file's */
  size_t offset;  /* of the old value in the file's text, quotes included */
  size_t length;
  char value[FW_NUMBER_TEXT_SIZE]; /* the new one, as JSON */
} fw_check_change;

typedef struct fw_check_changes {
  fw_check_change *list;
  size_t count;
} fw_check_changes;

/* What it takes for the recorded values and digests of a file to hold. Ranges and comparisons state a wish and are left
 * alone; so is a recorded value within its tolerance, or a baseline would creep. Free `list`. */
fw_status fw_check_propose(const fw_check_file *file, fw_check_changes *out, fw_diagnostics *diagnostics);

/* Writes the file with the changes; not another byte of it moves. Refuses a file that changed since it was read. */
fw_status fw_check_rewrite(const fw_check_file *file, const fw_check_changes *changes, fw_diagnostics *diagnostics);

#endif
