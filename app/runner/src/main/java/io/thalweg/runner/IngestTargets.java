package io.thalweg.runner;

import io.thalweg.google.bigquery.BigQueryAddress;
import io.thalweg.jobs.ingest.RowOutput;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.WrittenFiles;
import io.thalweg.jobs.sink.TopicTotals;
import io.thalweg.jobs.sink.TopicWrite;
import io.thalweg.jobs.stream.StreamSpec;
import io.thalweg.jobs.stream.StreamTotals;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.CatalogAwayException;
import io.thalweg.tables.iceberg.IcebergTableMismatchException;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What ingests write to. */
final class IngestTargets {
    private IngestTargets() {}

    /**
     * Requires that rows can be written, before a job is started. Creates a missing table.
     *
     * @throws UserError if they cannot
     */
    static void require(IngestPlan plan, DeploymentConfig deploymentConfig) {
        Ingest.Sink sink = plan.ingest().sink();
        if (sink instanceof Ingest.ParquetSink parquet && !parquet.folder().contains("://")) {
            WritableTargets.requireFolder("sink.parquet", Path.of(parquet.folder()));
        } else if (sink instanceof Ingest.BigQuerySink bigQuery) {
            BigQueryTargets.require(BigQueryTargets.streams(bigQuery, deploymentConfig), plan.table());
        } else if (sink instanceof Ingest.IcebergSink iceberg) {
            requireTable(iceberg, address(iceberg, deploymentConfig), plan);
        }
    }

    /**
     * Whether {@link #require} would create the table or folder of a sink.
     *
     * @throws UserError if that cannot be determined
     */
    static boolean isMissing(Ingest.Sink sink, DeploymentConfig deploymentConfig) {
        if (sink instanceof Ingest.ParquetSink parquet) {
            return !parquet.folder().contains("://") && !Files.isDirectory(Path.of(parquet.folder()));
        }
        if (sink instanceof Ingest.IcebergSink iceberg) {
            try {
                return !IcebergTableWriter.exists(address(iceberg, deploymentConfig));
            } catch (CatalogAwayException e) {
                throw Catalogs.away(iceberg.catalog(), e);
            }
        }
        return false;
    }

    private static void requireTable(Ingest.IcebergSink sink, TableAddress table, IngestPlan plan) {
        Catalogs.requireWritable(sink.catalog(), table);
        try {
            IcebergTableWriter.open(table, plan.layout()).close();
        } catch (IcebergTableMismatchException e) {
            throw UserError.failed(
                            String.valueOf(e.getMessage()),
                            "change fields of the ingest or the columns of the table (sink.schema_change: add_columns adds those that it lacks), or name another table")
                    .causedBy(e);
        } catch (CatalogAwayException e) {
            throw Catalogs.away(sink.catalog(), e);
        }
    }

    /** Classes whose jars a cluster needs for a sink, besides those of all jobs. */
    static List<Class<?>> needed(Ingest.Sink sink) {
        return sink instanceof Ingest.BigQuerySink ? List.of(BigQueryAddress.class) : List.of();
    }

    /**
     * The identity of a writer.
     *
     * @param run the name of what the run writes
     * @param name the common name of runs that resume one another
     * @param job identifies the job in tables, which keep its last commit; does not depend on the input files
     */
    record Writer(String run, String name, String job) {}

    /** Returns where the rows of a sink go. */
    static RowOutput output(Ingest.Sink sink, DeploymentConfig deploymentConfig, Writer writer) {
        if (sink instanceof Ingest.TopicSink topic) {
            Map<String, String> cluster = KafkaClusters.required(deploymentConfig, topic.kafka());
            return new RowOutput.ToTopic(topic, new TopicWrite(topic.topic(), cluster), writer.name());
        }
        if (sink instanceof Ingest.BigQuerySink bigQuery) {
            int least = Math.max(1, bigQuery.writers());
            return new RowOutput.ToStreams(
                    BigQueryTargets.streams(bigQuery, deploymentConfig),
                    bigQuery.linger().duration(),
                    new StreamSpec.Writers(least, bigQuery.writers() > 0 ? least : bigQuery.maxWriters()));
        }
        return sink instanceof Ingest.IcebergSink iceberg
                ? new RowOutput.ToTable(iceberg, address(iceberg, deploymentConfig), writer.job(), writer.run())
                : new RowOutput.ToFiles((Ingest.ParquetSink) sink, writer.run());
    }

    /**
     * Counts what a run has written: in files and Iceberg tables by what can be read there, in a warehouse or a topic by what
     * it has acknowledged or committed.
     *
     * @param streams the counts of the run's streams
     * @param topic the counts of what the run has written to the topic
     */
    static Written written(
            IngestPlan plan, DeploymentConfig deploymentConfig, String run, StreamTotals streams, TopicTotals topic)
            throws IOException {
        Ingest.Sink sink = plan.ingest().sink();
        if (sink instanceof Ingest.TopicSink) {
            return Written.of(topic);
        }
        return sink instanceof Ingest.BigQuerySink ? Written.of(streams) : written(plan, deploymentConfig, run);
    }

    /**
     * Counts what a run has written to files or an Iceberg table, by what can be read there.
     *
     * @param run the name of the run
     */
    static Written written(IngestPlan plan, DeploymentConfig deploymentConfig, String run) throws IOException {
        if (plan.ingest().sink() instanceof Ingest.IcebergSink iceberg) {
            try (IcebergTableWriter table =
                    IcebergTableWriter.open(address(iceberg, deploymentConfig), plan.layout())) {
                IcebergTableWriter.Appended appended = table.appended(run);
                return new Written(appended.rows(), 0, appended.files(), appended.bytes(), 0);
            } catch (CatalogAwayException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        Ingest.ParquetSink parquet = (Ingest.ParquetSink) plan.ingest().sink();
        return Written.of(WrittenFiles.of(parquet.folder(), run + "-"));
    }

    /** Returns the part of a deployment that determines where the rows of a sink go, without secrets. */
    static String place(Ingest.Sink sink, DeploymentConfig deploymentConfig) {
        if (sink instanceof Ingest.BigQuerySink) {
            return String.valueOf(deploymentConfig.google().endpoint());
        }
        if (sink instanceof Ingest.IcebergSink iceberg) {
            CatalogAddress catalog = address(iceberg, deploymentConfig).catalog();
            return catalog instanceof CatalogAddress.Rest rest ? rest.uri() + " " + rest.warehouse() : catalog.text();
        }
        return "";
    }

    private static TableAddress address(Ingest.IcebergSink sink, DeploymentConfig deploymentConfig) {
        return Catalogs.address(sink.catalog(), sink.table(), deploymentConfig);
    }
}
