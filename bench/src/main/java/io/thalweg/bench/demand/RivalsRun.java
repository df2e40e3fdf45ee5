package io.thalweg.bench.demand;

import io.thalweg.bench.Progress;
import io.thalweg.bench.rivals.Contestant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Thalweg and its rivals on the same events, one after the other, each in a process of its own: it drains a warm-up, then the
 * topic from its first event, and is done when a reader has all rows of the window ends that the events have passed.
 *
 * @param patience for one system on one load
 * @param launcher {@code ./thalweg} of the clone
 */
public record RivalsRun(long seed, int parallelism, Duration patience, Path launcher) {
    private static final long KEPT_BYTES = 16L << 30;
    private static final List<String> OPTIONS =
            List.of("-Xmx8g", "-XX:+UseParallelGC", "--add-modules", "jdk.incubator.vector");

    /** One system's figures on one load. */
    public record Entry(String system, String variant, Map<String, Number> figures) {}

    /** All figures; {@code wrong} is empty where all rows are equal. */
    public record Outcome(List<Entry> entries, Map<String, Double> ratios, String wrong) {}

    /** A load and who takes part besides Thalweg. */
    public record Contest(Load load, List<String> rivals) {}

    /** What all processes drain before they are measured: it does not count. */
    private static final int WARM_UP_MINUTES = 2;

    /** Runs them. */
    public Outcome run(List<Contest> contests, Progress progress) throws IOException, InterruptedException {
        List<Entry> entries = new ArrayList<>();
        Map<String, Double> ratios = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        try (TestBed testBed = TestBed.start("exactly_once")) {
            Measurement warmUp = new Measurement(
                    testBed, Load.rivalsTenth().withMinutes(WARM_UP_MINUTES).withName("warm_up"), progress);
            warmUp.generate();
            for (Contest contest : contests) {
                Measurement course = new Measurement(testBed, contest.load(), progress);
                course.generate();
                Drain own = course.drain("thalweg", warmUp);
                wrong.addAll(course.recounted(own));
                entries.add(own.entry());
                for (String rival : contest.rivals()) {
                    Drain other = course.drain(rival, warmUp);
                    entries.add(other.entry());
                    if (other.rows() == own.rows() && other.digest() == own.digest()) {
                        ratios.put("thalweg_vs_" + rival, Math.rint(other.cpuSeconds() / own.cpuSeconds() * 100) / 100);
                    } else {
                        wrong.add("%s has %,d rows on load %s, Thalweg %,d%s"
                                .formatted(
                                        rival,
                                        other.rows(),
                                        contest.load().name(),
                                        own.rows(),
                                        other.rows() == own.rows() ? ", of other values" : ""));
                    }
                }
            }
        }
        return new Outcome(entries, ratios, String.join("; ", wrong));
    }

    /** What a system needed for a load, and what came of it up to the last window end that the events have passed. */
    private record Drain(double cpuSeconds, long rows, long rowsOfLastEnd, long digest, Entry entry) {}

    /** The events of one load, and those who drain them. */
    private final class Measurement {
        private final TestBed testBed;
        private final Progress progress;
        private final GeneratorOrder order;
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile long sent;
        private volatile long lastEndMs;
        /** How many rows there are, as soon as Thalweg has said so. */
        private long rows;

        Measurement(TestBed testBed, Load load, Progress progress) {
            this.testBed = testBed;
            this.progress = progress;
            // Later than now, so that no clock on the wall can overtake the events.
            long fromMs = (System.currentTimeMillis() / Load.MINUTE_MS + 240) * Load.MINUTE_MS;
            order = new GeneratorOrder(
                    load,
                    seed,
                    testBed.bootstrap(),
                    "events-" + load.name(),
                    TestBed.PARTITIONS,
                    "lz4",
                    fromMs,
                    fromMs + load.minutes() * Load.MINUTE_MS + 2 * Generator.OUT_OF_ORDER_MS,
                    load.cities(),
                    1);
        }

