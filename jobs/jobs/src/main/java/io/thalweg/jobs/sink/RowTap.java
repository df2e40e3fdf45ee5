package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.row.HexRowBlock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
    private static final Map<String, Consumer<HexRowBlock>> WATCHERS = new ConcurrentHashMap<>();

    /** Registers the watcher of a job. */
    public static void register(String jobId, Consumer<HexRowBlock> watcher) {
        WATCHERS.put(jobId, watcher);
    }

    /** Returns whether a job has a watcher. */
    public static boolean isWatched(String jobId) {
        return WATCHERS.containsKey(jobId);
    }

    @Override
    public SinkWriter<OutputItem> createWriter(WriterInitContext context) {
        return new Writer(WATCHERS.getOrDefault(jobId, block -> {}));
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
