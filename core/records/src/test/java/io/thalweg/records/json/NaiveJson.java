package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The naive twin of the reader: parses a message to objects with Jackson, then looks up each column. It does not use
 * translations. For a message with several faults, it may report another fault than the reader.
 */
final class NaiveJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final Object NULL = new Object();

    /** A number, as written. */
    private record Num(String text) {}

    /** A member; an object is a list of them. */
    private record Member(String name, Object value) {}

    /** An object. */
    private record Obj(List<Member> members) {
        @Nullable
        Object get(String name) {
            Object found = null;
            for (Member member : members) {
                if (member.name.equals(name)) {
                    found = member.value;
                }
            }
            return found;
        }
    }

    private NaiveJson() {}

    /** A column: where its value is, and its type. */
    record Column(List<String> path, RandomType type) {}

    static Object row(RandomType root, List<Column> columns, byte[] message) {
        Obj document = parse(message);
        for (Column column : columns) {
            checkPath(root, document, column.path);
        }
        Map<Integer, @Nullable Object> row = new TreeMap<>();
        int slot = 0;
        for (Column column : columns) {
            row.put(slot, column(root, document, column.path, slot));
            slot += slots(column.type);
        }
        return row;
    }

    /** Returns whether Jackson accepts the message as one object. */
    static boolean isJson(byte[] message) {
        try {
            parse(message);
            return true;
        } catch (BadRecordException e) {
            return false;
        }
    }

    private static Obj parse(byte[] message) {
        try (JsonParser parser = FACTORY.createParser(message)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw BadRecordException.undecodable("not an object");
            }
            Obj object = (Obj) read(parser);
            if (parser.nextToken() != null) {
                throw BadRecordException.undecodable("trailing tokens");
            }
            return object;
        } catch (JsonProcessingException | CharConversionException e) {
            throw BadRecordException.undecodable(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object read(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                List<Member> members = new ArrayList<>();
                for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                    parser.nextToken();
                    members.add(new Member(paired(name), read(parser)));
                }
                return new Obj(members);
            }
            case START_ARRAY -> {
                List<Object> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(read(parser));
                }
                return elements;
            }
            case VALUE_STRING -> {
                return parser.getText();
            }
            case VALUE_TRUE, VALUE_FALSE -> {
                return parser.getBooleanValue();
            }
            case VALUE_NULL -> {
                return NULL;
            }
            default -> {
                return new Num(parser.getText());
            }
        }
    }

    /** Replaces surrogates without their other half with U+FFFD. */
    private static String paired(String text) {
        StringBuilder paired = new StringBuilder();
        text.codePoints().forEach(point -> paired.appendCodePoint(point >= 0xD800 && point <= 0xDFFF ? 0xFFFD : point));
        return paired.toString();
    }

    /** Checks the objects on the path to a column for missing and duplicate members. */
    private static void checkPath(RandomType type, Obj object, List<String> path) {
        checkMembers(type, object);
        Object value = object.get(path.get(0));
        if (path.size() > 1 && value != null && value != NULL) {
            RandomType.Member member = type.member(path.get(0));
            checkPath(member.type(), as(value, Obj.class), path.subList(1, path.size()));
        }
    }

    private static void checkMembers(RandomType type, Obj object) {
        Set<String> names = new HashSet<>();
        for (Member member : object.members) {
            if (type.members().containsKey(member.name) && !names.add(member.name)) {
                throw BadRecordException.undecodable("'" + member.name + "' is there twice");
            }
        }
        type.members().forEach((name, member) -> {
            Object value = object.get(name);
            if (member.isRequired() && (value == null || value == NULL)) {
                throw fault(RecordFault.MISSING_FIELD);
            }
        });
    }

    private static @Nullable Object column(RandomType type, Obj object, List<String> path, int slot) {
        RandomType.Member member = type.member(path.get(0));
        Object value = object.get(path.get(0));
        if (path.size() == 1) {
            return member(member, value, slot);
        }
        return value == null || value == NULL
                ? null
                : column(member.type(), as(value, Obj.class), path.subList(1, path.size()), slot);
    }

    private static @Nullable Object member(RandomType.Member member, @Nullable Object value, int slot) {
        return value == null ? member.fallback() : value == NULL ? null : convert(member.type(), value, slot);
    }

    static int slots(RandomType type) {
        return switch (type.kind()) {
            case OBJECT ->
                1
                        + type.members().values().stream()
                                .mapToInt(member -> slots(member.type()))
                                .sum();
            case ARRAY -> 1 + slots(type.part());
            case MAP -> 2 + slots(type.part());
            default -> 1;
        };
    }

    private static BadRecordException fault(RecordFault fault) {
        return new BadRecordException(fault, "naive");
    }

    private static <T> T as(Object value, Class<T> type) {
        if (!type.isInstance(value)) {
            throw fault(RecordFault.WRONG_TYPE);
        }
        if (value instanceof String text && !paired(text).equals(text)) {
            throw fault(RecordFault.INVALID_TEXT);
        }
        return type.cast(value);
    }

    private static Object convert(RandomType type, Object value, int slot) {
        return switch (type.kind()) {
            case BOOLEAN -> as(value, Boolean.class);
            case INT64 -> integer(value);
            case INT32, BOUNDED -> {
                long integer = integer(value);
                yield within(BigInteger.valueOf(integer), 31).longValue();
            }
            case SECONDS ->
                within(BigInteger.valueOf(integer(value)).multiply(BigInteger.valueOf(1_000_000)), 63)
                        .longValue();
            case MILLIS ->
                within(BigInteger.valueOf(integer(value)).multiply(BigInteger.valueOf(1_000)), 63)
                        .longValue();
            case DOUBLE -> real(value);
            case FLOAT -> {
                double wide = real(value);
                float narrow = Float.parseFloat(as(value, Num.class).text);
                if (Float.isInfinite(narrow) && !Double.isInfinite(wide)) {
                    throw fault(RecordFault.OUT_OF_RANGE);
                }
                yield (double) narrow;
            }
            case TEXT, SYMBOLS -> hex(as(value, String.class));
            case DATE -> parsed(as(value, String.class), LocalDate::parse).toEpochDay();
            case TIME ->
                parsed(as(value, String.class).replace("Z", ""), LocalTime::parse)
                                .toNanoOfDay()
                        / 1000;
            case TIMESTAMP -> timestamp(as(value, String.class));
            case UUID -> uuid(as(value, String.class));
            case BASE64 -> base64(as(value, String.class));
            case DECIMAL -> decimal(type, as(value, Num.class).text);
            case DECIMAL_TEXT -> decimal(type, as(value, String.class));
            case OBJECT -> object(type, as(value, Obj.class), slot);
            case ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (Object element : (List<?>) as(value, List.class)) {
                    elements.add(part(type, element, slot + 1));
                }
                yield elements;
            }
            case MAP -> map(type, as(value, Obj.class), slot);
        };
    }

    private static String uuid(String text) {
        if (text.length() != 36) {
            throw fault(RecordFault.WRONG_TYPE);
        }
        return text.replace("-", "");
    }

    private static String base64(String text) {
        try {
            return NaiveRows.hex(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw fault(RecordFault.WRONG_TYPE);
        }
    }

    private static long integer(Object value) {
        BigDecimal number = new BigDecimal(as(value, Num.class).text);
        if (number.signum() != 0 && number.precision() - number.scale() > 30) {
            throw fault(RecordFault.WRONG_TYPE);
        }
        try {
            return number.longValueExact();
        } catch (ArithmeticException e) {
            throw fault(RecordFault.WRONG_TYPE);
        }
    }

    private static BigInteger within(BigInteger value, int bits) {
        if (value.bitLength() > bits) {
            throw fault(RecordFault.OUT_OF_RANGE);
        }
        return value;
    }

    private static double real(Object value) {
        double number = Double.parseDouble(as(value, Num.class).text);
        if (Double.isInfinite(number)) {
            throw fault(RecordFault.WRONG_TYPE);
        }
        return number;
    }

    private static long timestamp(String text) {
        OffsetDateTime parsed = parsed(text, OffsetDateTime::parse);
        return parsed.toEpochSecond() * 1_000_000 + parsed.get(ChronoField.MICRO_OF_SECOND);
    }

    private static <T> T parsed(String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (DateTimeException e) {
            throw fault(RecordFault.WRONG_TYPE);
        }
    }

    private static String decimal(RandomType type, String text) {
        BigDecimal number;
        try {
            number = new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw fault(RecordFault.WRONG_TYPE);
        }
        if (number.signum() != 0 && number.precision() - number.scale() > 50) {
            throw fault(RecordFault.OUT_OF_RANGE);
        }
        try {
            BigDecimal scaled = number.setScale(type.scale(), RoundingMode.UNNECESSARY);
            if (scaled.precision() > type.precision()) {
                throw fault(RecordFault.OUT_OF_RANGE);
            }
            return NaiveRows.hex(scaled.unscaledValue().toByteArray());
        } catch (ArithmeticException e) {
            throw fault(RecordFault.OUT_OF_RANGE);
        }
    }

    private static Object object(RandomType type, Obj object, int slot) {
        checkMembers(type, object);
        Map<Integer, @Nullable Object> fields = new TreeMap<>();
        int next = slot + 1;
        for (Map.Entry<String, RandomType.Member> entry : type.members().entrySet()) {
            fields.put(next, member(entry.getValue(), object.get(entry.getKey()), next));
            next += slots(entry.getValue().type());
        }
        return fields;
    }

    private static Object map(RandomType type, Obj object, int slot) {
        List<@Nullable Object> entries = new ArrayList<>();
        for (Member member : object.members) {
            entries.add(hex(member.name));
            entries.add(part(type, member.value, slot + 2));
        }
        return entries;
    }

    private static @Nullable Object part(RandomType type, Object value, int slot) {
        if (value != NULL) {
            return convert(type.part(), value, slot);
        }
        if (!type.part().nullable()) {
            throw fault(RecordFault.MISSING_FIELD);
        }
        return null;
    }

    private static String hex(String text) {
        return NaiveRows.hex(text.getBytes(UTF_8));
    }
}
