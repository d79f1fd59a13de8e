#!/usr/bin/env bash
# What the documents show as printed is what the program prints.
set -euo pipefail
fleetwatt=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export FLEETWATT_SHARE=$source
failed=0

# expect DOCUMENT FIRST: standard input holds the block of code of the document that begins with FIRST.
expect() {
  local block printed
  block=$(awk -v first="$2" '/^```/ { inside = 0; fresh = 1; next } fresh && index($0, first) == 1 { inside = 1 }
    { fresh = 0 } inside' "$source/$1")
  printed=$(cat)
  [ -n "$block" ] || { echo "$1 has no block of code that begins with \"$2\""; failed=1; return; }
  [[ $printed == *"$block"* ]] || { echo "$1 shows"; echo "$block"; echo "but this is printed:"; echo "$printed"; failed=1; }
}

expect README.md "Budget 3200 W" < <("$fleetwatt" compare "$source/scenarios/fleet16-staggered.json" --oversubscription 2 2>&1)

# The copy that docs/check.md speaks of: another figure in line 31.
sed '31s/0\.95/0.999/' "$source/scenarios/study/beyond-fleet16.json" >"$work/beyond.json"
expect docs/check.md "FAILED  beyond.json" < <(cd "$work" && "$fleetwatt" check beyond.json 2>&1)

for name in fleet schedule; do
  expect docs/ppo.md "shield-$name:" < <("$fleetwatt" compare "$source/scenarios/study/shield-$name.json" 2>&1)
done
exit "$failed"
