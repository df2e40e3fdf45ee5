package io.thalweg.jobs.ingest.target;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.ingest.plan.OriginColumn;
import io.thalweg.records.RecordWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Adds the origin of its message to each row. */
public final class WithOrigin<B> implements RowTarget<B> {
    private final RowTarget<B> target;
    private final OriginColumn origin;
    private @Nullable RawRecords records;
    private int record;
    private long index;
    private @Nullable RecordWriter row;

    public WithOrigin(RowTarget<B> target, OriginColumn origin) {
        this.target = target;
        this.origin = origin;
    }

    @Override
    public void beginMessage(RawRecords block, int i, long indexInRecord) {
        records = block;
        record = i;
        index = indexInRecord;
        target.beginMessage(block, i, indexInRecord);
    }

    @Override
    public RecordWriter beginRow() {
        RecordWriter begun = target.beginRow();
        row = begun;
        return begun;
    }

    @Override
    public void end() {
        origin.write(Objects.requireNonNull(row), Objects.requireNonNull(records), record, index);
        target.end();
    }

    @Override
    public void rollback() {
        target.rollback();
    }

    @Override
    public int rows() {
        return target.rows();
    }

    @Override
    public B take() {
        return target.take();
    }
}
