/* Files below a folder, in the order of their bytes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/folder.h"

static char root[] = "/tmp/fleetwatt-folder-XXXXXX";

static void path_of(const char *name, char path[256]) {
  (void)snprintf(path, 256, "%s/%s", root, name);
}

static void make(void) {
  static const char *const folders[] = {"b", "b/c", "empty", ".hidden"};
  static const char *const files[] = {"z.json",    "a.json", "B.json",  "b/c/x.json", "b/2.json",
                                      "b/10.json", "a.txt",  ".h.json", "json",       ".hidden/no.json"};
  char path[256];
  cr_assert_not_null(mkdtemp(root));
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    path_of(folders[i], path);
    cr_assert_eq(mkdir(path, 0700), 0);
  }
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    path_of(files[i], path);
    cr_assert_eq(fw_file_write(path, "{}", 2, NULL), FW_OK);
  }
  path_of("b/c/up", path);
  cr_assert_eq(symlink("..", path), 0); /* followed, it would never end */
}

static void unmake(void) {
  char command[300];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
  (void)!system(command);
}

TestSuite(folder, .init = make, .fini = unmake);

Test(folder, files_of_a_tree_come_sorted) {
  static const char *const wanted[] = {"B.json", "a.json", "b/10.json", "b/2.json", "b/c/x.json", "z.json"};
  fw_paths paths = {0};
  cr_assert_eq(fw_folder_files(root, ".json", &paths, NULL), FW_OK);
  cr_assert_eq(paths.count, sizeof wanted / sizeof wanted[0]);
  for (size_t i = 0; i < paths.count; i++) {
    char path[256];
    path_of(wanted[i], path);
    cr_expect_str_eq(paths.names[i], path);
  }
  fw_paths_clear(&paths);
  cr_expect_null(paths.names);
}

Test(folder, one_that_is_not_there_is_named) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_paths paths = {0};
  char path[256];
  path_of("nowhere", path);
  cr_expect_not(fw_is_folder(path));
  cr_expect(fw_is_folder(root));
  cr_expect_eq(fw_folder_files(path, ".json", &paths, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_str_eq(diagnostics.entries[0].file, path);
  fw_diagnostics_clear(&diagnostics);
  fw_paths_clear(&paths);
}
