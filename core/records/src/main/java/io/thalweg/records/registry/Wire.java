package io.thalweg.records.registry;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The header of a message that names the schema with which it was written. */
public enum Wire {
    /** No header. */
    PLAIN(0, 0, 0),
    /** The byte 0 and the id of the schema in four bytes, big-endian; of Protocol Buffers also the indexes of the message type. */
    CONFLUENT(0x00, 1, Integer.BYTES),
    /** Avro's single-object encoding: the bytes C3 01 and the fingerprint of the schema in eight bytes, little-endian. */
    SINGLE_OBJECT(0xC301, 2, Long.BYTES);

    private final int magic;
    private final int magicBytes;
    private final int keyBytes;

    Wire(int magic, int magicBytes, int keyBytes) {
        this.magic = magic;
        this.magicBytes = magicBytes;
        this.keyBytes = keyBytes;
    }

    /** The size of the header in bytes, including its marker. */
    int bytes() {
        return magicBytes + keyBytes;
    }

    /** Returns whether the message in {@code [from, to)} names a schema. */
    boolean isIn(byte[] data, int from, int to) {
        if (to - from < bytes()) {
            return false;
        }
        int found = 0;
        for (int i = 0; i < magicBytes; i++) {
            found = (found << 8) | (data[from + i] & 0xFF);
        }
        return found == magic;
    }

    /** Returns the id or fingerprint of the schema that the message at {@code from} names. */
    long key(byte[] data, int from) {
        ByteBuffer key = ByteBuffer.wrap(data, from + magicBytes, keyBytes);
        return this == CONFLUENT
                ? key.getInt()
                : key.order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    static byte[] confluent(int id, byte[] indexes) {
        return ByteBuffer.allocate(CONFLUENT.bytes() + indexes.length)
                .put((byte) CONFLUENT.magic)
                .putInt(id)
                .put(indexes)
                .array();
    }

    static byte[] singleObject(long fingerprint) {
        return ByteBuffer.allocate(SINGLE_OBJECT.bytes())
                .putShort((short) SINGLE_OBJECT.magic)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(fingerprint)
                .array();
    }
}
