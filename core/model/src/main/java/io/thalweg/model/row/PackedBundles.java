package io.thalweg.model.row;

import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.BytesReader;
import io.thalweg.model.view.FeatureView;
import org.jspecify.annotations.Nullable;

/**
 * Packs rows of neighbouring cells of one group into a single value: a <b>bundle</b> holds at most one row of each of the 49
 * cells that share the ancestor two levels up. A store of bundles writes dozens of rows at the cost of one. Specified byte by
 * byte in {@code docs/reference/packed.md}.
 *
 * <p>Each row has its own place in the order of {@code (window_end, finality, sequence)}, so merging bundles in any order,
 * however they were cut, gives the same result as merging the rows one by one.
 *
 * <p><b>Errors.</b> Reading throws IllegalArgumentException that names the offset, whatever the bytes are.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class PackedBundles {
    /** First byte of a bundle. */
    public static final int MAGIC = 0xB9;

    /** Cells below one parent: the maximum number of rows of a bundle. */
    public static final int CELLS = 49;

    private static final int VERSION = 1;
    private static final int LEVELS = 2;
    /** Slots are two digits of three bits, of which one value is not used. */
    private static final int SLOTS = 1 << (3 * LEVELS);

    private static final int RESOLUTION_AT = 52;

    private final HexRowCodec rows;
    private final int slotAt;
    private final long parentBits;

    /** Creates a codec for the rows of this view. */
    public PackedBundles(FeatureView view) {
        int resolution = view.cell().resolution();
        rows = new HexRowCodec(view);
        slotAt = 3 * (15 - resolution);
        parentBits = ((long) resolution ^ (resolution - LEVELS)) << RESOLUTION_AT;
    }

    /** Returns the cell that identifies a cell's bundle: its ancestor (H3 index) two levels up. */
    public long parent(long cell) {
        return (cell | ((SLOTS - 1L) << slotAt)) ^ parentBits;
    }

    /** Returns the end, exclusive, of the rows that share the parent of row {@code from} and thus belong in one bundle. */
    public int end(HexRowBlock block, int from) {
        return end(block.cells(), from);
    }

    /** Returns the same for ascending cells. */
    public int end(long[] cells, int from) {
        long parent = parent(cells[from]);
        int end = from + 1;
        while (end < cells.length && parent(cells[end]) == parent) {
            end++;
        }
        return end;
    }

    private int slot(long cell) {
        return (int) (cell >>> slotAt) & (SLOTS - 1);
    }

    /**
     * Encodes rows of one bundle, with sequence 0.
     *
     * @param from first row of the block
     * @param to after the last row; all have the same parent
     * @throws IllegalArgumentException if the block is not one of this view, or a sum is negative
     */
    public byte[] encode(HexRowBlock block, int from, int to) {
        rows.check(block);
        Bytes out = new Bytes(32 + 32 * (to - from));
        begin(new RowOrder(block.windowEndMs(), block.finality(), 0), to - from, out);
        Bytes body = new Bytes(64);
        int before = -1;
        for (int row = from; row < to; row++) {
            int slot = slot(block.cells()[row]);
            body.clear();
            rows.body(block, row, body);
            out.varint(slot - before).varint(2L * body.size()).raw(body.array(), body.size());
            before = slot;
        }
        return out.copy();
    }

    private void begin(RowOrder newest, int size, Bytes out) {
        out.u8(MAGIC).u8(VERSION);
        newest.write(out);
        out.u32(rows.layout()).varint(size);
    }

    /**
     * Returns the row of a cell, or null if the bundle has none.
     *
     * @throws IllegalArgumentException if these are not the bytes of a bundle; {@link ForeignRowException} for one of other rings or
     *     windows
     */
    public StoredRow.@Nullable OfSums row(byte[] bundle, long cell) {
        Cursor cursor = cursor(bundle);
        return cursor.seek(cell) ? cursor.row() : null;
    }

    /** Creates a cursor that reads several rows of a bundle in one pass. */
    public Cursor cursor(byte[] bundle) {
        return new Cursor(bundle);
    }

    /**
     * Returns the cells that have a row in a bundle, ascending.
     *
     * @param parent of all of them, as of {@link #parent}
     * @throws IllegalArgumentException if these are not the bytes of a bundle
     */
    public long[] cells(byte[] bundle, long parent) {
        Walk walk = new Walk(bundle);
        long slots = (SLOTS - 1L) << slotAt;
        long[] cells = new long[walk.left];
        for (int i = 0; i < cells.length; i++) {
            walk.next();
            cells[i] = ((parent ^ parentBits) & ~slots) | ((long) walk.slot << slotAt);
        }
        return cells;
    }

    /**
     * A forward pass over a bundle, which finds the same rows as {@link PackedBundles#row}.
     *
     * <p><b>Errors.</b> As of {@link PackedBundles#row}. After invalid bytes no row can be found, so every later {@link #seek}
     * fails.
     *
     * <p><b>Threads.</b> One.
     */
    public final class Cursor {
        private final byte[] bundle;
        private @Nullable Walk walk;
        private @Nullable IllegalArgumentException failure;

        private Cursor(byte[] bundle) {
            this.bundle = bundle;
        }

        /**
         * Advances to the row of a cell.
         *
         * @param cell greater than that of the previous call
         * @return whether the bundle contains it
         */
        public boolean seek(long cell) {
            if (failure != null) {
                throw failure;
            }
            try {
                int wanted = slot(cell);
                Walk at = begun();
                while (at.slot < wanted) {
                    at.next();
                }
                return at.slot == wanted;
            } catch (IllegalArgumentException e) {
                failure = e;
                throw e;
            }
        }

        private Walk begun() {
            if (walk == null) {
                Walk begun = new Walk(bundle);
                if (begun.layout != rows.layout()) {
                    throw HexRowCodec.foreign(
                            ForeignRowException.Difference.LAYOUT,
                            rows.view(),
                            begun.in.at(),
                            "written with other rings or windows than the view has now");
                }
                walk = begun;
            }
            return walk;
        }

        /** The window end of the row that the last {@link #seek} found, epoch ms; does not decode the row. */
        public long windowEndMs() {
            return begun().order().windowEndMs();
        }

        /** Decodes the row that the last {@link #seek} found. */
        public StoredRow.OfSums row() {
            Walk at = begun();
            return rows.body(bundle, at.bodyAt, at.in.at(), at.order());
        }
    }

    /**
     * Merges two bundles of the same parent: keeps the row of each cell that is greater in order. Kept rows of other rings or
     * windows than the view has now are dropped.
     *
     * @param kept the stored bundle
     * @param arrived the new bundle, of the view's rings and windows
     * @param oldestMs kept rows of an earlier window end have expired and are dropped, epoch ms
     * @return {@code kept} itself if no arrived row is newer
     */
    public byte[] merge(byte[] kept, byte[] arrived, long oldestMs) {
        Walk old = new Walk(kept);
        if (old.layout != rows.layout()) {
            return arrived;
        }
        Walk fresh = new Walk(arrived);
        RowOrder newest = old.newest.compareTo(fresh.newest) > 0 ? old.newest : fresh.newest;
        Bytes entries = new Bytes(kept.length + arrived.length);
        int size = 0;
        int before = -1;
        boolean changed = false;
        old.next();
        fresh.next();
        while (Math.min(old.slot, fresh.slot) < SLOTS) {
            int slot = Math.min(old.slot, fresh.slot);
            boolean wins =
                    fresh.slot == slot && (old.slot > slot || fresh.order().compareTo(old.order()) > 0);
            changed |= wins;
            Walk winner = wins ? fresh : old;
            if (wins || old.order().windowEndMs() >= oldestMs) {
                winner.copy(slot - before, newest, entries);
                before = slot;
                size++;
            }
            advance(old, slot);
            advance(fresh, slot);
        }
        if (!changed) {
            return kept;
        }
        Bytes out = new Bytes(32 + entries.size());
        begin(newest, size, out);
        return out.raw(entries.array(), entries.size()).copy();
    }

    private static void advance(Walk walk, int slot) {
        if (walk.slot == slot) {
            walk.next();
        }
    }

    /** Returns the greatest window end of a bundle's rows, epoch ms; reads the header only. */
    public static long newestMs(byte[] bundle) {
        return start(bundle).u64();
    }

    /** Returns the number of rows of a bundle; reads the header only. */
    public static int rows(byte[] bundle) {
        return new Walk(bundle).left;
    }

    private static BytesReader start(byte[] bytes) {
        BytesReader in = new BytesReader(bytes, 0);
        int magic = in.u8();
        if (magic != MAGIC) {
            throw BytesReader.wrong(0, "a bundle begins with 0x%02X, was 0x%02X".formatted(MAGIC, magic));
        }
        int version = in.u8();
        if (version != VERSION) {
            throw BytesReader.wrong(1, "version must be " + VERSION + ", was " + version);
        }
        return in;
    }

    /** Iterates over the rows; the slot after the last one is {@link #SLOTS}. */
    private static final class Walk {
        private final byte[] bundle;
        private final BytesReader in;
        private final RowOrder newest;
        private final int layout;
        private int left;
        private int slot = -1;
        /** Where the row's own order begins; 0 if its order is the newest. */
        private int orderAt;
        /** The order of this row, once it was requested. */
        private @Nullable RowOrder order;

        private int bodyAt;

        Walk(byte[] bundle) {
            this.bundle = bundle;
            this.in = start(bundle);
            this.newest = RowOrder.read(in);
            this.layout = in.u32();
            this.left = in.varint(SLOTS, "the number of rows");
        }

        void next() {
            if (left == 0) {
                in.end();
                slot = SLOTS;
                return;
            }
            left--;
            int from = in.at();
            int step = in.varint(SLOTS, "the step to the next cell");
            slot += step;
            if (step == 0 || slot >= SLOTS) {
                throw BytesReader.wrong(from, "the cells of a bundle must ascend below " + SLOTS);
            }
            int length = in.varint(2 * in.remaining(), "the length of the row");
            orderAt = 0;
            order = null;
            if ((length & 1) != 0) {
                orderAt = in.at();
                RowOrder.skip(in);
            }
            bodyAt = in.at();
            in.skip(length >>> 1);
        }

        /** The order of this row; before the first row, the newest. Decoded on demand, because a seek skips most rows. */
        RowOrder order() {
            RowOrder known = order;
            if (known == null) {
                known = orderAt == 0 ? newest : RowOrder.read(new BytesReader(bundle, orderAt));
                order = known;
            }
            return known;
        }

        /** Writes this row into a bundle whose greatest order is {@code newest}. */
        void copy(int step, RowOrder newest, Bytes out) {
            int length = in.at() - bodyAt;
            RowOrder order = order();
            boolean own = !order.equals(newest);
            out.varint(step).varint(2L * length + (own ? 1 : 0));
            if (own) {
                order.write(out);
            }
            out.raw(bundle, bodyAt, length);
        }
    }
}
