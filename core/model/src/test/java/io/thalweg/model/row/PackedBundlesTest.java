package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.thalweg.model.Views;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PackedBundlesTest {
    private static final FeatureView DEMAND = Views.demand();
    private static final FeatureView SMALL = Views.small();
    private static final long MINUTE = 60_000;

    @Test
    void parent_cellsOfOneAncestor_isThatAncestor() {
        // H3: 892a1008003ffff and its ancestors 882a100801fffff, 872a10080ffffff
        assertThat(new PackedBundles(DEMAND).parent(0x892a1008003ffffL)).isEqualTo(0x872a10080ffffffL);
        assertThat(new PackedBundles(DEMAND).parent(0x892a100801bffffL)).isEqualTo(0x872a10080ffffffL);
        assertThat(new PackedBundles(DEMAND).parent(0x892a1008103ffffL)).isEqualTo(0x872a10081ffffffL);
    }

    /** Merges blocks with any cells, order and repeats, cut anywhere, in any order: each cell's greatest row is kept. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void merge_anyOrderAndCuts_keepsTheGreatestRowOfEachCell(long seed) {
        Random random = new Random(seed);
        FeatureView view = random.nextBoolean() ? DEMAND : SMALL;
        PackedBundles codec = new PackedBundles(view);
        TreeMap<Long, StoredRow> naive = new TreeMap<>();
        byte[] bundle = null;
        for (int i = 0; i < 40; i++) {
            HexRowBlock block = block(view, MINUTE * (1 + random.nextInt(5)), random);
            int from = random.nextInt(block.rows());
            int to = from + 1 + random.nextInt(block.rows() - from);
            boolean news = false;
            for (int row = from; row < to; row++) {
                StoredRow old = naive.get(block.cells()[row]);
                if (old == null || order(old).compareTo(order(block)) < 0) {
                    naive.put(block.cells()[row], stored(view, block, row));
                    news = true;
                }
            }

            byte[] arrived = codec.encode(block, from, to);
            byte[] before = bundle;
            bundle = before == null ? arrived : codec.merge(before, arrived, 0);

            assertThat(bundle == before).as("nothing was new, step %d", i).isEqualTo(!news);
            assertThat(PackedBundles.rows(bundle)).isEqualTo(naive.size());
            assertThat(PackedBundles.newestMs(bundle))
                    .isEqualTo(naive.values().stream()
                            .mapToLong(StoredRow::windowEndMs)
                            .max()
                            .orElseThrow());
            for (int slot = 0; slot < PackedBundles.CELLS; slot++) {
                long cell = cell(slot);
                assertThat(codec.row(bundle, cell)).usingRecursiveComparison().isEqualTo(naive.get(cell));
            }
        }
    }

    @Test
    void merge_keptRowsExpired_dropsThem() {
        PackedBundles codec = new PackedBundles(SMALL);
        byte[] kept = codec.encode(block(SMALL, MINUTE, 3, 5, 7), 0, 3);
        byte[] arrived = codec.encode(block(SMALL, 2 * MINUTE, 5), 0, 1);

        assertThat(PackedBundles.rows(codec.merge(kept, arrived, MINUTE))).isEqualTo(3);
        byte[] merged = codec.merge(kept, arrived, MINUTE + 1);
        assertThat(PackedBundles.rows(merged)).isEqualTo(1);
        assertThat(codec.row(merged, cell(3))).isNull();
        assertThat(codec.row(merged, cell(5))).isNotNull();
    }

    @Test
    void merge_keptOfOtherRings_takesWhatArrived() {
        byte[] foreign = new PackedBundles(DEMAND).encode(block(DEMAND, 3 * MINUTE, 1, 2), 0, 2);
        PackedBundles codec = new PackedBundles(SMALL);
        byte[] arrived = codec.encode(block(SMALL, MINUTE, 1), 0, 1);

        assertThat(codec.merge(foreign, arrived, 0)).isSameAs(arrived);
        assertThatThrownBy(() -> codec.row(foreign, cell(1))).hasMessageContaining("other rings or windows");
    }

    /** Changed, cut and random bytes: an IllegalArgumentException that names the offset, or a value, never anything else. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_garbage_namesTheOffset(long seed) {
        Random random = new Random(seed);
        PackedBundles codec = new PackedBundles(SMALL);
        HexRowBlock block = block(SMALL, MINUTE, random);
        byte[] whole = codec.encode(block, 0, block.rows());
        byte[] later = codec.encode(block(SMALL, 2 * MINUTE, random), 0, 1);
        for (int i = 0; i < 200; i++) {
            byte[] bad = PackedRowsTest.damaged(whole, random);
            onlyNamesTheOffset(() -> codec.row(bad, block.cells()[0]));
            onlyNamesTheOffset(() -> codec.merge(bad, later, 0));
            onlyNamesTheOffset(() -> PackedBundles.newestMs(bad));
            onlyNamesTheOffset(() -> PackedBundles.rows(bad));
        }
    }

    private static void onlyNamesTheOffset(Runnable read) {
        try {
            read.run();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("at byte ");
        } catch (RuntimeException | Error e) {
            fail("reading must not throw this", e);
        }
    }

    /** The example of docs/reference/packed.md. */
    @Test
    void encode_exampleOfTheReference_givesItsBytes() {
        FeatureView view = PackedRowsTest.ViewsOfTheReference.packed();
        HexRowBlock block = PackedRowsTest.ViewsOfTheReference.block();
        assertThat(PackedRowsTest.grouped(new PackedBundles(view).encode(block, 0, 2)))
                .isEqualTo(PackedRowsTest.ViewsOfTheReference.hex("bundle"));
    }

    /** Creates rows of some of the cells under one parent, of any finality. */
    private static HexRowBlock block(FeatureView view, long windowEndMs, Random random) {
        HexRowBlock some = PackedRowsTest.random(view, random);
        List<Integer> slots = new ArrayList<>(random.ints(some.rows(), 0, PackedBundles.CELLS)
                .distinct()
                .sorted()
                .boxed()
                .toList());
        long[] cells = slots.stream().mapToLong(PackedBundlesTest::cell).toArray();
        int[] sizes = some.diskSizes();
        return new HexRowBlock(
                new BlockHead(
                        some.view(),
                        some.shard(),
                        new RowOrder(windowEndMs, random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL, 0)),
                some.tile(),
                some.group(),
                cells,
                Arrays.copyOf(some.sums(), cells.length * view.featureNames().size()),
                sizes == null
                        ? null
                        : Arrays.copyOf(sizes, cells.length * view.rings().size()));
    }

    /** One pass over a bundle, even a damaged one, finds what a pass for each cell finds. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void seek_cellAfterCell_findsWhatRowFinds(long seed) {
        Random random = new Random(seed);
        FeatureView view = random.nextBoolean() ? DEMAND : SMALL;
        PackedBundles codec = new PackedBundles(view);
        int[] slots =
                random.ints(40, 0, PackedBundles.CELLS).sorted().distinct().toArray();
        byte[] bundle = codec.encode(block(view, 60_000, slots), 0, slots.length);
        if (random.nextBoolean()) {
            bundle[random.nextInt(bundle.length)] ^= (byte) (1 << random.nextInt(8));
        }
        if (random.nextInt(4) == 0) {
            bundle = Arrays.copyOf(bundle, random.nextInt(bundle.length + 3));
        }
        PackedBundles.Cursor cursor = codec.cursor(bundle);
        byte[] walked = bundle;
        for (int slot = 0; slot < PackedBundles.CELLS; slot += 1 + random.nextInt(3)) {
            long cell = cell(slot);
            assertThat(outcome(() -> cursor.seek(cell) ? cursor.row() : null))
                    .isEqualTo(outcome(() -> codec.row(walked, cell)));
        }
    }

    private static String outcome(Supplier<? extends @Nullable StoredRow> row) {
        try {
            StoredRow found = row.get();
            return found == null ? "none" : order(found) + " " + found.values();
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void cells_bundle_areThoseWithARow() {
        PackedBundles codec = new PackedBundles(SMALL);
        byte[] bundle = codec.encode(block(SMALL, 60_000, 0, 7, 48), 0, 3);
        assertThat(codec.cells(bundle, codec.parent(cell(7)))).containsExactly(cell(0), cell(7), cell(48));
    }

    private static HexRowBlock block(FeatureView view, long windowEndMs, int... slots) {
        long[] cells = Arrays.stream(slots).mapToLong(PackedBundlesTest::cell).toArray();
        long[] sums = new long[slots.length * view.featureNames().size()];
        return new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, windowEndMs), 1, List.of(), cells, sums, null);
    }

    private static long cell(int slot) {
        long digits = ((long) (slot / 7) << 3) | (slot % 7);
        return 0x892a10000000000L | (digits << 18) | 0x3FFFF;
    }

    private static RowOrder order(StoredRow row) {
        return new RowOrder(row.windowEndMs(), row.finality(), row.sequence());
    }

    private static RowOrder order(HexRowBlock block) {
        return new RowOrder(block.windowEndMs(), block.finality(), 0);
    }

    private static StoredRow stored(FeatureView view, HexRowBlock block, int row) {
        HexRowCodec codec = new HexRowCodec(view);
        return codec.decodeRow(codec.encodeRow(block, row));
    }
}
