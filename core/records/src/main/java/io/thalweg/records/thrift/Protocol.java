package io.thalweg.records.thrift;

/** The encoding of a Thrift message. A message is one struct, without the envelope of a remote call. */
public enum Protocol {
    /** Fixed-width numbers, big-endian. */
    BINARY,
    /** Variable-length numbers and field ids relative to the previous one. */
    COMPACT
}
