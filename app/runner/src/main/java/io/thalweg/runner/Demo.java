package io.thalweg.runner;

import io.thalweg.devkit.CityConfig;
import io.thalweg.devkit.CityFeed;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.sink.RowTap;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.qalm.Mode;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.console.ConsoleConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A simulated city through a real broker, Flink, the store and the server, all in this process. The first thread to call close ends
 * the running parts in the reverse order of their start.
 */
public final class Demo implements AutoCloseable {
    static final List<String> DEFINITIONS = List.of("demand.yaml", "supply.yaml");

    private static final int PORTS_TRIED = 50;
    private static final long RETENTION_BYTES = 512L << 20;

    /**
     * What the demo shows.
     *
     * @param speed event time per wall time
     * @param minutes how long the city runs once the job has caught up with it, in event time; null = until Ctrl-C
     * @param exit whether the demo ends with the minutes
     * @param port the port to serve on, or the first of those to try; 0 = any
     * @param offline whether feature logs are written
     */
    public record Settings(
            double speed,
            @Nullable Integer minutes,
            boolean exit,
            int port,
            long seed,
            double eventsPerSecond,
            int parallelism,
            boolean offline) {
        /** Checks the settings; throws {@link UserError} if one is out of range. */
        public Settings {
            if (!(speed > 0 && speed <= 1000)) {
                throw UserError.usage("--speed must be above 0 and at most 1000, was " + speed, "such as --speed 10");
            }
            if (minutes != null && minutes < 1) {
                throw UserError.usage("--minutes must be at least 1, was " + minutes, "such as --minutes 5");
            }
            if (exit && minutes == null) {
                throw UserError.usage("--exit needs --minutes", "such as --minutes 5 --exit");
            }
            if (port < 0 || port > 65_535) {
                throw UserError.usage("--port must be 0 to 65535, was " + port, "such as --port 8080");
            }
            Jobs.requireParallelism(parallelism);
        }

        CityConfig city() {
            try {
                return CityConfig.defaults().withSeed(seed).withEventsPerSecond(eventsPerSecond);
            } catch (IllegalArgumentException e) {
                throw UserError.usage(String.valueOf(e.getMessage()), "");
            }
        }
    }

    private final Settings settings;
    private final Path folder;
    private final Console console;
    private final ProgressLine progress;
    private final List<FeatureView> views;
    private final @Nullable DemoHistory history;
    private final Closeables open = new Closeables();
    private final String id = LiveJob.newId();
    private final List<HotCells> hot = new ArrayList<>();
    private Clock now = Clock.systemUTC();
    private long simBegunMs;
    private @Nullable ProducerLines producing;
    private @Nullable Serving serving;
    private final JobWatch jobWatch = new JobWatch("demo", InstantSource.system());
    private @Nullable LiveJob job;
    private @Nullable CityFeed feed;

    private Demo(Settings settings, Path folder, Console console, ProgressLine progress) throws IOException {
        this.settings = settings;
        history = settings.offline() ? DemoHistory.create(DemoHistory.FOLDER) : null;
        views = settings.offline() ? DemoHistory.logged(views()) : views();
        this.folder = folder;
        this.console = console;
        this.progress = progress;
        open.add(() -> Folders.deleteQuietly(folder));
        open.add(new JobAccounts(id));
    }

