package io.thalweg.model.row;

import io.thalweg.model.view.FeatureForm;
import java.util.AbstractList;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The features of a row, as in {@link StoredRow#values}. An answer contains thousands of them: besides the objects of the list, each can
 * be read without one.
 *
 * <p><b>Threads.</b> Immutable.
 */
public abstract sealed class RowValues extends AbstractList<@Nullable Object> implements RandomAccess
        permits DoubleValues, KeyedRowValues {
    /** The form of a value. */
    public abstract FeatureForm form(int place);

    /** Whether a value is missing. */
    public abstract boolean isAbsent(int place);

    /** Whether a value is a whole number of more than 64 bits. */
    public abstract boolean isWide(int place);

    /** Returns a value that is a double, as its raw bits, or a whole number that is not {@link #isWide}. */
    public abstract long bits(int place);

    /** Returns the bytes of a text in UTF-8, or of a list of big-endian doubles. */
    public abstract byte[] payload(int place);

    /** Returns the values at these places, in the given order. */
    public abstract RowValues at(int[] places);
}
