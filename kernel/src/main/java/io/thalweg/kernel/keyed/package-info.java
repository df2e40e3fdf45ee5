/**
 * Keyed views: what a shard keeps of its keys per pane, and the rows of its windows ({@link KeyedPanes}). A {@link KeyedBlock}
 * of events goes in; {@link KeyedRows} come out, at window ends, early, or for keys that are asked for.
 */
@NullMarked
package io.thalweg.kernel.keyed;

import org.jspecify.annotations.NullMarked;
