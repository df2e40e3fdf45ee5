#!/usr/bin/env bash
# Builds the image with build.sh and runs it as a container runtime would: as the user of the image, without capabilities, with a read-only
# root file system and in namespaces of its own, whose only network is loopback. The base image is made from Debian's packages, so only apt
# needs the network, and nothing of the host's containers is touched. Needs root, and buildah, mmdebstrap, util-linux and iproute2; takes
# about ten minutes and 6 GB in TMPDIR.
#   THALWEG_DIST        the archive of the distribution; default: that of make dist
#   THALWEG_HOST_APT=1  apt in the image has the settings of this Debian, such as a mirror
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ "$(id -u)" = 0 ] || { echo "try.sh: run as root, to make namespaces and a base image" >&2; exit 1; }
for tool in buildah mmdebstrap unshare ip; do
  command -v "$tool" >/dev/null || { echo "try.sh: apt-get install buildah mmdebstrap iproute2" >&2; exit 1; }
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-try-image-XXXXXXXXXX")
trap 'buildah rm --all >/dev/null 2>&1 || true; rm -rf --one-file-system "$folder"' EXIT
printf '[storage]\ndriver = "vfs"\nrunroot = "%s/run"\ngraphroot = "%s/images"\n' "$folder" "$folder" >"$folder/storage.conf"
export CONTAINERS_STORAGE_CONF=$folder/storage.conf STORAGE_DRIVER=vfs CONTAINER_TOOL=buildah

mmdebstrap --quiet --variant=minbase bookworm "$folder/base.tar"
base=$(buildah from scratch)
buildah add --quiet "$base" "$folder/base.tar" / >/dev/null
buildah commit --quiet "$base" thalweg-base >/dev/null
buildah rm "$base" >/dev/null
rm "$folder/base.tar"
# The sandbox has the host's name, which must have an address there.
options=(--isolation=chroot --pull-never)
[ "${THALWEG_HOST_APT:-}" != 1 ] || options+=(--volume /etc/apt:/etc/apt:ro)
THALWEG_BASE=localhost/thalweg-base "$here/build.sh" thalweg:try "${options[@]}"

config() {
  buildah inspect --type image --format "{{$1}}" thalweg:try
}
[ "$(config .OCIv1.Config.User)" = 10001:10001 ] || { echo "try.sh: the image runs as '$(config .OCIv1.Config.User)'" >&2; exit 1; }
variables=$(config 'range .OCIv1.Config.Env}}{{println .}}{{end')
mapfile -t environment < <(grep . <<<"$variables")
entry=$(config 'index .OCIv1.Config.Entrypoint 0')
home=$(config .OCIv1.Config.WorkingDir)
container=$(buildah from --pull-never thalweg:try)
root=$(buildah mount "$container")
[ -e "$root/etc/hosts" ] || touch "$root/etc/hosts"
mkdir "$folder/state"
chown 10001:10001 "$folder/state"
chmod 700 "$folder/state"

# Runs lines of a shell in a container of the image, which has the launcher as $thalweg.
contained() {
  ENTRY=$entry HOME_FOLDER=$home ROOT=$root STATE=$folder/state unshare --mount --pid --fork --net --uts --ipc bash -euc '
    hostname thalweg
    ip link set lo up
    mount --make-rprivate /
    mount --bind "$ROOT" "$ROOT"
    mount -t proc proc "$ROOT/proc"
    mount -t tmpfs -o size=512m,mode=1777 tmpfs "$ROOT/tmp"
    mount -t tmpfs -o size=64k tmpfs "$ROOT/dev"
    for device in null zero random urandom; do touch "$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
    ln -s /proc/self/fd "$ROOT/dev/fd"
    printf "127.0.0.1 localhost thalweg\n" >"$ROOT/tmp/hosts"
    mount --bind "$ROOT/tmp/hosts" "$ROOT/etc/hosts"
    mount --bind "$STATE" "$ROOT$HOME_FOLDER"
    mount -o remount,bind,ro "$ROOT"
    exec chroot "$ROOT" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
      /usr/bin/env -i "${@:2}" /bin/bash -euc "cd $HOME_FOLDER; thalweg=$ENTRY; $1"' contained "$1" "${environment[@]}"
}

contained '
  grep -q "^[^ ]* / [^ ]* ro[, ]" /proc/self/mounts
  ls /opt/thalweg/lib/classes-*.jsa
  [ "$(id -u)" = 10001 ]
  for set in CapInh CapPrm CapEff CapBnd CapAmb; do grep -q "^$set:[[:space:]]*0*$" /proc/self/status; done
  "$thalweg" --version'
SECONDS=0
contained '"$thalweg" demo --minutes 2 --speed 60 --exit --port 0' >"$folder/demo.log" 2>&1 || { cat "$folder/demo.log"; exit 1; }
grep -v "^{" "$folder/demo.log" | tail -n 1
echo "the demo in the container: $SECONDS s"
contained '
  if /opt/thalweg/healthcheck.sh 2>/dev/null; then echo "healthy without a server"; exit 1; fi
  "$thalweg" serve /opt/thalweg/examples/demand.yaml & server=$!
  for _ in $(seq 120); do
    sleep 1
    kill -0 $server
    if /opt/thalweg/healthcheck.sh 2>/dev/null; then healthy=1; break; fi
  done
  [ "${healthy:-}" = 1 ]
  kill -TERM $server
  wait $server' >"$folder/serve.log" 2>&1 || { cat "$folder/serve.log"; exit 1; }
echo "the server in the container: healthy, and stopped by SIGTERM with exit code 0"
buildah images --format '{{.Name}}:{{.Tag}} {{.Size}}' | grep '/thalweg:try'
