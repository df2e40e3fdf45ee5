package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.thalweg.model.FeastView;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Finality;
import io.thalweg.model.Online;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.PackedRows;
import io.thalweg.model.RowBlock;
import io.thalweg.model.StoredRow;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreException.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one view's row in the hash of its entity, and what stands in them.
 *
 * <pre>
 * 4 bytes         the value of a feature; under feast-array the one that holds all
 * _ts:VIEW        the row's window end
 * _order:VIEW     {@link FeastOrder}; Feast does not look at it
 * </pre>
 *
 * <p><b>Threads.</b> Immutable.
 */
final class FeastRow {
    private static final int BEFORE_FEATURES = 2;

    private final FeatureView view;
    private final boolean array;
    private final int shape;
    private final boolean[] whole;
    private final List<byte[]> fields;

    FeastRow(FeatureView view) {
        this.view = view;
        array = view.online().layout() == Online.Layout.FEAST_ARRAY;
        int layout = view.isKeyed() ? new PackedKeyedRows(view).layout() : new PackedRows(view).layout();
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

    /** All of them, time and order first. */
    List<byte[]> fields() {
        return fields;
    }

    /**
     * What is to stand in each of the {@link #fields}; a list that may be added to.
     *
     * @param values in the order of {@link FeatureView#featureNames()}
     * @throws StoreException if Feast has no type for a value
     */
    List<byte[]> encode(
            long windowEndMs,
            Finality finality,
            long sequence,
            int @Nullable [] diskSizes,
            List<? extends @Nullable Object> values) {
        FeastOrder order = new FeastOrder(windowEndMs, finality, sequence, shape, diskSizes);
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
     * The order of the row that stands in these fields; null where there is none, or where another wrote over Thalweg's.
     *
     * @throws IllegalArgumentException if it was written under another definition
     */
    @Nullable
    FeastOrder order(List<byte @Nullable []> values) {
        if (values.contains(null)) {
            return null;
        }
        FeastOrder order = FeastOrder.decode(values.get(1));
        if (order.shape() != shape) {
            throw new IllegalArgumentException(
                    "written with other measures, rings, windows or another layout than view " + view.qualifiedName()
                            + " has now");
        }
        boolean own = Arrays.equals(values.get(0), FeastValues.timestamp(order.windowEndMs()));
        return own ? order : null;
    }

    /** The row of a keyed view. */
    PackedKeyedRows.Row keyed(FeastOrder order, List<byte @Nullable []> values) {
        return new PackedKeyedRows.Row(order.windowEndMs(), order.finality(), order.sequence(), values(values));
    }

    /** The row of a view with rings: its sums are what the features were divided from. */
    StoredRow withRings(FeastOrder order, List<byte @Nullable []> values) {
        List<@Nullable Object> numbers = values(values);
        int[] panes = view.windows().panes();
        long[] sums = new long[numbers.size()];
        for (int i = 0; i < sums.length; i++) {
            int ring = i / panes.length;
            int size = order.diskSizes() == null
                    ? RowBlock.regularDiskSize(view.rings().get(ring))
                    : order.diskSizes()[ring];
            double value = numbers.get(i) instanceof Number number ? number.doubleValue() : 0;
            sums[i] = Math.round(value * ((long) size * panes[i % panes.length]));
        }
        return new StoredRow(order.windowEndMs(), order.finality(), order.sequence(), sums, order.diskSizes());
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
}
