package io.thalweg.formats.file;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Records of one file. */
public final class RawBlock extends RecordRanges {
    private final String source;
    private final @Nullable AvroSchema writerSchema;
    private long[] total = new long[FIRST_CAPACITY];
    private long[] objects = new long[FIRST_CAPACITY];
    private @Nullable BadRecordException[] damage = new BadRecordException[FIRST_CAPACITY];

    /**
     * Creates an empty block.
     *
     * @param source path of the file
     * @param writerSchema schema of the objects, if the file has its own
     */
    public RawBlock(String source, @Nullable AvroSchema writerSchema) {
        this.source = source;
        this.writerSchema = writerSchema;
    }

    /** Adds a record of {@code total} bytes, of which {@code [from, to)} is available. */
    public void add(byte[] data, int from, int to, long total, long position) {
        put(data, from, to, position, total, 1, null);
    }

    /** Adds a range of objects that follow one another without framing. */
    void addObjects(byte[] data, int from, int to, long objects, long position) {
        put(data, from, to, position, (long) to - from, objects, null);
    }

    /** Adds the rest of a file in which no more records can be found. */
    void addDamaged(byte[] data, int from, int to, long total, long position, BadRecordException damage) {
        put(data, from, to, position, total, 1, damage);
    }

    private void put(
            byte[] data,
            int from,
            int to,
            long position,
            long ofTotal,
            long ofObjects,
            @Nullable BadRecordException ofDamage) {
        int i = put(data, from, to, position);
        total[i] = ofTotal;
        objects[i] = ofObjects;
        damage[i] = ofDamage;
    }

    @Override
    protected void grow(int capacity) {
        total = Arrays.copyOf(total, capacity);
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
    public long total(int i) {
        return total[i];
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
