/**
 * Panes and their state: the arithmetic of panes and window ends, exact distinct counts of open panes ({@link OpenPane}), and the
 * slices of closed panes ({@link KeptPanes}). Copying a state takes time proportional to the number of its segments, and shared
 * segments are never modified, so that a snapshot can read them while the stream continues.
 */
@NullMarked
package io.thalweg.kernel.pane;

import org.jspecify.annotations.NullMarked;
