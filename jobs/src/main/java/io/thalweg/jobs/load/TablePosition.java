package io.thalweg.jobs.load;

import io.thalweg.tables.TableSplit;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A split and how much of it is read.
 *
 * @param row the first that is not
 * @param loadMs the time of rows that have none of their own, epoch ms: of a load that is resumed still that of its beginning
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
