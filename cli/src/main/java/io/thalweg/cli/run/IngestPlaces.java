package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.jobs.ingest.RowOutput;
import io.thalweg.jobs.ingest.WrittenFiles;
import io.thalweg.model.Ingest;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableMismatchException;
import java.io.IOException;
import java.nio.file.Path;

/** The places that ingests write to. */
final class IngestPlaces {
    private IngestPlaces() {}

    /**
     * Requires that rows can be written, before a job is started. A table that is missing is made.
     *
     * @throws UserError if they cannot
     */
    static void require(IngestPlan plan, DeploymentConfig deploymentConfig) {
        Ingest.Sink sink = plan.ingest().sink();
        if (sink instanceof Ingest.ParquetSink parquet && !parquet.folder().contains("://")) {
            WritablePlaces.requireFolder("sink.parquet", Path.of(parquet.folder()));
        } else if (sink instanceof Ingest.IcebergSink iceberg) {
            TableAddress table = address(iceberg, deploymentConfig);
            WritablePlaces.requireFolder("catalogs." + iceberg.catalog(), table.folder());
            try {
                IcebergTableWriter unused = IcebergTableWriter.open(table, plan.layout());
            } catch (TableMismatchException e) {
                throw UserError.failed(
                                String.valueOf(e.getMessage()),
                                "change fields of the ingest or the columns of the table, or name another table")
                        .causedBy(e);
            }
        }
    }

    /**
     * Where rows go.
     *
     * @param run names what the run writes
     */
    static RowOutput output(Ingest.Sink sink, DeploymentConfig deploymentConfig, String run) {
        return sink instanceof Ingest.IcebergSink iceberg
                ? new RowOutput.ToTable(iceberg, address(iceberg, deploymentConfig), run)
                : new RowOutput.ToFiles((Ingest.ParquetSink) sink, run);
    }

    /** What a run has written, by what is there to be read. */
    static WrittenFiles written(IngestPlan plan, DeploymentConfig deploymentConfig, String run) throws IOException {
        Ingest.Sink sink = plan.ingest().sink();
        if (sink instanceof Ingest.IcebergSink iceberg) {
            IcebergTableWriter.Appended appended = IcebergTableWriter.open(
                            address(iceberg, deploymentConfig), plan.layout())
                    .appended(run);
            return new WrittenFiles(Math.toIntExact(appended.files()), appended.rows(), appended.bytes());
        }
        return WrittenFiles.of(((Ingest.ParquetSink) sink).folder(), run + "-");
    }

    private static TableAddress address(Ingest.IcebergSink sink, DeploymentConfig deploymentConfig) {
        DeploymentConfig.Catalog catalog = deploymentConfig.catalogs().get(sink.catalog());
        if (catalog == null) {
            throw UserError.usage(
                    "catalog '%s' is not in thalweg.yaml".formatted(sink.catalog()),
                    "add catalogs: {%s: {folder: warehouse}}; there are: %s"
                            .formatted(
                                    sink.catalog(),
                                    String.join(
                                            ", ", deploymentConfig.catalogs().keySet())));
        }
        return new TableAddress(catalog.folder().toAbsolutePath().normalize().toString(), sink.table());
    }
}
