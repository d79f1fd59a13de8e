/* Files: each test works in a folder of its own. */
#include "sim/base/file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/fw_file_XXXXXX";
static char path[64];

static void enter_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/file.txt", folder);
}

static void leave_folder(void) {
  char command[64];
  (void)chmod(folder, 0700);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
}

static size_t count_files(void) {
  DIR *directory = opendir(folder);
  size_t count = 0;
  cr_assert_not_null(directory);
  for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    count += entry->d_name[0] != '.';
  }
  closedir(directory);
  return count;
}

static void expect_content(const char *expected) {
  fw_text text;
  cr_assert_eq(fw_file_read(path, 1 << 20, &text, NULL), FW_OK);
  cr_expect_str_eq(text.data, expected);
  fw_text_clear(&text);
}

static void expect_refused(fw_status status, fw_status expected, fw_diagnostics *diagnostics, const char *words) {
  cr_expect_eq(status, expected);
  cr_assert_eq(diagnostics->count, 1);
  cr_expect_not_null(strstr(diagnostics->entries[0].message, words), "%s", diagnostics->entries[0].message);
  cr_expect_not_null(diagnostics->entries[0].file);
  fw_diagnostics_clear(diagnostics);
}

TestSuite(file, .init = enter_folder, .fini = leave_folder);

Test(file, what_is_written_is_read) {
  static const char bytes[] = "a\0b\r\n\xFF";
  fw_text text;
  cr_assert_eq(fw_file_write(path, bytes, sizeof bytes, NULL), FW_OK);
  cr_assert_eq(fw_file_read(path, sizeof bytes, &text, NULL), FW_OK);
  cr_assert_eq(text.length, sizeof bytes);
  cr_expect_eq(memcmp(text.data, bytes, sizeof bytes), 0);
  cr_expect_eq(count_files(), 1, "no temporary file is left");
  fw_text_clear(&text);
}

Test(file, an_empty_file_is_terminated_text) {
  cr_assert_eq(fw_file_write(path, NULL, 0, NULL), FW_OK);
  expect_content("");
}

Test(file, long_content_survives) {
  fw_text text = FW_TEXT_INIT;
  for (int i = 0; i < 100000; i++)
    fw_text_add_format(&text, "%d\n", i);
  cr_assert_eq(fw_file_write(path, text.data, text.length, NULL), FW_OK);
  expect_content(text.data);
  fw_text_clear(&text);
}

Test(file, the_limit_is_kept) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text text;
  cr_assert_eq(fw_file_write(path, "12345", 5, NULL), FW_OK);
  cr_expect_eq(fw_file_read(path, 5, &text, NULL), FW_OK);
  fw_text_clear(&text);
  expect_refused(fw_file_read(path, 4, &text, &diagnostics), FW_ERROR_INPUT, &diagnostics, "more than 4 bytes");
  cr_expect_null(text.data);
}

Test(file, what_cannot_be_read_is_reported_with_the_reason) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text text;
  expect_refused(fw_file_read(path, 9, &text, &diagnostics), FW_ERROR_INPUT, &diagnostics, "No such file");
  expect_refused(fw_file_read(folder, 9, &text, &diagnostics), FW_ERROR_INPUT, &diagnostics, "directory");
  cr_expect_null(text.data);
}

Test(file, standard_input_is_read) {
  cr_assert_eq(fw_file_write(path, "from stdin", 10, NULL), FW_OK);
  cr_assert_not_null(freopen(path, "rb", stdin));
  fw_text text;
  cr_assert_eq(fw_file_read("-", 100, &text, NULL), FW_OK);
  cr_expect_str_eq(text.data, "from stdin");
  fw_text_clear(&text);
}

Test(file, a_commit_replaces_the_old_content_and_keeps_its_mode) {
  fw_file_writer writer;
  struct stat status;
  cr_assert_eq(fw_file_write(path, "old", 3, NULL), FW_OK);
  cr_assert_eq(chmod(path, 0640), 0);
  cr_assert_eq(fw_file_writer_open(&writer, path, NULL), FW_OK);
  (void)fprintf(writer.stream, "new %d", 1);
  (void)fflush(writer.stream);
  expect_content("old");
  cr_expect_eq(count_files(), 2);
  cr_assert_eq(fw_file_writer_commit(&writer, NULL), FW_OK);
  expect_content("new 1");
  cr_expect_eq(count_files(), 1);
  cr_assert_eq(stat(path, &status), 0);
  cr_expect_eq(status.st_mode & 0777, 0640);
  fw_file_writer_abandon(&writer);
}

