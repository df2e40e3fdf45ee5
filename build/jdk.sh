# Finds a JDK 17 to 25, or installs one. Sourced by ./thalweg and the Makefile; speaks on stderr only.
# `thalweg_jdk javac` asks for one that can build, `thalweg_jdk java` for one that can run; then JAVA_HOME is exported and
# JAVA_MAJOR is set.

# Prints the major version of the JDK in $1 if it has the tool $2 and suits. No java is started where a release file tells.
jdk_major() {
  local home=$1 tool=$2 version major
  [ -x "$home/bin/java" ] && [ -x "$home/bin/$tool" ] || return 1
  if [ -r "$home/release" ]; then
    version=$(sed -n 's/^JAVA_VERSION="\([^"]*\)".*/\1/p' "$home/release")
  else
    version=$("$home/bin/java" -version 2>&1 | sed -n '1s/.*"\([^"]*\)".*/\1/p')
  fi
  major=${version%%[!0-9]*}
  [ -n "$major" ] && [ "$major" -ge 17 ] && [ "$major" -le 25 ] && echo "$major"
}

# Prints the homes where a JDK may be, best first.
jdk_candidates() {
  local tool=$1 java home
  [ -z "${JAVA_HOME:-}" ] || echo "$JAVA_HOME"
  java=$(command -v "$tool" || true)
  # What macOS has in /usr/bin only asks people to install a JDK.
  if [ -n "$java" ] && { [ "$java" != "/usr/bin/$tool" ] || [ "$(uname)" != Darwin ]; }; then
    java=$(readlink -f "$java" 2>/dev/null || echo "$java")
    echo "${java%/bin/*}"
  fi
  for home in /usr/lib/jvm/* "${SDKMAN_DIR:-${HOME:-/nonexistent}/.sdkman}"/candidates/java/* \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    [ ! -d "$home" ] || echo "$home"
  done
}

find_jdk() {
  local tool=$1 home major
  while IFS= read -r home; do
    if major=$(jdk_major "$home" "$tool"); then
      JAVA_HOME=$home JAVA_MAJOR=$major
      export JAVA_HOME
      return 0
    fi
  done < <(jdk_candidates "$tool")
  return 1
}

no_jdk() {
  echo "thalweg: no JDK 17 to 25 found ($1); install one, for example from https://adoptium.net, and set JAVA_HOME" >&2
  return 1
}

install_jdk() {
  local package= version
  [ "${THALWEG_NO_INSTALL:-}" != 1 ] || { no_jdk "THALWEG_NO_INSTALL=1 forbids installing"; return 1; }
  command -v apt-get >/dev/null || { no_jdk "and no apt-get to install one with"; return 1; }
  [ "$(id -u)" = 0 ] || { no_jdk "not root, so not installed: sudo apt-get install openjdk-17-jdk-headless does it"; return 1; }
  echo "thalweg: no JDK 17 to 25 found; THALWEG_NO_INSTALL=1 would refuse what follows" >&2
  echo "+ apt-get update" >&2
  apt-get -qq update >&2 || { no_jdk "apt-get update failed"; return 1; }
  for version in 17 21 25; do
    if [ -n "$(apt-cache madison "openjdk-$version-jdk-headless" 2>/dev/null)" ]; then
      package=openjdk-$version-jdk-headless
      break
    fi
  done
  [ -n "$package" ] || { no_jdk "apt has none either"; return 1; }
  echo "+ apt-get install -y --no-install-recommends $package" >&2
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$package" >&2 \
    || { no_jdk "apt-get install failed"; return 1; }
}

thalweg_jdk() {
  find_jdk "$1" && return 0
  install_jdk || return 1
  find_jdk "$1" || no_jdk "also after installing"
}

# Prints the class path of the commands that answer and end, with the jars that they need first: java opens all jars before the one that has
# a class.
short_class_path() {
  local lib=$1
  printf '%s:' "$lib"/thalweg-{cli,runner,model}-[0-9]*.jar "$lib"/{picocli,jackson,thalweg}-*.jar
  echo "$lib/*"
}
