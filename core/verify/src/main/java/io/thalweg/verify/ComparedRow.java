package io.thalweg.verify;

import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ParsedRow;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A row in the form in which it is compared: its key, its time, and its values as words that are equal iff the values are, bit
 * for bit.
 *
 * @param cell H3 index; 0 for keyed views
 * @param group values of the other entities, or of a keyed view's key
 * @param words the values; empty for a row whose features differ from the view's, which equals no row
 */
public record ComparedRow(long cell, List<Object> group, long windowEndMs, Finality finality, long[] words) {
    /** Creates a FINAL row of a view with rings. */
    static ComparedRow of(long cell, List<Object> group, long windowEndMs, double[] values) {
        return new ComparedRow(
                cell,
                group,
                windowEndMs,
                Finality.FINAL,
                words(Arrays.stream(values).boxed()));
    }

    /** Creates the only row of a block. */
    static ComparedRow of(KeyedRowBlock block, KeyCodec keys) {
        LongStream.Builder words = LongStream.builder();
        for (int feature = 0; feature < block.values().low().length; feature++) {
            if (block.values().nulls()[feature]) {
                words.add(0);
            } else {
                words.add(1)
                        .add(block.values().high()[feature])
                        .add(block.values().low()[feature]);
            }
        }
        return new ComparedRow(
                0,
                block.key(keys, 0),
                block.windowEndMs(),
                block.finality(),
                words.build().toArray());
    }

    /**
     * Creates a parser of a view's rows, for one thread. It throws an IllegalArgumentException with the reason for any other line.
     */
    public static Function<byte[], ComparedRow> parser(FeatureView view) {
        RowJson json = RowJson.of(view);
        List<String> names = view.featureNames();
        String cell = view.isKeyed() ? "" : view.cell().name();
        return line -> {
            ParsedRow row = json.parse(line);
            Map<String, @Nullable Number> features = row.features();
            boolean same = features.size() == names.size() && features.keySet().containsAll(names);
            return new ComparedRow(
                    (Long) row.entities().getOrDefault(cell, 0L),
                    group(view, row.entities()),
                    row.windowEndMs(),
                    row.finality(),
                    same ? words(names.stream().map(features::get)) : new long[0]);
        };
    }

    private static long[] words(Stream<? extends @Nullable Number> values) {
        LongStream.Builder words = LongStream.builder();
        values.forEach(value -> {
            if (value == null) {
                words.add(0);
            } else if (value instanceof Double decimal) {
                words.add(1).add(0).add(Double.doubleToRawLongBits(decimal));
            } else if (value instanceof BigInteger wide) {
                words.add(1).add(wide.shiftRight(64).longValue()).add(wide.longValue());
            } else {
                words.add(1).add(value.longValue() >> 63).add(value.longValue());
            }
        });
        return words.build().toArray();
    }

    private static List<Object> group(FeatureView view, Map<String, Object> entities) {
        List<Object> group = new ArrayList<>();
        for (Entity.Field field : view.group()) {
            group.add(entities.getOrDefault(field.name(), ""));
        }
        return group;
    }
}