    /** Runs the demo until Ctrl-C, or until the minutes are over. */
    public static void run(Settings settings, Console console, boolean quiet) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-demo");
        try (ProgressLine progress = console.progress(quiet);
                Demo demo = new Demo(settings, folder, console, progress)) {
            Interrupt interrupt = Interrupt.with(0, demo::close);
            try {
                demo.start();
                demo.watch();
            } finally {
                interrupt.disarm();
            }
        }
    }

    static List<FeatureView> views() {
        List<FeatureView> views = new ArrayList<>();
        for (String name : DEFINITIONS) {
            Definitions.parse(definition(name), name).views().forEach(view -> views.add(packed(view)));
        }
        return views;
    }

    /** Returns the text of one of {@link #DEFINITIONS}. */
    static String definition(String name) {
        try (InputStream in = Demo.class.getResourceAsStream("init/" + name)) {
            if (in == null) {
                throw new IllegalStateException("examples/" + name + " is not packed into this program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("examples/" + name + " cannot be read", e);
        }
    }

    /** Writes packed rows, one record per block: nothing reads JSON rows in the demo, and encoding them costs CPU. */
    private static FeatureView packed(FeatureView view) {
        SinkSpec sink = view.sink();
        return sink == null
                ? view
                : view.withSink(new SinkSpec(sink.topic(), sink.kafka(), SinkSpec.Format.PACKED, sink.delivery()));
    }

    private void start() throws IOException {
        progress.say("starting a Kafka broker in this process");
        EmbeddedKafka kafka = open.add(EmbeddedKafka.start(folder.resolve("kafka"), 0));
        CityFeed.createTopics(kafka, RETENTION_BYTES);
        CityFeed city = open.add(new CityFeed(settings.city(), kafka.bootstrap()));
        feed = city;
        fillThePast(city);
        DeploymentConfig deploymentConfig = deploymentConfig(kafka);
        new KafkaTopics(KafkaClusters.of(deploymentConfig)).prepare(views);
        FeatureLogs.prepare(views, deploymentConfig);
        ClockSpec clock = new ClockSpec(Clock.systemUTC().millis(), simBegunMs, settings.speed());
        now = clock.toClock(Clock.systemUTC());
        ProducerLines lines = new ProducerLines(kafka.bootstrap(), clock, views);
        producing = lines;
        city.follow(simBegunMs, now);
        // Port 0 is not probed: the system chooses a free port at the start.
        int served = settings.port() == 0 ? 0 : freePort(settings.port());
        ServerConfig soon = ServerConfig.loopback(served)
                .withAdminPort(settings.port() == 0 ? 0 : freePort(served + 1))
                .withConsole(new ConsoleConfig(
                        Files.writeString(folder.resolve("city.geojson"), CityFeed.geoJson(settings.city())),
                        Map.of("product", CityFeed.productNames()),
                        "city time"))
                .withQalm(new ServerConfig.Qalm(Mode.ON, null, folder.resolve("qalm")))
                .withDrain(Duration.ofMillis(500));
        KafkaWatch brokers = open.add(KafkaWatch.ofSourcesAndSinks(views, deploymentConfig));
        Serving started = open.add(
                Serving.start(views, deploymentConfig, soon, now, () -> LiveEndpoint.routes(id), jobWatch, metrics -> {
                    jobWatch.register(metrics);
                    brokers.register(metrics);
                    JobSeries.register(metrics, views, JobMetrics.of(id));
                }));
        serving = started;
        DemoReads reads = history == null ? null : open.add(DemoReads.start(views, started.port()));
        progress.say("console at " + started.console() + ": demand and supply on a map, as soon as the job has rows");
        watchRows(reads);
        LiveJob running = LiveJob.start(
                id,
                JobPlan.run(
                        views,
                        deploymentConfig,
                        LookupSources.files(),
                        ConfiguredStore.name(deploymentConfig.store()),
                        clock),
                settings.parallelism(),
                "none");
        job = running;
        open.add(history == null ? running::cancel : () -> end(running, history));
        progress.say(lines.topics());
        progress.say(started.where() + "  (Ctrl-C ends the demo)");
    }

    /**
     * Simulates the span of the largest window in the past. Without it, no row could be emitted before the first such window
     * has passed.
     */
    private void fillThePast(CityFeed city) {
        long minute = 60_000;
        simBegunMs = Math.floorDiv(Clock.systemUTC().millis(), minute) * minute;
        long pastMs = views.stream()
                        .mapToLong(view -> view.windows().largestPanes()
                                * view.windows().every().millis())
                        .max()
                        .orElse(0)
                + 2 * minute;
        progress.say("simulating a city's last %d minutes: %,.0f events a second, seed %d"
                .formatted(pastMs / minute, settings.eventsPerSecond(), settings.seed()));
        city.backfill(simBegunMs - pastMs, simBegunMs);
    }

    private DeploymentConfig deploymentConfig(EmbeddedKafka kafka) {
        return new DeploymentConfig(
                "demo",
                Map.of("default", new DeploymentConfig.Kafka(kafka.bootstrap(), Map.of())),
                Map.of(),
                history == null ? Map.of() : Map.of("default", history.catalog()),
                Map.of(),
                DeploymentConfig.Google.DEFAULT,
                DeploymentConfig.Checkpoints.in(folder.resolve("checkpoints"), DurationText.parse("10s")),
                new DeploymentConfig.RocksDb(folder.resolve("store")),
                history == null ? DeploymentConfig.Server.loopback(settings.port()) : history.server(settings.port()),
                DeploymentConfig.Load.DEFAULTS,
                null,
                List.of(),
                Set.of());
    }

    private void watchRows(@Nullable DemoReads reads) {
        for (FeatureView view : views) {
            int windows = view.windows().sizes().size();
            int ring5 = Math.max(0, view.rings().indexOf(5)) * windows;
            hot.add(new HotCells(view, 0, ring5 + Math.min(3, windows - 1), windows - 1));
        }
        RowTap.register(id, block -> {
            for (int i = 0; i < views.size(); i++) {
                if (views.get(i).qualifiedName().equals(block.view())) {
                    hot.get(i).see(block);
                }
            }
            if (reads != null) {
                reads.see(block);
            }
        });
    }

    private int freePort(int from) {
        for (int candidate = from; candidate < from + PORTS_TRIED && candidate <= 65_535; candidate++) {
            try (ServerSocket free = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException e) {
                // The port is in use; try the next one.
            }
        }
        throw UserError.failed(
                "ports %d to %d are all in use".formatted(from, from + PORTS_TRIED - 1), "choose another with --port");
    }

    private void watch() throws InterruptedException {
        LiveJob watched = Objects.requireNonNull(job);
        Serving served = Objects.requireNonNull(serving);
        ProducerLines lines = Objects.requireNonNull(producing);
        new DemoScreen(views, hot, new DemoScreen.Watched(watched, jobWatch, served, lines), now, progress, console)
                .run(
                        settings.minutes() == null ? Long.MAX_VALUE : settings.minutes(),
                        settings.exit(),
                        this::stopTheCity);
    }

    /** Commits what is in the logs so far. */
    private void end(LiveJob running, DemoHistory logs) {
        boolean unused = running.stop(progress);
        progress.say("feature logs and the serving log are in " + logs.folder());
        logs.commands().forEach(progress::say);
    }

    private void stopTheCity() {
        CityFeed city = feed;
        if (city != null) {
            city.close();
        }
    }

    @Override
    public void close() {
        try {
            open.close();
        } catch (RuntimeException e) {
            progress.say("while ending: " + e.getMessage());
        }
    }
}
