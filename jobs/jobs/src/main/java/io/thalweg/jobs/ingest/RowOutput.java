package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.ingest.deadletters.RefusedRows;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.CountedFiles;
import io.thalweg.jobs.ingest.target.FolderRows;
import io.thalweg.jobs.ingest.target.FolderSplitter;
import io.thalweg.jobs.ingest.target.MessageBatch;
import io.thalweg.jobs.ingest.target.OpenFolders;
import io.thalweg.jobs.ingest.target.ParquetBulk;
import io.thalweg.jobs.ingest.target.RollAtSize;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.jobs.ingest.target.WrittenFiles;
import io.thalweg.jobs.sink.CountedKafkaSink;
import io.thalweg.jobs.sink.KafkaRecord;
import io.thalweg.jobs.sink.TopicWrite;
import io.thalweg.jobs.stream.StreamSink;
import io.thalweg.jobs.stream.StreamSpec;
import io.thalweg.jobs.table.TableSink;
import io.thalweg.jobs.table.TableSpec;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.tables.OpenFileLimits;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.warehouse.StreamAddress;
import java.time.Duration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.filesystem.BucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.SimpleVersionedStringSerializer;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** The output of a job's rows. */
public sealed interface RowOutput {
    /** Adds the translation and the sink. */
    void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job);

    /**
     * Writes Parquet files in a folder.
     *
     * @param prefix the name prefix of the files that the job writes
     */
    record ToFiles(Ingest.ParquetSink sink, String prefix) implements RowOutput {
        private static final BlockType<FolderRows> FOLDERS = Chained.type(FolderRows.class);
        /** How often files beyond {@link OpenFileLimits#FILES} are closed. */
        private static final long CHECK_MS = 1_000;

        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            IngestPlan plan = job.plan();
            String id = plan.ingest().qualifiedName();
            Compression compression =
                    Compression.valueOf(sink.files().compression().name());
            OpenFolders open = new OpenFolders();
            FileSink<FolderRows> files = FileSink.forBulkFormat(
                            new Path(sink.folder()), new ParquetBulk(plan.table(), compression, open))
                    .withBucketAssigner(new ByFolder())
                    .withBucketCheckInterval(CHECK_MS)
                    .withRollingPolicy(new RollAtSize(sink.files().targetFile(), open))
                    .withOutputFileConfig(new OutputFileConfig(prefix, WrittenFiles.SUFFIX))
                    .build();
            job.rows(records, new RowForm.Columns())
                    .transform("split " + id, FOLDERS, new FolderSplitter(plan.layout()))
                    .uid(id + "/split")
                    .sinkTo(new CountedFiles(files, prefix + "-", job.jobId()))
                    .name("write " + id)
                    .uid(id + "/write");
        }
    }

    /** Uses the folder as the bucket of Flink's file sink. */
    final class ByFolder implements BucketAssigner<FolderRows, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String getBucketId(FolderRows rows, Context context) {
            return rows.folder();
        }

        @Override
        public SimpleVersionedSerializer<String> getSerializer() {
            return SimpleVersionedStringSerializer.INSTANCE;
        }
    }

    /**
     * Writes an Iceberg table.
     *
     * @param writer identifies the job to the table, which keeps its last commit
     * @param run identifies what this run writes
     */
    record ToTable(Ingest.IcebergSink sink, TableAddress table, String writer, String run) implements RowOutput {
        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            IngestPlan plan = job.plan();
            String id = plan.ingest().qualifiedName();
            TableSpec spec = new TableSpec(
                    table,
                    plan.layout(),
                    Compression.valueOf(sink.files().compression().name()),
                    sink.files().targetFile(),
                    new TableSpec.Expiry(sink.keepSnapshots().duration(), sink.maxSnapshots()),
                    compaction(sink.compact()),
                    null,
                    id + "/collect/" + table.name(),
                    writer,
                    run,
                    job.jobId());
            job.rows(records, new RowForm.Columns())
                    .sinkTo(new TableSink(spec))
                    .name("write " + table.name())
                    .uid(id + "/table/" + table.name());
        }

        private static TableSpec.@Nullable Compaction compaction(Ingest.@Nullable Compact rule) {
            return rule == null
                    ? null
                    : new TableSpec.Compaction(rule.below(), rule.every().duration());
        }
    }

    /**
     * Writes a topic.
     *
     * @param writer identifies the job to the brokers; a job with the same name aborts the transactions that this one left open
     */
    record ToTopic(Ingest.TopicSink sink, TopicWrite topic, String writer) implements RowOutput {
        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            String id = job.plan().ingest().qualifiedName();
            // Rows become visible only with a checkpoint, so early emission gains nothing.
            Duration linger = sink.exactlyOnce() ? Duration.ZERO : sink.linger().duration();
            KafkaSink<KafkaRecord> kafka =
                    sink.exactlyOnce() ? topic.inTransactions(writer) : topic.untilAcknowledged();
            job.rows(records, new RowForm.Messages(job.plan().messages(), linger))
                    .flatMap((MessageBatch batch, Collector<KafkaRecord> out) ->
                            batch.records().forEach(out::collect))
                    .returns(KafkaRecord.TYPE)
                    .name("split " + id)
                    .uid(id + "/split")
                    .sinkTo(new CountedKafkaSink(kafka, topic.cluster(), job.jobId()))
                    .name("write " + topic.topic())
                    .uid(uid(id, sink));
        }

        static String uid(String ingest, Ingest.TopicSink sink) {
            return ingest + "/to/" + sink.kafka() + "/" + sink.topic();
        }
    }

    /**
     * Writes a table of a warehouse.
     *
     * @param linger how long rows wait for more to be sent together
     * @param writers how many streams there are in total
     */
    record ToStreams(StreamAddress table, Duration linger, StreamSpec.Writers writers) implements RowOutput {
        @Override
        public void addTo(SingleOutputStreamOperator<RawRecords> records, IngestJob job) {
            String id = job.plan().ingest().qualifiedName();
            StreamSpec spec = new StreamSpec(
                    table, job.plan().table(), writers, job.jobId(), new RefusedRows(id, job.deadLetters()));
            // Rows become visible only with a checkpoint, so early emission gains nothing.
            Duration wait = table.exactlyOnce() ? Duration.ZERO : linger;
            job.rows(records, new RowForm.Encoded(table, wait))
                    .sinkTo(new StreamSink(spec))
                    .name("write " + table.name())
                    .uid(uid(id, table.name()));
        }

        static String uid(String ingest, String table) {
            return ingest + "/lanes/" + table;
        }
    }
}
