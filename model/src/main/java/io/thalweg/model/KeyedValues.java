package io.thalweg.model;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.kernel.aggregate.IntegerSum;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedSpec;
import io.thalweg.kernel.keyed.ValueForm;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** The values of keyed rows: what they are, and how they are written. */
final class KeyedValues {
    private final ValueForm[] forms;
    private final boolean[] nullable;

    KeyedValues(FeatureView view) {
        KeyedSpec spec = KeyedPlan.of(view).spec();
        int windows = spec.windowPanes().size();
        forms = new ValueForm[spec.features()];
        nullable = new boolean[spec.features()];
        for (int feature = 0; feature < forms.length; feature++) {
            KeyedMeasure measure = spec.measures().get(feature / windows);
            forms[feature] = measure.form();
            nullable[feature] = measure.isNullable();
        }
    }

    int features() {
        return forms.length;
    }

    ValueForm form(int feature) {
        return forms[feature];
    }

    boolean isNullable(int feature) {
        return nullable[feature];
    }

    /** {@code Long} where it fits, else {@code BigInteger}; {@code Double}. */
    Number value(int feature, long high, long low) {
        return switch (forms[feature]) {
            case INT64 -> low;
            case INT128 -> high == low >> 63 ? (Number) low : (Number) IntegerSum.big(high, low);
            case DOUBLE -> Double.longBitsToDouble(low);
        };
    }

    /** Puts what {@link #value} made back into words. */
    void words(Number value, long[] high, long[] low, int at) {
        if (value instanceof BigInteger big) {
            high[at] = big.shiftRight(Long.SIZE).longValue();
            low[at] = big.longValue();
        } else if (value instanceof Double number) {
            low[at] = Double.doubleToRawLongBits(number);
        } else {
            low[at] = value.longValue();
            high[at] = low[at] >> 63;
        }
    }

    /** A JSON value: numbers that JSON or its readers cannot hold are text. */
    void json(int feature, long high, long low, boolean isNull, Bytes out) {
        if (isNull) {
            out.ascii("null");
        } else if (forms[feature] == ValueForm.DOUBLE) {
            double value = Double.longBitsToDouble(low);
            String text = DoubleToDecimal.toString(value);
            out.ascii(Double.isInfinite(value) ? '"' + text + '"' : text);
        } else if (forms[feature] == ValueForm.INT64 || high == low >> 63) {
            JsonText.value(low, out);
        } else {
            JsonText.string(IntegerSum.big(high, low).toString(), out);
        }
    }

    /** A value as it was written, of its form; null if it is none. */
    @Nullable
    Number parsed(int feature, JsonNode node) {
        try {
            if (forms[feature] == ValueForm.DOUBLE) {
                return decimal(node);
            }
            BigInteger value = node.isIntegralNumber()
                    ? node.bigIntegerValue()
                    : node.isTextual() ? new BigInteger(node.textValue()) : null;
            boolean fits = value != null && value.bitLength() < (forms[feature] == ValueForm.INT64 ? 64 : 128);
            return value == null || !fits ? null : value.bitLength() < 64 ? (Number) value.longValue() : (Number) value;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Double decimal(JsonNode node) {
        if (node.isNumber()) {
            return node.doubleValue();
        }
        return switch (node.asText()) {
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> null;
        };
    }
}
