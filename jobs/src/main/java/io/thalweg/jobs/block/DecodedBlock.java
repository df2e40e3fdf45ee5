package io.thalweg.jobs.block;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import org.jspecify.annotations.Nullable;

/**
 * What one poll brought from one partition, decoded and timed, in offset order. Handed along a chain by reference and used
 * again for the next poll: copy what must outlive it.
 *
 * @param events the columns, raw bytes included
 * @param source topic or file name, for dead letters
 * @param timesMs event time of each event; meaningless where the event has a {@code decodeReason} or a time reason
 * @param clocksMs the partition's clock as it stood before each event
 * @param timeReasons why an event's time is bad, null where it is good
 * @param timeDetails says more about each time reason
 * @param promisedMs the watermark that the reader had sent on before this block: what is behind it came too late, whatever
 *     the partition's own clock says
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
