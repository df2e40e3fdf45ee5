package io.thalweg.records.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.Utf8;
import org.jspecify.annotations.Nullable;

/** Random schemas and values of every type, written and read by Avro's library. */
final class RandomAvro {
    private static final int DEEPEST_SCHEMA = 4;
    private static final int DEEPEST_VALUE = 16;

    /** After this many values, lists are empty and optional values are null. */
    private static final int MOST_VALUES = 150;

    private static final int PADDING = 1 << 12;
    private static final String ALPHABET = "abcXYZ 019_-äß€漢\u0000\u007f";

    private final Random random;
    private final List<Schema> open = new ArrayList<>();
    private int names;
    private int left;

    RandomAvro(Random random) {
        this.random = random;
    }

    Schema record() {
        return record(0);
    }

    private Schema record(int depth) {
        Schema schema = Schema.createRecord("Record" + names++, null, "test", false);
        open.add(schema);
        List<Schema.Field> fields = new ArrayList<>();
        int count = depth == 0 ? 1 + random.nextInt(random.nextInt(8) == 0 ? 80 : 8) : random.nextInt(5);
        for (int i = 0; i < count; i++) {
            fields.add(new Schema.Field("f" + i, type(depth + 1), null, (Object) null));
        }
        open.remove(schema);
        schema.setFields(fields);
        return schema;
    }

    /** Returns any type, including a record within itself. */
    private Schema type(int depth) {
        int kind = random.nextInt(depth < DEEPEST_SCHEMA ? 18 : 11);
        if (kind < 8) {
            return plain();
        }
        if (kind < 11) {
            return optional(plain());
        }
        return switch (kind) {
            case 11 -> Schema.createArray(type(depth + 1));
            case 12 -> Schema.createMap(type(depth + 1));
            case 13, 14 -> union(depth);
            case 15 -> Schema.create(Schema.Type.NULL);
            case 16 -> optional(open.get(random.nextInt(open.size())));
            default -> record(depth + 1);
        };
    }

    private Schema optional(Schema type) {
        Schema none = Schema.create(Schema.Type.NULL);
        return Schema.createUnion(random.nextBoolean() ? List.of(none, type) : List.of(type, none));
    }

