package io.thalweg.records.envelope;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A reusable array of decompressed bytes. It grows with the bytes that arrive. Bytes beyond the limits are refused before memory
 * is allocated for them.
 *
 * <p><b>Threads.</b> One.
 */
final class InflatedBytes {
    private static final int STEP = 64 * 1024;
    /** Records smaller than this count as this large, because small records may compress well. */
    private static final int LEAST_COMPRESSED = 1024;

    private final Limits limits;
    private int compressed;
    private long allowed;

    /** The bytes, from 0 to {@link #length}. */
    byte[] data = new byte[STEP];

    int length;

    InflatedBytes(Limits limits) {
        this.limits = limits;
    }

    /** Starts a record of {@code compressed} bytes. */
    void begin(int compressed) {
        this.compressed = compressed;
        allowed = Math.min(limits.inflated(), (long) limits.ratio() * Math.max(compressed, LEAST_COMPRESSED));
        length = 0;
    }

    /**
     * Makes room for more bytes.
     *
     * @throws BadRecordException if the record would exceed its limit
     */
    void need(long more) {
        long wanted = length + more;
        if (wanted > allowed) {
            throw new BadRecordException(
                    RecordFault.INFLATED_TOO_LARGE,
                    "a record of %d bytes must inflate to at most %d bytes (limits.inflated, limits.ratio), was at least %d"
                            .formatted(compressed, allowed, wanted));
        }
        if (wanted > data.length) {
            data = Arrays.copyOf(data, (int) Math.max(wanted, Math.min(2L * data.length, limits.inflated())));
        }
    }

    /** Reads a stream to its end, step by step. */
    void addAll(InputStream in) throws IOException {
        int read = 0;
        while (read >= 0) {
            need(read);
            length += read;
            if (length == data.length) {
                data = Arrays.copyOf(data, 2 * data.length);
            }
            read = in.read(data, length, data.length - length);
        }
    }

    /** Adds bytes as they are. */
    void add(byte[] from, int at, int count) {
        need(count);
        System.arraycopy(from, at, data, length, count);
        length += count;
    }

    /** Repeats bytes that start {@code back} bytes before the end; source and target may overlap. */
    void repeat(int back, int count) {
        int from = length - back;
        if (back >= count) {
            System.arraycopy(data, from, data, length, count);
        } else {
            for (int i = 0; i < count; i++) {
                data[length + i] = data[from + i];
            }
        }
        length += count;
    }
}
