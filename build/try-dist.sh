#!/usr/bin/env bash
# Checks dist/ as its user would: verifies the checksums, unpacks the distribution into a read-only folder and runs the demo from an
# empty working folder; as root, under the user nobody, to whom the distribution does not belong. The demo must end within
# THALWEG_DEMO_SECONDS: 60 by default, for machines that have other work; it takes less than 30 on two processors without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../dist"
sha256sum -c --quiet SHA256SUMS
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-try-dist-XXXXXXXXXX")
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
tar -xzf thalweg-*[0-9T].tar.gz -C "$folder"
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
before=$(find "$installed" | cksum)
SECONDS=0
run demo --minutes 2 --speed 60 --port 0 --exit >"$folder/demo.log" 2>&1 || { cat "$folder/demo.log"; exit 1; }
seconds=$SECONDS
[ "$seconds" -le "${THALWEG_DEMO_SECONDS:-60}" ] || { echo "try-dist: the demo took $seconds s" >&2; exit 1; }
tail -n 1 "$folder/demo.log"
[ "$(find "$installed" | cksum)" = "$before" ] || { echo "try-dist: the demo has written into its installation" >&2; exit 1; }
echo "demo from a read-only installation: $seconds s; the working folder has: $(cd "$folder/work" && find . -type f | sort | tr '\n' ' ')"
