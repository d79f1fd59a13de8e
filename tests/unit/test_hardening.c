/* What a hostile file, a full disk, a closed pipe or Ctrl-C may do to the program: end it with a message and a status,
 * and leave every file as it was or whole. */
#include "tests/cli_fixture.h"

TestSuite(hardening, .init = make_folder, .fini = remove_folder);

/* A file of `count` times `piece`, between `before` and `after`. */
static void write_repeated(const char *name, const char *before, const char *piece, size_t count, const char *after) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, before);
  for (size_t i = 0; i < count; i++)
    fw_text_add(&text, piece);
  fw_text_add(&text, after);
  cr_assert_not(text.failed);
  write_file(name, text.data);
  fw_text_clear(&text);
}

/* ---- Hostile files ---- */

Test(hardening, nesting_is_bounded) {
  write_repeated("deep.json", "{'fleetwatt': 1, 'x_deep': ", "[", 1000000, "");
  expect("$F run deep.json 2>&1 | cut -c 1-200", 0, "deep.json:1:91: error:");
  write_repeated("keys.json", "", "{'x_a':", 100000, "");
  expect("$F run keys.json 2>&1 | cut -c 1-200", 0, "nested");
}

Test(hardening, size_is_bounded) {
  expect("truncate -s 65M huge.json; $F run huge.json 2>&1", 2, "the file has more than 67108864 bytes");
  expect("$F run /dev/zero 2>&1", 2, "the file has more than 67108864 bytes");
  expect("truncate -s 65M huge.json; $F check huge.json 2>&1", 2, "the file has more than 67108864 bytes");
}

Test(hardening, faults_are_counted_not_endless) {
  write_repeated("faults.json", "{'fleetwatt': 1", ", 'a': 1", 100000, "}");
  expect("$F run faults.json 2>&1 | wc -l", 0, "10"); /* a hundred and something */
  expect("test $($F run faults.json 2>&1 | wc -l) -lt 110 && echo bounded", 0, "bounded");
  expect("printf 'a\\033[2Jb' >esc.json; $F run esc.json 2>&1 | grep -c \"$(printf '\\033')\"", 1, "0");
}

/* Sizes whose product does not fit are refused, not wrapped. */
Test(hardening, sizes_that_do_not_fit_are_refused) {
  static const char *const parts[] = {"'count': 10000000", "'count': 10000000, 'gpus': 65536"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    fw_text text = FW_TEXT_INIT;
    fw_text_add_format(&text,
                       "{'fleetwatt': 1, 'name': 'big', 'gpu': '" FW_SOURCE_DIR
                       "/tests/unit/data/plain-gpu', 'duration_s': 1, 'windows_s': [1], 'jobs': [{'kind': 'cycle', "
                       "'class': 'c', %s, 'phases': [{'duration_s': 1, 'power_w': 1}]}]}",
                       parts[i]);
    write_file("big.json", text.data);
    fw_text_clear(&text);
    expect("$F run big.json 2>&1", 2, "at most");
  }
  write_file("long.json", "{'fleetwatt': 1, 'name': 'long', 'gpu': 'g', 'duration_d': 1e300, 'windows_s': [1], 'jobs': "
                          "[]}");
  expect("$F run long.json 2>&1", 2, "duration_d");
  expect("$F run small.json --hours 1e300 2>&1", 2, "--hours");
  expect("$F check $(seq 65) 2>&1", 2, "65 is one argument too many; at most 64");
  expect("$F check small.json --threads 2000000000", 0, "1 file: 0 ok");
  expect("$F compare small.json --threads 2000000000", 0, "paired with first");
  expect("$F run small.json --threads 2000000000", 0, "small, policy first");
}

Test(hardening, the_locale_of_the_caller_is_not_looked_at) {
  expect("$F compare small.json --json >c; LC_ALL=de_DE.UTF-8 LANG=fr_FR.UTF-8 LC_NUMERIC=sv_SE.UTF-8 $F compare "
         "small.json --json | cmp - c && echo same",
         0, "same");
}

/* ---- Full disks ---- */

/* `ulimit -f` is a disk that is full after some blocks: writes fail, as they do at its end. */
#define ON_A_FULL_DISK "trap '' XFSZ; ulimit -f 1; "

static const char *const writers[] = {"$F run small.json --hours 1 --series old",
                                      "$F run small.json --json --output old", "$F compare small.json --save old",
                                      "$F schema --output old", "$F authority small.json --seeds 2 --save old"};

