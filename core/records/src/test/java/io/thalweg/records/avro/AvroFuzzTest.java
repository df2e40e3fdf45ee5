package io.thalweg.records.avro;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Damaged messages: the reader accepts them or throws {@link BadRecordException}, and allocates next to nothing. */
class AvroFuzzTest {
    private static final int SCHEMAS = 5;
    private static final int MUTATIONS = 1_000;
    private static final Limits LIMITS = new Limits(1 << 20, 1 << 14, 100, 20);

    /** Room for an exception and its message. */
    private static final long MOST_ALLOCATED = 1 << 14;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Checks the ranges of values and counts the reported values. */
    private static final class CountingWriter implements RecordWriter {
        private final byte[] noUse = {};
        private byte[] message = noUse;
        private int to;
        private long calls;

        void expect(byte[] bytes, int end) {
            message = bytes;
            to = end;
            calls = 0;
        }

        @Override
        public void bool(int slot, boolean value) {
            calls++;
        }

        @Override
        public void int64(int slot, long value) {
            calls++;
        }

        @Override
        public void float64(int slot, double value) {
            calls++;
        }

        @Override
        public void bytes(int slot, byte[] data, int from, int length) {
            calls++;
            int end = data == message ? to : data.length;
            if (from < 0 || length < 0 || from + length > end) {
                throw new AssertionError("bytes are reported beyond the message");
            }
        }

        @Override
        public void absent(int slot) {
            calls++;
        }

        @Override
        public void beginStruct(int slot) {
            calls++;
        }

        @Override
        public void endStruct(int slot) {
            calls++;
        }

        @Override
        public void beginList(int slot) {
            calls++;
        }

        @Override
        public void endList(int slot) {
            calls++;
        }

        @Override
        public void beginMap(int slot) {
            calls++;
        }

        @Override
        public void endMap(int slot) {
            calls++;
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_damagedMessage_throwsOnlyBadRecordException(long seed) {
        Random random = new Random(seed);
        CountingWriter writer = new CountingWriter();
        for (int i = 0; i < SCHEMAS; i++) {
            RandomAvro avro = new RandomAvro(random);
            Schema schema = avro.record();
            Schema table = random.nextBoolean() ? schema : new RandomEvolution(random).of(schema);
            AvroSchema ours = AvroSchema.parse(table.toString());
            Selection selection = random.nextBoolean()
                    ? RandomSelections.all(ours.struct())
                    : RandomSelections.random(ours.struct(), random);
            AvroReader reader = AvroReader.of(
                    AvroSchema.parse(schema.toString()), ours, Translation.of(ours.struct(), selection), LIMITS);
            byte[] other = avro.write(schema, avro.value(schema));
            for (int k = 0; k < MUTATIONS / 20; k++) {
                byte[] message = avro.write(schema, avro.value(schema));
                for (int j = 0; j < 20; j++) {
                    check(reader, Mutations.mutate(message, other, random), writer);
                }
            }
        }
    }

    /** Throwing an exception for the first time links its message, which allocates more, so a second attempt decides. */
    private static void check(AvroReader reader, byte[] message, CountingWriter writer) {
        if (allocated(reader, message, writer) <= MOST_ALLOCATED) {
            return;
        }
        long allocated = allocated(reader, message, writer);
        if (allocated > MOST_ALLOCATED) {
            throw new AssertionError(allocated + " bytes were allocated for " + Arrays.toString(message));
        }
    }

    private static long allocated(AvroReader reader, byte[] message, CountingWriter writer) {
        writer.expect(message, message.length);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            reader.read(message, 0, message.length, writer);
        } catch (BadRecordException e) {
            if (e.detail().length() > 1_000) {
                throw new AssertionError("a detail of " + e.detail().length() + " characters: " + e.detail());
            }
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_messageCutAnywhere_throws(long seed) {
        Random random = new Random(seed);
        RandomAvro avro = new RandomAvro(random);
        Schema schema = avro.record();
        AvroSchema ours = AvroSchema.parse(schema.toString());
        AvroReader reader = ours.reader(
                Translation.of(ours.struct(), RandomSelections.random(ours.struct(), random)), Limits.DEFAULT);
        byte[] message = avro.write(schema, avro.value(schema));
        CountingWriter writer = new CountingWriter();
        for (int to = 0; to < message.length; to++) {
            writer.expect(message, to);
            try {
                reader.read(message, 0, to, writer);
            } catch (BadRecordException e) {
                continue;
            }
            throw new AssertionError(schema + " was read from a message cut at " + to);
        }
    }

    /** The library must accept every message that we accept, and read the same values. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_damagedMessageThatIsAccepted_equalsLibrary(long seed) {
        Random random = new Random(seed);
        RandomAvro avro = new RandomAvro(random);
        Schema schema = avro.record();
        AvroSchema ours = AvroSchema.parse(schema.toString());
        Selection all = RandomSelections.all(ours.struct());
        if (all.columns().size() < schema.getFields().size()) {
            return;
        }
        Translation translation = Translation.of(ours.struct(), all);
        AvroReader reader = ours.reader(translation, Limits.DEFAULT);
        NaiveRows rows = new NaiveRows(translation.target());
        byte[] other = avro.write(schema, avro.value(schema));
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] message = Mutations.mutate(avro.write(schema, avro.value(schema)), other, random);
            Map<String, @Nullable Object> row;
            try {
                reader.read(message, 0, message.length, rows);
                row = rows.take();
            } catch (BadRecordException e) {
                rows.reset();
                continue;
            }
            assertThat(row)
                    .as("%s in %s", schema, Arrays.toString(message))
                    .isEqualTo(NaiveAvro.row(schema, RandomAvro.read(schema, schema, message)));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_goodMessages_allocatesNothing(long seed) {
        Random random = new Random(seed);
        RandomAvro avro = new RandomAvro(random);
        Schema schema = avro.record();
        AvroSchema ours = AvroSchema.parse(schema.toString());
        AvroReader reader =
                ours.reader(Translation.of(ours.struct(), RandomSelections.all(ours.struct())), Limits.DEFAULT);
        byte[] message = avro.write(schema, avro.value(schema));
        CountingWriter writer = new CountingWriter();
        if (message.length == 0) {
            return;
        }
        writer.expect(message, message.length);
        reader.read(message, 0, message.length, writer);
        long calls = writer.calls;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            reader.read(message, 0, message.length, writer);
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(100);
        assertThat(writer.calls).isEqualTo(calls * 101);
    }
}
