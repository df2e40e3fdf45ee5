package io.thalweg.records.thrift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Damaged messages lead to bad records or to complete rows, and cost no more than their bytes. */
class ThriftFuzzTest {
    /** With the 20 seeds that are the default: 100,000 mutations. */
    private static final int SCHEMAS_PER_SEED = 5;

    private static final int MUTATIONS_PER_MESSAGE = 100;
    private static final int MESSAGES = 5;

    /** Cutting a message at each byte takes time quadratic in its length. */
    private static final int LONGEST_TO_CUT = 2_000;

    /** Room for an exception, its message, and the strings from which it is built. */
    private static final int ALLOCATION_OF_A_FAULT = 4_096;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String[] HUGE = {
        "7FFFFFFF", "FFFFFFFF", "80000000", "00100000", "FFFFFFFF07", "FFFFFFFF0F", "8080808008"
    };

    /** A reader, and a row that its calls go to. */
    private static final class Subject {
        final RecordReader reader;
        final NaiveRows rows;
        final RandomIdl idl;
        final Protocol protocol;

        Subject(Random random, Protocol protocol) {
            this.idl = new RandomIdl(random);
            this.protocol = protocol;
            ThriftSchema schema = idl.schema();
            Translation translation = Translation.of(schema.struct(), RandomSelection.of(schema.struct(), random));
            this.reader = schema.reader(protocol, translation, Limits.DEFAULT);
            this.rows = new NaiveRows(translation.target());
        }

        List<byte[]> messages(int count) {
            List<byte[]> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                messages.add(idl.bytes(idl.message(), protocol));
            }
            return messages;
        }

