package io.thalweg.google.bigquery;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteClient;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteSettings;
import com.google.cloud.bigquery.storage.v1.FlushRowsRequest;
import com.google.cloud.bigquery.storage.v1.GetWriteStreamRequest;
import com.google.cloud.bigquery.storage.v1.ProtoSchema;
import com.google.cloud.bigquery.storage.v1.StreamWriter;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.cloud.bigquery.storage.v1.WriteStream;
import com.google.cloud.bigquery.storage.v1.WriteStreamView;
import com.google.protobuf.Int64Value;
import io.thalweg.google.GoogleAccess;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ProtoDescriptors;
import io.thalweg.records.write.ProtoLayout;
import io.thalweg.warehouse.LostCommitException;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.StreamTable;
import io.thalweg.warehouse.TableMismatchException;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** A connection to a table through Google's own client. */
final class BigQueryTable implements StreamTable {
    static final String SCOPE = "https://www.googleapis.com/auth/bigquery";

    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(BigQueryTable.class);

    /** Paces the creation of streams for all tables of this process. */
    private static final StreamPace PACE = new StreamPace(System::nanoTime, new SplittableRandom());

    /** The stream has its own limits; the client's must never make it wait. */
    private static final long CLIENT_REQUESTS = 10_000;

    /** Codes that a retry cannot cure. */
    private static final Set<StatusCode.Code> LOST = Set.of(
            StatusCode.Code.NOT_FOUND,
            StatusCode.Code.INVALID_ARGUMENT,
            StatusCode.Code.FAILED_PRECONDITION,
            StatusCode.Code.OUT_OF_RANGE);

    /** The client logs each step of each connection. Kept, because an unreferenced logger loses its level. */
    private static final Logger CLIENT = Logger.getLogger("com.google.cloud.bigquery.storage");

    static {
        CLIENT.setLevel(Level.WARNING);
    }

    private final BigQueryAddress address;
    private final BigQueryWriteClient client;
    private final ProtoSchema schema;

    /** Schedules retries. */
    private final ScheduledExecutorService timer = timer("bigquery-retry");

    private BigQueryTable(BigQueryAddress address, BigQueryWriteClient client, ProtoSchema schema) {
        this.address = address;
        this.client = client;
        this.schema = schema;
    }

