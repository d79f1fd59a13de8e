#!/usr/bin/env bash
# Two ranks give the bytes of one process, and share the work. Skipped aloud where there is no mpirun, or where fleetwatt
# was built without MPI. Status 77: skipped.
# shellcheck source=tests/sweep/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v mpirun >/dev/null || {
  echo "SKIPPED: there is no mpirun"
  exit 77
}
mpi=(mpirun -n 2 --oversubscribe)
[ "$(id -u)" -ne 0 ] || mpi+=(--allow-run-as-root)
launch() {
  "${mpi[@]}" "$fleetwatt" sweep "$here/small.json" --store "$1" --study s --grid "${grid[@]}"
}

sweep "$work/one.db" >/dev/null
export_all "$work/one.db" one
if ! launch "$work/two.db" >"$work/two.txt" 2>"$work/two.err"; then
  grep -q "built without MPI" "$work/two.err" || fail "mpirun: $(cat "$work/two.err")"
  echo "SKIPPED: fleetwatt was built without MPI"
  exit 77
fi
[ "$(grep -c '^Study s' "$work/two.txt")" -eq 1 ] || fail "not one of the ranks speaks, but: $(cat "$work/two.txt")"
[ "$(simulated "$work/two.txt")" -eq "$runs" ] || fail "not every run was simulated once"
export_all "$work/two.db" two
same one two

# Bad input: one message, status 2 from every rank.
status=0
"${mpi[@]}" "$fleetwatt" sweep "$here/small.json" --store "$work/bad.db" --grid 'jobs[g].cuont=1' >"$work/bad.txt" 2>&1 ||
  status=$?
[ "$status" -eq 2 ] || fail "status $status for bad input"
[ "$(grep -c 'did you mean "count"' "$work/bad.txt")" -eq 1 ] || fail "not one message: $(cat "$work/bad.txt")"
