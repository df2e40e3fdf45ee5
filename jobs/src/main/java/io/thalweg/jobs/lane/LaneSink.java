package io.thalweg.jobs.lane;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.ThreadTime;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.LaneCommit;
import io.thalweg.warehouse.RetryCause;
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
 * Appends rows to a table of a warehouse over lanes; see {@link LaneWriter}. With exactly-once tables, the rows of a checkpoint become
 * visible when it completes.
 */
public record LaneSink(LaneSpec spec)
        implements Sink<EncodedRows>, SupportsWriterState<EncodedRows, LaneState>, SupportsCommitter<LaneCommit> {
    private static final long serialVersionUID = 1L;

    @Override
    public LaneWriter createWriter(WriterInitContext context) {
        return restoreWriter(context, List.of());
    }

    @Override
    public LaneWriter restoreWriter(WriterInitContext context, Collection<LaneState> restored) {
        LaneWriter writer = new LaneWriter(
                spec,
                context.getTaskInfo().getIndexOfThisSubtask(),
                context.getTaskInfo().getNumberOfParallelSubtasks(),
                restored,
                LaneTime.SYSTEM);
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
        group.gauge("writers", writer::openLanes);
        return writer;
    }

    @Override
    public SimpleVersionedSerializer<LaneState> getWriterStateSerializer() {
        return new LaneStateSerializer();
    }

    /**
     * Returns the counts of a job's lanes in a checkpoint; {@link LaneCounts#NONE} if it has none.
     *
     * @param uid the uid of the sink
     * @throws IOException if the checkpoint cannot be read
     */
    public static LaneCounts savedCounts(SavedState checkpoint, String uid) throws IOException {
        return checkpoint.sinkWriters(uid, new LaneStateSerializer()).stream()
                .map(LaneState::counts)
                .reduce(LaneCounts.NONE, LaneCounts::plus);
    }

    @Override
    public Committer<LaneCommit> createCommitter(CommitterInitContext context) {
        return new LaneCommitter(spec);
    }

    @Override
    public SimpleVersionedSerializer<LaneCommit> getCommittableSerializer() {
        return new LaneCommitSerializer();
    }

    /** The interfaces that Flink requires of the writer. */
    interface Writer extends StatefulSinkWriter<EncodedRows, LaneState>, CommittingSinkWriter<EncodedRows, LaneCommit> {
        @Override
        void close();
    }
}
