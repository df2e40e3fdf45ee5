package io.thalweg.bench.serve;

import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.demand.Folders;
import io.thalweg.bench.layouts.CassandraNode;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.store.cassandra.CassandraOnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An online store of this machine, empty at first, with the server that it needs. <b>Threads.</b> One. */
abstract class MeasuredStore implements AutoCloseable {
    private static final String PROJECT = "bench";

    /** What is done with a store that was started. */
    interface Work {
        void with(String name, MeasuredStore store, Path folder) throws IOException, InterruptedException;
    }

    /**
     * Starts stores one after the other, each in a folder of its own that goes when the work is done.
     *
     * @return why some of them could not be started, a line for each
     */
    static List<String> each(List<String> names, Path jars, Work work) throws IOException, InterruptedException {
        List<String> missing = new ArrayList<>();
        for (String name : names) {
            Path folder = Files.createTempDirectory("thalweg-serve");
            try (MeasuredStore store = start(name, folder, jars)) {
                work.with(name, store, folder);
            } catch (NotStarted e) {
                missing.add(e.getMessage());
            } finally {
                Folders.delete(folder);
            }
        }
        return missing;
    }

    private static MeasuredStore start(String name, Path folder, Path jars) throws IOException, InterruptedException {
        return switch (name) {
            case "rocksdb" -> new RocksDb(folder);
            case "redis" -> new Redis(RedisServer.start(folder));
            case "cassandra" -> cassandra(folder, jars);
            default -> throw new IllegalArgumentException("there is no store " + name);
        };
    }

    private static MeasuredStore cassandra(Path folder, Path jars) throws IOException {
        try {
            return new Cassandra(CassandraNode.start(folder, jars));
        } catch (IllegalStateException | UncheckedIOException e) {
            throw new NotStarted("cassandra is not measured: " + e.getMessage(), e);
        }
    }

    /** A server needs what is not everywhere. */
    private static final class NotStarted extends RuntimeException {
        NotStarted(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Opens it; the embedded one once at a time. */
    abstract OnlineStore open(Clock clock);

    /** {@code store:} of a {@code thalweg.yaml} in its folder. */
    abstract String address();

    /** Brings a table that has been written into the form in which it is read most of the time, where closing it does not. */
    void settle(String table) throws IOException {}

    /** What reads of a table took so far, beyond their latency; none where the server does not tell. */
    Map<String, Number> touched(String table) throws IOException {
        return Map.of();
    }

    @Override
    public void close() throws IOException {}

    private static final class RocksDb extends MeasuredStore {
        private static final String STORE = "store";

        private final Path folder;

        RocksDb(Path folder) {
            this.folder = folder;
        }

        @Override
        OnlineStore open(Clock clock) {
            return RocksDbOnlineStore.open(folder.resolve(STORE), clock);
        }

        @Override
        String address() {
            return "{path: " + STORE + "}";
        }
    }

    private static final class Redis extends MeasuredStore {
        private final RedisServer server;

        Redis(RedisServer server) {
            this.server = server;
        }

        @Override
        OnlineStore open(Clock clock) {
            return RedisOnlineStore.open(server.uri(), PROJECT, clock);
        }

        @Override
        String address() {
            return "{type: redis, uri: \"%s\", project: %s}".formatted(server.uri(), PROJECT);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static final class Cassandra extends MeasuredStore {
        private final CassandraNode node;

        Cassandra(CassandraNode node) {
            this.node = node;
        }

        @Override
        OnlineStore open(Clock clock) {
            return CassandraOnlineStore.open(node.where(), clock);
        }

        @Override
        String address() {
            DeploymentConfig.Cassandra where = node.where();
            return "{type: cassandra, contact_points: [\"%s\"], keyspace: %s, datacenter: %s, user: %s, password: %s}"
                    .formatted(
                            where.contactPoints().get(0),
                            where.keyspace(),
                            where.datacenter(),
                            where.user(),
                            where.password());
        }

        @Override
        void settle(String table) throws IOException {
            node.compact(table);
        }

        @Override
        Map<String, Number> touched(String table) throws IOException {
            return new TreeMap<>(Map.of(
                    "live_rows_touched_max", node.mostScanned(table, "LiveScannedHistogram"),
                    "tombstones_touched_max", node.mostScanned(table, "TombstoneScannedHistogram")));
        }

        @Override
        public void close() throws IOException {
            node.close();
        }
    }
}
