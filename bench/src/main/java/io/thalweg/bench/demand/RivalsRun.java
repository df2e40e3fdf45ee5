package io.thalweg.bench.demand;

import io.thalweg.bench.Progress;
import io.thalweg.bench.rivals.Contestant;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Thalweg and its rivals on the same events, one after the other: each drains the topic from its first event, and is done when
 * a reader has all rows of the window ends that the events have passed.
 *
 * @param patience for one system on one load
 */
public record RivalsRun(long seed, int parallelism, Duration patience) {
    private static final List<String> OPTIONS =
            List.of("-Xmx8g", "-XX:+UseParallelGC", "--add-modules", "jdk.incubator.vector");
    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.reflect",
            "java.net",
            "java.io",
            "java.nio",
            "sun.nio.ch",
            "java.text",
            "java.time",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks");

    /** One system's figures on one load. */
    public record Entry(String system, String variant, Map<String, Number> figures) {}

    /** All figures; {@code wrong} is empty where all rows are equal. */
    public record Outcome(List<Entry> entries, Map<String, Double> ratios, String wrong) {}

    /** Runs them: the first design and SQL on a load that they can finish, the tuned design on the whole one. */
    public Outcome run(List<Contest> contests, Progress progress) throws IOException, InterruptedException {
        List<Entry> entries = new ArrayList<>();
        Map<String, Double> ratios = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        try (World world = World.start("exactly_once")) {
            for (Contest contest : contests) {
                new Course(world, contest, progress, entries, ratios, wrong).run();
            }
        }
        return new Outcome(entries, ratios, String.join("; ", wrong));
    }

    /** A load and who takes part besides Thalweg. */
    public record Contest(Load load, List<String> rivals) {}

    /** One load's contest under way. */
    private final class Course {
        private final World world;
        private final Contest contest;
        private final Progress progress;
        private final List<Entry> entries;
        private final Map<String, Double> ratios;
        private final List<String> wrong;
        private final GeneratorOrder order;
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile long sent;
        private volatile long lastEndMs;

        Course(
                World world,
                Contest contest,
                Progress progress,
                List<Entry> entries,
                Map<String, Double> ratios,
                List<String> wrong) {
            this.world = world;
            this.contest = contest;
            this.progress = progress;
            this.entries = entries;
            this.ratios = ratios;
            this.wrong = wrong;
            Load load = contest.load();
            // Later than now, so that no clock on the wall can overtake the events.
            long fromMs = (System.currentTimeMillis() / Load.MINUTE_MS + 240) * Load.MINUTE_MS;
            order = new GeneratorOrder(
                    load,
                    seed,
                    world.bootstrap(),
                    "events-" + load.name(),
                    World.PARTITIONS,
                    "lz4",
                    fromMs,
                    fromMs + load.minutes() * Load.MINUTE_MS + 2 * Generator.OUT_OF_ORDER_MS,
                    load.cities(),
                    1);
        }

        void run() throws IOException, InterruptedException {
            generate();
            double own = Double.NaN;
            long rows = 0;
            long digest = 0;
            List<String> systems = new ArrayList<>(List.of("thalweg"));
            systems.addAll(contest.rivals());
            for (String system : systems) {
                Drain drain = drain(system, rows);
                entries.add(new Entry(system, order.load().name(), drain.figures()));
                if (system.equals("thalweg")) {
                    own = drain.cpuSeconds();
                    rows = drain.rows();
                    digest = drain.digest();
                    recount(drain);
                } else if (drain.rows() != rows || drain.digest() != digest) {
                    wrong.add("%s has %,d rows on load %s, Thalweg %,d%s"
                            .formatted(
                                    system,
                                    drain.rows(),
                                    order.load().name(),
                                    rows,
                                    drain.rows() == rows ? ", of other values" : ""));
                } else {
                    ratios.put("thalweg_vs_" + system, Math.rint(drain.cpuSeconds() / own * 100) / 100);
                }
            }
        }

