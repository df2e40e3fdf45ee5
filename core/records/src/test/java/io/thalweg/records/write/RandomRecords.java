package io.thalweg.records.write;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Random records as {@link Tree}s, with values at the limits of their types. */
public final class RandomRecords {
    private static final String[] PIECES = {
        "a", "bc", "\"", "\\", "\n", "\u0001", "é", "日", "😀", "/", "0123456789abcdef"
    };

    private final Random random;
    private final int longest;

    RandomRecords(Random random) {
        this(random, 73);
    }

    /**
     * Creates a generator.
     *
     * @param longest maximum number of elements of a list or map; few have more than three
     */
    public RandomRecords(Random random, int longest) {
        this.random = random;
        this.longest = longest;
    }

    /** Returns a record of a schema. */
    public List<@Nullable Object> struct(Struct struct) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Field field : struct.fields()) {
            values.add(field.required() || random.nextInt(4) > 0 ? value(field.type()) : null);
        }
        return values;
    }

    private Object value(FieldType type) {
        if (type instanceof Struct struct) {
            return struct(struct);
        }
        if (type instanceof ListOf list) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = size(); i > 0; i--) {
                values.add(list.elementsRequired() || random.nextBoolean() ? value(list.element()) : null);
            }
            return values;
        }
        if (type instanceof MapOf map) {
            return entries(map);
        }
        if (type instanceof Bool) {
            return random.nextBoolean();
        }
        if (type instanceof Real real) {
            return real(real.bits() == 32);
        }
        return type instanceof Int || type instanceof Date || type instanceof Time || type instanceof Timestamp
                ? whole(type)
                : bytes(type);
    }

    /** Returns the size of a collection. Some sizes do not fit into one byte. */
    private int size() {
        return random.nextInt(12) == 0 ? random.nextInt(longest + 1) : random.nextInt(4);
    }

    private List<@Nullable Object> entries(MapOf map) {
        List<@Nullable Object> entries = new ArrayList<>();
        Set<Object> keys = new HashSet<>();
        for (int i = size(); i > 0; i--) {
            Object key = value(map.key());
            if (keys.add(key)) {
                List<@Nullable Object> entry = new ArrayList<>();
                entry.add(key);
                entry.add(map.valuesRequired() || random.nextBoolean() ? value(map.value()) : null);
                entries.add(entry);
            }
        }
        return entries;
    }

    private Object whole(FieldType type) {
        if (type instanceof Date) {
            return random.nextLong(-719_162, 2_932_897);
        }
        if (type instanceof Time) {
            return random.nextLong(86_400_000_000L);
        }
        if (type instanceof Timestamp) {
            return random.nextLong(-62_135_596_800_000_000L, 253_402_300_800_000_000L);
        }
        int bits = ((Int) type).bits();
        return switch (random.nextInt(4)) {
            case 0 -> -1L << (bits - 1);
            case 1 -> ~(-1L << (bits - 1));
            default -> random.nextLong() >> (64 - bits + random.nextInt(bits));
        };
    }

    private Object real(boolean narrow) {
        double value = switch (random.nextInt(4)) {
            case 0 -> random.nextInt(1000) / 100.0;
            case 1 -> random.nextLong();
            case 2 -> random.nextBoolean() ? -0.0 : 1e-7 * random.nextInt(100);
            default -> random.nextGaussian() * 1e30;
        };
        return narrow ? (double) (float) value : value;
    }

    private Object bytes(FieldType type) {
        if (type instanceof Symbols symbols) {
            return utf8(symbols.names().get(random.nextInt(symbols.names().size())));
        }
        if (type instanceof Text) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(12) == 0 ? 100 : random.nextInt(5); i > 0; i--) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            return utf8(text.toString());
        }
        if (type instanceof Decimal decimal) {
            int digits = random.nextInt(decimal.precision() + 1);
            BigInteger unscaled = new BigInteger(digits * 3, random);
            return ByteBuffer.wrap((random.nextBoolean() ? unscaled : unscaled.negate()).toByteArray());
        }
        byte[] bytes = new byte[type instanceof Uuid ? 16 : random.nextInt(40)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
