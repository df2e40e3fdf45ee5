package io.thalweg.model;

import io.thalweg.model.ForeignRowException.Difference;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The {@code packed} codec: one record per block for Kafka, one value per row for stores, specified byte by byte in {@code
 * docs/reference/packed.md}. Sums are carried, not features, so that decoding loses nothing.
 *
 * <p><b>Errors.</b> Decoding throws IllegalArgumentException that names the offset, whatever the bytes are, and allocates at
 * most about 60 bytes per byte of input.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class PackedRows {
    /** First byte of an encoded block; JSON begins with 0x7B. */
    public static final int BLOCK_MAGIC = 0xB7;
    /** First byte of an encoded row. */
    public static final int ROW_MAGIC = 0xB8;

    /** The sums of rows, wherever they stand. */
    @FunctionalInterface
    public interface RowSums {
        /** Writes the sums of one row to the begin of an array that has room for them and nothing else. */
        void copy(int row, long[] into);
    }

    private static final int VERSION = 1;
    private static final int IRREGULAR = 1;
    private static final int SIGNED = 2;
    private static final int SHARDS_MAX = 1 << 15;
    private static final int NAME_MAX = 1_000;

    /*
     * Disks nest and windows nest, so the second difference of the sums along both axes is itself a count: of a ring's
     * annulus in the panes that a window adds. Those are small and similar to their neighbours. Each is written as its width
     * in bits, coded as the difference from the neighbour's width (Elias gamma of the zigzag), and its bits without the
     * leading one.
     */

    private static final int NARROW = 32;
    /** Differences that are not negative and not wider add up to sums, however many a row has. */
    private static final int SURE_WIDTH = 48;
    /** Before the one that begins the code of a width. */
    private static final int MOST_ZEROS = 7;

    /** Nearly all codes are that short. */
    private static final int STEP_BITS = 7;
    /** At {@code expected << STEP_BITS | next bits}: the {@link #step} that they tell of, or 0 where they are too few. */
    private static final short[] STEP = new short[(SURE_WIDTH + 1) << STEP_BITS];
    /**
     * At {@code expected * NARROW + width}: how many bits a difference of this width takes where that one was expected, in the
     * lowest eight; above them what makes these bits when the difference is added, its leading one carrying into the code.
     */
    private static final long[] NEXT = new long[NARROW * NARROW];

    static {
        for (int i = 0; i < NEXT.length; i++) {
            int width = i % NARROW;
            int rest = Math.max(0, width - 1);
            int code = code(i / NARROW, width);
            long leadingOne = width == 0 ? 0 : 1L << rest;
            NEXT[i] = (((long) code << rest) - leadingOne) << 8 | (codeBits(code) + rest);
        }
        for (int i = 0; i < STEP.length; i++) {
            long word = (long) i << (Long.SIZE - STEP_BITS);
            boolean whole = 2 * Long.numberOfLeadingZeros(word) < STEP_BITS;
            STEP[i] = (short) (whole ? step(word, i >> STEP_BITS) : 0);
        }
    }

    private final String view;
    private final GroupCodec groups;
    private final int[] regularDiskSizes;
    private final int windows;
    private final int features;
    private final int layout;
    private final int unusedBits;

    /** A codec for the rows of this view. */
    public PackedRows(FeatureView view) {
        this.view = view.qualifiedName();
        this.groups = new GroupCodec(view.group());
        this.regularDiskSizes =
                view.rings().stream().mapToInt(RowBlock::regularDiskSize).toArray();
        this.windows = view.windows().sizes().size();
        this.features = regularDiskSizes.length * windows;
        this.layout = layout(view.rings().stream().map(String::valueOf).collect(Collectors.joining(",")), view);
        this.unusedBits = 3 * (15 - view.cell().resolution());
    }

    /**
     * What tells rows of one shape from others: CRC-32 of {@code 0,1,2;60000,120000}.
     *
     * @param parts what features stand for besides windows, here the rings; ASCII
     */
    static int layout(String parts, FeatureView view) {
        String text = view.windows().sizes().stream()
                .map(size -> String.valueOf(size.millis()))
                .collect(Collectors.joining(",", parts + ";", ""));
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return (int) crc.getValue();
    }

    /**
     * Encodes a block as one record.
     *
     * @param createdMs when the block was made, epoch ms
     * @throws IllegalArgumentException if the block is not one of this view, or a sum is negative
     */
    public byte[] encodeBlock(RowBlock block, long createdMs) {
        check(block);
        PackedSums sums = block.packed(this);
        byte[] group = groups.encode(block.group());
        byte[] name = view.getBytes(StandardCharsets.UTF_8);
        Bytes out = new Bytes(64 + name.length + group.length + 3 * block.rows() + sums.bits().length);
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
        return out.raw(sums.bits()).copy();
    }

    /**
     * A block of rows whose sums are packed at once, without ever standing side by side as numbers. Parameters are those of
     * {@link RowBlock}.
     *
     * @param sums read here, and not kept
     * @throws IllegalArgumentException if a sum is negative
     */
    public RowBlock block(
            int shard,
            long tile,
            List<Object> group,
            long windowEndMs,
            Finality finality,
            long[] cells,
            RowSums sums,
            int @Nullable [] diskSizes) {
        return new RowBlock(
                this, pack(sums, cells.length), shard, tile, group, windowEndMs, finality, cells, diskSizes);
    }

    /** The bits of a block's sums. */
    PackedSums pack(RowBlock block) {
        check(block);
        long[] sums = block.sums();
        return pack((row, into) -> System.arraycopy(sums, row * features, into, 0, features), block.rows());
    }

    private PackedSums pack(RowSums sums, int rows) {
        PackedSums packed = pack(sums, rows, false);
        return packed != null ? packed : Objects.requireNonNull(pack(sums, rows, true));
    }

    private @Nullable PackedSums pack(RowSums sums, int rows, boolean signed) {
        Bytes bytes = new Bytes(64 + rows * features);
        BitWriter bits = new BitWriter(bytes);
        int[] ends = new int[rows];
        long[] rowSums = new long[features];
        long[] scratch = new long[features];
        for (int row = 0; row < rows; row++) {
            sums.copy(row, rowSums);
            if (!sums(rowSums, signed, scratch, bits)) {
                return null;
            }
            ends[row] = Math.toIntExact(bits.written());
        }
        bits.finish();
        return new PackedSums(signed, bytes.copy(), ends);
    }

    /** What {@link #pack(RowBlock)} was given. */
    long[] unpack(PackedSums packed) {
        BitReader bits = new BitReader(packed.bits(), 0, packed.bits().length);
        return sums(bits, packed.signed(), packed.ends().length);
    }

    /**
     * Decodes what {@link #encodeBlock(RowBlock, long)} made.
     *
     * @throws IllegalArgumentException for anything else; {@link ForeignRowException} for a block of another view or of other rings
     *     or windows
     */
    public RowBlock decodeBlock(byte[] bytes) {
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
        long tile = in.u64();
        List<Object> group = groups.decode(in.raw(in.varint(in.remaining(), "the length of the group")));
        int rows = in.varint(rowsAtMost(in.remaining()), "the number of rows");
        int flags = flags(in);
        long[] cells = cells(in, rows);
        int[] sizes = (flags & IRREGULAR) == 0 ? null : sizes(in, rows);
        PackedSums packed = (flags & SIGNED) != 0 ? null : packed(bytes, in.at(), rows);
        if (packed != null) {
            return new RowBlock(this, packed, shard, tile, group, windowEndMs, finality, cells, sizes);
        }
        long[] sums = sums(new BitReader(bytes, in.at(), bytes.length), (flags & SIGNED) != 0, rows);
        return new RowBlock(view, shard, tile, group, windowEndMs, finality, cells, sums, sizes);
    }

    /** The bits of a block's sums as they stand in it, or null where only reading them tells whether they are sums. */
    private @Nullable PackedSums packed(byte[] bytes, int from, int rows) {
        if (bytes.length > Integer.MAX_VALUE / Byte.SIZE) {
            return null;
        }
        int[] ends = new int[rows];
        int at = Byte.SIZE * from;
        for (int row = 0; row < rows; row++) {
            at = behindSums(bytes, at);
            if (at < 0) {
                return null;
            }
            ends[row] = at - Byte.SIZE * from;
        }
        int rest = Byte.SIZE * bytes.length - at;
        if (rest < 0 || rest >= Byte.SIZE || Bytes.bits(bytes, at) != 0) {
            return null;
        }
        return new PackedSums(false, Arrays.copyOfRange(bytes, from, bytes.length), ends);
    }

    /** The bit behind the sums of one row; negative where that is not certain, or a difference is wide. */
    private int behindSums(byte[] bytes, int from) {
        int at = from;
        long word = Bytes.bits(bytes, at);
        int left = Bytes.SURE_BITS;
        int firstWidth = 0;
        for (int ringAt = 0; ringAt < features; ringAt += windows) {
            int width = firstWidth;
            for (int i = 0; i < windows; i++) {
                int step = STEP[width << STEP_BITS | (int) (word >>> (Long.SIZE - STEP_BITS))];
                if (step == 0) {
                    step = step(word, width);
                }
                if (step == 0) {
                    return -1;
                }
                width = step >>> Byte.SIZE;
                int taken = step & 0xFF;
                at += taken;
                left -= taken;
                if (left > 2 * MOST_ZEROS) { // the next code is whole
                    word <<= taken;
                } else {
                    word = Bytes.bits(bytes, at);
                    left = Bytes.SURE_BITS;
                }
                firstWidth = i == 0 ? width : firstWidth;
            }
        }
        return at;
    }

    /**
     * What a word that begins with a difference says of it.
     *
     * @param expected width
     * @return its width, above the lowest eight bits, in which is how many bits it takes; 0 if it is wide or none
     */
    private static int step(long word, int expected) {
        int zeros = Long.numberOfLeadingZeros(word);
        if (zeros > MOST_ZEROS) {
            return 0;
        }
        int codeBits = 2 * zeros + 1;
        int width = width(expected, (int) (word >>> (Long.SIZE - codeBits)));
        return width < 0 || width > SURE_WIDTH ? 0 : width << Byte.SIZE | (codeBits + Math.max(0, width - 1));
    }

    /** When an encoded block was made, epoch ms. */
    public static long createdMs(byte[] block) {
        BytesReader in = start(block, BLOCK_MAGIC, "block");
        in.raw(9);
        return in.u64();
    }

    /** Encodes one row of a block for a store, with sequence 0. */
    public byte[] encodeRow(RowBlock block, int row) {
        return encodeRow(block, row, 0);
    }

    /**
     * Encodes one row of a block for a store.
     *
     * @param sequence orders PARTIAL rows of the same window end; at least 0
     * @throws IllegalArgumentException if the block is not one of this view, or a sum is negative
     */
    public byte[] encodeRow(RowBlock block, int row, long sequence) {
        check(block);
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

    /** Writes what comes after the layout: flags, disk sizes and sums, filled up to whole bytes. */
    void body(RowBlock block, int row, Bytes out) {
        PackedSums sums = block.packed(this);
        int[] sizes = block.diskSizes();
        out.u8(flags(sizes, sums.signed()));
        for (int ring = 0; sizes != null && ring < regularDiskSizes.length; ring++) {
            missing(ring, sizes[row * regularDiskSizes.length + ring], out);
        }
        BitWriter bits = new BitWriter(out);
        bits.copy(sums.bits(), sums.start(row), sums.end(row));
        bits.finish();
    }

    /**
     * Decodes what {@link #encodeRow(RowBlock, int)} made.
     *
     * @throws IllegalArgumentException for anything else, also for a row of other rings or windows
     */
    public StoredRow decodeRow(byte[] bytes) {
        BytesReader in = start(bytes, ROW_MAGIC, "row");
        RowOrder order = RowOrder.read(in);
        layout(in);
        return body(bytes, in.at(), bytes.length, order);
    }

    /** Reads what {@link #body(RowBlock, int, Bytes)} wrote. */
    StoredRow body(byte[] bytes, int from, int to, RowOrder order) {
        BytesReader in = new BytesReader(bytes, from, to);
        int flags = flags(in);
        int[] sizes = (flags & IRREGULAR) == 0 ? null : sizes(in, 1);
        BitReader bits = new BitReader(bytes, in.at(), to);
        long[] sums = sums(bits, (flags & SIGNED) != 0, 1);
        return new StoredRow(order.windowEndMs(), order.finality(), order.sequence(), sums, sizes);
    }

    /** The window end of an encoded row, epoch ms; reads the header only. */
    public static long windowEndMs(byte[] row) {
        return start(row, ROW_MAGIC, "row").u64();
    }

    /** The finality of an encoded row; reads the header only. */
    public static Finality finality(byte[] row) {
        BytesReader in = start(row, ROW_MAGIC, "row");
        in.raw(8);
        return finality(in);
    }

    /**
     * Compares encoded rows of one key by {@code (window_end, finality, sequence)}: above 0 when {@code a} is to stay. Reads
     * the headers only.
     */
    public static int compareOrder(byte[] a, byte[] b) {
        BytesReader left = start(a, ROW_MAGIC, "row");
        BytesReader right = start(b, ROW_MAGIC, "row");
        return RowOrder.read(left).compareTo(RowOrder.read(right));
    }

    void check(RowBlock block) {
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

    /** What tells the rows of this view's rings and windows from others: stands in each row, see packed.md. */
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

    /** Each row takes at least a byte for its cell and a bit for each sum. */
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

    private static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }

    private long difference(long[] sums, int from, int i) {
        long above = i < windows ? 0 : sums[from + i - windows];
        if (i % windows == 0) {
            return sums[from + i] - above;
        }
        long corner = i < windows ? 0 : sums[from + i - windows - 1];
        return sums[from + i] - sums[from + i - 1] - above + corner;
    }

    /**
     * Writes the sums of one row. A negative second difference never comes from rows that the job makes, but nothing is lost
     * if so: it needs {@code signed}, for all rows.
     *
     * @return false, with nothing written, if {@code signed} is needed and not set
     */
    private boolean sums(long[] sums, boolean signed, long[] scratch, BitWriter out) {
        long every = differences(sums, scratch);
        if (every < 0 && !signed) {
            return false;
        }
        if (signed || every >>> (NARROW - 1) != 0) {
            wide(scratch, signed, out);
        } else {
            narrow(scratch, out);
        }
        return true;
    }

    /**
     * The second differences of a row's sums. Loops of constant distances, for the compiler to vectorize.
     *
     * @return all of them ORed
     */
    private long differences(long[] sums, long[] differences) {
        int across = windows;
        for (int i = across + 1; i < differences.length; i++) {
            differences[i] = sums[i] - sums[i - 1] - sums[i - across] + sums[i - across - 1];
        }
        for (int i = 1; i < across; i++) {
            differences[i] = sums[i] - sums[i - 1];
        }
        for (int ring = across; ring < differences.length; ring += across) {
            differences[ring] = sums[ring] - sums[ring - across];
        }
        differences[0] = sums[0];
        requireNotNegative(sums);
        long every = 0;
        for (long difference : differences) {
            every |= difference;
        }
        return every;
    }

    private static void requireNotNegative(long[] sums) {
        long every = 0;
        for (long sum : sums) {
            every |= sum;
        }
        if (every < 0) {
            throw new IllegalArgumentException(
                    "a sum must be at least 0, was " + Arrays.stream(sums).min().orElseThrow());
        }
    }

    /** Differences of less than {@value #NARROW} bits: all that comes next to the last one stands in a table. */
    private void narrow(long[] values, BitWriter out) {
        long word = 0;
        int wordBits = 0;
        int firstWidth = 0;
        for (int ringAt = 0; ringAt < features; ringAt += windows) {
            int expected = firstWidth;
            for (int at = ringAt; at < ringAt + windows; at++) {
                long value = values[at];
                int width = Long.SIZE - Long.numberOfLeadingZeros(value);
                long next = NEXT[expected * NARROW + width];
                int bits = (int) next & 0xFF;
                if (wordBits + bits > Long.SIZE) {
                    out.write(word, wordBits);
                    word = 0;
                    wordBits = 0;
                }
                word = (word << bits) + (next >>> 8) + value;
                wordBits += bits;
                expected = width;
                firstWidth = at == ringAt ? width : firstWidth;
            }
        }
        out.write(word, wordBits);
    }

    private void wide(long[] differences, boolean signed, BitWriter out) {
        int firstWidth = 0;
        int expected = 0;
        for (int i = 0; i < features; i++) {
            long value = signed ? zigzag(differences[i]) : differences[i];
            int width = Long.SIZE - Long.numberOfLeadingZeros(value);
            boolean first = i % windows == 0;
            int code = code(first ? firstWidth : expected, width);
            out.write(code, codeBits(code));
            out.write(value, Math.max(0, width - 1)); // without its leading one, which the width tells
            expected = width;
            firstWidth = first ? width : firstWidth;
        }
    }

    private static int code(int expected, int width) {
        return (int) zigzag(width - expected) + 1;
    }

    /** The width that {@link #code} has coded. */
    private static int width(int expected, int code) {
        int zigzag = code - 1;
        return expected + ((zigzag >>> 1) ^ -(zigzag & 1));
    }

    private static int codeBits(int code) {
        return 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(code)) - 1;
    }

    private long[] sums(BitReader in, boolean signed, int rows) {
        long[] sums = new long[rows * features];
        for (int row = 0; row < rows; row++) {
            sums(in, signed, sums, row * features);
        }
        in.end();
        return sums;
    }

    private static int readWidth(BitReader in, int expected) {
        int width = width(expected, (int) in.read(in.zeros(MOST_ZEROS) + 1));
        if (width < 0 || width > 64) {
            throw in.wrong("a width must be 0 to 64 bits, was " + width);
        }
        return width;
    }

    private void sums(BitReader in, boolean signed, long[] sums, int from) {
        int left = 0;
        int aboveFirst = 0;
        for (int i = 0; i < features; i++) {
            boolean first = i % windows == 0;
            int width = readWidth(in, first ? aboveFirst : left);
            long value = width == 0 ? 0 : in.read(width - 1) | (1L << (width - 1));
            long difference = signed ? (value >>> 1) ^ -(value & 1) : value;
            sums[from + i] = 0;
            sums[from + i] = difference - difference(sums, from, i);
            if (sums[from + i] < 0) {
                throw in.wrong("a sum must be at least 0, was " + sums[from + i]);
            }
            left = width;
            aboveFirst = first ? width : aboveFirst;
        }
    }
}
