/**
 * Tables of primitives for millions of keys: {@link io.thalweg.kernel.table.WordTable}, and the bijections that make words of
 * keys. What is state here copies in the number of its segments and freezes what it shares, so that a snapshot may read it
 * while the stream continues.
 */
@NullMarked
package io.thalweg.kernel.table;

import org.jspecify.annotations.NullMarked;
