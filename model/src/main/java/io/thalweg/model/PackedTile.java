package io.thalweg.model;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.RowSink;
import io.thalweg.kernel.hex.SlotOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packs the rows of a tile as they are computed: sums become the bits that leave, without ever standing side by side as numbers.
 *
 * <p><b>Threads.</b> Not safe to share. The blocks it makes are.
 */
public final class PackedTile implements RowSink {
    private final PackedRows codec;
    private final HexTiling tiling;
    /** What distinguishes the cells of a tile. */
    private final long[] slotDigits;

    private final SlotOrder order;
    /** The bits of rows as they came, without gaps. */
    private final Bytes bytes = new Bytes(1 << 10);

    private final BitWriter bits = new BitWriter(bytes);
    private final SumBits.Appender appender;
    /** Those of a block, in the order of its cells. */
    private final Bytes blockBytes = new Bytes(1 << 10);

    private final BitWriter blockBits = new BitWriter(blockBytes);
    /** Where the bits of each row end. */
    private int[] ends = new int[64];

    private int[] @Nullable [] diskSizes = new int[64][];
    private boolean regular = true;
    private long tile;

    /** For tiles of this view, one after the other. */
    public PackedTile(FeatureView view) {
        codec = new PackedRows(view);
        tiling = HexTiling.of(view.cell().resolution());
        order = new SlotOrder(tiling);
        slotDigits = new long[tiling.slots()];
        Arrays.setAll(slotDigits, slot -> tiling.cell(0, slot) ^ tiling.cell(0, 0));
        appender = codec.appender(bits);
    }

    @Override
    public void begin(long next) {
        tile = next;
        order.clear();
        bits.clear();
        regular = true;
    }

    @Override
    public void row(int slot, int[] steps, int at, int ringStride) {
        if (!appender.append(steps, at, ringStride)) {
            long[] sums = new long[codec.features()];
            int windows = sums.length / codec.regularDiskSizes().length;
            for (int i = 0; i < sums.length; i++) {
                long before = i % windows == 0 ? 0 : sums[i - 1];
                sums[i] = before + steps[at + i / windows * ringStride + i % windows];
            }
            append(sums, 0);
        }
        add(slot, null);
    }

    @Override
    public void row(int slot, long[] sums, int at, int @Nullable [] sizes) {
        append(sums, at);
        add(slot, sizes);
    }

    private void append(long[] sums, int at) {
        if (!appender.append(sums, at, false)) {
            throw new IllegalStateException("the sums of a tile's row must nest, were "
                    + Arrays.toString(Arrays.copyOfRange(sums, at, at + codec.features())));
        }
    }

    private void add(int slot, int @Nullable [] sizes) {
        int number = order.add(slot);
        if (number == ends.length) {
            ends = Arrays.copyOf(ends, 2 * number);
            diskSizes = Arrays.copyOf(diskSizes, 2 * number);
        }
        ends[number] = Math.toIntExact(bits.written());
        diskSizes[number] = sizes;
        regular &= sizes == null;
    }

    /** How many rows the tile has. */
    public int rows() {
        return order.rows();
    }

    /**
     * A block of the tile's rows; the other parameters are those of {@link RowBlock}.
     *
     * @param from its first row, in the order of cells
     * @param to behind its last
     */
    public RowBlock block(int shard, List<Object> group, long windowEndMs, Finality finality, int from, int to) {
        long[] cells = new long[to - from];
        int[] blockEnds = new int[to - from];
        long firstCell = tiling.cell(tile, 0);
        blockBits.clear();
        for (int row = from; row < to; row++) {
            int number = order.number(row);
            blockBits.copy(bytes.array(), number == 0 ? 0 : ends[number - 1], ends[number]);
            blockEnds[row - from] = Math.toIntExact(blockBits.written());
            cells[row - from] = firstCell | slotDigits[order.slot(row)];
        }
        blockBits.finish();
        PackedSums packed = new PackedSums(false, blockBytes.copy(), blockEnds);
        return new RowBlock(codec, packed, shard, tile, group, windowEndMs, finality, cells, sizes(from, to));
    }

    private int @Nullable [] sizes(int from, int to) {
        if (regular) {
            return null;
        }
        int rings = codec.regularDiskSizes().length;
        int[] some = new int[(to - from) * rings];
        for (int row = from; row < to; row++) {
            int[] own = diskSizes[order.number(row)];
            System.arraycopy(own == null ? codec.regularDiskSizes() : own, 0, some, (row - from) * rings, rings);
        }
        return some;
    }
}
