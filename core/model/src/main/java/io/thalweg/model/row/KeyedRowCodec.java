package io.thalweg.model.row;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.BytesReader;
import io.thalweg.model.row.ForeignRowException.Difference;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.FeatureForm;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.NamedMeasure;
import io.thalweg.model.yaml.DurationText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Encodes the rows of keyed views and of tables. */
public final class KeyedRowCodec implements RowCodec {
    /** First byte of an encoded block; {@link HexRowCodec} and {@link PackedBundles} use 0xB7 to 0xB9. */
    public static final int BLOCK_MAGIC = 0xBA;

    private static final int VERSION = 1;
    private static final int HAS_NULLS = 1;
    private static final int SHARDS_MAX = 1 << 15;
    private static final int NAME_MAX = 1_000;

    private final String view;
    private final KeyCodec keys;
    private final KeyedValues values;
    private final int layout;

    /** Creates a codec for the rows of this view. */
    public KeyedRowCodec(FeatureView view) {
        this.view = view.qualifiedName();
        this.keys = new KeyCodec(view);
        this.values = new KeyedValues(view);
        this.layout = layout(view);
    }

    @Override
    public int layout() {
        return layout;
    }

    /**
     * Returns the CRC-32 of text such as {@code views:INT64,spend:DOUBLE;10000}: measures with the form of their values, then the
     * window sizes in ms; a table has one, of 1.
     */
    private static int layout(FeatureView view) {
        List<FeatureForm> forms = FeatureForm.of(view);
        if (view.isTable()) {
            return HexRowCodec.layout(
                    parts(view.columns().stream().map(Computation.Column::name).toList(), forms), LongStream.of(1));
        }
        return HexRowCodec.layout(
                parts(view.measures().stream().map(NamedMeasure::name).toList(), forms),
                view.windows().sizes().stream().mapToLong(DurationText::millis));
    }

    private static String parts(List<String> names, List<FeatureForm> forms) {
        int windows = forms.size() / names.size();
        return IntStream.range(0, names.size())
                .mapToObj(part -> names.get(part) + ":" + forms.get(part * windows))
                .collect(Collectors.joining(","));
    }

    @Override
    public byte[] encodeRow(RowBlock rows, int row) {
        KeyedRowBlock block = own(rows);
        Bytes out = new Bytes(32 + 9 * values.features());
        out.u8(HexRowCodec.ROW_MAGIC).u8(VERSION);
        block.head().order().write(out);
        out.u32(layout);
        values(block, row, out);
        return out.copy();
    }

    @Override
    public StoredRow.OfValues decodeRow(byte[] bytes) {
        BytesReader in = HexRowCodec.start(bytes, HexRowCodec.ROW_MAGIC, "row");
        RowOrder order = RowOrder.read(in);
        layout(in);
        ValueColumns columns = values.columns(1);
        values(in, columns, 0);
        in.end();
        return new StoredRow.OfValues(
                order.windowEndMs(), order.finality(), order.sequence(), new KeyedRowValues(values, columns, 0));
    }

    /** Returns the values of one row of a block, as in {@link StoredRow#values}. */
    public List<@Nullable Object> values(KeyedRowBlock block, int row) {
        check(block);
        return new KeyedRowValues(values, block.values(), row * values.features());
    }

    @Override
    public byte[] encodeBlock(RowBlock rows, long createdMs) {
        KeyedRowBlock block = own(rows);
        byte[] name = view.getBytes(StandardCharsets.UTF_8);
        Bytes out = new Bytes(64 + block.rows() * (24 + 4 * values.features()));
        out.u8(BLOCK_MAGIC).u8(VERSION);
        block.head().order().write(out);
        out.u64(createdMs).u32(layout);
        out.varint(name.length).raw(name).varint(block.shard()).varint(block.rows());
        for (int row = 0; row < block.rows(); row++) {
            key(block, row, out);
            values(block, row, out);
        }
        return out.copy();
    }

