package io.thalweg.devkit.google;

import com.google.cloud.bigquery.storage.v1.AppendRowsRequest;
import com.google.cloud.bigquery.storage.v1.AppendRowsResponse;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteGrpc.BigQueryWriteImplBase;
import com.google.cloud.bigquery.storage.v1.CreateWriteStreamRequest;
import com.google.cloud.bigquery.storage.v1.FinalizeWriteStreamRequest;
import com.google.cloud.bigquery.storage.v1.FinalizeWriteStreamResponse;
import com.google.cloud.bigquery.storage.v1.FlushRowsRequest;
import com.google.cloud.bigquery.storage.v1.FlushRowsResponse;
import com.google.cloud.bigquery.storage.v1.GetWriteStreamRequest;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.cloud.bigquery.storage.v1.WriteStream;
import com.google.protobuf.DynamicMessage;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stand-in for BigQuery's Storage Write API, on a free port of this machine, behind Google's own gRPC interface. It implements
 * offsets, flushes and finalized streams, refuses rows and types as the service does, and fails on demand. On another port it serves the
 * older {@code tabledata.insertAll}.
 *
 * <p><b>What it is not.</b> It follows the documentation of the service and has not been compared with the service itself.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class BigQueryFake implements AutoCloseable {
    private static final int LARGEST_REQUEST = 10 * 1000 * 1000;
    private static final String DEFAULT = "_default";

    private final BigQueryFaults faults = new BigQueryFaults();
    private final Map<String, FakeTable> tables = new ConcurrentHashMap<>();
    private final Map<String, FakeStream> streams = new ConcurrentHashMap<>();
    private final AtomicInteger streamsMade = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final Server server;
    private final CatalogRoutes catalog = new CatalogRoutes(
            faults, tables::containsKey, (path, schema) -> tables.put(path, FakeTable.checked(schema, true)));
    private final HttpServer rest;
    private final ExecutorService restThreads = Executors.newCachedThreadPool();

    private BigQueryFake() throws IOException {
        rest = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        rest.setExecutor(restThreads);
        InsertAllRoute insertAll = new InsertAllRoute(faults, tables::get);
        rest.createContext("/bigquery/v2/", exchange -> {
            boolean inserts = exchange.getRequestURI().getPath().endsWith("/insertAll");
            (inserts ? insertAll : catalog).handle(exchange);
        });
        rest.start();
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .maxInboundMessageSize(2 * LARGEST_REQUEST)
                .addService(new Service())
                .build()
                .start();
    }

    /** Starts a service without tables. */
    public static BigQueryFake start() throws IOException {
        return new BigQueryFake();
    }

    /** {@code host:port}. */
    public String endpoint() {
        return "localhost:" + server.getPort();
    }

    /** {@code host:port} of the REST API, of which datasets, tables and {@code tabledata.insertAll} are served. */
    public String restEndpoint() {
        return "localhost:" + rest.getAddress().getPort();
    }

    /** The faults that can be injected. */
    public BigQueryFaults faults() {
        return faults;
    }

    /**
     * Creates a table.
     *
     * @param name {@code project.dataset.table}
     * @param keepsRows whether its rows can be read; otherwise they are only counted
     */
    public void createTable(String name, TableSchema schema, boolean keepsRows) {
        catalog.addDatasetOf(path(name));
        tables.put(path(name), FakeTable.checked(schema, keepsRows));
    }

    /**
     * Creates a table whose rows are neither checked nor kept, but counted and hashed: for measurements.
     *
     * @param timeColumn the column with the creation time of a row, for {@link #latencyMs}; empty = none
     * @param skipMs the time from the first row on in which latencies do not count
     */
    public void createCountedTable(String name, TableSchema schema, String timeColumn, long skipMs) {
        tables.put(path(name), FakeTable.counted(schema, new FakeTable.Counting(timeColumn, skipMs)));
    }

    private static String path(String name) {
        String[] parts = name.split("\\.", 3);
        return "projects/%s/datasets/%s/tables/%s".formatted(parts[0], parts[1], parts[2]);
    }

    private FakeTable table(String name) {
        return Objects.requireNonNull(tables.get(path(name)), name);
    }

    /** Returns the visible rows. */
    public List<DynamicMessage> rows(String name) {
        return table(name).visible();
    }

    /** Returns the number of visible rows. */
    public long rowCount(String name) {
        return table(name).rows();
    }

    /** Returns the bytes of the visible rows, as they were sent. */
    public long rowBytes(String name) {
        return table(name).bytes();
    }

    /** Returns the sum of the hashes of the visible rows of a counted table: equal rows in any order have the same sum. */
    public long rowHashes(String name) {
        return table(name).hashes();
    }

    /**
     * Returns how long after their creation rows of a counted table became visible.
     *
     * @param share of the rows that took no longer (nearest rank)
     * @return milliseconds; -1 if no row counts
     */
    public long latencyMs(String name, double share) {
        return table(name).latencyMs(share);
    }

    /** Returns how many streams were created, besides the default streams. */
    public int streamsMade() {
        return streamsMade.get();
    }

    /** Returns how many streams were finalized. */
    public long streamsFinalized() {
        return streams.values().stream().filter(FakeStream::isEnded).count();
    }

    /** Returns how many connections are open for appends. */
    public int connections() {
        return connections.get();
    }

    private final class Service extends BigQueryWriteImplBase {
        @Override
        public void createWriteStream(CreateWriteStreamRequest request, StreamObserver<WriteStream> answer) {
            answer(answer, () -> {
                FakeTable table = required(tables.get(request.getParent()), request.getParent());
                String name = request.getParent() + "/streams/s" + streamsMade.incrementAndGet();
                streams.put(name, new FakeStream(table));
                return WriteStream.newBuilder()
                        .setName(name)
                        .setType(request.getWriteStream().getType())
                        .setTableSchema(table.schema())
                        .setLocation("us")
                        .build();
            });
        }

        @Override
        public void getWriteStream(GetWriteStreamRequest request, StreamObserver<WriteStream> answer) {
            answer(
                    answer,
                    () -> WriteStream.newBuilder()
                            .setName(request.getName())
                            .setTableSchema(tableOf(request.getName()).schema())
                            .setLocation("us")
                            .build());
        }

        @Override
        public void finalizeWriteStream(
                FinalizeWriteStreamRequest request, StreamObserver<FinalizeWriteStreamResponse> answer) {
            answer(
                    answer,
                    () -> FinalizeWriteStreamResponse.newBuilder()
                            .setRowCount(stream(request.getName()).end())
                            .build());
        }

        @Override
        public void flushRows(FlushRowsRequest request, StreamObserver<FlushRowsResponse> answer) {
            Status before = faults.nextBeforeFlush();
            if (before != null) {
                answer.onError(before.asRuntimeException());
                return;
            }
            answer(answer, () -> {
                long flushed = stream(request.getWriteStream())
                        .flush(request.getOffset().getValue());
                Status after = faults.nextAfterFlush();
                if (after != null) {
                    throw after.asRuntimeException();
                }
                return FlushRowsResponse.newBuilder().setOffset(flushed).build();
            });
        }

        @Override
        public StreamObserver<AppendRowsRequest> appendRows(StreamObserver<AppendRowsResponse> answers) {
            connections.incrementAndGet();
            return new Connection(answers);
        }

        private <T> void answer(StreamObserver<T> to, Supplier<T> what) {
            try {
                Status away = faults.beforeRequest();
                if (away != null) {
                    throw away.asRuntimeException();
                }
                T answer = what.get();
                to.onNext(answer);
                to.onCompleted();
            } catch (StatusRuntimeException e) {
                to.onError(e);
            }
        }
    }

    /** One connection, whose requests are answered in order. */
    private final class Connection implements StreamObserver<AppendRowsRequest> {
        private final StreamObserver<AppendRowsResponse> answers;
        private @Nullable RowDecoder decoder;
        private String name = "";
        private boolean over;

        Connection(StreamObserver<AppendRowsResponse> answers) {
            this.answers = answers;
        }

        @Override
        public void onNext(AppendRowsRequest request) {
            if (over) {
                return;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(faults.delayMs());
                AppendRowsResponse answer = append(request);
                Status after = faults.nextAfterAppend();
                if (after != null) {
                    throw after.asRuntimeException();
                }
                answers.onNext(answer);
            } catch (StatusRuntimeException e) {
                over = true;
                connections.decrementAndGet();
                answers.onError(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private AppendRowsResponse append(AppendRowsRequest request) {
            if (request.getSerializedSize() > LARGEST_REQUEST) {
                throw Status.INVALID_ARGUMENT
                        .withDescription("the request has " + request.getSerializedSize() + " bytes")
                        .asRuntimeException();
            }
            Status before = faults.nextBeforeAppend();
            if (before != null) {
                throw before.asRuntimeException();
            }
            if (!request.getWriteStream().isEmpty()) {
                name = request.getWriteStream();
            }
            FakeTable table = tableOf(name);
            if (request.getProtoRows().hasWriterSchema()) {
                decoder = new RowDecoder(request.getProtoRows().getWriterSchema(), table, faults);
            }
            RowDecoder.Decoded decoded = Objects.requireNonNull(decoder, "the first request has the schema")
                    .decode(request.getProtoRows().getRows());
            AppendRowsResponse.Builder answer = AppendRowsResponse.newBuilder().setWriteStream(name);
            if (!decoded.errors().isEmpty()) {
                return answer.setError(com.google.rpc.Status.newBuilder()
                                .setCode(Status.Code.INVALID_ARGUMENT.value())
                                .setMessage("errors in " + decoded.errors().size() + " rows"))
                        .addAllRowErrors(decoded.errors())
                        .build();
            }
            try {
                return answer.setAppendResult(store(table, decoded.batch(), request))
                        .build();
            } catch (StatusRuntimeException e) {
                return answer.setError(com.google.rpc.Status.newBuilder()
                                .setCode(e.getStatus().getCode().value())
                                .setMessage(String.valueOf(e.getStatus().getDescription())))
                        .build();
            }
        }

        private AppendRowsResponse.AppendResult store(
                FakeTable table, FakeStream.Batch batch, AppendRowsRequest request) {
            AppendRowsResponse.AppendResult.Builder result = AppendRowsResponse.AppendResult.newBuilder();
            if (name.endsWith("/" + DEFAULT)) {
                if (request.hasOffset()) {
                    throw Status.INVALID_ARGUMENT
                            .withDescription("the default stream has no offsets")
                            .asRuntimeException();
                }
                table.show(batch);
                return result.build();
            }
            long offset = request.hasOffset() ? request.getOffset().getValue() : -1;
            long at = stream(name).append(batch, offset);
            return result.setOffset(com.google.protobuf.Int64Value.of(at)).build();
        }

        @Override
        public void onError(Throwable failure) {
            end();
        }

        @Override
        public void onCompleted() {
            if (end()) {
                answers.onCompleted();
            }
        }

        private boolean end() {
            boolean first = !over;
            if (first) {
                over = true;
                connections.decrementAndGet();
            }
            return first;
        }
    }

    private FakeTable tableOf(String stream) {
        String table = stream.substring(0, Math.max(0, stream.indexOf("/streams/")));
        return required(tables.get(table), table);
    }

    private FakeStream stream(String name) {
        return required(streams.get(name), name);
    }

    private static <T> T required(@Nullable T found, String name) {
        if (found == null) {
            throw Status.NOT_FOUND.withDescription("not found: " + name).asRuntimeException();
        }
        return found;
    }

    @Override
    public void close() {
        rest.stop(0);
        restThreads.shutdownNow();
        server.shutdownNow();
        try {
            var unused = server.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
