#!/usr/bin/env bash
# A full disk ends a sweep with a message and status 3; once there is space, the same command goes on from what it kept,
# and the bytes are those of an undisturbed sweep. As root on a small disk in memory; else with a limit on file sizes,
# which SQLite sees as a failed write.
# shellcheck source=tests/sweep/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sweep "$work/calm.db" >/dev/null
export_all "$work/calm.db" calm

disk=$work/disk
mkdir "$disk"
if mount -t tmpfs -o size=1500k tmpfs "$disk" 2>/dev/null; then
  trap 'umount "$disk"; rm -rf "$work"' EXIT
  echo "on a disk of 1.5 MB"
  limited() { sweep "$disk/full.db"; }
  words="the disk is full; make space and give the same command again"
else
  echo "no disk can be mounted: with files of at most 1 MB"
  limited() { (
    trap '' XFSZ
    ulimit -f 1024
    sweep "$disk/full.db"
  ); }
  words="error"
fi

status=0
limited >/dev/null 2>"$work/message" || status=$?
cat "$work/message"
[ "$status" -eq 3 ] || fail "status $status where the disk is full, not 3"
grep -q "$words" "$work/message" || fail "no word of a full disk"
if mountpoint -q "$disk"; then
  mount -o remount,size=100m "$disk"
fi
kept=$(stored "$disk/full.db")
if [ "$kept" -eq 0 ] || [ "$kept" -eq "$runs" ]; then
  fail "$kept runs were kept: the disk was not filled in between"
fi
sweep "$disk/full.db" >"$work/resumed.txt"
[ "$(simulated "$work/resumed.txt")" -eq $((runs - kept)) ] || fail "$kept were kept, and not all others simulated"
export_all "$disk/full.db" full
same calm full
