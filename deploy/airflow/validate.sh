#!/usr/bin/env bash
# Imports the DAG with a real Airflow and runs it for one night, with a program that prints its arguments instead of Thalweg:
#   validate.sh [AIRFLOW_VERSION]
# Needs python3 with venv, which installs Airflow from PyPI, some 300 MB.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=${1:-3.3.2}
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-airflow-XXXXXXXXXX")
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install "apache-airflow==$version"

mkdir "$folder/dags"
printf '#!/bin/sh\necho "$THALWEG_LOG $PWD: $*" >%s/called\n' "$folder" >"$folder/thalweg"
chmod +x "$folder/thalweg"
sed "s|/opt/thalweg/thalweg|$folder/thalweg|; s|/var/lib/thalweg|$folder|" "$here/thalweg_materialize.py" >"$folder/dags/thalweg_materialize.py"

export AIRFLOW_HOME=$folder/home AIRFLOW__CORE__DAGS_FOLDER=$folder/dags AIRFLOW__CORE__LOAD_EXAMPLES=False
export PATH=$folder/venv/bin:$PATH
airflow db migrate >"$folder/log" 2>&1 && airflow dags test thalweg_materialize_driver_stats 2026-11-20T02:17:00+00:00 >>"$folder/log" 2>&1 || {
  cat "$folder/log"
  exit 1
}
expected="json $folder: materialize /etc/thalweg/materializations/driver_stats.yaml --partition dt=2026-11-19 --config /etc/thalweg/thalweg.yaml --quiet"
[ "$(cat "$folder/called")" = "$expected" ] || {
  printf 'called:   %s\nexpected: %s\n' "$(cat "$folder/called")" "$expected"
  exit 1
}
echo "The DAG runs with Airflow $version: $(cat "$folder/called")"
