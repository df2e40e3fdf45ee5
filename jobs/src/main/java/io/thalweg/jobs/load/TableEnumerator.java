package io.thalweg.jobs.load;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/** Gives each reader that has nothing left the next split. */
final class TableEnumerator implements SplitEnumerator<TablePosition, List<TablePosition>> {
    private final SplitEnumeratorContext<TablePosition> context;
    private final Deque<TablePosition> left;
    private final LoadMetrics.View counts;

    TableEnumerator(SplitEnumeratorContext<TablePosition> context, List<TablePosition> left, LoadMetrics.View counts) {
        this.context = context;
        this.left = new ArrayDeque<>(left);
        this.counts = counts;
    }

    @Override
    public void start() {
        tell();
    }

    private void tell() {
        counts.left(
                LoadMetrics.UNASSIGNED,
                left.stream().mapToLong(position -> position.split().bytes()).sum());
    }

    @Override
    public void handleSplitRequest(int subtaskId, @Nullable String requesterHostname) {
        if (!context.registeredReaders().containsKey(subtaskId)) {
            return; // It has failed meanwhile, and asks again when it is back.
        }
        TablePosition next = left.poll();
        if (next == null) {
            context.signalNoMoreSplits(subtaskId);
        } else {
            context.assignSplit(next, subtaskId);
            tell();
        }
    }

    @Override
    public void addSplitsBack(List<TablePosition> splits, int subtaskId) {
        for (int i = splits.size() - 1; i >= 0; i--) {
            left.addFirst(splits.get(i));
        }
        tell();
    }

    @Override
    public void addReader(int subtaskId) {
        // It asks when it has nothing left.
    }

    @Override
    public List<TablePosition> snapshotState(long checkpointId) {
        return List.copyOf(left);
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
