/* Errors as values: what a list remembers, and how an entry reads. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/diagnostics.h"

static const fw_place NOWHERE = {NULL, 0, 0, NULL};

static void assert_reads(fw_place place, const char *expected) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_error(&list, FW_ERROR_INPUT, place, "bad");
  char text[128];
  size_t length = fw_diagnostic_format(&list.entries[0], text, sizeof text);
  cr_assert_str_eq(text, expected);
  cr_assert_eq(length, strlen(expected));
  fw_diagnostics_clear(&list);
}

Test(diagnostics, a_repeated_message_is_known) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_warning(&list, (fw_place){.file = "a"}, "once");
  fw_warning(&list, (fw_place){.file = "b"}, "once");
  fw_warning(&list, (fw_place){.file = "a"}, "twice");
  (void)fw_error(&list, FW_ERROR_INPUT, (fw_place){.file = "a"}, "once");
  static const bool repeated[] = {false, true, false, false};
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq(fw_diagnostics_repeated(&list, i), repeated[i], "entry %zu", i);
  fw_diagnostics_clear(&list);
}

Test(diagnostics, an_error_is_kept_with_its_place) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_place place = {"fleet.json", 12, 5, "jobs[2].gpus"};
  fw_status status = fw_error(&list, FW_ERROR_INPUT, place, "%d is below %s", -3, "zero");
  cr_assert_eq(status, FW_ERROR_INPUT);
  cr_assert_eq(list.status, FW_ERROR_INPUT);
  cr_assert_eq(list.count, 1);
  cr_assert_eq(list.error_count, 1);
  const fw_diagnostic *entry = &list.entries[0];
  cr_assert_eq(entry->severity, FW_SEVERITY_ERROR);
  cr_assert_eq(entry->status, FW_ERROR_INPUT);
  cr_assert_str_eq(entry->file, "fleet.json");
  cr_assert_eq(entry->line, 12);
  cr_assert_eq(entry->column, 5);
  cr_assert_str_eq(entry->path, "jobs[2].gpus");
  cr_assert_str_eq(entry->message, "-3 is below zero");
  fw_diagnostics_clear(&list);
}

Test(diagnostics, the_status_is_that_of_the_first_error) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_warning(&list, NOWHERE, "odd");
  cr_assert_eq(list.status, FW_OK);
  cr_assert_eq(list.error_count, 0);
  fw_error(&list, FW_ERROR_IO, NOWHERE, "first");
  fw_error(&list, FW_ERROR_INPUT, NOWHERE, "second");
  cr_assert_eq(list.status, FW_ERROR_IO);
  cr_assert_eq(list.count, 3);
  cr_assert_eq(list.error_count, 2);
  cr_assert_eq(list.entries[0].severity, FW_SEVERITY_WARNING);
  cr_assert_eq(list.entries[0].status, FW_OK);
  fw_diagnostics_clear(&list);
}

Test(diagnostics, without_a_list_only_the_status_comes_back) {
  cr_assert_eq(fw_error(NULL, FW_ERROR_FAULT, NOWHERE, "x"), FW_ERROR_FAULT);
  cr_assert_eq(fw_error_memory(NULL, "a table"), FW_ERROR_MEMORY);
  fw_warning(NULL, NOWHERE, "x");
  fw_diagnostics from = FW_DIAGNOSTICS_INIT;
  (void)fw_error(&from, FW_ERROR_IO, NOWHERE, "x");
  fw_diagnostics_append(NULL, &from);
  cr_expect_eq(from.count, 0);
  cr_expect_null(from.entries);
  cr_expect_eq(from.status, FW_OK);
}

Test(diagnostics, an_entry_reads_like_a_compiler_message) {
  assert_reads((fw_place){"a.json", 3, 7, "x.y"}, "a.json:3:7: error: x.y: bad");
  assert_reads((fw_place){"a.json", 3, 0, NULL}, "a.json:3: error: bad");
  assert_reads((fw_place){"a.json", 0, 0, "x"}, "a.json: error: x: bad");
  assert_reads((fw_place){NULL, 3, 7, NULL}, "3:7: error: bad");
  assert_reads((fw_place){NULL, 0, 0, "x"}, "error: x: bad");
  assert_reads(NOWHERE, "error: bad");
}

Test(diagnostics, a_warning_says_so) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_warning(&list, NOWHERE, "odd");
  char text[32];
  fw_diagnostic_format(&list.entries[0], text, sizeof text);
  cr_assert_str_eq(text, "warning: odd");
  fw_diagnostics_clear(&list);
}

Test(diagnostics, a_short_buffer_gets_the_start_as_from_snprintf) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_error(&list, FW_ERROR_INPUT, (fw_place){"a.json", 3, 7, "x"}, "bad value");
  const char *whole = "a.json:3:7: error: x: bad value";
  cr_assert_eq(fw_diagnostic_format(&list.entries[0], NULL, 0), strlen(whole));
  for (size_t size = 1; size <= strlen(whole) + 2; size++) {
    char got[64], expected[64];
    memset(got, '#', sizeof got);
    cr_assert_eq(fw_diagnostic_format(&list.entries[0], got, size), strlen(whole));
    snprintf(expected, size, "%s", whole);
    cr_assert_str_eq(got, expected);
    cr_assert_eq(got[size], '#', "written past a buffer of %zu bytes", size);
  }
  fw_diagnostics_clear(&list);
}

Test(diagnostics, appending_moves_entries_in_order) {
  fw_diagnostics to = FW_DIAGNOSTICS_INIT, from = FW_DIAGNOSTICS_INIT;
  char expected[32];
  for (int i = 0; i < 100; i++)
    fw_error(i < 40 ? &to : &from, i < 40 ? FW_ERROR_INPUT : FW_ERROR_IO, NOWHERE, "number %d", i);
  fw_warning(&from, NOWHERE, "number 100");
  fw_diagnostics_append(&to, &from);
  cr_assert_eq(to.count, 101);
  cr_assert_eq(to.error_count, 100);
  cr_assert_eq(to.status, FW_ERROR_INPUT);
  for (size_t i = 0; i < to.count; i++) {
    snprintf(expected, sizeof expected, "number %zu", i);
    cr_assert_str_eq(to.entries[i].message, expected);
  }
  cr_assert_eq(from.count, 0);
  cr_assert_eq(from.status, FW_OK);
  cr_assert_null(from.entries);
  fw_diagnostics_clear(&to);
}

Test(diagnostics, appending_to_a_clean_list_takes_the_status) {
  fw_diagnostics to = FW_DIAGNOSTICS_INIT, from = FW_DIAGNOSTICS_INIT;
  fw_error(&from, FW_ERROR_FAULT, NOWHERE, "x");
  fw_diagnostics_append(&to, &from);
  fw_diagnostics_append(&to, &from);
  cr_assert_eq(to.status, FW_ERROR_FAULT);
  cr_assert_eq(to.count, 1);
  fw_diagnostics_clear(&to);
}

/* A list that claims to fill the address space cannot grow, as if memory had run out. */
static fw_diagnostics full_list(void) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  list.count = list.capacity = SIZE_MAX / sizeof(fw_diagnostic);
  return list;
}