    /** A thread that does not keep the process alive. */
    static ScheduledExecutorService timer(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** See {@link io.thalweg.warehouse.StreamAddress#open}. */
    static BigQueryTable open(BigQueryAddress address, Struct rows) {
        TableSchema columns = BigQueryColumns.of(rows);
        BigQueryWriteClient client = connect(address);
        try {
            requireColumns(address, columns, client);
            ProtoSchema schema = ProtoSchema.newBuilder()
                    .setProtoDescriptor(ProtoDescriptors.of(rows, ProtoLayout.TEXTUAL, "Row"))
                    .build();
            return new BigQueryTable(address, client, schema);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static BigQueryWriteClient connect(BigQueryAddress address) {
        try {
            return BigQueryWriteClient.create(settings(address.access().storage()));
        } catch (IOException e) {
            throw new WarehouseException("BigQuery cannot be reached: " + e.getMessage(), e);
        }
    }

    private static BigQueryWriteSettings settings(GoogleAccess service) throws IOException {
        BigQueryWriteSettings.Builder settings = BigQueryWriteSettings.newBuilder();
        settings.setCredentialsProvider(service.credentials(
                SCOPE, BigQueryWriteSettings.defaultCredentialsProviderBuilder().build()));
        String endpoint = service.endpoint();
        if (endpoint != null && service.isEmulator()) {
            settings.setTransportChannelProvider(BigQueryWriteSettings.defaultGrpcTransportProviderBuilder()
                    .setEndpoint(endpoint)
                    .setChannelConfigurator(channel -> channel.usePlaintext())
                    .build());
        } else if (endpoint != null) {
            settings.setEndpoint(endpoint);
        }
        return settings.build();
    }

    /** Requires that a table can store rows; see {@link io.thalweg.warehouse.StreamAddress#open}. */
    static void requireColumns(BigQueryAddress address, Struct rows) {
        try (BigQueryWriteClient client = connect(address)) {
            requireColumns(address, BigQueryColumns.of(rows), client);
        }
    }

    private static void requireColumns(BigQueryAddress address, TableSchema columns, BigQueryWriteClient client) {
        TableSchema table;
        try {
            table = client.getWriteStream(GetWriteStreamRequest.newBuilder()
                            .setName(address.path() + "/streams/_default")
                            .setView(WriteStreamView.FULL)
                            .build())
                    .getTableSchema();
        } catch (ApiException e) {
            if (e.getStatusCode().getCode() == StatusCode.Code.NOT_FOUND) {
                throw new TableMismatchException(
                        "table " + address.name() + " of BigQuery is missing: " + e.getMessage(), e);
            }
            throw failed(address, "opened", e);
        }
        List<String> differences = BigQueryColumns.differences(columns, table);
        if (!differences.isEmpty()) {
            throw new TableMismatchException(
                    "rows do not fit table " + address.name() + ": " + String.join("; ", differences), null);
        }
    }

    private static WarehouseException failed(BigQueryAddress address, String what, ApiException e) {
        return new WarehouseException(
                "table %s of BigQuery could not be %s: %s: %s"
                        .formatted(address.name(), what, e.getStatusCode().getCode(), e.getMessage()),
                e);
    }

    String name() {
        return address.name();
    }

    boolean exactlyOnce() {
        return address.exactlyOnce();
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /** Returns the name of the stream for a stream: a new one, or the default stream. */
    String newStream() {
        if (!address.exactlyOnce()) {
            return address.path() + "/streams/_default";
        }
        try {
            PACE.await();
            return client.createWriteStream(
                            address.path(),
                            WriteStream.newBuilder()
                                    .setType(WriteStream.Type.BUFFERED)
                                    .build())
                    .getName();
        } catch (ApiException e) {
            throw failed(address, "written to, because no stream could be made", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WarehouseException("interrupted before a stream of " + address.name() + " was made", e);
        }
    }

    /** Connects to a stream. */
    StreamWriter connect(String stream) {
        try {
            return StreamWriter.newBuilder(stream, client)
                    .setWriterSchema(schema)
                    .setTraceId("thalweg:ingest")
                    .setMaxInflightRequests(CLIENT_REQUESTS)
                    .setMaxInflightBytes(Long.MAX_VALUE >> 1)
                    .build();
        } catch (IOException e) {
            throw new WarehouseException("stream " + stream + " cannot be opened: " + e.getMessage(), e);
        }
    }

    @Override
    public RowStream stream(Consumer<RetryCause> retried) {
        return new StorageWriteStream(this, retried);
    }

    @Override
    public void commit(StreamCommit commit) {
        if (commit.endsStream()) {
            endStream(commit.stream());
            return;
        }
        try {
            var unused = flush(commit);
        } catch (ApiException e) {
            StatusCode.Code code = e.getStatusCode().getCode();
            if (LOST.contains(code)) {
                throw lost(commit, "the stream refuses it: " + e.getMessage(), e);
            }
            if (code != StatusCode.Code.ALREADY_EXISTS) {
                throw failed(address, "committed to", e);
            }
        }
    }

    /** Finalizes a stream. A stream that stays open only counts against a quota. */
    private void endStream(String stream) {
        try {
            var unused = client.finalizeWriteStream(stream);
        } catch (ApiException e) {
            LOG.info("Stream {} is not finalized: {}", stream, e.getMessage());
        }
    }

    @Override
    public void requireNothingBehind(StreamCommit end) {
        long visible;
        try {
            visible = flush(end);
        } catch (ApiException e) {
            StatusCode.Code code = e.getStatusCode().getCode();
            if (code == StatusCode.Code.NOT_FOUND || code == StatusCode.Code.ALREADY_EXISTS) {
                return;
            }
            if (LOST.contains(code)) {
                throw lost(
                        end,
                        "the stream was given up after rows of later checkpoints had been committed, so this checkpoint is older than the table",
                        e);
            }
            throw failed(address, "resumed", e);
        }
        if (visible > end.lastRow()) {
            throw lost(
                    end,
                    "rows up to %d of this stream are visible already, so this checkpoint is older than the table"
                            .formatted(visible),
                    null);
        }
    }

    /** Makes rows visible, and returns the number of the last visible row of the stream. */
    private long flush(StreamCommit commit) {
        return client.flushRows(FlushRowsRequest.newBuilder()
                        .setWriteStream(commit.stream())
                        .setOffset(Int64Value.of(commit.lastRow()))
                        .build())
                .getOffset();
    }

    private LostCommitException lost(StreamCommit commit, String why, @Nullable ApiException cause) {
        return new LostCommitException(
                "rows up to %d of stream %s cannot be committed to %s: %s. Name the newest checkpoint with --resume PATH, or start over with --resume none"
                        .formatted(commit.lastRow(), commit.stream(), address.name(), why),
                cause);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        client.close();
        try {
            var unused = client.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
