#!/usr/bin/env bash
# Shows that no test fails because the machine is busy:
#   build/under-load.sh [RUNS] [TARGET...]
# Runs make test and make test-faults, or other targets, RUNS times (default 1) beside two busy loops of the same priority. Stops at
# the first failure. A test is not run again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=${1:-1}
[ $# -eq 0 ] || shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(test test-faults)

loops=()
for _ in 1 2; do
  (while :; do :; done) &
  loops+=($!)
done
trap 'kill "${loops[@]}" 2>/dev/null || :' EXIT

for ((run = 1; run <= runs; run++)); do
  for target in "${targets[@]}"; do
    SECONDS=0
    if ! make "$target"; then
      echo "under-load: run $run of $runs: make $target failed after $SECONDS s" >&2
      exit 1
    fi
    echo "under-load: run $run of $runs: make $target passed in $SECONDS s"
  done
done
