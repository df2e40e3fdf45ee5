package io.thalweg.bench.ingest;

import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;

/** Passes fields of a row to Parquet, with three-level lists. */
record RideFields(RecordConsumer out) {
    void text(String name, int index, Binary value) {
        out.startField(name, index);
        out.addBinary(value);
        out.endField(name, index);
    }

    void integer(String name, int index, int value) {
        out.startField(name, index);
        out.addInteger(value);
        out.endField(name, index);
    }

    void bigint(String name, int index, long value) {
        out.startField(name, index);
        out.addLong(value);
        out.endField(name, index);
    }

    void real(String name, int index, double value) {
        out.startField(name, index);
        out.addDouble(value);
        out.endField(name, index);
    }

    void bool(String name, int index, boolean value) {
        out.startField(name, index);
        out.addBoolean(value);
        out.endField(name, index);
    }

    /** Begins a struct, a list or a map. */
    void begin(String name, int index) {
        out.startField(name, index);
        out.startGroup();
    }

    void end(String name, int index) {
        out.endGroup();
        out.endField(name, index);
    }

    /** Adds an element of a list, between {@code startField("list", 0)} and its end. */
    void element(Binary value) {
        out.startGroup();
        text("element", 0, value);
        out.endGroup();
    }

    /** Adds an entry of a map, between {@code startField("key_value", 0)} and its end. */
    void entry(Binary key, double value) {
        out.startGroup();
        text("key", 0, key);
        real("value", 1, value);
        out.endGroup();
    }
}
