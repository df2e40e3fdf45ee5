/**
 * Tables of primitives for millions of keys ({@link io.thalweg.kernel.table.WordTable}), and the bijections that convert keys to
 * words. Copying a table takes time proportional to the number of its segments, and shared segments are never modified, so that a
 * snapshot can read them while the stream continues.
 */
@NullMarked
package io.thalweg.kernel.table;

import org.jspecify.annotations.NullMarked;
