/** Recounts the rows of a view from its events, without panes and tiles, and compares rows with the recount. */
@NullMarked
package io.thalweg.verify;

import org.jspecify.annotations.NullMarked;
