#!/usr/bin/env bash
# Builds the distribution with its third-party notices and SBOM: cli/target/thalweg-VERSION.tar.gz. See docs/releasing.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=/dev/null
. build/jdk.sh
thalweg_jdk javac
./mvnw -q -B -Prelease -Dmaven.test.skip=true -Dspotless.check.skip -pl cli -am package
built=cli/target/thalweg
version=$(ls "$built"/lib/thalweg-cli-*.jar | sed 's/.*thalweg-cli-\(.*\)\.jar/\1/')
name=thalweg-$version
stage=cli/target/$name
rm -rf "$stage" "$stage.tar.gz"
mkdir -p "$stage/build" "$stage/$built"
cp -p thalweg LICENSE NOTICE README.md CHANGELOG.md "$built/THIRD-PARTY.txt" "$built/thalweg.cdx.json" "$stage"
cp -p build/jdk.sh build/java.options build/class-archive.sh "$stage/build"
cp -Rp "$built/lib" "$stage/$built"
# The launcher builds what has no stamp; here there is nothing to build.
touch "$stage/$built/stamp"
git ls-files examples docs deploy | while IFS= read -r file; do
  mkdir -p "$stage/$(dirname "$file")"
  cp -p "$file" "$stage/$file"
done
tar -czf "$stage.tar.gz" -C cli/target "$name"
echo "$stage.tar.gz"
