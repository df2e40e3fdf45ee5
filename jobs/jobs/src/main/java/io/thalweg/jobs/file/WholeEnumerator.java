package io.thalweg.jobs.file;

import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/** Assigns the only split to the only reader. */
final class WholeEnumerator implements SplitEnumerator<FileBlockSource.Whole, Boolean> {
    private final SplitEnumeratorContext<FileBlockSource.Whole> context;
    private boolean assigned;

    WholeEnumerator(SplitEnumeratorContext<FileBlockSource.Whole> context, boolean assigned) {
        this.context = context;
        this.assigned = assigned;
    }

    @Override
    public void start() {
        // The split is assigned when the reader registers.
    }

    @Override
    public void handleSplitRequest(int subtaskId, @Nullable String requesterHostname) {
        // The reader does not request splits.
    }

    @Override
    public void addSplitsBack(List<FileBlockSource.Whole> splits, int subtaskId) {
        assigned = false;
    }

    @Override
    public void addReader(int subtaskId) {
        if (!assigned) {
            assigned = true;
            // No further event is sent, because the reader ends on its own. An event to a task that has already failed
            // on its file would be reported as the job's failure and would hide the real cause.
            context.assignSplit(new FileBlockSource.Whole(0), subtaskId);
        }
    }

    @Override
    public Boolean snapshotState(long checkpointId) {
        return assigned;
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
