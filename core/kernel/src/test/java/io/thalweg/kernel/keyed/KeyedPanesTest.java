package io.thalweg.kernel.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.naive.NaiveKeyed;
import io.thalweg.kernel.naive.NaiveKeyedRow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares a shard with the naive recount, with everything that may happen between two turns. */
class KeyedPanesTest {
    /** A shard under test and all of its inputs. */
    private static final class TestBed {
        final Random random;
        final KeyedSpec spec;
        final NaiveKeyed naive;
        final int keys;
        final int span;
        final boolean wild;
        final List<NaiveKeyedRow> fired = new ArrayList<>();
        final Map<Long, Set<String>> changed = new HashMap<>();
        KeyedPanes shard;
        /** The last window end that the watermark has reached. */
        long reached;

        TestBed(long seed) {
            random = new Random(seed);
            boolean many = random.nextInt(5) == 0;
            spec = spec(random, many);
            naive = new NaiveKeyed(spec);
            keys = many ? 5_000 : 1 + random.nextInt(30);
            span = 1 + random.nextInt(random.nextBoolean() ? 3 : 80);
            wild = random.nextInt(3) == 0;
            reached = random.nextInt(-200, 200);
            shard = new KeyedPanes(spec, reached);
        }

        private static KeyedSpec spec(Random random, boolean many) {
            int filters = random.nextInt(3);
            List<KeyedMeasure> measures = new ArrayList<>();
            for (KeyedMeasure.Kind kind : KeyedMeasure.Kind.values()) {
                for (int more = random.nextInt(many ? 2 : 3); more > 0; more--) {
                    measures.add(measure(random, kind, random.nextInt(filters + 1)));
                }
            }
            if (measures.isEmpty()) {
                measures.add(measure(random, KeyedMeasure.Kind.COUNT, 0));
            }
            TreeSet<Integer> sizes = new TreeSet<>();
            int largest = 1 << random.nextInt(many ? 3 : 8);
            for (int more = 1 + random.nextInt(4); more > 0; more--) {
                sizes.add(1 + random.nextInt(largest));
            }
            KeyForm form = List.of(KeyForm.LONG, KeyForm.PAIR, KeyForm.BYTES).get(random.nextInt(3));
            long everyMs = random.nextBoolean() ? 60_000 : 1 + random.nextInt(100_000);
            return new KeyedSpec(form, measures, filters, List.copyOf(sizes), everyMs, true);
        }

        /** Columns: a long, a double, a small id, an id of 128 bits. */
        private static KeyedMeasure measure(Random random, KeyedMeasure.Kind kind, int filter) {
            boolean rate = random.nextInt(4) == 0;
            return switch (kind) {
                case COUNT -> new KeyedMeasure(kind, KeyedMeasure.Input.INT64, filter, 0, rate ? 60_000 : 0);
                case COUNT_DISTINCT ->
                    random.nextBoolean()
                            ? new KeyedMeasure(kind, KeyedMeasure.Input.INT64, filter, 2, rate ? 60_000 : 0)
                            : new KeyedMeasure(kind, KeyedMeasure.Input.ID128, filter, 3, rate ? 60_000 : 0);
                default -> {
                    boolean decimal = random.nextBoolean();
                    boolean sum = kind == KeyedMeasure.Kind.SUM;
                    yield new KeyedMeasure(
                            kind,
                            decimal ? KeyedMeasure.Input.DOUBLE : KeyedMeasure.Input.INT64,
                            filter,
                            decimal ? 1 : 0,
                            sum && rate ? 60_000 : 0);
                }
            };
        }

        /** Adds events around the open panes, in no order; some are too late and must not count. */
        void accumulate() {
            int events = random.nextInt(keys > 100 ? 2_000 : 120);
            List<String> names = new ArrayList<>();
            int[] key = new int[events];
            long[] panes = new long[events];
            long[] matches = new long[events];
            long[][] inputs = new long[5][events];
            int late = 0;
            int spread = random.nextInt(3) == 0 ? 1 : span;
            for (int e = 0; e < events; e++) {
                String name = "k" + (random.nextInt(8) > 0 ? random.nextInt(keys) : 0);
                if (!names.contains(name)) {
                    names.add(name);
                }
                key[e] = names.indexOf(name);
                panes[e] = shard.closedBefore() + (spread > 1 && random.nextInt(20) == 0 ? -1 : random.nextInt(spread));
                matches[e] = random.nextInt(1 << spec.filters());
                inputs[0][e] = random.nextInt(9) > 0 ? random.nextInt(-50, 50) : random.nextLong();
                inputs[1][e] = Double.doubleToRawLongBits(decimal());
                inputs[2][e] = random.nextInt(6);
                inputs[3][e] = random.nextInt(-2, 3);
                inputs[4][e] = random.nextInt(2);
                if (panes[e] < shard.closedBefore()) {
                    late++;
                } else {
                    naive.add(
                            name,
                            panes[e],
                            matches[e],
                            inputs[0][e],
                            inputs[1][e],
                            inputs[2][e],
                            inputs[3][e],
                            inputs[4][e]);
                    changed.computeIfAbsent(panes[e], p -> new HashSet<>()).add(name);
                }
            }
            assertThat(shard.accumulate(block(names, key, panes, matches, inputs)))
                    .isEqualTo(late);
        }

