package io.thalweg.formats.file;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of one source as they arrived: ranges of arrays, which may be used again for later records. Nothing is decoded, so no record
 * can fail its reader.
 */
public interface RawRecords {
    /** {@link #partition} where the source has none. */
    int NO_PARTITION = -1;

    /** {@link #timestampMs} where the source has none. */
    long NO_TIME = -1;

    /** The file's path, the topic or the subscription. */
    String source();

    /** The partition that all records are of, or {@link #NO_PARTITION}. */
    int partition();

    /** Of the objects, where the file has its own schema. */
    default @Nullable AvroSchema writerSchema() {
        return null;
    }

    /** Number of records. */
    int size();

    /** How many positions in front of these records the source has lost before they could be read. */
    default long lost() {
        return 0;
    }

    /** The position of the last record, or of the last one that is lost. */
    default long last() {
        return position(size() - 1);
    }

    /** Bytes at hand of all records. */
    long bytes();

    byte[] data(int i);

    int from(int i);

    int to(int i);

    /** The true length of a record. */
    default long total(int i) {
        return (long) to(i) - from(i);
    }

    /** Where a record begins: its offset in the partition; of a file a line's number from 1, otherwise the byte. */
    long position(int i);

    /** The compression that a record names itself; null if it does not. */
    default @Nullable String codec(int i) {
        return null;
    }

    /** The key of a record; null if it has none. */
    default byte @Nullable [] key(int i) {
        return null;
    }

    /** Epoch ms of a record; below 0 if it has none. */
    default long timestampMs(int i) {
        return NO_TIME;
    }

    /** The headers of a record, in their order. */
    default List<RecordHeader> headers(int i) {
        return List.of();
    }

    /** The name that its service has given a record; null where records are known by their position. */
    default @Nullable String id(int i) {
        return null;
    }

    /** How many objects a range holds. */
    default long objects(int i) {
        return 1;
    }

    /** Why a range is not a record; null if it is one. */
    default @Nullable BadRecordException damage(int i) {
        return null;
    }
}
