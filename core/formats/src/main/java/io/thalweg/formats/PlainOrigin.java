package io.thalweg.formats;

/** A place in a source whose records are values only. */
record PlainOrigin(int partition, long offset) implements RecordOrigin {}
