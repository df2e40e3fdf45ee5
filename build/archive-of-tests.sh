#!/usr/bin/env bash
# The archive of classes from which processes of the integration tests start, in half of the time; they start without it, too.
#   JAVA_HOME=… build/archive-of-tests.sh start ARCHIVE   makes it, unless the jars are those of the last one; ends at once
#   build/archive-of-tests.sh wait ARCHIVE                waits until it is made or has failed
# The jars are in lib/ beside the archive. The build starts it when they are complete, and tests other modules meanwhile.
set -euo pipefail
archive=$2
lib=$(dirname "$archive")/lib
case $1 in
  start)
    jars=$(ls -ln "$lib")
    if [ ! -e "$archive" ] || [ "$jars" != "$(cat "$archive.jars" 2>/dev/null)" ]; then
      rm -f "$archive" "$archive.attempt"
      printf '%s\n' "$jars" >"$archive.jars"
      "$(dirname "${BASH_SOURCE[0]}")/class-archive.sh" "$lib" "$archive" </dev/null >"$archive.log" 2>&1 &
      echo $! >"$archive.pid"
    fi
    ;;
  wait)
    pid=$(cat "$archive.pid" 2>/dev/null) || exit 0
    while kill -0 "$pid" 2>/dev/null; do sleep 0.5; done
    rm -f "$archive.pid"
    ;;
esac
