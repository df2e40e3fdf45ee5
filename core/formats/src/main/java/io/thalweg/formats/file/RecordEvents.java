package io.thalweg.formats.file;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.RecordDecoder;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.schema.SchemaException;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of a format that has a schema. The rest of a file in which {@link RecordFile} finds no more records is one bad
 * event. A bad object and those after it in a block of an Avro container are also one bad event.
 */
final class RecordEvents implements EventFile {
    private static final byte[] NOTHING = {};

    private final RecordFile records;
    private final RecordDecoder plain;
    private final EventDecoder decoder;
    private @Nullable RawBlock block;
    private int next;

    /** The remaining objects of a range, which begin at {@code at}. */
    private long objects;

    private byte[] range = NOTHING;
    private int at;
    private int end;
    private long position;

    /**
     * Reads a file.
     *
     * @param plain reads objects of containers
     * @param decoder the same, with lookups
     */
    RecordEvents(RecordFile records, RecordDecoder plain, EventDecoder decoder) {
        this.records = records;
        this.plain = plain;
        this.decoder = decoder;
    }

    @Override
    public boolean next(EventColumns into) throws IOException {
        while (true) {
            if (objects > 0 || at < end) {
                object(into);
                return true;
            }
            if (block == null || next == block.size()) {
                block = records.read();
                next = 0;
                if (block == null) {
                    return false;
                }
            }
            if (next < block.size() && record(block, next++, into)) {
                return true;
            }
        }
    }

    /** Appends a record; returns false if it is a range of objects, which follow. */
    private boolean record(RawBlock from, int i, EventColumns into) {
        BadRecordException damage = from.damage(i);
        int length = from.to(i) - from.from(i);
        if (damage != null) {
            BadReason reason = RecordDecoder.reason(damage.fault());
            into.appendLost(
                    from.data(i), from.from(i), length, from.total(i), from.position(i), reason, damage.detail());
            return true;
        }
        AvroSchema writer = from.writerSchema();
        if (writer != null) {
            return begin(from, i, writer, into);
        }
        if (from.total(i) > length) {
            into.appendTooLarge(
                    from.data(i), from.from(i), length, from.total(i), 0, from.position(i), EventColumns.NO_TIMESTAMP);
        } else {
            decoder.decode(from.data(i), from.from(i), length, 0, from.position(i), into);
        }
        return true;
    }

    /** Begins a range of objects. Copies its bytes, because the next block overwrites this one. */
    private boolean begin(RawBlock from, int i, AvroSchema writer, EventColumns into) {
        byte[] copy = Arrays.copyOfRange(from.data(i), from.from(i), from.to(i));
        try {
            plain.objectsOf(writer);
        } catch (SchemaException e) {
            into.appendLost(
                    copy,
                    0,
                    copy.length,
                    copy.length,
                    from.position(i),
                    BadReason.UNDECODABLE,
                    String.valueOf(e.getMessage()));
            return true;
        }
        range = copy;
        at = 0;
        end = copy.length;
        objects = from.objects(i);
        position = from.position(i);
        return false;
    }

    private void object(EventColumns into) {
        int length = end - at;
        if (objects == 0) {
            String why = length + " bytes follow the last object of the block";
            into.appendLost(range, at, length, length, position, BadReason.UNDECODABLE, why);
            at = end;
            return;
        }
        decoder.decode(range, at, length, 0, position, into);
        objects--;
        at = plain.objectEnd();
        if (at == RecordDecoder.LOST) {
            at = end;
            objects = 0;
        }
    }

    @Override
    public void close() throws IOException {
        records.close();
    }
}
