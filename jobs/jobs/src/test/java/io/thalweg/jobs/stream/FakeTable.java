package io.thalweg.jobs.stream;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.warehouse.StreamAddress;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.StreamTable;

/** A fake table of a test, which creates its streams. */
abstract class FakeTable implements StreamAddress, StreamTable {
    private static final long serialVersionUID = 1L;

    @Override
    public String name() {
        return "table";
    }

    @Override
    public boolean exactlyOnce() {
        return true;
    }

    @Override
    public ByteRecordWriter encoder(Struct rows) {
        throw new UnsupportedOperationException();
    }

    @Override
    public StreamTable open(Struct rows) {
        return this;
    }

    @Override
    public void commit(StreamCommit commit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void requireNothingBehind(StreamCommit end) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
