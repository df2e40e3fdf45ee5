/**
 * The algebra of aggregates over words of primitives: the partial of a measure per key and pane, how two partials are merged, how
 * one is subtracted again, and the final value. All arithmetic is exact; results are rounded at most once, at the end.
 */
@NullMarked
package io.thalweg.kernel.aggregate;

import org.jspecify.annotations.NullMarked;
