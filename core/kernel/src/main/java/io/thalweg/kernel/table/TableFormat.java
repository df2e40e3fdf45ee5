package io.thalweg.kernel.table;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.List;

/**
 * The binary format of a {@link WordTable}: words of key (1 byte), words of value (4 bytes), number of entries (8 bytes), all
 * big-endian; then the entries in order, their words little-endian. Entries are copied in bulk, at memory bandwidth.
 */
final class TableFormat {
    private static final int IO_BYTES = 1 << 16;

    private TableFormat() {}

    static void write(WordTable table, DataOutput out) throws IOException {
        out.writeByte(table.keyWords());
        out.writeInt(table.width() - table.keyWords());
        out.writeLong(table.size());
        List<Segment> segments = table.segments();
        int longest = segments.stream()
                .mapToInt(segment -> segment.entries.length)
                .max()
                .orElse(0);
        long[] packed = new long[longest];
        byte[] bytes = new byte[8 * longest];
        LongBuffer longs = longs(bytes);
        for (Segment segment : segments) {
            int length = segment.pack(packed);
            longs.clear();
            longs.put(packed, 0, length);
            out.write(bytes, 0, 8 * length);
        }
    }

    private static LongBuffer longs(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    }

    static WordTable read(DataInput in, int keyWords, int valueWords) throws IOException {
        int keys = in.readByte();
        int values = in.readInt();
        if (keys != keyWords || values != valueWords) {
            throw new IOException("a table of %d words of key and %d of value was expected, was %d and %d"
                    .formatted(keyWords, valueWords, keys, values));
        }
        long size = in.readLong();
        if (size < 0) {
            throw new EOFException("a table's size must be at least 0, was " + size);
        }
        WordTable table = new WordTable(keyWords, valueWords);
        table.reserve(size);
        WordTable.Appender appender = table.new Appender();
        int width = table.width();
        int chunk = (int) Math.min(size, Math.max(1, IO_BYTES / (8 * width)));
        byte[] bytes = new byte[8 * width * chunk];
        long[] entries = new long[width * chunk];
        for (long left = size; left > 0; ) {
            int count = (int) Math.min(left, chunk);
            in.readFully(bytes, 0, 8 * width * count);
            longs(bytes).get(entries, 0, width * count);
            for (int entry = 0; entry < count; entry++) {
                appender.append(entries, entry * width);
            }
            left -= count;
        }
        return table;
    }
}
