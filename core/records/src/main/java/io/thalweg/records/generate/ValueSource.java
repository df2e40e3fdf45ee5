package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;

/** Draws the values of one field, element, key or value and reports them. */
abstract class ValueSource {
    abstract void emit(Draw draw, RecordWriter writer, int slot);
}
