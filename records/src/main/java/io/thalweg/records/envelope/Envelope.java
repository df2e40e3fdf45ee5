package io.thalweg.records.envelope;

import java.io.Serializable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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
        /** LZ4's frame format. */
        LZ4,
        /** Snappy's raw format or, as its first bytes tell, its framing format. */
        SNAPPY;

        /** The compression that definitions and headers of records call so, in any case; null if there is none. */
        public static @Nullable Compression named(String text) {
            for (Compression compression : values()) {
                if (compression.name().equalsIgnoreCase(text)) {
                    return compression;
                }
            }
            return null;
        }

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The messages in a record. */
    public enum Messages {
        ONE,
        /** Before each message its length: four bytes, big-endian. */
        LENGTH_PREFIXED,
        /** A message per line; empty lines do not count. */
        LINES,
        /** An Avro object container file, whose blocks {@link io.thalweg.records.avro.AvroContainer} finds. */
        AVRO_CONTAINER,
        /** A Thrift list of structs in the binary protocol. */
        THRIFT_LIST,
        /** A Thrift list of structs in the compact protocol. */
        THRIFT_COMPACT_LIST
    }
}
