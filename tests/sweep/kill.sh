#!/usr/bin/env bash
# A sweep that is killed ten times at random moments ends with the bytes of one that was not; what a killed process had
# committed is there, and is not simulated again.
# shellcheck source=tests/sweep/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
RANDOM=20261130 # the moments, the same in every run of the test but for the machine's speed

start=$(date +%s%N)
sweep "$work/calm.db" >"$work/calm.txt"
took_ms=$((($(date +%s%N) - start) / 1000000))
[ "$(simulated "$work/calm.txt")" -eq "$runs" ] || fail "the undisturbed sweep simulated $(simulated "$work/calm.txt") runs"
export_all "$work/calm.db" calm

# Ten kills within half of what the whole takes, so that none comes too late; a start takes a few milliseconds more.
kills=0
before=0
while [ "$kills" -lt 10 ]; do
  # Not by the function: what a shell starts for one would be killed, and not fleetwatt.
  "$fleetwatt" sweep "$here/small.json" --store "$work/killed.db" --study s --grid "${grid[@]}" >/dev/null 2>&1 &
  pid=$!
  sleep "$(awk -v ms=$((20 + RANDOM % (took_ms / 10 + 1))) 'BEGIN {printf "%.3f", ms / 1000}')"
  kill -KILL "$pid" 2>/dev/null || fail "the sweep ended before kill $((kills + 1))"
  wait "$pid" 2>/dev/null && fail "the sweep was not killed"
  kills=$((kills + 1))
  if [ -s "$work/killed.db" ]; then
    now=$(stored "$work/killed.db" || true)
    now=${now:-0}
    [ "$now" -ge "$before" ] || fail "kill $kills lost runs: $before, then $now"
    before=$now
  fi
  echo "kill $kills: $before of $runs runs are kept"
done
[ "$before" -gt 0 ] || fail "no kill came after the first commit: nothing was tested"
sweep "$work/killed.db" >"$work/killed.txt"
[ "$(simulated "$work/killed.txt")" -eq $((runs - before)) ] ||
  fail "$before runs were kept, and $(simulated "$work/killed.txt") were simulated"
export_all "$work/killed.db" killed
same calm killed
sweep "$work/killed.db" >"$work/again.txt"
[ "$(simulated "$work/again.txt")" -eq 0 ] || fail "a finished sweep simulated something"
