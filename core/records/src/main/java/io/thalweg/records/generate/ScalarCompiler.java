package io.thalweg.records.generate;

import io.thalweg.records.MessageRules;
import io.thalweg.records.generate.ScalarSources.AllWholes;
import io.thalweg.records.generate.ScalarSources.Bools;
import io.thalweg.records.generate.ScalarSources.Decimals;
import io.thalweg.records.generate.ScalarSources.ListedBools;
import io.thalweg.records.generate.ScalarSources.ListedBytes;
import io.thalweg.records.generate.ScalarSources.ListedReals;
import io.thalweg.records.generate.ScalarSources.ListedWholes;
import io.thalweg.records.generate.ScalarSources.Now;
import io.thalweg.records.generate.ScalarSources.Reals;
import io.thalweg.records.generate.ScalarSources.SpreadReals;
import io.thalweg.records.generate.ScalarSources.Wholes;
import io.thalweg.records.generate.ScalarSources.WideDecimals;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** Creates the sources of the values of scalar fields. */
final class ScalarCompiler {
    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final long SMALL_INTS = 1_000_000;
    private static final long LARGE_INTS = 1_000_000_000_000L;
    private static final long FIRST_DAY = 10_957; // 2000-01-01
    private static final long LAST_DAY = 21_914; // 2029-12-31
    private static final long FIRST_SECOND = 1_577_836_800; // 2020-01-01
    private static final long SECONDS = 315_619_200; // ten years
    private static final Between FEW_BYTES = new Between(0, 32);
    /** Up to this magnitude, numbers are drawn with six digits after the point, floats with two. */
    private static final double FINE_RANGE = 1e9;

    private final long seed;
    private final boolean bytesAreFree;
    private final MessageRules rules;

    /**
     * Creates a compiler.
     *
     * @param bytesAreFree whether bytes have free lengths, because no text can fill the message to its size
     */
    ScalarCompiler(long seed, boolean bytesAreFree, MessageRules rules) {
        this.seed = seed;
        this.bytesAreFree = bytesAreFree;
        this.rules = rules;
    }

    /** Returns whether a text with these options may have any length. */
    static boolean isFree(FieldOptions options) {
        return options.distinct() == 0 && options.values().isEmpty() && options.length() == null;
    }

    ValueSource compile(Scalar type, String path, FieldOptions options) {
        check(type, path, options);
        if (type instanceof Bool) {
            return bools(path, options);
        }
        if (type instanceof Int || type instanceof Date || type instanceof Time || type instanceof Timestamp) {
            return wholes(type, path, options);
        }
        if (type instanceof Real real) {
            return reals(real, path, options);
        }
        if (!options.values().isEmpty()) {
            return listed(options.values(), options, text -> Literals.bytes(path, type, text));
        }
        if (type instanceof Symbols symbols) {
            return symbols(symbols, path, options);
        }
        return type instanceof Decimal decimal ? decimals(decimal, path, options) : blobs(type, path, options);
    }

    private static void check(Scalar type, String path, FieldOptions options) {
        boolean ordered = type instanceof Int
                || type instanceof Real
                || type instanceof Decimal
                || type instanceof Date
                || type instanceof Time
                || type instanceof Timestamp;
        boolean timed = (type instanceof Int integer && integer.bits() == 64)
                || type instanceof Date
                || type instanceof Time
                || type instanceof Timestamp;
        refuse(options.range() != null && !ordered, path, type, "range", "numbers and times");
        refuse(options.now() && !timed, path, type, "now", "times and integers of 64 bits (milliseconds)");
        refuse(
                options.length() != null && !(type instanceof Text || type instanceof Bytes),
                path,
                type,
                "length",
                "text and bytes");
        refuse(options.distinct() > 0 && type instanceof Bool, path, type, "distinct", "types of more than two values");
    }

