option(FLEETWATT_TESTS "Build the tests, fuzzers and benchmarks" ON)
option(FLEETWATT_FUZZ "Build the fuzzers against libFuzzer (clang only), and the rest so that it can be fuzzed" OFF)
set(FLEETWATT_SANITIZE "" CACHE STRING "Sanitizers to build with: address, undefined or thread, comma separated")

# What every target is compiled with. Results must not depend on the compiler, the optimisation level or
# FMA (docs/architecture.md, "Bits"), so contraction is off everywhere and fast-math is never used.
add_library(fw_options INTERFACE)
target_compile_options(fw_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -ffp-contract=off -fno-fast-math)
target_compile_definitions(fw_options INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(fw_options INTERFACE ${PROJECT_SOURCE_DIR})

# A warning is an error. Where a compiler newer than ours warns of more: cmake --compile-no-warning-as-error.
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)

# The thread sanitizer wants clang with libomp (the preset "tsan"): gcc's libgomp is not instrumented and has no Archer,
# so each of its barriers would be reported as a race. tests/CMakeLists.txt sets the options of the run.
if(FLEETWATT_SANITIZE)
  target_compile_options(fw_options INTERFACE
    -fsanitize=${FLEETWATT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(fw_options INTERFACE -fsanitize=${FLEETWATT_SANITIZE})
endif()

if(FLEETWATT_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "FLEETWATT_FUZZ needs clang: cmake --preset fuzz")
  endif()
  target_compile_options(fw_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(fw_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
