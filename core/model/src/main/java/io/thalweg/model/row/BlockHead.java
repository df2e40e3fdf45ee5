package io.thalweg.model.row;

/**
 * The properties that all rows of a block share.
 *
 * @param view qualified name
 * @param shard which of the job's shards owns the rows: its progress record follows them
 * @param order of the rows among others of the same keys; a view with rings has no early rows, so its sequence is always 0
 */
public record BlockHead(String view, int shard, RowOrder order) {
    /** Checks the sequence. */
    public BlockHead {
        if (order.sequence() < 0 || (order.finality() == Finality.FINAL && order.sequence() != 0)) {
            throw new IllegalArgumentException("sequence must be at least 0, and 0 for FINAL rows, was "
                    + order.sequence() + " for " + order.finality());
        }
    }

    /** Creates the head of FINAL rows of a window that ends at {@code windowEndMs}, epoch ms. */
    public static BlockHead ofFinal(String view, int shard, long windowEndMs) {
        return new BlockHead(view, shard, new RowOrder(windowEndMs, Finality.FINAL, 0));
    }
}
