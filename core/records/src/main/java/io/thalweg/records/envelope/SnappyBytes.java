package io.thalweg.records.envelope;

import io.thalweg.records.ClaimedSize;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.xerial.snappy.Snappy;

/**
 * Decompresses Snappy's raw format, and its framing format, which is recognized by its first ten bytes.
 *
 * <p><b>Errors.</b> {@link IOException} for damage; beyond the limits, that of {@link InflatedBytes}.
 *
 * <p><b>Threads.</b> One.
 */
final class SnappyBytes {
    private static final byte[] STREAM = {(byte) 0xFF, 6, 0, 0, 's', 'N', 'a', 'P', 'p', 'Y'};
    private static final int COMPRESSED = 0x00;
    private static final int UNCOMPRESSED = 0x01;
    /** Chunks of types from this one on may be skipped; unknown types below it are refused. */
    private static final int SKIPPABLE = 0x80;

    private static final int STREAM_TYPE = 0xFF;
    private static final int CHUNK_HEADER = 4;
    private static final int MOST_OF_CHUNK = 1 << 16;
    private static final int MASK = 0xA282EAD8;

    private final CRC32C crc = new CRC32C();
    private final InflatedBytes out;

    SnappyBytes(InflatedBytes out) {
        this.out = out;
    }

    /** Appends the contents of a record. */
    void inflate(byte[] record, int from, int to) throws IOException {
        if (isStream(record, from, to)) {
            frames(record, from, to);
        } else {
            raw(record, from, to, Integer.MAX_VALUE);
        }
    }

    private static boolean isStream(byte[] record, int from, int to) {
        return to - from >= STREAM.length
                && Arrays.equals(record, from, from + STREAM.length, STREAM, 0, STREAM.length);
    }

    private void raw(byte[] data, int from, int to, int most) throws IOException {
        long claimed = ClaimedSize.ofSnappy(data, from, to);
        if (claimed < 0 || claimed > most) {
            throw new IOException("it claims %s bytes".formatted(ClaimedSize.text(claimed)));
        }
        out.need(claimed);
        if (!Snappy.isValidCompressedBuffer(data, from, to - from)) {
            throw new IOException("it cannot be decompressed");
        }
        out.length += Snappy.uncompress(data, from, to - from, out.data, out.length);
    }

    private void frames(byte[] data, int from, int to) throws IOException {
        int at = from;
        while (at < to) {
            if (to - at < CHUNK_HEADER) {
                throw new IOException("it ends within the header of a chunk");
            }
            int type = data[at] & 0xFF;
            int length = (data[at + 1] & 0xFF) | (data[at + 2] & 0xFF) << 8 | (data[at + 3] & 0xFF) << 16;
            at += CHUNK_HEADER;
            if (length > to - at) {
                throw new IOException("a chunk claims %d bytes, but %d are left".formatted(length, to - at));
            }
            chunk(type, data, at, at + length);
            at += length;
        }
    }

    private void chunk(int type, byte[] data, int from, int to) throws IOException {
        if (type == STREAM_TYPE) {
            if (!isStream(data, from - CHUNK_HEADER, to)) {
                throw new IOException("a chunk of type 0xFF must be the stream's identifier");
            }
        } else if (type == COMPRESSED || type == UNCOMPRESSED) {
            content(type, data, from, to);
        } else if (type < SKIPPABLE) {
            throw new IOException("there is no chunk of type 0x%02X".formatted(type));
        }
    }

    /** Appends a chunk: the checksum of the bytes, then the bytes. */
    private void content(int type, byte[] data, int from, int to) throws IOException {
        int begin = from + Integer.BYTES;
        if (begin > to) {
            throw new IOException("it ends within the checksum of a chunk");
        }
        int start = out.length;
        if (type == COMPRESSED) {
            raw(data, begin, to, MOST_OF_CHUNK);
        } else if (to - begin > MOST_OF_CHUNK) {
            throw new IOException("a chunk has %d bytes of at most %d".formatted(to - begin, MOST_OF_CHUNK));
        } else {
            out.add(data, begin, to - begin);
        }
        int expected = (data[from] & 0xFF)
                | (data[from + 1] & 0xFF) << 8
                | (data[from + 2] & 0xFF) << 16
                | data[from + 3] << 24;
        if (masked(start) != expected) {
            throw new IOException("the checksum of a chunk is wrong");
        }
    }

    private int masked(int start) {
        crc.reset();
        crc.update(out.data, start, out.length - start);
        return Integer.rotateRight((int) crc.getValue(), 15) + MASK;
    }
}
