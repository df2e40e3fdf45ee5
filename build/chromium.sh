#!/usr/bin/env bash
# Installs Chromium where apt can, for the tests of the console; without it those tests are skipped.
set -euo pipefail
for name in chromium chromium-browser google-chrome chrome-headless-shell; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "for the tests of the console: apt-get install -y --no-install-recommends chromium"
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 \
    || { apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
else
  echo "no Chromium here: the console is not tested (apt-get install chromium)"
fi
