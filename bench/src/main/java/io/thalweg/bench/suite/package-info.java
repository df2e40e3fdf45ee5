/** The questions that benchmarks answer, declared as data, and their answers, which are the files of {@code bench/results}. */
@NullMarked
package io.thalweg.bench.suite;

import org.jspecify.annotations.NullMarked;
