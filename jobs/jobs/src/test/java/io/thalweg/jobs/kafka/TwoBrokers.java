package io.thalweg.jobs.kafka;

import io.thalweg.testing.FreePorts;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

/** A Kafka cluster of two brokers in racks {@code a} and {@code b}; the first is also the controller. */
final class TwoBrokers implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final Path folder;
    private final int controllerPort = FreePorts.next();
    private final int[] ports = {FreePorts.next(), FreePorts.next()};
    private final @Nullable KafkaRaftServer[] servers = new @Nullable KafkaRaftServer[2];

    TwoBrokers(Path folder) throws Exception {
        this.folder = folder;
        String cluster = Uuid.randomUuid().toString();
        for (int node = 1; node <= 2; node++) {
            format(node, cluster);
            start(node);
        }
    }

    String bootstrap() {
        return HOST + ":" + ports[0] + "," + HOST + ":" + ports[1];
    }

    void start(int node) {
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings(node)), Time.SYSTEM);
        servers[node - 1] = server;
        server.startup();
    }

    void stop(int node) {
        KafkaRaftServer server = servers[node - 1];
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
            servers[node - 1] = null;
        }
    }

    private Path folder(int node) {
        return folder.resolve("broker-" + node);
    }

    private void format(int node, String cluster) throws Exception {
        Files.createDirectories(folder(node));
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .setNodeId(node)
                .setClusterId(cluster)
                .setDirectories(List.of(folder(node).toString()))
                .setMetadataLogDirectory(folder(node).toString())
                .setControllerListenerName("CONTROLLER")
                .run();
    }

    private Properties settings(int node) {
        boolean controls = node == 1;
        String listener = "PLAINTEXT://" + HOST + ":" + ports[node - 1];
        Properties p = new Properties();
        p.setProperty("process.roles", controls ? "broker,controller" : "broker");
        p.setProperty("node.id", String.valueOf(node));
        p.setProperty("broker.rack", controls ? "a" : "b");
        p.setProperty("replica.selector.class", "org.apache.kafka.common.replica.RackAwareReplicaSelector");
        p.setProperty("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
        p.setProperty("listeners", controls ? listener + ",CONTROLLER://" + HOST + ":" + controllerPort : listener);
        p.setProperty("advertised.listeners", listener);
        p.setProperty("controller.listener.names", "CONTROLLER");
        p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        p.setProperty("log.dirs", folder(node).toString());
        p.setProperty("auto.create.topics.enable", "false");
        p.setProperty("broker.heartbeat.interval.ms", "200");
        p.setProperty("broker.session.timeout.ms", "2000");
        p.setProperty("replica.fetch.wait.max.ms", "50");
        p.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
        return p;
    }

    @Override
    public void close() {
        stop(2);
        stop(1);
    }
}
