#!/usr/bin/env bash
# The same bytes for any number of threads, without FMA, and twice in a row; and an arm's
# figures do not depend on which other arms there are. Usage: same_bytes.sh FLEETWATT SOURCE_FOLDER
set -euo pipefail
fleetwatt=$1
scenario=$2/scenarios/fleet16-staggered.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compare() {
  "$fleetwatt" compare "$scenario" --hours 0.5 --seeds 4 --json "$@"
}

# check NAME: the file NAME must equal the reference.
check() {
  cmp "$work/reference" "$work/$1" || { echo "FAILED: $1 differs from the reference"; exit 1; }
  echo "same: $1"
}

compare --threads 1 >"$work/reference"
for threads in 1 2 4 16; do
  compare --threads "$threads" >"$work/threads-$threads"
  check "threads-$threads"
done

# A run of its own, down to its ticks and events; with the series written along or not.
digest() {
  "$fleetwatt" run "$scenario" --hours 0.5 --policies hysteresis --digest "$@" | sed -n 's/^digest //p'
}
reference=$(digest --threads 1)
[[ "$reference" =~ ^[0-9a-f]{16}$ ]] || { echo "FAILED: no digest: '$reference'"; exit 1; }
for threads in 2 4 16; do
  [ "$(digest --threads "$threads" --series "$work/series.csv")" = "$reference" ] ||
    { echo "FAILED: the digest differs with $threads threads"; exit 1; }
done
[ "$(digest --seed 2)" != "$reference" ] || { echo "FAILED: the digest does not see the seed"; exit 1; }
echo "same: digest $reference"

# glibc then picks the functions that it picks on a processor without FMA and AVX2.
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable compare >"$work/no-fma"
check no-fma

# Python is not needed to run fleetwatt, so arms are compared as text: one object for each arm.
arms() {
  tr '\n' ' ' | sed -e 's/.*"arms":\[//' -e 's/\],"differences".*//' -e 's/},{"policy"/}\n{"policy"/g'
}
compare --policies static-4,hysteresis --oversubscription 2 | arms >"$work/few"
arms <"$work/reference" >"$work/all"
while IFS= read -r arm; do
  grep -qxF -- "$arm" "$work/all" || { echo "FAILED: an arm changed when others were left out: ${arm:0:80}"; exit 1; }
done <"$work/few"
echo "same: arms on their own"
