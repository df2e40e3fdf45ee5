package io.thalweg.records.avro;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.Limits;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.values.ByRow;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Avro's library writes and reads random values of random schemas; we must read the same. */
class AvroOracleTest {
    private static final int SCHEMAS = 3;
    private static final int MESSAGES = 5;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_sameSchema_equalsLibrary(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            RandomAvro avro = new RandomAvro(random);
            Schema schema = avro.record();
            check(avro, schema, schema, random);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_evolvedSchema_equalsLibrary(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            RandomAvro avro = new RandomAvro(random);
            Schema writer = avro.record();
            check(avro, writer, new RandomEvolution(random).of(writer), random);
        }
    }

    private static void check(RandomAvro avro, Schema writer, Schema table, Random random) {
        AvroSchema ours = AvroSchema.parse(table.toString());
        AvroSchema theirs = AvroSchema.parse(writer.toString());
        Selection all = RandomSelections.all(ours.struct());
        Selection some = RandomSelections.random(ours.struct(), random);
        for (Selection selection : new Selection[] {all, some}) {
            Translation translation = Translation.of(ours.struct(), selection);
            AvroReader reader = AvroReader.of(theirs, ours, translation, Limits.DEFAULT);
            NaiveRows rows = new NaiveRows(translation.target());
            ByRow byRow = new ByRow(translation.target());
            for (int i = 0; i < MESSAGES; i++) {
                byte[] message = avro.write(writer, avro.value(writer));
                Map<String, @Nullable Object> expected = NaiveAvro.row(table, RandomAvro.read(writer, table, message));
                if (message.length > 0) {
                    read(reader, message, random, rows);
                    assertThat(rows.take())
                            .as("%s read as %s", writer, table)
                            .isEqualTo(RandomSelections.expected(expected, selection));
                    byRow.check(reader, message, 0, message.length);
                }
            }
        }
    }

    /** The message need not start where the array does, nor end where it ends. */
    private static void read(AvroReader reader, byte[] message, Random random, NaiveRows rows) {
        int from = random.nextInt(10);
        byte[] around = new byte[from + message.length + random.nextInt(10)];
        random.nextBytes(around);
        System.arraycopy(message, 0, around, from, message.length);
        reader.read(around, from, from + message.length, rows);
    }
}
