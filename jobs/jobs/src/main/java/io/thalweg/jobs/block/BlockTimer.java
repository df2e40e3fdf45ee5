package io.thalweg.jobs.block;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventTimeReader;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.source.Source;
import java.time.InstantSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Assigns event times to blocks of decoded events, one after the other.
 *
 * <p><b>Threads.</b> Single-threaded. The next block overwrites the times of the previous one.
 */
public final class BlockTimer {
    private final EventTimeReader timeReader;
    /** The clock of a live source; null for others. */
    private final @Nullable InstantSource now;

    private long[] timesMs = new long[0];
    private long[] clocksMs = new long[0];
    private @Nullable BadReason[] timeReasons = new BadReason[0];
    private @Nullable String[] timeDetails = new String[0];

    private BlockTimer(EventTimeReader timeReader, @Nullable InstantSource now) {
        this.timeReader = timeReader;
        this.now = now;
    }

    /** Creates a timer for events of files, with the fields of {@code projection}. */
    public static BlockTimer ofFiles(Source source, Projection projection) {
        return new BlockTimer(EventTimeReader.of(source, projection), null);
    }

    /**
     * Creates a timer for events that are read as they happen, with the fields of {@code projection}.
     *
     * @param clock converts wall time to the time of the events
     * @param now the time of the events
     */
    public static BlockTimer live(Source source, Projection projection, ClockSpec clock, InstantSource now) {
        return new BlockTimer(EventTimeReader.of(source, projection, clock), now);
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
        if (now != null) {
            timeReader.readAt(now.millis());
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
