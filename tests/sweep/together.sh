#!/usr/bin/env bash
# Two processes that start together on a store that is not there yet share its study: neither fails, no run is simulated
# twice, both end when all is done, and the bytes are those of one process. One thread or four: the same bytes.
# shellcheck source=tests/sweep/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sweep "$work/one.db" --threads 1 >/dev/null
export_all "$work/one.db" one
sweep "$work/four.db" --threads 4 >/dev/null
export_all "$work/four.db" four
same one four

sweep "$work/two.db" --threads 1 >"$work/first.txt" 2>"$work/first.err" &
first=$!
sweep "$work/two.db" --threads 2 --json >/dev/null 2>"$work/json.err" &
json=$!
status=0
sweep "$work/two.db" --threads 1 >"$work/second.txt" 2>"$work/second.err" || status=$?
wait "$first" || fail "the first process: $(cat "$work/first.err")"
wait "$json" || fail "the process with --json: $(cat "$work/json.err")"
[ "$status" -eq 0 ] || fail "the second process: $(cat "$work/second.err")"
if [ -s "$work/first.err" ] || [ -s "$work/second.err" ]; then
  fail "messages: $(cat "$work"/*.err)"
fi
export_all "$work/two.db" two
same one two

sweep "$work/pair.db" --threads 1 >"$work/first.txt" &
first=$!
sweep "$work/pair.db" --threads 1 >"$work/second.txt"
wait "$first"
a=$(simulated "$work/first.txt")
b=$(simulated "$work/second.txt")
echo "two processes: $a and $b runs"
[ $((a + b)) -eq "$runs" ] || fail "$a + $b runs were simulated, not $runs"
if [ "$a" -eq 0 ] || [ "$b" -eq 0 ]; then
  fail "one of them did all of it: nothing was tested"
fi
export_all "$work/pair.db" pair
same one pair
