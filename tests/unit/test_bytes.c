/* Packed and encoded files against what zlib and hand-written UTF-16 say they hold. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "traces/bytes.h"
#include "traces/source.h"

#define TEXT_LIMIT ((size_t)400000)

/* Reads everything in pieces of `piece` bytes; the text is the caller's to free. */
static char *read_all(const void *data, size_t length, size_t piece, size_t *count, fw_status *status, bool *cut) {
  fwi_bytes bytes;
  char *text = malloc(TEXT_LIMIT);
  *count = 0;
  size_t got = 1;
  *status = fwi_bytes_open_memory(&bytes, data, length, "file", NULL);
  while (*status == FW_OK && got > 0) {
    *status = fwi_bytes_read(&bytes, text + *count, piece, &got, NULL);
    *count += got;
  }
  *cut = bytes.cut;
  fwi_bytes_close(&bytes);
  return text;
}

static void expect_text(const void *data, size_t length, const char *expected, size_t expected_length) {
  const size_t pieces[] = {64, 1000, 65536};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    size_t count;
    fw_status status;
    bool cut;
    char *text = read_all(data, length, pieces[i], &count, &status, &cut);
    cr_assert_eq(status, FW_OK);
    cr_expect_not(cut);
    cr_assert_eq(count, expected_length, "%zu bytes in pieces of %zu", count, pieces[i]);
    cr_expect_eq(memcmp(text, expected, count), 0);
    free(text);
  }
}

/* Compresses as gzip does; the bytes are the caller's to free. */
static unsigned char *pack(const char *text, size_t length, size_t *packed_length) {
  z_stream stream = {0};
  unsigned char *packed = malloc(length + 1000);
  cr_assert_eq(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = (z_const Bytef *)text;
  stream.avail_in = (uInt)length;
  stream.next_out = packed;
  stream.avail_out = (uInt)length + 1000;
  cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
  *packed_length = stream.total_out;
  deflateEnd(&stream);
  return packed;
}

static char *long_text(size_t *length) {
  char *text = malloc(TEXT_LIMIT / 2);
  *length = 0;
  for (unsigned i = 0; *length + 40 < TEXT_LIMIT / 2; i++)
    *length += (size_t)sprintf(text + *length, "%u,%u,some words\n", i, i * 2654435761U);
  return text;
}

Test(bytes, plain_text_is_unchanged) {
  expect_text("a,b\n", 4, "a,b\n", 4);
  expect_text("", 0, "", 0);
  expect_text("a", 1, "a", 1);
  size_t length;
  char *text = long_text(&length);
  expect_text(text, length, text, length);
  free(text);
}

Test(bytes, marks_are_taken_off) {
  expect_text("\xEF\xBB\xBFt_s", 6, "t_s", 3);
  expect_text("\xFF\xFEt\0_\0s\0", 8, "t_s", 3);
  expect_text("\xFE\xFF\0t\0_\0s", 8, "t_s", 3);
}

Test(bytes, utf16_without_a_mark_is_known_by_its_zeros) {
  expect_text("t\0_\0s\0", 6, "t_s", 3);
  expect_text("\0t\0_\0s", 6, "t_s", 3);
}

Test(bytes, utf16_beyond_ascii) {
  /* micro sign, euro sign, a pair (U+1F600), a lone high surrogate before 'x', a lone low one */
  expect_text("\xFF\xFE\xB5\0\xAC\x20\x3D\xD8\x00\xDE\x3D\xD8x\0\x00\xDE", 16,
              "\xC2\xB5\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBDx\xEF\xBF\xBD", 16);
}

Test(bytes, gzip_is_unpacked_member_by_member) {
  size_t length, packed_length;
  char *text = long_text(&length);
  unsigned char *packed = pack(text, length, &packed_length);
  expect_text(packed, packed_length, text, length);
  unsigned char *twice = malloc(2 * packed_length + 16);
  memcpy(twice, packed, packed_length);
  memcpy(twice + packed_length, packed, packed_length);
  memset(twice + 2 * packed_length, 0, 16); /* as tape padding, which gzip passes over */
  char *doubled = malloc(2 * length);
  memcpy(doubled, text, length);
  memcpy(doubled + length, text, length);
  expect_text(twice, 2 * packed_length + 16, doubled, 2 * length);
  free(doubled);
  free(twice);
  free(packed);
  free(text);
}

Test(bytes, gzip_of_utf16) {
  size_t packed_length;
  unsigned char *packed = pack("\xFF\xFE"
                               "a\0,\0b\0",
                               8, &packed_length);
  expect_text(packed, packed_length, "a,b", 3);
  free(packed);
}

Test(bytes, what_is_cut_is_said_to_be) {
  size_t length, packed_length, count;
  char *text = long_text(&length);
  unsigned char *packed = pack(text, length, &packed_length);
  fw_status status;
  bool cut;
  char *got = read_all(packed, packed_length / 2, 1000, &count, &status, &cut);
  cr_expect_eq(status, FW_OK);
  cr_expect(cut);
  cr_expect(count > 0 && count < length && memcmp(got, text, count) == 0, "what came before is right");
  free(got);
  got = read_all("\xFF\xFE"
                 "a\0b",
                 5, 1000, &count, &status, &cut);
  cr_expect(cut);
  cr_expect_eq(count, 1);
  free(got);
  free(packed);
  free(text);
}

Test(bytes, damaged_gzip_is_refused) {
  size_t length, packed_length, count;
  char *text = long_text(&length);
  unsigned char *packed = pack(text, length, &packed_length);
  memset(packed + packed_length / 2, 0xFF, 64);
  fw_status status;
  bool cut;
  free(read_all(packed, packed_length, 1000, &count, &status, &cut));
  cr_expect_eq(status, FW_ERROR_INPUT);
  free(packed);
  free(text);
}

Test(bytes, files) {
  fwi_bytes bytes;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_expect_eq(fwi_bytes_open(&bytes, "/no/such/file", &diagnostics), FW_ERROR_INPUT);
  cr_expect_str_eq(diagnostics.entries[0].file, "/no/such/file");
  fwi_bytes_close(&bytes);
  cr_expect_eq(fwi_bytes_open(&bytes, "/tmp", &diagnostics), FW_ERROR_INPUT, "a folder");
  fwi_bytes_close(&bytes);
  fw_diagnostics_clear(&diagnostics);
}

/* --- lines --- */

Test(source, lines_and_their_ends) {
  static const struct {
    const char *text;
    bool ended;
  } expected[] = {{"one", true}, {"", true}, {"three", true}, {"four", false}};
  fwi_source source;
  bool found;
  cr_assert_eq(fwi_source_open(&source, "file", "one\r\n\nthree\nfour", 16, NULL), FW_OK);
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(fwi_source_line(&source, &found, NULL), FW_OK);
    cr_assert(found);
    cr_expect_eq(source.length, strlen(expected[i].text));
    cr_expect_eq(memcmp(source.line, expected[i].text, source.length), 0);
    cr_expect_eq(source.line_ended, expected[i].ended);
    cr_expect_eq(source.line_number, i + 1);
  }
  cr_assert_eq(fwi_source_line(&source, &found, NULL), FW_OK);
  cr_expect_not(found);
  fwi_source_close(&source);
}

