# shellcheck shell=bash
# shellcheck disable=SC2054 # the commas belong to the values
# What the tests of sweeps share; to be sourced. Arguments of each test: FLEETWATT SOURCE_FOLDER
set -euo pipefail
fleetwatt=$1
here=$2/tests/sweep
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# 20 points x 2 policies x 50 seeds: 2,000 runs.
readonly runs=2000

readonly grid=(oversubscription=1.5,1.75,2,2.25,2.5 start=random,aligned 'jobs[g].count=1,2')

# sweep STORE [FLAG...]
sweep() {
  local store=$1
  shift
  "$fleetwatt" sweep "$here/small.json" --store "$store" --study s "$@" --grid "${grid[@]}"
}

# The number of runs that a sweep's output says it simulated.
simulated() {
  sed -n 's/^Runs simulated now: \([0-9]*\)\.$/\1/p' "$1"
}

# export_all STORE NAME: the study as CSV and as JSON.
export_all() {
  "$fleetwatt" results "$1" --study s --csv --output "$work/$2.csv"
  "$fleetwatt" results "$1" --study s --json --output "$work/$2.json"
}

fail() {
  echo "FAILED: $*"
  exit 1
}

# same NAME NAME: two exports must be the same bytes, and hold all runs.
same() {
  cmp "$work/$1.csv" "$work/$2.csv" || fail "the CSV of $1 and $2 differ"
  cmp "$work/$1.json" "$work/$2.json" || fail "the JSON of $1 and $2 differ"
  [ "$(grep -c ',tokens,' "$work/$1.csv")" -eq "$runs" ] || fail "$1 does not have $runs runs"
  echo "same bytes: $1 and $2"
}

# stored STORE: how many runs a store has.
stored() {
  "$fleetwatt" results "$1" | awk 'NR == 2 {print $5}'
}
