package io.thalweg.jobs.lane;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.warehouse.LaneAddress;
import io.thalweg.warehouse.LaneCommit;
import io.thalweg.warehouse.LaneTable;

/** A fake table of a test, which creates its lanes. */
abstract class FakeTable implements LaneAddress, LaneTable {
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
    public LaneTable open(Struct rows) {
        return this;
    }

    @Override
    public void commit(LaneCommit commit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void requireNothingBehind(LaneCommit end) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
