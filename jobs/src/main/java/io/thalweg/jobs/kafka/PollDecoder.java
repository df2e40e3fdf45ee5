package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordHeaders;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Decodes the records of a poll into columns, which are used again once they have been given back.
 *
 * <p><b>Raw bytes</b> of the events are those that the consumer fetched, not copies: it never uses its arrays again.
 *
 * <p><b>Threads.</b> One decodes, another may give back.
 */
final class PollDecoder {
    private static final byte[] NOTHING = {};

    private final EventDecoder decoder;
    private final Projection projection;
    private final Queue<EventColumns> free = new ConcurrentLinkedQueue<>();

    PollDecoder(EventDecoder decoder, Projection projection) {
        this.decoder = decoder;
        this.projection = projection;
    }

    /** The events of some records, in their order: nobody else's until they are given back. */
    EventColumns decode(List<ConsumerRecord<byte[], ByteBuffer>> records) {
        EventColumns given = free.poll();
        EventColumns events = given == null ? new EventColumns(projection) : given;
        for (ConsumerRecord<byte[], ByteBuffer> record : records) {
            decode(record, events);
        }
        return events;
    }

    private void decode(ConsumerRecord<byte[], ByteBuffer> record, EventColumns into) {
        ByteBuffer value = record.value();
        byte[] bytes = NOTHING;
        int offset = 0;
        int length = 0;
        if (value != null) {
            length = value.remaining();
            if (value.hasArray()) {
                bytes = value.array();
                offset = value.arrayOffset() + value.position();
            } else {
                bytes = new byte[length];
                value.get(bytes);
            }
        }
        decoder.decode(
                bytes,
                offset,
                length,
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                headers(record),
                into);
    }

    private static RecordHeaders headers(ConsumerRecord<byte[], ByteBuffer> record) {
        return name -> {
            Header last = record.headers().lastHeader(name);
            return last == null ? null : last.value();
        };
    }

    /** Takes columns that nobody reads any more. */
    void giveBack(EventColumns events) {
        events.clear();
        free.add(events);
    }
}
