package io.thalweg.records.write;

import io.thalweg.records.RecordWriter;

/**
 * Encodes records as messages of one format and schema.
 *
 * <p><b>Use.</b> Call {@link #begin}, report the fields of one record, then call {@link #end}. The message is {@link #data} in
 * {@code [from, to)} until the next {@code begin}. An abandoned record needs no clean-up.
 *
 * <p><b>Contract.</b> Each field is reported exactly once, possibly as absent, in any order. The encoding is canonical: equal
 * records give equal bytes, whatever the order of their fields. Entries of maps keep their order. After warm-up, a message
 * creates no objects.
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

    /** The array that holds the message; valid until the next {@link #begin}. */
    byte[] data();

    /** The start of the message in {@link #data}. */
    int from();

    /** The end of the message in {@link #data}. */
    int to();

    /** Returns the encoded size of a text of printable ASCII without {@code "} and {@code \}, including its length or quotes. */
    int textSize(int length);

    /** Returns the encoded size of {@code length} bytes of the type {@code Bytes}, including their length or quotes. */
    int bytesSize(int length);

    /**
     * Damages the message, after {@link #end}, as an attacker would: its last text or bytes claim a length of 2<sup>31</sup> - 1
     * or, in a format without lengths, nest 10,000 levels.
     *
     * @return whether the message has such a value; otherwise it is unchanged
     */
    boolean claimHugeLength();
}
