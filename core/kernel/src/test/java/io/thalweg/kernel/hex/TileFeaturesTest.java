package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.naive.NaiveFeatures;
import io.thalweg.kernel.naive.NaiveRow;
import io.thalweg.kernel.pane.PositionCounts;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TileFeaturesTest {
    private static final int[] RINGS = {0, 1, 2, 3, 4, 5, 10, 15, 20};
    private static final int[] WINDOWS = {1, 2, 4, 8, 16, 32};

    static List<LatticeKernel> kernels() {
        return List.of(new ScalarKernel(), LatticeKernel.vector());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"anywhere", "border", "edge", "dateLine", "pole"})
    void assemble_defaultRingsAndWindows_equalsNaive(String spot) {
        Random random = new Random(1);
        HexTiling tiling = HexTiling.of(9);
        check(9, RINGS, WINDOWS, at(spot, tiling, random), random, 5, kernels());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"onPentagon", "nearPentagon"})
    void assemble_tileWithAPentagon_equalsNaive(String spot) {
        Random random = new Random(1);
        // H3, and therefore the oracle, is slow around pentagons: fewer and smaller rings.
        int[] rings = {0, 1, 2, 5, 9};
        check(9, rings, WINDOWS, at(spot, HexTiling.of(9), random), random, 6, List.of(new ScalarKernel()));
    }

    @ParameterizedTest(name = "resolution={0}")
    @MethodSource("resolutions")
    void assemble_everyResolution_equalsNaive(int resolution) {
        Random random = new Random(resolution);
        HexTiling tiling = HexTiling.of(resolution);
        for (String spot : List.of("border", "onPentagon", "nearPentagon")) {
            LatticeKernel kernel = kernels().get(resolution % 2);
            check(
                    resolution,
                    new int[] {1, 3, 6},
                    new int[] {2, 3},
                    at(spot, tiling, random),
                    random,
                    6,
                    List.of(kernel));
        }
    }

    static IntStream resolutions() {
        return IntStream.rangeClosed(0, 15);
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void assemble_randomRingsAndWindows_equalsNaive(int seed) {
        Random random = new Random(seed);
        int[] rings = ascending(random, 0, 24);
        int[] windows = ascending(random, 1, 9);
        HexTiling tiling = HexTiling.of(5 + random.nextInt(11));
        check(tiling.resolution(), rings, windows, at("border", tiling, random), random, 6, kernels());
    }

    private static int[] ascending(Random random, int least, int bound) {
        return random.ints(1 + random.nextInt(4), least, bound)
                .distinct()
                .sorted()
                .toArray();
    }

    private static long at(String spot, HexTiling tiling, Random random) {
        return switch (spot) {
            case "border" -> Positions.border(tiling, random);
            case "edge" -> Positions.icosahedronEdge(tiling, random);
            case "onPentagon" -> Positions.walk(Positions.pentagon(tiling.resolution(), random), 2, random);
            case "nearPentagon" -> Positions.walk(Positions.pentagon(tiling.resolution(), random), 30, random);
            case "dateLine" -> tiling.cell(random.nextDouble(-70, 70), random.nextBoolean() ? 180 : -179.9999);
            case "pole" -> tiling.cell(random.nextBoolean() ? 89.9999 : -90, random.nextDouble(-180, 180));
            default -> Positions.randomCell(tiling, random);
        };
    }

    /** Scatters events around a cell over a few panes, with a gap, and compares all rows of each kernel with the naive ones. */
    private static void check(
            int resolution,
            int[] rings,
            int[] windows,
            long start,
            Random random,
            int events,
            List<LatticeKernel> kernels) {
        NaiveFeatures naive = new NaiveFeatures(resolution, rings, windows);
        List<TinyJob> jobs = kernels.stream()
                .map(kernel -> new TinyJob(resolution, rings, windows, kernel))
                .toList();
        int spread = 1 + rings[rings.length - 1];
        for (int n = 0; n < events; n++) {
            long cell = Positions.walk(start, random.nextInt(2 * spread), random);
            long gap = random.nextInt(4) == 0 ? windows[windows.length - 1] + 3L : 0;
            long pane = random.nextInt(6) + gap;
            int count = 1 + random.nextInt(5);
            naive.addSum(cell, "x", pane, count);
            jobs.forEach(job -> job.add(cell, pane, count));
        }
        List<NaiveRow> expected = naive.rows();
        assertThat(expected).isNotEmpty();
        jobs.forEach(job -> requireSame(job.rows("x"), expected));
    }

    private static void requireSame(List<NaiveRow> actual, List<NaiveRow> expected) {
        for (int row = 0; row < Math.min(expected.size(), actual.size()); row++) {
            if (!expected.get(row).equals(actual.get(row))) {
                assertThat(actual.get(row)).as("row %d", row).isEqualTo(expected.get(row));
            }
        }
        assertThat(actual).hasSameSizeAs(expected);
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void assemble_denseTile_equalsDirectSums(LatticeKernel kernel) {
        HexTiling tiling = HexTiling.of(9);
        TileFeatures features = new TileFeatures(tiling, new int[] {0, 5, 20}, new int[] {1, 2}, kernel);
        long tile = tiling.tile(tiling.cell(40.75, -73.98));
        Random random = new Random(1);
        int[] positions = allPositions(tiling, features, tile, 20);
        int[][] counts = new int[2][];
        for (int pane = 0; pane < 2; pane++) {
            counts[pane] = random.ints(positions.length, 0, 1000).toArray();
        }
        TileRows rows = features.assemble(
                tile,
                panesBack -> panesBack <= 2
                        ? PositionCounts.ofUnordered(positions, counts[panesBack - 1])
                        : PositionCounts.NONE);
        assertThat(rows.rows()).isEqualTo(tiling.slots());
        Map<Integer, Integer> indexes = new HashMap<>();
        for (int n = 0; n < positions.length; n++) {
            indexes.put(positions[n], n);
        }
        for (int n = 0; n < 300; n++) {
            int row = random.nextInt(rows.rows());
            int[] rings = {0, 5, 20};
            for (int ring = 0; ring < rings.length; ring++) {
                long newest = 0;
                long both = 0;
                for (long near : HexTiling.disk(rows.cell(row), rings[ring])) {
                    int index = indexes.getOrDefault(features.position(tile, near), -1);
                    newest += counts[0][index];
                    both += counts[0][index] + counts[1][index];
                }
                assertThat(rows.sum(row, ring * 2)).isEqualTo(newest);
                assertThat(rows.sum(row, ring * 2 + 1)).isEqualTo(both);
            }
        }
        assertThat(rows.diskSizes()).isNull();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void disks_randomRows_equalDirectSums(LatticeKernel kernel) {
        Random random = new Random(9);
        for (int n = 0; n < 20; n++) {
            int ring = random.nextInt(6);
            int cells = 1 + random.nextInt(140);
            int[][] lattice = new int[2 * ring + 2][(cells + 2 * ring + 1) * LatticeKernel.LANES];
            for (int[] row : lattice) {
                Arrays.setAll(row, at -> random.nextInt());
            }
            int[] sums = disks(kernel, lattice, ring, cells);
            for (int at = 0; at < sums.length; at++) {
                assertThat(sums[at]).isEqualTo(directSum(lattice, ring, at));
            }
        }
    }

    /** The disk sums of row {@code ring + 1} from column {@code ring + 1} on. */
    private static int[] disks(LatticeKernel kernel, int[][] lattice, int ring, int cells) {
        int columns = lattice[0].length / LatticeKernel.LANES;
        LatticeKernel.Row[] rows = new LatticeKernel.Row[lattice.length];
        LatticeKernel.Row before = new LatticeKernel.Row(columns);
        for (int j = 0; j < lattice.length; j++) {
            int[] p = lattice[j].clone();
            for (int at = LatticeKernel.LANES; at < p.length; at++) {
                p[at] += p[at - LatticeKernel.LANES];
            }
            rows[j] = new LatticeKernel.Row(columns);
            kernel.prefix(p, before, rows[j], columns);
            before = rows[j];
        }
        int[] sums = new int[cells * LatticeKernel.LANES];
        kernel.disks(rows[0], rows[ring + 1], rows[2 * ring + 1], ring + 1, ring, sums, 0, cells);
        return sums;
    }

    private static int directSum(int[][] lattice, int ring, int at) {
        int sum = 0;
        for (int j = -ring; j <= ring; j++) {
            for (int i = Math.max(-ring, j - ring); i <= Math.min(ring, j + ring); i++) {
                sum += lattice[ring + 1 + j][(ring + 1 + i) * LatticeKernel.LANES + at];
            }
        }
        return sum;
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void assemble_windowsBeyondOneVector_equalsNaive(LatticeKernel kernel) {
        Random random = new Random(7);
        int[] windows = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
        for (int count : new int[] {7, 8, 9, 15, 17}) {
            check(
                    9,
                    new int[] {0, 2},
                    Arrays.copyOf(windows, count),
                    Positions.border(HexTiling.of(9), random),
                    random,
                    6,
                    List.of(kernel));
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void assemble_placesInAnyOrderAndTwice_areAllAdded(LatticeKernel kernel) {
        HexTiling tiling = HexTiling.of(9);
        TileFeatures features = new TileFeatures(tiling, new int[] {0}, new int[] {1}, kernel);
        long tile = tiling.tile(tiling.cell(40.75, -73.98));
        int[] positions = {0, 1, 2, 3, 1, 6, 5}; // slots for now
        Arrays.setAll(positions, n -> features.position(tile, tiling.cell(tile, positions[n])));
        int[] counts = {1, 2, 3, 4, 5, 6, 7};
        TileRows rows = features.assemble(
                tile,
                panesBack -> panesBack == 1 ? PositionCounts.ofUnordered(positions, counts) : PositionCounts.NONE);
        assertThat(rows.sums()).containsExactly(1, 7, 3, 4, 7, 6);
    }

    private static int[] allPositions(HexTiling tiling, TileFeatures features, long tile, int ring) {
        Set<Long> cells = new HashSet<>();
        for (int slot = 0; slot < tiling.slots(); slot++) {
            long cell = tiling.cell(tile, slot);
            if (!HexTiling.isValidCell(cell)) {
                continue;
            }
            cells.add(cell);
            if (Arrays.stream(HexTiling.disk(cell, 1)).anyMatch(near -> tiling.tile(near) != tile)) {
                Arrays.stream(HexTiling.disk(cell, ring)).forEach(cells::add);
            }
        }
        return cells.stream().mapToInt(cell -> features.position(tile, cell)).toArray();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void assemble_countsBeyondAnInt_areSummedExactly(LatticeKernel kernel) {
        Random random = new Random(3);
        HexTiling tiling = HexTiling.of(9);
        long start = Positions.border(tiling, random);
        NaiveFeatures naive = new NaiveFeatures(9, new int[] {0, 4}, new int[] {1, 2, 8});
        TinyJob job = new TinyJob(9, new int[] {0, 4}, new int[] {1, 2, 8}, kernel);
        for (int n = 0; n < 20; n++) {
            long cell = Positions.walk(start, random.nextInt(8), random);
            int count = n < 2 ? Integer.MAX_VALUE : random.nextInt(Integer.MAX_VALUE);
            long pane = n < 2 ? 0 : random.nextInt(5);
            naive.addSum(n < 2 ? start : cell, "x", pane, count);
            job.add(n < 2 ? start : cell, pane, count);
        }
        assertThat(job.rows("x")).isEqualTo(naive.rows());
    }

    @Test
    void place_cellsAroundATile_areThoseWithinTheLargestRing() {
        for (int resolution : new int[] {3, 5, 9}) {
            HexTiling tiling = HexTiling.of(resolution);
            Random random = new Random(resolution);
            for (long start : new long[] {Positions.border(tiling, random), Positions.pentagon(resolution, random)}) {
                long tile = tiling.tile(start);
                TileFeatures features = new TileFeatures(tiling, new int[] {7}, new int[] {1});
                for (int n = 0; n < 200; n++) {
                    long cell = Positions.walk(start, random.nextInt(150), random);
                    boolean near = Arrays.stream(HexTiling.disk(cell, 7)).anyMatch(c -> tiling.tile(c) == tile);
                    assertThat(features.position(tile, cell) >= 0).isEqualTo(near);
                }
                assertThat(features.position(tile, tiling.cell(-48.9, -123.4))).isEqualTo(-1);
            }
        }
    }

    @Test
    void place_otherLargestRing_isTheSame() {
        HexTiling tiling = HexTiling.of(9);
        Random random = new Random(5);
        for (long start : new long[] {Positions.border(tiling, random), Positions.pentagon(9, random)}) {
            TileFeatures small = new TileFeatures(tiling, new int[] {5}, new int[] {1});
            TileFeatures large = new TileFeatures(tiling, new int[] {0, 20}, new int[] {1});
            for (int n = 0; n < 100; n++) {
                long cell = Positions.walk(start, 90, random);
                int position = small.position(tiling.tile(start), cell);
                assertThat(position).isIn(-1, large.position(tiling.tile(start), cell));
            }
        }
    }

    /** On lattices, on graphs, and on tiles where only the larger ring reaches a pentagon, so that positions differ. */
    @ParameterizedTest
    @CsvSource({"9, anywhere, 20, 5", "9, border, 20, 1", "9, onPentagon, 9, 4", "4, besidePentagon, 24, 2"})
    void shrunk_countsKeptForALargerRing_giveTheRowsOfTheSmaller(int resolution, String spot, int larger, int smaller) {
        HexTiling tiling = HexTiling.of(resolution);
        Random random = new Random(resolution);
        long tile =
                spot.equals("besidePentagon") ? besidePentagon(tiling, larger) : tiling.tile(at(spot, tiling, random));
        TileFeatures before = new TileFeatures(tiling, new int[] {larger}, new int[] {4});
        TileFeatures now = new TileFeatures(tiling, new int[] {0, smaller}, new int[] {1});
        int[] all = allPositions(tiling, before, tile, larger);
        PositionCounts kept =
                PositionCounts.ofUnordered(all, random.ints(all.length, 0, 1000).toArray());
        Map<Integer, Integer> byPosition = new HashMap<>();
        for (int run = 0, from = 0; run < kept.runs(); from += kept.length(run++)) {
            for (int n = 0; n < kept.length(run); n++) {
                byPosition.put(kept.position(run) + n, kept.counts()[from + n]);
            }
        }

        PositionCounts shrunk = now.shrunk(tile, kept, before);
        TileRows rows = now.assemble(tile, panesBack -> panesBack == 1 ? shrunk : PositionCounts.NONE);

        assertThat(shrunk.counts().length).isLessThan(all.length);
        assertThat(rows.rows()).isGreaterThan(tiling.slots() / 2);
        for (int n = 0; n < 200; n++) {
            int row = random.nextInt(rows.rows());
            long sum = 0;
            for (long near : HexTiling.disk(rows.cell(row), smaller)) {
                sum += byPosition.getOrDefault(before.position(tile, near), -1);
            }
            assertThat(rows.sum(row, 1)).isEqualTo(sum);
            assertThat(rows.sum(row, 0))
                    .isEqualTo((long) byPosition.getOrDefault(before.position(tile, rows.cell(row)), -1));
        }
    }

    /** Returns a tile that is a lattice for a small ring but not for the larger one. */
    private static long besidePentagon(HexTiling tiling, int larger) {
        LatticeShapes small = new LatticeShapes(tiling, 2);
        LatticeShapes large = new LatticeShapes(tiling, larger);
        long pentagon = Positions.pentagon(tiling.tileResolution(), new Random(1));
        return Arrays.stream(HexTiling.disk(pentagon, 1))
                .filter(tile -> small.lattice(tile) != null && large.lattice(tile) == null)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void lattice_allTilesAroundAPentagon_holdButForThePentagonsOwn() {
        HexTiling tiling = HexTiling.of(9);
        LatticeShapes shapes = new LatticeShapes(tiling, 20);
        long pentagon = Positions.pentagon(tiling.tileResolution(), new Random(1));
        for (long tile : HexTiling.disk(pentagon, 1)) {
            assertThat(shapes.lattice(tile) == null).isEqualTo(tile == pentagon);
        }
    }

    @Test
    void assemble_readerThatFailed_leavesNothingBehind() {
        HexTiling tiling = HexTiling.of(9);
        Random random = new Random(1);
        for (long cell : new long[] {Positions.randomCell(tiling, random), Positions.pentagon(9, random)}) {
            TileFeatures features = new TileFeatures(tiling, RINGS, WINDOWS);
            long tile = tiling.tile(cell);
            int[] position = {features.position(tile, cell)};
            int largest = WINDOWS[WINDOWS.length - 1];
            assertThatThrownBy(() -> features.assemble(tile, panesBack -> {
                        if (panesBack > largest) { // asked for last, when all others are added
                            throw new IllegalStateException("broken");
                        }
                        return PositionCounts.of(position, new int[] {1});
                    }))
                    .hasMessage("broken");
            assertThat(features.assemble(tile, panesBack -> PositionCounts.NONE).rows())
                    .isZero();
        }
    }

    @Test
    void constructor_ringsNotAscending_namesTheEntry() {
        HexTiling tiling = HexTiling.of(9);
        assertThatThrownBy(() -> new TileFeatures(tiling, new int[] {0, 5, 5}, WINDOWS))
                .hasMessage("rings[2] must be at least 6 (ascending), was 5");
        assertThatThrownBy(() -> new TileFeatures(tiling, RINGS, new int[] {0}))
                .hasMessage("windowPanes[0] must be at least 1 (ascending), was 0");
        assertThatThrownBy(() -> new TileFeatures(tiling, new int[0], WINDOWS)).hasMessage("rings must not be empty");
    }

    @Test
    void rowLoop_moduleIsPresentInTests_isVector() {
        assertThat(new TileFeatures(HexTiling.of(9), RINGS, WINDOWS).rowLoop()).isEqualTo("vector");
    }
}