    @Override
    public KeyedRowBlock decodeBlock(byte[] bytes) {
        BytesReader in = HexRowCodec.start(bytes, BLOCK_MAGIC, "block of a keyed view");
        RowOrder order = RowOrder.read(in);
        in.u64();
        int layoutAt = in.at();
        int written = in.u32();
        int nameAt = in.at();
        String name = HexRowCodec.utf8(nameAt, in.raw(in.varint(NAME_MAX, "the length of the view's name")));
        if (!name.equals(view)) {
            throw HexRowCodec.foreign(
                    Difference.VIEW, name, nameAt, "the block must be of view " + view + ", was " + name);
        }
        requireLayout(layoutAt, written);
        int shard = in.varint(SHARDS_MAX, "the shard");
        int features = values.features();
        int rows = in.varint(in.remaining() / (1 + features / 8), "the number of rows");
        KeyColumns keyColumns = KeyColumns.of(keys.form(), rows);
        ValueColumns columns = values.columns(rows);
        for (int row = 0; row < rows; row++) {
            key(in, keyColumns, row);
            values(in, columns, row * features);
        }
        in.end();
        if (order.finality() == Finality.FINAL && order.sequence() != 0) {
            throw BytesReader.wrong(11, "a FINAL block must have sequence 0, was " + order.sequence());
        }
        return new KeyedRowBlock(new BlockHead(view, shard, order), keyColumns, columns);
    }

    /** Returns when an encoded block was created, epoch ms. */
    public static long createdMs(byte[] block) {
        BytesReader in = HexRowCodec.start(block, BLOCK_MAGIC, "block of a keyed view");
        in.raw(9);
        in.varint();
        return in.u64();
    }

    private KeyedRowBlock own(RowBlock rows) {
        if (!(rows instanceof KeyedRowBlock block)) {
            throw new IllegalArgumentException(
                    "the block must be of view " + view + ", was of view " + rows.view() + ", which has rings");
        }
        check(block);
        return block;
    }

    private void check(KeyedRowBlock block) {
        if (!block.view().equals(view)) {
            throw new IllegalArgumentException("the block must be of view " + view + ", was " + block.view());
        }
        if (block.values().low().length != block.rows() * values.features()) {
            throw new IllegalArgumentException("a block of %d rows must have %d values, was %d"
                    .formatted(
                            block.rows(),
                            block.rows() * values.features(),
                            block.values().low().length));
        }
    }

    private void layout(BytesReader in) {
        int at = in.at();
        requireLayout(at, in.u32());
    }

    private void requireLayout(int from, int written) {
        if (written != layout) {
            throw HexRowCodec.foreign(
                    Difference.LAYOUT,
                    view,
                    from,
                    "written with other measures or windows than view " + view + " has now");
        }
    }

    private void key(KeyedRowBlock block, int row, Bytes out) {
        byte[][] bytes = block.keys().bytes();
        if (bytes != null) {
            out.varint(bytes[row].length).raw(bytes[row]);
            return;
        }
        if (keys.form() == KeyForm.PAIR) {
            out.u64(block.keys().high()[row]);
        }
        out.u64(block.keys().low()[row]);
    }

    private void key(BytesReader in, KeyColumns into, int row) {
        byte[][] bytes = into.bytes();
        if (bytes != null) {
            bytes[row] = in.raw(in.varint(in.remaining(), "the length of a key"));
            return;
        }
        into.high()[row] = keys.form() == KeyForm.PAIR ? in.u64() : 0;
        into.low()[row] = in.u64();
    }

    /** Writes the flags, a bitmap of absent values if there are any, then the present values. */
    private void values(KeyedRowBlock block, int row, Bytes out) {
        int features = values.features();
        int from = row * features;
        byte[] absent = new byte[(features + 7) / 8];
        boolean any = false;
        for (int feature = 0; feature < features; feature++) {
            if (block.values().nulls()[from + feature]) {
                absent[feature / 8] |= (byte) (1 << (feature % 8));
                any = true;
            }
        }
        out.u8(any ? HAS_NULLS : 0);
        if (any) {
            out.raw(absent);
        }
        for (int feature = 0; feature < features; feature++) {
            if (!block.values().nulls()[from + feature]) {
                value(feature, block, from + feature, out);
            }
        }
    }

