package io.thalweg.jobs.block;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import org.jspecify.annotations.Nullable;

/**
 * The records that one poll fetched from one partition, decoded and timed, in offset order. The block is passed along a chain by reference
 * and reused for the next poll: copy what must outlive it.
 *
 * @param events the columns, raw bytes included
 * @param source topic or file name, for dead letters
 * @param timesMs event time of each event; undefined if the event has a {@code decodeReason} or a time reason
 * @param clocksMs the partition's clock before each event
 * @param timeReasons why an event's time is bad, null if it is good
 * @param timeDetails details of each time reason
 * @param promisedMs the watermark that the reader had emitted before this block: events before it are late, whatever the
 *     partition's own clock is
 */
public record DecodedBlock(
        EventColumns events,
        String source,
        long[] timesMs,
        long[] clocksMs,
        @Nullable BadReason[] timeReasons,
        @Nullable String[] timeDetails,
        long promisedMs) {

    public static final BlockType<DecodedBlock> TYPE = Chained.type(DecodedBlock.class);
}
