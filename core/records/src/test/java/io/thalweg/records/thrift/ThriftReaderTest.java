package io.thalweg.records.thrift;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.values.ByRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares messages of random schemas, written by Thrift's own library, with the values that were written. */
class ThriftReaderTest {
    private static final int SCHEMAS_PER_SEED = 10;
    private static final int SELECTIONS = 4;
    private static final int MESSAGES = 6;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void struct_ofRandomIdl_isThatOfTheTypes(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS_PER_SEED; i++) {
            RandomIdl idl = new RandomIdl(random);
            assertThat(idl.schema().struct()).as(idl.text()).isEqualTo(idl.root.neutral(new HashSet<>()));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_messagesOfTheLibrary_haveTheValuesWritten(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS_PER_SEED; i++) {
            RandomIdl idl = new RandomIdl(random);
            ThriftSchema schema = idl.schema();
            for (int s = 0; s < SELECTIONS; s++) {
                Selection selection = RandomSelection.of(schema.struct(), random);
                for (Protocol protocol : Protocol.values()) {
                    compare(idl, schema, selection, protocol, random);
                }
            }
        }
    }

    private static void compare(
            RandomIdl idl, ThriftSchema schema, Selection selection, Protocol protocol, Random random) {
        Struct struct = schema.struct();
        Translation translation = Translation.of(struct, selection);
        RecordReader reader = schema.reader(protocol, translation, Limits.DEFAULT);
        NaiveRows rows = new NaiveRows(translation.target());
        ByRow byRow = new ByRow(translation.target());
        for (int m = 0; m < MESSAGES; m++) {
            Map<String, Object> message = idl.message();
            byte[] bytes = idl.bytes(message, protocol);
            int before = random.nextInt(3);
            byte[] data = new byte[before + bytes.length + random.nextInt(3)];
            Arrays.fill(data, (byte) 0xFF);
            System.arraycopy(bytes, 0, data, before, bytes.length);
            reader.read(data, before, before + bytes.length, rows);
            assertThat(rows.finish())
                    .as("%s %s of %s", protocol, selection, idl.text())
                    .isEqualTo(expected(idl, selection, message));
            byRow.check(reader, data, before, before + bytes.length);
        }
    }

    /** What is excluded is missing from the rows, at any depth; all else is as without it. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_excludedFields_areLeftOut(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS_PER_SEED; i++) {
            RandomIdl idl = new RandomIdl(random);
            ThriftSchema schema = idl.schema();
            Selection all = RandomSelection.all(schema.struct());
            List<List<String>> paths = RandomSelection.paths(schema.struct(), all);
            List<List<String>> excluded = new ArrayList<>();
            for (int e = paths.isEmpty() ? 0 : 1 + random.nextInt(3); e > 0; e--) {
                excluded.add(paths.get(random.nextInt(paths.size())));
            }
            Selection some = new Selection(
                    all.columns().stream()
                            .filter(column -> !excluded.contains(column.path()))
                            .toList(),
                    excluded);
            for (Protocol protocol : Protocol.values()) {
                byte[] bytes = idl.bytes(idl.message(), protocol);
                assertThat(row(schema, protocol, some, bytes))
                        .as("%s without %s of %s", protocol, excluded, idl.text())
                        .isEqualTo(RandomSelection.without(excluded, "", row(schema, protocol, all, bytes)));
            }
        }
    }

    private static Map<String, @Nullable Object> row(
            ThriftSchema schema, Protocol protocol, Selection selection, byte[] bytes) {
        Translation translation = Translation.of(schema.struct(), selection);
        NaiveRows rows = new NaiveRows(translation.target());
        schema.reader(protocol, translation, Limits.DEFAULT).read(bytes, 0, bytes.length, rows);
        return rows.finish();
    }

    private static Map<String, @Nullable Object> expected(
            RandomIdl idl, Selection selection, Map<String, Object> message) {
        Map<String, @Nullable Object> row = new HashMap<>();
        selection.columns().forEach(column -> row.put(column.name(), idl.root.expected(message, column.path())));
        return row;
    }
}
