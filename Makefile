# make test is the whole truth: compile with checks, all tests, the format, the launcher.
SHELL := /usr/bin/env bash
# Each recipe finds a JDK (or installs one) as the launcher does.
JDK := set -euo pipefail; . build/jdk.sh; thalweg_jdk javac;

.PHONY: test build format demo clean

test:
	bash -n thalweg && bash -n build/jdk.sh && bash -n .ci/run
	@$(JDK) ./mvnw -B verify
	@if command -v python3 >/dev/null; then python3 -m unittest discover -q -s clients/python/tests -t clients/python; \
	  else echo "clients/python is not tested: no python3 here"; fi
	@echo "make test: all checks passed"

build:
	@$(JDK) ./mvnw -q -B -Dmaven.test.skip=true -Dspotless.check.skip -pl cli -am package

format:
	@$(JDK) ./mvnw -q -B spotless:apply -pl '!store-cassandra/server'

demo:
	@./thalweg demo

clean:
	@$(JDK) ./mvnw -q -B clean
