# make test is the authoritative check: compile with checks, all tests, the format, the launcher.
SHELL := /usr/bin/env bash
# Each recipe finds a JDK (or installs one) as the launcher does.
JDK := set -euo pipefail; . build/jdk.sh; thalweg_jdk javac;

.DEFAULT_GOAL := test
.PHONY: help test build first-build format demo clean example install-qalm dist try-dist try-image

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## Runs everything: compile with checks, all tests, format, examples, Python client
	bash -n thalweg && bash -n build/jdk.sh && bash -n build/class-archive.sh && bash -n .ci/run && bash -n build/dist.sh && bash -n build/try-dist.sh && bash -n deploy/local-cluster/cluster.sh && bash -n deploy/image/build.sh && bash -n deploy/image/try.sh && bash -n deploy/image/healthcheck.sh && bash -n deploy/kubernetes/validate.sh && bash -n deploy/airflow/validate.sh && bash -n build/chromium.sh && bash -n build/promtool.sh && bash -n build/first-build.sh && bash -n build/failed-tests.sh && bash -n examples/protect-grpc/run.sh && bash -n examples/ingest-function/run.sh
	@$(JDK) code=0; ./mvnw -B -T 3 verify || code=$$?; build/failed-tests.sh; exit $$code
	@if command -v python3 >/dev/null; then python3 -m unittest discover -q -s clients/python/tests -t clients/python; \
	  else echo "clients/python is not tested: no python3 here"; fi
	@$(MAKE) --no-print-directory example
	@echo "make test: all checks passed"

build: ## Builds the jars only; ./thalweg does this by itself
	@$(JDK) ./mvnw -q -B -T 1C -Pquick -Dmaven.test.skip=true -pl cli -am package

first-build: ## Builds a clean clone by its launcher and reports the seconds
	@build/first-build.sh

format: ## Formats the Java sources
	@$(JDK) ./mvnw -q -B spotless:apply -pl '!store-cassandra/server,!tables/catalog'

demo: ## Runs the demo: a simulated city, Kafka, two views and a server
	@./thalweg demo

example: ## Builds the examples that are projects of their own and runs them
	@examples/protect-grpc/run.sh
	@examples/ingest-function/run.sh

install-qalm: ## Installs the artifacts of qalm into the local Maven repository
	@$(JDK) ./mvnw -q -B -Dmaven.test.skip=true -Dspotless.check.skip install \
	  -am -pl qalm-grpc,qalm-armeria,qalm-servlet,qalm-jaeger

dist: ## Builds a release into dist/: distribution, SBOM, Maven artifacts, wheel, checksums; see docs/releasing.md
	@build/dist.sh

try-dist: ## Runs the demo from dist/, installed read-only
	@build/try-dist.sh

try-image: ## Builds the image from dist/ with buildah and runs it read-only; needs root
	@deploy/image/try.sh

clean: ## Deletes all build results
	@$(JDK) ./mvnw -q -B clean
