# make test is the authoritative check: compile with checks, all unit tests, an integration test of each capability, format, launcher.
# CONTRIBUTING.md says which test belongs to which of test, test-faults and soak.
SHELL := /usr/bin/env bash
# Each recipe finds a JDK (or installs one) as the launcher does.
JDK := set -euo pipefail; . build/jdk.sh; thalweg_jdk javac;
# Maven, then the names of the tests that failed or passed on a second try, which would be lost above thousands of lines.
VERIFY := code=0; mkdir -p target; touch target/tests-started; ./mvnw -B -T 3 verify

.DEFAULT_GOAL := test
.PHONY: help test test-faults soak integration-test build first-build format demo clean bench-current example install-qalm dist try-dist try-image

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## Compiles with checks; all unit tests, an integration test of each capability, format, examples, Python client
	@git ls-files '*.sh' thalweg .ci/run | while read -r script; do bash -n "$$script" || exit 1; done
	@$(JDK) $(VERIFY) || code=$$?; build/failed-tests.sh; exit $$code
	@if command -v python3 >/dev/null; then python3 -m unittest discover -q -s clients/python/tests -t clients/python; \
	  else echo "clients/python is not tested: no python3 here"; fi
	@$(MAKE) --no-print-directory example
	@echo "make test: all checks passed"

test-faults: ## Kills, outages, rescaling, clusters, attacks, TLS, delivery guarantees, longer cases
	@$(JDK) $(VERIFY) -Pfaults || code=$$?; build/failed-tests.sh; exit $$code
	@echo "make test-faults: all checks passed"

soak: ## What measures load, needs downloads from PyPI, or proves exhaustively; all unit tests with 20 seeds
	@$(JDK) $(VERIFY) -Psoak -Dthalweg.seeds=20 || code=$$?; build/failed-tests.sh; exit $$code
	@echo "make soak: all checks passed"

integration-test: ## Runs the integration tests of a name, whatever their tier: make integration-test IT=KillResumeIT
	@$(JDK) $(VERIFY) -Dthalweg.units.skip -Dspotless.check.skip -Dthalweg.its.tags= -Dit.test='$(or $(IT),$(error which? make integration-test IT=KillResumeIT))' \
	  -pl dev/integration -am || code=$$?; build/failed-tests.sh; exit $$code

build: ## Builds the jars only; ./thalweg does this by itself
	@$(JDK) ./mvnw -q -B -T 1C -Pquick -Dmaven.test.skip=true -pl app/cli -am package

first-build: ## Builds a clean clone by its launcher and reports the seconds
	@build/first-build.sh

format: ## Formats the Java sources
	@$(JDK) ./mvnw -q -B spotless:apply -pl '!storage/store-cassandra/server,!storage/tables/catalog'

demo: ## Runs the demo: a simulated city, Kafka, two views and a server
	@./thalweg demo

bench-current: ## Measures stale results of bench/results, for HOURS hours at most (8)
	@./thalweg bench current --hours $(or $(HOURS),8)

example: ## Builds the examples that are projects of their own and runs them
	@examples/protect-grpc/run.sh
	@examples/ingest-function/run.sh

install-qalm: ## Installs the artifacts of qalm into the local Maven repository
	@$(JDK) ./mvnw -q -B -Dmaven.test.skip=true -Dspotless.check.skip install \
	  -am -pl qalm/qalm-grpc,qalm/qalm-armeria,qalm/qalm-servlet,qalm/qalm-jaeger

dist: ## Builds a release into dist/: distribution, SBOM, Maven artifacts, wheel, checksums; see docs/internal/releasing.md
	@build/dist.sh

try-dist: ## Runs the demo from dist/, installed read-only
	@build/try-dist.sh

try-image: ## Builds the image from dist/ with buildah and runs it read-only; needs root
	@deploy/image/try.sh

clean: ## Deletes all build results
	@$(JDK) ./mvnw -q -B clean
