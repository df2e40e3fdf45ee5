package io.thalweg.jobs.table;

import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableCommit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Combines all data files of a checkpoint into one commit and stamps it. A stamp begins with a random id created when the operator opens,
 * so an attempt after a failure, which writes other files for the same checkpoint, never reuses the stamp of an earlier one.
 *
 * <p><b>State.</b> The lineage: an id shared by all runs that resumed one another. Files are never kept across a checkpoint.
 */
final class CommitAggregator extends AbstractStreamOperator<CommittableMessage<TableCommit>>
        implements OneInputStreamOperator<CommittableMessage<String>, CommittableMessage<TableCommit>> {
    private static final long serialVersionUID = 1L;

    private static final ListStateDescriptor<String> LINEAGE = new ListStateDescriptor<>("lineage", Types.STRING);

    private final TableSpec spec;
    private transient @Nullable String attempt;
    private transient @Nullable String lineage;
    private transient long last;
    private transient boolean finished;
    private transient List<String> files = new ArrayList<>();

    CommitAggregator(TableSpec spec) {
        this.spec = spec;
    }

    /** Also checks the table before anything is committed to it. */
    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        attempt = UUID.randomUUID().toString();
        files = new ArrayList<>();
        finished = false;
        ListState<String> kept = context.getOperatorStateStore().getListState(LINEAGE);
        Iterator<String> before = kept.get().iterator();
        String line = before.hasNext() ? before.next() : UUID.randomUUID().toString();
        lineage = line;
        kept.update(List.of(line));
        try (IcebergTableWriter table = IcebergTableWriter.open(spec.table(), spec.layout())) {
            requireNothingBehind(table, line, context.getRestoredCheckpointId());
        }
    }

    private void requireNothingBehind(IcebergTableWriter table, String line, OptionalLong restored) {
        last = restored.orElse(0);
        if (restored.isPresent()) {
            try {
                table.requireNothingBehind(line, restored.getAsLong());
            } catch (IllegalStateException e) {
                throw new OlderCheckpointException(e);
            }
        }
    }

    @Override
    public void processElement(StreamRecord<CommittableMessage<String>> element) {
        if (element.getValue() instanceof CommittableWithLineage<String> file) {
            files.add(file.getCommittable());
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        if (!finished) {
            emit(checkpointId);
        }
        last = checkpointId;
    }

    /** The remaining files belong to the last checkpoint, whose number is unknown; like Flink's writers, this assumes the next number. */
    @Override
    public void finish() throws Exception {
        finished = true;
        emit(last + 1);
        super.finish();
    }

    private void emit(long checkpointId) {
        int commits = files.isEmpty() ? 0 : 1;
        output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, checkpointId, commits, 0)));
        if (commits > 0) {
            output.collect(new StreamRecord<>(new CommittableWithLineage<>(commit(checkpointId), checkpointId, 0)));
            files.clear();
        }
    }

    private TableCommit commit(long checkpoint) {
        return new TableCommit(
                spec.writer(),
                spec.run(),
                Objects.requireNonNull(lineage),
                Objects.requireNonNull(attempt) + "-" + checkpoint,
                checkpoint,
                files);
    }
}
