package io.thalweg.jobs.compute;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Emits the rows of all shards at every window end that the watermark reaches, one window end after the other. After a shard's last row
 * of a window end, it emits a progress record.
 *
 * <p><b>End of input.</b> The first window end after the last event is the last one that is reached: a store then answers as of the last
 * event. Rows of later window ends, down to the zeros of windows without events, follow, or go to {@link #AFTER_END} if they are kept apart.
 *
 * <p><b>State.</b> One value per shard, including the cursor of a window end in progress.
 *
 * @param <S> the state of a shard
 */
abstract class WindowOperator<I, S> extends ShardWalkOperator<I, OutputItem> {
    /** Receives rows and progress of window ends that no event has reached when the input ends. */
    static final OutputTag<OutputItem> AFTER_END = new OutputTag<>("after-end", OutputItem.TYPE);

    final PaneClock clock;
    final String jobId;
    private boolean afterEndApart;

    transient ValueState<S> kept;
    transient JobMetrics.View counts;
    transient int windowPanes;
    /** The first window end with rows; the largest window of an earlier one would not be fully covered. */
    transient long firstEnd;

    private transient boolean inputEnded;
    private transient long walkLimit;
    transient long walkEnd;
    transient int walkShard;
    /** The last window end that all shards have completed in this run of the operator. */
    transient long doneEnd;

    WindowOperator(FeatureView view, long coveredFromMs, String jobId) {
        super(view, coveredFromMs);
        this.clock = view.clock();
        this.jobId = jobId;
    }

    /** Emits what follows the end of the input to {@link #AFTER_END}. */
    final void keepAfterEndApart() {
        afterEndApart = true;
    }

    /** The state of a shard. */
    abstract ValueStateDescriptor<S> state();

    /** Returns the next window end for which a shard may have rows, not after {@code limit}. */
    abstract long nextEnd(S shard, long limit);

    /** Returns the last window end whose rows have all been emitted. */
    abstract long firedEnd(S shard);

    /** Emits some rows of {@link #walkEnd}; returns false when the shard has none left. */
    abstract boolean fire(S shard) throws Exception;

    @Override
    public void open() throws Exception {
        super.open();
        windowPanes = view.windows().largestPanes();
        firstEnd = guard.coveredFromMs() == Long.MIN_VALUE
                ? Long.MIN_VALUE
                : clock.firstEndAtOrAfter(guard.coveredFromMs()) + windowPanes;
        kept = getRuntimeContext().getState(state());
        counts = JobMetrics.of(jobId).view(view.qualifiedName());
        counts.firstRowsAt(firstEnd == Long.MIN_VALUE ? Long.MIN_VALUE : clock.endMs(firstEnd));
        doneEnd = Long.MIN_VALUE;
        guard.dropIfWarmingUp(this::dropKept);
    }

    private void dropKept() throws Exception {
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            kept.clear();
        }
    }

    @Override
    void beginWalk(long watermarkMs) throws Exception {
        inputEnded = watermarkMs == Watermark.MAX_WATERMARK.getTimestamp();
        if (!inputEnded) {
            walkLimit = clock.endsReached(watermarkMs);
            counts.watermarkReached(watermarkMs);
        } else if (beforeEndMs() == Long.MIN_VALUE) {
            walkLimit = Long.MIN_VALUE; // no event was read
        } else {
            walkLimit = clock.endsReached(beforeEndMs()) + 1;
            counts.watermarkReached(clock.endMs(walkLimit));
        }
        nextWalkEnd();
    }

    /** Selects the earliest window end for which any shard may have rows. */
    private void nextWalkEnd() throws Exception {
        walkEnd = walkLimit;
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            S state = kept.value();
            if (state != null) {
                walkEnd = Math.min(walkEnd, nextEnd(state, walkLimit));
            }
        }
        walkShard = firstShard();
    }

    @Override
    boolean step() throws Exception {
        if (walkEnd == Long.MAX_VALUE || walkEnd <= doneEnd) {
            return walkAfterEnd();
        }
        if (walkShard > lastShard()) {
            doneEnd = walkEnd;
            if (walkEnd >= walkLimit) {
                return walkAfterEnd();
            }
            nextWalkEnd();
            return true;
        }
        selectShard(walkShard);
        S shard = kept.value();
        if (shard == null || !fire(shard)) {
            // After a restore the walk may begin before a shard's last window end, but its progress must not step back.
            if (shard == null || firedEnd(shard) <= walkEnd) {
                progress();
            }
            walkShard++;
        }
        return true;
    }

    /** Continues with the window ends that no event has reached, once the input has ended; returns false when they are done. */
    private boolean walkAfterEnd() throws Exception {
        if (!inputEnded || isAfterEnd()) {
            return false;
        }
        walkLimit = Long.MAX_VALUE;
        nextWalkEnd();
        return true;
    }

    private boolean isAfterEnd() {
        return walkLimit == Long.MAX_VALUE;
    }

    /** Emits an item of {@link #walkEnd}. */
    final void emit(OutputItem item) {
        if (afterEndApart && isAfterEnd()) {
            output.collect(AFTER_END, new StreamRecord<>(item));
        } else {
            output.collect(new StreamRecord<>(item));
        }
    }

    private void progress() {
        if (walkEnd >= firstEnd) {
            emit(new OutputItem.Done(
                    new Progress(view.qualifiedName(), walkShard, Shards.COUNT, clock.endMs(walkEnd))));
        }
    }
}
