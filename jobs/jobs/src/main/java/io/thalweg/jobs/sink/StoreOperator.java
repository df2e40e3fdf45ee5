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
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows into a store that this process has open, each shard's progress after its rows. The store's order rule makes repeated writes
 * harmless, so exactness only requires that a checkpoint does not complete before the rows ahead of its barrier are written. Emits when
 * the progress of each shard could be read.
 *
 * <p><b>Checkpoints.</b> The rows are written in the asynchronous part of a checkpoint. A {@code SinkWriter} would have to write them before
 * the barrier and block the task meanwhile.
 *
 * <p><b>State.</b> {@link PendingEnds}.
 *
 * <p><b>Threads.</b> The task's thread; the writer's thread notes in {@link #ends} what it has written.
 */
public final class StoreOperator extends AbstractStreamOperator<ReadableEnd>
        implements OneInputStreamOperator<OutputItem, ReadableEnd> {
    private static final long serialVersionUID = 1L;
    private static final Duration STANDS_BACK = Duration.ofSeconds(3);

    private final FeatureView view;
    private final String store;
    private final DeadLetters deadLetters;
    private final ClockSpec clock;
    private final String jobId;
    private transient @Nullable StoreWriter writer;
    private transient PendingEnds ends;

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
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        ends = new PendingEnds(clock.toClock(Clock.systemUTC())::millis);
        ends.restore(context.getRawOperatorStateInputs());
    }

    private void emitReadable() {
        ends.drain(end -> output.collect(new StreamRecord<>(end)));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        emitReadable();
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
                ends::written,
                tasks,
                takeAllProcessors ? STANDS_BACK : Duration.ZERO,
                TimeUnit.MILLISECONDS::sleep);
    }

    private StoreWriter writer() {
        return Objects.requireNonNull(writer);
    }

    @Override
    public void processElement(StreamRecord<OutputItem> element) throws InterruptedException {
        ends.add(element.getValue());
        writer().write(element.getValue());
        emitReadable();
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        writer().standBackNoLonger();
        emitReadable();
        super.processWatermark(mark);
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory storage)
            throws Exception {
        OperatorSnapshotFutures futures = super.snapshotState(checkpointId, timestamp, options, storage);
        Future<?> written = writer().flush();
        PendingEnds.Snapshot pending = ends.snapshot();
        // A checkpoint is complete when all its futures are.
        futures.setOperatorStateRawFuture(new FutureTask<>(() -> {
            written.get();
            return pending.write(storage);
        }));
        return futures;
    }

    @Override
    public void finish() throws Exception {
        writer().standBackNoLonger();
        writer().flush().get();
        emitReadable();
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
