package io.thalweg.model.row;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes and reads the rows of views with rings; caches the text that the rows of the last block share. */
public final class HexRowJson implements RowJson {
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
    private @Nullable HexRowBlock block;

    /** Creates a writer and reader of this view's rows. */
    public HexRowJson(FeatureView view) {
        this.view = view;
        this.parser = new RowJsonParser(view);
        this.groups = new GroupCodec(view.group());
        this.sums = new SumFinder(view);
        this.names = view.featureNames().stream().map(HexRowJson::quotedName).toArray(byte[][]::new);
        this.divisors =
                view.rings().stream().mapToInt(HexRowBlock::regularDiskSize).toArray();
        this.panes = view.windows().panes();
        this.small = new byte[names.length * SMALL_SUMS][];
    }

    private static byte[] quotedName(String name) {
        Bytes out = new Bytes(16);
        JsonText.string(name, out);
        return out.u8(':').copy();
    }

    @Override
    public void write(RowBlock block, int row, ByteArrayOutputStream out) {
        append((HexRowBlock) block, row, null);
        out.write(line.array(), 0, line.size());
    }

    @Override
    public byte[] value(RowBlock block, int row, long createdMs) {
        append((HexRowBlock) block, row, Instant.ofEpochMilli(createdMs));
        return line.copy();
    }

    @Override
    public byte[] key(RowBlock rows, int row) {
        HexRowBlock block = (HexRowBlock) rows;
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

    /** {@code ["demand",{"tile":"852a…","from":"892a…"},"17a2…"]}: the tile, the first cell of the block, then the group. */
    @Override
    public byte[] blockKey(RowBlock rows) {
        HexRowBlock block = (HexRowBlock) rows;
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

    @Override
    public ParsedRow parse(byte[] line) {
        return parser.row(line);
    }

    /** Reads a row and recovers the sums that its features were divided from. */
    @Override
    public HexRowBlock decodeBlock(byte[] line) {
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
        return new HexRowBlock(
                new BlockHead(row.view(), 0, new RowOrder(row.windowEndMs(), row.finality(), 0)),
                0,
                group,
                new long[] {cell},
                rowSums,
                sizes);
    }

    @SuppressWarnings("ReferenceEquality") // the rows of a block are written one after another
    private void append(HexRowBlock next, int row, @Nullable Instant created) {
        if (next != block) {
            begin(next);
        }
        line.clear();
        line.raw(head.array(), head.size());
        JsonText.cell(next.cells()[row], line);
        line.raw(tail.array(), tail.size());
        if (created != null) {
            line.ascii(",\"created\":\"").ascii(created.toString()).u8('"');
        }
        line.ascii(",\"features\":{");
        features(next, row);
        line.u8('}').u8('}');
    }

    /** Writes the text that the rows of a block share: everything before the cell, and the part after it. */
    private void begin(HexRowBlock next) {
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

    private void features(HexRowBlock next, int row) {
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
                line.ascii(DoubleToDecimal.toString(HexRowBlock.value(sum, size, panes[i % panes.length])));
            }
        }
    }

    /** Returns the text of a small sum; it is cached, because most sums are small. */
    private byte[] small(int feature, int sum, int size) {
        byte[] text = small[feature * SMALL_SUMS + sum];
        if (text == null) {
            Bytes out = new Bytes(24);
            out.ascii(DoubleToDecimal.toString(HexRowBlock.value(sum, size, panes[feature % panes.length])));
            text = out.copy();
            small[feature * SMALL_SUMS + sum] = text;
        }
        return text;
    }
}
