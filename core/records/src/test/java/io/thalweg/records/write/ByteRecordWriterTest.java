package io.thalweg.records.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The common contract of all writers: libraries read the messages, and the order of fields does not matter. */
class ByteRecordWriterTest {
    private static final int RECORDS = 20;

    /** A reader from a third-party library. */
    private interface Oracle {
        List<@Nullable Object> read(byte[] data, int from, int to) throws Exception;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void avro_randomRecords_areWhatTheLibraryReads(long seed) throws Exception {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.next(random, true);
        Schema avro = AvroSchemas.of(schema, "record");
        check(
                schema,
                new AvroBytes(schema),
                random,
                true,
                (data, from, to) -> AvroOracle.tree(schema, AvroOracle.read(avro, data, from, to)));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void thriftBinary_randomRecords_areWhatTheLibraryReads(long seed) throws Exception {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.next(random, false);
        check(
                schema,
                ThriftBytes.binary(schema, ThriftOracle.LAYOUT),
                random,
                false,
                (data, from, to) -> ThriftOracle.read(schema, false, data, from, to));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void thriftCompact_randomRecords_areWhatTheLibraryReads(long seed) throws Exception {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.next(random, false);
        check(
                schema,
                ThriftBytes.compact(schema, ThriftOracle.LAYOUT),
                random,
                false,
                (data, from, to) -> ThriftOracle.read(schema, true, data, from, to));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void json_randomRecords_areWhatTheLibraryReads(long seed) throws Exception {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.next(random, true);
        check(
                schema,
                new JsonBytes(schema),
                random,
                false,
                (data, from, to) -> JsonOracle.read(schema, data, from, to));
    }

    private static void check(Struct schema, ByteRecordWriter writer, Random random, boolean hashed, Oracle oracle)
            throws Exception {
        RandomRecords records = new RandomRecords(random);
        for (int i = 0; i < RECORDS; i++) {
            List<@Nullable Object> record = records.struct(schema);
            byte[] message = message(schema, record, writer, null);
            List<@Nullable Object> read = oracle.read(message, 0, message.length);
            assertThat(hashed ? unordered(schema, read) : read)
                    .as("%s", schema)
                    .isEqualTo(hashed ? unordered(schema, record) : record);
            assertThat(message(schema, record, writer, random)).isEqualTo(message);
        }
    }

    private static byte[] message(
            Struct schema, List<@Nullable Object> record, ByteRecordWriter writer, @Nullable Random shuffle) {
        writer.begin();
        Tree.play(schema, record, writer, shuffle);
        writer.end();
        return Arrays.copyOfRange(writer.data(), writer.from(), writer.to());
    }

    /** Avro's library reads maps into hash maps: the order of their entries is lost. */
    private static Object unordered(Object type, @Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (type instanceof Struct struct) {
            Object[] values = new Object[struct.fields().size()];
            Arrays.setAll(values, i -> unordered(struct.fields().get(i).type(), ((List<?>) value).get(i)));
            return List.of(values);
        }
        if (type instanceof ListOf list) {
            return ((List<?>) value)
                    .stream().map(each -> unordered(list.element(), each)).toList();
        }
        if (type instanceof MapOf map) {
            HashSet<Object> entries = new HashSet<>();
            for (Object entry : (List<?>) value) {
                List<?> pair = (List<?>) entry;
                entries.add(List.of(unordered(map.key(), pair.get(0)), unordered(map.value(), pair.get(1))));
            }
            return entries;
        }
        return value;
    }
}
