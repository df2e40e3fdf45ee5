package io.thalweg.model.row;

import io.thalweg.kernel.hex.HexTiling;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The feature rows of one tile and group at one window end, as columns. The compute job emits such blocks; codecs and stores
 * accept them.
 *
 * <p><b>Shape.</b> Row {@code i} is {@code cells[i]}; its integer sum for ring {@code r} and window {@code w} is
 * {@code sums[i * features + r * windows + w]}, where {@code features = rings * windows}. The feature's value is {@code sum /
 * ((double) (diskSize * windowPanes))}: one division, see {@link #value}.
 *
 * <p><b>Threads.</b> Never changed once handed over, and safe to share then.
 */
public final class HexRowBlock implements RowBlock {
    private final BlockHead head;
    private final long tile;
    private final List<Object> group;
    private final long[] cells;
    private final int @Nullable [] diskSizes;

    /** The sums as numbers or as bits: one form is given, the other is created on first use. */
    private long @Nullable [] sums;

    private @Nullable PackedSums packed;
    /** The codec that encoded the bits, if the block was built from bits. */
    private @Nullable HexRowCodec codec;

    /**
     * Creates a block of rows.
     *
     * @param head the sequence is 0
     * @param tile H3 index of the owning tile
     * @param group values of the entities other than the cell, in the view's order: {@code String} (also for uuid,
     *     lower-case canonical), {@code Long} or {@code Boolean}
     * @param cells H3 indexes, ascending
     * @param diskSizes {@code cells.length * rings} true numbers of cells within each ring, or null where all are regular
     *     ({@code 1 + 3R(R+1)})
     */
    public HexRowBlock(
            BlockHead head, long tile, List<Object> group, long[] cells, long[] sums, int @Nullable [] diskSizes) {
        this(head, tile, group, cells, diskSizes);
        this.sums = sums;
    }

    /** Creates a block from the bits of its sums; the other parameters are those of the public constructor. */
    HexRowBlock(
            HexRowCodec codec,
            PackedSums packed,
            BlockHead head,
            long tile,
            List<Object> group,
            long[] cells,
            int @Nullable [] diskSizes) {
        this(head, tile, group, cells, diskSizes);
        this.codec = codec;
        this.packed = packed;
    }

    private HexRowBlock(BlockHead head, long tile, List<Object> group, long[] cells, int @Nullable [] diskSizes) {
        this.head = head;
        this.tile = tile;
        this.group = group;
        this.cells = cells;
        this.diskSizes = diskSizes;
    }

    @Override
    public BlockHead head() {
        return head;
    }

    /** H3 index of the owning tile. */
    public long tile() {
        return tile;
    }

    /** Values of the entities other than the cell, in the view's order. */
    public List<Object> group() {
        return group;
    }

    /** H3 indexes, ascending; not a copy. */
    public long[] cells() {
        return cells;
    }

    /** The sums, row by row; not a copy. If only their bits are present, the first call decodes them. */
    public synchronized long[] sums() {
        if (sums == null) {
            sums = Objects.requireNonNull(codec).unpack(Objects.requireNonNull(packed));
        }
        return sums;
    }

    /** True numbers of cells within each ring, row by row, or null where all are regular; not a copy. */
    public int @Nullable [] diskSizes() {
        return diskSizes;
    }

    @Override
    public int rows() {
        return cells.length;
    }

    @Override
    public HexRowBlock rows(int from, int to) {
        long[] some = Arrays.copyOfRange(cells, from, to);
        int rings = diskSizes == null ? 0 : diskSizes.length / rows();
        int[] sizes = diskSizes == null ? null : Arrays.copyOfRange(diskSizes, from * rings, to * rings);
        HexRowBlock part = new HexRowBlock(head, tile, group, some, sizes);
        synchronized (this) {
            if (sums != null) {
                int features = sums.length / rows();
                part.sums = Arrays.copyOfRange(sums, from * features, to * features);
            } else {
                part.codec = codec;
                part.packed = Objects.requireNonNull(packed).rows(from, to);
            }
        }
        return part;
    }

    @Override
    public synchronized long heapBytes() {
        long numbers = sums == null ? 0 : 8L * sums.length;
        long bits = packed == null ? 0 : packed.bits().length + 4L * rows();
        return 128 + 8L * rows() + numbers + bits + (diskSizes == null ? 0 : 4L * diskSizes.length);
    }

    /** Returns the sums as the view's codec packs them: the first call packs them, later calls return the result. */
    synchronized PackedSums packed(HexRowCodec codec) {
        if (packed == null) {
            packed = codec.pack(this);
        }
        return packed;
    }

    /** The bytes that {@link #copyColumns} writes; negative if the block contains more than the bits of regular rows. */
    synchronized int columnBytes() {
        return packed == null || sums != null || diskSizes != null
                ? -1
                : (Long.BYTES + Integer.BYTES) * rows() + packed.bits().length;
    }

    /** Writes the cells and the bits of their sums, from which {@link Shape#block} restores the block. */
    synchronized void copyColumns(ByteBuffer out) {
        PackedSums bits = Objects.requireNonNull(packed);
        out.asLongBuffer().put(cells);
        out.position(out.position() + Long.BYTES * rows());
        out.asIntBuffer().put(bits.ends());
        out.position(out.position() + Integer.BYTES * rows());
        out.put(bits.bits());
    }

    /** Everything except the columns. */
    synchronized Shape shape() {
        PackedSums bits = Objects.requireNonNull(packed);
        return new Shape(codec, head, tile, group, rows(), bits.signed());
    }

    /** Everything except the columns of a block. */
    record Shape(@Nullable HexRowCodec codec, BlockHead head, long tile, List<Object> group, int rows, boolean signed) {
        /** Restores the block from its columns, which end at the buffer's limit. */
        HexRowBlock block(ByteBuffer in) {
            long[] cells = new long[rows];
            in.asLongBuffer().get(cells);
            in.position(in.position() + Long.BYTES * rows);
            int[] ends = new int[rows];
            in.asIntBuffer().get(ends);
            in.position(in.position() + Integer.BYTES * rows);
            byte[] bits = new byte[in.remaining()];
            in.get(bits);
            HexRowBlock block = new HexRowBlock(head, tile, group, cells, null);
            block.codec = codec;
            block.packed = new PackedSums(signed, bits, ends);
            return block;
        }
    }

    /** Whether each row has this number of sums. */
    synchronized boolean hasFeatures(int features) {
        return sums != null
                ? sums.length == rows() * features
                : Objects.requireNonNull(codec).features() == features;
    }

    /**
     * Returns the number of cells within grid distance {@code ring} of a cell without a pentagon nearby: {@code 1 +
     * 3R(R+1)}.
     */
    public static int regularDiskSize(int ring) {
        return HexTiling.regularDiskSize(ring);
    }

    /** Converts a sum to a feature with a single IEEE division. */
    public static double value(long sum, int diskSize, int windowPanes) {
        return sum / (double) ((long) diskSize * windowPanes);
    }
}
