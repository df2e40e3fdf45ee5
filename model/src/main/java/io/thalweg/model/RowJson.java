package io.thalweg.model;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A view's rows as JSON, one object each, without a line end; see {@code docs/reference/rows.md}.
 *
 * <p><b>Shape.</b> Fields in this order: {@code view}, the entities as defined, {@code window_end}, {@code finality}, {@code
 * created} when given, {@code features} rings outer, windows inner. The bytes depend on the row alone, not on the JDK:
 * doubles are the shortest decimals that read back bit for bit, in the form of {@code Double.toString}.
 *
 * <p><b>Threads.</b> Not for use by several threads at once: it keeps the last block's text.
 */
public final class RowJson {
    private static final int SMALL_SUMS = 64;

    private final FeatureView view;
    private final RowJsonParser parser;
    private final GroupCodec groups;
    private final SumFinder sums;
    private final byte[][] names;
    private final int[] divisors;
    private final int[] panes;
    private final byte[] @Nullable [] small;
    private final Bytes line = new Bytes(4096);
    private final Bytes head = new Bytes(256);
    private final Bytes tail = new Bytes(256);
    private @Nullable RowBlock block;

    /** A writer and reader of this view's rows. */
    public RowJson(FeatureView view) {
        this.view = view;
        this.parser = new RowJsonParser(view);
        this.groups = new GroupCodec(view.group());
        this.sums = new SumFinder(view);
        this.names = view.featureNames().stream().map(RowJson::quotedName).toArray(byte[][]::new);
        this.divisors =
                view.rings().stream().mapToInt(RowBlock::regularDiskSize).toArray();
        this.panes = view.windows().panes();
        this.small = new byte[names.length * SMALL_SUMS][];
    }

    private static byte[] quotedName(String name) {
        Bytes out = new Bytes(16);
        JsonText.string(name, out);
        return out.u8(':').copy();
    }

    /** Appends row {@code row} of a block of this view. */
    public void write(RowBlock block, int row, ByteArrayOutputStream out) {
        append(block, row, false, 0);
        out.write(line.array(), 0, line.size());
    }

    /** Appends row {@code row} with {@code created}, as it stands in Kafka. */
    public void write(RowBlock block, int row, long createdMs, ByteArrayOutputStream out) {
        append(block, row, true, createdMs);
        out.write(line.array(), 0, line.size());
    }

    /** Row {@code row} with {@code created}, as it stands in Kafka. */
    public byte[] value(RowBlock block, int row, long createdMs) {
        append(block, row, true, createdMs);
        return line.copy();
    }

    /** The Kafka key of a row: {@code ["demand","892a…","17a2…"]}, entities in the view's order. */
    public byte[] key(RowBlock block, int row) {
        Bytes out = new Bytes(96);
        out.u8('[');
        JsonText.string(block.view(), out);
        int field = 0;
        for (Entity entity : view.entities()) {
            out.u8(',');
            if (entity instanceof Entity.Cell) {
                JsonText.cell(block.cells()[row], out);
            } else {
                JsonText.value(block.group().get(field++), out);
            }
        }
        return out.u8(']').copy();
    }

    /**
     * The Kafka key of a {@code packed} record: {@code ["demand",{"tile":"852a…","from":"892a…"},"17a2…"]}: the tile, the first
     * cell of the block, then the group.
     */
    public static byte[] blockKey(RowBlock block) {
        Bytes out = new Bytes(128);
        out.u8('[');
        JsonText.string(block.view(), out);
        out.ascii(",{\"tile\":");
        JsonText.cell(block.tile(), out);
        out.ascii(",\"from\":");
        JsonText.cell(block.rows() == 0 ? 0 : block.cells()[0], out);
        out.u8('}');
        for (Object value : block.group()) {
            out.u8(',');
            JsonText.value(value, out);
        }
        return out.u8(']').copy();
    }

    /** The Kafka key of a progress record: {@code ["demand",{"shard":17}]}; no entity value is an object. */
    public static byte[] progressKey(Progress progress) {
        Bytes out = new Bytes(64);
        out.u8('[');
        JsonText.string(progress.view(), out);
        return out.ascii(",{\"shard\":" + progress.shard() + "}]").copy();
    }

    /** A progress record: {@code {"view":"demand","progress":{"shard":17,"shards":256,"window_end":"…"}}}. */
    public static byte[] progress(Progress progress) {
        Bytes out = new Bytes(128);
        out.ascii("{\"view\":");
        JsonText.string(progress.view(), out);
        out.ascii(",\"progress\":{\"shard\":" + progress.shard() + ",\"shards\":" + progress.shards());
        out.ascii(",\"window_end\":\"" + Instant.ofEpochMilli(progress.windowEndMs()) + "\"}}");
        return out.copy();
    }

