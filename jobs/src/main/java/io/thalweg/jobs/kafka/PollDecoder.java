package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Decodes fetched records into columns, which are used again once they have been given back.
 *
 * <p><b>Raw bytes</b> of the events are those that were fetched, not copies: see {@link RecordCursor#left}.
 *
 * <p><b>Threads.</b> One decodes, another may give back.
 */
final class PollDecoder {
    private final EventDecoder decoder;
    private final Projection projection;
    private final Queue<EventColumns> free = new ConcurrentLinkedQueue<>();

    PollDecoder(EventDecoder decoder, Projection projection) {
        this.decoder = decoder;
        this.projection = projection;
    }

    /** The next events, at most so many, or null behind the last record: the caller's until they are given back. */
    @Nullable
    EventColumns decode(RecordCursor records, int most) {
        EventColumns given = free.poll();
        EventColumns events = given == null ? new EventColumns(projection) : given;
        while (events.size() < most && records.next()) {
            decoder.decode(records.bytes(), records.valueAt(), Math.max(0, records.valueLength()), records, events);
        }
        if (events.size() == 0) {
            free.add(events);
            return null;
        }
        return events;
    }

    /** Takes columns that are no longer read. */
    void giveBack(EventColumns events) {
        events.clear();
        free.add(events);
    }
}
