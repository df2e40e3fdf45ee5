package io.thalweg.google.bigquery;

import io.thalweg.google.GoogleAccess;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.ProtoBytes;
import io.thalweg.records.write.ProtoLayout;
import io.thalweg.warehouse.StreamAddress;
import io.thalweg.warehouse.StreamTable;
import org.jspecify.annotations.Nullable;

/**
 * The address of a BigQuery table.
 *
 * @param exactlyOnce whether rows are written to buffered streams and committed with checkpoints; otherwise they are written to the
 *   default stream, where they are visible at once
 * @param access how the service is reached
 */
public record BigQueryAddress(String project, String dataset, String table, boolean exactlyOnce, Access access)
        implements StreamAddress {
    private static final long serialVersionUID = 1L;

    /**
     * How the service is reached.
     *
     * @param credentials file of a service account or another kind of Google's credentials; null = those of the environment
     * @param endpoint {@code host:port} of the Storage Write API; null = Google's. A loopback endpoint is used without TLS and
     *   credentials
     * @param restEndpoint the same of the REST API
     */
    public record Access(
            @Nullable String credentials,
            @Nullable String endpoint,
            @Nullable String restEndpoint) implements java.io.Serializable {
        /** The Storage Write API. */
        GoogleAccess storage() {
            return GoogleAccess.of(credentials, endpoint);
        }

        /** The REST API. */
        GoogleAccess rest() {
            return GoogleAccess.of(credentials, restEndpoint);
        }
    }

    @Override
    public String name() {
        return project + "." + dataset + "." + table;
    }

    /** The name of the table in the service. */
    String path() {
        return "projects/%s/datasets/%s/tables/%s".formatted(project, dataset, table);
    }

    @Override
    public ByteRecordWriter encoder(Struct rows) {
        BigQueryColumns.check(rows);
        return new ProtoBytes(rows, ProtoLayout.TEXTUAL);
    }

    @Override
    public StreamTable open(Struct rows) {
        return BigQueryTable.open(this, rows);
    }
}
