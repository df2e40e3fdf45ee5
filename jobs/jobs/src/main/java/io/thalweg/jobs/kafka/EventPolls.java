package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Decodes fetched records into columns, which are reused once they have been given back.
 *
 * <p><b>Raw bytes</b> of the events are the fetched bytes, not copies: see {@link FetchedRecords#left}.
 */
final class EventPolls implements PollDecoder<EventColumns> {
    private final EventDecoder decoder;
    private final Projection projection;
    private final int most;
    private final Queue<EventColumns> free = new ConcurrentLinkedQueue<>();

    /**
     * Creates a decoder of events.
     *
     * @param most the maximum number of events in a block
     */
    EventPolls(EventDecoder decoder, Projection projection, int most) {
        this.decoder = decoder;
        this.projection = projection;
        this.most = most;
    }

    @Override
    public @Nullable EventColumns decode(FetchedRecords records) {
        EventColumns given = free.poll();
        EventColumns events = given == null ? new EventColumns(projection) : given;
        while (events.size() < most && records.next()) {
            if (records.valueLength() < 0) {
                events.appendTombstone(records.bytes(), records.valueAt(), records);
            } else {
                decoder.decode(records.bytes(), records.valueAt(), records.valueLength(), records, events);
            }
        }
        if (events.size() == 0) {
            free.add(events);
            return null;
        }
        return events;
    }

    @Override
    public void giveBack(EventColumns events) {
        events.clear();
        free.add(events);
    }
}
