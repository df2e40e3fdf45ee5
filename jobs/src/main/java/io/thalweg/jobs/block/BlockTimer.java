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
 * Assigns event times to blocks of decoded events, one after the other.
 *
 * <p><b>Threads.</b> Single-threaded. The next block overwrites the times of the previous one.
 */
public final class BlockTimer {
    private final EventTimeReader timeReader;
    private long[] timesMs = new long[0];
    private long[] clocksMs = new long[0];
    private @Nullable BadReason[] timeReasons = new BadReason[0];
    private @Nullable String[] timeDetails = new String[0];

    /** Creates a timer for events with the fields of {@code projection}, on the wall clock. */
    public BlockTimer(Source source, Projection projection) {
        this(source, projection, ClockSpec.system());
    }

    /** Creates a timer for events with the fields of {@code projection}, on {@code clock}. */
    public BlockTimer(Source source, Projection projection, ClockSpec clock) {
        timeReader = EventTimeReader.of(source, projection, clock);
    }

    /** Reads the time of every event and advances the partition's clock. */
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
