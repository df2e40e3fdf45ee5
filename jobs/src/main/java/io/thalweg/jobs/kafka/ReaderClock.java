package io.thalweg.jobs.kafka;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * What one reader knows of time, sent to the enumerator whenever it enters another step.
 *
 * @param partitions how many partitions the reader has
 * @param activeMs the smallest clock of those that are not idle; {@link #NONE} where there are none
 * @param quietUntilMs until when all that are idle are known to have had nothing new; {@link #NONE} where there are none
 * @param restoredMs the smallest watermark that was sent for the partitions it was restored with; {@link #NONE} where there are
 *     none
 */
record ReaderClock(int partitions, long activeMs, long quietUntilMs, long restoredMs) implements SourceEvent {
    static final long NONE = Long.MAX_VALUE;
    private static final long serialVersionUID = 1L;

    /** The clock of a reader that was not restored. */
    ReaderClock(int partitions, long activeMs, long quietUntilMs) {
        this(partitions, activeMs, quietUntilMs, NONE);
    }
}
