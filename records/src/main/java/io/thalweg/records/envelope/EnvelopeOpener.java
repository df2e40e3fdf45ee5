package io.thalweg.records.envelope;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;

/**
 * Finds the messages in records.
 *
 * <p><b>Use.</b> {@link #open} a record, then {@link #next} until it returns false; the message is {@code [from, to)} of {@link
 * #data}, valid until the next record is opened. Where {@code next} throws, {@code [from, to)} is the rest of the record, in
 * which no message can be found any more, and the following call returns false.
 *
 * <p><b>Threads.</b> One.
 */
public final class EnvelopeOpener {
    private static final int LENGTH_BYTES = 4;

    private final Envelope envelope;
    private final Inflation inflation;
    private byte[] data = {};
    private int at;
    private int end;
    private int from;
    private int to;
    private boolean over;

    public EnvelopeOpener(Envelope envelope, Limits limits) {
        this.envelope = envelope;
        this.inflation = new Inflation(envelope.compression(), limits);
    }

    /**
     * Opens a record.
     *
     * @throws BadRecordException if it is empty or cannot be decompressed
     */
    public void open(byte[] record, int from, int to) {
        over = true;
        if (from == to) {
            throw new BadRecordException(RecordFault.EMPTY, "the record has no bytes");
        }
        if (envelope.compression() == Envelope.Compression.NONE) {
            data = record;
            at = from;
            end = to;
        } else {
            int length = inflation.inflate(record, from, to);
            data = inflation.data();
            at = 0;
            end = length;
        }
        over = false;
    }

    /**
     * Moves to the next message.
     *
     * @throws BadRecordException if the frame of a message is damaged
     */
    public boolean next() {
        if (over) {
            return false;
        }
        return switch (envelope.messages()) {
            case ONE -> one();
            case LENGTH_PREFIXED -> framed();
            case LINES -> line();
        };
    }

    private boolean one() {
        from = at;
        to = end;
        over = true;
        return true;
    }

    private boolean framed() {
        from = at;
        to = end;
        if (at == end) {
            over = true;
            return false;
        }
        if (end - at < LENGTH_BYTES) {
            over = true;
            throw BadRecordException.undecodable("the record ends within the length of a message");
        }
        int length = (data[at] & 0xFF) << 24
                | (data[at + 1] & 0xFF) << 16
                | (data[at + 2] & 0xFF) << 8
                | (data[at + 3] & 0xFF);
        if (length < 0 || length > end - at - LENGTH_BYTES) {
            over = true;
            throw BadRecordException.undecodable("a message claims %d bytes, but %d are left in the record"
                    .formatted(Integer.toUnsignedLong(length), end - at - LENGTH_BYTES));
        }
        from = at + LENGTH_BYTES;
        to = from + length;
        at = to;
        return true;
    }

    private boolean line() {
        while (at < end) {
            int lineEnd = at;
            while (lineEnd < end && data[lineEnd] != '\n') {
                lineEnd++;
            }
            from = at;
            to = lineEnd > at && data[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
            at = lineEnd + 1;
            if (to > from) {
                return true;
            }
        }
        over = true;
        return false;
    }

    /** Holds the message. */
    public byte[] data() {
        return data;
    }

    /** Where the message begins. */
    public int from() {
        return from;
    }

    /** Where the message ends. */
    public int to() {
        return to;
    }
}
