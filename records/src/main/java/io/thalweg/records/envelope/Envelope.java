package io.thalweg.records.envelope;

import java.io.Serializable;

/** How messages are packed into a record: first several into one, then compressed. */
public record Envelope(Compression compression, Messages messages) implements Serializable {
    /** A record is a message. */
    public static final Envelope NONE = new Envelope(Compression.NONE, Messages.ONE);

    /** The compression of a record. */
    public enum Compression {
        NONE,
        GZIP,
        ZLIB,
        ZSTD,
        /** Snappy's raw format, without frames. */
        SNAPPY
    }

    /** The messages in a record. */
    public enum Messages {
        ONE,
        /** Before each message its length: four bytes, big-endian. */
        LENGTH_PREFIXED,
        /** A message per line; empty lines do not count. */
        LINES
    }
}
