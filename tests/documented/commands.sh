#!/usr/bin/env bash
# Every command in README.md, docs/ and the examples of --help is taken by the program as it stands there: flags, keys,
# and files that ship; and the commands that docs/commands.md says a flag to be of are those that have it. Each runs in a
# folder of its own among files such as its reader would have; one that is still at work after half a second has been
# taken, since all input is read before anything is simulated.
set -euo pipefail
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin" "$work/kept"
ln -s "$(realpath "$1")" "$work/bin/fleetwatt"
export PATH=$work/bin:$PATH FLEETWATT_SHARE=$source

# FILE:LINE<tab>COMMAND for each command in the code of the documents; a backslash at the end of a line joins the next.
in_documents() {
  (cd "$source" && awk '
    /^```/ { code = !code; next }
    code && (joined != "" || /^ *(build\/release\/sim\/cli\/)?fleetwatt [a-z]/) {
      line = $0
      sub(/^ +/, "", line)
      if (joined == "") place = FILENAME ":" FNR
      joined = joined line
      if (sub(/\\$/, "", joined)) next
      sub(/^build\/release\/sim\/cli\//, "", joined)
      print place "\t" joined
      joined = ""
    }' README.md docs/*.md)
}

commands=$(fleetwatt --help | awk '/^  [a-z]+ / { printf "%s%s", gap, $1; gap = " " }')

in_help() {
  local command
  for command in $commands; do
    fleetwatt "$command" --help | awk -v place="$command --help" '
      example { line = line $0; if (!sub(/\\$/, "", line)) { sub(/^ +/, "", line); print place "\t" line; line = "" } }
      /^example/ { example = 1 }'
  done
}

# What a reader is told to have: recordings of a job that works and waits, its engine's counters, logs, a scenario (the
# one of docs/scenario.md), studies, trained weights.
reader_files() {
  local name
  awk 'BEGIN {
    print "# kind: instant\nt_s,gpu,power_w"
    for (i = 0; i < 1200; i++) printf "%.1f,0,%.1f\n", i / 2, (i % 120 < 80 ? 300 + i % 7 : 80 + i % 3) }' >monday.csv
  awk 'BEGIN {
    print "t_s,requests_running,prompt_tokens_total,generation_tokens_total"
    for (i = 0; i < 1200; i++) {
      if (i % 120 < 80) { prompt += 10; written += 40 }
      printf "%.1f,%d,%d,%d\n", i / 2, (i % 120 < 80 ? 4 : 0), prompt, written } }' >engine.csv
  for name in tuesday wednesday telemetry power; do cp monday.csv "$name.csv"; done
  for name in mon tue wed; do cp engine.csv "engine-$name.csv"; done
  printf '%s\n' concurrency,power_w,token_s 1,210,0.03 2,240,0.031 4,280,0.033 8,310,0.037 16,330,0.045 >sweep.csv
  awk 'BEGIN {
    print "timestamp, index, power.draw [W]"
    for (i = 0; i < 60; i++) printf "2026/01/05 10:00:%02d.000, 0, %.2f W\n", i, 200 + i }' >nvidia-smi.csv
  for name in week1 week2; do
    awk -v week="${name#week}" 'BEGIN {
      print "timestamp, index, power.draw [W]"
      for (i = 0; i < 480; i++) printf "2026/01/%02d 10:00:%02d, %d, %d W\n", week * 7, i / 8, i % 8, 200 + i }' >"$name.csv"
  done
  gzip -c nvidia-smi.csv >node1.csv.gz
  gzip -c nvidia-smi.csv >node2.csv.gz
  awk 'BEGIN { for (i = 0; i < 60; i++) printf "2026-01-05 10:00:%02d,0,%.2f,x,50\n", i, 200 + i }' >log.csv
  awk '/^```/ { code = $0 == "```json"; if (!code && seen) exit; next } code { seen = 1; print }' \
    "$source/docs/scenario.md" >two-kinds.json
  cp two-kinds.json my-fleet.json
  for name in fleet16-staggered before after demo; do
    fleetwatt sweep two-kinds.json --study "$name" --store results.db --seeds 2 --hours 0.1 --grid start=aligned >/dev/null
  done
  mkdir -p build/contest
  for name in job72b-live job72b-schedule; do
    fleetwatt train "$source/scenarios/$name.json" --plan "$source/policies/weights/${name%-live}.train.json" \
      --policies uncontrolled --decisions 1 -o "build/contest/${name%-live}.safetensors" >/dev/null 2>&1
  done
  cp build/contest/job72b-[12].safetensors .
  fleetwatt calibrate monday.csv tuesday.csv --gpu a100-sxm4-80gb --resamples 10 -o my-job.json >/dev/null 2>&1
}

cd "$work/kept"
reader_files
cd "$work"
for folder in scenarios docs; do cp -r "$source/$folder" "$work/kept"; done
for folder in models policies; do ln -s "$source/$folder" "$work/kept"; done

# All of them, each once, with the first place where it stands.
{ in_documents; in_help; } | awk -F '\t' '!seen[$2]++' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 40 ] || { echo "fewer than 40 commands were found: are they still marked as code?"; exit 1; }

# FLAG COMMAND of the rows of the table of flags, and of what --help says of the same flags.
flags_in_table() {
  awk -F ' [|] ' -v all="$commands" '
    /^\| `--[a-z]/ {
      of = $2
      gsub(/[`,]/, "", of)
      if (sub(/^all but /, "", of)) {
        not_of = " " of " "
        of = ""
        count = split(all, command, " ")
        for (i = 1; i <= count; i++) if (index(not_of, " " command[i] " ") == 0) of = of " " command[i]
      }
      count = split(of, command, " ")
      while (match($1, /`--[a-z-]+/)) {
        for (i = 1; i <= count; i++) print substr($1, RSTART + 1, RLENGTH - 1), command[i]
        $1 = substr($1, RSTART + RLENGTH)
      }
    }' "$source/docs/commands.md" | sort
}

flags_in_help() {
  local command
  for command in $commands; do
    fleetwatt "$command" --help | awk -v command="$command" '/^  --[a-z]/ { print $1, command }'
  done | sort
}

flags_in_table >"$work/table"
flags_in_help | awk 'NR == FNR { known[$1] = 1; next } $1 in known' "$work/table" - >"$work/help"
failed=0
diff "$work/table" "$work/help" || { echo "docs/commands.md (<) and --help (>) differ in which flag is of which command"; failed=1; }
while IFS=$'\t' read -r place command; do
  rm -rf "$work/here"
  cp -a "$work/kept" "$work/here"
  case $command in *" sweep "*) rm "$work/here"/results.db* ;; esac # whose study would be another
  status=0
  (cd "$work/here" && timeout --signal=INT --kill-after=60 0.5 bash -c "$command") >"$work/said" 2>&1 </dev/null || status=$?
  case $status in
    0 | 124) ;;
    *)
      failed=1
      echo "$place: status $status from: $command"
      tail -n 5 "$work/said"
      ;;
  esac
done <"$work/commands"
exit "$failed"
