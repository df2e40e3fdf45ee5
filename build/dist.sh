#!/usr/bin/env bash
# Builds everything that a release consists of, into dist/: the distribution of each platform, the SBOM, a Maven repository, the Python
# wheel and their checksums. See docs/internal/releasing.md. Needs GNU tar, xz and python3 with pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=/dev/null
. build/jdk.sh
thalweg_jdk javac
# What others compile against: load management with its adapters, the gRPC stubs, the rows of ingest functions.
libraries=:thalweg-qalm,:thalweg-qalm-yaml,:thalweg-qalm-grpc,:thalweg-qalm-armeria,:thalweg-qalm-servlet,:thalweg-qalm-jaeger,:thalweg-api,:thalweg-row
# Where Thalweg runs: what the launcher knows, and the native libraries exist for.
platforms="linux-x86_64 linux-aarch64 macos-x86_64 macos-aarch64"
maven=(./mvnw -q -B -Pquick,release -Dmaven.test.skip=true)
dist=$PWD/dist
built=app/cli/target/thalweg
scratch=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-dist-XXXXXXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Jars, notices and SBOM of the command. The checks are those of make test.
"${maven[@]}" -Dmaven.source.skip -Dmaven.javadoc.skip -pl app/cli -am package
version=$(ls "$built"/lib/thalweg-cli-*.jar | sed 's/.*thalweg-cli-\(.*\)\.jar/\1/')
name=thalweg-$version
rm -rf "$dist"
mkdir -p "$dist"

stage=$scratch/$name
mkdir -p "$stage/build/options"
cp -p thalweg LICENSE NOTICE README.md SECURITY.md CHANGELOG.md "$built/THIRD-PARTY.txt" "$built/thalweg.cdx.json" "$stage"
cp -p build/jdk.sh build/java.options build/class-archive.sh "$stage/build"
cp -p build/options/* "$stage/build/options"
git ls-files examples docs deploy | while IFS= read -r file; do
  mkdir -p "$stage/$(dirname "$file")"
  cp -p "$file" "$stage/$file"
done
# The same sources and JDK make the same archives: their times are those of the jars, and blocks make threads irrelevant.
time=$(sed -n 's:.*<project.build.outputTimestamp>\(.*\)</project.build.outputTimestamp>.*:\1:p' pom.xml)
for platform in ${THALWEG_PLATFORMS:-$platforms}; do
  rm -rf "$stage/lib"
  build/platform-jars.py "$platform" "$built/lib" "$stage/lib"
  chmod -R u+rwX,go+rX,go-w "$stage"
  tar --sort=name --mtime="$time" --owner=0 --group=0 --numeric-owner -C "$scratch" -cf - "$name" |
    xz -T0 --block-size=128MiB >"$dist/$name-$platform.tar.xz"
done
cp "$built/thalweg.cdx.json" "$dist/$name.cdx.json"

"${maven[@]}" -pl "$libraries" -am deploy "-DaltDeploymentRepository=dist::file://$dist/maven"
tar --sort=name --mtime="$time" --owner=0 --group=0 --numeric-owner -C "$dist" -cf - maven | gzip -9n >"$dist/$name-maven.tar.gz"
rm -rf "$dist/maven"

# A copy, because setuptools writes beside the sources.
mkdir "$scratch/python"
git ls-files clients/python | while IFS= read -r file; do
  mkdir -p "$scratch/python/$(dirname "$file")"
  cp "$file" "$scratch/python/$file"
done
SOURCE_DATE_EPOCH=$(date -u -d "$time" +%s) python3 -m pip -q wheel --no-deps -w "$dist" "$scratch/python/clients/python"

(cd "$dist" && sha256sum -- * >"$scratch/SHA256SUMS" && mv "$scratch/SHA256SUMS" .)
ls -1 "$dist"
