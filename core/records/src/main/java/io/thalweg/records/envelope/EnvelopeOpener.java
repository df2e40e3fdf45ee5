package io.thalweg.records.envelope;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.ClaimedSize;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.envelope.Envelope.Compression;
import io.thalweg.records.envelope.Envelope.Messages;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.thrift.StructList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the messages in records.
 *
 * <p><b>Use.</b> Call {@link #open(byte[], int, int)} for a record, then {@link #next} until it returns false. The message is
 * {@code [from, to)} of {@link #data}, valid until the next record is opened. If {@code next} throws, {@code [from, to)} is the
 * rest of the record, in which no message can be found, and the following call returns false.
 *
 * <p><b>Threads.</b> One.
 */
public final class EnvelopeOpener {
    private static final int LENGTH_BYTES = 4;
    private static final int SHOWN_OF_CODEC = 50;

    private final Compression compression;
    private final Messages messages;
    private final Inflation inflation;
    private final @Nullable StructList structs;
    private final boolean isRest;
    private byte[] data = {};
    private int at;
    private int end;
    private int from;
    private int to;
    private boolean over;

    public EnvelopeOpener(Envelope envelope, Limits limits) {
        this(envelope, limits, false);
    }

    private EnvelopeOpener(Envelope envelope, Limits limits, boolean isRest) {
        this.compression = envelope.compression();
        this.messages = envelope.messages();
        this.inflation = new Inflation(limits);
        this.structs = structs(messages);
        this.isRest = isRest;
    }

    private static @Nullable StructList structs(Messages messages) {
        return switch (messages) {
            case THRIFT_LIST -> new StructList(Protocol.BINARY);
            case THRIFT_COMPACT_LIST -> new StructList(Protocol.COMPACT);
            case ONE, LENGTH_PREFIXED, LINES, AVRO_CONTAINER -> null;
        };
    }

    /** Creates an opener of record remainders: the range {@code [from, to)} that another opener's {@link #next} left when it threw. */
    public static EnvelopeOpener ofRests(Envelope envelope, Limits limits) {
        return new EnvelopeOpener(new Envelope(Compression.NONE, envelope.messages()), limits, true);
    }

    /**
     * Opens a record.
     *
     * @throws BadRecordException if it is empty or cannot be decompressed
     */
    public void open(byte[] record, int from, int to) {
        open(record, from, to, null);
    }

    /**
     * Opens a record that may name its own compression.
     *
     * @param codec overrides the envelope's compression; null if the record does not name one
     * @throws BadRecordException if it is empty or cannot be decompressed, or there is no such codec
     */
    public void open(byte[] record, int from, int to, @Nullable String codec) {
        over = true;
        Compression by = codec == null ? compression : named(codec);
        if (from == to && (by != Compression.NONE || messages != Messages.ONE)) {
            throw new BadRecordException(RecordFault.EMPTY, "the record has no bytes");
        }
        if (by == Compression.NONE) {
            data = record;
            at = from;
            end = to;
        } else {
            int length = inflation.inflate(by, record, from, to);
            data = inflation.data();
            at = 0;
            end = length;
        }
        if (structs != null) {
            at = isRest ? structs.openRest(data, at, end) : structs.open(data, at, end);
        }
        over = false;
    }

    private static Compression named(String codec) {
        Compression named = Compression.named(codec);
        if (named == null) {
            throw new BadRecordException(
                    RecordFault.UNKNOWN_CODEC,
                    "the codec must be none, gzip, zlib, zstd, lz4 or snappy, was '"
                            + codec.substring(0, Math.min(codec.length(), SHOWN_OF_CODEC)) + "'");
        }
        return named;
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
        return switch (messages) {
            case ONE, AVRO_CONTAINER -> one();
            case LENGTH_PREFIXED -> framed();
            case LINES -> line();
            case THRIFT_LIST, THRIFT_COMPACT_LIST -> struct(Objects.requireNonNull(structs));
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
            throw BadRecordException.undecodable("a message claims %s bytes, but %d are left in the record"
                    .formatted(ClaimedSize.text(length), end - at - LENGTH_BYTES));
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

    private boolean struct(StructList list) {
        from = at;
        to = end;
        try {
            if (!list.next()) {
                over = true;
                return false;
            }
        } catch (BadRecordException e) {
            over = true;
            throw e;
        }
        to = list.at();
        at = to;
        return true;
    }

    /** The array that holds the message. */
    public byte[] data() {
        return data;
    }

    /** The start of the message. */
    public int from() {
        return from;
    }

    /** The end of the message. */
    public int to() {
        return to;
    }
}
