#!/usr/bin/env bash
# Holds the load of the demand pipeline for hours, and fails if heap, lag, freshness or another watched figure drifts.
#   bench/soak.sh [--hours H] [--scale NAME] [options of ./thalweg bench demand]     two hours at full scale by default
# Figures and chart go to bench/results/demand-soak.*, unless options name other files.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
name=$root/bench/results/demand-soak
given=" $* "
options=()
default() {
  case $given in *" $1 "* | *" $1="*) ;; *) options+=("$1" "$2") ;; esac
}
default --scale full
default --hours 2
default --json "$name.json"
default --chart "$name.svg"
exec "$root/thalweg" bench demand ${options[@]+"${options[@]}"} "$@"
