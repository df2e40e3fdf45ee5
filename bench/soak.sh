#!/usr/bin/env bash
# Holds the load of the demand pipeline for hours, and fails if heap, lag, freshness or anything else that is watched drifts.
#   bench/soak.sh [--hours H] [--scale NAME] [options of ./thalweg bench demand]     an hour at full scale if not told otherwise
# Figures and chart go to bench/results/demand-soak.*, unless options name other files.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
name=$root/bench/results/demand-soak
told=" $* "
options=()
unless_told() {
  case $told in *" $1 "* | *" $1="*) ;; *) options+=("$1" "$2") ;; esac
}
unless_told --scale full
unless_told --hours 1
unless_told --json "$name.json"
unless_told --chart "$name.svg"
exec "$root/thalweg" bench demand ${options[@]+"${options[@]}"} "$@"
