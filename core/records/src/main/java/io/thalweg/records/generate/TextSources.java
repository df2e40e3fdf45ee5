package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Sources of texts, bytes and UUIDs. */
final class TextSources {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int NAME_LENGTH = 13;

    private TextSources() {}

    /** Texts, or bytes in schemas without text, whose lengths fill the message to its size. */
    static final class Free extends ValueSource {
        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            draw.emitFree(writer, slot);
        }
    }

    /** Texts or bytes of random lengths. */
    static final class Sized extends ValueSource {
        private final Between lengths;
        private final boolean text;

        Sized(Between lengths, boolean text) {
            this.lengths = lengths;
            this.text = text;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            int length = lengths.draw(draw.random);
            writer.bytes(slot, text ? draw.text(length) : draw.bytes(length), 0, length);
        }
    }

    /** As many different texts as there are ranks. */
    static final class RankedTexts extends ValueSource {
        private final Ranks ranks;
        private final long salt;

        RankedTexts(Ranks ranks, long salt) {
            this.ranks = ranks;
            this.salt = salt;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            long number = SplitMix.mix(ranks.draw(draw.random) ^ salt);
            writer.bytes(slot, draw.name(number), 0, NAME_LENGTH);
        }
    }

    /** As many different values of 8 or 16 bytes as there are ranks. */
    static final class RankedBytes extends ValueSource {
        private final Ranks ranks;
        private final long salt;
        private final boolean uuid;
        private final byte[] value;

        RankedBytes(Ranks ranks, long salt, boolean uuid) {
            this.ranks = ranks;
            this.salt = salt;
            this.uuid = uuid;
            value = new byte[uuid ? 16 : 8];
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            long number = SplitMix.mix(ranks.draw(draw.random) ^ salt);
            if (uuid) {
                setUuid(value, SplitMix.hash(salt, number), number);
            } else {
                LONGS.set(value, 0, number);
            }
            writer.bytes(slot, value, 0, value.length);
        }
    }

    /** Random UUIDs of version 4. */
    static final class Uuids extends ValueSource {
        private final byte[] value = new byte[16];

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            setUuid(value, draw.random.nextLong(), draw.random.nextLong());
            writer.bytes(slot, value, 0, 16);
        }
    }

    /** Writes a UUID of version 4 into an array; it contains all bits of {@code low} except the two highest. */
    static void setUuid(byte[] to, long high, long low) {
        LONGS.set(to, 0, (high & ~0xF000L) | 0x4000L);
        LONGS.set(to, 8, (low & ~(3L << 62)) | 1L << 63);
    }
}
