package io.thalweg.store.redis;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.testing.Await;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real Redis Cluster of three masters on the loopback interface. */
final class RedisClusterProcesses implements AutoCloseable {
    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;
    /** The time without an answer after which a node counts as failed; a cluster also waits so long before it begins. */
    static final Duration HASTY = Duration.ofSeconds(1);
    /** Longer than a busy machine silences a node. */
    private static final Duration PATIENT = Duration.ofMinutes(1);

    private final @Nullable TestCertificate certificate;
    private final List<RedisProcess> masters = new ArrayList<>();
    private final List<RedisProcess> replicas = new ArrayList<>();

    private RedisClusterProcesses(@Nullable TestCertificate certificate) {
        this.certificate = certificate;
    }

    /** Starts a cluster whose files are in {@code folder}; returns when it accepts commands. */
    static RedisClusterProcesses start(Path folder) throws IOException {
        return start(folder, null);
    }

    /** Starts a cluster; with a certificate the nodes speak only TLS, also to each other. */
    static RedisClusterProcesses start(Path folder, @Nullable TestCertificate certificate) throws IOException {
        RedisClusterProcesses cluster = new RedisClusterProcesses(certificate);
        for (int i = 0; i < MASTERS; i++) {
            cluster.masters.add(cluster.node(folder, "master" + i));
        }
        for (int i = 0; i < MASTERS; i++) {
            int node = i;
            int[] slots = IntStream.range(0, SLOTS)
                    .filter(slot -> slot * MASTERS / SLOTS == node)
                    .toArray();
            with(cluster.masters.get(i), redis -> {
                redis.clusterSetConfigEpoch(node + 1L);
                redis.clusterAddSlots(slots);
                if (node > 0) {
                    redis.clusterMeet("127.0.0.1", cluster.masters.get(0).port());
                }
            });
        }
        cluster.masters.forEach(master -> master.awaitLine("Cluster state changed: ok"));
        cluster.setNodeTimeout(PATIENT);
        return cluster;
    }

    /** Sets how long a master may be silent before the others replace it. */
    void setNodeTimeout(Duration timeout) {
        Stream.concat(masters.stream(), replicas.stream())
                .forEach(node -> with(
                        node, redis -> redis.configSet("cluster-node-timeout", Long.toString(timeout.toMillis()))));
    }

    private RedisProcess node(Path folder, String name) throws IOException {
        Path own = Files.createDirectory(folder.resolve(name));
        String[] options = {"--cluster-enabled", "yes", "--cluster-node-timeout", Long.toString(HASTY.toMillis())};
        return certificate == null
                ? RedisProcess.start(own, options)
                : RedisProcess.startWithTls(
                        own,
                        certificate,
                        Stream.concat(Stream.of(options), Stream.of("--tls-cluster", "yes"))
                                .toArray(String[]::new));
    }

    /** Adds a replica of a master; returns when it has caught up. */
    void addReplica(Path folder, int master) throws IOException {
        RedisProcess replica = node(folder, "replica" + master);
        replicas.add(replica);
        String[] id = {""};
        with(masters.get(master), redis -> id[0] = redis.clusterMyId());
        with(
                replica,
                redis -> redis.clusterMeet("127.0.0.1", masters.get(master).port()));
        replica.awaitLine("Cluster state changed: ok");
        with(replica, redis -> redis.clusterReplicate(id[0]));
        replica.awaitLine("Finished with success");
    }

    List<RedisProcess> masters() {
        return masters;
    }

    /**
     * Moves a slot while clients use it.
     *
     * @param between is called while none, half and all of its keys have moved
     */
    void moveSlot(int slot, RedisProcess from, RedisProcess to, Runnable between) {
        try (RedisClient source = from.client();
                RedisClient target = to.client()) {
            // As text, keys of other tests in the slot, which are bytes, would be keys of other slots.
            RedisCommands<byte[], byte[]> old =
                    source.connect(ByteArrayCodec.INSTANCE).sync();
            RedisCommands<byte[], byte[]> next =
                    target.connect(ByteArrayCodec.INSTANCE).sync();
            next.clusterSetSlotImporting(slot, old.clusterMyId());
            old.clusterSetSlotMigrating(slot, next.clusterMyId());
            between.run();
            migrate(old, to, slot, old.clusterCountKeysInSlot(slot) / 2);
            between.run();
            for (long left = old.clusterCountKeysInSlot(slot); left > 0; left = old.clusterCountKeysInSlot(slot)) {
                migrate(old, to, slot, left);
            }
            between.run();
            next.clusterSetSlotNode(slot, next.clusterMyId());
            old.clusterSetSlotNode(slot, next.clusterMyId());
            between.run();
        }
    }

    private static void migrate(RedisCommands<byte[], byte[]> from, RedisProcess to, int slot, long keys) {
        from.migrate(
                "127.0.0.1",
                to.port(),
                0,
                Await.PATIENCE.toMillis(),
                MigrateArgs.Builder.keys(from.clusterGetKeysInSlot(slot, (int) keys)));
    }

    /** Runs commands on one node. */
    static void with(RedisProcess server, Consumer<RedisCommands<String, String>> work) {
        try (RedisClient client = server.client()) {
            work.accept(client.connect().sync());
        }
    }

    @Override
    public void close() {
        masters.forEach(RedisProcess::close);
        replicas.forEach(RedisProcess::close);
    }
}
