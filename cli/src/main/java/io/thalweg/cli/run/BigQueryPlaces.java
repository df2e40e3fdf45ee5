package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.google.bigquery.BigQueryAddress;
import io.thalweg.google.bigquery.InsertAllAddress;
import io.thalweg.model.Ingest;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.LaneAddress;
import io.thalweg.warehouse.TableMismatchException;
import io.thalweg.warehouse.WarehouseException;
import java.nio.file.Path;

/** Tables of BigQuery that ingests write to. */
final class BigQueryPlaces {
    private BigQueryPlaces() {}

    private static BigQueryAddress address(Ingest.BigQuerySink sink, DeploymentConfig deploymentConfig) {
        String[] parts = sink.table().split("\\.", 3);
        Path credentials = deploymentConfig.google().credentials();
        return new BigQueryAddress(
                parts[0],
                parts[1],
                parts[2],
                sink.exactlyOnce(),
                new BigQueryAddress.Access(
                        credentials == null
                                ? null
                                : credentials.toAbsolutePath().toString(),
                        deploymentConfig.google().endpoint(),
                        deploymentConfig.google().restEndpoint()));
    }

    /** The table, by the API that the sink is written by. */
    static LaneAddress lanes(Ingest.BigQuerySink sink, DeploymentConfig deploymentConfig) {
        BigQueryAddress table = address(sink, deploymentConfig);
        return sink.insertAll() ? new InsertAllAddress(table) : table;
    }

    /**
     * Requires that rows can be written to a table.
     *
     * @throws UserError if they cannot
     */
    static void require(LaneAddress table, Struct rows) {
        try {
            table.open(rows).close();
        } catch (TableMismatchException e) {
            throw UserError.failed(
                            String.valueOf(e.getMessage()),
                            "make a table with the columns that --dry-run prints, or change fields of the ingest")
                    .causedBy(e);
        } catch (WarehouseException e) {
            throw UserError.failed(
                            String.valueOf(e.getMessage()),
                            "see google in thalweg.yaml; without it, the credentials of the environment count"
                                    + " (GOOGLE_APPLICATION_CREDENTIALS)")
                    .causedBy(e);
        }
    }
}
