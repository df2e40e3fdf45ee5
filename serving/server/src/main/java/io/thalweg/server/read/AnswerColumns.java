package io.thalweg.server.read;

import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.RowValues;
import io.thalweg.model.view.FeatureForm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an answer to a read as columns: one for each feature, of the narrowest type that has all its values. Keys are not
 * repeated: rows are in the order of the request.
 *
 * <p>No object is created for a value of {@link RowValues}.
 */
final class AnswerColumns {
    /** Stands for the bytes of a text that is missing. */
    private static final byte[] NOTHING = {};

    private static final long NO_DOUBLE = Double.doubleToRawLongBits(Double.NaN);

    private final List<ReadAnswer.Row> rows;
    /** The rows' values. */
    private final @Nullable List<@Nullable Object>[] values;

    /** The same if all are doubles, as in views with rings; otherwise null. */
    private final @Nullable DoubleValues @Nullable [] doubles;

    @SuppressWarnings({"unchecked", "rawtypes"}) // no arrays of generic types
    private AnswerColumns(List<ReadAnswer.Row> rows) {
        this.rows = rows;
        this.values = new @Nullable List[rows.size()];
        for (int row = 0; row < values.length; row++) {
            values[row] = rows.get(row).values();
        }
        this.doubles = doubles(values);
    }

    private static @Nullable DoubleValues @Nullable [] doubles(@Nullable List<@Nullable Object>[] values) {
        @Nullable DoubleValues[] doubles = new @Nullable DoubleValues[values.length];
        for (int row = 0; row < values.length; row++) {
            if (values[row] instanceof DoubleValues known) {
                doubles[row] = known;
            } else if (values[row] != null) {
                return null;
            }
        }
        return doubles;
    }

    /** Returns the columns that are not features. */
    static List<AnswerColumn> states(ReadAnswer answer) {
        List<ReadAnswer.Row> rows = answer.rows();
        int count = rows.size();
        return List.of(
                AnswerColumn.ofCells(
                        "status",
                        AnswerColumn.Type.U8,
                        count,
                        (out, row) -> out.put(GrpcMessages.number(rows.get(row).status()))),
                AnswerColumn.ofCells(
                        "finality",
                        AnswerColumn.Type.U8,
                        count,
                        (out, row) -> out.put(GrpcMessages.number(rows.get(row).finality()))),
                AnswerColumn.ofCells(
                        "window_end",
                        AnswerColumn.Type.I64,
                        count,
                        (out, row) -> out.putLong(orNone(rows.get(row).windowEndMs()))),
                AnswerColumn.ofCells(
                        "age_ms",
                        AnswerColumn.Type.I64,
                        count,
                        (out, row) -> out.putLong(orNone(rows.get(row).ageMs()))));
    }

    private static long orNone(OptionalLong ms) {
        return ms.orElse(ReadOutcome.NONE);
    }

    /** Returns the columns of the features, in their order. */
    static List<AnswerColumn> features(ReadAnswer answer) {
        AnswerColumns columns = new AnswerColumns(answer.rows());
        List<String> names = answer.features();
        return IntStream.range(0, names.size())
                .mapToObj(f -> {
                    Readers.requireWanted();
                    return columns.feature(names.get(f), f);
                })
                .toList();
    }

    private AnswerColumn feature(String name, int f) {
        return switch (type(f)) {
            case F64 -> AnswerColumn.of(name, AnswerColumn.Type.F64, values.length, out -> decimals(out, f));
            case I64 -> AnswerColumn.of(name, AnswerColumn.Type.I64, values.length, out -> wholes(out, f));
            case F64_LIST -> lists(name, f);
            default -> texts(name, f);
        };
    }

    /** Returns the type that has all values of a feature. */
    private AnswerColumn.Type type(int f) {
        if (doubles != null) {
            return AnswerColumn.Type.F64;
        }
        AnswerColumn.Type type = null;
        for (List<@Nullable Object> row : values) {
            AnswerColumn.Type each = row == null ? null : type(row, f);
            if (each != null && type != null && each != type) {
                return AnswerColumn.Type.TEXT;
            }
            type = each == null ? type : each;
        }
        return type == null ? AnswerColumn.Type.F64 : type;
    }

