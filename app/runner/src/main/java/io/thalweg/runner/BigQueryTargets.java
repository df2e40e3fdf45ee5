package io.thalweg.runner;

import io.thalweg.google.bigquery.BigQueryAddress;
import io.thalweg.google.bigquery.BigQueryCatalog;
import io.thalweg.google.bigquery.InsertAllAddress;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.StreamAddress;
import io.thalweg.warehouse.TableMismatchException;
import io.thalweg.warehouse.WarehouseException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tables of BigQuery that ingests write to. */
final class BigQueryTargets {
    private BigQueryTargets() {}

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

    /** Returns the table, by the API that writes to the sink. */
    static StreamAddress streams(Ingest.BigQuerySink sink, DeploymentConfig deploymentConfig) {
        BigQueryAddress table = address(sink, deploymentConfig);
        return sink.insertAll() ? new InsertAllAddress(table) : table;
    }

    /** Returns the table of an ingest; null if its sink is another. */
    static @Nullable StreamAddress streams(Ingest ingest, DeploymentConfig deploymentConfig) {
        return ingest.sink() instanceof Ingest.BigQuerySink sink ? streams(sink, deploymentConfig) : null;
    }

    /**
     * Requires that rows can be written to a table.
     *
     * @throws UserError if they cannot
     */
    static void require(StreamAddress table, Struct rows) {
        try {
            table.open(rows).close();
        } catch (TableMismatchException e) {
            throw UserError.failed(
                            String.valueOf(e.getMessage()),
                            "create a missing table with --provision; otherwise change the table, or fields of the ingest")
                    .causedBy(e);
        } catch (WarehouseException e) {
            throw failed(e);
        }
    }

    private static UserError failed(WarehouseException e) {
        return UserError.failed(
                        String.valueOf(e.getMessage()),
                        "see google in thalweg.yaml; without it, the credentials of the environment count"
                                + " (GOOGLE_APPLICATION_CREDENTIALS)")
                .causedBy(e);
    }

    /**
     * Creates the dataset and the table if they are missing; returns what was created or already exists, for people. Does not check
     * the columns of a new table: it may take minutes until the service accepts writes to it.
     *
     * @throws UserError if one cannot be created, or an existing table does not fit the rows
     */
    static List<String> provision(Ingest.BigQuerySink sink, DeploymentConfig deploymentConfig, Struct rows) {
        BigQueryAddress table = address(sink, deploymentConfig);
        try {
            BigQueryCatalog catalog = new BigQueryCatalog(table);
            boolean newDataset = catalog.createDataset();
            boolean newTable = catalog.createTable(rows);
            if (!newTable) {
                require(table, rows);
            }
            return List.of(
                    line(newDataset, "dataset " + table.project() + "." + table.dataset()),
                    line(newTable, "table " + table.name()));
        } catch (WarehouseException e) {
            throw failed(e);
        }
    }

    private static String line(boolean created, String what) {
        return created ? "created " + what : what + " is there";
    }
}