        private double decimal() {
            return switch (wild ? random.nextInt(12) : 3) {
                case 0 -> random.nextGaussian() * 1e200;
                case 1 -> random.nextGaussian() * 1e-200;
                case 2 -> -0.0;
                default -> random.nextInt(-1_000, 1_000) / 100.0;
            };
        }

        private KeyedBlock block(List<String> names, int[] key, long[] panes, long[] matches, long[][] inputs) {
            boolean direct = random.nextBoolean();
            int count = direct ? key.length : names.size();
            long[] high = new long[count];
            long[] low = new long[count];
            byte[][] bytes = new byte[count][];
            for (int k = 0; k < count; k++) {
                String name = names.get(direct ? key[k] : k);
                high[k] = high(name);
                low[k] = low(name);
                bytes[k] = name.getBytes(StandardCharsets.UTF_8);
            }
            KeyedBlock block = new KeyedBlock(
                    spec.keys() == KeyForm.PAIR ? high : null,
                    spec.keys() == KeyForm.BYTES ? null : low,
                    spec.keys() == KeyForm.BYTES ? bytes : null,
                    direct ? null : key,
                    panes.length > 0 && Arrays.stream(panes).allMatch(pane -> pane == panes[0])
                            ? new long[] {panes[0]}
                            : panes,
                    spec.filters() == 0 ? null : matches,
                    inputs);
            return random.nextBoolean() ? block : throughBytes(block);
        }

        private long number(String name) {
            return Long.parseLong(name.substring(1));
        }

        private long high(String name) {
            return spec.keys() == KeyForm.PAIR ? -number(name) % 3 : 0;
        }

        private long low(String name) {
            return number(name) * (number(name) % 2 == 0 ? -1 : 1);
        }

        private String name(KeyedRows rows, int row) {
            if (spec.keys() == KeyForm.BYTES) {
                return new String(rows.keyBytes(row), StandardCharsets.UTF_8);
            }
            String name = "k" + Math.abs(rows.keyLow(row));
            assertThat(rows.keyLow(row)).isEqualTo(low(name));
            assertThat(rows.keyHigh(row)).isEqualTo(high(name));
            return name;
        }

