package io.thalweg.formats.file;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of one source as they arrived: ranges of arrays, which may be reused for later records. Nothing is decoded, so no
 * record can make its reader fail.
 */
public interface RawRecords {
    /** {@link #partition} if the source has none. */
    int NO_PARTITION = -1;

    /** {@link #timestampMs} if the source has none. */
    long NO_TIME = -1;

    /** The file's path, the topic or the subscription. */
    String source();

    /** The partition of all records, or {@link #NO_PARTITION}. */
    int partition();

    /** The schema of the objects, if the file has its own. */
    default @Nullable AvroSchema writerSchema() {
        return null;
    }

    /** Number of records. */
    int size();

    /** The number of positions before these records that the source lost before they could be read. */
    default long lost() {
        return 0;
    }

    /** The position of the last record, or of the last lost one. */
    default long last() {
        return position(size() - 1);
    }

    /** The bytes available of all records. */
    long bytes();

    byte[] data(int i);

    int from(int i);

    int to(int i);

    /** The true length of a record. */
    default long total(int i) {
        return (long) to(i) - from(i);
    }

    /**
     * The position of a record: its offset in the partition; in a file, the line from 1, the block from 0 of an Avro
     * container, otherwise the byte.
     */
    long position(int i);

    /** The compression that a record names; null if it names none. */
    default @Nullable String codec(int i) {
        return null;
    }

    /** Whether a record has no value, which deletes its key from a compacted topic. */
    default boolean isTombstone(int i) {
        return false;
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

    /** The id that the service assigned to a record; null if records are identified by position. */
    default @Nullable String id(int i) {
        return null;
    }

    /** The number of objects in a range. */
    default long objects(int i) {
        return 1;
    }

    /** Why a range is not a record; null if it is one. */
    default @Nullable BadRecordException damage(int i) {
        return null;
    }
}
