#!/usr/bin/env bash
# Builds the image of Thalweg from a distribution:
#   build.sh [TAG]
#   THALWEG_DIST      the archive of the distribution; default: that of make dist
#   THALWEG_BASE      the image that it is based on, such as one from your own registry, by digest; see the Containerfile
#   CONTAINER_TOOL    docker, podman or buildah; default: the first that is there
# Further words go to the tool, such as --isolation=chroot for buildah without privileges.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=${THALWEG_DIST:-$(ls "$here"/../../dist/thalweg-*-linux-"$(uname -m | sed s/arm64/aarch64/)".tar.xz 2>/dev/null || true)}
[ -r "$archive" ] || { echo "build.sh: there is no distribution; run make dist, or set THALWEG_DIST" >&2; exit 1; }
tool=${CONTAINER_TOOL:-$(basename "$(command -v docker || command -v podman || command -v buildah || true)")}
[ -n "$tool" ] || { echo "build.sh: install docker, podman or buildah" >&2; exit 1; }
version=$(basename "$archive" .tar.xz)
version=${version%-linux-*}
tag=${1:-thalweg:${version#thalweg-}}
[ $# = 0 ] || shift

context=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-image-XXXXXXXXXX")
trap 'rm -rf "$context"' EXIT
mkdir "$context/thalweg"
tar -xJf "$archive" -C "$context/thalweg" --strip-components=1 --no-same-owner
cp "$here/Containerfile" "$here/healthcheck.sh" "$context"
# A health check is not part of OCI's format, which is the default of podman and buildah.
format=()
[ "$tool" = docker ] || format=(--format docker)
"$tool" build ${format[@]+"${format[@]}"} ${THALWEG_BASE:+--build-arg "BASE=$THALWEG_BASE"} "$@" -t "$tag" -f "$context/Containerfile" "$context"
echo "$tag"
