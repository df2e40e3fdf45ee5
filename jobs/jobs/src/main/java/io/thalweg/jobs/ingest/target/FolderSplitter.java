package io.thalweg.jobs.ingest.target;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.iceberg.Partitioner;
import io.thalweg.tables.iceberg.TableLayout;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/** Splits rows by the folders they are written to. */
public final class FolderSplitter extends AbstractStreamOperator<FolderRows>
        implements OneInputStreamOperator<ColumnBatch, FolderRows> {
    private static final long serialVersionUID = 1L;

    private final TableLayout layout;
    private transient @Nullable Partitioner partitioner;

    public FolderSplitter(TableLayout layout) {
        this.layout = layout;
    }

    @Override
    public void processElement(StreamRecord<ColumnBatch> element) {
        Partitioner split = partitioner == null ? layout.partitioner() : partitioner;
        partitioner = split;
        for (Partitioner.Part part : split.split(element.getValue())) {
            output.collect(new StreamRecord<>(new FolderRows(split.folder(part.partition()), part.rows())));
        }
    }
}
