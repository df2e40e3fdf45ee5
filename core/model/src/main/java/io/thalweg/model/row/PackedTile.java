package io.thalweg.model.row;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.RowSink;
import io.thalweg.kernel.hex.SlotOrder;
import io.thalweg.model.bytes.BitWriter;
import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packs the rows of a tile as they are computed: sums become the bits that are emitted, without an array of sums in between.
 *
 * <p><b>Threads.</b> Not safe to share. The blocks it makes are.
 */
public final class PackedTile implements RowSink {
    private final HexRowCodec codec;
    private final int rings;
    private final int windows;
    private final SlotOrder order;
    /** The bits of rows in the order of arrival, without padding. */
    private final Bytes bytes = new Bytes(1 << 10);

    private final BitWriter bits = new BitWriter(bytes);
    private final SumBits.Appender appender;
    /** The bits of a block, in the order of its cells. */
    private final Bytes blockBytes = new Bytes(1 << 10);

    private final BitWriter blockBits = new BitWriter(blockBytes);
    /** Where the bits of each row end. */
    private int[] ends = new int[64];

    private long tile;

    /** Creates a packer for tiles of this view, one at a time. */
    public PackedTile(FeatureView view) {
        codec = new HexRowCodec(view);
        rings = view.rings().size();
        windows = view.windows().sizes().size();
        int[] radii = view.rings().stream().mapToInt(Integer::intValue).toArray();
        order = new SlotOrder(HexTiling.of(view.cell().resolution()), radii);
        appender = codec.appender(bits);
    }

    @Override
    public void begin(long next) {
        tile = next;
        order.begin(next);
        bits.clear();
    }

    @Override
    public void row(int slot, int[] steps, int at, int ringStride) {
        if (!appender.append(steps, at, ringStride)) {
            long[] sums = new long[rings * windows];
            RowSink.sums(steps, at, ringStride, rings, windows, sums, 0);
            requireNested(appender.appendWide(sums, 0, false), sums, 0);
        }
        add(slot, null);
    }

    @Override
    public void row(int slot, long[] sums, int at, int @Nullable [] sizes) {
        requireNested(appender.append(sums, at, false), sums, at);
        add(slot, sizes);
    }

    private void requireNested(boolean appended, long[] sums, int at) {
        if (!appended) {
            throw new IllegalStateException("the sums of a tile's row must nest, were "
                    + Arrays.toString(Arrays.copyOfRange(sums, at, at + rings * windows)));
        }
    }

    private void add(int slot, int @Nullable [] sizes) {
        int number = order.add(slot, sizes);
        if (number == ends.length) {
            ends = Arrays.copyOf(ends, 2 * number);
        }
        ends[number] = Math.toIntExact(bits.written());
    }

    /** The number of rows of the tile. */
    public int rows() {
        return order.rows();
    }

    /**
     * Creates a block of the tile's rows; the other parameters are those of {@link HexRowBlock}.
     *
     * @param from its first row, in the order of cells
     * @param to after its last row
     */
    public HexRowBlock block(BlockHead head, List<Object> group, int from, int to) {
        int[] blockEnds = new int[to - from];
        blockBits.clear();
        for (int row = from; row < to; row++) {
            int number = order.number(row);
            blockBits.copy(bytes.array(), number == 0 ? 0 : ends[number - 1], ends[number]);
            blockEnds[row - from] = Math.toIntExact(blockBits.written());
        }
        blockBits.finish();
        PackedSums packed = new PackedSums(false, blockBytes.copy(), blockEnds);
        return new HexRowBlock(codec, packed, head, tile, group, order.cells(from, to), order.diskSizes(from, to));
    }
}
