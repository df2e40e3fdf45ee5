package io.thalweg.bench.micro;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import java.util.List;

/**
 * Events that are decoded in blocks, as by the reader of a topic.
 *
 * @param size events in a block
 */
public record EventBlocks(List<byte[]> events, int size) {
    /** Decodes all blocks, each into the same columns; returns the columns with the last block. */
    public EventColumns decode(EventDecoder decoder, EventColumns into) {
        for (int from = 0; from < events.size(); from += size) {
            decode(decoder, from, into);
        }
        return into;
    }

    /** Decodes the block that begins with an event. */
    public void decode(EventDecoder decoder, int from, EventColumns into) {
        into.clear();
        for (int e = from; e < from + size; e++) {
            byte[] event = events.get(e);
            decoder.decode(event, 0, event.length, 0, e, into);
        }
    }
}
