package io.thalweg.formats;

import org.jspecify.annotations.Nullable;

/** The headers of a Kafka record, as far as a decoder needs them. */
@FunctionalInterface
public interface RecordHeaders {
    /** No headers. */
    RecordHeaders NONE = name -> null;

    /** The value of the last header called {@code name}, or null. */
    byte @Nullable [] last(String name);
}
