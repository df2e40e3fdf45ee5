/**
 * The algebra of aggregates over words of primitives: what a measure keeps per key and pane, how two such partials become
 * one, how one is taken off again, and the value at the end. Exact throughout; what rounds, rounds once, at the end.
 */
@NullMarked
package io.thalweg.kernel.aggregate;

import org.jspecify.annotations.NullMarked;
