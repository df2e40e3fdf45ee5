package io.thalweg.records.write;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/** Reads messages with Avro's own reader. */
public final class AvroOracle {
    private AvroOracle() {}

    /** Returns the message as Avro reads it, to its last byte. */
    public static GenericRecord read(Schema schema, byte[] data, int from, int to) throws IOException {
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(data, from, to - from, null);
        GenericRecord record = new GenericDatumReader<GenericRecord>(schema).read(null, decoder);
        if (!decoder.isEnd()) {
            throw new IOException("bytes are left");
        }
        return record;
    }

    /** Returns the record as a {@link Tree}. */
    public static List<@Nullable Object> tree(Struct struct, IndexedRecord record) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < struct.fields().size(); i++) {
            values.add(tree(struct.fields().get(i).type(), record.get(i)));
        }
        return values;
    }

    private static @Nullable Object tree(FieldType type, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (type instanceof Struct struct) {
            return tree(struct, (IndexedRecord) value);
        }
        if (type instanceof ListOf list) {
            List<@Nullable Object> elements = new ArrayList<>();
            ((List<?>) value).forEach(element -> elements.add(tree(list.element(), element)));
            return elements;
        }
        if (type instanceof MapOf map) {
            return value instanceof Map<?, ?> entries ? entries(map, entries) : entries(map, (List<?>) value);
        }
        if (value instanceof Number number) {
            return type instanceof Real ? (Object) number.doubleValue() : (Object) number.longValue();
        }
        return type instanceof Uuid ? uuid(value) : scalar(value);
    }

    private static List<@Nullable Object> entries(MapOf map, Map<?, ?> value) {
        List<@Nullable Object> entries = new ArrayList<>();
        value.forEach((key, each) -> entries.add(Arrays.asList(scalar(key), tree(map.value(), each))));
        return entries;
    }

    private static List<@Nullable Object> entries(MapOf map, List<?> value) {
        List<@Nullable Object> entries = new ArrayList<>();
        for (Object each : value) {
            IndexedRecord entry = (IndexedRecord) each;
            entries.add(Arrays.asList(tree(map.key(), entry.get(0)), tree(map.value(), entry.get(1))));
        }
        return entries;
    }

    private static Object uuid(Object value) {
        if (value instanceof GenericFixed fixed) {
            return ByteBuffer.wrap(fixed.bytes());
        }
        UUID uuid = value instanceof UUID parsed ? parsed : UUID.fromString(value.toString());
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .flip();
    }

    private static Object scalar(Object value) {
        if (value instanceof CharSequence || value instanceof GenericEnumSymbol) {
            return ByteBuffer.wrap(value.toString().getBytes(StandardCharsets.UTF_8));
        }
        return value instanceof GenericFixed fixed ? ByteBuffer.wrap(fixed.bytes()) : value;
    }
}
