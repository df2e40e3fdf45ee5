package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;
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
import io.thalweg.records.schema.FieldType.Uuid;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The keys of maps. The i-th key of a map differs from the keys before it. All keys but decimals also depend on a number drawn
 * for the map.
 */
final class MapKeys {
    private static final int TEXT_LENGTH = 8;
    private static final long DAYS = 10_000;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int SMALL_REALS = 1 << 20;

    private final Scalar type;
    /** For integers: the bits that may be set. */
    private final long mask;

    private final byte[][] names;
    private final byte[] value = new byte[16];

    /**
     * Creates a source of keys.
     *
     * @param bits of an integer that may be set
     */
    MapKeys(Scalar type, int bits) {
        this.type = type;
        mask = -1L >>> (Long.SIZE - bits);
        List<String> listed = type instanceof Symbols symbols ? symbols.names() : List.of();
        names = listed.stream()
                .map(name -> name.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
    }

    /** Returns how many different keys a map may have. */
    long most() {
        if (type instanceof Int integer) {
            return integer.bits() == 8 ? 256 : 1 << 15;
        }
        if (type instanceof Decimal decimal) {
            return decimal.precision() < 5 ? (long) StrictMath.pow(10, decimal.precision()) : 1 << 15;
        }
        if (type instanceof Symbols) {
            return names.length;
        }
        return type instanceof Bool ? 2 : type instanceof Date ? DAYS : 1 << 15;
    }

    void emit(RecordWriter writer, int slot, long base, int ordinal) {
        if (type instanceof Text) {
            text(writer, slot, base, ordinal);
        } else if (type instanceof Int integer) {
            int unused = 64 - integer.bits();
            writer.int64(slot, ((base + ordinal) & mask) << unused >> unused);
        } else if (type instanceof Symbols) {
            byte[] name = names[(int) Math.floorMod(base + ordinal, (long) names.length)];
            writer.bytes(slot, name, 0, name.length);
        } else if (type instanceof Bool) {
            writer.bool(slot, ((base + ordinal) & 1) == 0);
        } else if (type instanceof Real) {
            writer.float64(slot, (double) ((base & (SMALL_REALS - 1)) + ordinal));
        } else if (type instanceof Decimal) {
            int from = Draw.decimal(value, 0, ordinal);
            writer.bytes(slot, value, from, 16 - from);
        } else if (type instanceof Uuid || type instanceof Bytes) {
            TextSources.setUuid(value, base, ordinal);
            writer.bytes(slot, value, 0, 16);
        } else {
            time(writer, slot, base, ordinal);
        }
    }

    /** Emits a key that spreads dates over years, times over a part of a day, and timestamps over months. */
    private void time(RecordWriter writer, int slot, long base, int ordinal) {
        if (type instanceof Date) {
            writer.int64(slot, DAYS + Math.floorMod(base + ordinal, DAYS));
        } else if (type instanceof Time) {
            writer.int64(slot, ((base & 0x7FFF) + ordinal) * MICROS_PER_SECOND);
        } else {
            writer.int64(slot, ((base & 0xFFFFFF) + 1_750_000_000L + ordinal) * MICROS_PER_SECOND);
        }
    }

    /** Emits a key of four random letters and four that encode the number of the key. */
    private void text(RecordWriter writer, int slot, long base, int ordinal) {
        for (int i = 0; i < 4; i++) {
            value[i] = (byte) ('a' + (base >>> (4 * i) & 15));
        }
        for (int i = 0; i < 4; i++) {
            value[4 + i] = (byte) ('A' + (ordinal >>> (4 * i) & 15));
        }
        writer.bytes(slot, value, 0, TEXT_LENGTH);
    }
}