    private void value(int feature, KeyedRowBlock block, int at, Bytes out) {
        long low = block.values().low()[at];
        switch (values.form(feature)) {
            case DOUBLE -> out.u64(low);
            case INT64 -> out.varint(low << 1 ^ low >> 63);
            case INT128 -> {
                long high = block.values().high()[at];
                wide(high << 1 | low >>> 63, low << 1, high >> 63, out);
            }
            case STRING -> {
                byte[] text = KeyedValues.payload(block.values().payloads(), at);
                out.varint(text.length).raw(text);
            }
            case DOUBLE_LIST -> {
                byte[] doubles = KeyedValues.payload(block.values().payloads(), at);
                out.varint(doubles.length / Double.BYTES).raw(doubles);
            }
        }
    }

    /** Writes the zigzag of a value as a varint of up to 128 bits. */
    private static void wide(long shiftedHigh, long shiftedLow, long sign, Bytes out) {
        long high = shiftedHigh ^ sign;
        long low = shiftedLow ^ sign;
        while (high != 0 || (low & ~0x7FL) != 0) {
            out.u8((int) (low & 0x7F) | 0x80);
            low = low >>> 7 | high << 57;
            high >>>= 7;
        }
        out.u8((int) low);
    }

    private void values(BytesReader in, ValueColumns into, int from) {
        int features = values.features();
        long[] high = into.high();
        long[] low = into.low();
        boolean[] nulls = into.nulls();
        int flags = in.u8();
        if (flags > HAS_NULLS) {
            throw BytesReader.wrong(in.at() - 1, "flags must be at most 1, was " + flags);
        }
        if (flags == HAS_NULLS) {
            absent(in, nulls, from);
        }
        for (int feature = 0; feature < features; feature++) {
            if (nulls[from + feature]) {
                continue;
            }
            switch (values.form(feature)) {
                case DOUBLE -> low[from + feature] = in.u64();
                case INT64 -> {
                    long value = in.varint();
                    low[from + feature] = value >>> 1 ^ -(value & 1);
                    high[from + feature] = low[from + feature] >> 63;
                }
                case INT128 -> wide(in, high, low, from + feature);
                case STRING -> Objects.requireNonNull(into.payloads())[from + feature] = text(in);
                case DOUBLE_LIST -> Objects.requireNonNull(into.payloads())[from + feature] = doubles(in);
            }
        }
    }

    private static byte[] text(BytesReader in) {
        byte[] text = in.raw(in.varint(in.remaining(), "the length of a text"));
        HexRowCodec.utf8(in.at() - text.length, text);
        return text;
    }

    private static byte[] doubles(BytesReader in) {
        return in.raw(in.varint(in.remaining() / Double.BYTES, "the length of a list") * Double.BYTES);
    }

    private void absent(BytesReader in, boolean[] nulls, int from) {
        int at = in.at();
        byte[] absent = in.raw((values.features() + 7) / 8);
        if (Arrays.equals(absent, new byte[absent.length])) {
            throw BytesReader.wrong(at, "values are said to be absent, but none is");
        }
        for (int bit = 0; bit < 8 * absent.length; bit++) {
            boolean isAbsent = (absent[bit / 8] >>> (bit % 8) & 1) == 1;
            if (isAbsent && (bit >= values.features() || !values.isNullable(bit))) {
                throw BytesReader.wrong(at + bit / 8, "value " + bit + " cannot be absent");
            }
            if (isAbsent) {
                nulls[from + bit] = true;
            }
        }
    }

    private static void wide(BytesReader in, long[] high, long[] low, int at) {
        int from = in.at();
        long zigzagHigh = 0;
        long zigzagLow = 0;
        for (int shift = 0; ; shift += 7) {
            int next = in.u8();
            long bits = next & 0x7F;
            if (shift > 126 || (shift == 126 && bits > 3) || (next == 0 && shift > 0)) {
                throw BytesReader.wrong(from, "a sum must be a varint of at most 128 bits, without an empty last byte");
            }
            zigzagLow |= shift < 64 ? bits << shift : 0;
            zigzagHigh |= shift >= 64 ? bits << (shift - 64) : shift > 57 ? bits >>> (64 - shift) : 0;
            if (next < 0x80) {
                break;
            }
        }
        long sign = -(zigzagLow & 1);
        low[at] = (zigzagLow >>> 1 | zigzagHigh << 63) ^ sign;
        high[at] = zigzagHigh >>> 1 ^ sign;
    }
}