        /** Returns whether a message is good; the row of a good message must be complete. */
        boolean isGood(byte[] data, int from, int to) {
            rows.start();
            try {
                reader.read(data, from, to, rows);
            } catch (BadRecordException e) {
                assertThat(e.detail()).isNotBlank();
                return false;
            }
            rows.finish();
            return true;
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_mutations_areBadOrComplete(long seed) {
        Random random = new Random(seed);
        for (int s = 0; s < SCHEMAS_PER_SEED; s++) {
            for (Protocol protocol : Protocol.values()) {
                Subject subject = new Subject(random, protocol);
                List<byte[]> messages = subject.messages(MESSAGES);
                for (int i = 0; i < MESSAGES * MUTATIONS_PER_MESSAGE; i++) {
                    byte[] mutated = mutated(messages, random);
                    subject.isGood(mutated, 0, mutated.length);
                }
                assertThat(subject.isGood(messages.get(0), 0, messages.get(0).length))
                        .as("the reader survives what is bad")
                        .isTrue();
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_cutOffAtAnyByte_isBad(long seed) {
        Random random = new Random(seed);
        for (Protocol protocol : Protocol.values()) {
            Subject subject = new Subject(random, protocol);
            List<byte[]> messages = subject.messages(5);
            messages.removeIf(message -> message.length > LONGEST_TO_CUT);
            for (byte[] message : messages) {
                for (int length = 0; length < message.length; length++) {
                    assertThat(subject.isGood(message, 0, length))
                            .as(
                                    "%s cut off at %d: %s",
                                    protocol, length, HexFormat.of().formatHex(message))
                            .isFalse();
                }
                assertThat(subject.isGood(message, 0, message.length)).isTrue();
            }
        }
    }

    private static byte[] mutated(List<byte[]> messages, Random random) {
        byte[] message = messages.get(random.nextInt(messages.size())).clone();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            message = mutation(message, messages, random);
        }
        return message;
    }

    private static byte[] mutation(byte[] message, List<byte[]> messages, Random random) {
        if (message.length == 0) {
            return message;
        }
        int at = random.nextInt(message.length);
        switch (random.nextInt(7)) {
            case 0 -> message[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> message[at] = (byte) random.nextInt();
            case 2 -> {
                return Arrays.copyOf(message, at);
            }
            case 3 -> {
                return spliced(message, at, messages.get(random.nextInt(messages.size())), random);
            }
            case 4 -> {
                return spliced(message, at, HexFormat.of().parseHex(HUGE[random.nextInt(HUGE.length)]), random);
            }
            case 5 -> {
                byte[] huge = HexFormat.of().parseHex(HUGE[random.nextInt(HUGE.length)]);
                System.arraycopy(huge, 0, message, at, Math.min(huge.length, message.length - at));
            }
            default -> random.nextBytes(message);
        }
        return message;
    }

    /** Returns the start of one message followed by the rest of another. */
    private static byte[] spliced(byte[] message, int at, byte[] other, Random random) {
        int from = random.nextInt(other.length);
        byte[] spliced = Arrays.copyOf(message, at + other.length - from);
        System.arraycopy(other, from, spliced, at, other.length - from);
        return spliced;
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void read_anyMessage_allocatesNothingButTheFault(Protocol protocol) {
        RecordWriter nowhere = new Nowhere();
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            Subject subject = new Subject(random, protocol);
            List<byte[]> messages = subject.messages(20);
            for (int i = 0; i < 50; i++) {
                byte[] good = messages.get(random.nextInt(messages.size()));
                byte[] bad = mutated(messages, random);
                allocated(subject.reader, good, nowhere); // The first time loads classes and links code.
                allocated(subject.reader, bad, nowhere);
                assertThat(allocated(subject.reader, good, nowhere)).isZero();
                assertThat(allocated(subject.reader, bad, nowhere)).isLessThan(ALLOCATION_OF_A_FAULT);
            }
        }
    }

    private static long allocated(RecordReader reader, byte[] message, RecordWriter writer) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            reader.read(message, 0, message.length, writer);
        } catch (BadRecordException e) {
            return THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    /** Compiled frames are larger than interpreted ones, because calls are inlined into them. Both are tested. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void read_smallStack_isEnoughForAnyDepth(Protocol protocol) throws InterruptedException {
        ThriftSchema schema = ThriftSchema.parse("x", name -> name.equals("x") ? "struct X { 1: i32 a }" : null, null);
        byte[] deep = HexFormat.of().parseHex((protocol == Protocol.BINARY ? "0C0063" : "2C").repeat(100_000));
        Limits unlimited = new Limits(1 << 20, 1 << 20, 1, Integer.MAX_VALUE);
        RecordReader reader = schema.reader(protocol, Translation.of(schema.struct(), Selection.ALL), unlimited);
        for (int i = 0; i < 5_000; i++) {
            Throwable thrown = i % 1_000 == 0
                    ? thrownWithSmallStack(() -> reader.read(deep, 0, deep.length, new Nowhere()))
                    : catchThrowable(() -> reader.read(deep, 0, deep.length, new Nowhere()));
            assertThat(thrown).isInstanceOf(BadRecordException.class).hasMessageContaining("128 levels");
        }
    }

    private static @Nullable Throwable thrownWithSmallStack(Runnable code) throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(null, code, "small stack", 512 << 10);
        thread.setUncaughtExceptionHandler((t, e) -> thrown.add(e));
        thread.start();
        thread.join();
        return thrown.isEmpty() ? null : thrown.get(0);
    }

    /** Drops everything. */
    private static final class Nowhere implements RecordWriter {
        @Override
        public void bool(int slot, boolean value) {}

        @Override
        public void int64(int slot, long value) {}

        @Override
        public void float64(int slot, double value) {}

        @Override
        public void bytes(int slot, byte[] data, int from, int length) {}

        @Override
        public void absent(int slot) {}

        @Override
        public void beginStruct(int slot) {}

        @Override
        public void endStruct(int slot) {}

        @Override
        public void beginList(int slot) {}

        @Override
        public void endList(int slot) {}

        @Override
        public void beginMap(int slot) {}

        @Override
        public void endMap(int slot) {}
    }
}
