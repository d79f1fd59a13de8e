#!/usr/bin/env bash
# The JSON that the documents show is read and run as it stands there; what it expects holds.
set -euo pipefail
fleetwatt=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export FLEETWATT_SHARE=$source
cd "$work"
failed=0

# block DOCUMENT N: its Nth block of JSON.
block() {
  awk -v wanted="$2" '/^```/ { inside = /^```json/ && ++count == wanted; next } inside' "$source/docs/$1"
}

# scenario GPU JOBS [MORE KEYS]
scenario() {
  printf '{"fleetwatt": 1, "name": "example", "duration_h": 8, "windows_s": [30], "budget_kw": 30, "gpu": "%s", "jobs": [%s]%s}\n' \
    "$1" "$2" "${3:+, $3}"
}

# takes DOCUMENT COMMAND...: the command ends well.
takes() {
  local document=$1
  shift
  "$fleetwatt" "$@" >said 2>&1 || { echo "$document: status $? from its example:"; cat said; failed=1; }
}

readonly usual=a100-sxm4-80gb
scenario $usual '{"kind": "grpo", "class": "72b", "model": "a100/qwen2.5-72b-awq"}' "$(block adversity.md 1)" >events.json
takes adversity.md run events.json
scenario $usual "$(block arrivals.md 1), $(block arrivals.md 2)" >arrivals.json
takes arrivals.md run arrivals.json

block parameter-files.md 1 >my-gpu.json
block parameter-files.md 2 >my-job.json
scenario my-gpu '{"kind": "grpo", "class": "mine", "model": "my-job"}' >files.json
takes parameter-files.md run files.json

block scenario.md 1 >two-kinds.json
takes scenario.md compare two-kinds.json

# The file that the example of docs/check.md is from, with the expectations shown there.
{ sed '/^  "expect": \[/,$d' "$source/scenarios/fleet16-aligned.json" && block check.md 1 && echo '}'; } >aligned.json
takes check.md check aligned.json
exit "$failed"
