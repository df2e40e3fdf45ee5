#!/usr/bin/env bash
# Checks dist/ as its user would: verifies the checksums, unpacks the distribution of this platform into a read-only folder, starts every
# command and runs the demo from an empty working folder; as root, under the user nobody, to whom the distribution does not belong. The demo must end within
# THALWEG_DEMO_SECONDS: 60 by default, for machines that have other work; it takes less than 30 on two processors without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../dist"
sha256sum -c --quiet SHA256SUMS
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-try-dist-XXXXXXXXXX")
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
platform=$([ "$(uname)" = Darwin ] && echo macos || echo linux)-$(uname -m | sed s/arm64/aarch64/)
archive=$(ls thalweg-*-"$platform".tar.xz)
tar -xJf "$archive" -C "$folder"
installed=$(echo "$folder"/thalweg-*)
mkdir "$folder/work" "$folder/tmp"
as=()
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  chown nobody:nogroup "$folder/work" "$folder/tmp"
  chmod 755 "$folder"
fi
chmod -R a-w "$installed"
run() {
  (cd "$folder/work" && env -u THALWEG_NO_BUILD THALWEG_NO_INSTALL=1 HOME="$folder/work" TMPDIR="$folder/tmp" \
    ${as[@]+"${as[@]}"} "$installed/thalweg" "$@")
}
run --version
# Each command as far as it gets without services of others, so that a class or a native library that a platform lacks shows here.
tried=$folder/work/tried
mkdir "$tried"
cp -r "$installed/examples" "$tried" # results are written beside definitions
chmod -R u+w "$tried"
examples=tried/examples
cat >"$tried/thalweg.yaml" <<EOF
store: {path: tried/store}
checkpoints: {dir: tried/checkpoints}
catalogs: {default: {folder: tried/warehouse}}
views: [tried/examples/demand.yaml, tried/examples/driver_stats.yaml]
EOF
[ "$(id -u)" != 0 ] || chown -R nobody:nogroup "$tried"
try() {
  run "$@" >"$folder/try.log" 2>&1 || { echo "try-dist: thalweg $* failed" >&2; cat "$folder/try.log" >&2; exit 1; }
}
with=(--config tried/thalweg.yaml)
commands=$(run --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{2,\}\)  .*/\1/p')
for command in $commands; do
  try "$command" --help
done
try validate "$examples/demand.yaml" --sample "$examples/rider-events.jsonl"
try explain "$examples/demand.yaml"
try views "${with[@]}"
try test "$examples/tests"
try run "$examples/demand.yaml" "${with[@]}" --input "$examples/rider-events.jsonl" --output tried/rows.jsonl --store
try verify "$examples/demand.yaml" --input "$examples/rider-events.jsonl" --rows tried/rows.jsonl
try materialize "$examples/driver_stats.yaml" "${with[@]}"
try store backup "${with[@]}" tried/backup
try generate "$examples/ride_events.yaml" --count 1000 --to tried/rides.bin
try ingest "$examples/ride_events.yaml" "${with[@]}" --input tried/rides.bin
try ingest "$examples/ride_events_iceberg.yaml" "${with[@]}" --input tried/rides.bin
try export feast demand "${with[@]}" --server http://127.0.0.1:8080 --out tried/feast
try token checkout --callers tried/callers.yaml
try init tried/first
echo "commands tried: $(echo $commands)"
rm -rf "$tried"
before=$(find "$installed" | cksum)
SECONDS=0
run demo --minutes 2 --speed 60 --port 0 --exit >"$folder/demo.log" 2>&1 || { cat "$folder/demo.log"; exit 1; }
seconds=$SECONDS
[ "$seconds" -le "${THALWEG_DEMO_SECONDS:-60}" ] || { echo "try-dist: the demo took $seconds s" >&2; exit 1; }
tail -n 1 "$folder/demo.log"
[ "$(find "$installed" | cksum)" = "$before" ] || { echo "try-dist: the demo has written into its installation" >&2; exit 1; }
echo "demo from a read-only installation: $seconds s; the working folder has: $(cd "$folder/work" && find . -type f | sort | tr '\n' ' ')"
