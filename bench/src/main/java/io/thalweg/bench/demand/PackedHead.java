package io.thalweg.bench.demand;

import java.nio.ByteBuffer;

/**
 * What stands at the head of a packed block, read without its rows: {@code docs/reference/packed.md}.
 *
 * @param windowEndMs epoch ms
 * @param createdMs when the block was encoded, epoch ms: as soon as its last row was assembled
 */
record PackedHead(long windowEndMs, long createdMs, long tile, int rows) {
    static final byte MAGIC = (byte) 0xB7;

    static PackedHead parse(byte[] block) {
        ByteBuffer in = ByteBuffer.wrap(block);
        in.position(2);
        long windowEndMs = in.getLong();
        in.get();
        long createdMs = in.getLong();
        in.getInt();
        skip(in, varint(in));
        varint(in);
        long tile = in.getLong();
        skip(in, varint(in));
        return new PackedHead(windowEndMs, createdMs, tile, varint(in));
    }

    private static void skip(ByteBuffer in, int bytes) {
        in.position(in.position() + bytes);
    }

    private static int varint(ByteBuffer in) {
        int value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
