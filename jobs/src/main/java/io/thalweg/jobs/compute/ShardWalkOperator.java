package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.Shards;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * An operator that, when the watermark moves, walks over its shards in turns of a few milliseconds, and hands the watermark
 * on when the walk is done.
 *
 * <p>Between two turns the task takes input, checkpoints and reads, so none of them waits for a whole minute's rows. What
 * was done is kept in the shards' own state: after a restore the walk begins anew and finds done what is done.
 *
 * <p><b>Threads.</b> The task's own.
 */
abstract class ShardWalkOperator<I, O> extends AbstractStreamOperator<O>
        implements OneInputStreamOperator<I, O>, BoundedOneInput {
    private static final long TURN_NANOS = 5_000_000;

    private long turnNanos = TURN_NANOS;

    private transient MailboxExecutor mailbox;
    private transient KeyGroupRange shards;

    /** The newest watermark that arrived. */
    private transient long reachedMs;
    /** The watermark that the walk under way goes to. */
    private transient long walkMs;

    private transient boolean walking;

    @Override
    @SuppressWarnings("deprecation")
    public void setMailboxExecutor(MailboxExecutor mailboxExecutor) {
        super.setMailboxExecutor(mailboxExecutor);
        mailbox = mailboxExecutor;
    }

    @Override
    public void open() throws Exception {
        super.open();
        reachedMs = Long.MIN_VALUE;
        walkMs = Long.MIN_VALUE;
        TaskInfo task = getRuntimeContext().getTaskInfo();
        shards = KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                Shards.COUNT, task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
    }

    /** Ends a turn after each step: what a walk looks like to those who come between. */
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

    /** Gets ready to walk all shards for a watermark; {@link Watermark#MAX_WATERMARK} stands for the end of the input. */
    abstract void beginWalk(long watermarkMs) throws Exception;

    /** Does a small piece of the walk; false when nothing is left to do. */
    abstract boolean step() throws Exception;

    @Override
    public final void processWatermark(Watermark mark) throws Exception {
        reachedMs = Math.max(reachedMs, mark.getTimestamp());
        if (!walking) {
            startWalk();
            mailbox.execute(this::turn, "walk over the shards");
        }
    }

    @Override
    public final void endInput() throws Exception {
        while (walking) {
            while (step()) {
                // To the end: nothing else is coming that could want a turn.
            }
            endWalk();
        }
    }

    private void startWalk() throws Exception {
        walking = true;
        walkMs = reachedMs;
        beginWalk(walkMs);
    }

    private void turn() throws Exception {
        if (!walking) {
            return;
        }
        long until = System.nanoTime() + turnNanos;
        do {
            if (!step()) {
                endWalk();
                if (!walking) {
                    return;
                }
            }
        } while (System.nanoTime() - until < 0);
        mailbox.execute(this::turn, "walk over the shards");
    }

    private void endWalk() throws Exception {
        walking = false;
        output.emitWatermark(new Watermark(walkMs));
        if (reachedMs > walkMs) {
            startWalk();
        }
    }
}
