/**
 * Keyed views: the state of a shard's keys per pane, and the rows of its windows ({@link KeyedPanes}). The input is a {@link
 * KeyedBlock} of events; the output is {@link KeyedRows}, at window ends, early, or for keys that are read.
 */
@NullMarked
package io.thalweg.kernel.keyed;

import org.jspecify.annotations.NullMarked;
