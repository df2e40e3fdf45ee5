package io.thalweg.jobs.stream;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.ThreadTime;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.StreamCommit;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;

/**
 * Appends rows to a table of a warehouse over streams; see {@link RowStreamWriter}. With exactly-once tables, the rows of a checkpoint become
 * visible when it completes.
 */
public record StreamSink(StreamSpec spec)
        implements Sink<EncodedRows>, SupportsWriterState<EncodedRows, StreamState>, SupportsCommitter<StreamCommit> {
    private static final long serialVersionUID = 1L;

    @Override
    public RowStreamWriter createWriter(WriterInitContext context) {
        return restoreWriter(context, List.of());
    }

    @Override
    public RowStreamWriter restoreWriter(WriterInitContext context, Collection<StreamState> restored) {
        RowStreamWriter writer = new RowStreamWriter(
                spec,
                context.getTaskInfo().getIndexOfThisSubtask(),
                context.getTaskInfo().getNumberOfParallelSubtasks(),
                restored,
                StreamTime.SYSTEM);
        ThreadTime.register(context.metricGroup());
        MetricGroup group = context.metricGroup()
                .addGroup("thalweg")
                .addGroup("warehouse", spec.table().name());
        group.gauge("written_rows", () -> writer.counts().written());
        group.gauge("refused_rows", () -> writer.counts().refused());
        for (RetryCause cause : RetryCause.values()) {
            group.addGroup("cause", cause.text())
                    .gauge("retries", () -> writer.retries().get(cause));
        }
        group.gauge("writers", writer::openStreams);
        return writer;
    }

    @Override
    public SimpleVersionedSerializer<StreamState> getWriterStateSerializer() {
        return new StreamStateSerializer();
    }

    /**
     * Returns the counts of a job's streams in a checkpoint; {@link StreamTotals#NONE} if it has none.
     *
     * @param uid the uid of the sink
     * @throws IOException if the checkpoint cannot be read
     */
    public static StreamTotals savedCounts(SavedState checkpoint, String uid) throws IOException {
        return checkpoint.sinkWriters(uid, new StreamStateSerializer()).stream()
                .map(StreamState::counts)
                .reduce(StreamTotals.NONE, StreamTotals::plus);
    }

    @Override
    public Committer<StreamCommit> createCommitter(CommitterInitContext context) {
        return new StreamCommitter(spec);
    }

    @Override
    public SimpleVersionedSerializer<StreamCommit> getCommittableSerializer() {
        return new StreamCommitSerializer();
    }

    /** The interfaces that Flink requires of the writer. */
    interface Writer
            extends StatefulSinkWriter<EncodedRows, StreamState>, CommittingSinkWriter<EncodedRows, StreamCommit> {
        @Override
        void close();
    }
}
