package io.thalweg.kernel.keyed;

/** What a key is made of. */
public enum KeyForm {
    /** 64 bits. */
    LONG,
    /** 128 bits. */
    PAIR,
    /** Bytes of any length, which stand for equal keys iff they are equal. */
    BYTES;

    int words() {
        return this == PAIR ? 2 : 1;
    }
}
