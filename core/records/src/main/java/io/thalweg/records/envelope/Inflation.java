package io.thalweg.records.envelope;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.envelope.Envelope.Compression;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses records into a reusable array. A length that the data claims is checked before memory is allocated; data without
 * one is inflated step by step.
 *
 * <p><b>Threads.</b> One.
 */
final class Inflation {
    private final InflatedBytes out;
    private final SnappyBytes snappy;
    private @Nullable Lz4Frames lz4;

    Inflation(Limits limits) {
        out = new InflatedBytes(limits);
        snappy = new SnappyBytes(out);
    }

    /** The array that holds the record inflated last. */
    byte[] data() {
        return out.data;
    }

    /**
     * Inflates a record; returns its length.
     *
     * @param compression not {@code NONE}
     * @throws BadRecordException if it is damaged or inflates beyond the limits
     */
    int inflate(Compression compression, byte[] data, int from, int to) {
        out.begin(to - from);
        try {
            switch (compression) {
                case LZ4 -> lz4().inflate(data, from, to);
                case SNAPPY -> snappy.inflate(data, from, to);
                case GZIP, ZLIB, ZSTD, NONE ->
                    stream(compression, new ByteArrayInputStream(data, from, to - from), to - from);
            }
            return out.length;
        } catch (IOException | IllegalArgumentException e) {
            throw BadRecordException.undecodable(
                    "the record is not " + compression.text() + " or is damaged: " + e.getMessage());
        }
    }

    /** Creates the decoder on first use, because its checksums load a library. */
    private Lz4Frames lz4() {
        if (lz4 == null) {
            lz4 = new Lz4Frames(out);
        }
        return lz4;
    }

    private void stream(Compression compression, ByteArrayInputStream record, int compressed) throws IOException {
        try (InputStream in = open(compression, record, compressed)) {
            out.addAll(in);
            int behind = record.available() + (in instanceof Member member ? member.unread() : 0);
            if (behind > 0 && compression != Compression.ZSTD) {
                throw new ZipException(behind + " bytes follow its end");
            }
        } catch (EOFException e) {
            throw new IOException("it ends too early", e);
        }
    }

    /** Opens a stream. It buffers the whole record at once, so that it knows which bytes follow the end. */
    private static InputStream open(Compression compression, InputStream record, int compressed) throws IOException {
        return switch (compression) {
            case GZIP -> new Gzip(record, compressed);
            case ZLIB -> new Zlib(record, compressed);
            case ZSTD -> zstd(record);
            default -> throw new IllegalStateException("not a stream: " + compression);
        };
    }

    /** A stream that may have consumed more bytes than it decompressed. */
    private interface Member {
        /** The number of bytes after the end. */
        int unread();
    }

    private static final class Gzip extends GZIPInputStream implements Member {
        private static final int TRAILER = 8;

        Gzip(InputStream record, int compressed) throws IOException {
            super(record, compressed);
        }

        @Override
        public int unread() {
            return Math.max(0, inf.getRemaining() - TRAILER);
        }
    }

    private static final class Zlib extends InflaterInputStream implements Member {
        Zlib(InputStream record, int compressed) {
            super(record, new Inflater(), compressed);
        }

        @Override
        public int unread() {
            return inf.getRemaining();
        }

        @Override
        public void close() throws IOException {
            super.close();
            inf.end();
        }
    }

    private static InputStream zstd(InputStream record) throws IOException {
        try {
            return new ZstdInputStream(record);
        } catch (ZstdIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
