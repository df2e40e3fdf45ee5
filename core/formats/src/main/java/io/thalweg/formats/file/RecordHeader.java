package io.thalweg.formats.file;

import org.jspecify.annotations.Nullable;

/** A header of a record. */
public record RecordHeader(String name, byte @Nullable [] value) {}
