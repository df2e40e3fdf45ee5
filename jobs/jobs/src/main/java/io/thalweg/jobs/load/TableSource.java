package io.thalweg.jobs.load;

import io.thalweg.jobs.split.SplitQueue;
import io.thalweg.model.table.Materialization;
import io.thalweg.tables.TableSplit;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Reads the rows of a table, from beginning to end. Readers request splits when they need them; checkpoints contain the remaining splits
 * and the position of each reader in its own.
 *
 * @param splits of a new load; a resumed load takes them from its checkpoint
 * @param beganMs when the table was listed, epoch ms
 * @param rowsPerSecond of all readers together; infinite = unlimited
 */
record TableSource(Materialization spec, List<TableSplit> splits, long beganMs, double rowsPerSecond, String jobId)
        implements Source<LoadItem, TablePosition, List<TablePosition>> {
    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    private LoadMetrics.View counts() {
        return LoadMetrics.of(jobId).view(spec.view().qualifiedName());
    }

    @Override
    public SourceReader<LoadItem, TablePosition> createReader(SourceReaderContext context) {
        return new TableSourceReader(
                context,
                spec,
                counts(),
                new RateLimit(rowsPerSecond / context.currentParallelism()),
                beganMs,
                System::nanoTime);
    }

    @Override
    public SplitEnumerator<TablePosition, List<TablePosition>> createEnumerator(
            SplitEnumeratorContext<TablePosition> context) {
        List<TablePosition> all = splits.stream()
                .map(split -> new TablePosition(split, 0, beganMs))
                .toList();
        return queue(context, all);
    }

    @Override
    public SplitEnumerator<TablePosition, List<TablePosition>> restoreEnumerator(
            SplitEnumeratorContext<TablePosition> context, List<TablePosition> left) {
        return queue(context, left);
    }

    private SplitQueue<TablePosition> queue(SplitEnumeratorContext<TablePosition> context, List<TablePosition> left) {
        LoadMetrics.View counts = counts();
        return new SplitQueue<>(
                context,
                left,
                rest -> counts.left(
                        LoadMetrics.UNASSIGNED,
                        rest.stream()
                                .mapToLong(position -> position.split().bytes())
                                .sum()));
    }

    @Override
    public SimpleVersionedSerializer<TablePosition> getSplitSerializer() {
        return new TablePositionSerializer();
    }

    @Override
    public SimpleVersionedSerializer<List<TablePosition>> getEnumeratorCheckpointSerializer() {
        return TablePositionSerializer.LIST;
    }
}
