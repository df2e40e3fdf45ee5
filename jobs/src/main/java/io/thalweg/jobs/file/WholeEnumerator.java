package io.thalweg.jobs.file;

import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/** Gives the one split to the one reader. */
final class WholeEnumerator implements SplitEnumerator<FileBlockSource.Whole, Boolean> {
    private final SplitEnumeratorContext<FileBlockSource.Whole> context;
    private boolean assigned;

    WholeEnumerator(SplitEnumeratorContext<FileBlockSource.Whole> context, boolean assigned) {
        this.context = context;
        this.assigned = assigned;
    }

    @Override
    public void start() {
        // Waits for the reader.
    }

    @Override
    public void handleSplitRequest(int subtaskId, @Nullable String requesterHostname) {
        // The reader does not ask.
    }

    @Override
    public void addSplitsBack(List<FileBlockSource.Whole> splits, int subtaskId) {
        assigned = false;
    }

    @Override
    public void addReader(int subtaskId) {
        if (!assigned) {
            assigned = true;
            // Nothing else is sent: the reader ends by itself. An event that finds a task that has failed on its file
            // already would
            // be the job's failure, in place of what is wrong with the file.
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
