package io.thalweg.bench.ingest;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.cloud.bigquery.storage.v1.AppendRowsResponse;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteClient;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteSettings;
import com.google.cloud.bigquery.storage.v1.FlushRowsRequest;
import com.google.cloud.bigquery.storage.v1.WriteStream;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Int64Value;
import io.thalweg.bench.harness.TopicReader;
import io.thalweg.model.Ingest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A single-threaded program with Kafka's consumer and the vendor's client, without Flink, checkpoints and dead letters. It fails
 * at the first bad message or failed request.
 */
record StorageWriteRides(IngestOrder order) implements Ingester {
    private static final Duration POLL = Duration.ofMillis(10);

    @Override
    public void ingest(String input, Path output) throws Exception {
        run(input, null, output);
    }

    @Override
    public void follow(String topic, long count, Path output) throws Exception {
        run(topic, Map.of(new TopicPartition(topic, 0), count), output);
    }

    private void run(String topic, @Nullable Map<TopicPartition, Long> knownEnds, Path output) throws Exception {
        try (TopicReader messages = TopicReader.open(order.bootstrap(), topic, knownEnds);
                BigQueryWriteClient client = client();
                Requests requests = Requests.open(order, output, client)) {
            while (messages.hasMore()) {
                for (ConsumerRecord<byte[], byte[]> record : messages.next(POLL)) {
                    requests.add(record.value());
                }
                requests.sendWhatIsDue();
            }
            requests.finish();
        }
    }

    private BigQueryWriteClient client() throws IOException {
        return BigQueryWriteClient.create(BigQueryWriteSettings.newBuilder()
                .setCredentialsProvider(NoCredentialsProvider.create())
                .setTransportChannelProvider(BigQueryWriteSettings.defaultGrpcTransportProviderBuilder()
                        .setEndpoint(order.service().split(" ", -1)[0])
                        .setChannelConfigurator(channel -> channel.usePlaintext())
                        .build())
                .build());
    }

    /** Batches rows into requests of the same size as Thalweg's, with as many in flight, and commits as often. */
    private static final class Requests implements AutoCloseable {
        private static final int BYTES = 1 << 20;
        private static final int ROWS = 5_000;
        private static final int ON_THEIR_WAY = 20;

        private final RowSender sender;
        private final BigQueryWriteClient client;
        /** The stream of exactly once; empty for the default stream. */
        private final String stream;

        private final long commitNanos;
        private final long lingerNanos;
        private final Semaphore free = new Semaphore(ON_THEIR_WAY);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private int rows;
        private int bytes;
        private long offset;
        private long committed;
        private long firstNanos;
        private long committedNanos = System.nanoTime();

        private Requests(RowSender sender, BigQueryWriteClient client, String stream, Ingest.BigQuerySink sink) {
            this.sender = sender;
            this.client = client;
            this.stream = stream;
            commitNanos = sink.every().duration().toNanos();
            lingerNanos = sink.linger().duration().toNanos();
        }

        static Requests open(IngestOrder order, Path output, BigQueryWriteClient client) throws IOException {
            String name = IngestOrder.table(output);
            Ingest.BigQuerySink sink = (Ingest.BigQuerySink) new RideMessages(order.schemas(), order.variant(), false)
                    .plan("topic: any", "bigquery: %s, %s".formatted(name, order.variant().sink))
                    .ingest()
                    .sink();
            String[] parts = name.split("\\.", 3);
            String table = "projects/%s/datasets/%s/tables/%s".formatted(parts[0], parts[1], parts[2]);
            String stream = sink.exactlyOnce()
                    ? client.createWriteStream(
                                    table,
                                    WriteStream.newBuilder()
                                            .setType(WriteStream.Type.BUFFERED)
                                            .build())
                            .getName()
                    : "";
            String target = stream.isEmpty() ? table + "/streams/_default" : stream;
            RowSender sender = order.system().equals("json_writer")
                    ? JsonRows.open(order, target, client)
                    : BeamRows.open(order, target, client);
            return new Requests(sender, client, stream, sink);
        }

        void add(byte[] message) throws IOException, InterruptedException {
            if (rows == 0) {
                firstNanos = System.nanoTime();
            }
            sender.add(message);
            rows++;
            bytes += message.length;
            if (rows == ROWS || bytes >= BYTES) {
                send();
            }
        }

        void sendWhatIsDue() throws IOException, InterruptedException {
            long now = System.nanoTime();
            if (stream.isEmpty()) {
                if (rows > 0 && now - firstNanos >= lingerNanos) {
                    send();
                }
            } else if (now - committedNanos >= commitNanos) {
                commit();
                committedNanos = now;
            }
        }

        private void send() throws IOException, InterruptedException {
            if (rows == 0) {
                return;
            }
            free.acquire();
            requireNoFailure();
            ApiFutures.addCallback(
                    sender.send(stream.isEmpty() ? -1 : offset),
                    new ApiFutureCallback<AppendRowsResponse>() {
                        @Override
                        public void onSuccess(AppendRowsResponse response) {
                            free.release();
                        }

                        @Override
                        public void onFailure(Throwable why) {
                            failure.compareAndSet(null, why);
                            free.release();
                        }
                    },
                    MoreExecutors.directExecutor());
            offset += rows;
            rows = 0;
            bytes = 0;
        }

        private void commit() throws IOException, InterruptedException {
            finishRequests();
            if (offset > committed) {
                var unused = client.flushRows(FlushRowsRequest.newBuilder()
                        .setWriteStream(stream)
                        .setOffset(Int64Value.of(offset - 1))
                        .build());
                committed = offset;
            }
        }

        private void finishRequests() throws IOException, InterruptedException {
            send();
            free.acquire(ON_THEIR_WAY);
            free.release(ON_THEIR_WAY);
            requireNoFailure();
        }

        /** Returns when all rows are visible. */
        void finish() throws IOException, InterruptedException {
            if (stream.isEmpty()) {
                finishRequests();
            } else {
                commit();
            }
        }

        private void requireNoFailure() throws IOException {
            Throwable why = failure.get();
            if (why != null) {
                throw new IOException("rows are not written: " + why.getMessage(), why);
            }
        }

        @Override
        public void close() {
            sender.close();
            client.shutdown();
            try {
                var unused = client.awaitTermination(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
