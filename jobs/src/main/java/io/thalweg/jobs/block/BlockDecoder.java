package io.thalweg.jobs.block;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventTimeReader;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.model.Source;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a reader fills, poll after poll, and the timing of what it filled.
 *
 * <p><b>Threads.</b> One. The block is used again: hand it on, then fill the next.
 */
public final class BlockDecoder {
    private final EventColumns events;
    private final EventTimeReader timeReader;
    private long[] timesMs = new long[0];
    private long[] clocksMs = new long[0];
    private @Nullable BadReason[] timeReasons = new BadReason[0];
    private @Nullable String[] timeDetails = new String[0];

    public BlockDecoder(Source source, Projection projection) {
        events = new EventColumns(projection);
        timeReader = EventTimeReader.of(source, projection);
    }

    /** The columns to append events to; cleared by the caller before each block. */
    public EventColumns events() {
        return events;
    }

    /** Reads the time of every event and moves the partition's clock along. */
    public DecodedBlock timed(String source, PartitionClock clock, long promisedMs) {
        int size = events.size();
        if (timesMs.length < size) {
            timesMs = new long[size];
            clocksMs = new long[size];
            timeReasons = new BadReason[size];
            timeDetails = new String[size];
        }
        Arrays.fill(timeReasons, 0, size, null);
        Arrays.fill(timeDetails, 0, size, null);
        for (int e = 0; e < size; e++) {
            clocksMs[e] = clock.nowMs();
            if (events.decodeReason(e) == null) {
                time(e, clock);
            }
        }
        return new DecodedBlock(events, source, timesMs, clocksMs, timeReasons, timeDetails, promisedMs);
    }

    private void time(int e, PartitionClock clock) {
        BadReason reason = timeReader.read(events, e);
        if (reason != null) {
            timeReasons[e] = reason;
            timeDetails[e] = timeReader.detail();
        } else {
            timesMs[e] = timeReader.timeMs();
            clock.advance(timeReader.timeMs());
        }
    }
}
