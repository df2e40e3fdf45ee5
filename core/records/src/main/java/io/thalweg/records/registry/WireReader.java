package io.thalweg.records.registry;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.SchemaException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads each message with the schema that it names. The readers of the {@value #MOST_READERS} most recently used schemas are
 * kept. An unknown schema is looked up again after ten seconds.
 *
 * <p><b>Errors.</b> Beyond {@link RecordReader}: {@link RecordFault#UNDECODABLE} for a message that names no schema, {@link
 * RecordFault#UNKNOWN_SCHEMA}, {@link RecordFault#SCHEMA_INCOMPATIBLE}.
 *
 * <p><b>Threads.</b> One.
 */
final class WireReader implements RecordReader {
    static final int MOST_READERS = 1_000;
    private static final long UNKNOWN_FOR_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Wire wire;
    private final LongFunction<RegisteredSchema> schemas;
    private final Function<RegisteredSchema, RecordReader> readers;
    private final LongSupplier nanos;
    private final Map<Long, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Known> eldest) {
            return size() > MOST_READERS;
        }
    };
    private long lastKey;
    private @Nullable Known last;

    /**
     * Creates a reader.
     *
     * @param schemas finds a schema by its id or fingerprint
     * @param readers creates the reader of messages of a schema, without their header
     * @param nanos clock, in nanoseconds
     */
    WireReader(
            Wire wire,
            LongFunction<RegisteredSchema> schemas,
            Function<RegisteredSchema, RecordReader> readers,
            LongSupplier nanos) {
        this.wire = wire;
        this.schemas = schemas;
        this.readers = readers;
        this.nanos = nanos;
    }

    /** The result of a lookup: the reader of a schema, or its fault and the time until which the fault is cached. */
    private record Known(
            @Nullable RecordReader reader, @Nullable BadRecordException fault, long untilNanos) {
        RecordReader orFault() {
            if (reader != null) {
                return reader;
            }
            throw fault == null ? new IllegalStateException("neither a reader nor a fault") : fault;
        }

        boolean isOver(long nowNanos) {
            return fault != null && fault.fault() == RecordFault.UNKNOWN_SCHEMA && nowNanos - untilNanos >= 0;
        }
    }

    @Override
    public void read(byte[] data, int from, int to, RecordWriter writer) {
        if (from == to) {
            throw new BadRecordException(RecordFault.EMPTY, "the message has no bytes");
        }
        requireHeader(data, from, to);
        known(wire.key(data, from)).orFault().read(data, from + wire.bytes(), to, writer);
    }

    private void requireHeader(byte[] data, int from, int to) {
        if (!wire.isIn(data, from, to)) {
            throw BadRecordException.undecodable(
                    "a message must name its schema in %d bytes, of which the first is %s; its first byte is %02X, and it has %d bytes"
                            .formatted(wire.bytes(), wire == Wire.CONFLUENT ? "00" : "C3", data[from], to - from));
        }
    }

    private Known known(long key) {
        Known found = last;
        if (found == null || key != lastKey) {
            found = known.get(key);
        }
        if (found == null || found.isOver(nanos.getAsLong())) {
            found = find(key);
            known.put(key, found);
        }
        lastKey = key;
        last = found;
        return found;
    }

    private Known find(long key) {
        try {
            return new Known(readers.apply(schemas.apply(key)), null, 0);
        } catch (UnknownSchemaException e) {
            return fault(RecordFault.UNKNOWN_SCHEMA, e);
        } catch (SchemaException e) {
            return fault(RecordFault.SCHEMA_INCOMPATIBLE, e);
        }
    }

    private Known fault(RecordFault fault, RuntimeException why) {
        return new Known(
                null,
                new BadRecordException(fault, String.valueOf(why.getMessage())),
                nanos.getAsLong() + UNKNOWN_FOR_NANOS);
    }
}
