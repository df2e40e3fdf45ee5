package io.thalweg.jobs.sink;

import io.thalweg.history.LogProgress;
import io.thalweg.history.LogRows;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.table.TableSink;
import io.thalweg.jobs.table.TableSpec;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.records.columns.ColumnBatch;
import java.time.Clock;
import java.util.Objects;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Writes the feature log of a view: FINAL rows to one Iceberg table, and when they became readable to another, both exactly once.
 *
 * @param jobId names what this process shares with the job
 */
public record FeatureLogSink(FeatureView view, LogTarget target, String jobId) {
    private static final BlockType<ColumnBatch> RECORDS = Chained.type(ColumnBatch.class);

    /** Adds the sink of rows. */
    public void addRows(DataStream<OutputItem> rows) {
        addRows(rows, 0);
    }

    /**
     * Adds the sink of rows of a load.
     *
     * @param loadedMs when the load listed its table, epoch ms
     */
    public void addLoad(DataStream<OutputItem> rows, long loadedMs) {
        addRows(rows, loadedMs);
    }

    private void addRows(DataStream<OutputItem> rows, long loadedMs) {
        write(rows, "log", new OfRows(view, target.spec().format(), loadedMs), target.rows(view, jobId));
    }

    /** Adds the sink of progress. */
    public void addProgress(DataStream<ReadableEnd> readable) {
        write(readable, "progress", new OfProgress(), target.progress(view, jobId));
    }

    /**
     * Returns the progress of rows without a store, which are readable once they leave the job.
     *
     * @param clock the time at which they leave; null = they are computed after the fact
     */
    public static DataStream<ReadableEnd> withoutStore(DataStream<OutputItem> rows, @Nullable ClockSpec clock) {
        return rows.flatMap(new Stamp(clock)).returns(ReadableEnd.TYPE).name("stamp");
    }

    private record Stamp(@Nullable ClockSpec clock) implements FlatMapFunction<OutputItem, ReadableEnd> {
        @Override
        public void flatMap(OutputItem item, Collector<ReadableEnd> out) {
            if (item instanceof OutputItem.Done done) {
                long atMs = clock == null
                        ? LogProgress.UNKNOWN
                        : clock.toClock(Clock.systemUTC()).millis();
                out.collect(
                        new ReadableEnd(done.progress().shard(), done.progress().windowEndMs(), atMs, atMs));
            }
        }
    }

    private <I> void write(
            DataStream<I> from, String what, OneInputStreamOperator<I, ColumnBatch> records, TableSpec table) {
        String id = view.qualifiedName() + "/log/" + what;
        from.transform("encode " + table.table().name(), RECORDS, records)
                .uid(id + "/encode")
                .sinkTo(new TableSink(table))
                .name("write " + table.table().name())
                .uid(id + "/write");
    }

    private static final class OfRows extends LogOperator<OutputItem> {
        private static final long serialVersionUID = 1L;
        private static final long MANY_BYTES = 4 << 20;

        private final FeatureView view;
        private final OfflineSpec.Format format;
        private final long loadedMs;
        private transient @Nullable LogRows records;

        OfRows(FeatureView view, OfflineSpec.Format format, long loadedMs) {
            this.view = view;
            this.format = format;
            this.loadedMs = loadedMs;
        }

        @Override
        public void open() throws Exception {
            super.open();
            records = view.isTable() ? LogRows.ofLoad(view, loadedMs) : LogRows.of(view, format);
        }

        private LogRows records() {
            return Objects.requireNonNull(records);
        }

        @Override
        boolean add(OutputItem item) throws Exception {
            if (item instanceof OutputItem.Rows rows && !item.isPartial()) {
                records().add(rows.block());
            }
            return records().bytes() >= MANY_BYTES;
        }

        @Override
        ColumnBatch take() {
            return records().take();
        }
    }

    private static final class OfProgress extends LogOperator<ReadableEnd> {
        private static final long serialVersionUID = 1L;
        private static final int MANY = 4_096;

        private transient @Nullable LogProgress records;

        @Override
        public void open() throws Exception {
            super.open();
            records = new LogProgress();
        }

        private LogProgress records() {
            return Objects.requireNonNull(records);
        }

        @Override
        boolean add(ReadableEnd item) {
            records().add(item.shard(), item.windowEndMs(), item.rowsAtMs(), item.atMs());
            return records().size() >= MANY;
        }

        @Override
        ColumnBatch take() {
            return records().take();
        }
    }
}
