/**
 * The demand pipeline measured whole: a generator, a Kafka broker and {@code thalweg run}, each in a process of its own, and
 * the rows recounted. Definitions of all figures: {@code docs/benchmarks.md}.
 */
@NullMarked
package io.thalweg.bench.demand;

import org.jspecify.annotations.NullMarked;