    private static void refuse(boolean wrong, String path, Scalar type, String option, String where) {
        if (wrong) {
            throw new SchemaException("option '%s' of '%s' is for %s only, but the field is %s; remove it"
                    .formatted(option, path, where, type));
        }
    }

    private static ValueSource bools(String path, FieldOptions options) {
        if (options.values().isEmpty()) {
            return new Bools();
        }
        boolean[] values = new boolean[options.values().size()];
        for (int i = 0; i < values.length; i++) {
            String text = options.values().get(i);
            if (!text.equals("true") && !text.equals("false")) {
                throw new SchemaException("'" + text + "' is not a value of '" + path + "', which is true or false");
            }
            values[i] = text.equals("true");
        }
        return new ListedBools(values, Ranks.of(values.length, options.zipf()));
    }

    private ValueSource wholes(Scalar type, String path, FieldOptions options) {
        if (options.now()) {
            return now(type);
        }
        if (!options.values().isEmpty()) {
            long[] values = options.values().stream()
                    .mapToLong(text -> Literals.whole(path, type, text))
                    .toArray();
            return new ListedWholes(values, Ranks.of(values.length, options.zipf()));
        }
        FieldOptions.Range range = options.range();
        if (range == null) {
            return type instanceof Int integer ? ints(integer, path, options) : times(type, options);
        }
        long first = Literals.whole(path, type, range.min());
        long last = Literals.whole(path, type, range.max());
        long count = last - first + 1;
        if (last < first || (count <= 0 && options.distinct() > 0)) {
            throw new SchemaException("the range of '%s' must go up and span less than 2^63, was %s..%s"
                    .formatted(path, range.min(), range.max()));
        }
        return count <= 0 ? new AllWholes() : spread(path, options, first, count, 1);
    }

    private static ValueSource now(Scalar type) {
        if (type instanceof Int) {
            return new Now(1_000, 0);
        }
        if (type instanceof Date) {
            return new Now(MICROS_PER_DAY, 0);
        }
        return new Now(1, type instanceof Time ? MICROS_PER_DAY : 0);
    }

    private ValueSource ints(Int type, String path, FieldOptions options) {
        if (options.distinct() > 0) {
            long most =
                    type.bits() == 64 ? -1L >>> (Long.SIZE - Math.min(63, rules.bits(path))) : 1L << (type.bits() - 1);
            return spread(path, options, 0, Math.min(most, options.distinct()), 1);
        }
        long half = 1L << (type.bits() - 1);
        return switch (type.bits()) {
            case 8, 16 -> spread(path, options, -half, 2 * half, 1);
            case 32 -> spread(path, options, 0, SMALL_INTS, 1);
            default -> spread(path, options, 0, rules.bits(path) == 32 ? SMALL_INTS : LARGE_INTS, 1);
        };
    }

    /** Creates a source of times in milliseconds, because some formats are not more precise. */
    private static ValueSource times(Scalar type, FieldOptions options) {
        if (type instanceof Date) {
            return spread("", options, FIRST_DAY, LAST_DAY - FIRST_DAY + 1, 1);
        }
        return type instanceof Time
                ? spread("", options, 0, MICROS_PER_DAY / 1_000, 1_000)
                : spread("", options, FIRST_SECOND * 1_000_000, SECONDS * 1_000, 1_000);
    }

    /** Creates a source of numbers {@code first + unit * k}, for k below {@code count}, of which {@code distinct} are evenly spread. */
    private static ValueSource spread(String path, FieldOptions options, long first, long count, long unit) {
        long distinct = options.distinct() > 0 ? options.distinct() : count;
        if (distinct > count) {
            throw new SchemaException("'%s' must have at most %d distinct values, because its range has no more, was %d"
                    .formatted(path, count, distinct));
        }
        return new Wholes(Ranks.of(distinct, options.zipf()), first, unit * (count / distinct));
    }

