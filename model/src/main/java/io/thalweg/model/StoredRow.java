package io.thalweg.model;

import org.jspecify.annotations.Nullable;

/**
 * One row as a store keeps it. Rows of a key are ordered by {@code (windowEndMs, finality, sequence)}; the greater one stays.
 *
 * @param windowEndMs epoch ms
 * @param sequence 0 for FINAL rows; grows with each PARTIAL row of the same window end
 * @param sums {@code rings * windows} integer sums, rings outer, windows inner; each at least 0
 * @param diskSizes true numbers of cells within each ring, or null where all are regular
 */
public record StoredRow(long windowEndMs, Finality finality, long sequence, long[] sums, int @Nullable [] diskSizes) {}
