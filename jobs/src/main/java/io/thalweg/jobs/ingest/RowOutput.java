package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.lane.LaneSink;
import io.thalweg.jobs.lane.LaneSpec;
import io.thalweg.jobs.table.TableSink;
import io.thalweg.jobs.table.TableSpec;
import io.thalweg.model.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.warehouse.LaneAddress;
import java.time.Duration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;

/** Where a job's rows go. */
public sealed interface RowOutput {
    /** The suffix of the files that a job writes. */
    String SUFFIX = ".parquet";

    /** Adds the translation and the sink. */
    void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job);

    /**
     * Parquet files in a folder.
     *
     * @param prefix of the names of the files that the job writes
     */
    record ToFiles(Ingest.ParquetSink sink, String prefix) implements RowOutput {
        private static final long ROW_GROUP_BYTES = 64L << 20;

        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            IngestPlan plan = job.plan();
            Compression compression = Compression.valueOf(sink.compression().name());
            FileSink<ColumnBatch> files = FileSink.forBulkFormat(
                            new Path(sink.folder()), new ParquetBulk(plan.table(), compression, ROW_GROUP_BYTES))
                    .withBucketAssigner(new BasePathBucketAssigner<>())
                    .withRollingPolicy(new RollAtSize(sink.targetFile()))
                    .withOutputFileConfig(new OutputFileConfig(prefix, SUFFIX))
                    .build();
            String id = plan.ingest().qualifiedName();
            job.rows(records, new RowForm.Columns())
                    .sinkTo(files)
                    .name("write " + id)
                    .uid(id + "/write");
        }
    }

    /**
     * An Iceberg table.
     *
     * @param run names what this run has written
     */
    record ToTable(Ingest.IcebergSink sink, TableAddress table, String run) implements RowOutput {
        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            IngestPlan plan = job.plan();
            String id = plan.ingest().qualifiedName();
            TableSpec spec = new TableSpec(
                    table,
                    plan.table(),
                    Compression.valueOf(sink.compression().name()),
                    sink.targetFile(),
                    sink.keepSnapshots().duration(),
                    id,
                    run);
            job.rows(records, new RowForm.Columns())
                    .sinkTo(new TableSink(spec))
                    .name("write " + table.name())
                    .uid(id + "/table/" + table.name());
        }
    }

    /**
     * A table of a warehouse.
     *
     * @param linger for how long rows wait for others to be sent with them
     * @param writers how many lanes there are in total
     */
    record ToLanes(LaneAddress table, Duration linger, LaneSpec.Writers writers) implements RowOutput {
        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            String id = job.plan().ingest().qualifiedName();
            LaneSpec spec = new LaneSpec(
                    table, job.plan().table(), writers, job.jobId(), new RefusedRows(id, job.deadLetters()));
            // Rows that become visible with a checkpoint have no reason to hurry.
            Duration wait = table.exactlyOnce() ? Duration.ZERO : linger;
            job.rows(records, new RowForm.Encoded(table, wait))
                    .sinkTo(new LaneSink(spec))
                    .name("write " + table.name())
                    .uid(id + "/lanes/" + table.name());
        }
    }
}
