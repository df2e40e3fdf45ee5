#!/usr/bin/env bash
# Archives the classes that the usual jobs load, so that java does not read, parse and verify them at each start, or those of the commands
# that answer and end, if the name of the archive begins with "commands":
#   JAVA_HOME=… build/class-archive.sh LIB ARCHIVE [SECONDS]
# Both paths are absolute. LIB is the folder of the jars, which also holds the archive: a build empties it. One process makes an archive;
# others exit at once. After a failure, the next attempt is possible an hour later. The archive appears whole or not at all. An attempt
# that takes longer than SECONDS (default 600) prints the stacks of its threads and fails.
set -euo pipefail

lib=$1 archive=$2 limit=${3:-600}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/build/jdk.sh"
attempt=$archive.attempt
new=$archive.$$

[ -z "$(find "$attempt" -mmin +60 2>/dev/null)" ] || rm -f "$attempt"
(set -o noclobber && : >"$attempt") 2>/dev/null || exit 0
if [ -e "$archive" ]; then
  rm -f "$attempt"
  exit 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-class-archive-XXXXXXXXXX")
java=
clean_up() {
  { kill -KILL "$java" && wait "$java"; } 2>/dev/null || : # it runs in the background, so Ctrl-C does not reach it
  rm -rf "$folder" "$new"
}
trap clean_up EXIT

# The options of the launcher, except those that say how fast it should run.
case ${archive##*/} in
  commands*) kind=commands path=$(short_class_path "$lib") options=() ;;
  *) kind=jobs path=$lib/'*' options=(--add-modules jdk.incubator.vector "@$root/build/java.options") ;;
esac
(cd "$folder" && exec "$JAVA_HOME/bin/java" "-XX:ArchiveClassesAtExit=$new" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g \
  -Dfile.encoding=UTF-8 "-Djava.io.tmpdir=$folder" ${options[@]+"${options[@]}"} \
  -cp "$path" io.thalweg.cli.ClassArchiveRun "$kind" "$folder") &
java=$!
end=$((SECONDS + limit))
while kill -0 "$java" 2>/dev/null; do
  if ((SECONDS >= end)); then
    echo "build/class-archive.sh: no archive after $limit s" >&2
    kill -QUIT "$java" && sleep 2
    exit 1
  fi
  sleep 0.5
done
wait "$java"
# Without the file of the attempt, a build has replaced the jars meanwhile.
[ ! -e "$attempt" ] || mv "$new" "$archive"
rm -f "$attempt"
