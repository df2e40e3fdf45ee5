/**
 * A naive implementation of the features without tiles, lattice, tables or running totals. It shares no code with the fast path
 * but H3's {@code gridDisk}. Tests compare the fast path with it, and {@code thalweg verify} recounts a user's rows with it.
 */
@NullMarked
package io.thalweg.kernel.naive;

import org.jspecify.annotations.NullMarked;