        /** Sends all events, before anybody reads. */
        private void generate() throws IOException, InterruptedException {
            world.createTopic(order.topic(), 16L << 30);
            progress.say("sending %d minutes of %,d events a second"
                    .formatted(order.load().minutes(), order.load().eventsPerSecond()));
            try (Child generator = Child.java(
                    "generator-" + order.load().name(),
                    world.folder(),
                    List.of("-Xmx512m", "-XX:+UseSerialGC"),
                    Generator.class,
                    order.args(),
                    this::heard)) {
                generator.tell("0 %d 1 %d".formatted(order.endMs(), order.endMs()));
                while (!done.await(1, TimeUnit.SECONDS)) {
                    generator.requireAlive();
                }
            }
        }

        private void heard(String line) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "sent" -> sent = Long.parseLong(words[1]);
                case "passed" -> lastEndMs = Long.parseLong(words[1]);
                case "done" -> done.countDown();
                default -> {
                    // Ready.
                }
            }
        }

        /** What a system needed. */
        private record Drain(
                double cpuSeconds, long rows, long rowsOfLastEnd, long digest, Map<String, Number> figures) {}

        private Drain drain(String system, long rowsAwaited) throws IOException, InterruptedException {
            String topic = "rows-" + system + "-" + order.load().name();
            world.createTopic(topic, 16L << 30);
            Files.writeString(
                    world.folder().resolve("contest.yaml"),
                    World.definition()
                            .replace("DELIVERY", "exactly_once")
                            .replace("topic: " + World.EVENTS, "topic: " + order.topic())
                            .replace("topic: " + World.ROWS, "topic: " + topic)
                            .replace("start: lookback", "start: earliest"));
            progress.say("%s drains load %s".formatted(system, order.load().name()));
            CountDownLatch running = new CountDownLatch(1);
            try (ContestRows rows = new ContestRows(world, topic, lastEndMs);
                    Child child = Child.java(
                            system + "-" + order.load().name(),
                            world.folder(),
                            options(),
                            Contestant.class,
                            List.of(
                                    system,
                                    world.bootstrap(),
                                    order.topic(),
                                    topic,
                                    world.folder().toString(),
                                    String.valueOf(parallelism),
                                    products()),
                            line -> {
                                if (line.equals("running")) {
                                    running.countDown();
                                }
                            })) {
                while (!running.await(100, TimeUnit.MILLISECONDS)) {
                    child.requireAlive();
                }
                long begin = System.nanoTime();
                Duration before = child.processorTime();
                boolean inTime = true;
                while (inTime && (system.equals("thalweg") ? !rows.isComplete() : rows.rows() < rowsAwaited)) {
                    child.requireAlive();
                    rows.look();
                    progress.show("%s: %,d rows".formatted(system, rows.rows()));
                    inTime = System.nanoTime() - begin < patience.toNanos();
                }
                double cpu = child.processorTime().minus(before).toNanos() / 1e9;
                Figures figures = new Figures()
                        .put("events", sent)
                        .put("cpu_seconds_per_million_events", cpu / (sent / 1e6))
                        .put("seconds", (System.nanoTime() - begin) / 1e9)
                        .put("rows", rows.rows())
                        .put("finished", inTime ? 1L : 0L);
                return new Drain(cpu, rows.rows(), rows.rowsOfLastEnd(), rows.digest(), figures.asMap());
            }
        }

        private static List<String> options() {
            List<String> options = new ArrayList<>(OPTIONS);
            OPENED.forEach(opened -> options.addAll(List.of("--add-opens", "java.base/" + opened + "=ALL-UNNAMED")));
            return options;
        }

        private static String products() {
            return String.join(
                    ",",
                    IntStream.range(0, Cities.PRODUCTS)
                            .mapToObj(Cities::product)
                            .toList());
        }

        private void recount(Drain thalweg) {
            long expected = new Recount(order, world.view(), lastEndMs).rows();
            if (thalweg.rowsOfLastEnd() != expected) {
                wrong.add("Thalweg has %,d rows at the last window end of load %s, the recount %,d"
                        .formatted(thalweg.rowsOfLastEnd(), order.load().name(), expected));
            }
        }
    }
}
