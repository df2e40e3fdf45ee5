package io.thalweg.records.columns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.columns.NaiveColumns.Column;
import io.thalweg.records.columns.NaiveColumns.Entry;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.RandomRecords;
import io.thalweg.records.write.RandomSchemas;
import io.thalweg.records.write.Tree;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ColumnWriterTest {
    private static final int DEEPEST = 5;
    private static final int LONGEST = 12;
    private static final int BATCHES = 3;
    private static final int MESSAGES = 60;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void take_randomRecordsAmongBadOnes_areTheColumnsOfTheGoodOnes(long seed) {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.nested(random, DEEPEST);
        RandomRecords records = new RandomRecords(random, LONGEST);
        ColumnWriter writer = new ColumnWriter(schema);
        List<ColumnBatch> batches = new ArrayList<>();
        List<List<List<@Nullable Object>>> rows = new ArrayList<>();

        for (int batch = 0; batch < BATCHES; batch++) {
            rows.add(write(schema, records, random, writer));
            batches.add(writer.take());
        }

        for (int batch = 0; batch < BATCHES; batch++) {
            assertThat(batches.get(batch).rows()).isEqualTo(rows.get(batch).size());
            assertThat(columns(batches.get(batch))).isEqualTo(NaiveColumns.of(schema, rows.get(batch)));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void split_randomParts_areTheColumnsOfTheirRows(long seed) {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.nested(random, DEEPEST);
        ColumnWriter writer = new ColumnWriter(schema);
        List<List<@Nullable Object>> rows = write(schema, new RandomRecords(random, LONGEST), random, writer);
        int parts = 1 + random.nextInt(5);
        int[] partOfRow = random.ints(rows.size(), 0, parts).toArray();

        List<ColumnBatch> split = writer.take().split(partOfRow, parts);

        assertThat(split).hasSize(parts);
        for (int part = 0; part < parts; part++) {
            List<List<@Nullable Object>> expected = new ArrayList<>();
            for (int row = 0; row < partOfRow.length; row++) {
                if (partOfRow[row] == part) {
                    expected.add(rows.get(row));
                }
            }
            assertThat(split.get(part).rows()).isEqualTo(expected.size());
            assertThat(columns(split.get(part))).isEqualTo(NaiveColumns.of(schema, expected));
        }
    }

    /** Writes messages of one to three rows and cuts one message in three; returns the rows of the others. */
    private static List<List<@Nullable Object>> write(
            Struct schema, RandomRecords records, Random random, ColumnWriter writer) {
        List<List<@Nullable Object>> good = new ArrayList<>();
        for (int i = random.nextInt(MESSAGES); i > 0; i--) {
            boolean isGood = random.nextInt(3) > 0;
            writer.begin();
            for (int more = random.nextInt(3); more > 0; more--) {
                List<@Nullable Object> record = records.struct(schema);
                Tree.play(schema, record, writer, random);
                writer.end();
                if (isGood) {
                    good.add(record);
                }
                writer.beginAnother();
            }
            List<@Nullable Object> record = records.struct(schema);
            if (isGood) {
                Tree.play(schema, record, writer, random);
                writer.end();
                good.add(record);
            } else {
                playCut(schema, record, writer, random);
                writer.rollback();
            }
        }
        return good;
    }

    /** Reports a record to the end or, more often, to some call before it. */
    private static void playCut(Struct schema, List<?> record, RecordWriter writer, Random random) {
        int[] left = {random.nextInt(1 + random.nextInt(100))};
        RecordWriter cut = (RecordWriter) Proxy.newProxyInstance(
                RecordWriter.class.getClassLoader(), new Class<?>[] {RecordWriter.class}, (proxy, method, args) -> {
                    if (left[0]-- == 0) {
                        throw BadRecordException.undecodable("cut");
                    }
                    return method.invoke(writer, args);
                });
        try {
            Tree.play(schema, record, cut, random);
        } catch (BadRecordException e) {
            // The message is rolled back, like one that is bad at its last byte.
        }
    }

    private static List<Column> columns(ColumnBatch batch) {
        List<Column> columns = new ArrayList<>();
        for (LeafColumn leaf : batch.leaves()) {
            List<Entry> entries = new ArrayList<>();
            int value = 0;
            for (int i = 0; i < leaf.entries(); i++) {
                boolean isNull = leaf.definition(i) < leaf.maxDefinition();
                entries.add(new Entry(leaf.repetition(i), leaf.definition(i), isNull ? null : valueOf(leaf, value++)));
            }
            assertThat(leaf.values()).isEqualTo(value);
            columns.add(new Column(leaf.path(), leaf.type(), leaf.maxDefinition(), leaf.maxRepetition(), entries));
        }
        return columns;
    }

    private static Object valueOf(LeafColumn leaf, int value) {
        if (!leaf.isFixed()) {
            return ByteBuffer.wrap(Arrays.copyOfRange(leaf.data(), leaf.from(value), leaf.to(value)));
        }
        long bits = leaf.longAt(value);
        if (leaf.type() instanceof Bool) {
            return bits != 0;
        }
        return leaf.type() instanceof Real ? (Object) Double.longBitsToDouble(bits) : (Object) bits;
    }

    /** The schema, records and columns of figures 2 and 3 of the paper. */
    @Test
    void take_recordsOfTheDremelPaper_haveItsLevels() {
        Struct language =
                new Struct(List.of(Field.required("Code", FieldType.TEXT), Field.optional("Country", FieldType.TEXT)));
        Struct name = new Struct(
                List.of(Field.required("Language", new ListOf(language, true)), Field.optional("Url", FieldType.TEXT)));
        Struct links = new Struct(List.of(
                Field.required("Backward", new ListOf(FieldType.INT64, true)),
                Field.required("Forward", new ListOf(FieldType.INT64, true))));
        Struct document = new Struct(List.of(
                Field.required("DocId", FieldType.INT64),
                Field.optional("Links", links),
                Field.required("Name", new ListOf(name, true))));
        List<?> r1 = record(
                10L,
                record(record(), record(20L, 40L, 60L)),
                record(
                        record(record(record(text("en-us"), text("us")), record(text("en"), null)), text("http://A")),
                        record(record(), text("http://B")),
                        record(record(record(text("en-gb"), text("gb"))), null)));
        List<?> r2 = record(20L, record(record(10L, 30L), record(80L)), record(record(record(), text("http://C"))));
        ColumnWriter writer = new ColumnWriter(document);

        for (List<?> record : List.of(r1, r2)) {
            writer.begin();
            Tree.play(document, record, writer, null);
            writer.end();
        }

        assertThat(columns(writer.take()).stream().map(Column::entries))
                .containsExactly(
                        List.of(new Entry(0, 0, 10L), new Entry(0, 0, 20L)),
                        List.of(new Entry(0, 1, null), new Entry(0, 2, 10L), new Entry(1, 2, 30L)),
                        List.of(new Entry(0, 2, 20L), new Entry(1, 2, 40L), new Entry(1, 2, 60L), new Entry(0, 2, 80L)),
                        List.of(
                                new Entry(0, 2, text("en-us")),
                                new Entry(2, 2, text("en")),
                                new Entry(1, 1, null),
                                new Entry(1, 2, text("en-gb")),
                                new Entry(0, 1, null)),
                        List.of(
                                new Entry(0, 3, text("us")),
                                new Entry(2, 2, null),
                                new Entry(1, 1, null),
                                new Entry(1, 3, text("gb")),
                                new Entry(0, 1, null)),
                        List.of(
                                new Entry(0, 2, text("http://A")),
                                new Entry(1, 2, text("http://B")),
                                new Entry(1, 1, null),
                                new Entry(0, 2, text("http://C"))));
    }

    private static List<@Nullable Object> record(@Nullable Object... values) {
        return Arrays.asList(values);
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void rollback_firstMessage_leavesNoValueBytes() {
        ColumnWriter writer = new ColumnWriter(
                new Struct(List.of(Field.required("text", FieldType.TEXT), Field.optional("number", FieldType.INT64))));
        writer.begin();
        writer.bytes(0, new byte[100], 10, 90);
        writer.int64(1, 1);

        writer.rollback();

        assertThat(writer.rows()).isZero();
        assertThat(writer.take().valueBytes()).isZero();
    }

    @Test
    void valueBytes_textsAndNumbers_areTheirBytes() {
        ColumnWriter writer = new ColumnWriter(
                new Struct(List.of(Field.required("text", FieldType.TEXT), Field.optional("number", FieldType.INT64))));
        for (int i = 0; i < 3; i++) {
            writer.begin();
            writer.bytes(0, new byte[100], 10, 5);
            writer.int64(1, i);
            writer.end();
        }

        assertThat(writer.take().valueBytes()).isEqualTo(3 * 5 + 3 * 8);
    }

    @Test
    void take_oneLargeBatch_doesNotMakeTheNextOnesLarge() {
        ColumnWriter writer = new ColumnWriter(new Struct(List.of(Field.required("text", FieldType.TEXT))));
        for (int i = 0; i < 1_000; i++) {
            writer.begin();
            writer.bytes(0, new byte[1_000], 0, 1_000);
            writer.end();
        }

        assertThat(data(writer.take())).hasSizeLessThan(2_100_000);
        assertThat(data(writer.take())).hasSizeBetween(1_000_000, 1_200_000);
        assertThat(data(writer.take())).isEmpty();
    }

    private static byte[] data(ColumnBatch batch) {
        return batch.leaves().get(0).data();
    }

    @Test
    void constructor_recursiveField_namesIt() {
        Struct schema = new Struct(List.of(
                Field.optional("tree", new Struct(List.of(Field.optional("left", new Recursive("Tree")))))));

        assertThatThrownBy(() -> new ColumnWriter(schema))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'tree.left' recurses");
    }
}
