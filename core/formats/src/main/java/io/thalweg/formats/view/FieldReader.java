package io.thalweg.formats.view;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.CompiledCondition;
import io.thalweg.formats.Decimals;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.Scalars;
import io.thalweg.formats.TextForm;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.view.ValueType;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Reads fields of declared types, and records why the first unreadable field makes its event bad.
 *
 * <p><b>Threads.</b> One.
 */
public final class FieldReader {
    private static final double MAX_EXACT = 0x1p53;
    private static final int MAX_TOKEN = 100;
    private static final String UNICODE = "be valid Unicode text";

    private @Nullable BadReason reason;
    private String detail = "";

    /** A field of a declared type and its column. */
    public record Column(String field, int column, TextForm text, ValueType type) {
        static Column of(FieldPath path, ValueType type, Projection projection) {
            int column = projection.column(path);
            return new Column(path.text(), column, projection.textForm(column), type);
        }
    }

    /** Clears the problem of the last event. */
    public void begin() {
        reason = null;
    }

    /** The reason why the event is bad or late; null if it is neither. */
    @Nullable
    public BadReason reason() {
        return reason;
    }

    /** Names the field, the rule and the value. Only meaningful with a {@link #reason()}. */
    public String detail() {
        return detail;
    }

    public void late(String why) {
        reason = BadReason.LATE;
        detail = why;
    }

    /** Whether a condition can be judged. */
    public boolean isFit(CompiledCondition condition, EventColumns events, int e) {
        BadReason unfit = condition.unfit(events, e);
        if (unfit == null) {
            return true;
        }
        String rule = switch (unfit) {
            case WRONG_TYPE -> condition.rule(events, e);
            case INVALID_TEXT -> UNICODE;
            default -> "be there";
        };
        return bad(unfit, "where: '", condition.field(), rule, events.shown(e, condition.column()));
    }

    /** Whether a field is present and of its type. */
    public boolean isFit(Column column, EventColumns events, int e) {
        return isPresent(events, e, column.column(), column.field()) && isOfType(events, e, column);
    }

    /** Whether a field is there, and is valid Unicode if it is text. */
    public boolean isPresent(EventColumns events, int e, int c, String field) {
        if (events.kind(e, c).isAbsent()) {
            return bad(BadReason.MISSING_FIELD, "'", field, "be there", events.shown(e, c));
        }
        return isUnicode(events, e, c, field);
    }

    /** Whether a field is not text that is invalid. */
    public boolean isUnicode(EventColumns events, int e, int c, String field) {
        return events.kind(e, c) != FieldKind.INVALID_TEXT
                || bad(BadReason.INVALID_TEXT, "'", field, UNICODE, events.shown(e, c));
    }

    private boolean isOfType(EventColumns events, int e, Column column) {
        int c = column.column();
        FieldKind kind = events.kind(e, c);
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        boolean text = kind == FieldKind.STRING;
        boolean isWhole = column.type() == ValueType.INT64 && isWhole(events, e, c);
        boolean fits = switch (column.type()) {
            case STRING -> text;
            case UUID -> text && Scalars.isUuid(bytes, offset, length);
            case INT64 -> kind == FieldKind.INTEGER || (isWhole && column.text().mayBeNumber());
            case BOOL ->
                kind == FieldKind.BOOL
                        || (text
                                && column.text().mayBeBoolean()
                                && (Scalars.isText(bytes, offset, length, "true")
                                        || Scalars.isText(bytes, offset, length, "false")));
        };
        return fits
                || bad(
                        BadReason.WRONG_TYPE,
                        "'",
                        column.field(),
                        "be of type " + column.type().text() + range(column.type(), events, e, c)
                                + column.text().remedy(isWhole),
                        events.shown(e, c));
    }

    /** Describes the range and the remedy for a whole number that does not fit int64. */
    private static String range(ValueType type, EventColumns events, int e, int c) {
        boolean isWhole = type == ValueType.INT64
                && events.kind(e, c) == FieldKind.DOUBLE
                && Math.abs(events.number(e, c)) >= 0x1p63;
        return isWhole
                ? ", whose range is -2^63 to 2^63-1; use type: double, or write it as text and use type: string"
                : "";
    }

    /**
     * Whether text or a number with a fraction or an exponent is an integer: digits, or a whole number that doubles represent
     * exactly, such as {@code 17.0}. pandas and others write nullable integers so.
     */
    private static boolean isWhole(EventColumns events, int e, int c) {
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        double value;
        if (events.kind(e, c) == FieldKind.DOUBLE) {
            value = events.number(e, c);
        } else if (events.kind(e, c) == FieldKind.STRING && Decimals.isNumber(bytes, offset, length)) {
            if (Decimals.isLong(bytes, offset, length)) {
                return true;
            }
            value = Decimals.parseDouble(bytes, offset, length);
        } else {
            return false;
        }
        if (!(Math.abs(value) <= MAX_EXACT) || value != Math.rint(value)) {
            return false;
        }
        // The double may be whole because it is rounded; longer tokens take too long to check.
        return length == 0
                || (length <= MAX_TOKEN
                        && new BigDecimal(events.string(e, c)).compareTo(BigDecimal.valueOf((long) value)) == 0);
    }

    /** Returns the value of a field that {@link #isFit} accepts as {@code int64}. */
    public static long integer(EventColumns events, int e, int c) {
        if (events.kind(e, c) == FieldKind.INTEGER) {
            return events.integer(e, c);
        }
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        if (events.kind(e, c) == FieldKind.STRING && Decimals.isLong(bytes, offset, length)) {
            return Decimals.parseLong(bytes, offset, length);
        }
        return (long)
                (events.kind(e, c) == FieldKind.DOUBLE
                        ? events.number(e, c)
                        : Decimals.parseDouble(bytes, offset, length));
    }

    public static boolean bool(EventColumns events, int e, int c) {
        return events.kind(e, c) == FieldKind.BOOL
                ? events.bool(e, c)
                : Scalars.isText(events.bytes(), events.offset(e, c), events.length(e, c), "true");
    }

    /**
     * Returns the number in a column, which may not be finite; NaN with a {@link #reason()} if the column contains
     * none.
     */
    public double number(EventColumns events, int e, int c, TextForm text, String field) {
        FieldKind kind = events.kind(e, c);
        if (!isPresent(events, e, c, field)) {
            return Double.NaN;
        }
        if (kind == FieldKind.INTEGER || kind == FieldKind.DOUBLE) {
            return events.number(e, c);
        }
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        boolean isText = kind == FieldKind.STRING;
        boolean isNumber = isText && Decimals.isNumber(bytes, offset, length);
        if (text.mayBeNumber() && (isNumber || (isText && Decimals.isNonFinite(bytes, offset, length)))) {
            return Decimals.parseDouble(bytes, offset, length);
        }
        bad(BadReason.WRONG_TYPE, "'", field, "be a number" + text.remedy(isNumber), events.shown(e, c));
        return Double.NaN;
    }

    /** Records why the event is bad; always returns false. */
    public boolean bad(BadReason why, String what) {
        reason = why;
        detail = what;
        return false;
    }

    /** Records why the event is bad; always returns false. */
    public boolean bad(BadReason why, String before, String field, String rule, String was) {
        return bad(why, before + field + "' must " + rule + ", was " + was);
    }
}