        /** Sends all events, before anybody reads. */
        void generate() throws IOException, InterruptedException {
            testBed.createTopic(order.topic(), KEPT_BYTES);
            progress.say("load %s: sending %d minutes of %,d events a second"
                    .formatted(
                            order.load().name(),
                            order.load().minutes(),
                            order.load().eventsPerSecond()));
            try (Child generator = Child.java(
                    "generator-" + order.load().name(),
                    testBed.folder(),
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

        /** Has a system drain the warm-up, then this load, in one process. */
        Drain drain(String system, Measurement warmUp) throws IOException, InterruptedException {
            BlockingQueue<String> said = new LinkedBlockingQueue<>();
            List<String> args = List.of(
                    system, testBed.bootstrap(), testBed.folder().toString(), String.valueOf(parallelism), products());
            try (Child child = Child.java(
                    system + "-" + order.load().name(),
                    testBed.folder(),
                    options(),
                    Contestant.class,
                    args,
                    said::add)) {
                progress.say("%s warms up".formatted(system));
                warmUp.drain(system, child, said, "-" + order.load().name());
                progress.say("%s drains load %s".formatted(system, order.load().name()));
                return drain(system, child, said, "");
            }
        }

        private Drain drain(String system, Child child, BlockingQueue<String> said, String suffix)
                throws IOException, InterruptedException {
            String topic = "rows-" + system + "-" + order.load().name() + suffix;
            testBed.createTopic(topic, KEPT_BYTES);
            Path definition = testBed.folder().resolve(topic + ".yaml");
            Files.writeString(
                    definition,
                    TestBed.definition()
                            .replace("DELIVERY", "exactly_once")
                            .replace("topic: " + TestBed.EVENTS, "topic: " + order.topic())
                            .replace("topic: " + TestBed.ROWS, "topic: " + topic)
                            .replace("start: lookback", "start: earliest"));
            child.tell(order.topic() + " " + topic + " " + definition);
            while (said.poll(200, TimeUnit.MILLISECONDS) == null) {
                child.requireAlive();
            }
            long begin = System.nanoTime();
            Duration before = child.processorTime();
            try (ContestRows read = new ContestRows(testBed, topic, lastEndMs)) {
                boolean own = system.equals("thalweg");
                boolean inTime = true;
                while (inTime && (own ? !read.isComplete() : read.rows() < rows)) {
                    child.requireAlive();
                    read.look();
                    progress.show("%s: %,d rows".formatted(system, read.rows()));
                    inTime = System.nanoTime() - begin < patience.toNanos();
                }
                double cpu = child.processorTime().minus(before).toNanos() / 1e9;
                if (own) {
                    rows = read.rows();
                }
                Figures figures = new Figures()
                        .put("events", sent)
                        .put("cpu_seconds_per_million_events", cpu / (sent / 1e6))
                        .put("seconds", (System.nanoTime() - begin) / 1e9)
                        .put("rows", read.rows())
                        .put("finished", inTime ? 1L : 0L);
                Entry entry = new Entry(system, order.load().name(), figures.asMap());
                return new Drain(cpu, read.rows(), read.rowsOfLastEnd(), read.digest(), entry);
            }
        }

        /** Whether Thalweg's last window end has as many rows as the recount; says so if not. */
        List<String> recounted(Drain thalweg) {
            long expected = new Recount(order, testBed.view(), lastEndMs).rows();
            return thalweg.rowsOfLastEnd() == expected
                    ? List.of()
                    : List.of("Thalweg has %,d rows at the last window end of load %s, the recount %,d"
                            .formatted(thalweg.rowsOfLastEnd(), order.load().name(), expected));
        }
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(OPTIONS);
        options.add("@" + launcher.resolveSibling("build").resolve("java.options"));
        return options;
    }

    private static String products() {
        return IntStream.range(0, Cities.PRODUCTS).mapToObj(Cities::product).collect(Collectors.joining(","));
    }
}
