package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.values.ByRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the reader with its naive twin: random schemas, selections and messages. */
class JsonOracleTest {
    private static final int DOCUMENTS = 60;

    /** Two hundred fresh seeds; {@code -Dthalweg.seed=S} replays one. */
    static LongStream seeds() {
        Long replayed = Long.getLong("thalweg.seed");
        return replayed != null ? LongStream.of(replayed) : new Random().longs(200);
    }

    /** A selection, and its columns for the naive twin. */
    private record Selected(Selection selection, List<NaiveJson.Column> columns) {}

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void read_randomMessages_givesWhatTheNaiveTwinGives(long seed) {
        Random random = new Random(seed);
        RandomType root = RandomType.root(random);
        String text = root.schema(random);
        JsonSchema schema = JsonSchema.parse(text, "random.json");
        assertThat(schema.struct()).as(text).isEqualTo(root.neutral());
        Selected selected = random.nextInt(4) == 0 ? all(root) : some(root, random);
        Translation translation = Translation.of(schema.struct(), selected.selection);
        JsonReader reader = schema.reader(translation, Limits.DEFAULT);
        ByRow byRow = new ByRow(translation.target());
        for (int i = 0; i < DOCUMENTS; i++) {
            RandomDocument documents = new RandomDocument(random, i % 2 == 0 ? 0 : 20);
            byte[] message = documents.bytes(root);
            Object expected = expected(root, selected.columns, message);
            Object actual = actual(reader, message);
            if (i % 2 == 0) {
                assertThat(expected)
                        .as("%s%nwith %s", new String(message, UTF_8), text)
                        .isNotInstanceOf(RecordFault.class);
            }
            // The twins may report different ones of several faults.
            boolean bothBad = documents.faulty > 1 && expected instanceof RecordFault && actual instanceof RecordFault;
            if (!bothBad && !expected.equals(actual)) {
                assertThat(actual)
                        .as("%s%nwith %s%nby %s", new String(message, UTF_8), text, selected.selection)
                        .isEqualTo(expected);
            }
            if (!(actual instanceof RecordFault)) {
                byRow.check(reader, message, 0, message.length);
            }
        }
    }

    private static Object expected(RandomType root, List<NaiveJson.Column> columns, byte[] message) {
        try {
            return NaiveJson.row(root, columns, message);
        } catch (BadRecordException e) {
            return e.fault();
        }
    }

    private static Object actual(JsonReader reader, byte[] message) {
        NaiveRows rows = new NaiveRows();
        try {
            reader.read(message, 0, message.length, rows);
            return rows.row();
        } catch (BadRecordException e) {
            return e.fault();
        }
    }

    private static Selected all(RandomType root) {
        List<NaiveJson.Column> columns = new ArrayList<>();
        root.members().forEach((name, member) -> columns.add(new NaiveJson.Column(List.of(name), member.type())));
        return new Selected(Selection.ALL, columns);
    }

    /** Some fields, from any depth, some of them several times. */
    private static Selected some(RandomType root, Random random) {
        List<NaiveJson.Column> candidates = new ArrayList<>();
        collect(root, List.of(), candidates);
        List<NaiveJson.Column> columns = new ArrayList<>();
        List<Selection.Column> selected = new ArrayList<>();
        for (int i = 1 + random.nextInt(8); i > 0; i--) {
            NaiveJson.Column column = candidates.get(random.nextInt(candidates.size()));
            columns.add(column);
            selected.add(new Selection.Column("column" + i, column.path()));
        }
        return new Selected(new Selection(selected), columns);
    }

    private static void collect(RandomType type, List<String> path, List<NaiveJson.Column> columns) {
        type.members().forEach((name, member) -> {
            List<String> below = new ArrayList<>(path);
            below.add(name);
            columns.add(new NaiveJson.Column(List.copyOf(below), member.type()));
            collect(member.type(), below, columns);
        });
    }
}
