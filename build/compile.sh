# Builds a clone that has changed since its last build. Sourced by ./thalweg, which sets root, modules and built; reports on stderr only.

# A removed file shows in the time of its folder, so folders count too.
up_to_date() {
  [ "${THALWEG_NO_BUILD:-}" != 1 ] || return 0
  [ -e "$built/stamp" ] || return 1
  local sources=("$root/pom.xml") pom
  for pom in "$root"/*/pom.xml "$root"/*/*/pom.xml "$root"/*/*/*/pom.xml; do
    case $pom in
      "$root"/dev/integration/* | "$root"/examples/* | "$root"/deploy/*) continue ;;
      "$root"/bench/*) [ "$modules" != app/cli ] || continue ;;
    esac
    sources+=("$pom" "${pom%pom.xml}src/main")
  done
  [ -z "$(find "${sources[@]}" -newer "$built/stamp" 2>/dev/null)" ]
}

build() {
  local log=$root/.thalweg/build.log started how=(-T 1C)
  # Without the checks of make test. Benchmarks need an annotation processor, which the profile leaves out.
  [ "$modules" != app/cli ] || how+=(-Pquick)
  if [ ! -d "${MAVEN_USER_HOME:-${HOME:-}/.m2}/wrapper/dists" ] && ! command -v unzip >/dev/null && ! command -v tar >/dev/null; then
    echo "thalweg: to unpack Maven, install unzip or tar" >&2
    return 1
  fi
  echo "building Thalweg, once; about a minute, more where Maven has to fetch everything (log: $log)" >&2
  started=$(mktemp "$root/.thalweg/started.XXXXXX")
  if ! (cd "$root" && ./mvnw -q -B "${how[@]}" -Dmaven.test.skip=true -Dlib.skip=false -Dspotless.check.skip -pl "$modules" -am package) >"$log" 2>&1 </dev/null; then
    rm -f "$started"
    echo "thalweg: the build failed; its last lines ($log has all):" >&2
    tail -n 25 "$log" >&2
    return 1
  fi
  # The stamp tells when the build began: what changed meanwhile is built next time.
  [ "$modules" = app/cli ] || cp -p "$started" "$root/app/cli/target/thalweg/stamp"
  mv "$started" "$built/stamp"
}

build_once() {
  mkdir -p "$root/.thalweg"
  if ! command -v flock >/dev/null; then
    build
    return
  fi
  (
    flock -n 9 || { echo "thalweg: waiting for another build to end" >&2; flock 9; }
    up_to_date || build 9>&-
  ) 9>"$root/.thalweg/build.lock"
}
