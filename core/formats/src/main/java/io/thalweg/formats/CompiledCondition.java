package io.thalweg.formats;

import io.thalweg.model.field.Condition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code where}, bound to its column. Evaluated in two steps: whether the field can be judged, then whether it
 * matches.
 */
public final class CompiledCondition {
    private final Condition condition;
    private final int column;
    private final TextForm text;
    private final byte[][] texts;
    private final List<Number> numbers = new ArrayList<>();
    private final boolean allowsNull;
    private boolean wantsTrue;
    private boolean wantsFalse;

    public CompiledCondition(Condition condition, Projection projection) {
        this.condition = condition;
        column = projection.column(condition.field());
        text = projection.textForm(column);
        // Not List.contains(null): an immutable list throws for null.
        allowsNull = condition instanceof Condition.Exists
                || values(condition).stream().anyMatch(Objects::isNull);
        List<byte[]> utf8 = new ArrayList<>();
        for (Object value : values(condition)) {
            if (value instanceof String string) {
                utf8.add(string.getBytes(StandardCharsets.UTF_8));
            } else if (value instanceof Number number) {
                numbers.add(number);
            } else if (value instanceof Boolean bool) {
                wantsTrue |= bool;
                wantsFalse |= !bool;
            }
        }
        texts = utf8.toArray(new byte[0][]);
    }

    public String field() {
        return condition.field().text();
    }

    public int column() {
        return column;
    }

    /** Returns why the event is bad before any matching; null if the field can be judged. */
    @Nullable
    public BadReason unfit(EventColumns events, int e) {
        FieldKind kind = events.kind(e, column);
        if (kind.isAbsent()) {
            return allowsNull ? null : BadReason.MISSING_FIELD;
        }
        if (kind == FieldKind.INVALID_TEXT && !(condition instanceof Condition.Exists)) {
            return BadReason.INVALID_TEXT;
        }
        return isComparable(events, e, kind) ? null : BadReason.WRONG_TYPE;
    }

    private boolean isComparable(EventColumns events, int e, FieldKind kind) {
        if (condition instanceof Condition.Range) {
            return isNumber(events, e, kind);
        }
        return condition instanceof Condition.Exists || kind.isScalar();
    }

    /** Returns the rule that a present field must meet so that the condition can be judged. */
    public String rule(EventColumns events, int e) {
        return condition instanceof Condition.Range
                ? "be a number" + text.remedy(events.kind(e, column) == FieldKind.STRING && isNumberText(events, e))
                : "be text, a number, true or false";
    }

    /** Whether a field that is fit to be judged keeps the event. */
    public boolean matches(EventColumns events, int e) {
        FieldKind kind = events.kind(e, column);
        if (condition instanceof Condition.Exists exists) {
            return exists.exists() != kind.isAbsent();
        }
        if (condition instanceof Condition.Range range) {
            return inRange(range, events, e, kind);
        }
        boolean listed = kind.isAbsent() ? allowsNull : isListed(events, e, kind);
        return listed == condition instanceof Condition.In;
    }

    private boolean isListed(EventColumns events, int e, FieldKind kind) {
        return switch (kind) {
            case STRING -> isTextListed(events, e);
            case INTEGER, DOUBLE -> isNumberListed(events, e, kind);
            case BOOL -> events.bool(e, column) ? wantsTrue : wantsFalse;
            default -> false;
        };
    }

    private boolean isTextListed(EventColumns events, int e) {
        byte[] bytes = events.bytes();
        int from = events.offset(e, column);
        int length = events.length(e, column);
        for (byte[] listed : texts) {
            if (listed.length == length && Arrays.equals(listed, 0, length, bytes, from, from + length)) {
                return true;
            }
        }
        if (text.mayBeBoolean()
                && ((wantsTrue && Scalars.isText(bytes, from, length, "true"))
                        || (wantsFalse && Scalars.isText(bytes, from, length, "false")))) {
            return true;
        }
        return !numbers.isEmpty()
                && isNumber(events, e, FieldKind.STRING)
                && isNumberListed(events, e, FieldKind.STRING);
    }

    private boolean isNumberListed(EventColumns events, int e, FieldKind kind) {
        for (int i = 0; i < numbers.size(); i++) {
            if (compare(events, e, kind, numbers.get(i)) == 0) {
                return true;
            }
        }
        return false;
    }

    private boolean isNumber(EventColumns events, int e, FieldKind kind) {
        return kind == FieldKind.INTEGER
                || kind == FieldKind.DOUBLE
                || (kind == FieldKind.STRING && text.mayBeNumber() && isNumberText(events, e));
    }

    private boolean isNumberText(EventColumns events, int e) {
        return Decimals.isNumber(events.bytes(), events.offset(e, column), events.length(e, column));
    }

    private boolean inRange(Condition.Range range, EventColumns events, int e, FieldKind kind) {
        Number gt = range.gt();
        Number gte = range.gte();
        Number lt = range.lt();
        Number lte = range.lte();
        return (gt == null || compare(events, e, kind, gt) > 0)
                && (gte == null || compare(events, e, kind, gte) >= 0)
                && (lt == null || compare(events, e, kind, lt) < 0)
                && (lte == null || compare(events, e, kind, lte) <= 0);
    }

    /** Compares the field's number with {@code other} by their exact values. */
    private int compare(EventColumns events, int e, FieldKind kind, Number other) {
        byte[] bytes = events.bytes();
        int from = events.offset(e, column);
        int length = events.length(e, column);
        boolean integral =
                kind == FieldKind.INTEGER || (kind == FieldKind.STRING && Decimals.isLong(bytes, from, length));
        if (integral) {
            long integer =
                    kind == FieldKind.INTEGER ? events.integer(e, column) : Decimals.parseLong(bytes, from, length);
            return other instanceof Long whole
                    ? Long.compare(integer, whole)
                    : Decimals.compare(integer, other.doubleValue());
        }
        double number = kind == FieldKind.STRING ? Decimals.parseDouble(bytes, from, length) : events.number(e, column);
        return other instanceof Long whole
                ? -Decimals.compare(whole, number)
                : Double.compare(number + 0.0, other.doubleValue() + 0.0);
    }

    private static List<@Nullable Object> values(Condition condition) {
        if (condition instanceof Condition.In in) {
            return in.values();
        }
        return condition instanceof Condition.NotIn not ? not.values() : List.of();
    }
}
