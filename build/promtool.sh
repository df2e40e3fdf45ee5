#!/usr/bin/env bash
# Installs promtool where apt can, for the tests of the alert rules; without it those tests are skipped. Only the program is taken from
# Debian's package, which would also start a server.
set -euo pipefail
if command -v promtool >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "for the tests of the alert rules: promtool of Debian's package prometheus, into /usr/local/bin"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  chmod 755 "$folder"
  cd "$folder"
  apt-get download -qq prometheus >/dev/null 2>&1 || { apt-get update -qq >/dev/null && apt-get download -qq prometheus >/dev/null; }
  dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xf - ./usr/bin/promtool
  install -m 0755 usr/bin/promtool /usr/local/bin/promtool
else
  echo "no promtool here: the alert rules are not tested (it is part of Prometheus)"
fi
