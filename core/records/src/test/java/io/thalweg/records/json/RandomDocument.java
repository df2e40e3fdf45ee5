package io.thalweg.records.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/** Random JSON texts of a type, in all notations. */
final class RandomDocument {
    private static final int[] POINTS = {
        'a', 'Z', '0', ' ', '"', '\\', '/', '\n', '\t', 1, 0x7F, 0xE9, 0x20AC, 0x65E5, 0x1F600, 0x10FFFF, 0xFFFD, 0
    };
    private static final String[] JUNK = {
        "null",
        "true",
        "-1.5e-3",
        "\"\\ud800\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":[]}],\"]\"]",
        "{\"id\":{\"id\":[{}]}}",
        "1e999"
    };

    private final Random random;
    /** The average number of values of another type, nulls and missing members, per thousand values. */
    private final int faults;

    /** The maximum number of faults in the documents so far. */
    int faulty;

    RandomDocument(Random random, int faults) {
        this.random = random;
        this.faults = faults;
    }

    /** Returns a string with as few escapes as possible. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(point -> {
            if (point < 0x20) {
                quoted.append("\\u%04x".formatted(point));
            } else {
                quoted.append(point == '"' || point == '\\' ? "\\" : "").appendCodePoint(point);
            }
        });
        return quoted.append('"').toString();
    }

    String document(RandomType root) {
        return space() + object(root) + space();
    }

    private String space() {
        StringBuilder space = new StringBuilder();
        while (random.nextInt(5) == 0) {
            space.append(" \t\n\r".charAt(random.nextInt(4)));
        }
        return space.toString();
    }

    private boolean isFault() {
        boolean isFault = random.nextInt(1000) < faults;
        faulty += isFault ? 1 : 0;
        return isFault;
    }

    private String value(RandomType type) {
        if ((type.nullable() && random.nextInt(4) == 0) || isFault()) {
            return "null";
        }
        if (isFault()) {
            String junk = JUNK[random.nextInt(JUNK.length)];
            // An object may lack several members.
            faulty += junk.startsWith("{") ? 1 : 0;
            return junk;
        }
        return switch (type.kind()) {
            case BOOLEAN -> String.valueOf(random.nextBoolean());
            case INT64 -> integer(random.nextLong() >> random.nextInt(64));
            case INT32, BOUNDED -> integer(isFault() ? random.nextLong() : random.nextInt() >> random.nextInt(32));
            case SECONDS -> integer(random.nextLong() >> (isFault() ? 1 : 22));
            case MILLIS -> integer(random.nextLong() >> 12);
            case DOUBLE -> real();
            case FLOAT -> narrow(random.nextFloat() * random.nextInt());
            case TEXT -> string(text());
            case SYMBOLS -> string(random.nextBoolean() ? "A" : "new");
            case DATE ->
                string(LocalDate.ofEpochDay(random.nextInt(3_000_000) - 700_000).toString());
            case TIME -> string(time(LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L))) + "Z");
            case TIMESTAMP -> string(timestamp());
            case UUID -> string(new UUID(random.nextLong(), random.nextLong()).toString());
            case BASE64 -> string(base64());
            case DECIMAL -> decimal(type);
            case DECIMAL_TEXT -> string(decimal(type));
            case OBJECT -> object(type);
            case ARRAY -> array(type);
            case MAP -> map(type);
        };
    }

    private String integer(long value) {
        return switch (random.nextInt(6)) {
            case 0 -> value + ".000";
            case 1 -> new BigDecimal(value).movePointLeft(2).toPlainString() + "E+2";
            case 2 -> value + (value == 0 ? "e-2" : "00e-2");
            case 3 -> new BigDecimal(value).stripTrailingZeros().toString();
            default -> String.valueOf(value);
        };
    }

    private String narrow(float value) {
        String text = Float.toString(value);
        return text.contains("E") ? text : text + (random.nextBoolean() ? "1" : "e1");
    }

    private String real() {
        return switch (random.nextInt(4)) {
            case 0 -> String.valueOf(random.nextInt());
            case 1 -> new BigDecimal(new BigInteger(200, random), random.nextInt(100)).toString();
            case 2 -> String.valueOf(random.nextDouble() * 180 - 90);
            default -> (random.nextInt(1000) - 500) + "." + random.nextInt(1000) + "e" + (random.nextInt(600) - 300);
        };
    }

    private String decimal(RandomType type) {
        BigInteger unscaled = new BigInteger(130, random).mod(BigInteger.TEN.pow(1 + random.nextInt(type.precision())));
        BigDecimal value = new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
        if (isFault()) {
            return value.multiply(new BigDecimal("1234.001")).toString();
        }
        return switch (random.nextInt(4)) {
            case 0 -> value.stripTrailingZeros().toString();
            case 1 -> value.toString() + (type.scale() == 0 || value.toString().contains("E") ? "" : "00");
            case 2 -> value.unscaledValue() + "e-" + type.scale();
            default -> value.toPlainString();
        };
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(random.nextInt(8) == 0 ? 100 : 12);
        boolean plain = random.nextBoolean();
        while (text.length() < length) {
            text.appendCodePoint(plain ? 'a' + random.nextInt(26) : POINTS[random.nextInt(POINTS.length)]);
        }
        return text.toString();
    }

    /** Like {@link #name}, but halves of surrogate pairs may follow, which Jackson refuses in names. */
    private String string(String text) {
        String string = name(text);
        return isFault() ? string.substring(0, string.length() - 1) + "\\ude00\\ude01\\ud83d\"" : string;
    }

    /** Returns a string in which any character may be escaped. */
    private String name(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        boolean plain = random.nextInt(3) > 0;
        text.codePoints().forEach(point -> {
            String needed = quoted(Character.toString(point));
            if (plain || random.nextInt(3) > 0) {
                quoted.append(needed, 1, needed.length() - 1);
            } else if (point == '/' || point == '\n') {
                quoted.append(point == '/' ? "\\/" : "\\n");
            } else {
                Character.toString(point)
                        .chars()
                        .forEach(unit -> quoted.append((random.nextBoolean() ? "\\u%04x" : "\\u%04X").formatted(unit)));
            }
        });
        return quoted.append('"').toString();
    }

    private String time(LocalTime time) {
        String text = time.truncatedTo(ChronoUnit.SECONDS).toString();
        String whole = text.length() == 5 ? text + ":00" : text;
        String fraction = "%09d".formatted(time.get(ChronoField.NANO_OF_SECOND)).substring(0, 1 + random.nextInt(9));
        return random.nextBoolean() ? whole : whole + "." + fraction;
    }

    private String timestamp() {
        Instant instant = Instant.ofEpochSecond(
                random.nextLong(-60_000_000_000L, 250_000_000_000L), random.nextInt(1_000_000_000));
        ZoneOffset offset =
                random.nextBoolean() ? ZoneOffset.UTC : ZoneOffset.ofTotalSeconds(60 * (random.nextInt(2000) - 1000));
        OffsetDateTime local = instant.atOffset(offset);
        return local.toLocalDate() + "T" + time(local.toLocalTime()) + offset;
    }

    private String base64() {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private String array(RandomType type) {
        List<String> elements = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            elements.add(space() + value(type.part()) + space());
        }
        return "[" + (elements.isEmpty() ? space() : String.join(",", elements)) + "]";
    }

    private String map(RandomType type) {
        Set<String> keys = new LinkedHashSet<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            keys.add(text());
        }
        return members(keys.stream()
                .map(key -> name(key) + space() + ":" + space() + value(type.part()))
                .toList());
    }

    private String object(RandomType type) {
        List<String> members = new ArrayList<>();
        type.members().forEach((name, member) -> {
            boolean isOptional = !member.isRequired();
            if ((isOptional && random.nextInt(4) == 0) || isFault()) {
                return;
            }
            String value = isOptional && random.nextInt(8) == 0 ? "null" : value(member.type());
            members.add(name(name) + space() + ":" + space() + value);
        });
        if (random.nextInt(3) == 0) {
            members.add("\"unknown\":" + JUNK[random.nextInt(JUNK.length)]);
        }
        if (!members.isEmpty() && isFault()) {
            members.add(members.get(0));
        }
        if (random.nextBoolean()) {
            Collections.shuffle(members, random);
        }
        return members(members);
    }

    private String members(List<String> members) {
        List<String> spaced =
                members.stream().map(member -> space() + member + space()).toList();
        return "{" + (spaced.isEmpty() ? space() : String.join(",", spaced)) + "}";
    }

    byte[] bytes(RandomType root) {
        return document(root).getBytes(StandardCharsets.UTF_8);
    }
}
