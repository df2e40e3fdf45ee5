package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import org.jspecify.annotations.Nullable;

/**
 * Records of a topic that Kafka deleted before they were read: none are at hand.
 *
 * @param first the first offset that is lost
 * @param end behind the last one
 */
record LostOffsets(String source, int partition, long first, long end) implements RawRecords {
    @Override
    public int size() {
        return 0;
    }

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public @Nullable AvroSchema writerSchema() {
        return null;
    }

    @Override
    public byte[] data(int i) {
        throw none(i);
    }

    @Override
    public int from(int i) {
        throw none(i);
    }

    @Override
    public int to(int i) {
        throw none(i);
    }

    @Override
    public long total(int i) {
        throw none(i);
    }

    @Override
    public long position(int i) {
        throw none(i);
    }

    @Override
    public long objects(int i) {
        throw none(i);
    }

    @Override
    public @Nullable BadRecordException damage(int i) {
        throw none(i);
    }

    private static IndexOutOfBoundsException none(int i) {
        return new IndexOutOfBoundsException(i);
    }
}
