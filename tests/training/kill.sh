#!/usr/bin/env bash
# A training that is killed three times, each time some moments after a new checkpoint, and resumed ends with the bytes
# of one that was not.
set -euo pipefail
fleetwatt=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
RANDOM=20261130

fail() {
  echo "kill: $*" >&2
  exit 1
}

mkdir "$work/calm" "$work/killed"
train=("$fleetwatt" train "$source/scenarios/job72b-live.json" --plan "$source/policies/weights/job72b.train.json"
  --policies uncontrolled --seeds 2 --decisions 163840 --threads 2)
export FLEETWATT_SHARE=$source

"${train[@]}" -o "$work/calm/x.safetensors" >/dev/null 2>&1 || fail "the undisturbed training failed"

# When the last checkpoint was written; nothing where there is none.
stamp() {
  stat -c %y "$work"/killed/*.checkpoint 2>/dev/null || true
}

resume=()
for kill in 1 2 3; do
  before=$(stamp)
  # Not by a function: what a shell starts for one would be killed, and not fleetwatt.
  "${train[@]}" "${resume[@]}" -o "$work/killed/x.safetensors" >/dev/null 2>&1 &
  pid=$!
  while [ "$(stamp)" = "$before" ]; do
    kill -0 "$pid" 2>/dev/null || fail "the training ended before kill $kill"
    sleep 0.02
  done
  sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  kill -KILL "$pid" 2>/dev/null || fail "the training ended before kill $kill"
  wait "$pid" 2>/dev/null && fail "the training was not killed"
  resume=(--resume)
done

"${train[@]}" --resume -o "$work/killed/x.safetensors" >/dev/null 2>&1 || fail "the resumed training failed"
for file in "$work"/calm/*; do
  cmp "$file" "$work/killed/$(basename "$file")" || fail "$(basename "$file") differs"
done
