package io.thalweg.records.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.records.generate.Corruption.Kind;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.AvroOracle;
import io.thalweg.records.write.AvroSchemas;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.JsonOracle;
import io.thalweg.records.write.ProtoBytes;
import io.thalweg.records.write.ProtoLayout;
import io.thalweg.records.write.ProtoOracle;
import io.thalweg.records.write.RandomSchemas;
import io.thalweg.records.write.ThriftBytes;
import io.thalweg.records.write.ThriftOracle;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class MessageGeneratorTest {
    private static final long SEED = 42;

    private static final Struct RIDE = new Struct(List.of(
            Field.required("id", FieldType.UUID),
            Field.required("at", FieldType.TIMESTAMP),
            Field.optional("rider", FieldType.INT64),
            Field.optional("status", new FieldType.Symbols(List.of("OPEN", "CLOSED"))),
            Field.required("fare", FieldType.DOUBLE),
            Field.required("note", FieldType.TEXT),
            Field.optional("comment", FieldType.TEXT),
            Field.required(
                    "stops",
                    new ListOf(
                            new Struct(List.of(
                                    Field.required("lat", FieldType.DOUBLE), Field.optional("name", FieldType.TEXT))),
                            true)),
            Field.required("tags", new MapOf(FieldType.TEXT, FieldType.TEXT, true))));

    private static final Struct RIDE_ID_AND_NOTE =
            new Struct(List.of(Field.required("id", FieldType.UUID), Field.required("note", FieldType.TEXT)));

    private static final Schema AVRO_RIDE = AvroSchemas.of(RIDE, "record");

    private static final GeneratorOptions SIZED = GeneratorOptions.DEFAULT.withSize(800, 2048);

    /** The formats, each with its writer and its library. */
    enum Format {
        THRIFT_BINARY,
        THRIFT_COMPACT,
        AVRO,
        JSON,
        PROTOBUF;

        ByteRecordWriter writer(Struct schema) {
            return switch (this) {
                case THRIFT_BINARY -> ThriftBytes.binary(schema, ThriftOracle.LAYOUT);
                case THRIFT_COMPACT -> ThriftBytes.compact(schema, ThriftOracle.LAYOUT);
                case AVRO -> new AvroBytes(schema);
                case JSON -> new JsonBytes(schema);
                case PROTOBUF -> new ProtoBytes(schema, ProtoLayout.TEXTUAL);
            };
        }

        /** Reads with the library of the format; throws if it cannot. */
        void read(Struct schema, byte[] data, int from, int to) throws Exception {
            switch (this) {
                case THRIFT_BINARY -> ThriftOracle.read(schema, false, data, from, to);
                case THRIFT_COMPACT -> ThriftOracle.read(schema, true, data, from, to);
                case JSON -> JsonOracle.read(schema, data, from, to);
                case PROTOBUF -> ProtoOracle.of(schema).read(data, from, to);
                default ->
                    AvroOracle.read(schema.equals(RIDE) ? AVRO_RIDE : AvroSchemas.of(schema, "record"), data, from, to);
            }
        }
    }

    private static MessageGenerator generator(
            Format format, Struct schema, GeneratorOptions options, Corruption corruption) {
        return new MessageGenerator(schema, options, corruption, format.writer(schema), SEED);
    }

    private static byte[] message(MessageGenerator generator, long index) {
        int length = generator.message(index);
        byte[] message = Arrays.copyOfRange(generator.data(), generator.from(), generator.to());
        assertThat(message).hasSize(length);
        return message;
    }

    @ParameterizedTest
    @EnumSource
    void message_anyOrderAndThreads_isTheSameBytes(Format format) throws Exception {
        Corruption corruption = Corruption.of(0.2);
        MessageGenerator forward = generator(format, RIDE, SIZED, corruption);
        List<byte[]> expected =
                IntStream.range(0, 200).mapToObj(i -> message(forward, i)).toList();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int first = thread * 50;
            tasks.add(() -> {
                MessageGenerator backward = generator(format, RIDE, SIZED, corruption);
                return IntStream.range(0, 200)
                        .map(i -> (first + 199 - i) % 200)
                        .allMatch(i -> Arrays.equals(message(backward, i), expected.get(i)));
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<Boolean> same : threads.invokeAll(tasks)) {
                assertThat(same.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_withText_hasExactlyTheDrawnSize(Format format) {
        MessageGenerator generator = generator(format, RIDE, SIZED, Corruption.NONE);
        long sum = 0;
        int smallest = Integer.MAX_VALUE;
        int largest = 0;
        int others = 0;
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            int length = generator.message(i);
            others += length == generator.target(i) ? 0 : 1;
            assertThat(length).isBetween(generator.target(i) - 2, generator.target(i));
            sum += length;
            smallest = Math.min(smallest, length);
            largest = Math.max(largest, length);
        }
        // In Protocol Buffers, one more character may also lengthen the enclosing lengths of a nested text.
        assertThat(others).isLessThanOrEqualTo(format == Format.PROTOBUF ? count / 200 : 0);
        assertThat(sum / (double) count).isCloseTo(1424, within(14.24));
        assertThat(smallest).isBetween(800, 810);
        assertThat(largest).isBetween(2038, 2048);
    }

    @ParameterizedTest
    @EnumSource
    void message_oneTextOfAnySize_isExactApartFromGaps(Format format) {
        Struct schema = new Struct(List.of(Field.required("v", FieldType.TEXT)));
        for (int size = 30;
                size < 17_000;
                size += size < 300 || (size > 8_100 && size < 8_300) || size > 16_300 ? 1 : 97) {
            int length = generator(format, schema, GeneratorOptions.DEFAULT.withSize(size, size), Corruption.NONE)
                    .message(0);
            boolean gap = (format == Format.AVRO && (size == 65 || size == 8_194))
                    || (format == Format.THRIFT_COMPACT && (size == 131 || size == 16_388))
                    || (format == Format.PROTOBUF && (size == 130 || size == 16_387));
            assertThat(length).as("%d bytes", size).isEqualTo(gap ? size - 1 : size);
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_twoTexts_haveNoGaps(Format format) {
        Struct schema = new Struct(List.of(Field.required("v", FieldType.TEXT), Field.required("w", FieldType.TEXT)));
        for (int size = 50; size < 500; size++) {
            MessageGenerator generator =
                    generator(format, schema, GeneratorOptions.DEFAULT.withSize(size, size), Corruption.NONE);
            for (int i = 0; i < 10; i++) {
                assertThat(generator.message(i)).isEqualTo(size);
            }
        }
    }

    @Test
    void message_lengthAroundTheMessage_isPartOfItsSize() {
        GeneratorOptions options = GeneratorOptions.DEFAULT.withSize(130, 400);
        MessageGenerator generator = new MessageGenerator(
                RIDE_ID_AND_NOTE, options, Corruption.NONE, new FramedBytes(RIDE_ID_AND_NOTE), SEED);
        for (int i = 0; i < 2_000; i++) {
            assertThat(generator.message(i)).isEqualTo(generator.target(i));
        }
        // 127 bytes and their length take 128, and 128 bytes take 130.
        for (int size = 30; size < 140; size++) {
            MessageGenerator one = new MessageGenerator(
                    RIDE_ID_AND_NOTE,
                    GeneratorOptions.DEFAULT.withSize(size, size),
                    Corruption.NONE,
                    new FramedBytes(RIDE_ID_AND_NOTE),
                    SEED);
            assertThat(one.message(0)).as("%d bytes", size).isEqualTo(size == 129 ? 128 : size);
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_largeCollections_shrinkToTheSize(Format format) throws Exception {
        GeneratorOptions options =
                GeneratorOptions.DEFAULT.withCollections(0, 300).withSize(400, 600);
        MessageGenerator generator = generator(format, RIDE, options, Corruption.NONE);
        for (int i = 0; i < 500; i++) {
            assertThat(generator.message(i)).isEqualTo(generator.target(i));
            format.read(RIDE, generator.data(), generator.from(), generator.to());
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_noText_isFilledWithBytes(Format format) {
        Struct schema =
                new Struct(List.of(Field.required("id", FieldType.INT32), Field.required("v", FieldType.BYTES)));
        MessageGenerator generator =
                generator(format, schema, GeneratorOptions.DEFAULT.withSize(1_000, 1_100), Corruption.NONE);
        for (int i = 0; i < 200; i++) {
            // Base64 has steps of four.
            assertThat(generator.message(i))
                    .isBetween(generator.target(i) - (format == Format.JSON ? 3 : 0), generator.target(i));
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_nothingToFill_staysAsItIs(Format format) throws Exception {
        Struct schema = new Struct(List.of(Field.required("id", FieldType.INT32), Field.required("v", FieldType.TEXT)));
        GeneratorOptions options =
                GeneratorOptions.DEFAULT.withSize(500, 600).withFields(Map.of("v", FieldOptions.distinct(10, 0)));
        MessageGenerator generator = generator(format, schema, options, Corruption.NONE);
        assertThat(generator.message(0)).isBetween(10, 50);
        format.read(schema, generator.data(), generator.from(), generator.to());
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void message_anySchema_isReadByTheLibraries(long seed) throws Exception {
        Random random = new Random(seed);
        Struct any = RandomSchemas.next(random, false);
        for (Format format : Format.values()) {
            Struct schema = format == Format.PROTOBUF ? RandomSchemas.flat(any) : any;
            for (GeneratorOptions options : List.of(GeneratorOptions.DEFAULT, SIZED)) {
                MessageGenerator generator =
                        new MessageGenerator(schema, options, Corruption.NONE, format.writer(schema), seed);
                for (int i = 0; i < 10; i++) {
                    generator.message(i);
                    format.read(schema, generator.data(), generator.from(), generator.to());
                }
            }
        }
    }

    @Test
    void kindOf_eachTenThousand_hasTheExactShare() {
        for (double share : new double[] {0, 0.0001, 0.01, 0.05, 0.5, 1}) {
            Corruption corruption = Corruption.of(share);
            for (long seed = 0; seed < 20; seed++) {
                Set<Kind> kinds = EnumSet.noneOf(Kind.class);
                int damaged = 0;
                for (long i = 70_000; i < 80_000; i++) {
                    Kind kind = corruption.kindOf(seed, i);
                    if (kind != null) {
                        kinds.add(kind);
                        damaged++;
                    }
                }
                assertThat(damaged).isEqualTo((int) Math.round(share * 10_000));
                assertThat(kinds).hasSize(damaged > 99 ? 5 : kinds.size());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_damaged_isRefusedByTheLibraryAndOthersAreUntouched(Format format) {
        Corruption corruption = Corruption.of(0.5);
        MessageGenerator.Probe probe = (data, from, to) -> isReadable(format, data, from, to);
        MessageGenerator generator = new MessageGenerator(RIDE, SIZED, corruption, format.writer(RIDE), SEED, probe);
        MessageGenerator good = generator(format, RIDE, SIZED, Corruption.NONE);
        for (int i = 0; i < 400; i++) {
            byte[] message = message(generator, i);
            if (generator.damageOf(i) == null) {
                assertThat(message).isEqualTo(message(good, i));
            } else {
                assertThat(isReadable(format, message, 0, message.length))
                        .as("%d", i)
                        .isFalse();
            }
        }
    }

    private static boolean isReadable(Format format, byte[] data, int from, int to) {
        try {
            format.read(RIDE, data, from, to);
            return true;
        } catch (Exception e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource
    void message_eachKindOfDamage_isWhatItsNameSays(Format format) {
        MessageGenerator good = generator(format, RIDE, SIZED, Corruption.NONE);
        for (int i = 0; i < 50; i++) {
            byte[] whole = message(good, i);
            byte[] next = message(good, i + 1);
            byte[] cut = damaged(format, Kind.TRUNCATE, i);
            assertThat(cut).hasSizeBetween(1, whole.length - 1).isEqualTo(Arrays.copyOf(whole, cut.length));
            byte[] flipped = damaged(format, Kind.FLIP, i);
            assertThat(flipped).hasSameSizeAs(whole);
            assertThat(IntStream.range(0, whole.length)
                            .filter(at -> whole[at] != flipped[at])
                            .count())
                    .isEqualTo(1);
            byte[] spliced = damaged(format, Kind.SPLICE, i);
            int head = Arrays.mismatch(spliced, whole);
            assertThat(head).isNotZero();
            byte[] tail = Arrays.copyOfRange(spliced, head, spliced.length);
            assertThat(tail).isEqualTo(Arrays.copyOfRange(next, next.length - tail.length, next.length));
            byte[] other = damaged(format, Kind.WRONG_FORMAT, i);
            assertThat(other[0] == '{').isNotEqualTo(format == Format.JSON);
            byte[] bomb = damaged(format, Kind.BOMB, i);
            assertThat(bomb.length)
                    .isBetween(whole.length - 2_048, whole.length + 20_000)
                    .isNotEqualTo(-1);
            assertThat(bomb).isNotEqualTo(whole);
        }
    }

    private static byte[] damaged(Format format, Kind kind, int index) {
        return message(generator(format, RIDE, SIZED, new Corruption(1, List.of(kind))), index);
    }

    @ParameterizedTest
    @EnumSource
    void message_afterWarmUp_allocatesNothing(Format format) {
        MessageGenerator generator = generator(format, RIDE, SIZED, Corruption.NONE);
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 20_000; i++) {
            generator.message(i);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 20_000; i < 30_000; i++) {
            generator.message(i);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }
}