Test(file, an_abandoned_file_leaves_the_old_content) {
  fw_file_writer writer;
  cr_assert_eq(fw_file_write(path, "old", 3, NULL), FW_OK);
  cr_assert_eq(fw_file_writer_open(&writer, path, NULL), FW_OK);
  (void)fputs("new", writer.stream);
  fw_file_writer_abandon(&writer);
  fw_file_writer_abandon(&writer);
  expect_content("old");
  cr_expect_eq(count_files(), 1);
}

Test(file, two_writers_do_not_share_a_temporary_file) {
  fw_file_writer first;
  fw_file_writer second;
  cr_assert_eq(fw_file_writer_open(&first, path, NULL), FW_OK);
  cr_assert_eq(fw_file_writer_open(&second, path, NULL), FW_OK);
  (void)fputs("first", first.stream);
  (void)fputs("second", second.stream);
  cr_assert_eq(fw_file_writer_commit(&second, NULL), FW_OK);
  cr_assert_eq(fw_file_writer_commit(&first, NULL), FW_OK);
  expect_content("first");
  cr_expect_eq(count_files(), 1);
}

Test(file, a_full_disk_is_reported) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_file_writer writer;
  cr_assert_eq(fw_file_writer_open(&writer, "/dev/full", NULL), FW_OK);
  (void)fputs("new", writer.stream);
  expect_refused(fw_file_writer_commit(&writer, &diagnostics), FW_ERROR_IO, &diagnostics, "No space left");
  cr_expect_null(writer.stream);
  cr_expect_eq(access("/dev/full", W_OK), 0, "the device itself is still there");
}

/* The descriptor of the stream is made to point at a full disk, as when it fills up in the middle of a write. */
static void check_failed_write(bool flush_early) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_file_writer writer;
  cr_assert_eq(fw_file_write(path, "old", 3, NULL), FW_OK);
  cr_assert_eq(fw_file_writer_open(&writer, path, NULL), FW_OK);
  FILE *full = fopen("/dev/full", "wb");
  cr_assert_not_null(full);
  cr_assert_neq(dup2(fileno(full), fileno(writer.stream)), -1);
  (void)fputs("new", writer.stream);
  if (flush_early) (void)fflush(writer.stream);
  fw_status status = fw_file_writer_commit(&writer, &diagnostics);
  expect_refused(status, FW_ERROR_IO, &diagnostics, "cannot write the file");
  (void)fclose(full);
  expect_content("old");
  cr_expect_eq(count_files(), 1, "the temporary file is gone");
}

Test(file, a_write_that_fails_leaves_the_old_content) {
  check_failed_write(false);
}

Test(file, a_write_that_failed_before_the_commit_is_not_forgotten) {
  check_failed_write(true);
}

Test(file, a_folder_that_cannot_be_written_is_reported) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  bool root = geteuid() == 0; /* for whom no mode forbids anything */
  if (root) {
    cr_assert_eq(setegid(65534), 0);
    cr_assert_eq(chown(folder, 65534, 65534), 0);
    cr_assert_eq(seteuid(65534), 0);
  }
  cr_assert_eq(fw_file_write(path, "old", 3, NULL), FW_OK);
  cr_assert_eq(chmod(folder, 0500), 0);
  expect_refused(fw_file_write(path, "new", 3, &diagnostics), FW_ERROR_IO, &diagnostics, "Permission denied");
  expect_content("old");
  cr_expect_eq(count_files(), 1);
  if (root) cr_assert_eq(seteuid(0), 0); /* or the leak check cannot look at the process */
}

Test(file, a_folder_is_no_file_to_write) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  expect_refused(fw_file_write(folder, "x", 1, &diagnostics), FW_ERROR_IO, &diagnostics, "directory");
  expect_refused(fw_file_write("/nonexistent/x", "x", 1, &diagnostics), FW_ERROR_IO, &diagnostics, "No such file");
}

static void expect_beside(const char *base, const char *name, const char *expected) {
  char *beside = fw_path_beside(base, name);
  cr_assert_not_null(beside);
  cr_expect_str_eq(beside, expected);
  free(beside);
}

Test(file, names_are_looked_up_beside_a_file) {
  expect_beside("dir/of/base.json", "x.json", "dir/of/x.json");
  expect_beside("base.json", "x.json", "x.json");
  expect_beside("dir/base.json", "/abs/x.json", "/abs/x.json");
  expect_beside("/base.json", "x.json", "/x.json");
  expect_beside("./base.json", "sub/x.json", "./sub/x.json");
}

Test(file, a_name_stands_behind_the_last_slash) {
  cr_expect_str_eq(fw_path_name("dir/of/base.json"), "base.json");
  cr_expect_str_eq(fw_path_name("base.json"), "base.json");
  cr_expect_str_eq(fw_path_name("/base.json"), "base.json");
  cr_expect_str_eq(fw_path_name("dir/"), "");
  cr_expect_str_eq(fw_path_name(""), "");
}
