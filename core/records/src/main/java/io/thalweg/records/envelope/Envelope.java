package io.thalweg.records.envelope;

import java.io.Serializable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The packing of messages into a record: several messages are joined, then compressed. */
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
        /** Snappy's raw format or its framing format, distinguished by the first bytes. */
        SNAPPY;

        /** Returns the compression with a name in definitions and record headers, ignoring case; null if there is none. */
        public static @Nullable Compression named(String text) {
            for (Compression compression : values()) {
                if (compression.name().equalsIgnoreCase(text)) {
                    return compression;
                }
            }
            return null;
        }

        /** The name in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The messages in a record. */
    public enum Messages {
        ONE,
        /** Each message is preceded by its length: four bytes, big-endian. */
        LENGTH_PREFIXED,
        /** One message per line; empty lines are skipped. */
        LINES,
        /** An Avro object container file, whose blocks {@link io.thalweg.records.avro.AvroContainer} finds. */
        AVRO_CONTAINER,
        /** A Thrift list of structs in the binary protocol. */
        THRIFT_LIST,
        /** A Thrift list of structs in the compact protocol. */
        THRIFT_COMPACT_LIST
    }
}
