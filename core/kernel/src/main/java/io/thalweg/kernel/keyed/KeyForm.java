package io.thalweg.kernel.keyed;

/** The form of a key. */
public enum KeyForm {
    /** 64 bits. */
    LONG,
    /** 128 bits. */
    PAIR,
    /** Bytes of any length; keys are equal if and only if their bytes are. */
    BYTES;

    int words() {
        return this == PAIR ? 2 : 1;
    }
}