    /**
     * Reads a progress record; null for a row, be it JSON, Avro or packed.
     *
     * @throws IllegalArgumentException if the value is none of these
     */
    public static @Nullable Progress parseProgress(byte[] value) {
        return RowJsonParser.progress(value);
    }

    /**
     * Reads a row of this view.
     *
     * @throws IllegalArgumentException if it is not one; the message names the field, the rule and the value
     */
    public ParsedRow parse(byte[] line) {
        return parser.row(line);
    }

    /**
     * Reads a row of this view as a block of that one row, with the sums that its features come from. What JSON does not say, the
     * shard and the tile, is 0.
     *
     * @throws IllegalArgumentException if it is not one; {@link ForeignRowException} for a row of another view or with other
     *     features
     */
    public RowBlock decodeBlock(byte[] line) {
        ParsedRow row = parser.row(line);
        parser.requireFeatures(row.features().keySet());
        Entity.Cell entity = view.cell();
        long cell = (Long) java.util.Objects.requireNonNull(row.entities().get(entity.name()));
        if (!RowJsonParser.isCell(cell, entity.resolution())) {
            throw new IllegalArgumentException("row.%s must be an H3 cell of resolution %d, was %x"
                    .formatted(entity.name(), entity.resolution(), cell));
        }
        List<Object> group = view.group().stream()
                .map(field -> java.util.Objects.requireNonNull(row.entities().get(field.name())))
                .toList();
        groups.encode(group);
        long[] rowSums = new long[names.length];
        int[] sizes = sums.find(row.features(), rowSums);
        return new RowBlock(
                row.view(), 0, 0, group, row.windowEndMs(), row.finality(), new long[] {cell}, rowSums, sizes);
    }

    @SuppressWarnings("ReferenceEquality") // the rows of a block come one after another
    private void append(RowBlock next, int row, boolean withCreated, long createdMs) {
        if (next != block) {
            begin(next);
        }
        line.clear();
        line.raw(head.array(), head.size());
        JsonText.cell(next.cells()[row], line);
        line.raw(tail.array(), tail.size());
        if (withCreated) {
            line.ascii(",\"created\":\"")
                    .ascii(Instant.ofEpochMilli(createdMs).toString())
                    .u8('"');
        }
        line.ascii(",\"features\":{");
        features(next, row);
        line.u8('}').u8('}');
    }

    /** What the rows of a block share: all that stands before the cell, and what follows it. */
    private void begin(RowBlock next) {
        if (!next.view().equals(view.qualifiedName())) {
            throw new IllegalArgumentException(
                    "the block must be of view " + view.qualifiedName() + ", was " + next.view());
        }
        block = next;
        head.clear();
        tail.clear();
        head.ascii("{\"view\":");
        JsonText.string(next.view(), head);
        Bytes out = head;
        List<Object> group = next.group();
        int field = 0;
        for (Entity entity : view.entities()) {
            out.u8(',').raw(quotedName(entity.name()));
            if (entity instanceof Entity.Cell) {
                out = tail;
            } else {
                JsonText.value(group.get(field++), out);
            }
        }
        tail.ascii(",\"window_end\":\"")
                .ascii(Instant.ofEpochMilli(next.windowEndMs()).toString());
        tail.ascii("\",\"finality\":\"").ascii(next.finality().name()).u8('"');
    }

    private void features(RowBlock next, int row) {
        int[] sizes = next.diskSizes();
        int at = row * names.length;
        for (int i = 0; i < names.length; i++) {
            if (i > 0) {
                line.u8(',');
            }
            line.raw(names[i]);
            long sum = next.sums()[at + i];
            int ring = i / panes.length;
            int size = sizes == null ? divisors[ring] : sizes[row * divisors.length + ring];
            if (sum < SMALL_SUMS && size == divisors[ring]) {
                line.raw(small(i, (int) sum, size));
            } else {
                line.ascii(DoubleToDecimal.toString(RowBlock.value(sum, size, panes[i % panes.length])));
            }
        }
    }

    /** Most sums are small: their text is kept. */
    private byte[] small(int feature, int sum, int size) {
        byte[] text = small[feature * SMALL_SUMS + sum];
        if (text == null) {
            Bytes out = new Bytes(24);
            out.ascii(DoubleToDecimal.toString(RowBlock.value(sum, size, panes[feature % panes.length])));
            text = out.copy();
            small[feature * SMALL_SUMS + sum] = text;
        }
        return text;
    }
}
