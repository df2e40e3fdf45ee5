package io.thalweg.jobs.sink;

import io.thalweg.records.columns.ColumnBatch;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Collects records of a feature log until they are many, or a checkpoint begins.
 *
 * <p><b>State.</b> None: the records leave before the barrier. <b>Threads.</b> The task's thread.
 */
abstract class LogOperator<I> extends AbstractStreamOperator<ColumnBatch>
        implements OneInputStreamOperator<I, ColumnBatch> {
    private static final long serialVersionUID = 1L;

    /** Adds records; returns whether they are many. */
    abstract boolean add(I item) throws Exception;

    abstract ColumnBatch take();

    @Override
    public final void processElement(StreamRecord<I> element) throws Exception {
        if (add(element.getValue())) {
            emit();
        }
    }

    private void emit() {
        ColumnBatch batch = take();
        if (batch.rows() > 0) {
            output.collect(new StreamRecord<>(batch));
        }
    }

    @Override
    public final void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        emit();
    }

    @Override
    public final void finish() throws Exception {
        emit();
        super.finish();
    }
}
