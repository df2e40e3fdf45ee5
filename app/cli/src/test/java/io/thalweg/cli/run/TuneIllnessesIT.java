package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.embedded.RedisServer;

/**
 * Tests whether {@code thalweg tune} names an illness, and whether the proposed change removes it. Each job runs twice under the same
 * steady load: as it was prepared, and with that change. It takes a minute for each illness. With
 * {@code -Dthalweg.illness=HOT_HEXAGON,SLOW_STORE} it runs only these. The table is {@code dev/integration/target/tune-illnesses.md}; the
 * states of the jobs are beside it.
 */
@Tag("soak")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class TuneIllnessesIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Path RESULTS = Path.of("target", "tune-illnesses").toAbsolutePath();
    private static final long END = 1_451_671_260_000L;
    /** Names of illnesses; empty = all. */
    private static final String ONLY = System.getProperty("thalweg.illness", "");

    /** The time of a view's first event; each further event is one second later. */
    private static final long FIRST_MS = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(30);

    private static final Pattern WATERMARK = Pattern.compile("thalweg_watermark_timestamp_seconds\\{.*?} ([\\d.E]+)");

    private static final Pattern DOMAIN = Pattern.compile("(?m)^  (\\w[\\w ]*) \\((?:cpu|network|memory)\\)$");

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    private static final List<String> TABLE = new ArrayList<>();
    private static RedisWire wire;
    private static RedisServer redis;

    @TempDir
    Path folder;

    /** A job, and the load that it gets. */
    private sealed interface Job {}

    /**
     * An ingest whose function does what {@link Ill} can.
     *
     * @param spread one of this many records goes to the second partition; 0 = none
     * @param rate messages a second
     */
    private record Ingest(
            String function, int partitions, int spread, int parallelism, String heap, String where, int rate)
            implements Job {}

    /**
     * A publication to a Redis server.
     *
     * @param delayMs between the job and the server
     * @param rate blocks of 343 rows a second
     */
    private record Publish(String load, String every, long delayMs, int rate) implements Job {}

    /**
     * A view with rings whose hottest hexagon has 99 of 100 events. Each event is one second later, so that each ends a window.
     *
     * @param rate events a second
     */
    private record Run(String where, int rate) implements Job {}

    private static final String STATUSES = "where: {status: [REQUEST, TEST, DONE]}";

    /** What limits the job, its domain, a part of the proposed change, and the job before and after the change. */
    @SuppressWarnings("ImmutableEnumChecker") // jobs are records
    private enum Illness {
        TOO_FEW_PARTITIONS(
                "partitioning",
                "at least as many partitions in the topic as the job has subtasks",
                new Ingest("waits", 1, 0, 2, "-Xmx1g", "", 600),
                new Ingest("waits", 2, 2, 2, "-Xmx1g", "", 600)),
        ONE_HOT_KEY(
                "partitioning",
                "record keys that spread the events",
                new Ingest("waits", 2, 20, 2, "-Xmx1g", "", 600),
                new Ingest("waits", 2, 2, 2, "-Xmx1g", "", 600)),
        HOT_HEXAGON(
                "partitioning",
                "where, so that the busiest place has fewer events, or a view of its own for it",
                new Run("", 1_500),
                new Run("where: {place: [other]}", 1_500)),
        SLOW_STORE(
                "remote calls",
                "load.target_latency: ",
                new Publish("", "10s", 400, 20),
                new Publish("target_latency: 900ms", "10s", 400, 20)),
        SMALL_BATCH(
                "batch size",
                "load.batch_rows: 5000 instead of 10",
                new Publish("batch_rows: 10", "10s", 10, 20),
                new Publish("batch_rows: 5000", "10s", 10, 20)),
        TOO_LITTLE_HEAP(
                "garbage collection",
                "more heap: THALWEG_JAVA_OPTS=-Xmx",
                new Ingest("keeps", 1, 0, 1, "-Xmx296m", "", 1_500),
                new Ingest("keeps", 1, 0, 1, "-Xmx572m", "", 1_500)),
        ALLOCATING_FUNCTION(
                "garbage collection",
                "fewer objects per event",
                new Ingest("allocates", 1, 0, 1, "-Xmx1g", "", 600),
                new Ingest("none", 1, 0, 1, "-Xmx1g", "", 600)),
        REMOTE_LOOKUP(
                "remote calls",
                "--parallelism 2 instead of 1, with as many partitions",
                new Ingest("waits", 1, 0, 1, "-Xmx1g", "", 600),
                new Ingest("waits", 2, 2, 2, "-Xmx1g", "", 600)),
        TOO_FREQUENT_CHECKPOINTS(
                "checkpoints", "checkpoints.every: ", new Publish("", "20ms", 20, 20), new Publish("", "10s", 20, 20)),
        FILTER_THAT_DROPS_NOTHING(
                "algorithm",
                "where: a condition that drops what the rows do not need",
                new Ingest("computes", 1, 0, 1, "-Xmx1g", STATUSES, 3_000),
                new Ingest("computes", 1, 0, 1, "-Xmx1g", "where: {status: [TEST]}", 3_000));

        private final String domain;
        private final String change;
        private final Job before;
        private final Job after;

        Illness(String domain, String change, Job before, Job after) {
            this.domain = domain;
            this.change = change;
            this.before = before;
            this.after = after;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** The observation of a job: the report, and the growth of its lag in events or rows per second. */
    private record Observed(CommandRun tune, long growth, long lag) {
        List<String> domains() {
            return DOMAIN.matcher(tune.out())
                    .results()
                    .map(found -> found.group(1))
                    .toList();
        }

        String change() {
            Matcher change = Pattern.compile("    change    (.*)").matcher(tune.out());
            return change.find() ? change.group(1) : "";
        }

        String text() {
            return "%s | %,d, %+d/s"
                    .formatted(domains().isEmpty() ? "healthy" : String.join(", ", domains()), lag, growth);
        }
    }

    @BeforeAll
    static void startRedis() throws IOException {
        wire = new RedisWire(FreePorts.next());
        redis = RedisServer.newRedisServer()
                .port(wire.port())
                .setting("save \"\"")
                .build();
        redis.start();
        Files.createDirectories(RESULTS);
        TABLE.add(
                "| illness | tune before | lag before | change | tune after | lag after |\n|---|---|---|---|---|---|");
    }

    @AfterAll
    static void stopRedis() throws IOException {
        redis.stop();
        Files.write(Path.of("target", "tune-illnesses.md"), TABLE);
        System.out.println(String.join("\n", TABLE));
    }

    @ParameterizedTest
    @EnumSource
    void tune_preparedIllness_isNamedAndTheChangeRemovesIt(Illness illness) throws Exception {
        assumeTrue(ONLY.isEmpty() || ONLY.contains(illness.name()), "not asked for");
        Observed before = observe(illness.before, illness.name() + "-before");
        Observed after = observe(illness.after, illness.name() + "-after");
        TABLE.add("| %s | %s | %s | %s |".formatted(illness.label(), before.text(), before.change(), after.text()));
        assertThat(before.domains()).as(before.tune.out()).startsWith(illness.domain);
        assertThat(before.change()).contains(illness.change);
        assertThat(after.domains()).as(after.tune.out()).isEmpty();
    }

    private Observed observe(Job job, String name) throws Exception {
        Path home = Files.createDirectories(folder.resolve(name.toLowerCase(Locale.ROOT)));
        if (job instanceof Run run) {
            return observe(run, home, name);
        }
        return job instanceof Ingest ingest ? observe(ingest, home, name) : observe((Publish) job, home, name);
    }

    private Observed observe(Run job, Path home, String name) throws Exception {
        String topic = BROKER.topic(home, 2).name();
        Files.writeString(home.resolve("place.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: place
                source:
                  topic: %s
                  start: earliest
                  event_time: {field: ts, unit: ms}
                  max_out_of_orderness: 10s
                %s
                entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                measure: {count: all}
                rings: [0, 1, 2, 3, 4, 5, 6]
                windows: {sizes: [1s], every: 1s}
                online: {ttl: 10000d}
                """.formatted(topic, job.where()));
        int port = FreePorts.next();
        int admin = FreePorts.next();
        Files.writeString(home.resolve("thalweg.yaml"), """
                kafka: {default: {bootstrap: "%s"}}
                store: {path: %s}
                checkpoints: {dir: %s}
                server: {admin_port: %d}
                """.formatted(
                        BROKER.bootstrap(), home.resolve("store"), home.resolve("checkpoints"), admin));
        String hot = Long.toHexString(BulkRows.cell(0));
        String other = Long.toHexString(BulkRows.cell(3 * 512)); // the middle of another tile, as the first is
        try (Subprocess process = start(home, "-Xmx1g", "run", "place.yaml", "--port", port, "--parallelism", 2)) {
            return observe(process, port, admin, name, job.rate(), "lag_records\\{.*?} ([\\d.E]+)", id -> {
                boolean isHot = id % 100 != 0;
                String event = "{\"ts\": %d, \"c\": \"%s\", \"place\": \"%s\"}"
                        .formatted(FIRST_MS + 1_000 * id, isHot ? hot : other, isHot ? "hot" : "other");
                var unused = BROKER.producer()
                        .send(new ProducerRecord<>(
                                topic, (int) (id / 2 % 2), null, event.getBytes(StandardCharsets.UTF_8)));
            });
        }
    }

    private Observed observe(Ingest job, Path home, String name) throws Exception {
        RidesTopic rides = BROKER.topic(home, job.partitions());
        rides.configure("");
        rides.define("", "parquet: table");
        Path classes = Files.createDirectories(home.resolve("classes/io/thalweg/cli/run"));
        try (InputStream code = Ill.class.getResourceAsStream("Ill.class")) {
            Files.copy(Objects.requireNonNull(code), classes.resolve("Ill.class"));
        }
        Path mode = Files.writeString(home.resolve("illness"), job.function());
        Path definition = home.resolve("rides.yaml");
        Files.writeString(
                definition,
                Files.readString(definition).replace("every: 1s", "every: 10s")
                        + "transform: {class: %s, jars: [classes], config: {file: \"%s\"}}%n%s%n"
                                .formatted(Ill.class.getName(), mode, job.where()));
        int port = FreePorts.next();
        Rides.Encoder encoder = rides.encoder();
        try (Subprocess process =
                start(home, job.heap(), "ingest", "rides.yaml", "--port", port, "--parallelism", job.parallelism())) {
            return observe(process, port, port, name, job.rate(), "ingest_lag_records\\{.*?} ([\\d.E]+)", id -> {
                int partition = job.spread() > 0 && id % job.spread() == 0 ? 1 : 0;
                var unused =
                        BROKER.producer().send(new ProducerRecord<>(rides.name(), partition, null, encoder.encode(id)));
            });
        }
    }

    private Observed observe(Publish job, Path home, String name) throws Exception {
        wire.say("FLUSHALL");
        String topic = BROKER.topic(home, 1).name();
        String yaml = BulkRows.yaml(topic);
        Files.writeString(home.resolve("demand.yaml"), yaml);
        FeatureView view = Definitions.parse(yaml, "demand.yaml").views().get(0);
        HexRowCodec packed = new HexRowCodec(view);
        int port = FreePorts.next();
        int admin = FreePorts.next();
        try (SlowLink link = new SlowLink(wire.port(), job.delayMs())) {
            Files.writeString(home.resolve("thalweg.yaml"), """
                    kafka: {default: {bootstrap: "%s"}}
                    store: {type: redis, uri: "redis://127.0.0.1:%d", project: market}
                    checkpoints: {dir: %s, every: %s}
                    server: {admin_port: %d}
                    load: {%s}
                    """.formatted(
                    BROKER.bootstrap(), link.port(), home.resolve("checkpoints"), job.every(), admin, job.load()));
            try (Subprocess process = start(home, "-Xmx1g", "publish", "demand.yaml", "--port", port)) {
                return observe(process, port, admin, name, job.rate(), "loaded_rows_total\\{.*?} ([\\d.E]+)", id -> {
                    var unused = BROKER.producer()
                            .send(new ProducerRecord<>(
                                    topic, 0, END, null, packed.encodeBlock(BulkRows.block(id, 0, END), 5)));
                });
            }
        }
    }

    private static Subprocess start(Path home, String heap, Object... arguments) {
        List<String> command = Launched.program(heap);
        command.add(1, Launched.TEMPORARY_FILES);
        for (Object argument : arguments) {
            command.add(String.valueOf(argument));
        }
        command.addAll(List.of("--config", "thalweg.yaml", "--quiet"));
        return Subprocess.start(home, Map.of(), command);
    }

    /** Observes a job under a steady load, after 6 s of it to load classes and let writers adapt. */
    private Observed observe(
            Subprocess process, int port, int admin, String name, int rate, String series, LongConsumer send)
            throws Exception {
        Pattern figure = Pattern.compile(series);
        await(process, port, figure);
        awaitJob(process, admin);
        AtomicLong sent = new AtomicLong();
        AtomicBoolean ended = new AtomicBoolean();
        Thread producer = new Thread(() -> offer(rate, sent, send, ended));
        producer.setDaemon(true);
        producer.start();
        try {
            TimeUnit.SECONDS.sleep(6);
            jobs(admin);
            TimeUnit.SECONDS.sleep(2);
            String first = jobs(admin);
            long begun = System.nanoTime();
            long lag = lag(port, figure, sent);
            CommandRun tune = CommandRun.of(
                    "tune", "--for", "12s", "--admin", "http://127.0.0.1:" + admin, "--config", home(name));
            long lagAfter = lag(port, figure, sent);
            long growth = Math.round((lagAfter - lag) * 1e9 / (System.nanoTime() - begun));
            Files.writeString(
                    RESULTS.resolve(name + ".json"),
                    "{\"jobs\": [\n  %s,\n  %s\n]}%n".formatted(only(first), only(jobs(admin))));
            Files.writeString(RESULTS.resolve(name + ".txt"), tune.out() + tune.err());
            return new Observed(tune, growth, lagAfter);
        } finally {
            ended.set(true);
            producer.join();
        }
    }

    private Path home(String name) {
        return folder.resolve(name.toLowerCase(Locale.ROOT)).resolve("thalweg.yaml");
    }

    private static void offer(int rate, AtomicLong sent, LongConsumer send, AtomicBoolean ended) {
        long begun = System.nanoTime();
        while (!ended.get()) {
            long due = (long) ((System.nanoTime() - begun) / 1e9 * rate);
            while (sent.get() < due) {
                send.accept(sent.getAndIncrement());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /**
     * Returns the lag: as an ingest reports it, the rows that a publication has not written yet, or the events of a view since
     * its watermark.
     */
    private static long lag(int port, Pattern figure, AtomicLong sent) throws Exception {
        if (figure.pattern().startsWith("lag")) {
            Matcher watermark = WATERMARK.matcher(HttpOne.get(port, "/metrics"));
            return watermark.find()
                    ? sent.get() - Math.round(Double.parseDouble(watermark.group(1)) - FIRST_MS / 1e3)
                    : sent.get();
        }
        Matcher found = figure.matcher(HttpOne.get(port, "/metrics"));
        assertThat(found.find()).isTrue();
        long value = (long) Double.parseDouble(found.group(1));
        return figure.pattern().startsWith("loaded") ? sent.get() * BulkRows.BLOCK_ROWS - value : value;
    }

    private static void await(Subprocess process, int port, Pattern figure) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                if (figure.matcher(HttpOne.get(port, "/metrics")).find()) {
                    return;
                }
            } catch (IOException e) {
                // does not listen yet
            }
            assertThat(process.isAlive() && System.nanoTime() < deadline)
                    .as(() -> String.join("\n", process.stderr()))
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** On a busy machine a job is submitted long after its process answers. */
    private static void awaitJob(Subprocess process, int admin) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (only(jobs(admin)).isBlank()) {
            assertThat(process.isAlive() && System.nanoTime() < deadline)
                    .as(() -> String.join("\n", process.stderr()))
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private static String jobs(int admin) throws Exception {
        return HttpOne.get(admin, "/v1/jobs");
    }

    private static String only(String jobs) {
        return jobs.substring(jobs.indexOf('[') + 1, jobs.lastIndexOf(']'));
    }
}
