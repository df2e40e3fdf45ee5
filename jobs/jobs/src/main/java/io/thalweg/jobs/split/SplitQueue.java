package io.thalweg.jobs.split;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the next split to each idle reader. Its state is the unassigned splits.
 *
 * <p>Readers end together, when all are idle. Checkpoints do not hold the state of tasks that ended earlier, so a resumed job would
 * lose their counts.
 */
public final class SplitQueue<T extends SourceSplit> implements SplitEnumerator<T, List<T>> {
    private final SplitEnumeratorContext<T> context;
    private final Deque<T> left;
    private final Consumer<Collection<T>> observer;
    private final Set<Integer> idle = new TreeSet<>();

    /**
     * Creates a queue.
     *
     * @param observer receives the unassigned splits after each change
     */
    public SplitQueue(SplitEnumeratorContext<T> context, List<T> left, Consumer<Collection<T>> observer) {
        this.context = context;
        this.left = new ArrayDeque<>(left);
        this.observer = observer;
    }

    @Override
    public void start() {
        observer.accept(left);
    }

    @Override
    public void handleSplitRequest(int subtaskId, @Nullable String requesterHostname) {
        if (!context.registeredReaders().containsKey(subtaskId)) {
            return; // It has failed in the meantime and asks again after its restart.
        }
        idle.add(subtaskId);
        serve();
    }

    private void serve() {
        while (!left.isEmpty() && !idle.isEmpty()) {
            int reader = idle.iterator().next();
            idle.remove(reader);
            context.assignSplit(left.remove(), reader);
        }
        observer.accept(left);
        if (idle.size() == context.currentParallelism()) {
            idle.forEach(context::signalNoMoreSplits);
        }
    }

    @Override
    public void addSplitsBack(List<T> splits, int subtaskId) {
        idle.remove(subtaskId);
        for (int i = splits.size() - 1; i >= 0; i--) {
            left.addFirst(splits.get(i));
        }
        serve();
    }

    @Override
    public void addReader(int subtaskId) {
        // The reader requests a split when it is idle.
    }

    @Override
    public List<T> snapshotState(long checkpointId) {
        return List.copyOf(left);
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
