package io.thalweg.devkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka broker in this process: one KRaft node that is controller and broker, on the loopback address only.
 *
 * <p><b>Data.</b> Stored in the given folder, or in a temporary one that {@link #close} deletes. A broker restarted on the
 * same folder finds topics, offsets and open transactions unchanged; on the same port, clients reconnect to it.
 *
 * <p><b>Differs from a broker's defaults</b> where a single node or simulated time requires it: topics are not created by use,
 * records are kept regardless of their timestamps (give a topic {@code retention.bytes} to bound it), and timestamps may be in
 * the future.
 *
 * <p><b>Threads.</b> Safe to share. Several brokers may run in one process.
 */
public final class EmbeddedKafka implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final String FORMATTED = "meta.properties";
    private static final int ATTEMPTS = 5;
    private static final Duration TOPIC_TIMEOUT = Duration.ofSeconds(30);

    private final KafkaRaftServer server;
    private final Path dir;
    private final Data data;
    private final int port;
    private final int securedPort;
    private boolean closed;

    private EmbeddedKafka(KafkaRaftServer server, Path dir, Data data, int port, int securedPort) {
        this.server = server;
        this.dir = dir;
        this.data = data;
        this.port = port;
        this.securedPort = securedPort;
    }

    /**
     * A second listener, which requires TLS and a password ({@code SASL_SSL}, mechanism {@code PLAIN}).
     *
     * @param certificate PEM file
     * @param key PEM file, PKCS #8
     */
    public record Secured(Path certificate, Path key, String user, String password) {}

    /** What happens to the data when the broker is closed. */
    private enum Data {
        KEPT,
        DELETED
    }

    /** Starts an empty broker on a free port; its data is deleted when it is closed. */
    public static EmbeddedKafka start() {
        try {
            return startSomewhere(Files.createTempDirectory("thalweg-kafka"), Data.DELETED, null);
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder for the embedded Kafka broker", e);
        }
    }

    /** Starts an empty broker in a folder on a free port, with a secured listener on another one. */
    public static EmbeddedKafka start(Path dir, Secured secured) {
        return startSomewhere(dir, Data.KEPT, secured);
    }

    /**
     * Starts a broker on a folder that outlives it.
     *
     * @param dir created if absent; existing data of a broker is reused
     * @param port the port to listen on, or 0 for a free one
     * @throws IllegalStateException if the port is busy or another broker uses the folder; the message names both
     */
    public static EmbeddedKafka start(Path dir, int port) {
        return port == 0 ? startSomewhere(dir, Data.KEPT, null) : startAt(dir, Data.KEPT, port, null);
    }

    /** Retries with another port, because a port that was free a moment ago may be taken when the broker binds it. */
    private static EmbeddedKafka startSomewhere(Path dir, Data data, @Nullable Secured secured) {
        IllegalStateException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return startAt(dir, data, freePort(), secured);
            } catch (IllegalStateException e) {
                last = e;
            }
        }
        if (data == Data.DELETED) {
            delete(dir);
        }
        throw new IllegalStateException("embedded Kafka did not start in " + ATTEMPTS + " attempts", last);
    }

    private static EmbeddedKafka startAt(Path dir, Data data, int port, @Nullable Secured secured) {
        KafkaRaftServer server = null;
        try {
            Files.createDirectories(dir);
            Properties settings = settings(dir, port, freePort());
            int securedPort = secured == null ? 0 : freePort();
            if (secured != null) {
                secure(settings, securedPort, secured);
            }
            KafkaConfig config = new KafkaConfig(settings);
            requireFree(port);
            if (!Files.exists(dir.resolve(FORMATTED))) {
                format(dir);
            }
            server = new KafkaRaftServer(config, Time.SYSTEM);
            server.startup();
            return new EmbeddedKafka(server, dir, data, port, securedPort);
        } catch (Exception e) {
            stop(server);
            throw new IllegalStateException(
                    "embedded Kafka cannot start on %s:%d with its data in %s: %s; choose another port or folder"
                            .formatted(HOST, port, dir, rootMessage(e)),
                    e);
        }
    }

    private static Properties settings(Path dir, int port, int controllerPort) {
        Properties p = new Properties();
        p.setProperty("process.roles", "broker,controller");
        p.setProperty("node.id", "1");
        p.setProperty("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
        p.setProperty("listeners", "PLAINTEXT://%s:%d,CONTROLLER://%s:%d".formatted(HOST, port, HOST, controllerPort));
        p.setProperty("advertised.listeners", "PLAINTEXT://%s:%d".formatted(HOST, port));
        p.setProperty("controller.listener.names", "CONTROLLER");
        p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        p.setProperty("log.dirs", dir.toString());
        p.setProperty("auto.create.topics.enable", "false");
        // One node: internal topics have one copy and few partitions, because each costs files and time to open.
        for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            p.setProperty(topic + ".replication.factor", "1");
            p.setProperty(topic + ".num.partitions", "2");
        }
        p.setProperty("transaction.state.log.min.isr", "1");
        p.setProperty("share.coordinator.state.topic.min.isr", "1");
        p.setProperty("transaction.max.timeout.ms", Long.toString(TimeUnit.MINUTES.toMillis(15)));
        p.setProperty("group.initial.rebalance.delay.ms", "0");
        // Event time may be simulated, so it must neither expire records nor get them refused.
        p.setProperty("log.retention.ms", "-1");
        p.setProperty("log.message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE));
        // The broker shares the process with another program: few threads, and less than the 128 MiB that the log
        // cleaner uses by default.
        p.setProperty("num.network.threads", "2");
        p.setProperty("num.io.threads", "4");
        p.setProperty("background.threads", "2");
        p.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
        return p;
    }

    private static void secure(Properties p, int port, Secured secured) throws IOException {
        p.setProperty("listeners", p.getProperty("listeners") + ",SECURED://%s:%d".formatted(HOST, port));
        p.setProperty(
                "advertised.listeners",
                p.getProperty("advertised.listeners") + ",SECURED://%s:%d".formatted(HOST, port));
        p.setProperty(
                "listener.security.protocol.map",
                p.getProperty("listener.security.protocol.map") + ",SECURED:SASL_SSL");
        p.setProperty("sasl.enabled.mechanisms", "PLAIN");
        String listener = "listener.name.secured.";
        p.setProperty(listener + "ssl.keystore.type", "PEM");
        p.setProperty(listener + "ssl.keystore.certificate.chain", Files.readString(secured.certificate()));
        p.setProperty(listener + "ssl.keystore.key", Files.readString(secured.key()));
        p.setProperty(
                listener + "plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=\"%s\";"
                        .formatted(secured.user(), secured.password()));
    }

    private static void format(Path dir) throws Exception {
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .setNodeId(1)
                .setClusterId(Uuid.randomUuid().toString())
                .setDirectories(List.of(dir.toString()))
                .setMetadataLogDirectory(dir.toString())
                .setControllerListenerName("CONTROLLER")
                .run();
    }

    /** The value of {@code bootstrap.servers} for clients. */
    public String bootstrap() {
        return HOST + ":" + port;
    }

    /**
     * The value of {@code bootstrap.servers} for clients of the secured listener.
     *
     * @throws IllegalStateException if there is none
     */
    public String securedBootstrap() {
        if (securedPort == 0) {
            throw new IllegalStateException("the broker was started without a secured listener");
        }
        return HOST + ":" + securedPort;
    }

    /** The port that clients connect to. */
    public int port() {
        return port;
    }

    /**
     * Creates a topic and returns when clients can use it. An existing topic is left unchanged.
     *
     * @param config topic settings such as {@code retention.bytes} or {@code cleanup.policy}
     * @throws IllegalArgumentException if the broker refuses the name or a setting; the message is the broker's
     */
    public void createTopic(String name, int partitions, Map<String, String> config) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
            admin.createTopics(List.of(
                            new NewTopic(name, Optional.of(partitions), Optional.of((short) 1)).configs(config)))
                    .all()
                    .get(TOPIC_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalArgumentException("topic %s: %s".formatted(name, e.getMessage()), e);
            }
        } catch (TimeoutException e) {
            throw new IllegalStateException("topic %s was not created within %s".formatted(name, TOPIC_TIMEOUT), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while creating topic " + name, e);
        }
        awaitLeaders(name);
    }

    /** Waits for leaders: the controller knows a topic some milliseconds before the broker reports it to clients. */
    private void awaitLeaders(String topic) {
        long deadlineNanos = System.nanoTime() + TOPIC_TIMEOUT.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
            while (!hasLeaders(admin, topic)) {
                if (System.nanoTime() > deadlineNanos) {
                    throw new IllegalStateException("topic %s has no leader after %s".formatted(topic, TOPIC_TIMEOUT));
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            awaitReplicas(admin, topic, deadlineNanos - System.nanoTime());
        }
    }

    /**
     * Waits until the leaders answer. The broker reports a leader some milliseconds before it acts as one, and a producer whose first
     * batches arrive in between may never recover its order of sequence numbers. The client retries until the leaders answer.
     */
    private static void awaitReplicas(Admin admin, String topic, long nanos) {
        try {
            TopicDescription description =
                    admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            Objects.requireNonNull(description)
                    .partitions()
                    .forEach(partition ->
                            ends.put(new TopicPartition(topic, partition.partition()), OffsetSpec.latest()));
            var unused = admin.listOffsets(ends).all().get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the leaders of topic %s do not answer".formatted(topic), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for topic " + topic, e);
        }
    }

    private static boolean hasLeaders(Admin admin, String topic) {
        try {
            TopicDescription description =
                    admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
            return description != null
                    && description.partitions().stream()
                            .allMatch(partition -> partition.leader() != null
                                    && !partition.leader().isEmpty());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw new IllegalStateException("topic %s cannot be described".formatted(topic), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for topic " + topic, e);
        }
    }

    /** Stops the broker; returns when its port and folder are free. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        stop(server);
        if (data == Data.DELETED) {
            delete(dir);
        }
    }

    private static void stop(@Nullable KafkaRaftServer server) {
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
        }
    }

    private static void delete(Path dir) {
        try (Stream<Path> paths = Files.walk(dir)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + dir, e);
        }
    }

    /** Checks the port first: the broker would notice only after it has opened everything else. */
    private static void requireFree(int port) throws IOException {
        new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on " + HOST, e);
        }
    }
}
