package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Definitions;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.EventInput;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.Online;
import io.thalweg.model.view.ValueType;
import io.thalweg.model.view.Windows;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every online store; each store has a subclass. */
public abstract class OnlineStoreContract {
    /** 2026-01-01T00:00:00Z. */
    protected static final long T0 = 1_767_225_600_000L;

    protected static final long MINUTE = 60_000;
    private static final List<Object> GROUP = List.of("17a2b60c-29dd-5f76-95f3-b65da5cbbdbe");
    private static final List<List<Object>> GROUPS = List.of(
            GROUP, List.of("00000000-0000-0000-0000-000000000000"), List.of("ffffffff-0000-0000-0000-000000000000"));
    private static final long CELL = cell(0);

    protected final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T0));
    protected OnlineStore store;

    /** Opens the store under test: empty at first, later with the data that the closed one kept. */
    protected abstract OnlineStore open(Clock clock);

    /** The layout of the views that are written and read; under one of Feast's the store keeps no history. */
    protected Online.Layout layout() {
        return Online.Layout.PACKED;
    }

    private boolean keepsHistory() {
        return !layout().isFeast();
    }

    /** Skips a test where the store keeps no history. */
    private void assumeHistory() {
        assumeTrue(keepsHistory(), () -> "layout " + layout().text() + " keeps no history");
    }

    @BeforeEach
    void openStore() {
        at(T0);
        store = open(clock);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void read_rowWritten_answersItsSumsAndOrder() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 7)));

        StoredRow row = present(readOne(view, CELL));

        assertThat(row.windowEndMs()).isEqualTo(T0);
        assertThat(row.finality()).isEqualTo(Finality.FINAL);
        assertThat(sums(row)).containsExactly(7, 8, 9, 10);
        assertThat(((StoredRow.OfSums) row).diskSizes()).isNull();
    }

    @Test
    void read_rowBesideAPentagon_answersItsDiskSizes() {
        FeatureView view = latestOnly();
        HexRowBlock block = new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, T0),
                0x852a1007fffffffL,
                GROUP,
                new long[] {CELL},
                new long[] {1, 2, 3, 4},
                new int[] {1, 6});
        store.write(view, List.of(block));

        assertThat(((StoredRow.OfSums) present(readOne(view, CELL))).diskSizes())
                .containsExactly(1, 6);
    }

    @Test
    void read_sameCellInOtherGroupOrView_staysApart() {
        FeatureView view = latestOnly();
        FeatureView second = view("demand_east", null);
        List<Object> other = List.of("00000000-0000-0000-0000-000000000000");
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));

        assertThat(store.read(view, List.of(new StoreKey(CELL, other))).rows()).containsExactly((StoredRow) null);
        assertThat(store.read(second, List.of(key(CELL))).rows()).containsExactly((StoredRow) null);
    }

    @Test
    void read_manyKeysWithDuplicatesAndUnknown_answersInTheOrderAsked() {
        FeatureView view = latestOnly();
        List<HexRowBlock> blocks = IntStream.range(0, 2_000)
                .mapToObj(i -> block(view, T0, Finality.FINAL, cell(i), i))
                .toList();
        store.write(view, blocks);
        Random random = new Random(1);
        List<Integer> asked = random.ints(1_000, 0, 3_000).boxed().toList();

        List<@Nullable StoredRow> rows =
                store.read(view, asked.stream().map(n -> key(cell(n))).toList()).rows();

        assertThat(rows).hasSize(1_000);
        for (int i = 0; i < rows.size(); i++) {
            int n = asked.get(i);
            StoredRow row = rows.get(i);
            if (n >= 2_000) {
                assertThat(row).isNull();
            } else {
                assertThat(row).isNotNull();
                assertThat(sums(row)[0]).isEqualTo(n);
            }
        }
    }

    @Test
    void read_noKeys_answersNone() {
        assertThat(store.read(latestOnly(), List.of()).rows()).isEmpty();
    }

    @Test
    void write_partialAfterFinal_finalStays() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.PARTIAL, CELL, 3)));
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));
        store.write(view, List.of(block(view, T0, Finality.PARTIAL, CELL, 9)));
        assertThat(sum(readOne(view, CELL))).isEqualTo(1);

        store.write(view, List.of(block(view, T0 + MINUTE, Finality.PARTIAL, CELL, 2)));
        assertThat(present(readOne(view, CELL)).finality()).isEqualTo(Finality.PARTIAL);
    }

    @Test
    void write_blockOfAnotherView_isRefusedByName() {
        FeatureView view = latestOnly();
        HexRowBlock foreign = block(view("supply", null), T0, Finality.FINAL, CELL, 1);
        assertThatThrownBy(() -> store.write(view, List.of(foreign)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("supply")
                .hasMessageContaining("demand");
    }

    /** Twenty keys, thirty window ends, repeated and shuffled: the store must end as the order rule says, key by key. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_anyOrderAndRepeats_endsInTheSameState(long seed) {
        Random random = new Random(seed);
        FeatureView view = keepsHistory() ? withHistory("6h") : view("demand", "6h", null);
        List<HexRowBlock> rows = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long windowEndMs = T0 - MINUTE * random.nextInt(30);
            Finality finality = random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL;
            long cell = cell(random.nextInt(20));
            rows.add(block(view, windowEndMs, finality, cell, content(windowEndMs, finality, cell)));
        }
        List<HexRowBlock> delivered = new ArrayList<>(rows);
        delivered.addAll(rows.subList(0, 100));
        Collections.shuffle(delivered, random);
        for (int from = 0; from < delivered.size(); ) {
            int to = Math.min(delivered.size(), from + 1 + random.nextInt(20));
            store.write(view, delivered.subList(from, to));
            from = to;
        }

        for (int i = 0; i < 20; i++) {
            long cell = cell(i);
            assertRow(readOne(view, cell), winner(rows, cell, Long.MIN_VALUE, Long.MAX_VALUE));
            for (int minutes = 0; minutes < 30 && keepsHistory(); minutes++) {
                long end = T0 - MINUTE * minutes;
                assertRow(readAsOf(view, cell, end + random.nextInt((int) MINUTE)), winner(rows, cell, end, end));
            }
            if (keepsHistory()) {
                assertHistory(view, cell, random);
            }
        }
    }

    /** Reads in any order, more ends than a store may request at once. */
    private void assertHistory(FeatureView view, long cell, Random random) {
        long[] ends = LongStream.range(0, 100)
                .map(i -> T0 - MINUTE * random.nextInt(60))
                .toArray();
        List<@Nullable StoredRow> found =
                store.readHistory(view, key(cell), ends).rows();
        assertThat(found).hasSize(ends.length);
        for (int i = 0; i < ends.length; i++) {
            StoredRow expected = readAsOf(view, cell, ends[i]);
            assertThat(found.get(i) == null).as("row at %s", ends[i]).isEqualTo(expected == null);
            if (expected != null) {
                assertThat(text(cell, present(found.get(i)))).isEqualTo(text(cell, expected));
            }
        }
    }

    private static @Nullable HexRowBlock winner(List<HexRowBlock> rows, long cell, long fromMs, long toMs) {
        return rows.stream()
                .filter(row -> row.cells()[0] == cell && row.windowEndMs() >= fromMs && row.windowEndMs() <= toMs)
                .max(Comparator.comparingLong(HexRowBlock::windowEndMs).thenComparing(HexRowBlock::finality))
                .orElse(null);
    }

    private static void assertRow(@Nullable StoredRow row, @Nullable HexRowBlock expected) {
        if (expected == null) {
            assertThat(row).isNull();
            return;
        }
        assertThat(present(row).windowEndMs()).isEqualTo(expected.windowEndMs());
        assertThat(present(row).finality()).isEqualTo(expected.finality());
        assertThat(sums(row)).containsExactly(expected.sums());
    }

    private static int content(long windowEndMs, Finality finality, long cell) {
        return (int) ((windowEndMs / MINUTE * 31 + finality.name().length() * 7L + cell) % 1_000);
    }

    @Test
    void read_rowOfOtherRings_isAbsentUntilRewritten() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));
        FeatureView fewer = withRings(view, List.of(0));
        assertThat(readOne(fewer, CELL)).isNull();
        assertThat(readOne(view, CELL)).isNotNull();

        HexRowBlock rewritten = new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, T0),
                0x852a1007fffffffL,
                GROUP,
                new long[] {CELL},
                new long[] {5, 6},
                null);
        store.write(fewer, List.of(rewritten));
        assertThat(sums(readOne(fewer, CELL))).containsExactly(5, 6);
    }

    private static FeatureView withRings(FeatureView view, List<Integer> rings) {
        Computation.OfRings all = (Computation.OfRings) view.computation();
        return view.withComputation(new Computation.OfRings(all.events(), all.measure(), rings, all.windows()));
    }

    /** Replaces the stored value that contains the newest row of a key. */
    protected abstract void damage(FeatureView view, StoreKey key, byte[] value) throws Exception;

    static Stream<byte[]> notRows() {
        return Stream.of(
                new byte[] {1},
                "another application's value".getBytes(StandardCharsets.UTF_8),
                // One of another version, and a truncated one.
                new byte[] {(byte) 0xB8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
                new byte[] {(byte) 0xB8, 1, 0, 0, 1});
    }

    @ParameterizedTest
    @MethodSource("notRows")
    void read_cellWithAValueThatIsNotARow_isUnreadableUntilRewritten(byte[] value) throws Exception {
        FeatureView view = latestOnly();
        long far = cell(49 * 343);
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1), block(view, T0, Finality.FINAL, far, 2)));
        damage(view, key(CELL), value);

        ReadRows read = store.read(view, List.of(key(far), key(CELL)));
        assertThat(read.unreadable()).containsOnlyKeys(1);
        assertThat(read.rows().get(1)).isNull();
        assertThat(sum(read.rows().get(0))).isEqualTo(2);

        store.write(view, List.of(block(view, T0 + MINUTE, Finality.FINAL, CELL, 3)));
        assertThat(sum(readOne(view, CELL))).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("notRows")
    void read_keyWithAValueThatIsNotARow_isUnreadableUntilRewritten(byte[] value) throws Exception {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "a", "b")));
        damage(view, keyOf("a"), value);

        ReadRows read = store.read(view, List.of(keyOf("a"), keyOf("b"), keyOf("a")));
        assertThat(read.unreadable()).containsOnlyKeys(0, 2);
        assertThat(read.rows().get(0)).isNull();
        assertThat(read.rows().get(1)).isNotNull();

        store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.FINAL, 0, 3, "a")));
        assertThat(count(view, "a")).isEqualTo(3);
    }

    @Test
    void readAsOf_betweenWindowEnds_answersTheBoundaryBefore() {
        assumeHistory();
        FeatureView view = withHistory("6h");
        store.write(view, List.of(block(view, T0 - MINUTE, Finality.FINAL, CELL, 1)));
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 2)));

        assertThat(sum(readAsOf(view, CELL, T0 + 59_999))).isEqualTo(2);
        assertThat(sum(readAsOf(view, CELL, T0))).isEqualTo(2);
        assertThat(sum(readAsOf(view, CELL, T0 - 1))).isEqualTo(1);
        assertThat(readAsOf(view, CELL, T0 - MINUTE - 1)).isNull();
    }

    @Test
    void readHistory_viewWithoutHistoryOrCells_isRefused() {
        long[] ends = {T0};
        assertThatThrownBy(() -> store.readHistory(latestOnly(), key(CELL), ends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("online.history");
        assumeHistory();
        assertThatThrownBy(() -> store.readHistory(keyed("6h"), keyOf("a"), ends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no cell");
    }

    @Test
    void readAsOf_viewWithoutHistory_namesTheKey() {
        assertThatThrownBy(() ->
                        store.readAsOf(latestOnly(), List.of(key(CELL)), T0).rows())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("online.history");
    }

    @Test
    void write_rowPastItsExpiry_isNotWrittenButCounted() {
        FeatureView view = latestOnly();
        at(T0 + 10 * MINUTE);
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));
        assertThat(store.expiredRows()).isZero();
        assertThat(sum(readOne(view, CELL))).isEqualTo(1);

        at(T0 + 10 * MINUTE + 1);
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(1), 1)));
        assertThat(store.expiredRows()).isEqualTo(1);
        at(T0);
        assertThat(store.read(view, List.of(key(cell(1)))).rows()).containsExactly((StoredRow) null);
    }

    @Test
    void read_rowPastItsTtl_isNotAnswered() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));
        at(T0 + 10 * MINUTE);
        assertThat(readOne(view, CELL)).isNotNull();
        at(T0 + 10 * MINUTE + 1);
        assertThat(store.read(view, List.of(key(CELL))).rows()).containsExactly((StoredRow) null);
    }

    @Test
    void readAsOf_rowPastTtlAndHistory_isNotAnswered() {
        assumeHistory();
        FeatureView view = withHistory("1h");
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));
        at(T0 + 70 * MINUTE);
        assertThat(readAsOf(view, CELL, T0)).isNotNull();
        assertThat(readOne(view, CELL)).isNotNull();
        at(T0 + 70 * MINUTE + 1);
        assertThat(readAsOf(view, CELL, T0)).isNull();
        assertThat(store.read(view, List.of(key(CELL))).rows()).containsExactly((StoredRow) null);
    }

    /**
     * Scans some groups of neighbouring and scattered cells, with some rows expired and some replaced; the reference is a read of
     * every cell.
     */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void scan_randomRows_handsOverWhatReadsAnswer(long seed) {
        Random random = new Random(seed);
        FeatureView view = keepsHistory() ? withHistory("1h") : latestOnly();
        at(T0 - 60 * MINUTE);
        List<HexRowBlock> blocks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            long windowEndMs = T0 - MINUTE * (random.nextInt(4) == 0 ? 68 + random.nextInt(5) : random.nextInt(4));
            long cell = cell(random.nextInt(random.nextBoolean() ? 200 : 2_500));
            blocks.add(block(view, windowEndMs, GROUPS.get(random.nextInt(3)), cell, random.nextInt(3)));
        }
        store.write(view, blocks);
        at(T0);
        long[] cells = random.ints(1 + random.nextInt(300), 0, random.nextBoolean() ? 200 : 2_500)
                .mapToLong(OnlineStoreContract::cell)
                .sorted()
                .distinct()
                .toArray();

        for (List<Object> group : GROUPS) {
            assertScanned(view, cells, group, OptionalLong.empty());
            if (keepsHistory()) {
                assertScanned(view, cells, group, OptionalLong.of(T0 - random.nextInt((int) (4 * MINUTE))));
            }
        }
    }

    private void assertScanned(FeatureView view, long[] cells, List<Object> group, OptionalLong asOfMs) {
        List<StoreKey> keys =
                LongStream.of(cells).mapToObj(cell -> new StoreKey(cell, group)).toList();
        ReadRows read = asOfMs.isPresent() ? store.readAsOf(view, keys, asOfMs.getAsLong()) : store.read(view, keys);
        List<String> expected = IntStream.range(0, cells.length)
                .filter(i -> read.rows().get(i) != null)
                .mapToObj(i -> text(cells[i], present(read.rows().get(i))))
                .toList();
        Scanned scanned = new Scanned();
        store.scan(view, cells, group, asOfMs, scanned);
        assertThat(scanned.rows).as("group %s as of %s", group, asOfMs).isEqualTo(expected);
        assertThat(scanned.unreadable).isEmpty();
    }

    /** The rows that a scan passed on, in order. */
    private static final class Scanned implements ScannedRows {
        final List<String> rows = new ArrayList<>();
        final List<Long> unreadable = new ArrayList<>();

        @Override
        public void row(long cell, StoredRow row) {
            rows.add(text(cell, row));
        }

        @Override
        public void unreadable(long cell, String reason) {
            unreadable.add(cell);
        }
    }

    private static String text(long cell, StoredRow row) {
        return Long.toHexString(cell) + " " + row.windowEndMs() + " " + row.finality() + " "
                + Arrays.toString(sums(row));
    }

    /** Coarse cells share neighbourhoods across tiles, a pentagon's tile lacks cells, and poles must behave like any other place. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 9, 15})
    void scan_tilesOfAnyResolution_handsOverWhatReadsAnswer(int resolution) {
        FeatureView view = ofResolution(latestOnly(), resolution);
        HexTiling tiling = HexTiling.of(resolution);
        Random random = new Random(resolution);
        for (double[] point : new double[][] {{40.7, -74}, {64.7, 10.5}, {-89.9, 12}, {1.3, 179.99}}) {
            long tile = tiling.tile(tiling.cell(point[0], point[1]));
            long[] cells = IntStream.range(0, tiling.slots())
                    .mapToLong(slot -> tiling.cell(tile, slot))
                    .filter(HexTiling::isValidCell)
                    .toArray();
            List<HexRowBlock> blocks = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                blocks.add(block(view, T0, GROUP, cells[random.nextInt(cells.length)], i));
            }
            store.write(view, blocks);
            int from = random.nextInt(Math.max(1, cells.length - 2_100));
            int to = Math.min(cells.length, from + 2_100);
            assertScanned(view, Arrays.copyOfRange(cells, from, to), GROUP, OptionalLong.empty());
        }
    }

    /** Returns the view with cells of another resolution. */
    protected static FeatureView ofResolution(FeatureView view, int resolution) {
        Entity.Cell cell = view.cell();
        return new FeatureView(
                view.name(),
                view.version(),
                view.description(),
                List.of(
                        new Entity.Cell(cell.name(), cell.lat(), cell.lng(), null, resolution),
                        view.entities().get(1)),
                view.computation(),
                view.sink(),
                view.online());
    }

    @ParameterizedTest
    @MethodSource("notRows")
    void scan_cellWithAValueThatIsNotARow_reportsItAndTheOthers(byte[] value) throws Exception {
        FeatureView view = latestOnly();
        long far = cell(49 * 343);
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1), block(view, T0, Finality.FINAL, far, 2)));
        damage(view, key(CELL), value);

        Scanned scanned = new Scanned();
        store.scan(view, new long[] {CELL, far}, GROUP, OptionalLong.empty(), scanned);

        assertThat(scanned.unreadable).containsExactly(CELL);
        assertThat(scanned.rows).hasSize(1).allMatch(row -> row.startsWith(Long.toHexString(far)));
    }

    @Test
    void scan_noCellsOrNoRows_handsOverNothing() {
        FeatureView view = latestOnly();
        Scanned scanned = new Scanned();
        store.scan(view, new long[0], GROUP, OptionalLong.empty(), scanned);
        store.scan(view, new long[] {CELL}, GROUP, OptionalLong.empty(), scanned);
        assertThat(scanned.rows).isEmpty();
    }

    @Test
    void scan_rowOfOtherRings_isAbsent() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 1)));
        assertScanned(withRings(view, List.of(0)), new long[] {CELL}, GROUP, OptionalLong.empty());
    }

    @Test
    void coverage_rowsOfTilesAndGroups_namesEachPlaceOnceUntilItsRowsExpire() {
        FeatureView view = latestOnly();
        FeatureView other = view("demand2", null);
        HexTiling tiling = HexTiling.of(9);
        Random random = new Random(9);
        Set<List<Object>> expected = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            List<Object> group = GROUPS.get(random.nextInt(GROUPS.size()));
            long cell = tiling.cell(random.nextDouble(-60, 60), 10 * random.nextInt(10));
            store.write(view, List.of(block(view, T0 - MINUTE * random.nextInt(3), group, cell, i)));
            store.write(view, List.of(block(view, T0 - 2 * MINUTE, group, cell, i)));
            store.write(other, List.of(block(other, T0, group, CELL, i)));
            expected.add(List.of(tiling.tile(cell), group));
        }
        assertPlaces(store.coverage(view), expected);
        long one = (Long) expected.iterator().next().get(0);
        assertPlaces(
                store.coverage(view, new long[] {one, tiling.tile(CELL)}),
                expected.stream().filter(place -> place.get(0).equals(one)).collect(Collectors.toSet()));

        reopen();
        assertPlaces(store.coverage(view), expected);
        at(T0 + 10 * MINUTE + 10 * MINUTE + 1); // the ttl, and the greatest age of a note relative to its rows
        assertThat(store.coverage(view)).isEmpty();
        assertThat(store.coverage(view("demand3", null))).isEmpty();
    }

    private static void assertPlaces(List<Coverage> found, Set<List<Object>> expected) {
        assertThat(found).hasSameSizeAs(expected);
        assertThat(found)
                .allSatisfy(place -> assertThat(place.lastEndMs()).isBetween(T0 - 10 * MINUTE, T0))
                .map(place -> List.<Object>of(place.tile(), place.group()))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void coverage_placeThatIsWrittenOn_staysWithItsNewestWindowEnds() {
        FeatureView view = latestOnly();
        for (int minute = 0; minute <= 30; minute++) {
            long now = T0 + minute * MINUTE;
            at(now);
            store.write(view, List.of(block(view, now, Finality.FINAL, CELL, minute)));
            store.write(view, List.of(block(view, now - 30 * MINUTE, Finality.FINAL, CELL, minute))); // expired
            assertThat(store.coverage(view))
                    .singleElement()
                    .satisfies(place -> assertThat(place.lastEndMs()).isBetween(now - 10 * MINUTE + 1, now));
        }
    }

    @Test
    void exampleKeys_keyedView_areThoseThatBeginWithAText() {
        FeatureView view = keyed(null);
        assertThat(store.exampleKeys(view, "", 10)).isEmpty();
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "berlin", "bern", "paris", "")));
        store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.FINAL, 0, 1, "bern")));
        store.flush();

        if (layout().isFeast()) {
            assertThat(store.exampleKeys(view, "", 10)).isEmpty();
            return;
        }
        assertThat(store.exampleKeys(view, "", 10))
                .containsExactlyInAnyOrder(List.of(""), List.of("berlin"), List.of("bern"), List.of("paris"));
        assertThat(store.exampleKeys(view, "ber", 10)).containsExactlyInAnyOrder(List.of("berlin"), List.of("bern"));
        assertThat(store.exampleKeys(view, "", 2)).hasSize(2);
    }

    @Test
    void coverage_keyedView_isRefused() {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "a")));
        assertThatThrownBy(() -> store.coverage(view)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void scan_whatCannotBeScanned_isRefused() {
        Scanned none = new Scanned();
        assertThatThrownBy(() -> store.scan(keyed(null), new long[] {CELL}, GROUP, OptionalLong.empty(), none))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("campaigns")
                .hasMessageContaining("no cell");
        assertThatThrownBy(() -> store.scan(latestOnly(), new long[] {CELL}, GROUP, OptionalLong.of(T0), none))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("online.history");
    }

    @Test
    void watermark_untilEveryShardReported_isAbsent() {
        assertThat(store.watermark("demand")).isEmpty();
        store.writeProgress(new Progress("demand", 0, 3, T0));
        store.writeProgress(new Progress("demand", 2, 3, T0 + MINUTE));
        assertThat(store.watermark("demand")).isEmpty();
        store.writeProgress(new Progress("demand", 1, 3, T0 + 2 * MINUTE));
        assertThat(store.watermark("demand")).hasValue(T0);
        assertThat(store.watermark("supply")).isEmpty();
    }

    @Test
    void writeProgress_earlierThanRecorded_changesNothing() {
        store.writeProgress(new Progress("demand", 0, 1, T0));
        store.writeProgress(new Progress("demand", 0, 1, T0 - MINUTE));
        assertThat(store.watermark("demand")).hasValue(T0);
    }

    @Test
    void writeProgress_otherNumberOfShards_beginsAnew() {
        store.writeProgress(new Progress("demand", 0, 1, T0));
        store.writeProgress(new Progress("demand", 0, 2, T0 + MINUTE));
        assertThat(store.watermark("demand")).isEmpty();
        store.writeProgress(new Progress("demand", 1, 2, T0 + MINUTE));
        assertThat(store.watermark("demand")).hasValue(T0 + MINUTE);
        reopen();
        assertThat(store.watermark("demand")).hasValue(T0 + MINUTE);
    }

    @Test
    void writeProgress_shardOutOfRange_isRefused() {
        assertThatThrownBy(() -> store.writeProgress(new Progress("demand", 2, 2, T0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shard");
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void watermark_randomProgress_isTheMinimumOfEachShardsMaximum(long seed) {
        Random random = new Random(seed);
        int shards = 1 + random.nextInt(8);
        long[] naive = new long[shards];
        for (int i = 0; i < 100; i++) {
            int shard = random.nextInt(shards);
            long end = T0 + MINUTE * random.nextInt(50);
            naive[shard] = Math.max(naive[shard], end);
            store.writeProgress(new Progress("demand", shard, shards, end));
            long least = LongStream.of(naive).min().orElseThrow();
            assertThat(store.watermark("demand").orElse(0)).isEqualTo(least);
        }
    }

    @Test
    void alias_setSeveralTimes_isTheLastOneAlsoAfterReopening() {
        assertThat(store.alias("demand")).isEmpty();
        store.setAlias("demand", "demand_v2");
        store.setAlias("supply", "supply_v3");
        assertThat(store.alias("demand")).hasValue("demand_v2");
        store.setAlias("demand", "demand");
        assertThat(store.alias("demand")).hasValue("demand");
        reopen();
        assertThat(store.alias("demand")).hasValue("demand");
        assertThat(store.alias("supply")).hasValue("supply_v3");
        assertThat(store.alias("demand_v2")).isEmpty();
    }

    @Test
    void open_afterClose_keepsRowsAndProgress() {
        FeatureView view = keepsHistory() ? withHistory("1h") : latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, CELL, 5)));
        store.writeProgress(new Progress("demand", 0, 1, T0));

        reopen();

        assertThat(sum(readOne(view, CELL))).isEqualTo(5);
        if (keepsHistory()) {
            assertThat(sum(readAsOf(view, CELL, T0))).isEqualTo(5);
        }
        assertThat(store.watermark("demand")).hasValue(T0);
    }

    /** One writer writes minute after minute, then its progress; no reader may see progress without the rows before it. */
    @Test
    void read_whileOneWrites_neverMissesRowsBehindTheWatermark() throws Exception {
        FeatureView view = keepsHistory() ? withHistory("6h") : latestOnly();
        List<StoreKey> keys = IntStream.range(0, 50).mapToObj(i -> key(cell(i))).toList();
        AtomicBoolean writing = new AtomicBoolean(true);
        Map<Integer, Long> seen = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            List<Future<?>> readers = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                int id = reader;
                readers.add(threads.submit((Callable<Void>) () -> {
                    do {
                        seen.merge(id, checkBehindWatermark(view, keys), Long::sum);
                    } while (writing.get());
                    return null;
                }));
            }
            for (int minute = 0; minute < 100; minute++) {
                long end = T0 + minute * MINUTE;
                int content = minute;
                store.write(
                        view,
                        IntStream.range(0, 50)
                                .mapToObj(i -> block(view, end, Finality.FINAL, cell(i), content))
                                .toList());
                store.writeProgress(new Progress("demand", 0, 1, end));
            }
            writing.set(false);
            for (Future<?> reader : readers) {
                reader.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(seen).hasSize(4);
        assertThat(checkBehindWatermark(view, keys)).isEqualTo(50);
    }

    private long checkBehindWatermark(FeatureView view, List<StoreKey> keys) {
        ReadRows newest = store.read(view, keys);
        OptionalLong watermark = newest.watermarkMs();
        if (watermark.isEmpty()) {
            return 0;
        }
        for (StoredRow row : newest.rows()) {
            assertThat(row).isNotNull();
            assertThat(row.windowEndMs()).isGreaterThanOrEqualTo(watermark.getAsLong());
            assertThat(sums(row)[0]).isEqualTo((row.windowEndMs() - T0) / MINUTE);
        }
        for (StoredRow row : keepsHistory()
                ? store.readAsOf(view, keys, watermark.getAsLong()).rows()
                : List.<StoredRow>of()) {
            assertThat(row).isNotNull();
            assertThat(row.windowEndMs()).isEqualTo(watermark.getAsLong());
        }
        return keys.size();
    }

    @Test
    void readKeyed_rowsWritten_answersTheirValuesInTheOrderAsked() {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 7, "a", "b", "")));

        List<@Nullable StoredRow> rows = store.read(view, List.of(keyOf(""), keyOf("c"), keyOf("a"), keyOf("a")))
                .rows();

        assertThat(rows.get(1)).isNull();
        assertThat(present(rows.get(0)).values()).containsExactly(9L, 4.5, 9L, null);
        assertThat(present(rows.get(2)).values()).containsExactly(7L, 3.5, 7L, null);
        assertThat(rows.get(3)).isEqualTo(rows.get(2));
        assertThat(present(rows.get(2)).windowEndMs()).isEqualTo(T0);
        assertThat(present(rows.get(2)).finality()).isEqualTo(Finality.FINAL);
        assertThat(store.read(view, List.of()).rows()).isEmpty();
    }

    @Test
    void readKeyed_whileOneWrites_neverMissesRowsBehindTheWatermark() throws Exception {
        FeatureView view = keyed(null);
        String name = view.qualifiedName();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> writer = thread.submit(() -> {
                for (int minute = 0; minute < 200; minute++) {
                    long end = T0 + minute * MINUTE;
                    store.write(view, List.of(keyedBlock(view, end, Finality.FINAL, 0, minute, "a", "b")));
                    store.writeProgress(new Progress(name, 0, 1, end));
                }
            });
            long watermark = 0;
            while (watermark < T0 + 199 * MINUTE) {
                boolean over = writer.isDone();
                ReadRows newest = store.read(view, List.of(keyOf("b"), keyOf("a")));
                watermark = newest.watermarkMs().orElse(0);
                for (StoredRow row : watermark == 0 ? List.<StoredRow>of() : newest.rows()) {
                    assertThat(present(row).windowEndMs()).isGreaterThanOrEqualTo(watermark);
                }
                if (over) {
                    writer.get();
                    assertThat(watermark).isEqualTo(T0 + 199 * MINUTE);
                }
            }
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void writeKeyed_textAndLists_areAnsweredAsWritten() {
        assumeTrue(layout() != Online.Layout.FEAST_ARRAY, "an array is of numbers");
        FeatureView view = Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: Materialization
                        name: profiles
                        source: {csv: profiles.csv}
                        entities: [{name: rider, field: id}]
                        features: [{name: home, type: string}, {name: embedding, type: double_list}, {name: trips, type: int64}]
                        online: {ttl: 10m, layout: %s}
                        """.formatted(layout().text()), "profiles.yaml")
                .materializations()
                .get(0)
                .view();
        KeyCodec codec = new KeyCodec(view);
        byte[] list = ByteBuffer.allocate(2 * Double.BYTES)
                .putDouble(0.1)
                .putDouble(-7)
                .array();
        KeyedRowBlock block = new KeyedRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, T0),
                KeyColumns.ofBytes(codec.bytes(List.of("a")), codec.bytes(List.of("b"))),
                new ValueColumns(
                        new long[6],
                        new long[] {0, 0, 5, 0, 0, 6},
                        new boolean[] {false, false, false, true, false, false},
                        new byte[][] {"Zürich".getBytes(StandardCharsets.UTF_8), list, null, null, new byte[0], null}));
        store.write(view, List.of(block));

        List<@Nullable StoredRow> rows =
                store.read(view, List.of(keyOf("b"), keyOf("a"))).rows();

        assertThat(present(rows.get(0)).values()).isEqualTo(Arrays.asList(null, List.of(), 6L));
        assertThat(present(rows.get(1)).values()).isEqualTo(List.of("Zürich", List.of(0.1, -7.0), 5L));
    }

    @Test
    void writeKeyed_partialRows_stayUntilTheFinalOneOrALaterWindow() {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.PARTIAL, 5, 1, "a")));
        store.write(view, List.of(keyedBlock(view, T0, Finality.PARTIAL, 3, 2, "a")));
        assertThat(count(view, "a")).isEqualTo(1);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 3, "a")));
        store.write(view, List.of(keyedBlock(view, T0, Finality.PARTIAL, 9, 4, "a")));
        assertThat(count(view, "a")).isEqualTo(3);
        store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.PARTIAL, 1, 5, "a")));
        assertThat(count(view, "a")).isEqualTo(5);
    }

    /** As {@link #write_anyOrderAndRepeats_endsInTheSameState}, with sequences. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void writeKeyed_anyOrderAndRepeats_endsInTheSameState(long seed) {
        Random random = new Random(seed);
        FeatureView view = keepsHistory() ? keyed("6h") : keyed("6h", null);
        List<KeyedRowBlock> rows = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long windowEndMs = T0 - MINUTE * random.nextInt(30);
            boolean isFinal = random.nextBoolean();
            int sequence = isFinal ? 0 : random.nextInt(3);
            String key = "k" + random.nextInt(20);
            int content = (int) (windowEndMs / MINUTE % 100 * 10 + (isFinal ? 9 : sequence));
            rows.add(
                    keyedBlock(view, windowEndMs, isFinal ? Finality.FINAL : Finality.PARTIAL, sequence, content, key));
        }
        List<KeyedRowBlock> delivered = new ArrayList<>(rows);
        delivered.addAll(rows.subList(0, 100));
        Collections.shuffle(delivered, random);
        for (int from = 0; from < delivered.size(); ) {
            int to = Math.min(delivered.size(), from + 1 + random.nextInt(20));
            store.write(view, delivered.subList(from, to));
            from = to;
        }

        Map<Object, List<KeyedRowBlock>> byKey = byKey(rows);
        for (int i = 0; i < 20; i++) {
            String key = "k" + i;
            assertKeyed(
                    store.read(view, List.of(keyOf(key))).rows().get(0),
                    keyedWinner(byKey, key, Long.MIN_VALUE, Long.MAX_VALUE));
            for (int minutes = 0; minutes < 30 && keepsHistory(); minutes++) {
                long asOfMs = T0 - MINUTE * minutes + random.nextInt((int) MINUTE);
                assertKeyed(
                        store.readAsOf(view, List.of(keyOf(key)), asOfMs).rows().get(0),
                        keyedWinner(byKey, key, asOfMs - 10 * MINUTE, asOfMs));
            }
        }
    }

    /** More rows than a store puts into one call, each with its own time. */
    @Test
    void writeKeyed_thousandsOfSingleRows_eachStands() {
        Random random = new Random(1);
        FeatureView view = keyed(null);
        List<KeyedRowBlock> rows = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            long windowEndMs = T0 - MINUTE * random.nextInt(5);
            rows.add(keyedBlock(view, windowEndMs, Finality.FINAL, 0, i, "k" + random.nextInt(2_000)));
        }
        store.write(view, rows);

        List<String> keys = IntStream.range(0, 2_000).mapToObj(i -> "k" + i).toList();
        List<@Nullable StoredRow> read = store.read(
                        view, keys.stream().map(OnlineStoreContract::keyOf).toList())
                .rows();
        assertThat(read).hasSameSizeAs(keys);
        Map<Object, List<KeyedRowBlock>> byKey = byKey(rows);
        for (int i = 0; i < read.size(); i++) {
            KeyedRowBlock expected = keyedWinner(byKey, keys.get(i), Long.MIN_VALUE, Long.MAX_VALUE);
            @Nullable StoredRow row = read.get(i);
            assertThat(row == null).isEqualTo(expected == null);
            if (row != null && expected != null) {
                assertThat(row.windowEndMs()).isEqualTo(expected.windowEndMs());
            }
        }
    }

    /** Returns the key of each row; all are of one view. */
    private Map<Object, List<KeyedRowBlock>> byKey(List<KeyedRowBlock> rows) {
        KeyCodec codec = new KeyCodec(keyed(null));
        return rows.stream()
                .collect(Collectors.groupingBy(row -> row.key(codec, 0).get(0)));
    }

    private static @Nullable KeyedRowBlock keyedWinner(
            Map<Object, List<KeyedRowBlock>> byKey, String key, long fromMs, long toMs) {
        return byKey.getOrDefault(key, List.of()).stream()
                .filter(row -> row.windowEndMs() >= fromMs && row.windowEndMs() <= toMs)
                .max(Comparator.comparingLong(KeyedRowBlock::windowEndMs)
                        .thenComparing(KeyedRowBlock::finality)
                        .thenComparingLong(KeyedRowBlock::sequence))
                .orElse(null);
    }

    private static void assertKeyed(@Nullable StoredRow row, @Nullable KeyedRowBlock expected) {
        if (expected == null) {
            assertThat(row).isNull();
            return;
        }
        assertThat(present(row).windowEndMs()).isEqualTo(expected.windowEndMs());
        assertThat(present(row).finality()).isEqualTo(expected.finality());
        assertThat(present(row).sequence()).isEqualTo(expected.sequence());
        assertThat(present(row).values().get(0)).isEqualTo(expected.values().low()[0]);
    }

    /** A ttl may span thousands of window ends: the age of one key's row must not affect the others. */
    @Test
    void readKeyedAsOf_rowsFarApart_findsTheNewestOfEachKey() {
        assumeHistory();
        FeatureView view = keyed("5d", "1h");
        int[] minutesBack = {0, 48, 49, 100, 3_000, 7_199};
        String[] keys = new String[minutesBack.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = "back" + minutesBack[i];
            long end = T0 - minutesBack[i] * MINUTE;
            store.write(
                    view,
                    List.of(
                            keyedBlock(view, end, Finality.FINAL, 0, i, keys[i]),
                            keyedBlock(view, end - MINUTE, Finality.FINAL, 0, 99, keys[i])));
        }
        List<StoreKey> asked = new ArrayList<>(List.of(keyOf("none")));
        Stream.of(keys).map(OnlineStoreContract::keyOf).forEach(asked::add);

        List<@Nullable StoredRow> rows = store.readAsOf(view, asked, T0).rows();

        assertThat(rows).hasSize(asked.size());
        assertThat(rows.get(0)).isNull();
        for (int i = 0; i < keys.length; i++) {
            assertThat(present(rows.get(i + 1)).values().get(0)).as(keys[i]).isEqualTo((long) i);
        }
        assertThat(store.readAsOf(view, asked, T0 - 7_201 * MINUTE).rows()).containsOnlyNulls();
    }

    /** Millions of lookups take longer, even in this process. */
    private static final long AT_ONCE_NANOS = 2_000_000_000;

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Of a century of minutes, only those of the key with a later newest row are read. */
    @Test
    @Timeout(Await.TIMEOUT_SECONDS)
    void readKeyedAsOf_keysWithoutRowsOrWithOldOnes_areAnsweredAtOnce() {
        assumeHistory();
        FeatureView view = keyed("36500d", "1h");
        long old = T0 - 15_000 * 1_440 * MINUTE;
        store.write(view, List.of(keyedBlock(view, old, Finality.FINAL, 0, 1, "old", "renewed")));
        store.write(view, List.of(keyedBlock(view, T0 - MINUTE, Finality.FINAL, 0, 2, "renewed")));
        store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.FINAL, 0, 3, "renewed")));
        List<StoreKey> asked = List.of(keyOf("none"), keyOf("old"), keyOf("renewed"));

        long before = cpuNanos();
        List<@Nullable StoredRow> rows = store.readAsOf(view, asked, T0).rows();

        assertThat(cpuNanos() - before).as("processor time").isLessThan(AT_ONCE_NANOS);

        assertThat(rows.get(0)).isNull();
        assertThat(present(rows.get(1)).values().get(0)).isEqualTo(1L);
        assertThat(present(rows.get(2)).values().get(0)).isEqualTo(2L);
    }

    /** A read never looks up expired window ends, of which there are millions for a time long past, so it returns at once. */
    @Test
    @Timeout(Await.TIMEOUT_SECONDS)
    void readKeyedAsOf_timeWhoseRowsHaveExpired_looksForNone() {
        assumeHistory();
        FeatureView view = keyed("5000d", "1h");
        long oldest = T0 - (5_000 * 1_440 + 60) * MINUTE;
        store.write(view, List.of(keyedBlock(view, oldest, Finality.FINAL, 0, 1, "a")));

        long before = cpuNanos();
        assertThat(store.readAsOf(view, List.of(keyOf("a")), oldest).rows()).doesNotContainNull();
        assertThat(store.readAsOf(view, List.of(keyOf("a"), keyOf("b")), oldest - 1)
                        .rows())
                .containsOnlyNulls();
        at(T0 + MINUTE);
        assertThat(store.readAsOf(view, List.of(keyOf("a")), oldest).rows()).containsOnlyNulls();
        assertThat(cpuNanos() - before).as("processor time").isLessThan(AT_ONCE_NANOS);
    }

    @Test
    void readKeyedAsOf_viewWithoutHistory_namesTheKey() {
        assertThatThrownBy(() ->
                        store.readAsOf(keyed(null), List.of(keyOf("a")), T0).rows())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("online.history");
    }

    @Test
    void writeKeyed_rowPastItsExpiry_isNeitherWrittenNorAnswered() {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "a")));
        at(T0 + 10 * MINUTE);
        assertThat(count(view, "a")).isEqualTo(1);
        at(T0 + 10 * MINUTE + 1);
        assertThat(store.read(view, List.of(keyOf("a"))).rows()).containsExactly((StoredRow) null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "b", "c")));
        assertThat(store.expiredRows()).isEqualTo(2);
        at(T0);
        assertThat(store.read(view, List.of(keyOf("b"))).rows()).containsExactly((StoredRow) null);
    }

    @Test
    void writeKeyed_blockOfAnotherView_isRefusedByName() {
        FeatureView view = keyed(null);
        KeyedRowBlock block = keyedBlock(view, T0, Finality.FINAL, 0, 1, "a");
        assertThatThrownBy(() -> store.write(latestOnly(), List.of(block)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("campaigns")
                .hasMessageContaining("demand");
    }

    @Test
    void open_afterClose_keepsKeyedRows() {
        FeatureView view = keyed(keepsHistory() ? "1h" : null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 5, "a")));

        reopen();

        assertThat(count(view, "a")).isEqualTo(5);
        if (keepsHistory()) {
            assertThat(present(store.readAsOf(view, List.of(keyOf("a")), T0)
                                    .rows()
                                    .get(0))
                            .values()
                            .get(0))
                    .isEqualTo(5L);
        }
    }

    @Test
    void anyCall_afterClose_saysThatTheStoreIsClosed() {
        store.close();
        FeatureView view = latestOnly();
        assertThatThrownBy(() -> store.read(view, List.of(key(CELL))).rows())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(store::flush).isInstanceOf(StoreException.class);
        store.close();
    }

    /** Sets the clock, epoch ms. */
    protected final void at(long nowMs) {
        clock.set(Instant.ofEpochMilli(nowMs));
    }

    /** Closes the store and opens it again. */
    protected final void reopen() {
        store.close();
        store = open(clock);
    }

    protected final @Nullable StoredRow readOne(FeatureView view, long cell) {
        return store.read(view, List.of(key(cell))).rows().get(0);
    }

    private @Nullable StoredRow readAsOf(FeatureView view, long cell, long asOfMs) {
        return store.readAsOf(view, List.of(key(cell)), asOfMs).rows().get(0);
    }

    protected static long[] sums(@Nullable StoredRow row) {
        return ((StoredRow.OfSums) present(row)).sums();
    }

    private static long sum(@Nullable StoredRow row) {
        return sums(row)[0];
    }

    protected static StoredRow present(@Nullable StoredRow row) {
        assertThat(row).isNotNull();
        return Objects.requireNonNull(row);
    }

    /** Returns the {@code n}th cell of resolution 9 in an area of 7^6: cells with close numbers are neighbours. */
    protected static long cell(int n) {
        long digits = 0;
        for (int rest = n, at = 0; rest > 0; rest /= 7, at += 3) {
            digits |= (long) (rest % 7) << at;
        }
        return 0x892a00000000000L | (digits << 18) | 0x3FFFF;
    }

    protected final long count(FeatureView view, String key) {
        return (Long) Objects.requireNonNull(
                present(store.read(view, List.of(keyOf(key))).rows().get(0))
                        .values()
                        .get(0));
    }

    protected static StoreKey keyOf(String key) {
        return new StoreKey(0, List.of(key));
    }

    /** A keyed view of a count, a mean, an integer sum and a maximum, ttl 10 min. */
    protected final FeatureView keyed(@Nullable String history) {
        return keyed("10m", history);
    }

    private FeatureView keyed(String ttl, @Nullable String history) {
        return Definitions.parse(
                        """
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: campaigns
                        source: {topic: ads}
                        entities: [{name: campaign, field: c}]
                        measures: [{count: all}, {mean: cost}, {sum: items, type: int64}, {max: cost}]
                        windows: {sizes: [1m], every: 1m}
                        online: {ttl: %s%s, layout: %s}
                        """.formatted(ttl, history == null ? "" : ", history: " + history, layout().text()),
                        "campaigns.yaml")
                .views()
                .get(0);
    }

    /** Returns rows whose values are {@code first, first / 2, first} and null, for the next key {@code first + 1 …}. */
    protected static KeyedRowBlock keyedBlock(
            FeatureView view, long windowEndMs, Finality finality, long sequence, int first, String... keys) {
        KeyCodec codec = new KeyCodec(view);
        byte[][] bytes = new byte[keys.length][];
        long[] low = new long[4 * keys.length];
        boolean[] nulls = new boolean[4 * keys.length];
        for (int row = 0; row < keys.length; row++) {
            bytes[row] = codec.bytes(List.of(keys[row]));
            low[4 * row] = first + (long) row;
            low[4 * row + 1] = Double.doubleToRawLongBits((first + row) / 2.0);
            low[4 * row + 2] = first + (long) row;
            nulls[4 * row + 3] = true;
        }
        return new KeyedRowBlock(
                new BlockHead(view.qualifiedName(), 0, new RowOrder(windowEndMs, finality, sequence)),
                new KeyColumns(new long[0], new long[0], bytes),
                ValueColumns.ofNumbers(new long[4 * keys.length], low, nulls));
    }

    protected static StoreKey key(long cell) {
        return new StoreKey(cell, GROUP);
    }

    /** A view of two rings and two windows, ttl 10 min, newest rows only. */
    protected final FeatureView latestOnly() {
        return view("demand", null);
    }

    protected final FeatureView withHistory(String history) {
        return view("demand", history);
    }

    protected final FeatureView view(String name, @Nullable String history) {
        return view(name, "10m", history);
    }

    private FeatureView view(String name, String ttl, @Nullable String history) {
        return new FeatureView(
                name,
                1,
                "",
                List.of(
                        new Entity.Cell("cell", FieldPath.parse("lat"), FieldPath.parse("lng"), null, 9),
                        new Entity.Field("product", FieldPath.parse("product_id"), ValueType.UUID)),
                new Computation.OfRings(
                        new EventInput(
                                new Source(
                                        List.of("events"),
                                        "default",
                                        new Source.Start(Source.Start.Kind.EARLIEST, null),
                                        Source.Format.JSON,
                                        new Source.EventTime(null, Source.TimeUnit.MS),
                                        DurationText.parse("10s"),
                                        DurationText.parse("30s"),
                                        DurationText.parse("1m")),
                                List.of(),
                                List.of(),
                                "events-dead",
                                false),
                        new Measure.Count(),
                        List.of(0, 1),
                        new Windows(
                                List.of(DurationText.parse("1m"), DurationText.parse("2m")), DurationText.parse("1m"))),
                null,
                new Online(DurationText.parse(ttl), history == null ? null : DurationText.parse(history), layout()));
    }

    /** A block of one row whose sums are {@code first, first + 1, first + 2, first + 3}. */
    protected static HexRowBlock block(FeatureView view, long windowEndMs, Finality finality, long cell, int first) {
        return block(view, windowEndMs, finality, GROUP, cell, first);
    }

    /** Returns a final block of a group. */
    protected static HexRowBlock block(FeatureView view, long windowEndMs, List<Object> group, long cell, int first) {
        return block(view, windowEndMs, Finality.FINAL, group, cell, first);
    }

    private static HexRowBlock block(
            FeatureView view, long windowEndMs, Finality finality, List<Object> group, long cell, int first) {
        return new HexRowBlock(
                new BlockHead(view.qualifiedName(), 0, new RowOrder(windowEndMs, finality, 0)),
                0x852a1007fffffffL,
                group,
                new long[] {cell},
                new long[] {first, first + 1L, first + 2L, first + 3L},
                null);
    }
}