Test(diagnostics, an_error_that_finds_no_memory_still_counts) {
  fw_diagnostics list = full_list();
  cr_assert_eq(fw_error(&list, FW_ERROR_INPUT, (fw_place){"f", 1, 1, "p"}, "x"), FW_ERROR_INPUT);
  cr_assert_eq(list.lost, 1);
  cr_assert_eq(list.error_count, 1);
  cr_assert_eq(list.status, FW_ERROR_INPUT);
}

Test(diagnostics, appended_entries_that_find_no_memory_still_count) {
  fw_diagnostics to = full_list(), from = FW_DIAGNOSTICS_INIT;
  fw_error(&from, FW_ERROR_INPUT, NOWHERE, "x");
  fw_warning(&from, NOWHERE, "y");
  fw_diagnostics_append(&to, &from);
  cr_assert_eq(to.lost, 2);
  cr_assert_eq(to.error_count, 1);
  cr_assert_eq(to.status, FW_ERROR_INPUT);
  cr_assert_eq(from.count, 0);
}

Test(diagnostics, lack_of_memory_names_what_was_made) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_error_memory(&list, "the event queue"), FW_ERROR_MEMORY);
  cr_assert_not_null(strstr(list.entries[0].message, "out of memory"));
  cr_assert_not_null(strstr(list.entries[0].message, "the event queue"));
  fw_diagnostics_clear(&list);
}

Test(diagnostics, a_cleared_list_may_be_used_again) {
  fw_diagnostics list = FW_DIAGNOSTICS_INIT;
  fw_error(&list, FW_ERROR_IO, NOWHERE, "x");
  fw_diagnostics_clear(&list);
  cr_assert_eq(list.status, FW_OK);
  cr_assert_eq(list.count, 0);
  fw_error(&list, FW_ERROR_INPUT, NOWHERE, "y");
  cr_assert_str_eq(list.entries[0].message, "y");
  fw_diagnostics_clear(&list);
}

Test(diagnostics, exit_codes_follow_the_manual) {
  cr_assert_eq(fw_status_exit_code(FW_OK), 0);
  cr_assert_eq(fw_status_exit_code(FW_ERROR_INPUT), 2);
  cr_assert_eq(fw_status_exit_code(FW_ERROR_MEMORY), 3);
  cr_assert_eq(fw_status_exit_code(FW_ERROR_IO), 3);
  cr_assert_eq(fw_status_exit_code(FW_ERROR_FAULT), 3);
}
