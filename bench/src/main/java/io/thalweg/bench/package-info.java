/**
 * Benchmarks: the Javadoc of each class asks one question and names the command that answers it; the answers are kept in
 * {@code bench/results}. A benchmark checks that all contestants compute the same before it times them.
 */
@NullMarked
package io.thalweg.bench;

import org.jspecify.annotations.NullMarked;
