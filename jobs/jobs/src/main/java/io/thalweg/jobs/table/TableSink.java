package io.thalweg.jobs.table;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.iceberg.TableCommit;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.SimpleVersionedStringSerializer;

/**
 * Appends rows to an Iceberg table: each subtask writes data files, one task collects those of a checkpoint, and when the checkpoint
 * completes they are committed atomically.
 *
 * <p><b>Exactly once.</b> A commit carries a stamp that is part of the checkpoint, and a stamp that the table already has is not committed
 * again. See {@link io.thalweg.tables.iceberg.IcebergTableWriter}.
 */
public record TableSink(TableSpec spec)
        implements Sink<ColumnBatch>, SupportsCommitter<TableCommit>, SupportsPreCommitTopology<String, TableCommit> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<ColumnBatch, String> createWriter(WriterInitContext context) {
        return new DataFilesWriter(spec);
    }

    @Override
    public SimpleVersionedSerializer<String> getWriteResultSerializer() {
        return SimpleVersionedStringSerializer.INSTANCE;
    }

    @Override
    public DataStream<CommittableMessage<TableCommit>> addPreCommitTopology(
            DataStream<CommittableMessage<String>> files) {
        return files.global()
                .transform(
                        "collect",
                        CommittableMessageTypeInfo.of(TableCommitSerializer::new),
                        new CommitAggregator(spec))
                .uid(spec.collectUid())
                .setParallelism(1)
                .setMaxParallelism(1)
                .global();
    }

    @Override
    public Committer<TableCommit> createCommitter(CommitterInitContext context) {
        return new TableCommitter(spec);
    }

    @Override
    public SimpleVersionedSerializer<TableCommit> getCommittableSerializer() {
        return new TableCommitSerializer();
    }
}
