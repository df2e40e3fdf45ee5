/**
 * What all benchmarks share: contestants measured in turn, the processes they run in, meters of their cost, and results. {@link
 * io.thalweg.bench.harness.Contest} is the way in.
 */
@NullMarked
package io.thalweg.bench.harness;

import org.jspecify.annotations.NullMarked;
