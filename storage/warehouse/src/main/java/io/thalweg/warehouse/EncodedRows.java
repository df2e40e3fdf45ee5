package io.thalweg.warehouse;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows in the encoding of a warehouse, contiguous in one array, with the origins of their messages.
 *
 * <p><b>Threads.</b> Immutable after {@link Builder#take} returns it.
 */
public final class EncodedRows {
    private final byte[] data;
    private final int[] ends;
    private final Origin[] origins;
    private final int rows;

    private EncodedRows(byte[] data, int[] ends, Origin[] origins, int rows) {
        this.data = data;
        this.ends = ends;
        this.origins = origins;
        this.rows = rows;
    }

    /**
     * The origin of a message.
     *
     * @param source a topic, a file or a subscription
     * @param partition the partition of the topic; -1 for a file
     * @param position the position of its record in the partition or file
     * @param index the index of the message in its record, from 0
     * @param id the id of a record that its service identifies by name; null if it identifies records by position
     */
    public record Origin(
            String source,
            int partition,
            long position,
            long index,
            @Nullable String id) {
        /** Creates the origin of a record that is identified by its position. */
        public Origin(String source, int partition, long position, long index) {
            this(source, partition, position, index, null);
        }

        /** A description for people, such as {@code message 0 of the record at offset 17 of partition 2 of rides}. */
        public String text() {
            String record = id != null
                    ? "record " + id
                    : partition < 0
                            ? "the record at " + position
                            : "the record at offset %d of partition %d".formatted(position, partition);
            return "message %d of %s of %s".formatted(index, record, source);
        }
    }

    /** The number of rows. */
    public int rows() {
        return rows;
    }

    /** The array that contains all rows; must not be modified. */
    public byte[] data() {
        return data;
    }

    /** The start of a row in {@link #data}. */
    public int from(int row) {
        return row == 0 ? 0 : ends[row - 1];
    }

    /** The end of a row in {@link #data}, exclusive. */
    public int to(int row) {
        return ends[row];
    }

    /** The number of bytes of the rows {@code [from, to)}. */
    public int bytes(int from, int to) {
        return from == to ? 0 : to(to - 1) - from(from);
    }

    /** The origin of the message of a row. */
    public Origin origin(int row) {
        return origins[row];
    }

    /** Collects rows. */
    public static final class Builder {
        private byte[] data = new byte[1 << 16];
        private int[] ends = new int[256];
        private Origin[] origins = new Origin[256];
        private int rows;
        private int at;

        /** Adds a row. */
        public void add(byte[] row, int from, int to, Origin origin) {
            int length = to - from;
            if (data.length - at < length) {
                data = Arrays.copyOf(data, Math.max(2 * data.length, Math.addExact(at, length)));
            }
            if (rows == ends.length) {
                ends = Arrays.copyOf(ends, 2 * rows);
                origins = Arrays.copyOf(origins, 2 * rows);
            }
            System.arraycopy(row, from, data, at, length);
            at += length;
            ends[rows] = at;
            origins[rows] = origin;
            rows++;
        }

        /** Removes all rows but the first {@code first}. */
        public void truncate(int first) {
            if (first > rows) {
                throw new IllegalArgumentException("first must be at most %d, was %d".formatted(rows, first));
            }
            rows = first;
            at = first == 0 ? 0 : ends[first - 1];
        }

        /** The number of rows collected. */
        public int rows() {
            return rows;
        }

        /** Returns the collected rows and removes them from the builder. */
        public EncodedRows take() {
            EncodedRows taken = new EncodedRows(data, ends, origins, rows);
            data = new byte[Math.max(1 << 12, at + (at >> 3))];
            ends = new int[Math.max(16, rows)];
            origins = new Origin[Math.max(16, rows)];
            rows = 0;
            at = 0;
            return taken;
        }
    }
}
