/* What an import costs: a large nvidia-smi log (units in its cells, 8 GPUs at 10 Hz) is generated, imported to our CSV
 * and to a report alone; prints MB/s and the peak memory. Where python3 (or $PYTHON) has pandas, it reads and parses
 * the same columns of the same file.
 *
 * usage: bench_import [MEGABYTES] (200 unless given) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "traces/import.h"

#define MEMORY_LIMIT_KIB (64 * 1024)
#define GPU_COUNT 8
#define BYTES_PER_MB 1e6

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* About `megabytes` of log; the bytes that were written. */
static size_t generate(const char *path, size_t megabytes) {
  FILE *stream = fopen(path, "w");
  if (stream == NULL) return 0;
  size_t bytes = (size_t)fprintf(
      stream, "timestamp, index, power.draw [W], power.limit [W], utilization.gpu [%%], temperature.gpu\n");
  uint64_t state = 88172645463325252;
  for (size_t row = 0; bytes < megabytes * (size_t)BYTES_PER_MB; row++) {
    size_t tick = row / GPU_COUNT;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes +=
        (size_t)fprintf(stream, "2024/05/%02zu %02zu:%02zu:%02zu.%03zu, %zu, %u.%02u W, 400.00 W, %u %%, %u\n",
                        1 + tick / 864000 % 28, tick / 36000 % 24, tick / 600 % 60, tick / 10 % 60, tick % 10 * 100,
                        row % GPU_COUNT, 60 + (unsigned)(state % 340), (unsigned)(state >> 20) % 100,
                        (unsigned)(state >> 40) % 101, 40 + (unsigned)(state >> 50) % 40);
  }
  return fclose(stream) == 0 ? bytes : 0;
}

static void print_diagnostics(fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < diagnostics->count; i++)
    printf("  %s\n", diagnostics->entries[i].message);
  fw_diagnostics_clear(diagnostics);
}

/* Seconds, or a negative number; `output` NULL: the report alone. */
static double import_once(const char *path, const char *output, size_t *rows) {
  fw_import_input input = {.name = path};
  fw_import_options options = {.gpu_model = "A100"};
  fw_import_report report;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_import_writer *writer = NULL;
  fw_import_sink sink = {0};
  double start = seconds_now();
  if (output != NULL && fw_import_writer_open(&writer, output, &diagnostics) != FW_OK) return -1;
  if (writer != NULL) sink = fw_import_writer_sink(writer);
  fw_status status = fw_import_run(&input, 1, &options, writer != NULL ? &sink : NULL, &report, &diagnostics);
  if (status == FW_OK && writer != NULL) {
    status = fw_import_writer_commit(writer, &diagnostics);
    writer = NULL;
  }
  fw_import_writer_abandon(writer);
  double seconds = seconds_now() - start;
  *rows = report.row_count;
  fw_import_report_clear(&report);
  print_diagnostics(&diagnostics);
  return status == FW_OK ? seconds : -1;
}

/* The same columns as an import reads, with the parser that pandas has for each. */
static double pandas_once(const char *path) {
  char command[2048];
  (void)snprintf(command, sizeof command,
                 "${PYTHON:-python3} -c \"\n"
                 "import pandas as pd, time\n"
                 "start = time.perf_counter()\n"
                 "d = pd.read_csv('%s', skipinitialspace=True)\n"
                 "d['timestamp'] = pd.to_datetime(d['timestamp'], format='%%Y/%%m/%%d %%H:%%M:%%S.%%f')\n"
                 "for c in ('power.draw [W]', 'power.limit [W]', 'utilization.gpu [%%]'):\n"
                 "  d[c] = d[c].str.split(' ', n=1).str[0].astype(float)\n"
                 "print(time.perf_counter() - start)\n"
                 "\" 2>/dev/null",
                 path);
  FILE *pipe = popen(command, "r");
  char answer[64] = "";
  if (pipe == NULL) return -1;
  char *end = answer;
  double seconds = fgets(answer, sizeof answer, pipe) != NULL ? strtod(answer, &end) : -1;
  if (end == answer) seconds = -1;
  (void)pclose(pipe);
  return seconds;
}

static void print_rate(const char *what, double megabytes, double seconds, size_t rows) {
  printf("%-28s %6.2f s  %7.1f MB/s  %5.2f M rows/s\n", what, seconds, megabytes / seconds,
         (double)rows / seconds / 1e6);
}

static int measure(const char *log, const char *output, size_t megabytes) {
  double size = (double)generate(log, megabytes) / BYTES_PER_MB;
  size_t rows = 0;
  if (size <= 0) return 1;
  double report = import_once(log, NULL, &rows), whole = import_once(log, output, &rows);
  long memory = peak_kib();
  if (report < 0 || whole < 0) return 1;
  printf("nvidia-smi CSV, %.0f MB, %zu rows\n", size, rows);
  print_rate("report only", size, report, rows);
  print_rate("to our CSV", size, whole, rows);
  printf("%-28s %ld KiB (bar: %d)\n", "peak memory", memory, MEMORY_LIMIT_KIB);
  double pandas = pandas_once(log);
  if (pandas > 0) {
    print_rate("pandas", size, pandas, rows);
    printf("%-28s %.1f x (bar: 4)\n", "faster than pandas by", pandas / whole);
  } else {
    printf("pandas                       not installed\n");
  }
  return memory >= MEMORY_LIMIT_KIB || (pandas > 0 && pandas < 4 * whole);
}

int main(int argument_count, char **arguments) {
  size_t megabytes = argument_count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : 200;
  char log[] = "/tmp/bench_import_log_XXXXXX", output[] = "/tmp/bench_import_out_XXXXXX";
  int first = mkstemp(log), second = mkstemp(output);
  int failed = first < 0 || second < 0 || measure(log, output, megabytes);
  if (first >= 0) (void)close(first);
  if (second >= 0) (void)close(second);
  (void)unlink(log);
  (void)unlink(output);
  return failed;
}