/* The buffer moves while lines lie across its end: every line of a long text must come out whole. */
Test(source, long_texts) {
  size_t length;
  char *text = long_text(&length);
  char *twice = malloc(2 * length);
  memcpy(twice, text, length);
  memcpy(twice + length, text, length);
  fwi_source source;
  bool found = true;
  size_t at = 0;
  cr_assert_eq(fwi_source_open(&source, "file", twice, 2 * length, NULL), FW_OK);
  while (found) {
    cr_assert_eq(fwi_source_line(&source, &found, NULL), FW_OK);
    if (!found) break;
    cr_assert_leq(at + source.length, 2 * length);
    cr_assert_eq(memcmp(source.line, twice + at, source.length), 0);
    cr_assert_eq(twice[at + source.length], '\n');
    at += source.length + 1;
  }
  cr_expect_eq(at, 2 * length);
  fwi_source_close(&source);
  free(twice);
  free(text);
}

Test(source, what_is_no_text_is_refused) {
  fwi_source source;
  bool found;
  cr_assert_eq(fwi_source_open(&source, "file", "ab\0cd\n", 6, NULL), FW_OK);
  cr_expect_eq(fwi_source_line(&source, &found, NULL), FW_ERROR_INPUT);
  fwi_source_close(&source);
  size_t length = 3 * FWI_LINE_LIMIT;
  char *endless = malloc(length);
  memset(endless, 'x', length);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fwi_source_open(&source, "file", endless, length, NULL), FW_OK);
  cr_expect_eq(fwi_source_line(&source, &found, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "1 MiB"));
  fwi_source_close(&source);
  fw_diagnostics_clear(&diagnostics);
  free(endless);
}
