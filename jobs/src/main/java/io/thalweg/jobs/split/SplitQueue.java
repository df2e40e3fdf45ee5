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
 * Gives each reader that has nothing left the next split. The state is the splits that no reader has.
 *
 * <p>Readers end together, when all have nothing left: checkpoints do not hold the state of tasks that ended before, and a job that
 * resumes would have lost what they had counted.
 */
public final class SplitQueue<T extends SourceSplit> implements SplitEnumerator<T, List<T>> {
    private final SplitEnumeratorContext<T> context;
    private final Deque<T> left;
    private final Consumer<Collection<T>> observer;
    private final Set<Integer> idle = new TreeSet<>();

    /**
     * Creates a queue.
     *
     * @param observer sees the splits that are left after each change
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
            return; // It has failed meanwhile, and asks again when it is back.
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
        // It asks when it has nothing left.
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
