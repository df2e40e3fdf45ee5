package io.thalweg.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.JsonBytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DistinctKeysTest {
    private static final FieldType TEXTS = new MapOf(FieldType.TEXT, FieldType.INT64, false);

    private static Struct one(FieldType type) {
        return new Struct(List.of(Field.optional("v", type), Field.optional("w", FieldType.INT64)));
    }

    private interface Calls {
        void on(RecordWriter writer);
    }

    /** Returns what a row becomes, as JSON. */
    private static String written(FieldType type, Calls calls) {
        Struct schema = one(type);
        JsonBytes json = new JsonBytes(schema);
        DistinctKeys keys = new DistinctKeys(schema);
        String text = "";
        // The second row must not see anything of the first.
        for (int row = 0; row < 2; row++) {
            json.begin();
            RecordWriter writer = keys.to(json);
            calls.on(writer);
            writer.int64(FieldType.slots(type), 7);
            json.end();
            text = new String(json.data(), json.from(), json.to() - json.from(), UTF_8);
        }
        return text;
    }

    private static void text(RecordWriter writer, int slot, String text) {
        byte[] data = text.getBytes(UTF_8);
        writer.bytes(slot, data, 0, data.length);
    }

    @Test
    void map_keyTwice_hasTheLastValue() {
        assertThat(written(TEXTS, writer -> {
                    writer.beginMap(0);
                    for (String key : List.of("a", "b", "a", "", "a", "b")) {
                        text(writer, 1, key);
                        writer.int64(2, key.length());
                    }
                    text(writer, 1, "b");
                    writer.absent(2);
                    writer.endMap(0);
                }))
                .isEqualTo("{\"v\":{\"\":0,\"a\":1,\"b\":null},\"w\":7}");
    }

    @Test
    void map_fractions_areComparedAsDoubleDoes() {
        FieldType type = new MapOf(FieldType.DOUBLE, FieldType.INT64, false);
        List<String> keys = new ArrayList<>();
        double[] numbers = {0.0, -0.0, Double.NaN, Double.longBitsToDouble(0x7ff8000000000001L), 0.0};
        DistinctKeys distinct = new DistinctKeys(one(type));
        RecordWriter writer = distinct.to(new Keys(keys));
        writer.beginMap(0);
        for (int i = 0; i < numbers.length; i++) {
            writer.float64(1, numbers[i]);
            writer.int64(2, i);
        }
        writer.endMap(0);
        assertThat(keys).containsExactly("-0.0=1", "NaN=3", "0.0=4");
    }

    /** The dropped entry contains maps with duplicate keys itself. */
    @Test
    void map_nested_hasDistinctKeysAtEachLevel() {
        FieldType type = new ListOf(new MapOf(FieldType.TEXT, new ListOf(TEXTS, true), false), true);
        assertThat(written(type, writer -> {
                    writer.beginList(0);
                    for (int map = 0; map < 2; map++) {
                        writer.beginMap(1);
                        for (int entry = 0; entry < 3; entry++) {
                            text(writer, 2, entry == 1 ? "y" : "x");
                            writer.beginList(3);
                            writer.beginMap(4);
                            for (int i = 0; i < 3; i++) {
                                text(writer, 5, i == 1 ? "q" : "p");
                                writer.int64(6, 100 * map + 10 * entry + i);
                            }
                            writer.endMap(4);
                            writer.endList(3);
                        }
                        writer.endMap(1);
                    }
                    writer.endList(0);
                }))
                .isEqualTo("{\"v\":[{\"y\":[{\"q\":11,\"p\":12}],\"x\":[{\"q\":21,\"p\":22}]},"
                        + "{\"y\":[{\"q\":111,\"p\":112}],\"x\":[{\"q\":121,\"p\":122}]}],\"w\":7}");
    }

    @Test
    void to_rowsWithoutMaps_isTheWriterItself() {
        JsonBytes json = new JsonBytes(one(FieldType.TEXT));
        assertThat(new DistinctKeys(one(FieldType.TEXT)).to(json)).isSameAs(json);
        assertThat(new DistinctKeys(one(one(TEXTS))).to(json)).isNotSameAs(json);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void map_randomKeys_isAsInALinkedHashMap(long seed) {
        Random random = new Random(seed);
        FieldType type = new MapOf(random.nextBoolean() ? FieldType.INT64 : FieldType.TEXT, FieldType.INT64, false);
        DistinctKeys distinct = new DistinctKeys(one(type));
        for (int map = 0; map < 20; map++) {
            Map<String, String> expected = new LinkedHashMap<>();
            List<String> entries = new ArrayList<>();
            RecordWriter writer = distinct.to(new Keys(entries));
            writer.beginMap(0);
            int entriesAtMost = 1 + random.nextInt(300);
            for (int i = random.nextInt(entriesAtMost); i > 0; i--) {
                long key = random.nextInt(entriesAtMost);
                if (((MapOf) type).key() == FieldType.TEXT) {
                    text(writer, 1, Long.toString(key));
                } else {
                    writer.int64(1, key);
                }
                writer.int64(2, i);
                // The last occurrence counts, at its place.
                expected.remove(Long.toString(key));
                expected.put(Long.toString(key), Integer.toString(i));
            }
            writer.endMap(0);
            assertThat(entries)
                    .isEqualTo(expected.entrySet().stream()
                            .map(each -> each.getKey() + "=" + each.getValue())
                            .toList());
        }
    }

    /** Collects the entries of one map. */
    private static final class Keys implements RecordWriter {
        private final List<String> entries;
        private String key = "";

        Keys(List<String> entries) {
            this.entries = entries;
        }

        @Override
        public void bool(int slot, boolean value) {
            throw new AssertionError();
        }

        @Override
        public void int64(int slot, long value) {
            if (slot == 1) {
                key = Long.toString(value);
            } else {
                entries.add(key + "=" + value);
            }
        }

        @Override
        public void float64(int slot, double value) {
            key = Double.toString(value);
        }

        @Override
        public void bytes(int slot, byte[] data, int from, int length) {
            key = new String(data, from, length, UTF_8);
        }

        @Override
        public void absent(int slot) {
            throw new AssertionError();
        }

        @Override
        public void beginStruct(int slot) {
            throw new AssertionError();
        }

        @Override
        public void endStruct(int slot) {
            throw new AssertionError();
        }

        @Override
        public void beginList(int slot) {
            throw new AssertionError();
        }

        @Override
        public void endList(int slot) {
            throw new AssertionError();
        }

        @Override
        public void beginMap(int slot) {
            entries.clear();
        }

        @Override
        public void endMap(int slot) {
            // Nothing is open.
        }
    }
}
