package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.ingest.target.RowTarget;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.DistinctKeys;
import io.thalweg.records.RecordWriter;

/** Turns each message into one row. */
record DirectRows(RowTarget<?> target, DistinctKeys keys) implements MessageRows {
    @Override
    public RecordWriter begin(RawRecords records, int i, long index) {
        target.beginMessage(records, i, index);
        return keys.to(target.beginRow());
    }

    @Override
    public int end() {
        try {
            target.end();
        } catch (BadRecordException e) {
            target.rollback();
            throw e;
        }
        return 1;
    }

    @Override
    public void rollback() {
        target.rollback();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
