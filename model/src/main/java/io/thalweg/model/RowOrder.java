package io.thalweg.model;

/**
 * What decides which of a key's rows stays: the greater one; of equal ones the row that is there.
 *
 * @param windowEndMs epoch ms
 * @param sequence orders PARTIAL rows of the same window end, 0 for FINAL
 */
record RowOrder(long windowEndMs, Finality finality, long sequence) implements Comparable<RowOrder> {
    @Override
    public int compareTo(RowOrder other) {
        int byEnd = Long.compare(windowEndMs, other.windowEndMs);
        int byFinality = finality.compareTo(other.finality);
        return byEnd != 0 ? byEnd : byFinality != 0 ? byFinality : Long.compare(sequence, other.sequence);
    }
}
