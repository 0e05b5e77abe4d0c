#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs fuzzers one after another, each on its seeds and with its dictionary, and prints what came of it.
#   tests/fuzz/run.sh [-n INPUTS] [-s SECONDS] [READER...]
# INPUTS (100000) and SECONDS (3600) end a fuzzer, whichever comes first; no READER means all of them. What a fuzzer learns stays in
# build/fuzz/corpus/READER for the next time; a finding stops it, and its input and report lie in build/fuzz/findings/READER.
set -euo pipefail
cd "$(dirname "$0")/../.."

inputs=100000 seconds=3600
while getopts n:s: option; do
  case $option in
    n) inputs=$OPTARG ;;
    s) seconds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
readers=("$@")
[ $# -gt 0 ] || readers=(experiment wire safetensors idx npy cifar text lesson csv json_lines trainer_state trainers_log events wandb trackio recording session settings probe)

# As long as a small file of the kind is: longer inputs take longer, and seldom say more.
declare -A most_bytes=([cifar]=64 [text]=256 [experiment]=1536 [lesson]=1536 [wire]=1024 [recording]=4096 [probe]=3072)

export TMPDIR=/dev/shm  # for readers that take paths
# What takes time and finds nothing is off: the stacks of allocations (a finding's input, run again without this, has them), a large
# quarantine, and the count of allocations for leaks, which are looked for at the end, in every input of the corpus.
export ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=0
build=build/fuzz
rm -rf $build/seeds && $build/fuzz/fuzz_seeds $build/seeds

findings=0 TIMEFORMAT='%U %S'
printf '%-12s %12s %9s %9s %15s  %s\n' reader executions seconds processor "per processor s" finding
for reader in "${readers[@]}"; do
  corpus=$build/corpus/$reader found=$build/findings/$reader dictionary=tests/fuzz/$reader.dict
  mkdir -p "$corpus" "$found"
  # Weighing inputs by how rare their features are takes up to two thirds of the time.
  options=(-entropic=0 -max_len="${most_bytes[$reader]:-512}" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found/")
  [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
  began=$SECONDS finding=none
  fuzz=(nice -n 15 "$build/fuzz/fuzz_$reader" "${options[@]}")
  spent=$({ time "${fuzz[@]}" -runs="$inputs" -max_total_time="$seconds" -detect_leaks=0 -print_final_stats=1 \
    "$corpus" "$build/seeds/$reader" >"$found/report" 2>&1; } 2>&1) &&
    "${fuzz[@]}" -runs=0 "$corpus" "$build/seeds/$reader" >"$found/leaks" 2>&1 ||
    { finding=$found findings=$((findings + 1)); }
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/report")
  read -r user system <<<"$spent"
  processor=$((${user%.*} + ${system%.*}))
  printf '%-12s %12s %9s %9s %15s  %s\n' "$reader" "${executions:-?}" "$((SECONDS - began))" "$processor" \
    "$((${executions:-0} / (processor > 0 ? processor : 1)))" "$finding"
done
exit $((findings > 0))
