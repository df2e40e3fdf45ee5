package io.thalweg.model.row;

/**
 * Feature rows of one view and window end that are handled together. The compute job emits such blocks; codecs and stores accept
 * them.
 *
 * <p><b>Threads.</b> Never changed once handed over, and safe to share then.
 */
public sealed interface RowBlock permits HexRowBlock, KeyedRowBlock {
    /** The properties that all rows share. */
    BlockHead head();

    /** Qualified name of the view. */
    default String view() {
        return head().view();
    }

    /** Which of the job's shards owns the rows: its progress record follows them. */
    default int shard() {
        return head().shard();
    }

    /** Epoch ms. */
    default long windowEndMs() {
        return head().order().windowEndMs();
    }

    default Finality finality() {
        return head().order().finality();
    }

    /** 0 for FINAL rows; grows with each PARTIAL row of the same window end. */
    default long sequence() {
        return head().order().sequence();
    }

    /** The number of rows. */
    int rows();

    /** Copies rows {@code from} to {@code to}, the latter exclusive. */
    RowBlock rows(int from, int to);

    /** The approximate bytes of memory that the block occupies now. */
    long heapBytes();
}
