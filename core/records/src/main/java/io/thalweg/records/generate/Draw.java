package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.write.FillableWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The random sources and buffers from which the values of one message are drawn. */
final class Draw implements FillableWriter.Values {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final int LETTERS = 26;

    /** The source of everything except the characters of texts. */
    final SplitMix random = new SplitMix(0);

    /** The source of the characters of texts, whose number depends on the size of the message. */
    final SplitMix characters = new SplitMix(0);

    final FreeSizes sizes = new FreeSizes();

    /** The writer of the texts of free length if they are filled in later; otherwise null. */
    @Nullable
    FillableWriter later;

    /** Whether texts have free lengths; otherwise bytes have. */
    private final boolean textIsFree;

    /** The value of {@code now}, in microseconds since 1970. */
    long nowMicros;

    /** The number of times that the sizes of lists and maps are halved. */
    int halvings;

    private byte[] scratch = new byte[256];

    Draw(boolean textIsFree) {
        this.textIsFree = textIsFree;
    }

    boolean textIsFree() {
        return textIsFree;
    }

    /** Returns an array of at least {@code length} bytes, rounded up to the next eight. */
    byte[] scratch(int length) {
        if (scratch.length - 8 < length) {
            scratch = new byte[Math.max(length + 8, scratch.length * 2)];
        }
        return scratch;
    }

    /** Returns an array whose first {@code length} bytes are lower-case letters and the digits 0 to 5. */
    byte[] text(int length) {
        byte[] to = scratch(length);
        for (int at = 0; at < length; at += 8) {
            LONGS.set(to, at, base32(characters.nextLong()));
        }
        return to;
    }

    /** Returns an array whose first {@code length} bytes are random. */
    byte[] bytes(int length) {
        byte[] to = scratch(length);
        for (int at = 0; at < length; at += 8) {
            LONGS.set(to, at, characters.nextLong());
        }
        return to;
    }

    @Override
    public byte[] next(int length) {
        return textIsFree ? text(length) : bytes(length);
    }

    /** Reports a text or bytes of free length. */
    void emitFree(RecordWriter writer, int slot) {
        int length = sizes.next(random);
        if (later != null) {
            later.leaveOpen(slot);
        } else {
            writer.bytes(slot, next(length), 0, length);
        }
    }

    /** Returns 13 characters that encode a number of 64 bits. */
    byte[] name(long number) {
        byte[] to = scratch(16);
        LONGS.set(to, 0, base32(spread(number)));
        LONGS.set(to, 8, base32(spread(number >>> 40)));
        return to;
    }

    /** Spreads the lowest 40 bits over eight bytes, five in each. */
    private static long spread(long bits) {
        long spread = 0;
        for (int i = 0; i < 8; i++) {
            spread |= (bits >>> (5 * i) & 31) << (8 * i);
        }
        return spread;
    }

    /** Turns the lowest five bits of each of eight bytes into a letter or, from 26 on, a digit. */
    private static long base32(long bits) {
        long values = bits & ONES * 31;
        long digits = (values + ONES * (128 - LETTERS)) >>> 7 & ONES;
        return values + ONES * 'a' - digits * ('a' + LETTERS - '0');
    }

    /** Writes 128 bits in two's complement into an array of 16 bytes; returns the start of the shortest form. */
    static int decimal(byte[] to, long high, long low) {
        for (int i = 0; i < 8; i++) {
            to[i] = (byte) (high >> (56 - 8 * i));
            to[8 + i] = (byte) (low >> (56 - 8 * i));
        }
        int from = 0;
        while (from < 15 && to[from] == to[from + 1] >> 7) {
            from++;
        }
        return from;
    }
}
