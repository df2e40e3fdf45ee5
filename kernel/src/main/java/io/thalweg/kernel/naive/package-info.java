/**
 * The features once more, plainly: no tiles, no lattice, no tables, no totals; no shared code with the fast path but H3's {@code
 * gridDisk}. Tests compare everything clever with it, and {@code thalweg verify} recounts a user's rows with it.
 */
@NullMarked
package io.thalweg.kernel.naive;

import org.jspecify.annotations.NullMarked;