    private static ValueSource reals(Real type, String path, FieldOptions options) {
        boolean narrow = type.bits() == 32;
        if (!options.values().isEmpty()) {
            double[] values = options.values().stream()
                    .mapToDouble(text -> Literals.real(path, type, text))
                    .toArray();
            return new ListedReals(values, Ranks.of(values.length, options.zipf()));
        }
        FieldOptions.Range range = options.range() != null ? options.range() : new FieldOptions.Range("0", "1000");
        double first = Literals.real(path, type, range.min());
        double last = Literals.real(path, type, range.max());
        if (last < first) {
            throw new SchemaException("the range of '%s' must go up, was %s..%s".formatted(path, first, last));
        }
        if (options.distinct() > 0) {
            Ranks ranks = Ranks.of(options.distinct(), options.zipf());
            double step = options.range() == null ? 1 : (last - first) / Math.max(1, options.distinct() - 1);
            return new SpreadReals(ranks, first, step, narrow);
        }
        if (Math.max(Math.abs(first), Math.abs(last)) > FINE_RANGE) {
            return new SpreadReals(Ranks.of(1L << 53, 0), first, last * 0x1p-53 - first * 0x1p-53, narrow);
        }
        double digits = narrow ? 1e2 : 1e6;
        double low = Math.rint(first * digits);
        return new Reals(Ranks.of((long) (Math.rint(last * digits) - low) + 1, options.zipf()), low, digits, narrow);
    }

    private static ValueSource symbols(Symbols type, String path, FieldOptions options) {
        List<String> names = type.names();
        if (names.isEmpty()) {
            throw new SchemaException("the schema lists no names for '" + path + "'; set the option 'values'");
        }
        long distinct = options.distinct() > 0 ? options.distinct() : names.size();
        if (distinct > names.size()) {
            throw new SchemaException("'%s' must have at most %d distinct values, because it has no more names, was %d"
                    .formatted(path, names.size(), distinct));
        }
        return listed(names.subList(0, (int) distinct), options, name -> name.getBytes(StandardCharsets.UTF_8));
    }

    private static ValueSource listed(List<String> texts, FieldOptions options, Function<String, byte[]> bytes) {
        byte[][] values = texts.stream().map(bytes).toArray(byte[][]::new);
        return new ListedBytes(values, Ranks.of(values.length, options.zipf()));
    }

    private static ValueSource decimals(Decimal type, String path, FieldOptions options) {
        if (options.range() == null && options.distinct() == 0 && type.precision() >= 20) {
            return new WideDecimals(
                    BigInteger.TEN.pow(type.precision()).shiftRight(64).longValueExact());
        }
        long bound = BigInteger.TEN.pow(Math.min(18, type.precision())).longValueExact();
        FieldOptions.Range range = options.range();
        long first =
                range == null ? (options.distinct() > 0 ? 0 : 1 - bound) : Literals.unscaled(path, type, range.min());
        long last = range == null ? bound - 1 : Literals.unscaled(path, type, range.max());
        long distinct = options.distinct() > 0 ? options.distinct() : last - first + 1;
        if (last < first || distinct > last - first + 1) {
            throw new SchemaException(
                    "the range of '%s' must go up and hold %d distinct values".formatted(path, distinct));
        }
        return new Decimals(Ranks.of(distinct, options.zipf()), first);
    }

    private ValueSource blobs(Scalar type, String path, FieldOptions options) {
        if (options.distinct() > 0) {
            Ranks ranks = Ranks.of(options.distinct(), options.zipf());
            long salt = SplitMix.hash(seed, path.hashCode());
            return type instanceof Text
                    ? new TextSources.RankedTexts(ranks, salt)
                    : new TextSources.RankedBytes(ranks, salt, type instanceof Uuid);
        }
        if (type instanceof Uuid) {
            return new TextSources.Uuids();
        }
        Between length = options.length();
        if (length != null) {
            return new TextSources.Sized(length, type instanceof Text);
        }
        return type instanceof Text || bytesAreFree ? new TextSources.Free() : new TextSources.Sized(FEW_BYTES, false);
    }
}
