/* The program run as a user runs it, in a folder of its own with a small scenario. */
#ifndef FW_TESTS_CLI_FIXTURE_H
#define FW_TESTS_CLI_FIXTURE_H

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scenario_fixture.h"

#define PROGRAM FW_BINARY_DIR "/sim/cli/fleetwatt"
#define PATH_SIZE 512

/* A small scenario and its neighbours in a folder of their own. */
static char folder[] = "/tmp/fleetwatt-cli-XXXXXX";

static inline void in_folder(const char *name, char path[PATH_SIZE]) {
  (void)snprintf(path, PATH_SIZE, "%s/%s", folder, name);
}

static inline void write_file(const char *name, const char *text) {
  char path[PATH_SIZE];
  in_folder(name, path);
  char *json = with_quotes(text);
  cr_assert_eq(fw_file_write(path, json, strlen(json), NULL), FW_OK);
  free(json);
}

static inline void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
  write_file("small.json",
             "{'fleetwatt': 1, 'name': 'small', 'gpu': '" FW_SOURCE_DIR "/tests/unit/data/plain-gpu', 'duration_s': "
             "60, 'windows_s': [0.5, 10], 'budget_w': 500, 'seeds': 2, 'policies': [{'name': 'first'}, {'name': "
             "'second', 'job': {'kind': 'static', 'power_cap_w': 250}}], 'jobs': [{'kind': 'grpo', 'class': 'g', "
             "'model': '" FW_SOURCE_DIR "/tests/unit/data/plain-job'}, {'kind': 'cycle', 'class': 'c', " SQUARE_PHASES
             "}]}");
  write_file("broken.json", "{'fleetwatt': 1, 'nmae': 'small'}");
}

/* A GPU that draws for ten seconds what --trace says, and two recordings for it. */
static inline void write_replay(void) {
  write_file("replay.json",
             "{'fleetwatt': 1, 'name': 'steady', 'gpu': '" FW_SOURCE_DIR
             "/tests/unit/data/plain-gpu', 'duration_s': 10, 'windows_s': [1], 'budget_w': 200, 'seeds': 2, 'jobs': "
             "[{'kind': 'replay', 'class': 'r', 'trace': 'given', 'loop': true}]}");
  write_file("low.csv", "t_s,power_w\n0,100\n1,100\n2,100\n");
  write_file("high.csv", "t_s,power_w\n0,300\n1,300\n2,300\n");
}

static inline void remove_folder(void) {
  DIR *open = opendir(folder);
  for (const struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
    char path[PATH_SIZE];
    in_folder(entry->d_name, path);
    if (entry->d_name[0] != '.') (void)unlink(path);
  }
  (void)closedir(open);
  (void)rmdir(folder);
}

typedef struct outcome {
  int status;
  fw_text output; /* what the shell command printed */
} outcome;

/* Runs `command` in a shell, in the folder, with fleetwatt as $F. Free with fw_text_clear(&output). */
static inline outcome shell(const char *command) {
  fw_text line = FW_TEXT_INIT;
  fw_text_add_format(&line, "cd %s && F=" PROGRAM " && { %s; }", folder, command);
  outcome out = {.output = FW_TEXT_INIT};
  FILE *pipe = popen(line.data, "r");
  cr_assert_not_null(pipe);
  char buffer[4096];
  for (size_t n = fread(buffer, 1, sizeof buffer, pipe); n > 0; n = fread(buffer, 1, sizeof buffer, pipe))
    fw_text_add_bytes(&out.output, buffer, n);
  const int status = pclose(pipe);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  fw_text_add(&out.output, "");
  cr_assert_not(out.output.failed);
  fw_text_clear(&line);
  return out;
}

static inline void expect(const char *command, int status, const char *words) {
  outcome out = shell(command);
  cr_expect_eq(out.status, status, "%s: exit status %d, wanted %d\n%s", command, out.status, status, out.output.data);
  cr_expect_not_null(strstr(out.output.data, words), "%s: no \"%s\" in:\n%s", command, words, out.output.data);
  fw_text_clear(&out.output);
}

#endif
