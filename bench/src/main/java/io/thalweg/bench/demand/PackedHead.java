package io.thalweg.bench.demand;

import io.thalweg.model.bytes.BytesReader;

/**
 * The header of a packed block, read without its rows: {@code docs/reference/packed.md}.
 *
 * @param windowEndMs epoch ms
 * @param createdMs when the block was encoded, epoch ms: as soon as its last row was assembled
 */
record PackedHead(long windowEndMs, long createdMs, long tile, int rows) {
    static final byte MAGIC = (byte) 0xB7;

    static PackedHead parse(byte[] block) {
        BytesReader in = new BytesReader(block, 2);
        long windowEndMs = in.u64();
        in.skip(1);
        long createdMs = in.u64();
        in.skip(Integer.BYTES);
        in.skip((int) in.varint());
        in.varint();
        long tile = in.u64();
        in.skip((int) in.varint());
        return new PackedHead(windowEndMs, createdMs, tile, (int) in.varint());
    }
}