    private static AnswerColumn.@Nullable Type type(List<@Nullable Object> row, int f) {
        if (!(row instanceof RowValues known)) {
            return type(row.get(f));
        }
        if (known.isAbsent(f)) {
            return null;
        }
        return switch (known.form(f)) {
            case DOUBLE -> AnswerColumn.Type.F64;
            case INT64, INT128 -> isNumber(known, f) ? AnswerColumn.Type.I64 : AnswerColumn.Type.TEXT;
            case STRING -> AnswerColumn.Type.TEXT;
            case DOUBLE_LIST -> AnswerColumn.Type.F64_LIST;
        };
    }

    private static boolean isNumber(RowValues row, int f) {
        return !row.isWide(f) && row.bits(f) != ReadOutcome.NONE;
    }

    private static AnswerColumn.@Nullable Type type(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Double) {
            return AnswerColumn.Type.F64;
        }
        if (value instanceof List<?>) {
            return AnswerColumn.Type.F64_LIST;
        }
        return value instanceof Long number && number != ReadOutcome.NONE
                ? AnswerColumn.Type.I64
                : AnswerColumn.Type.TEXT;
    }

    private @Nullable Object value(int row, int f) {
        List<@Nullable Object> all = values[row];
        return all == null ? null : all.get(f);
    }

    private void decimals(ByteBuffer out, int f) {
        if (doubles != null) {
            for (DoubleValues row : doubles) {
                out.putLong(row == null ? NO_DOUBLE : row.bits(f));
            }
            return;
        }
        for (int row = 0; row < values.length; row++) {
            if (values[row] instanceof RowValues known) {
                out.putLong(known.isAbsent(f) ? NO_DOUBLE : known.bits(f));
            } else {
                out.putLong(value(row, f) instanceof Double decimal ? Double.doubleToRawLongBits(decimal) : NO_DOUBLE);
            }
        }
    }

    private void wholes(ByteBuffer out, int f) {
        for (int row = 0; row < values.length; row++) {
            if (values[row] instanceof RowValues known) {
                out.putLong(known.isAbsent(f) ? ReadOutcome.NONE : known.bits(f));
            } else {
                out.putLong(value(row, f) instanceof Long number ? number : ReadOutcome.NONE);
            }
        }
    }

    private AnswerColumn texts(String name, int f) {
        byte[][] texts = new byte[rows.size()][];
        int[] lengths = new int[rows.size()];
        for (int row = 0; row < texts.length; row++) {
            texts[row] = text(row, f);
            lengths[row] = texts[row] == NOTHING ? AnswerColumn.NONE : texts[row].length;
        }
        return AnswerColumn.ofLengths(name, AnswerColumn.Type.TEXT, lengths, out -> {
            for (byte[] text : texts) {
                out.put(text);
            }
        });
    }

    private byte[] text(int row, int f) {
        if (values[row] instanceof RowValues known && !known.isAbsent(f) && known.form(f) == FeatureForm.STRING) {
            return known.payload(f);
        }
        Object value = value(row, f);
        return value == null ? NOTHING : value.toString().getBytes(StandardCharsets.UTF_8);
    }

    private AnswerColumn lists(String name, int f) {
        int[] lengths = new int[rows.size()];
        for (int row = 0; row < lengths.length; row++) {
            lengths[row] = listLength(row, f);
        }
        return AnswerColumn.ofLengths(name, AnswerColumn.Type.F64_LIST, lengths, out -> {
            for (int row = 0; row < lengths.length; row++) {
                list(out, row, f);
            }
        });
    }

    private int listLength(int row, int f) {
        if (values[row] instanceof RowValues known) {
            return known.isAbsent(f) ? AnswerColumn.NONE : known.payload(f).length / Double.BYTES;
        }
        return value(row, f) instanceof List<?> list ? list.size() : AnswerColumn.NONE;
    }

    private void list(ByteBuffer out, int row, int f) {
        if (values[row] instanceof RowValues known) {
            if (!known.isAbsent(f)) {
                ByteBuffer elements = ByteBuffer.wrap(known.payload(f)).order(ByteOrder.BIG_ENDIAN);
                while (elements.hasRemaining()) {
                    out.putLong(elements.getLong());
                }
            }
        } else if (value(row, f) instanceof List<?> list) {
            list.forEach(element -> out.putDouble((Double) element));
        }
    }
}
