package io.thalweg.records.write;

import io.thalweg.records.RecordWriter;

/**
 * Encodes records as messages of one format and schema.
 *
 * <p><b>Use.</b> {@link #begin}, the fields of one record, {@link #end}; then the message is {@link #data} in {@code [from, to)}
 * until the next {@code begin}. A record that is abandoned half-way needs no clean-up.
 *
 * <p><b>Contract.</b> Each field is reported once, or as absent, in any order. The encoding is canonical: equal records give equal
 * bytes, whatever the order of their fields. Entries of maps keep their order. After warm-up, a message creates no objects.
 *
 * <p><b>Errors.</b> {@link io.thalweg.records.BadRecordException} for a value that the format cannot express.
 *
 * <p><b>Threads.</b> A writer belongs to one thread.
 */
public interface ByteRecordWriter extends RecordWriter {
    /** Starts a message. */
    void begin();

    /** Ends the message. */
    void end();

    /** Holds the message; valid until the next {@link #begin}. */
    byte[] data();

    /** Where the message begins in {@link #data}. */
    int from();

    /** Where the message ends in {@link #data}. */
    int to();

    /** How many bytes of a message a text of printable ASCII without {@code "} and {@code \} takes, with its length or quotes. */
    int textSize(int length);

    /** How many bytes of a message {@code length} bytes of the type {@code Bytes} take, with their length or quotes. */
    int bytesSize(int length);

    /**
     * Damages the message, after {@link #end}, as an attacker would: the last text or bytes of it claim a length of
     * 2<sup>31</sup> - 1, or, in a format without lengths, nest 10,000 levels.
     *
     * @return whether the message has such a value; otherwise it is unchanged
     */
    boolean claimHugeLength();
}
