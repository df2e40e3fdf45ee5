/**
 * The parts that all benchmarks share: contestants measured in turn, their processes, meters of their cost, and results.
 * {@link io.thalweg.bench.harness.Contest} is the entry point.
 */
@NullMarked
package io.thalweg.bench.harness;

import org.jspecify.annotations.NullMarked;
