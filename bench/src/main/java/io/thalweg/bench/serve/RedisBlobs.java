package io.thalweg.bench.serve;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.bench.load.Readers;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.bench.stores.RedisServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A service that reads its rows from Redis without a feature server: {@code MGET} of one value per key, which contains the window
 * end and the features as doubles. The caller gets raw bytes, and cannot distinguish zeros, late rows and missing rows.
 */
final class RedisBlobs implements Readers {
    /** As many as gRPC uses here. */
    private static final int CONNECTIONS = 4;

    private static final int FEATURES = DemandRows.VIEW.featureNames().size();

    private final RedisClient client;
    private final List<StatefulRedisConnection<byte[], byte[]>> connections;
    private final List<byte[][]> requests;

    private RedisBlobs(RedisClient client, List<byte[][]> requests) {
        this.client = client;
        this.connections = IntStream.range(0, CONNECTIONS)
                .mapToObj(i -> client.connect(ByteArrayCodec.INSTANCE))
                .toList();
        this.requests = requests;
    }

    /** Writes the newest row of each cell under its own key, and connects. */
    static RedisBlobs of(RedisServer redis, ServedRows rows, List<long[]> cells) throws IOException {
        try (RedisPipe pipe = new RedisPipe(redis.port())) {
            for (long cell : rows.allCells()) {
                pipe.command(RedisPipe.bytes("SET"), key(cell), value(rows.newest(cell)));
            }
            pipe.settle();
        }
        return new RedisBlobs(
                RedisClient.create("redis://127.0.0.1:" + redis.port()),
                cells.stream()
                        .map(each ->
                                LongStream.of(each).mapToObj(RedisBlobs::key).toArray(byte[][]::new))
                        .toList());
    }

    private static byte[] key(long cell) {
        return ("blob:" + Long.toHexString(cell)).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(Answers.Row row) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Long.BYTES + Double.BYTES * FEATURES).putLong(row.windowEndMs());
        bytes.asDoubleBuffer().put(row.values());
        return bytes.array();
    }

    static List<Answers.Row> rows(byte[] answer) {
        List<Answers.Row> rows = new ArrayList<>();
        for (ByteBuffer bytes = ByteBuffer.wrap(answer); bytes.hasRemaining(); ) {
            long endMs = bytes.getLong();
            double[] values = new double[FEATURES];
            Arrays.setAll(values, i -> bytes.getDouble());
            rows.add(new Answers.Row(endMs, values));
        }
        return rows;
    }

    @Override
    public int requests() {
        return requests.size();
    }

    /** Returns the values, one after the other; a key without a value shortens the answer. */
    @Override
    public CompletableFuture<byte[]> read(int request) {
        return connections
                .get(request % CONNECTIONS)
                .async()
                .mget(requests.get(request))
                .toCompletableFuture()
                .thenApply(RedisBlobs::joined);
    }

    private static byte[] joined(List<KeyValue<byte[], byte[]>> values) {
        List<byte[]> present = values.stream()
                .filter(KeyValue::hasValue)
                .map(KeyValue::getValue)
                .toList();
        ByteBuffer bytes = ByteBuffer.allocate(
                present.stream().mapToInt(value -> value.length).sum());
        present.forEach(bytes::put);
        return bytes.array();
    }

    @Override
    public void close() {
        connections.forEach(StatefulRedisConnection::close);
        client.shutdown();
    }
}
