package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.write.FillableWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** What the values of one message are drawn from. */
final class Draw implements FillableWriter.Values {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final int LETTERS = 26;

    /** For everything but the characters of texts. */
    final SplitMix random = new SplitMix(0);

    /** For the characters of texts, whose number depends on the size of the message. */
    final SplitMix characters = new SplitMix(0);

    final FreeSizes sizes = new FreeSizes();

    /** Takes the texts of free length if they get their values later; otherwise null. */
    @Nullable
    FillableWriter later;

    /** Whether free lengths are those of texts; otherwise they are those of bytes. */
    private final boolean textIsFree;

    /** What {@code now} is, in microseconds since 1970. */
    long nowMicros;

    /** How often the sizes of lists and maps are halved. */
    int halvings;

    private byte[] scratch = new byte[256];

    Draw(boolean textIsFree) {
        this.textIsFree = textIsFree;
    }

    boolean textIsFree() {
        return textIsFree;
    }

    /** An array of at least {@code length} bytes, rounded up to the next eight. */
    byte[] scratch(int length) {
        if (scratch.length - 8 < length) {
            scratch = new byte[Math.max(length + 8, scratch.length * 2)];
        }
        return scratch;
    }

    /** An array whose first {@code length} bytes are lower-case letters and the digits 0 to 5. */
    byte[] text(int length) {
        byte[] to = scratch(length);
        for (int at = 0; at < length; at += 8) {
            LONGS.set(to, at, base32(characters.nextLong()));
        }
        return to;
    }

    /** An array whose first {@code length} bytes are random. */
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

    /** Thirteen characters that stand for a number of 64 bits. */
    byte[] name(long number) {
        byte[] to = scratch(16);
        LONGS.set(to, 0, base32(spread(number)));
        LONGS.set(to, 8, base32(spread(number >>> 40)));
        return to;
    }

    /** The lowest 40 bits, five in each byte. */
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

    /** Puts two's complement of 128 bits into an array of 16 bytes; returns where its shortest form begins. */
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
