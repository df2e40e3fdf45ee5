package io.thalweg.bench.publish;

import io.thalweg.bench.harness.TopicWriter;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RingDivisors;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.io.IOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows in the form of the demand view: 9 rings by 6 windows, some thousand neighbouring cells of each tile at each of a few
 * window ends, with the counts of a city. Equal parameters give equal rows.
 *
 * @param rows their number, in whole blocks
 * @param firstEndMs the first window end
 */
public record DemandRows(long rows, long firstEndMs) {
    private static final String TOPIC = "demand-features";
    static final int PARTITIONS = 4;

    private static final int BLOCK_ROWS = 8_000;
    private static final int ENDS = 5;
    /** The cells of resolution 9 in a cell of resolution 4. */
    private static final int SLOTS = 7 * 7 * 7 * 7 * 7;

    private static final long EVERY_MS = 60_000;

    public static final String DEFINITION = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: demand
            source: {topic: rider-events}
            entities: [{name: cell, h3: {cell: cell, resolution: 9}}]
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1, 2, 3, 4, 5, 10, 15, 20]
            windows: {sizes: [1m, 2m, 4m, 8m, 16m, 32m], every: 1m}
            sink: {topic: demand-features}
            online: {ttl: 1d}
            """;

    public static final FeatureView VIEW =
            Definitions.parse(DEFINITION, "demand.yaml").views().get(0);

    private static final RingDivisors DIVISORS = new RingDivisors(VIEW);
    private static final long[][] SAMPLES = samples(4_096);

    /** Returns the view with its rows in another topic. */
    static FeatureView viewOf(String topic) {
        return Definitions.parse(DEFINITION.replace("topic: " + TOPIC, "topic: " + topic), "demand.yaml")
                .views()
                .get(0);
    }

    /** Returns a first window end of which no row has expired. */
    public static long recentEndMs(Clock clock) {
        return Math.floorDiv(clock.millis(), EVERY_MS) * EVERY_MS - 10 * EVERY_MS;
    }

    /** The number of blocks. */
    public int blocks() {
        return (int) Math.max(1, (rows + BLOCK_ROWS - 1) / BLOCK_ROWS);
    }

    /** The number of rows of a block. */
    public int blockRows() {
        return (int) (rows / blocks());
    }

    /** The number of blocks of a window end; the last one may have fewer. */
    public int tiles() {
        return (blocks() + ENDS - 1) / ENDS;
    }

    /** Returns block {@code b}: all tiles of the first window end, then those of the next. */
    public HexRowBlock block(int b) {
        return block(b % tiles(), b / tiles());
    }

    /** Returns a tile's block at a window end, also of a tile that {@link #block(int)} does not reach. */
    public HexRowBlock block(int tile, int end) {
        long[] cells = cells(tile);
        int features = VIEW.featureNames().size();
        long[] sums = new long[cells.length * features];
        for (int row = 0; row < cells.length; row++) {
            System.arraycopy(sums(tile, end, row), 0, sums, row * features, features);
        }
        return new HexRowBlock(
                BlockHead.ofFinal("demand", tile % PARTITIONS, firstEndMs + EVERY_MS * end),
                cell(tile, 0),
                List.of(),
                cells,
                sums,
                null);
    }

    /** Returns the cells of a tile's rows. */
    public long[] cells(int tile) {
        return IntStream.range(0, blockRows()).mapToLong(row -> cell(tile, row)).toArray();
    }

    private long[] sums(int tile, int end, int row) {
        return sample(31L * (tile + end * tiles()) + 7L * row);
    }

    /** Returns one of the samples of a row's sums, which rows share. */
    public static long[] sample(long number) {
        return SAMPLES[Math.floorMod(number, SAMPLES.length)];
    }

    /** Returns the features of a row's sums, in the view's order. */
    public static double[] features(long[] sums) {
        return DIVISORS.values(sums, null);
    }

    /** Draws random cells of the rows of some tiles. */
    public long[] draw(int cells, int ofTiles, RandomGenerator random) {
        return LongStream.generate(() -> cell(random.nextInt(ofTiles), random.nextInt(blockRows())))
                .limit(cells)
                .toArray();
    }

    /** Returns the sums of the newest row of a cell of {@link #cell}. */
    public long[] newestSums(long cell) {
        int at = place(cell);
        int tile = at / SLOTS;
        return sums(tile, lastEnd(tile), at % SLOTS);
    }

    /** Returns the window end of that row. */
    public long newestEndMs(long cell) {
        return firstEndMs + EVERY_MS * lastEnd(place(cell) / SLOTS);
    }

    private int lastEnd(int tile) {
        return (blocks() - 1 - tile) / tiles();
    }

    private static int place(long cell) {
        int place = 0;
        for (int level = 8; level >= 0; level--) {
            place = 7 * place + (int) (cell >>> (18 + 3 * level) & 7);
        }
        return place;
    }

    private static long[][] samples(int many) {
        Random random = new Random(1);
        int[] panes = VIEW.windows().panes();
        List<Integer> rings = VIEW.rings();
        long[][] samples = new long[many][rings.size() * panes.length];
        for (long[] sums : samples) {
            for (int i = 0; i < sums.length; i++) {
                int ring = i / panes.length;
                int window = i % panes.length;
                int cells = HexRowBlock.regularDiskSize(rings.get(ring))
                        - (ring == 0 ? 0 : HexRowBlock.regularDiskSize(rings.get(ring - 1)));
                double mean = 0.02 * cells * (panes[window] - (window == 0 ? 0 : panes[window - 1]));
                long count = Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
                long above = ring == 0 ? 0 : sums[i - panes.length];
                long before = window == 0 ? 0 : sums[i - 1];
                long corner = ring == 0 || window == 0 ? 0 : sums[i - panes.length - 1];
                sums[i] = count + above + before - corner;
            }
        }
        return samples;
    }

    /** Returns the cell of a tile's row. Cells are in the order of their index: digits of base 7, one tile after the other. */
    public static long cell(int tile, int slot) {
        long digits = 0;
        long left = (long) tile * SLOTS + slot;
        for (int level = 0; level < 9; level++, left /= 7) {
            digits |= left % 7 << (3 * level);
        }
        return 0x890000000000000L | (0x15L << 45) | (digits << 18) | 0x3FFFF;
    }

    /** Writes all blocks to a topic as packed records, followed by the progress of each shard. */
    void send(String bootstrap, String topic) throws IOException {
        HexRowCodec packed = new HexRowCodec(VIEW);
        try (TopicWriter records = new TopicWriter(bootstrap, topic)) {
            for (int b = 0; b < blocks(); b++) {
                HexRowBlock block = block(b);
                records.send(block.shard(), block.windowEndMs(), null, packed.encodeBlock(block, block.windowEndMs()));
            }
            long end = lastEndMs();
            for (int shard = 0; shard < PARTITIONS; shard++) {
                records.send(shard, end, null, ProgressJson.value(new Progress("demand", shard, PARTITIONS, end)));
            }
        }
    }

    /** The last window end. */
    public long lastEndMs() {
        return firstEndMs + EVERY_MS * ((blocks() - 1) / tiles());
    }

    /** The number of rows in whole blocks. */
    public long count() {
        return (long) blocks() * blockRows();
    }

    /** Returns how the store differs from what all blocks should leave in it; empty if it does not. */
    String difference(OnlineStore store) {
        for (int tile = 0; tile < tiles(); tile++) {
            long[] cells = cells(tile);
            List<StoreKey> keys = LongStream.of(cells)
                    .mapToObj(cell -> new StoreKey(cell, List.of()))
                    .toList();
            List<@Nullable StoredRow> rows = store.read(VIEW, keys).rows();
            for (int row = 0; row < cells.length; row++) {
                StoredRow.OfSums found = (StoredRow.OfSums) rows.get(row);
                if (found == null
                        || found.windowEndMs() != newestEndMs(cells[row])
                        || !Arrays.equals(found.sums(), newestSums(cells[row]))) {
                    return "row %d of tile %d is %s".formatted(row, tile, found == null ? "missing" : "another");
                }
            }
        }
        return "";
    }
}
