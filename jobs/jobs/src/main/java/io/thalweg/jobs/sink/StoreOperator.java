package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Stores;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows into a store that this process has open, each shard's progress after its rows. The store's order rule makes repeated writes
 * harmless, so exactness only requires that a checkpoint does not complete before the rows ahead of its barrier are written.
 *
 * <p><b>Checkpoints.</b> The rows are written in the asynchronous part of a checkpoint. A {@code SinkWriter} would have to write them before
 * the barrier and block the task meanwhile. The operator has no state.
 *
 * <p><b>Threads.</b> The task's thread.
 */
public final class StoreOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<OutputItem, Void> {
    private static final long serialVersionUID = 1L;
    private static final Duration STANDS_BACK = Duration.ofSeconds(3);

    private final FeatureView view;
    private final String store;
    private final DeadLetters deadLetters;
    private final ClockSpec clock;
    private final String jobId;
    private transient @Nullable StoreWriter writer;

    /**
     * Creates the operator of a view.
     *
     * @param store the store's name in {@link Stores}, or the folder of an embedded store
     * @param deadLetters receives the rows that the store refuses permanently
     * @param clock provides {@code now} for expiry
     */
    public StoreOperator(FeatureView view, String store, DeadLetters deadLetters, ClockSpec clock, String jobId) {
        this.view = view;
        this.store = store;
        this.deadLetters = deadLetters;
        this.clock = clock;
        this.jobId = jobId;
    }

    @Override
    public void open() throws Exception {
        super.open();
        TaskInfo task = getRuntimeContext().getTaskInfo();
        int tasks = task.getNumberOfParallelSubtasks();
        boolean takeAllProcessors = tasks >= Runtime.getRuntime().availableProcessors();
        writer = new StoreWriter(
                view,
                Stores.open(store, clock.toClock(Clock.systemUTC())),
                deadLetters.open(task.getIndexOfThisSubtask()),
                JobMetrics.of(jobId).view(view.qualifiedName()),
                tasks,
                takeAllProcessors ? STANDS_BACK : Duration.ZERO,
                TimeUnit.MILLISECONDS::sleep);
    }

    private StoreWriter writer() {
        return Objects.requireNonNull(writer);
    }

    @Override
    public void processElement(StreamRecord<OutputItem> element) throws InterruptedException {
        writer().write(element.getValue());
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        writer().standBackNoLonger();
        super.processWatermark(mark);
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory storage)
            throws Exception {
        OperatorSnapshotFutures futures = super.snapshotState(checkpointId, timestamp, options, storage);
        Future<?> written = writer().flush();
        // A checkpoint is complete when all its futures are. This one is unused, because there is no raw state.
        futures.setOperatorStateRawFuture(new FutureTask<>(() -> {
            written.get();
            return SnapshotResult.empty();
        }));
        return futures;
    }

    @Override
    public void finish() throws Exception {
        writer().standBackNoLonger();
        writer().flush().get();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (writer != null) {
            writer.close();
        }
        super.close();
    }
}
