#!/usr/bin/env bash
# failed-tests.sh: names the tests that failed since target/tests-started, and those that passed only on a second try, each with its reason.
# A build of many modules prints thousands of lines after the failure; this is what belongs at their end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

reports=()
while IFS= read -r report; do reports+=("$report"); done \
  < <(find . -path '*/target/*-reports/TEST-*.xml' -newer target/tests-started -print | sort)
[[ ${#reports[@]} -gt 0 ]] || exit 0

awk '
  function attribute(name,   from) {
    if (!match($0, " " name "=\"[^\"]*\"")) return ""
    from = RSTART + length(name) + 3
    return substr($0, from, RLENGTH - length(name) - 4)
  }
  function plain(text) {
    gsub(/&#10;/, "\n        ", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text)
    gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&amp;/, "\\&", text)
    return substr(text, 1, 2000)
  }
  /<testcase / { test = attribute("classname") "." attribute("name") }
  /<(failure|error)[ >]/ { print "failed: " test; print "        " plain(attribute("message")) }
  /<(flakyFailure|flakyError)[ >]/ { print "passed on a second try: " test; print "        " plain(attribute("message")) }
' "${reports[@]}"
