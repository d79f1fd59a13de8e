/* Files written whole or not at all: a temporary file in the same folder, fsync, rename (which POSIX makes atomic),
 * fsync of the folder (Pillai et al., "All file systems are not created equal", OSDI 2014, say why each is needed). */
#include "sim/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/memory.h"

enum { CHUNK_SIZE = 16384, REASON_SIZE = 128, NAME_ATTEMPTS = 1000 };

static fw_status system_error(fw_diagnostics *diagnostics, fw_status status, const char *path, const char *what,
                              int error) {
  char reason[REASON_SIZE];
  if (strerror_r(error, reason, sizeof reason) != 0) (void)snprintf(reason, sizeof reason, "error %d", error);
  return fw_error(diagnostics, status, (fw_place){.file = path}, "%s: %s", what, reason);
}

static fw_status read_stream(FILE *stream, const char *path, size_t limit, fw_text *out, fw_diagnostics *diagnostics) {
  char chunk[CHUNK_SIZE];
  size_t count;
  fw_text_add(out, ""); /* an empty file is a terminated text too */
  while ((count = fread(chunk, 1, sizeof chunk, stream)) > 0) {
    if (count > limit - out->length) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path}, "the file has more than %zu bytes", limit);
    }
    fw_text_add_bytes(out, chunk, count);
    if (out->failed) break;
  }
  if (out->failed) return fw_error_memory(diagnostics, "the text of a file");
  if (ferror(stream)) return system_error(diagnostics, FW_ERROR_INPUT, path, "cannot read the file", errno);
  return FW_OK;
}

fw_status fw_file_read(const char *path, size_t limit, fw_text *out, fw_diagnostics *diagnostics) {
  *out = (fw_text)FW_TEXT_INIT;
  bool standard = strcmp(path, "-") == 0;
  FILE *stream = standard ? stdin : fopen(path, "rb");
  if (stream == NULL) return system_error(diagnostics, FW_ERROR_INPUT, path, "cannot open the file", errno);
  fw_status status = read_stream(stream, path, limit, out, diagnostics);
  if (!standard) (void)fclose(stream); /* only read: nothing can be lost */
  if (status != FW_OK) fw_text_clear(out);
  return status;
}

fw_status fw_file_write(const char *path, const char *data, size_t length, fw_diagnostics *diagnostics) {
  fw_file_writer writer;
  fw_status status = fw_file_writer_open(&writer, path, diagnostics);
  if (status != FW_OK) return status;
  if (length > 0) (void)fwrite(data, 1, length, writer.stream); /* commit asks the stream whether all went well */
  return fw_file_writer_commit(&writer, diagnostics);
}

/* Creates a file beside writer->path that nobody else has; its descriptor, or -1 and errno. */
static int create_temporary(fw_file_writer *writer) {
  fw_text name = FW_TEXT_INIT;
  int descriptor = -1;
  for (unsigned attempt = 0; attempt < NAME_ATTEMPTS && descriptor < 0; attempt++) {
    name.length = 0;
    fw_text_add_format(&name, "%s.tmp-%ld-%u", writer->path, (long)getpid(), attempt);
    if (name.failed) {
      errno = ENOMEM;
      break;
    }
    descriptor = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); /* less the umask, as any new file */
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor >= 0) {
    writer->temporary_path = name.data;
  } else {
    int error = errno;
    fw_text_clear(&name);
    errno = error;
  }
  return descriptor;
}

/* Opens what `path` stands for: a temporary file, or the thing itself where a rename would replace it (a device,
 * a pipe). */
static int open_target(fw_file_writer *writer) {
  struct stat existing;
  bool exists = stat(writer->path, &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  if (exists && !S_ISREG(existing.st_mode)) return open(writer->path, O_WRONLY | O_CLOEXEC);
  int descriptor = create_temporary(writer);
  if (descriptor >= 0 && exists) (void)fchmod(descriptor, existing.st_mode & 07777); /* keep its mode if we may */
  return descriptor;
}

fw_status fw_file_writer_open(fw_file_writer *writer, const char *path, fw_diagnostics *diagnostics) {
  *writer = (fw_file_writer){.path = fw_copy_text(path)};
  if (writer->path == NULL) return fw_error_memory(diagnostics, "a file's name");
  int descriptor = open_target(writer);
  if (descriptor >= 0) writer->stream = fdopen(descriptor, "wb");
  if (writer->stream != NULL) return FW_OK;
  int error = errno;
  if (descriptor >= 0) (void)close(descriptor);
  fw_file_writer_abandon(writer);
  return system_error(diagnostics, FW_ERROR_IO, path, "cannot create the file", error);
}

/* Devices, pipes and some file systems have nothing to sync and say so. */
static bool sync_descriptor(int descriptor) {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* Why an earlier write failed: its errno is gone, but one more write meets the same full disk. */
static int reason_of_failure(FILE *stream) {
  errno = 0;
  clearerr(stream);
  if (fputc('\n', stream) != EOF && fflush(stream) == 0) return EIO;
  return errno != 0 ? errno : EIO;
}

/* Brings all that was printed to the disk; 0, or the error that kept it. */
static int finish_stream(fw_file_writer *writer) {
  bool failed_before = ferror(writer->stream) != 0;
  if (failed_before) errno = reason_of_failure(writer->stream);
  bool written = !failed_before && fflush(writer->stream) == 0 && sync_descriptor(fileno(writer->stream));
  int error = written ? 0 : errno;
  if (fclose(writer->stream) != 0 && error == 0) error = errno;
  writer->stream = NULL;
  return error;
}

/* Makes the new name in the folder of `path` durable. */
static int sync_folder(const char *path) {
  char *folder = fw_path_beside(path, ".");
  if (folder == NULL) return ENOMEM;
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  if (descriptor < 0) return errno == EACCES ? 0 : errno; /* a folder one may write but not list */
  int error = sync_descriptor(descriptor) ? 0 : errno;
  (void)close(descriptor);
  return error;
}

fw_status fw_file_writer_commit(fw_file_writer *writer, fw_diagnostics *diagnostics) {
  int error = finish_stream(writer);
  if (error == 0 && writer->temporary_path != NULL) {
    if (rename(writer->temporary_path, writer->path) == 0) {
      free(writer->temporary_path);
      writer->temporary_path = NULL;
      error = sync_folder(writer->path);
    } else {
      error = errno;
    }
  }
  fw_status status = FW_OK;
  if (error != 0) status = system_error(diagnostics, FW_ERROR_IO, writer->path, "cannot write the file", error);
  fw_file_writer_abandon(writer);
  return status;
}

void fw_file_writer_abandon(fw_file_writer *writer) {
  if (writer->stream != NULL) (void)fclose(writer->stream);
  if (writer->temporary_path != NULL) (void)unlink(writer->temporary_path);
  free(writer->temporary_path);
  free(writer->path);
  *writer = (fw_file_writer){NULL, NULL, NULL};
}

const char *fw_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

char *fw_path_beside(const char *base, const char *name) {
  const size_t folder = (size_t)(fw_path_name(base) - base);
  if (folder == 0 || name[0] == '/') return fw_copy_text(name);
  fw_text path = FW_TEXT_INIT;
  fw_text_add_bytes(&path, base, folder);
  fw_text_add(&path, name);
  if (path.failed) fw_text_clear(&path);
  return path.data;
}
