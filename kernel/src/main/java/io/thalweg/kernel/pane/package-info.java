/**
 * Panes and what is kept of them: the arithmetic of panes and window ends, exact distinct counts of the panes still open
 * ({@link OpenPane}), and the slices of the panes already closed ({@link KeptPanes}). Everything that is state here copies
 * in the number of its segments and freezes what it shares, so that a snapshot can read it while the stream continues.
 */
@NullMarked
package io.thalweg.kernel.pane;

import org.jspecify.annotations.NullMarked;
