/**
 * Measures the whole demand pipeline: a generator, a Kafka broker and {@code thalweg run}, each in its own process, and recounts
 * the rows. {@code docs/internal/benchmarks.md} defines all figures.
 */
@NullMarked
package io.thalweg.bench.demand;

import org.jspecify.annotations.NullMarked;
