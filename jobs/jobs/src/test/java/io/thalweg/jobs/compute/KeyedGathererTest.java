package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.aggregate.IntegerSum;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.kernel.keyed.KeyedSpec;
import io.thalweg.kernel.naive.NaiveKeyed;
import io.thalweg.kernel.naive.NaiveKeyedRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the gatherer's output, counted per shard, with a recount of its input. */
class KeyedGathererTest {
    private static final KeyedMeasure COUNT = measure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 0, 0);

    private static KeyedMeasure measure(KeyedMeasure.Kind kind, KeyedMeasure.Input input, int filter, int column) {
        return new KeyedMeasure(kind, input, filter, column, 0);
    }

    private static KeyedSpec spec(KeyForm form, KeyedMeasure... measures) {
        return new KeyedSpec(form, List.of(measures), 2, List.of(1, 3), 1_000, false);
    }

    /** A gatherer, shards that count its output, and the recount. */
    private static final class TestBed {
        private final KeyedSpec spec;
        private final KeyedGatherer gatherer;
        private final NaiveKeyed naive;
        private final Map<Integer, KeyedPanes> shards = new TreeMap<>();
        private final List<byte[]> numbered = new ArrayList<>();
        private long given;
        private long entries;
        private long events;
        private long closed;

        TestBed(KeyedSpec spec, int combinerBits) {
            this.spec = spec;
            this.naive = new NaiveKeyed(spec);
            this.gatherer = new KeyedGatherer(spec, numbered::get, combinerBits, this::count);
        }

        private void count(KeyedShardBlock sent) {
            KeyedShardBlock block = copied(sent);
            entries += block.entries();
            events += block.columns().events();
            closed += shards.computeIfAbsent(block.shard(), shard -> new KeyedPanes(spec, 0))
                    .accumulate(block.columns());
        }

        void add(int key, long pane, long matches, long... inputs) {
            given++;
            naive.add(name(key), pane, matches, inputs);
            if (spec.keys() == KeyForm.BYTES) {
                while (numbered.size() <= key) {
                    numbered.add(name(numbered.size()).getBytes(StandardCharsets.UTF_8));
                }
            }
            gatherer.add(spec.keys() == KeyForm.PAIR ? -key % 3 : 0, key, pane, matches, inputs);
        }

        private static String name(long key) {
            return "k" + key;
        }

        List<NaiveKeyedRow> rows() {
            List<NaiveKeyedRow> fired = new ArrayList<>();
            shards.forEach((number, shard) -> {
                KeyedRows rows = new KeyedRows(spec);
                for (long end = shard.nextEnd(1_000); end < 1_000; end = shard.nextEnd(1_000)) {
                    rows.clear();
                    while (shard.fire(end, rows)) {
                        // to the last range
                    }
                    for (int row = 0; row < rows.rows(); row++) {
                        fired.add(row(rows, row, end));
                        assertThat(shard(rows, row)).isEqualTo(number);
                    }
                }
            });
            fired.sort(Comparator.comparingLong(NaiveKeyedRow::end).thenComparing(NaiveKeyedRow::key));
            return fired;
        }

        private int shard(KeyedRows rows, int row) {
            return Shards.of(
                    switch (spec.keys()) {
                        case LONG -> KeyWord.of(rows.keyLow(row));
                        case PAIR -> KeyWord.of(rows.keyHigh(row), rows.keyLow(row));
                        case BYTES -> KeyWord.of(rows.keyBytes(row));
                    });
        }

        private NaiveKeyedRow row(KeyedRows rows, int row, long end) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int feature = 0; feature < rows.features(); feature++) {
                values.add(
                        switch (spec.measures().get(feature / 2).form()) {
                            case INT64 -> BigInteger.valueOf(rows.low(row, feature));
                            case INT128 -> IntegerSum.big(rows.high(row, feature), rows.low(row, feature));
                            case DOUBLE ->
                                rows.isNull(row, feature) ? null : Double.longBitsToDouble(rows.low(row, feature));
                        });
            }
            String key = spec.keys() == KeyForm.BYTES
                    ? new String(rows.keyBytes(row), StandardCharsets.UTF_8)
                    : name(rows.keyLow(row));
            return new NaiveKeyedRow(key, end, rows.events(row), values);
        }

        void check() {
            gatherer.flush();
            assertThat(events).isEqualTo(given);
            assertThat(closed).isZero();
            assertThat(rows()).isEqualTo(naive.rows());
        }
    }

    private static KeyedShardBlock copied(KeyedShardBlock block) {
        try {
            DataOutputSerializer out = new DataOutputSerializer(64);
            KeyedShardBlock.Serializer serializer = new KeyedShardBlock.Serializer();
            serializer.serialize(block, out);
            return serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Covers counts with filters and sums beyond 64 bits; alternates few and many keys, so that combining starts and stops. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void rows_ofEventsThatWereCombined_areTheRecount(long seed) {
        Random random = new Random(seed);
        KeyForm form = List.of(KeyForm.values()).get(random.nextInt(3));
        KeyedMeasure paid = measure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 1, 0);
        TestBed world = new TestBed(
                random.nextBoolean()
                        ? spec(form, COUNT, paid)
                        : spec(
                                form,
                                COUNT,
                                paid,
                                measure(KeyedMeasure.Kind.SUM, KeyedMeasure.Input.INT64, 0, 0),
                                measure(KeyedMeasure.Kind.SUM, KeyedMeasure.Input.INT64, 2, 1),
                                measure(KeyedMeasure.Kind.MEAN, KeyedMeasure.Input.INT64, 1, 1)),
                1 + random.nextInt(4));
        int columns = world.spec.columns();
        int keys = 1;
        for (int i = 0; i < 6_000; i++) {
            if (i % 500 == 0) {
                keys = random.nextBoolean() ? 1 + random.nextInt(20) : 3_000;
            }
            long[] inputs = new long[columns];
            for (int c = 0; c < columns; c++) {
                inputs[c] = random.nextInt(9) == 0 ? random.nextLong() : random.nextInt(-9, 10);
            }
            world.add(random.nextInt(keys), i / 2_000 + random.nextInt(3), random.nextInt(4), inputs);
            if (random.nextInt(400) == 0) {
                world.gatherer.flush();
            }
        }
        world.check();
    }

    @Test
    void entries_ofFewKeys_areAFewPerFlush() {
        TestBed world = new TestBed(spec(KeyForm.LONG, COUNT), Combiner.BUCKET_BITS);
        for (int i = 0; i < 200_000; i++) {
            world.add(i % 100, i / 100_000, 0);
        }
        world.gatherer.flush();
        assertThat(world.events).isEqualTo(200_000);
        assertThat(world.entries).isEqualTo(200);
    }

    @Test
    void entries_whereKeysHardlyRepeat_areNotCombinedForAWhile() {
        List<KeyedShardBlock> blocks = new ArrayList<>();
        KeyedGatherer gatherer = new KeyedGatherer(spec(KeyForm.LONG, COUNT), number -> new byte[0], 2, blocks::add);
        int sample = (2 * 4) << 2;
        for (int key = 0; key < 8 * sample; key++) {
            gatherer.add(100 + key, 7, 0);
        }
        for (int i = 0; i < 8 * sample; i++) { // not detected as repeats
            gatherer.add(1, 7, 0);
        }
        gatherer.flush();
        assertThat(entries(blocks)).isEqualTo(16L * sample);
        for (int i = 0; i < 8 * sample; i++) { // detected now, after the next sample
            gatherer.add(1, 7, 0);
        }
        gatherer.flush();
        assertThat(entries(blocks)).isEqualTo(16L * sample + 1);
        assertThat(blocks.stream().mapToLong(block -> block.columns().events()).sum())
                .isEqualTo(24L * sample);
    }

    private static long entries(List<KeyedShardBlock> blocks) {
        return blocks.stream().mapToLong(KeyedShardBlock::entries).sum();
    }

    @Test
    void events_whoseValuesMustBeSeen_areNotCombined() {
        KeyedMeasure most = measure(KeyedMeasure.Kind.MAX, KeyedMeasure.Input.INT64, 0, 0);
        KeyedMeasure ids = measure(KeyedMeasure.Kind.COUNT_DISTINCT, KeyedMeasure.Input.INT64, 0, 0);
        KeyedMeasure amount = measure(KeyedMeasure.Kind.SUM, KeyedMeasure.Input.DOUBLE, 0, 0);
        for (KeyedMeasure measure : List.of(most, ids, amount)) {
            TestBed world = new TestBed(spec(KeyForm.LONG, COUNT, measure), Combiner.BUCKET_BITS);
            for (int i = 0; i < 100; i++) {
                world.add(i % 2, 5, 0, Double.doubleToRawLongBits(i));
            }
            world.gatherer.flush();
            assertThat(world.entries).as("%s", measure).isEqualTo(100);
        }
    }
}
