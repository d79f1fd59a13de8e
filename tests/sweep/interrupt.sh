#!/usr/bin/env bash
# Ctrl-C ends a sweep with status 3 and a word of how far it came; the same command goes on from there. A closed pipe is
# told, and the results are kept.
# shellcheck source=tests/sweep/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sweep "$work/calm.db" >/dev/null
export_all "$work/calm.db" calm

"$fleetwatt" sweep "$here/small.json" --store "$work/cut.db" --study s --grid "${grid[@]}" \
  >"$work/cut.txt" 2>"$work/message" &
pid=$!
until [ -s "$work/cut.db" ] && [ "$(stored "$work/cut.db" 2>/dev/null)" -gt 20 ] 2>/dev/null; do
  sleep 0.01
done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
cat "$work/message"
[ "$status" -eq 3 ] || fail "status $status after an interrupt, not 3"
grep -q "interrupted after [0-9]* of 2000 simulations" "$work/message" || fail "no word of the interrupt"
[ ! -s "$work/cut.txt" ] || fail "an interrupted sweep printed results"
kept=$(stored "$work/cut.db")
if [ "$kept" -le 20 ] || [ "$kept" -eq "$runs" ]; then
  fail "$kept runs were kept: nothing was interrupted"
fi

status=0
{ sweep "$work/cut.db" --json 2>"$work/message" || echo $? >"$work/status"; } | head -c 1 >/dev/null
status=$(cat "$work/status")
[ "$status" -eq 3 ] || fail "status $status where the pipe was closed, not 3"
grep -q "standard output: Broken pipe" "$work/message" || fail "no word of the closed pipe: $(cat "$work/message")"
sweep "$work/cut.db" >"$work/again.txt"
[ "$(simulated "$work/again.txt")" -eq 0 ] || fail "what was simulated before the pipe broke was lost"
export_all "$work/cut.db" cut
same calm cut
