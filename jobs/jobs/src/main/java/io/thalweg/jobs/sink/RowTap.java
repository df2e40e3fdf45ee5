package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.row.HexRowBlock;
import java.util.function.Consumer;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Shows the rows of views with rings to a watcher in the same process, as the demo does with the hottest hexagons.
 *
 * <p><b>Threads.</b> The watcher is called by every subtask.
 */
public record RowTap(String jobId) implements Sink<OutputItem> {
    private record Watcher(Consumer<HexRowBlock> rows) {}

    /** Registers the watcher of a job. */
    public static void register(String jobId, Consumer<HexRowBlock> watcher) {
        new JobAccounts(jobId).put(Watcher.class, new Watcher(watcher));
    }

    /** Returns whether a job has a watcher. */
    public static boolean isWatched(String jobId) {
        return new JobAccounts(jobId).find(Watcher.class) != null;
    }

    @Override
    public SinkWriter<OutputItem> createWriter(WriterInitContext context) {
        Watcher watcher = new JobAccounts(jobId).find(Watcher.class);
        return new Writer(watcher == null ? block -> {} : watcher.rows());
    }

    private record Writer(Consumer<HexRowBlock> watcher) implements SinkWriter<OutputItem> {
        @Override
        public void write(OutputItem item, Context context) {
            if (item instanceof OutputItem.Rows rows && rows.block() instanceof HexRowBlock block) {
                watcher.accept(block);
            }
        }

        @Override
        public void flush(boolean endOfInput) {
            // Rows are shown as they come.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
