package io.thalweg.jobs.ingest;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.columns.ColumnWriter;

/** Each message is a row. */
record DirectRows(ColumnWriter columns) implements MessageRows {
    @Override
    public RecordWriter begin() {
        columns.begin();
        return columns;
    }

    @Override
    public int end() {
        columns.end();
        return 1;
    }

    @Override
    public void rollback() {
        columns.rollback();
    }

    @Override
    public void close() {
        // It has nothing open.
    }
}
