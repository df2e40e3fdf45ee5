#!/usr/bin/env bash
# Builds this example as a project outside of Thalweg, from a Maven repository that contains only thalweg-row of it, and ingests
# made-up events through it. Fails if another artifact of Thalweg is needed. Arguments go to Maven, such as -o.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=/dev/null
. build/jdk.sh
thalweg_jdk javac
here=examples/ingest-function
repository=$PWD/$here/target/repository
./mvnw -q -B -Dmaven.test.skip=true -Dspotless.check.skip -pl core/row -am "$@" package

# What the install plugin would do, without changing the user's own repository.
version=$(sed -n 's/.*thalweg-row<.*<version>\(.*\)<\/version>.*/\1/p' "$here/pom.xml")
rm -rf "$repository/io/thalweg" "$here/target/trips"
install_artifact() {
  local folder=$repository/io/thalweg/$1/$version
  mkdir -p "$folder"
  cp "$2/pom.xml" "$folder/$1-$version.pom"
  [ "$2" = . ] || cp "$2/target/$1-$version.jar" "$folder"
}
install_artifact thalweg .
install_artifact thalweg-row core/row

./mvnw -q -B -f "$here/pom.xml" "-Dmaven.repo.local=$repository" \
  "-Dmaven.repo.local.tail=${MAVEN_REPO:-$HOME/.m2/repository}" "$@" package

./thalweg generate "$here/trips.yaml" --count 10000 --to "$here/target/trips.bin" --quiet
./thalweg ingest "$here/trips.yaml" --input "$here/target/trips.bin" --dead-letters "$here/target/trips.dead.jsonl" --quiet
