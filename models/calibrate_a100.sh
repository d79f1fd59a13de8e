#!/usr/bin/env bash
# Calibrates a model of every kind of job in the measured data and writes models/a100/*.json: `./fw fit` calls it.
# usage: calibrate_a100.sh FLEETWATT DATA OUT [flags of fleetwatt calibrate]
set -euo pipefail

readonly fleetwatt=$1 data=$2 out=$3
shift 3
readonly -a more=("$@")
readonly serving=$data/a100_serving_traces/vllm_ inference=$data/a100_inference_traces

# model NAME GPU FLAG...: one model; what there is to warn of goes to standard error.
model() {
  "$fleetwatt" calibrate -o "$out/$1.json" --gpu "$2" "${@:3}" ${more[@]+"${more[@]}"} >/dev/null
}

# Engines that serve (S6): instants every 0.25 s, with the engine's counters and the utilisation beside.
engine() {
  local name=$1 runs=() flags=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    runs+=("$serving$1.csv")
    shift
  done
  [ $# -eq 0 ] || flags=("${@:2}")
  model "$name" a100-sxm4-80gb --source S6 --utilization "${runs[@]}" ${flags[@]+"${flags[@]}"}
}

# A script without a cache (S2): means over 0.5 s, with the script's phases beside.
script() {
  local recording=$inference/$3
  model "$1" "$2" --source S2 --kind mean_from --phases "$recording.phases.csv" "${@:4}" "$recording.csv"
}

# A table of operating points (S1): its powers are shares of the rating, 400 W; times go to batches that have no power.
points() {
  local table
  table=$(mktemp -d)
  awk -F, -v model="$2" -v parallel="$3" '
    NR == 1 {
      for (i = 1; i <= NF; i++) at[$i] = i
      print "concurrency,power_w,token_s,prompt_tokens,prefill_s,output_tokens,peak_w"
      next
    }
    $at["model"] == model && $at["tensor_parallel"] == parallel {
      power = $at["avg_power_frac_tdp"]
      peak = $at["peak_power_frac_tdp"]
      printf "%s,%s,%.7f,%s,%.7f,%s,%s\n", $at["batch_size"], power == "" ? "" : sprintf("%.3f", 400 * power),
        $at["token_time_ms"] / 1000, $at["prompt_tokens"], $at["prompt_time_ms"] / 1000, $at["output_tokens"],
        peak == "" ? "" : sprintf("%.3f", 400 * peak)
    }' "$data/a100_batch_sweep.csv" >"$table/a100_batch_sweep.$2-tp$3.csv"
  # No point shows a GPU that waits; with an engine loaded boards of this kind draw 85 W (S6).
  model "$1" a100-sxm4-80gb --source S1 --points --gpus "$3" --sharding tensor --ready-power 85 \
    "$table/a100_batch_sweep.$2-tp$3.csv"
  rm -r "$table"
}

mkdir -p "$out"
engine qwen3-8b-chat qwen3-8b_tp1_rate2.5 qwen3-8b_tp1_rate2.5_bursty qwen3-8b_tp1_rate2.5_smooth
engine qwen3-8b-bursts qwen3-8b_tp1_burstgpt qwen3-8b_tp1_burstgpt_low_window
engine qwen3-8b-agents qwen3-8b_tp1_openhands_window
engine qwen3-8b-agents-cached qwen3-8b_tp1_openhands_cached_window
engine gemma4-26b-tp2-chat gemma4-26b-a4b_tp2_rate4 -- --sharding tensor
engine gpt-oss-20b-prefill gpt-oss-20b_pd_rate1_window gpt-oss-20b_pd_rate1_repeat1_window -- --role prefill
engine gpt-oss-20b-decode gpt-oss-20b_pd_rate1_window gpt-oss-20b_pd_rate1_repeat1_window -- --role decode
script llama2-7b-nocache a100-40gb-400w swing_llama2-7b_1gpu
script llama2-13b-nocache a100-40gb-400w swing_llama2-13b_1gpu
script falcon-7b-nocache a100-40gb-400w swing_falcon-7b_1gpu
script falcon-40b-nocache-layer3 a100-40gb-400w swing_falcon-40b_3gpu --sharding layer
script llama2-70b-nocache-layer4 a100-40gb-400w swing_llama2-70b_4gpu --sharding layer
script llama2-7b-nocache-250w a100-40gb-250w palmetto_llama2-7b_1gpu
script falcon-7b-nocache-250w a100-40gb-250w palmetto_falcon-7b_1gpu
points llama2-70b-tp2 llama2-70b 2
points llama2-70b-tp4 llama2-70b 4
points llama2-70b-tp8 llama2-70b 8
points bloom-176b-tp8 bloom-176b 8
