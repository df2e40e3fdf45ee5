package io.thalweg.formats.file;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Records of one file. */
public final class RawBlock implements RawRecords {
    private static final int FIRST_CAPACITY = 256;

    private final String source;
    private final @Nullable AvroSchema writerSchema;
    private int size;
    private long bytes;
    private byte[][] data = new byte[FIRST_CAPACITY][];
    private int[] from = new int[FIRST_CAPACITY];
    private int[] to = new int[FIRST_CAPACITY];
    private long[] total = new long[FIRST_CAPACITY];
    private long[] position = new long[FIRST_CAPACITY];
    private long[] objects = new long[FIRST_CAPACITY];
    private @Nullable BadRecordException[] damage = new BadRecordException[FIRST_CAPACITY];

    /**
     * An empty block.
     *
     * @param source path of the file
     * @param writerSchema of the objects, where the file has its own schema
     */
    public RawBlock(String source, @Nullable AvroSchema writerSchema) {
        this.source = source;
        this.writerSchema = writerSchema;
    }

    /** Adds a record of which {@code [from, to)} is at hand, of {@code total} bytes. */
    public void add(byte[] data, int from, int to, long total, long position) {
        put(data, from, to, total, position);
        objects[size - 1] = 1;
        damage[size - 1] = null;
    }

    /** Adds a range of objects that follow one another without frames. */
    void addObjects(byte[] data, int from, int to, long objects, long position) {
        put(data, from, to, (long) to - from, position);
        this.objects[size - 1] = objects;
        damage[size - 1] = null;
    }

    /** Adds the rest of a file in which no record can be found any more. */
    void addDamaged(byte[] data, int from, int to, long total, long position, BadRecordException damage) {
        put(data, from, to, total, position);
        objects[size - 1] = 1;
        this.damage[size - 1] = damage;
    }

    private void put(byte[] data, int from, int to, long total, long position) {
        if (size == this.from.length) {
            grow();
        }
        this.data[size] = data;
        this.from[size] = from;
        this.to[size] = to;
        this.total[size] = total;
        this.position[size] = position;
        bytes += to - from;
        size++;
    }

    private void grow() {
        int capacity = 2 * size;
        data = Arrays.copyOf(data, capacity);
        from = Arrays.copyOf(from, capacity);
        to = Arrays.copyOf(to, capacity);
        total = Arrays.copyOf(total, capacity);
        position = Arrays.copyOf(position, capacity);
        objects = Arrays.copyOf(objects, capacity);
        damage = Arrays.copyOf(damage, capacity);
    }

    @Override
    public String source() {
        return source;
    }

    @Override
    public int partition() {
        return NO_PARTITION;
    }

    @Override
    public @Nullable AvroSchema writerSchema() {
        return writerSchema;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public byte[] data(int i) {
        return data[i];
    }

    @Override
    public int from(int i) {
        return from[i];
    }

    @Override
    public int to(int i) {
        return to[i];
    }

    @Override
    public long total(int i) {
        return total[i];
    }

    @Override
    public long position(int i) {
        return position[i];
    }

    @Override
    public long objects(int i) {
        return objects[i];
    }

    @Override
    public @Nullable BadRecordException damage(int i) {
        return damage[i];
    }
}
