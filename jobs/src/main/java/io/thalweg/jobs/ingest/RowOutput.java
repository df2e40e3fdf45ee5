package io.thalweg.jobs.ingest;

import io.thalweg.jobs.table.TableSink;
import io.thalweg.jobs.table.TableSpec;
import io.thalweg.model.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.TableAddress;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.jspecify.annotations.Nullable;

/** Where a job's rows go. */
public sealed interface RowOutput {
    /** The suffix of the files that a job writes. */
    String SUFFIX = ".parquet";

    /** Adds the sink. */
    void addTo(DataStream<ColumnBatch> rows, IngestPlan plan);

    /**
     * Parquet files in a folder.
     *
     * @param prefix of the names of the files that the job writes
     */
    record ToFiles(Ingest.ParquetSink sink, String prefix) implements RowOutput {
        private static final long ROW_GROUP_BYTES = 64L << 20;

        @Override
        public void addTo(DataStream<ColumnBatch> rows, IngestPlan plan) {
            Compression compression = Compression.valueOf(sink.compression().name());
            FileSink<ColumnBatch> files = FileSink.forBulkFormat(
                            new Path(sink.folder()), new ParquetBulk(plan.table(), compression, ROW_GROUP_BYTES))
                    .withBucketAssigner(new BasePathBucketAssigner<>())
                    .withRollingPolicy(new RollAtSize(sink.targetFile()))
                    .withOutputFileConfig(new OutputFileConfig(prefix, SUFFIX))
                    .build();
            String id = plan.ingest().qualifiedName();
            rows.sinkTo(files).name("write " + id).uid(id + "/write");
        }
    }

    /**
     * An Iceberg table.
     *
     * @param run names what this run has written
     */
    record ToTable(Ingest.IcebergSink sink, TableAddress table, String run) implements RowOutput {
        @Override
        public void addTo(DataStream<ColumnBatch> rows, IngestPlan plan) {
            String id = plan.ingest().qualifiedName();
            TableSpec spec = new TableSpec(
                    table,
                    plan.table(),
                    Compression.valueOf(sink.compression().name()),
                    sink.targetFile(),
                    sink.keepSnapshots().duration(),
                    compaction(sink.compact()),
                    id,
                    run);
            rows.sinkTo(new TableSink(spec)).name("write " + table.name()).uid(id + "/table/" + table.name());
        }

        private static TableSpec.@Nullable Compaction compaction(Ingest.@Nullable Compact rule) {
            return rule == null
                    ? null
                    : new TableSpec.Compaction(rule.below(), rule.every().duration());
        }
    }
}
