package io.thalweg.feast;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.ForeignRowException;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.RingDivisors;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreException.Kind;
import io.thalweg.store.StoreKey;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one view's row in the hash of its entity, and their values.
 *
 * <pre>
 * 4 bytes         the value of a feature; under feast-array one value for all features
 * _ts:VIEW        the row's window end
 * _order:VIEW     {@link FeastOrder}; ignored by Feast
 * </pre>
 *
 * <p><b>Threads.</b> Immutable.
 */
public abstract sealed class FeastRow {
    private static final int BEFORE_FEATURES = 2;

    private final FeatureView view;
    private final boolean array;
    private final int shape;
    private final boolean[] whole;
    private final List<byte[]> fields;

    /** Creates the fields of a view's rows. */
    public static FeastRow of(FeatureView view) {
        return view.isKeyed() ? new OfKeys(view) : new OfCells(view);
    }

    private FeastRow(FeatureView view) {
        this.view = view;
        array = view.online().layout() == Online.Layout.FEAST_ARRAY;
        int layout = RowCodec.of(view).layout();
        shape = array ? ~layout : layout;
        List<String> types = view.featureTypes();
        whole = new boolean[types.size()];
        for (int feature = 0; feature < whole.length; feature++) {
            whole[feature] = types.get(feature).equals("int64");
        }
        FeastView feast = FeastView.of(view);
        List<byte[]> names = new ArrayList<>();
        names.add(("_ts:" + feast.name()).getBytes(UTF_8));
        names.add(("_order:" + feast.name()).getBytes(UTF_8));
        feast.features().forEach(feature -> names.add(field(feast.field(feature))));
        fields = List.copyOf(names);
    }

