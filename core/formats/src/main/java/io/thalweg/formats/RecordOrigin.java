package io.thalweg.formats;

import org.jspecify.annotations.Nullable;

/**
 * The position of an event in its source, and the parts of its record besides the value. Valid while the event is
 * decoded.
 *
 * <p><b>Threads.</b> One.
 */
public interface RecordOrigin {
    /** The partition of the source; 0 for files. */
    int partition();

    /** The record's offset in the partition. */
    long offset();

    /** The record's own timestamp, epoch ms; {@link EventColumns#NO_TIMESTAMP} if it has none. */
    default long timestampMs() {
        return EventColumns.NO_TIMESTAMP;
    }

    /** The record's key; null if it has none. */
    default byte @Nullable [] key() {
        return null;
    }

    /** The value of the last header called {@code name}; null if there is none. */
    default byte @Nullable [] last(String name) {
        return null;
    }

    /** Creates an origin without timestamp, key and headers, such as that of a file. */
    static RecordOrigin of(int partition, long offset) {
        return new PlainOrigin(partition, offset);
    }
}
