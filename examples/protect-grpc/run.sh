#!/usr/bin/env bash
# Builds and runs this example as a project outside of Thalweg: from a Maven repository that contains only qalm and qalm-grpc of it.
# Fails if another artifact of Thalweg is needed, or if the service is not protected. Arguments go to Maven, such as -o.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=/dev/null
. build/jdk.sh
thalweg_jdk javac
here=examples/protect-grpc
repository=$PWD/$here/target/repository
./mvnw -q -B -Dmaven.test.skip=true -Dspotless.check.skip -pl qalm/qalm-grpc -am "$@" package

# What the install plugin would do, without changing the user's own repository.
version=$(sed -n 's/.*thalweg-qalm-grpc<.*<version>\(.*\)<\/version>.*/\1/p' "$here/pom.xml")
rm -rf "$here/target/lib" "$repository/io/thalweg"
install_artifact() {
  local folder=$repository/io/thalweg/$1/$version
  mkdir -p "$folder"
  cp "$2/pom.xml" "$folder/$1-$version.pom"
  [ "$2" = . ] || cp "$2/target/$1-$version.jar" "$folder"
}
install_artifact thalweg .
install_artifact thalweg-qalm qalm/qalm
install_artifact thalweg-qalm-grpc qalm/qalm-grpc

./mvnw -q -B -f "$here/pom.xml" "-Dmaven.repo.local=$repository" \
  "-Dmaven.repo.local.tail=${MAVEN_REPO:-$HOME/.m2/repository}" "$@" package
if (cd "$here/target/lib" && ls thalweg-*) | grep -vE '^thalweg-qalm(-grpc)?-[0-9]'; then
  echo "protect-grpc: thalweg-qalm-grpc must not need the artifacts above" >&2
  exit 1
fi
"$JAVA_HOME/bin/java" -cp "$here/target/lib/*:$here/target/protect-grpc-1.jar" example.ProtectedService
