package io.thalweg.model.row;

import io.thalweg.model.view.FeatureForm;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The features of a row of a keyed view or of a table. */
final class KeyedRowValues extends RowValues {
    private final KeyedValues values;
    private final ValueColumns columns;
    private final int from;
    /** The features in the order of the list. */
    private final int[] features;

    /** Creates the values of all features, whose columns never change from now on. */
    KeyedRowValues(KeyedValues values, ValueColumns columns, int from) {
        this(values, columns, from, values.all());
    }

    private KeyedRowValues(KeyedValues values, ValueColumns columns, int from, int[] features) {
        this.values = values;
        this.columns = columns;
        this.from = from;
        this.features = features;
    }

    @Override
    public FeatureForm form(int place) {
        return values.form(features[place]);
    }

    @Override
    public boolean isAbsent(int place) {
        return columns.nulls()[from + features[place]];
    }

    @Override
    public boolean isWide(int place) {
        int at = from + features[place];
        return form(place) == FeatureForm.INT128 && columns.high()[at] != columns.low()[at] >> 63;
    }

    @Override
    public long bits(int place) {
        return columns.low()[from + features[place]];
    }

    @Override
    public byte[] payload(int place) {
        return KeyedValues.payload(columns.payloads(), from + features[place]);
    }

    @Override
    public KeyedRowValues at(int[] places) {
        int[] some = IntStream.of(places).map(place -> features[place]).toArray();
        return new KeyedRowValues(values, columns, from, some);
    }

    @Override
    public @Nullable Object get(int place) {
        return values.value(features[place], from + features[place], columns);
    }

    @Override
    public int size() {
        return features.length;
    }
}
