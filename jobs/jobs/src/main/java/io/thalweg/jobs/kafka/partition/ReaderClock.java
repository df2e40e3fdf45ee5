package io.thalweg.jobs.kafka.partition;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * The clock of one reader, sent to the enumerator whenever it enters another step.
 *
 * @param partitions how many partitions the reader has
 * @param activeMs the smallest clock of the partitions that are not idle; {@link #NONE} if there are none
 * @param quietUntilMs until when all idle partitions are known to have had nothing new; {@link #NONE} if there are none
 * @param restoredMs the smallest watermark emitted for the partitions that it was restored with; {@link #NONE} if there are none
 */
public record ReaderClock(int partitions, long activeMs, long quietUntilMs, long restoredMs) implements SourceEvent {
    public static final long NONE = Long.MAX_VALUE;
    private static final long serialVersionUID = 1L;

    /** Creates the clock of a reader that was not restored. */
    public ReaderClock(int partitions, long activeMs, long quietUntilMs) {
        this(partitions, activeMs, quietUntilMs, NONE);
    }
}