Test(hardening, a_full_disk_leaves_the_old_file_and_no_other) {
  for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
    char command[400];
    (void)snprintf(command, sizeof command, "echo content >old; (" ON_A_FULL_DISK "%s) 2>err >/dev/null", writers[i]);
    expect(command, 3, "");
    expect("cat old; ls | sort | tr '\\n' ' '; cat err", 0,
           "content\nbroken.json err old small.json old: error: cannot write the file: File too large");
  }
}

Test(hardening, standard_output_that_is_full_is_a_fault) {
  struct stat full;
  if (stat("/dev/full", &full) != 0) cr_skip("this system has no /dev/full");
  static const char *const commands[] = {"check small.json", "check small.json --json",
                                         "authority small.json --seeds 2", "run small.json --digest",
                                         "schema --markdown"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    char command[200];
    (void)snprintf(command, sizeof command, "$F %s 2>&1 >/dev/full", commands[i]);
    expect(command, 3, "No space left on device");
  }
}

/* ---- Closed pipes ---- */

Test(hardening, a_closed_pipe_is_a_fault_and_the_files_are_written) {
  expect("{ sleep 0.3; $F check small.json --junit j.xml 2>err; echo $? >status; } | true; cat status err", 0,
         "3\nerror: standard output");
  expect("grep -c '<testsuite ' j.xml", 0, "1");
  expect("{ sleep 0.3; $F compare small.json --save s.json 2>err; echo $? >status; } | true; cat status err", 0,
         "3\nerror: standard output");
  expect("grep -c '\"command\":\"compare\"' s.json", 0, "1");
}

/* ---- Ctrl-C ---- */

/* Signals to the program alone, as soon as the process is no longer the shell's and catches SIGINT: bit 1 of the mask
 * that Linux shows. The work takes minutes, so it is still at work then. */
#define SIGNALLED(command, signals)                                                                                    \
  command " >said 2>&1 & pid=$!; s=/proc/$pid/status; while kill -0 $pid && ! { grep -q '^Name:.fleetwatt$' $s && "    \
          "grep -q '^SigCgt:.*[2367abef]$' $s; }; do sleep 0.01; done; " signals                                       \
          "; wait $pid; status=$?; cat said; rm said; (exit $status)"
#define INTERRUPTED(command) SIGNALLED(command, "kill -INT $pid")

Test(hardening, an_interrupt_ends_the_work_with_a_word_and_leaves_no_half_file) {
  if (access("/proc/self/status", R_OK) != 0) cr_skip("this system does not say which signals a process catches");
  expect(INTERRUPTED("$F run small.json --hours 100000 --series out.csv"), 3, "interrupted after ");
  expect(INTERRUPTED("$F compare small.json --hours 100 --seeds 100000 --save out.json"), 3, "interrupted after ");
  write_file("long.json", "{'fleetwatt': 1, 'name': 'long', 'gpu': '" FW_SOURCE_DIR
                          "/tests/unit/data/plain-gpu', 'duration_h': 100, 'windows_s': [1], 'budget_w': 100, 'jobs': "
                          "[{'kind': 'cycle', 'class': 'c', 'phases': [{'duration_s': 1, 'power_w': 1}]}], 'expect': "
                          "[{'seeds': 100000, 'checks': [{'kind': 'range', 'metric': 'mean_w', 'policy': "
                          "'uncontrolled', 'at_most': 1000}]}]}");
  expect(INTERRUPTED("$F check long.json --junit out.xml"), 3, "interrupted after ");
  expect("cat out.xml", 0, "not all of its runs ended");
  expect("ls | sort | tr '\\n' ' '", 0, "broken.json long.json out.xml small.json ");
}

/* `timeout` signals the program and its group: what comes on the heels of an interrupt is the same one. */
Test(hardening, an_interrupt_that_comes_often_at_once_is_one) {
  if (access("/proc/self/status", R_OK) != 0) cr_skip("this system does not say which signals a process catches");
  expect(SIGNALLED("$F run small.json --hours 100000 --series out.csv",
                   "for i in $(seq 50); do kill -INT $pid; kill -TERM $pid; done"),
         3, "interrupted after ");
  expect("ls | sort | tr '\\n' ' '", 0, "broken.json small.json ");
}
