package io.thalweg.jobs.compute;

import io.thalweg.api.v1.LiveRow;
import io.thalweg.jobs.JobPriority;
import io.thalweg.jobs.ThreadTime;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.live.FlinkRoutes;
import io.thalweg.live.LiveAddress;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.live.LiveReads;
import io.thalweg.live.LiveTask;
import io.thalweg.model.view.FeatureView;
import java.util.List;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.jspecify.annotations.Nullable;

/**
 * An operator that walks over its shards when the watermark advances, in turns of a few milliseconds, and forwards the watermark when the
 * walk is done.
 *
 * <p>Between two turns the task processes input, checkpoints and reads, so none of them waits for a whole minute's rows. A turn ends
 * early, after its current piece, if one of them is waiting. Progress is kept in the shards' own state: after a restore the walk starts
 * over and skips finished work.
 *
 * <p><b>Threads.</b> The task's thread.
 */
abstract class ShardWalkOperator<I, O> extends AbstractStreamOperator<O>
        implements OneInputStreamOperator<I, O>, BoundedOneInput {
    private static final long TURN_NANOS = 5_000_000;
    private static final String LOOPBACK = "127.0.0.1";

    final FeatureView view;
    private final long coveredFromMs;
    private long turnNanos = TURN_NANOS;

    /** The fingerprint of the view from which the kept state was computed. */
    transient ViewGuard guard;

    private transient ListState<Tuple3<String, String, Long>> account;
    /** Null in operators that count no events. */
    private transient @Nullable ViewMetrics counted;

    private transient MailboxExecutor mailbox;
    private transient KeyGroupRange shards;
    private transient @Nullable LiveTask live;

    /** The newest watermark that arrived. */
    private transient long reachedMs;
    /** The newest watermark that arrived before the end of the input. */
    private transient long beforeEndMs;
    /** The target watermark of the current walk. */
    private transient long walkMs;

    private transient boolean walking;

    /**
     * Creates the operator of a view.
     *
     * @param coveredFromMs event time from which on all events are read, {@code Long.MIN_VALUE} if input begins with its first
     *     event; the value of a restored state takes precedence
     */
    ShardWalkOperator(FeatureView view, long coveredFromMs) {
        this.view = view;
        this.coveredFromMs = coveredFromMs;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        guard = ViewGuard.restore(context, view, coveredFromMs);
        account = context.getOperatorStateStore().getListState(ViewMetrics.STATE);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        guard.snapshot();
        account.update(counted == null ? List.of() : counted.snapshot());
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory storage)
            throws Exception {
        OperatorSnapshotFutures futures = super.snapshotState(checkpointId, timestamp, options, storage);
        futures.setKeyedStateManagedFuture(JobPriority.taking(futures.getKeyedStateManagedFuture()));
        return futures;
    }

    /** Restores the counts of events that reach a closed pane here; they are part of the operator's state. */
    final ViewMetrics restoreCounts(String jobId, String operator) throws Exception {
        ViewMetrics counts = new ViewMetrics(
                jobId, view, operator, getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), getMetricGroup());
        counts.restore(account.get());
        counted = counts;
        return counts;
    }

    @Override
    @SuppressWarnings("deprecation")
    public void setMailboxExecutor(MailboxExecutor mailboxExecutor) {
        super.setMailboxExecutor(mailboxExecutor);
        mailbox = mailboxExecutor;
    }

    @Override
    public void open() throws Exception {
        super.open();
        JobPriority.take();
        ThreadTime.register(getMetricGroup());
        reachedMs = Long.MIN_VALUE;
        beforeEndMs = Long.MIN_VALUE;
        walkMs = Long.MIN_VALUE;
        TaskInfo task = getRuntimeContext().getTaskInfo();
        shards = KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                Shards.COUNT, task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
    }

    /** Serves live reads of this subtask's shards for as long as it runs. */
    final void answerLiveReads(String jobId, LiveReads reads) {
        TaskManagerRuntimeInfo process = getRuntimeContext().getTaskManagerRuntimeInfo();
        String external = process.getTaskManagerExternalAddress();
        String host = external.isEmpty() ? LOOPBACK : external; // empty if Flink is embedded
        String bind = process.getTaskManagerBindAddress(); // null if Flink has no setting for it
        live = LiveEndpoint.join(
                jobId,
                view.qualifiedName(),
                firstShard(),
                lastShard(),
                new LiveAddress(
                        bind == null || bind.isEmpty() ? host : bind, host, FlinkTls.of(process.getConfiguration())),
                turn -> mailbox.execute(turn::run, "live read"),
                new MeteredReads(reads, jobId, view, getMetricGroup()));
        String route = live.route().toText();
        getMetricGroup().gauge(FlinkRoutes.METRIC, () -> route);
    }

    /**
     * Starts a live answer with the watermark and the end of the open window.
     *
     * @param closed the last window end reached; ignored if no watermark has arrived
     * @param reachedMs as of {@link #reachedMs()} when the key was read
     */
    static LiveRow.Builder liveRow(PaneClock clock, long closed, long reachedMs) {
        LiveRow.Builder row = LiveRow.newBuilder();
        if (isTimed(clock, closed)) {
            row.setWatermarkMs(Math.max(reachedMs, clock.endMs(closed))).setWindowEndMs(clock.endMs(closed + 1));
        }
        return row;
    }

    /** Returns whether a watermark has arrived that ends windows, except the final one, after which no window is open. */
    static boolean isTimed(PaneClock clock, long closed) {
        return closed > clock.endsReached(Long.MIN_VALUE) && closed < clock.endsReached(Long.MAX_VALUE);
    }

    @Override
    public void close() throws Exception {
        if (live != null) {
            live.close();
        }
        super.close();
    }

    /** Ends a turn after each step, so that tests observe every state between the steps of a walk. */
    final void takeSingleSteps() {
        turnNanos = 0;
    }

    /** First of this subtask's shards. */
    final int firstShard() {
        return shards.getStartKeyGroup();
    }

    /** Last of this subtask's shards. */
    final int lastShard() {
        return shards.getEndKeyGroup();
    }

    final void selectShard(int shard) {
        setCurrentKey(Shards.recordKey(shard));
    }

    /** The newest watermark that arrived, epoch ms. */
    final long reachedMs() {
        return reachedMs;
    }

    /** The newest watermark before the end of the input: the time of the last event, once the input has ended; epoch ms. */
    final long beforeEndMs() {
        return beforeEndMs;
    }

    /** Prepares a walk over all shards for a watermark; {@link Watermark#MAX_WATERMARK} marks the end of the input. */
    abstract void beginWalk(long watermarkMs) throws Exception;

    /** Does a small piece of the walk; returns false when nothing is left to do. */
    abstract boolean step() throws Exception;

    @Override
    public final void processWatermark(Watermark mark) throws Exception {
        reachedMs = Math.max(reachedMs, mark.getTimestamp());
        if (!mark.equals(Watermark.MAX_WATERMARK)) {
            beforeEndMs = reachedMs;
        }
        if (!walking) {
            startWalk();
            takeTurns(this::walk, "walk over the shards");
        }
    }

    @Override
    public final void endInput() throws Exception {
        while (walking) {
            while (step()) {
                // Without turns, because no other input can be waiting.
            }
            endWalk();
        }
    }

    private void startWalk() throws Exception {
        walking = true;
        walkMs = beforeEndMs > walkMs ? beforeEndMs : reachedMs;
        beginWalk(walkMs);
    }

    /** Continues the current walk, or the next one if a newer watermark arrived meanwhile. */
    private boolean walk() throws Exception {
        if (walking && !step()) {
            endWalk();
        }
        return walking;
    }

    /** Work in small pieces. */
    interface Pieces {
        /** Does one piece; returns false when nothing is left to do. */
        boolean next() throws Exception;
    }

    /** Does pieces of work until nothing is left, in turns of a few milliseconds that end early if other mail is waiting. */
    final void takeTurns(Pieces pieces, String what) {
        mailbox.execute(() -> turn(pieces, what), what);
    }

    private void turn(Pieces pieces, String what) throws Exception {
        long until = System.nanoTime() + turnNanos;
        do {
            if (!pieces.next()) {
                return;
            }
        } while (System.nanoTime() - until < 0 && !mailbox.shouldInterrupt());
        takeTurns(pieces, what);
    }

    private void endWalk() throws Exception {
        walking = false;
        output.emitWatermark(new Watermark(walkMs));
        if (reachedMs > walkMs) {
            startWalk();
        }
    }
}