        NaiveKeyedRow row(KeyedRows rows, int row, long end) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int feature = 0; feature < rows.features(); feature++) {
                values.add(value(rows, row, feature));
            }
            return new NaiveKeyedRow(name(rows, row), end, rows.events(row), values);
        }

        private @Nullable Object value(KeyedRows rows, int row, int feature) {
            if (rows.isNull(row, feature)) {
                return null;
            }
            long low = rows.low(row, feature);
            return switch (spec.measures()
                    .get(feature / spec.windowPanes().size())
                    .form()) {
                case INT64 -> BigInteger.valueOf(low);
                case INT128 -> io.thalweg.kernel.aggregate.IntegerSum.big(rows.high(row, feature), low);
                case DOUBLE -> Double.longBitsToDouble(low);
            };
        }

        void fireTurn() {
            long end = shard.nextEnd(reached);
            KeyedRows rows = new KeyedRows(spec);
            if (shard.fire(end, rows)) {
                for (int row = 0; row < rows.rows(); row++) {
                    fired.add(row(rows, row, end));
                }
            }
        }

        /** Reads some keys, regardless of the progress of firing. */
        void read() {
            long end = shard.closedBefore() + 1 + (random.nextInt(4) == 0 ? random.nextInt(5) : 0);
            KeyedRows rows = new KeyedRows(spec);
            List<String> names = random.ints(random.nextInt(8) == 0 ? 70 : 5, 0, keys + 2)
                    .mapToObj(key -> "k" + key)
                    .toList();
            KeyedReads reads = new KeyedReads(names.size());
            for (int i = 0; i < names.size(); i++) {
                String name = names.get(i);
                switch (spec.keys()) {
                    case LONG -> reads.set(i, low(name));
                    case PAIR -> reads.set(i, high(name), low(name));
                    case BYTES -> reads.set(i, name.getBytes(StandardCharsets.UTF_8));
                }
            }
            int half = random.nextInt(names.size());
            shard.read(reads, 0, half, end, rows);
            shard.read(reads, half, names.size(), end, rows);
            int found = 0;
            for (int i = 0; i < names.size(); i++) {
                NaiveKeyedRow expected = naive.row(names.get(i), end);
                assertThat(reads.row(i) >= 0).isEqualTo(expected.events() > 0);
                if (expected.events() > 0) {
                    assertThat(row(rows, reads.row(i), end)).isEqualTo(expected);
                    found++;
                }
            }
            assertThat(rows.rows()).isEqualTo(found);
        }

        /** All keys that changed in the pane before the end have exactly one early row. */
        void early() {
            long end = shard.closedBefore() + 1;
            shard.beginEarly(end);
            Set<String> published = new HashSet<>();
            KeyedRows rows = new KeyedRows(spec);
            while (shard.early(rows)) {
                assertThat(shard.earlyEnd()).isEqualTo(end);
            }
            for (int row = 0; row < rows.rows(); row++) {
                String name = name(rows, row);
                assertThat(published.add(name)).isTrue();
                assertThat(row(rows, row, end)).isEqualTo(naive.row(name, end));
            }
            Set<String> expected = changed.remove(end - 1);
            assertThat(published).isEqualTo(expected == null ? Set.of() : expected);
        }

        /** Continues with the copy and writes the original, as a snapshot does. */
        void snapshot() {
            KeyedPanes frozen = shard;
            shard = frozen.copy();
            if (random.nextBoolean()) {
                accumulate();
            }
            if (random.nextBoolean()) {
                fireTurn();
            }
            byte[] first = bytes(frozen);
            assertThat(bytes(frozen)).isEqualTo(first);
        }

        void restore() {
            shard = KeyedPanesTest.read(bytes(shard), spec);
        }

        void step() {
            switch (random.nextInt(10)) {
                case 0 -> reached = Math.max(reached, shard.firedEnd()) + random.nextInt(1 + span);
                case 1, 2 -> read();
                case 3 -> early();
                case 4 -> snapshot();
                case 5 -> restore();
                case 6, 7 -> fireTurn();
                default -> accumulate();
            }
        }

        void runOut() {
            reached = Long.MAX_VALUE;
            while (shard.nextEnd(reached) < reached) {
                fireTurn();
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void fire_randomEventsReadsAndRestores_agreesWithTheRecount(long seed) {
        TestBed world = new TestBed(seed);
        for (int i = 0; i < 50; i++) {
            world.step();
        }
        world.runOut();
        world.fired.sort(java.util.Comparator.comparingLong(NaiveKeyedRow::end).thenComparing(NaiveKeyedRow::key));
        assertThat(world.fired).isEqualTo(world.naive.rows());
        assertThat(world.shard.entries()).isZero();
    }

    @Test
    void fire_endBeforeOthersHaveLeft_isRefused() {
        KeyedPanes shard = shard(List.of(1), 5);
        shard.accumulate(one(7, 5));
        KeyedRows rows = new KeyedRows(counting(List.of(1)));
        assertThatThrownBy(() -> shard.fire(7, rows))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("rows of window end 6 must leave before those of 7");
        assertThat(shard.nextEnd(100)).isEqualTo(6);
        assertThat(shard.fire(6, rows)).isTrue();
        assertThat(shard.fire(6, rows)).isFalse();
        assertThat(rows.rows()).isEqualTo(1);
        assertThat(shard.nextEnd(100)).isEqualTo(7);
    }

    @Test
    void accumulate_paneBelowTheLastEnd_isNotCounted() {
        KeyedPanes shard = shard(List.of(2), 5);
        assertThat(shard.accumulate(one(7, 4))).isEqualTo(1);
        assertThat(shard.accumulate(one(7, 5))).isZero();
        assertThat(shard.entries()).isEqualTo(1);
    }

    @Test
    void accumulate_entriesOfSeveralEvents_countAsOften() {
        for (int filters = 0; filters < 2; filters++) { // without, counting takes the short way
            KeyedMeasure count = new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, filters, 0, 0);
            KeyedPanes shard =
                    new KeyedPanes(new KeyedSpec(KeyForm.LONG, List.of(count), filters, List.of(1), 1_000, false), 5);
            KeyedBlock block = new KeyedBlock(
                    null,
                    new long[] {7, 8, 7},
                    null,
                    null,
                    new long[] {5, 5, 5},
                    new long[] {1, 1, 0},
                    new long[] {3, 4, 5},
                    new long[0][]);
            assertThat(shard.accumulate(throughBytes(block))).isZero();
            assertThat(shard.accumulate(new KeyedBlock(
                            null,
                            new long[] {7},
                            null,
                            null,
                            new long[] {4},
                            new long[] {1},
                            new long[] {9},
                            new long[0][])))
                    .isEqualTo(9);
            KeyedRows rows = new KeyedRows(shard.spec());
            assertThat(read(shard, 7, 6, rows)).isTrue();
            assertThat(rows.events(0)).isEqualTo(8);
            assertThat(rows.low(0, 0)).isEqualTo(filters == 0 ? 8 : 3);
        }
    }

    @Test
    void accumulate_combinedEventsThatMustBeSeenOneByOne_areRefused() {
        KeyedMeasure most = new KeyedMeasure(KeyedMeasure.Kind.MAX, KeyedMeasure.Input.INT64, 0, 0, 0);
        KeyedPanes shard = new KeyedPanes(new KeyedSpec(KeyForm.LONG, List.of(most), 0, List.of(1), 1_000, false), 5);
        KeyedBlock block = new KeyedBlock(
                null, new long[] {7}, null, null, new long[] {5}, null, new long[] {2}, new long[][] {{3}});
        assertThatThrownBy(() -> shard.accumulate(block))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be combined");
    }

    private static boolean read(KeyedPanes shard, long key, long end, KeyedRows rows) {
        KeyedReads reads = new KeyedReads(1);
        reads.set(0, key);
        shard.read(reads, 0, 1, end, rows);
        return reads.row(0) >= 0;
    }

    /** Firing takes turns, and reads between turns are complete. */
    @Test
    void fire_manyKeys_takesTurns() {
        int keys = 50_000;
        KeyedSpec spec = counting(List.of(1, 4));
        KeyedPanes shard = new KeyedPanes(spec, 0);
        for (long pane = 0; pane < 3; pane++) {
            shard.accumulate(keys(keys, pane));
        }
        KeyedRows rows = new KeyedRows(spec);
        KeyedRows live = new KeyedRows(spec);
        int turns = 0;
        int largest = 0;
        for (long end = 1; end < 8; end++) {
            rows.clear();
            int before = 0;
            while (shard.fire(end, rows)) {
                turns++;
                largest = Math.max(largest, rows.rows() - before);
                before = rows.rows();
                live.clear();
                long key = turns * 7919L % keys;
                long next = shard.closedBefore() + 1;
                assertThat(read(shard, key, next, live)).isEqualTo(next <= 6);
                if (next <= 6) {
                    assertThat(live.low(0, 1)).isEqualTo(Math.min(next, 3) - Math.max(0, next - 4));
                }
            }
            assertThat(rows.rows()).isEqualTo(keys);
        }
        assertThat(turns).isGreaterThan(7 * 16);
        assertThat(largest).isLessThan(8_000);
        assertThat(shard.nextEnd(100)).isEqualTo(100);
        assertThat(shard.bytes()).isLessThan(100_000);
    }

    @Test
    void spec_windowsOutOfOrder_areRefused() {
        assertThatThrownBy(() -> counting(List.of(4, 2)))
                .hasMessage("windowPanes[1] must be at least 5 (ascending), was 2");
    }

    private static KeyedSpec counting(List<Integer> windows) {
        KeyedMeasure count = new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 0, 0, 0);
        return new KeyedSpec(KeyForm.LONG, List.of(count), 0, windows, 1_000, false);
    }

    private static KeyedPanes shard(List<Integer> windows, long firedEnd) {
        return new KeyedPanes(counting(windows), firedEnd);
    }

    private static KeyedBlock one(long key, long pane) {
        return new KeyedBlock(null, new long[] {key}, null, null, new long[] {pane}, null, new long[0][]);
    }

    private static KeyedBlock keys(int keys, long pane) {
        long[] low = new long[keys];
        long[] panes = new long[keys];
        for (int k = 0; k < keys; k++) {
            low[k] = k;
            panes[k] = pane;
        }
        return new KeyedBlock(null, low, null, null, panes, null, new long[0][]);
    }

    private static KeyedBlock throughBytes(KeyedBlock block) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            block.write(new DataOutputStream(out));
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(out.toByteArray()));
            KeyedBlock read = KeyedBlock.read(in);
            assertThat(in.available()).isZero();
            return read;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(KeyedPanes shard) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            shard.write(new DataOutputStream(out));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static KeyedPanes read(byte[] bytes, KeyedSpec spec) {
        try {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            KeyedPanes shard = KeyedPanes.read(in, spec);
            assertThat(in.available()).isZero();
            return shard;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
