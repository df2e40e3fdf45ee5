package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Stores;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
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
 * <p><b>State.</b> The progress that was handed to the writer, but whose time was not emitted before the barrier. After a restore it counts
 * as readable from then on: it was before, but since when is lost with the process.
 *
 * <p><b>Threads.</b> The task's thread; the writer's thread adds to {@link #written}.
 */
public final class StoreOperator extends AbstractStreamOperator<ReadableEnd>
        implements OneInputStreamOperator<OutputItem, ReadableEnd> {
    private static final long serialVersionUID = 1L;
    private static final Duration STANDS_BACK = Duration.ofSeconds(3);
    private static final long NO_ROWS = Long.MIN_VALUE;
    private static final ListStateDescriptor<Tuple2<Integer, Long>> PENDING =
            new ListStateDescriptor<>("pending-progress", Types.TUPLE(Types.INT, Types.LONG));

    private final FeatureView view;
    private final String store;
    private final DeadLetters deadLetters;
    private final ClockSpec clock;
    private final String jobId;
    private transient @Nullable StoreWriter writer;
    private transient Clock now;
    /** Progress that was handed to the writer, in order. */
    private transient Deque<Progress> pending;
    /** When the store had the progress at the head of {@link #pending}, in the same order. */
    private transient Queue<ReadableEnd> written;

    /** When the store had the last rows since a progress: they are of the shard whose progress follows. Used by the writer's thread. */
    private transient long rowsAtMs;

    private transient ListState<Tuple2<Integer, Long>> kept;

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
        now = clock.toClock(Clock.systemUTC());
        pending = new ArrayDeque<>();
        written = new ConcurrentLinkedQueue<>();
        rowsAtMs = NO_ROWS;
        kept = context.getOperatorStateStore().getListState(PENDING);
        for (Tuple2<Integer, Long> progress : kept.get()) {
            pending.add(new Progress(view.qualifiedName(), progress.f0, Shards.COUNT, progress.f1));
            written.add(new ReadableEnd(progress.f0, progress.f1, now.millis(), now.millis()));
        }
    }

    /** Called on the writer's thread. */
    private void written(OutputItem item) {
        if (item instanceof OutputItem.Done done) {
            long atMs = now.millis();
            long rowsMs = rowsAtMs == NO_ROWS ? atMs : rowsAtMs;
            written.add(new ReadableEnd(done.progress().shard(), done.progress().windowEndMs(), rowsMs, atMs));
            rowsAtMs = NO_ROWS;
        } else if (!item.isPartial()) {
            rowsAtMs = now.millis();
        }
    }

    private void emitWritten() {
        for (ReadableEnd next = written.poll(); next != null; next = written.poll()) {
            pending.remove();
            output.collect(new StreamRecord<>(next));
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        emitWritten();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        kept.update(pending.stream()
                .map(progress -> Tuple2.of(progress.shard(), progress.windowEndMs()))
                .toList());
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
                this::written,
                tasks,
                takeAllProcessors ? STANDS_BACK : Duration.ZERO,
                TimeUnit.MILLISECONDS::sleep);
    }

    private StoreWriter writer() {
        return Objects.requireNonNull(writer);
    }

    @Override
    public void processElement(StreamRecord<OutputItem> element) throws InterruptedException {
        if (element.getValue() instanceof OutputItem.Done done) {
            pending.add(done.progress());
        }
        writer().write(element.getValue());
        emitWritten();
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        writer().standBackNoLonger();
        emitWritten();
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
        emitWritten();
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
