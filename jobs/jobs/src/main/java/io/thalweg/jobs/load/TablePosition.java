package io.thalweg.jobs.load;

import io.thalweg.tables.TableSplit;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A split and its read progress.
 *
 * @param row the first unread row
 * @param loadMs the time of rows without one, epoch ms; a resumed load keeps the time of its start
 */
record TablePosition(TableSplit split, long row, long loadMs) implements SourceSplit {
    @Override
    public String splitId() {
        return split.id();
    }

    TablePosition at(long next) {
        return new TablePosition(split, next, loadMs);
    }
}
