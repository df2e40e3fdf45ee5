package io.thalweg.model.row;

import io.thalweg.model.bytes.BitReader;
import io.thalweg.model.bytes.BitWriter;
import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.BytesReader;
import io.thalweg.model.row.ForeignRowException.Difference;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the rows of views with rings. It encodes sums rather than features, so that decoding loses nothing.
 *
 * <p><b>Errors.</b> As {@link RowCodec}; decoding allocates at most about 60 bytes per byte of input.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class HexRowCodec implements RowCodec {
    /** First byte of an encoded block; JSON begins with 0x7B. */
    public static final int BLOCK_MAGIC = 0xB7;
    /** First byte of an encoded row. */
    public static final int ROW_MAGIC = 0xB8;

    private static final int VERSION = 1;
    private static final int IRREGULAR = 1;
    private static final int SIGNED = 2;
    private static final int SHARDS_MAX = 1 << 15;
    private static final int NAME_MAX = 1_000;

    private final String view;
    private final GroupCodec groups;
    private final int[] regularDiskSizes;
    private final int features;
    private final SumBits bits;
    private final RingDivisors divisors;
    private final int layout;
    private final int unusedBits;

    /** Creates a codec for the rows of this view. */
    public HexRowCodec(FeatureView view) {
        this.view = view.qualifiedName();
        this.groups = new GroupCodec(view.group());
        this.regularDiskSizes =
                view.rings().stream().mapToInt(HexRowBlock::regularDiskSize).toArray();
        int windows = view.windows().sizes().size();
        this.features = regularDiskSizes.length * windows;
        this.divisors = new RingDivisors(view);
        this.bits = new SumBits(regularDiskSizes.length, windows);
        this.layout = layout(
                view.rings().stream().map(String::valueOf).collect(Collectors.joining(",")),
                view.windows().sizes().stream().mapToLong(DurationText::millis));
        this.unusedBits = 3 * (15 - view.cell().resolution());
    }

    /**
     * Returns an identifier of rows of one shape: CRC-32 of {@code 0,1,2;60000,120000}.
     *
     * @param parts the dimension of features besides windows, here the rings; ASCII
     * @param windowsMs sizes of the windows
     */
    static int layout(String parts, LongStream windowsMs) {
        String text = windowsMs.mapToObj(String::valueOf).collect(Collectors.joining(",", parts + ";", ""));
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return (int) crc.getValue();
    }

    /** Encodes as {@link RowCodec#encodeBlock} does; also throws IllegalArgumentException if a sum is negative. */
    @Override
    public byte[] encodeBlock(RowBlock rows, long createdMs) {
        HexRowBlock block = own(rows);
        PackedSums sums = block.packed(this);
        byte[] group = groups.encode(block.group());
        byte[] name = view.getBytes(StandardCharsets.UTF_8);
        Bytes out = new Bytes(64 + name.length + group.length + 3 * block.rows());
        out.u8(BLOCK_MAGIC).u8(VERSION).u64(block.windowEndMs()).u8(code(block.finality()));
        out.u64(createdMs).u32(layout);
        out.varint(name.length).raw(name).varint(block.shard()).u64(block.tile());
        out.varint(group.length).raw(group).varint(block.rows()).u8(flags(block.diskSizes(), sums.signed()));
        long before = 0;
        for (long cell : block.cells()) {
            long place = place(cell);
            if (place <= before) {
                throw new IllegalArgumentException("cells must be H3 indexes, ascending; " + Long.toHexString(cell)
                        + " is not above the one before it");
            }
            out.varint(place - before);
            before = place;
        }
        int[] sizes = block.diskSizes();
        if (sizes != null) {
            for (int i = 0; i < sizes.length; i++) {
                missing(i % regularDiskSizes.length, sizes[i], out);
            }
        }
        return out.copyWith(sums.bits());
    }

    /** Packs the sums of a block into bits. */
    PackedSums pack(HexRowBlock block) {
        check(block);
        return bits.pack(block.sums(), block.rows());
    }

    /** Creates an encoder of this codec's sums. */
    SumBits.Appender appender(BitWriter out) {
        return bits.new Appender(out);
    }

    /** Decodes sums that {@link #pack(HexRowBlock)} encoded. */
    long[] unpack(PackedSums packed) {
        return bits.unpack(packed);
    }

    @Override
    public HexRowBlock decodeBlock(byte[] bytes) {
        BytesReader in = start(bytes, BLOCK_MAGIC, "block");
        long windowEndMs = in.u64();
        Finality finality = finality(in);
        in.u64();
        int layoutAt = in.at();
        int written = in.u32();
        int nameAt = in.at();
        String name = utf8(nameAt, in.raw(in.varint(NAME_MAX, "the length of the view's name")));
        if (!name.equals(view)) {
            throw foreign(Difference.VIEW, name, nameAt, "the block must be of view " + view + ", was " + name);
        }
        requireLayout(layoutAt, written);
        int shard = in.varint(SHARDS_MAX, "the shard");
        BlockHead head = new BlockHead(view, shard, new RowOrder(windowEndMs, finality, 0));
        long tile = in.u64();
        List<Object> group = groups.decode(in.raw(in.varint(in.remaining(), "the length of the group")));
        int rows = in.varint(rowsAtMost(in.remaining()), "the number of rows");
        int flags = flags(in);
        long[] cells = cells(in, rows);
        int[] sizes = (flags & IRREGULAR) == 0 ? null : sizes(in, rows);
        PackedSums packed = (flags & SIGNED) != 0 ? null : bits.find(bytes, in.at(), rows);
        if (packed != null) {
            return new HexRowBlock(this, packed, head, tile, group, cells, sizes);
        }
        long[] sums = bits.read(new BitReader(bytes, in.at(), bytes.length), (flags & SIGNED) != 0, rows);
        return new HexRowBlock(head, tile, group, cells, sums, sizes);
    }

    /** Returns when an encoded block was created, epoch ms. */
    public static long createdMs(byte[] block) {
        BytesReader in = start(block, BLOCK_MAGIC, "block");
        in.raw(9);
        return in.u64();
    }

    @Override
    public byte[] encodeRow(RowBlock block, int row) {
        return encodeRow(own(block), row, 0);
    }

    /**
     * Encodes one row of a block with a given sequence.
     *
     * @param sequence orders PARTIAL rows of the same window end; at least 0
     * @throws IllegalArgumentException if the block is not one of this view, or a sum is negative
     */
    public byte[] encodeRow(HexRowBlock block, int row, long sequence) {
        if (sequence < 0) {
            throw new IllegalArgumentException("sequence must be at least 0, was " + sequence);
        }
        Bytes out = new Bytes(32 + 2 * features);
        out.u8(ROW_MAGIC).u8(VERSION);
        new RowOrder(block.windowEndMs(), block.finality(), sequence).write(out);
        out.u32(layout);
        body(block, row, out);
        return out.copy();
    }

    /** Writes what follows the layout: flags, disk sizes and sums, padded to whole bytes. */
    void body(HexRowBlock block, int row, Bytes out) {
        PackedSums sums = block.packed(this);
        int[] sizes = block.diskSizes();
        out.u8(flags(sizes, sums.signed()));
        for (int ring = 0; sizes != null && ring < regularDiskSizes.length; ring++) {
            missing(ring, sizes[row * regularDiskSizes.length + ring], out);
        }
        BitWriter copy = new BitWriter(out);
        copy.copy(sums.bits(), sums.start(row), sums.end(row));
        copy.finish();
    }

    @Override
    public StoredRow.OfSums decodeRow(byte[] bytes) {
        BytesReader in = start(bytes, ROW_MAGIC, "row");
        RowOrder order = RowOrder.read(in);
        layout(in);
        return body(bytes, in.at(), bytes.length, order);
    }

    /** Reads what {@link #body(HexRowBlock, int, Bytes)} wrote. */
    StoredRow.OfSums body(byte[] bytes, int from, int to, RowOrder order) {
        BytesReader in = new BytesReader(bytes, from, to);
        int flags = flags(in);
        int[] sizes = (flags & IRREGULAR) == 0 ? null : sizes(in, 1);
        long[] sums = bits.read(new BitReader(bytes, in.at(), to), (flags & SIGNED) != 0, 1);
        return new StoredRow.OfSums(order.windowEndMs(), order.finality(), order.sequence(), sums, sizes, divisors);
    }

    private HexRowBlock own(RowBlock rows) {
        if (!(rows instanceof HexRowBlock block)) {
            throw new IllegalArgumentException(
                    "the block must be of view " + view + ", was of the keyed view " + rows.view());
        }
        check(block);
        return block;
    }

    void check(HexRowBlock block) {
        if (!block.view().equals(view)) {
            throw new IllegalArgumentException("the block must be of view " + view + ", was " + block.view());
        }
        if (!block.hasFeatures(features)) {
            throw new IllegalArgumentException("a block of %d rows must have %d sums, was %d"
                    .formatted(block.rows(), block.rows() * features, block.sums().length));
        }
    }

    String view() {
        return view;
    }

    int features() {
        return features;
    }

    @Override
    public int layout() {
        return layout;
    }

    static BytesReader start(byte[] bytes, int magic, String what) {
        BytesReader in = new BytesReader(bytes, 0);
        int first = in.u8();
        if (first != magic) {
            throw BytesReader.wrong(0, "a packed %s begins with 0x%02X, was 0x%02X".formatted(what, magic, first));
        }
        int version = in.u8();
        if (version != VERSION) {
            throw BytesReader.wrong(1, "version must be " + VERSION + ", was " + version);
        }
        return in;
    }

    static int code(Finality finality) {
        return finality == Finality.PARTIAL ? 0 : 1;
    }

    static Finality finality(BytesReader in) {
        int value = in.u8();
        if (value > 1) {
            throw BytesReader.wrong(in.at() - 1, "finality must be 0 (PARTIAL) or 1 (FINAL), was " + value);
        }
        return value == 0 ? Finality.PARTIAL : Finality.FINAL;
    }

    private void layout(BytesReader in) {
        int at = in.at();
        requireLayout(at, in.u32());
    }

    private void requireLayout(int from, int written) {
        if (written != layout) {
            throw foreign(
                    Difference.LAYOUT,
                    view,
                    from,
                    "written with other rings or windows than view " + view + " has now");
        }
    }

    private static int flags(int @Nullable [] diskSizes, boolean signed) {
        return (diskSizes == null ? 0 : IRREGULAR) | (signed ? SIGNED : 0);
    }

    private static int flags(BytesReader in) {
        int flags = in.u8();
        if (flags > (IRREGULAR | SIGNED)) {
            throw BytesReader.wrong(in.at() - 1, "flags must be at most 3, was " + flags);
        }
        return flags;
    }

    static ForeignRowException foreign(Difference difference, String view, int at, String what) {
        return new ForeignRowException(
                difference, view, String.valueOf(BytesReader.wrong(at, what).getMessage()));
    }

    static String utf8(int at, byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw BytesReader.wrong(at, "the view's name must be UTF-8");
        }
    }

    /** Returns an upper bound of the rows: each takes at least a byte for its cell and a bit for each sum. */
    private int rowsAtMost(int bytes) {
        return (int) (8L * bytes / (8 + features));
    }

    private long place(long cell) {
        long unused = (1L << unusedBits) - 1;
        if ((cell & unused) != unused || cell <= 0) {
            throw new IllegalArgumentException("cells must be H3 indexes of resolution " + (15 - unusedBits / 3)
                    + ", was " + Long.toHexString(cell));
        }
        return cell >>> unusedBits;
    }

    private long[] cells(BytesReader in, int rows) {
        long[] cells = new long[rows];
        long place = 0;
        for (int row = 0; row < rows; row++) {
            int from = in.at();
            long step = in.varint();
            if (step <= 0 || step > (Long.MAX_VALUE >>> unusedBits) - place) {
                throw BytesReader.wrong(from, "cells must ascend within 63 bits");
            }
            place += step;
            cells[row] = (place << unusedBits) | ((1L << unusedBits) - 1);
        }
        return cells;
    }

    private void missing(int ring, int size, Bytes out) {
        if (size < 1 || size > regularDiskSizes[ring]) {
            throw new IllegalArgumentException(
                    "a disk must have 1 to %d cells, was %d".formatted(regularDiskSizes[ring], size));
        }
        out.varint(regularDiskSizes[ring] - size);
    }

    private int[] sizes(BytesReader in, int rows) {
        int[] sizes = new int[Math.multiplyExact(rows, regularDiskSizes.length)];
        for (int i = 0; i < sizes.length; i++) {
            int regular = regularDiskSizes[i % regularDiskSizes.length];
            sizes[i] = regular - in.varint(regular - 1, "the cells missing from a disk");
        }
        return sizes;
    }
}
