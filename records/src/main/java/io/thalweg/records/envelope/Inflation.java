package io.thalweg.records.envelope;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import org.xerial.snappy.Snappy;

/**
 * Decompresses records into one array that is used again. A length that the data claims is checked before memory is allocated,
 * and data that claims none is inflated step by step.
 *
 * <p><b>Threads.</b> One.
 */
final class Inflation {
    private static final int STEP = 64 * 1024;

    private final Envelope.Compression compression;
    private final Limits limits;
    private byte[] inflated = new byte[STEP];

    Inflation(Envelope.Compression compression, Limits limits) {
        this.compression = compression;
        this.limits = limits;
    }

    /** The array that holds what was inflated last. */
    byte[] data() {
        return inflated;
    }

    /**
     * Inflates a record; returns its length.
     *
     * @throws BadRecordException if it is damaged or inflates beyond the limits
     */
    int inflate(byte[] data, int from, int to) {
        try {
            return compression == Envelope.Compression.SNAPPY
                    ? snappy(data, from, to)
                    : stream(new ByteArrayInputStream(data, from, to - from), to - from);
        } catch (IOException | IllegalArgumentException e) {
            throw BadRecordException.undecodable("the record is not "
                    + compression.name().toLowerCase(Locale.ROOT) + " or is damaged: " + e.getMessage());
        }
    }

    private int snappy(byte[] data, int from, int to) throws IOException {
        int length = Snappy.uncompressedLength(data, from, to - from);
        if (length < 0) {
            throw new IOException("it claims a negative length");
        }
        requireWithin(length, to - from);
        if (inflated.length < length) {
            inflated = new byte[length];
        }
        if (!Snappy.isValidCompressedBuffer(data, from, to - from)) {
            throw new IOException("it cannot be decompressed");
        }
        return Snappy.uncompress(data, from, to - from, inflated, 0);
    }

    private int stream(ByteArrayInputStream record, int compressed) throws IOException {
        try (InputStream in = open(record, compressed)) {
            int length = 0;
            while (true) {
                int read = in.read(inflated, length, inflated.length - length);
                if (read < 0) {
                    break;
                }
                length += read;
                requireWithin(length, compressed);
                if (length == inflated.length) {
                    inflated = Arrays.copyOf(inflated, 2 * length);
                }
            }
            int behind = record.available() + (in instanceof Member member ? member.unread() : 0);
            if (behind > 0 && compression != Envelope.Compression.ZSTD) {
                throw new ZipException(behind + " bytes follow its end");
            }
            return length;
        } catch (EOFException e) {
            throw new IOException("it ends too early", e);
        }
    }

    /** Streams take the record in one step, so that they know what is behind its end. */
    private InputStream open(InputStream record, int compressed) throws IOException {
        return switch (compression) {
            case GZIP -> new Gzip(record, compressed);
            case ZLIB -> new Zlib(record, compressed);
            case ZSTD -> zstd(record);
            default -> throw new IllegalStateException("not a stream: " + compression);
        };
    }

    /** A stream that may have taken more than it has decompressed. */
    private interface Member {
        /** Bytes behind the end. */
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

    private void requireWithin(long length, int compressed) {
        long allowed = Math.min(limits.inflated(), (long) limits.ratio() * Math.max(compressed, 1024));
        if (length > allowed) {
            throw new BadRecordException(
                    RecordFault.INFLATED_TOO_LARGE,
                    "a record of %d bytes must inflate to at most %d bytes (limits.inflated, limits.ratio), was at least %d"
                            .formatted(compressed, allowed, length));
        }
    }
}
