package io.thalweg.formats.file;

import java.util.Arrays;

/**
 * Records that are ranges of arrays, in columns that grow.
 *
 * <p><b>Threads.</b> One at a time.
 */
public abstract class RecordRanges implements RawRecords {
    /** The initial capacity in records. */
    protected static final int FIRST_CAPACITY = 256;

    private int size;
    private long bytes;
    private byte[][] data = new byte[FIRST_CAPACITY][];
    private int[] from = new int[FIRST_CAPACITY];
    private int[] to = new int[FIRST_CAPACITY];
    private long[] position = new long[FIRST_CAPACITY];

    /** Adds a range and returns its index, after growing the columns of the subclass if necessary. */
    protected final int put(byte[] bytesOfRecord, int begin, int end, long at) {
        if (size == from.length) {
            int capacity = 2 * size;
            data = Arrays.copyOf(data, capacity);
            from = Arrays.copyOf(from, capacity);
            to = Arrays.copyOf(to, capacity);
            position = Arrays.copyOf(position, capacity);
            grow(capacity);
        }
        data[size] = bytesOfRecord;
        from[size] = begin;
        to[size] = end;
        position[size] = at;
        bytes += end - begin;
        return size++;
    }

    /** Grows the columns of the subclass. */
    protected abstract void grow(int capacity);

    /** Removes all records and the references to their arrays. */
    public final void forget() {
        Arrays.fill(data, 0, size, null);
        size = 0;
        bytes = 0;
    }

    @Override
    public final int size() {
        return size;
    }

    @Override
    public final long bytes() {
        return bytes;
    }

    @Override
    public final byte[] data(int i) {
        return data[i];
    }

    @Override
    public final int from(int i) {
        return from[i];
    }

    @Override
    public final int to(int i) {
        return to[i];
    }

    @Override
    public final long position(int i) {
        return position[i];
    }
}
