/** Layouts of a row in a store, on the same rows: Thalweg's own, Feast's, and plain ones that others publish. */
@NullMarked
package io.thalweg.bench.layouts;

import org.jspecify.annotations.NullMarked;
