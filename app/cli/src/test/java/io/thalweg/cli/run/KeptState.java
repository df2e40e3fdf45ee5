package io.thalweg.cli.run;

import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import redis.embedded.RedisServer;

/**
 * A folder with everything that a deployment leaves behind when it is stopped: definitions, a broker's data, the savepoints of its
 * jobs, the embedded store, a table of Parquet files, and the dump of a Redis server. The test resources have such a folder of each
 * version that was released, as {@code kept/VERSION.zip}.
 */
record KeptState(Path folder) {
    /** The seed of the events in all kept states, together with {@link #START_MS}. */
    static final long SEED = 45;

    static final long START_MS = 1_767_225_600_000L;
    /** The number of events sent before the deployment was stopped. */
    static final int EVENTS = 150;
    /** The number of rides sent before the deployment was stopped. */
    static final int RIDES = 300;

    static final String CELLS = "cells";
    static final String KEYS = "keys";
    private static final int PARTITIONS = RiderFeed.PARTITIONS;
    private static final Path RESOURCES = Checkout.file("app/cli/src/test/resources/kept");

    /** The files to keep; anything else in the folder belongs to a single process. */
    private static final List<String> KEPT =
            List.of("views.yaml", "rides.yaml", "ride.thrift", "kafka", "checkpoints", "store", "table", "redis");

    private static final String VIEWS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: cells
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities:
              - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
              - {name: product, field: product_id, type: uuid}
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1]
            windows: {sizes: [1m, 4m], every: 1m}
            sink: {topic: events-cells, format: json, delivery: exactly_once}
            online: {ttl: 10000d, history: 10000d}
            ---
            apiVersion: thalweg/v1
            kind: FeatureView
            name: keys
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities: [{name: rider, field: rider_id, type: uuid}]
            measures:
              - {name: requests, count: all, where: {event_type: request}}
              - {sum: lat}
              - {mean: lng}
              - {name: west, min: lng}
              - {name: east, max: lng}
              - {name: products, count_distinct: product_id, type: uuid}
            windows: {sizes: [1m, 4m], every: 1m}
            sink: {topic: events-keys, format: json, delivery: exactly_once}
            online: {ttl: 10000d, history: 10000d}
            """;

    private static final String INGEST = """
            apiVersion: thalweg/v1
            kind: Ingest
            name: rides
            source: {topic: rides, %s}
            sink: {parquet: table, every: 1s}
            """.formatted(Format.THRIFT_COMPACT.source);

    /** The versions whose state is kept. */
    static List<String> versions() throws IOException {
        try (Stream<Path> files = Files.list(RESOURCES)) {
            return files.map(file -> file.getFileName().toString().replace(".zip", ""))
                    .sorted()
                    .toList();
        }
    }

    /** Puts the definitions into a folder that has no other state yet. */
    static KeptState define(Path folder) throws IOException {
        Files.writeString(folder.resolve("views.yaml"), VIEWS);
        Files.writeString(folder.resolve("rides.yaml"), INGEST);
        Rides.writeSchemas(folder);
        Files.createDirectory(folder.resolve("redis"));
        return new KeptState(folder);
    }

    /** Puts the state of a version into a folder. */
    static KeptState of(String version, Path folder) throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(RESOURCES.resolve(version + ".zip")))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(in, file);
            }
        }
        return new KeptState(folder);
    }

    /** Keeps this state as that of a version. */
    void keepAs(String version) throws IOException {
        Files.createDirectories(RESOURCES);
        try (OutputStream file = Files.newOutputStream(RESOURCES.resolve(version + ".zip"));
                ZipOutputStream out = new ZipOutputStream(file)) {
            for (String kept : KEPT) {
                try (Stream<Path> files = Files.walk(folder.resolve(kept))) {
                    for (Path each : files.filter(Files::isRegularFile).sorted().toList()) {
                        out.putNextEntry(new ZipEntry(folder.relativize(each).toString()));
                        Files.copy(each, out);
                    }
                }
            }
        }
    }

    FeatureView view(String name) {
        return Definitions.load(List.of(folder.resolve("views.yaml"))).views().stream()
                .filter(view -> view.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Starts the broker on its data. */
    EmbeddedKafka startKafka() {
        EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0);
        for (String topic : List.of("events", "events-cells", "events-keys", "events-dead", "rides", "rides-dead")) {
            kafka.createTopic(topic, PARTITIONS, Map.of());
        }
        return kafka;
    }

    RiderFeed feed(EmbeddedKafka kafka) {
        return new RiderFeed(kafka.bootstrap(), "events", SEED, START_MS);
    }

    void sendRides(EmbeddedKafka kafka, long from, long to) {
        Encoder encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long id = from; id < to; id++) {
                var unused =
                        producer.send(new ProducerRecord<>("rides", (int) (id % PARTITIONS), null, encoder.encode(id)));
            }
        }
    }

    /** Starts a Redis server that loads the dump, if there is one; its command {@code SAVE} writes it. */
    RedisServer startRedis(int port) throws IOException {
        RedisServer redis = RedisServer.newRedisServer()
                .port(port)
                .setting("save \"\"")
                .setting("dir " + folder.resolve("redis"))
                .build();
        redis.start();
        return redis;
    }

    /** Opens what {@link #configureRedis} names. */
    OnlineStore openRedis(int port) {
        return RedisOnlineStore.open(URI.create("redis://127.0.0.1:" + port), "kept", Clock.systemUTC());
    }

    /**
     * Writes a deployment configuration.
     *
     * @param store value of {@code store}
     * @return the port of its server
     */
    int configure(String file, EmbeddedKafka kafka, String store) throws IOException {
        int port = FreePorts.next();
        Files.writeString(folder.resolve(file), """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints}
                store: {%s}
                server: {port: %d, admin_port: 0}
                """.formatted(kafka.bootstrap(), store, port));
        return port;
    }

    /** Writes {@code redis.yaml} with the Redis server as store. */
    int configureRedis(EmbeddedKafka kafka, int redisPort) throws IOException {
        return configure(
                "redis.yaml", kafka, "type: redis, uri: \"redis://127.0.0.1:%d\", project: kept".formatted(redisPort));
    }
}
