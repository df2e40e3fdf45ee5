package io.thalweg.jobs.compute;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.Progress;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Lets shards say what they have to say at every window end that the watermark reaches, one end after the other. After the
 * last row of a window end, each shard says so with a progress record.
 *
 * <p><b>State.</b> One value per shard, the cursor of a window end under way included.
 *
 * @param <S> what is kept of a shard
 */
abstract class WindowOperator<I, S> extends ShardWalkOperator<I, OutputItem> {
    final PaneClock clock;
    final String jobId;

    transient ValueState<S> kept;
    transient JobMetrics.View counts;
    transient int windowPanes;
    /** No row leaves for a window end before this one: its largest window would not be wholly covered. */
    transient long firstEnd;

    private transient long walkLimit;
    transient long walkEnd;
    transient int walkShard;
    /** The last window end that all shards are done with in this run of the operator. */
    transient long doneEnd;

    WindowOperator(FeatureView view, long coveredFromMs, String jobId) {
        super(view, coveredFromMs);
        this.clock = view.clock();
        this.jobId = jobId;
    }

    /** The state of a shard. */
    abstract ValueStateDescriptor<S> state();

    /** The next window end that a shard may have something to say at, not after {@code limit}. */
    abstract long nextEnd(S shard, long limit);

    /** The last window end whose rows have all left. */
    abstract long firedEnd(S shard);

    /** Lets some rows of {@link #walkEnd} leave; false when the shard has none left. */
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
        boolean toTheEnd = watermarkMs == Watermark.MAX_WATERMARK.getTimestamp();
        walkLimit = toTheEnd ? Long.MAX_VALUE : clock.endsReached(watermarkMs);
        if (!toTheEnd) {
            counts.watermarkReached(watermarkMs);
        }
        nextWalkEnd();
    }

    /** Chooses the earliest window end that any shard has something to say at. */
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
            return false;
        }
        if (walkShard > lastShard()) {
            doneEnd = walkEnd;
            if (walkEnd >= walkLimit) {
                return false;
            }
            nextWalkEnd();
            return true;
        }
        selectShard(walkShard);
        S shard = kept.value();
        if (shard == null || !fire(shard)) {
            // After a restore the walk may begin at ends that a shard has left behind: its progress never steps back.
            if (shard == null || firedEnd(shard) <= walkEnd) {
                progress();
            }
            walkShard++;
        }
        return true;
    }

    private void progress() {
        if (walkEnd >= firstEnd) {
            output.collect(new StreamRecord<>(new OutputItem.Done(
                    new Progress(view.qualifiedName(), walkShard, Shards.COUNT, clock.endMs(walkEnd)))));
        }
    }
}
