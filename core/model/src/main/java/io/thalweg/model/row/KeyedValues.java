package io.thalweg.model.row;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.kernel.aggregate.IntegerSum;
import io.thalweg.kernel.keyed.KeyedSpec;
import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.view.FeatureForm;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Converts the values of keyed rows between columns, objects and JSON. */
final class KeyedValues {
    private final FeatureForm[] forms;
    private final boolean[] nullable;
    private final boolean hasPayloads;
    private final int[] all;

    KeyedValues(FeatureView view) {
        forms = FeatureForm.of(view).toArray(FeatureForm[]::new);
        nullable = new boolean[forms.length];
        if (view.isTable()) {
            Arrays.fill(nullable, true);
        } else {
            KeyedSpec spec = KeyedPlan.of(view).spec();
            int windows = spec.windowPanes().size();
            for (int feature = 0; feature < forms.length; feature++) {
                nullable[feature] = spec.measures().get(feature / windows).isNullable();
            }
        }
        hasPayloads = Arrays.stream(forms).anyMatch(form -> !form.isNumber());
        all = IntStream.range(0, forms.length).toArray();
    }

    /** The features in their order; shared, so not to be changed. */
    int[] all() {
        return all;
    }

    int features() {
        return forms.length;
    }

    /** Creates columns for the features of {@code rows} rows. */
    ValueColumns columns(int rows) {
        int count = Math.multiplyExact(rows, forms.length);
        return new ValueColumns(
                new long[count], new long[count], new boolean[count], hasPayloads ? new byte[count][] : null);
    }

    FeatureForm form(int feature) {
        return forms[feature];
    }

    boolean isNullable(int feature) {
        return nullable[feature];
    }

    /** Returns a number: {@code Long} if it fits, otherwise {@code BigInteger}, or {@code Double}. */
    Number value(int feature, long high, long low) {
        return switch (forms[feature]) {
            case INT64 -> low;
            case INT128 -> high == low >> 63 ? (Number) low : (Number) IntegerSum.big(high, low);
            case DOUBLE -> Double.longBitsToDouble(low);
            case STRING, DOUBLE_LIST -> throw new IllegalStateException("feature " + feature + " is no number");
        };
    }

    /** Returns the value of feature {@code feature} at {@code at} of a block's columns; null if it is absent. */
    @Nullable
    Object value(int feature, int at, ValueColumns columns) {
        if (columns.nulls()[at]) {
            return null;
        }
        return forms[feature].isNumber()
                ? value(feature, columns.high()[at], columns.low()[at])
                : value(feature, payload(columns.payloads(), at));
    }

    /** Returns a {@code String}, or a list of {@code Double}. */
    Object value(int feature, byte[] payload) {
        return forms[feature] == FeatureForm.STRING
                ? new String(payload, StandardCharsets.UTF_8)
                : Arrays.stream(doubles(payload)).boxed().toList();
    }

    /** Returns the bytes of a present feature that is not a number. */
    static byte[] payload(byte @Nullable [] @Nullable [] payloads, int at) {
        byte[] payload = payloads == null ? null : payloads[at];
        if (payload == null) {
            throw new IllegalArgumentException(
                    "value " + at + " of the block must have a payload, for it is no number");
        }
        return payload;
    }

    private static double[] doubles(byte[] payload) {
        double[] doubles = new double[payload.length / Double.BYTES];
        ByteBuffer.wrap(payload).asDoubleBuffer().get(doubles);
        return doubles;
    }

    /** Writes what {@link #value} returned back as words. */
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

    /** Writes a JSON value; numbers that JSON or its readers cannot represent are written as text. */
    void json(int feature, KeyedRowBlock block, int at, Bytes out) {
        if (block.values().nulls()[at]) {
            out.ascii("null");
        } else if (forms[feature].isNumber()) {
            json(feature, block.values().high()[at], block.values().low()[at], out);
        } else {
            json(feature, payload(block.values().payloads(), at), out);
        }
    }

    private void json(int feature, byte[] payload, Bytes out) {
        if (forms[feature] == FeatureForm.STRING) {
            JsonText.string(new String(payload, StandardCharsets.UTF_8), out);
            return;
        }
        out.u8('[');
        String separator = "";
        for (double element : doubles(payload)) {
            out.ascii(separator).ascii(DoubleToDecimal.toString(element));
            separator = ",";
        }
        out.u8(']');
    }

    private void json(int feature, long high, long low, Bytes out) {
        if (forms[feature] == FeatureForm.DOUBLE) {
            double value = Double.longBitsToDouble(low);
            String text = DoubleToDecimal.toString(value);
            out.ascii(Double.isInfinite(value) ? '"' + text + '"' : text);
        } else if (forms[feature] == FeatureForm.INT64 || high == low >> 63) {
            JsonText.value(low, out);
        } else {
            JsonText.string(IntegerSum.big(high, low).toString(), out);
        }
    }

    /** Parses a number from JSON; null if it is not a number of the feature's form. */
    @Nullable
    Number parsed(int feature, JsonNode node) {
        try {
            if (!forms[feature].isNumber()) {
                return null;
            }
            if (forms[feature] == FeatureForm.DOUBLE) {
                return decimal(node);
            }
            BigInteger value = node.isIntegralNumber()
                    ? node.bigIntegerValue()
                    : node.isTextual() ? new BigInteger(node.textValue()) : null;
            boolean fits = value != null && value.bitLength() < (forms[feature] == FeatureForm.INT64 ? 64 : 128);
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