    private Schema union(int depth) {
        Map<String, Schema> branches = new HashMap<>();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            Schema branch = random.nextInt(4) == 0 ? Schema.create(Schema.Type.NULL) : branch(depth + 1);
            branches.put(branch.getFullName(), branch);
        }
        List<Schema> shuffled = new ArrayList<>(branches.values());
        Collections.shuffle(shuffled, random);
        return Schema.createUnion(shuffled);
    }

    private Schema branch(int depth) {
        Schema type = type(depth);
        while (type.getType() == Schema.Type.UNION) {
            type = type(depth);
        }
        return type;
    }

    private Schema plain() {
        return switch (random.nextInt(22)) {
            case 0 -> Schema.create(Schema.Type.BOOLEAN);
            case 1 -> Schema.create(Schema.Type.INT);
            case 2 -> Schema.create(Schema.Type.LONG);
            case 3 -> Schema.create(Schema.Type.FLOAT);
            case 4 -> Schema.create(Schema.Type.DOUBLE);
            case 5, 6 -> Schema.create(Schema.Type.STRING);
            case 7 -> Schema.create(Schema.Type.BYTES);
            case 8 -> fixed(random.nextInt(20));
            case 9 -> Schema.createEnum("Enum" + names++, null, "test", List.of("A", "B", "C_LONGER"));
            case 10 -> logical(LogicalTypes.date(), Schema.Type.INT);
            case 11 -> logical(LogicalTypes.timeMillis(), Schema.Type.INT);
            case 12 -> logical(LogicalTypes.timeMicros(), Schema.Type.LONG);
            case 13 -> logical(LogicalTypes.timestampMillis(), Schema.Type.LONG);
            case 14 -> logical(LogicalTypes.timestampMicros(), Schema.Type.LONG);
            case 15 -> logical(LogicalTypes.timestampNanos(), Schema.Type.LONG);
            case 16 -> logical(LogicalTypes.localTimestampMillis(), Schema.Type.LONG);
            case 17 -> logical(LogicalTypes.localTimestampNanos(), Schema.Type.LONG);
            case 18 -> LogicalTypes.uuid().addToSchema(Schema.create(Schema.Type.STRING));
            case 19 -> LogicalTypes.uuid().addToSchema(fixed(16));
            case 20 -> LogicalTypes.decimal(1 + random.nextInt(38)).addToSchema(Schema.create(Schema.Type.BYTES));
            default -> LogicalTypes.decimal(9, 2).addToSchema(fixed(4 + random.nextInt(16)));
        };
    }

    private Schema fixed(int size) {
        return Schema.createFixed("Fixed" + names++, null, "test", size);
    }

    private static Schema logical(LogicalType logical, Schema.Type type) {
        return logical.addToSchema(Schema.create(type));
    }

    @Nullable
    Object value(Schema schema) {
        left = MOST_VALUES;
        return value(schema, 0);
    }

    private @Nullable Object value(Schema schema, int depth) {
        left--;
        return switch (schema.getType()) {
            case NULL -> null;
            case BOOLEAN -> random.nextBoolean();
            case INT ->
                schema.getLogicalType() == null
                        ? (Object) (random.nextInt() >> random.nextInt(32))
                        : (Object) random.nextInt(86_400_000);
            case LONG ->
                schema.getLogicalType() instanceof LogicalTypes.TimeMicros
                        ? random.nextLong(86_400_000_000L)
                        : random.nextLong()
                                >> (schema.getLogicalType() == null ? random.nextInt(64) : 14 + random.nextInt(50));
            case FLOAT -> random.nextInt(10) == 0 ? Float.NaN : (float) random.nextGaussian();
            case DOUBLE -> random.nextInt(10) == 0 ? Double.NEGATIVE_INFINITY : random.nextGaussian();
            case STRING ->
                schema.getLogicalType() != null
                        ? new Utf8(new UUID(random.nextLong(), random.nextLong()).toString())
                        : new Utf8(text());
            case BYTES ->
                ByteBuffer.wrap(
                        schema.getLogicalType() instanceof LogicalTypes.Decimal decimal
                                ? unscaled(decimal.getPrecision()).toByteArray()
                                : bytes(random.nextInt(40)));
            case FIXED ->
                new GenericData.Fixed(
                        schema,
                        schema.getLogicalType() instanceof LogicalTypes.Decimal decimal
                                ? padded(unscaled(decimal.getPrecision()), schema.getFixedSize())
                                : bytes(schema.getFixedSize()));
            case ENUM ->
                new GenericData.EnumSymbol(
                        schema,
                        schema.getEnumSymbols()
                                .get(random.nextInt(schema.getEnumSymbols().size())));
            case ARRAY -> array(schema, depth);
            case MAP -> map(schema, depth);
            case UNION -> value(branchOf(schema, depth), depth);
            case RECORD -> recordValue(schema, depth);
        };
    }

    private boolean isEnough(int depth) {
        return depth > DEEPEST_VALUE || left < 0;
    }

    private Schema branchOf(Schema union, int depth) {
        List<Schema> types = union.getTypes();
        for (Schema type : types) {
            if (isEnough(depth) && type.getType() == Schema.Type.NULL) {
                return type;
            }
        }
        return types.get(random.nextInt(types.size()));
    }

    private List<@Nullable Object> array(Schema schema, int depth) {
        List<@Nullable Object> list = new ArrayList<>();
        int size = isEnough(depth) ? 0 : random.nextInt(5);
        for (int i = 0; i < size; i++) {
            list.add(value(schema.getElementType(), depth + 1));
        }
        return list;
    }

    private Map<Utf8, @Nullable Object> map(Schema schema, int depth) {
        Map<Utf8, @Nullable Object> map = new HashMap<>();
        int size = isEnough(depth) ? 0 : random.nextInt(4);
        for (int i = 0; i < size; i++) {
            map.put(new Utf8(text()), value(schema.getValueType(), depth + 1));
        }
        return map;
    }

    private GenericData.Record recordValue(Schema schema, int depth) {
        GenericData.Record row = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
            row.put(field.pos(), value(field.schema(), depth + 1));
        }
        return row;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(random.nextInt(20) == 0 ? 300 : 20);
        for (int i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.append(random.nextInt(9) == 0 ? "\uD83D\uDE00" : "").toString();
    }

    byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private BigInteger unscaled(int precision) {
        BigInteger magnitude = new BigInteger(130, random).mod(BigInteger.TEN.pow(1 + random.nextInt(precision)));
        return random.nextBoolean() ? magnitude : magnitude.negate();
    }

    private static byte[] padded(BigInteger value, int size) {
        byte[] bytes = value.toByteArray();
        byte[] padded = new byte[size];
        Arrays.fill(padded, (byte) (value.signum() < 0 ? -1 : 0));
        System.arraycopy(bytes, 0, padded, size - bytes.length, bytes.length);
        return padded;
    }

    /** Writes a value with Avro's library, randomly in blocks with or without their size. */
    byte[] write(Schema schema, @Nullable Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            EncoderFactory encoders = new EncoderFactory().configureBlockSize(64);
            BinaryEncoder encoder = random.nextBoolean()
                    ? encoders.binaryEncoder(out, null)
                    : encoders.blockingBinaryEncoder(out, null);
            new GenericDatumWriter<@Nullable Object>(schema).write(value, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /**
     * Reads a value with Avro's library, followed by extra bytes. The library estimates the minimum size of an array from the
     * table's type; without the extra bytes it would refuse ints that are read as doubles.
     */
    static Object read(Schema writer, Schema table, byte[] message) {
        byte[] padded = Arrays.copyOf(message, message.length + PADDING);
        try {
            return new GenericDatumReader<>(writer, table)
                    .read(null, DecoderFactory.get().binaryDecoder(padded, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
