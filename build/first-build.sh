#!/usr/bin/env bash
# Builds a clean clone of HEAD by its launcher, as a newcomer does; fails if that fails. Prints the seconds it took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-first-build-XXXXXXXXXX")
trap 'rm -rf "$folder"' EXIT
git clone -q . "$folder/thalweg"
unset THALWEG_NO_BUILD
SECONDS=0
"$folder/thalweg/thalweg" --version
echo "clean clone to the first answer: $SECONDS s"
