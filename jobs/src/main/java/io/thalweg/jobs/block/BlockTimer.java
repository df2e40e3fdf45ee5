package io.thalweg.jobs.block;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventTimeReader;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.model.Source;
import io.thalweg.model.deployment.ClockSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Times blocks of decoded events, one after the other.
 *
 * <p><b>Threads.</b> One. What a block says of times is overwritten by the next one.
 */
public final class BlockTimer {
    private final EventTimeReader timeReader;
    private long[] timesMs = new long[0];
    private long[] clocksMs = new long[0];
    private @Nullable BadReason[] timeReasons = new BadReason[0];
    private @Nullable String[] timeDetails = new String[0];

    /** A timer, by the wall clock, of events whose fields are those of {@code projection}. */
    public BlockTimer(Source source, Projection projection) {
        this(source, projection, ClockSpec.system());
    }

    /** A timer of events whose fields are those of {@code projection}, and whose time {@code clock} shows. */
    public BlockTimer(Source source, Projection projection, ClockSpec clock) {
        timeReader = EventTimeReader.of(source, projection, clock);
    }

    /** Reads the time of every event and moves the partition's clock along. */
    public DecodedBlock timed(EventColumns events, String source, PartitionClock clock, long promisedMs) {
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
                time(events, e, clock);
            }
        }
        return new DecodedBlock(events, source, timesMs, clocksMs, timeReasons, timeDetails, promisedMs);
    }

    private void time(EventColumns events, int e, PartitionClock clock) {
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