    private static byte[] field(int hash) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(hash)
                .array();
    }

    /** All fields, time and order first. */
    public List<byte[]> fields() {
        return fields;
    }

    /** Returns the key of a row of a block. */
    public abstract StoreKey key(RowBlock block, int row);

    /**
     * Encodes the values of the {@link #fields}, in their order, into a mutable list.
     *
     * @throws StoreException if Feast has no type for a value
     */
    public abstract List<byte[]> encode(RowBlock block, int row);

    abstract StoredRow row(FeastOrder order, List<@Nullable Object> values);

    /** Encodes as {@link #encode(RowBlock, int)} does; {@code values} are in the order of {@link FeatureView#featureNames()}. */
    List<byte[]> encode(RowBlock block, int @Nullable [] diskSizes, List<? extends @Nullable Object> values) {
        long windowEndMs = block.windowEndMs();
        FeastOrder order = new FeastOrder(windowEndMs, block.finality(), block.sequence(), shape, diskSizes);
        List<byte[]> all = new ArrayList<>(1 + fields.size());
        all.add(FeastValues.timestamp(windowEndMs));
        all.add(order.encode());
        for (int i = BEFORE_FEATURES; i < fields.size(); i++) {
            all.add(array ? FeastValues.floats(values) : scalar(i - BEFORE_FEATURES, values.get(i - BEFORE_FEATURES)));
        }
        return all;
    }

    private byte[] scalar(int feature, @Nullable Object value) {
        if (value instanceof BigInteger) {
            throw new StoreException(
                    Kind.ROWS,
                    "feature %s of view %s must fit into 64 bits under online.layout: feast-scalars, was %s; sum as type: double"
                            .formatted(view.featureNames().get(feature), view.qualifiedName(), value),
                    null);
        }
        return FeastValues.value(value);
    }

    /**
     * Decodes the row in these fields; returns null if there is no row, or if another writer replaced it.
     *
     * @throws IllegalArgumentException if it cannot be decoded; {@link ForeignRowException} if it was written under another
     * definition
     */
    @Nullable
    public StoredRow decode(List<byte @Nullable []> fieldValues) {
        if (fieldValues.contains(null)) {
            return null;
        }
        FeastOrder order = FeastOrder.decode(fieldValues.get(1));
        if (order.shape() != shape) {
            throw new ForeignRowException(
                    ForeignRowException.Difference.LAYOUT,
                    view.qualifiedName(),
                    "written with other measures, rings, windows or another layout than view " + view.qualifiedName()
                            + " has now");
        }
        boolean own = Arrays.equals(fieldValues.get(0), FeastValues.timestamp(order.windowEndMs()));
        return own ? row(order, values(fieldValues)) : null;
    }

    private List<@Nullable Object> values(List<byte @Nullable []> fields) {
        List<@Nullable Object> values = new ArrayList<>(whole.length);
        if (array) {
            float[] floats = FeastValues.floats(fields.get(BEFORE_FEATURES));
            if (floats.length != whole.length) {
                throw new IllegalArgumentException("an array of " + floats.length + " features, view "
                        + view.qualifiedName() + " has " + whole.length);
            }
            for (int i = 0; i < floats.length; i++) {
                values.add(number(floats[i], whole[i]));
            }
            return values;
        }
        for (int i = 0; i < whole.length; i++) {
            values.add(FeastValues.value(fields.get(i + BEFORE_FEATURES)));
        }
        return values;
    }

    private static @Nullable Number number(float value, boolean whole) {
        if (Float.isNaN(value)) {
            return null;
        }
        if (!whole || Float.isInfinite(value)) {
            return (double) value;
        }
        BigInteger integer = new BigDecimal(value).toBigInteger();
        return integer.bitLength() < Long.SIZE ? (Number) integer.longValue() : (Number) integer;
    }

    /** The fields of a view with rings. */
    private static final class OfCells extends FeastRow {
        private final RingDivisors divisors;
        private final int rings;

        OfCells(FeatureView view) {
            super(view);
            divisors = new RingDivisors(view);
            rings = view.rings().size();
        }

        @Override
        public StoreKey key(RowBlock rows, int row) {
            HexRowBlock block = (HexRowBlock) rows;
            return new StoreKey(block.cells()[row], block.group());
        }

        @Override
        public List<byte[]> encode(RowBlock rows, int row) {
            HexRowBlock block = (HexRowBlock) rows;
            int features = divisors.features();
            int[] sizes = block.diskSizes();
            int[] rowSizes = sizes == null ? null : Arrays.copyOfRange(sizes, row * rings, (row + 1) * rings);
            long[] sums = Arrays.copyOfRange(block.sums(), row * features, (row + 1) * features);
            return encode(block, rowSizes, new DoubleValues(divisors.values(sums, rowSizes)));
        }

        /** Restores the sums from which the features were divided. */
        @Override
        StoredRow row(FeastOrder order, List<@Nullable Object> values) {
            double[] numbers = values.stream()
                    .mapToDouble(value -> value instanceof Number number ? number.doubleValue() : 0)
                    .toArray();
            long[] sums = divisors.sums(numbers, order.diskSizes());
            return new StoredRow.OfSums(
                    order.windowEndMs(), order.finality(), order.sequence(), sums, order.diskSizes(), divisors);
        }
    }

    /** The fields of a keyed view. */
    private static final class OfKeys extends FeastRow {
        private final KeyCodec keys;
        private final KeyedRowCodec codec;

        OfKeys(FeatureView view) {
            super(view);
            keys = new KeyCodec(view);
            codec = new KeyedRowCodec(view);
        }

        @Override
        public StoreKey key(RowBlock rows, int row) {
            return new StoreKey(0, ((KeyedRowBlock) rows).key(keys, row));
        }

        @Override
        public List<byte[]> encode(RowBlock rows, int row) {
            return encode(rows, null, codec.values((KeyedRowBlock) rows, row));
        }

        @Override
        StoredRow row(FeastOrder order, List<@Nullable Object> values) {
            return new StoredRow.OfValues(order.windowEndMs(), order.finality(), order.sequence(), values);
        }
    }
}
