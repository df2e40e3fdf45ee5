package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.ProcessorTime;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.rivals.DrainProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Thalweg and the tuned design on the same events, one after the other, each in its own process: a system drains a warm-up, then
 * the topic from its first event, and is done when a reader has all rows of the window ends that the events have passed.
 *
 * @param patience for one system on one load
 */
public record RivalsRun(long seed, int parallelism, Duration patience, int rounds) {
    /** Thalweg first, because the other's rows are compared with its own. */
    private static final List<String> SYSTEMS = List.of("thalweg", "flink_tuned");

    static final String COMPILED_COST = "compiled_cpu_seconds_per_million_events";
    private static final long KEPT_BYTES = 16L << 30;
    private static final List<String> OPTIONS = List.of(
            "-Xmx8g",
            "-XX:+UseParallelGC",
            "-XX:-UseDynamicNumberOfCompilerThreads", // the CPU time of a compiler thread that ends would be lost
            "--add-modules",
            "jdk.incubator.vector");
    /** The largest city, whose rows are compared one by one. */
    private static final Set<Integer> COMPARED = Set.of(0);

    /**
     * Rows are compared when none has arrived for this time, because duplicates arrive after the number is complete. Longer than
     * the time between checkpoints, with which rows are committed.
     */
    private static final Duration QUIET = Duration.ofSeconds(15);

    private static final Duration SENT = Duration.ofHours(2);

    /** The length of the same load that each process drains before it is measured; it does not count. */
    private static final int WARM_UP_MINUTES = 2;

    /** Measures both in as many rounds as this run has. */
    public Contest run(Load load, Progress progress) throws Exception {
        try (TestBed testBed = TestBed.start(Setup.usual(parallelism, 10).with("delivery", "exactly_once"))) {
            Measurement warmUp =
                    new Measurement(testBed, load.alone("warm_up_" + load.name(), WARM_UP_MINUTES), progress);
            warmUp.generate();
            Measurement measured = new Measurement(testBed, load, progress);
            measured.generate();
            List<Contestant> systems = SYSTEMS.stream()
                    .map(system -> new Contestant(system, load.name(), () -> measured.drain(system, warmUp)))
                    .toList();
            return Contest.run(systems, rounds, progress);
        }
    }

    /** The rows that a system wrote up to the last window end that the events have passed. */
    private record Rows(long rows, long digest) {}

    /** The events of one load, and the systems that drain them. */
    private final class Measurement {
        private final TestBed testBed;
        private final Progress progress;
        private final Generator.Order order;
        private volatile boolean done;
        private volatile long sent;
        private volatile long lastEndMs;
        /** The rows of the first system, Thalweg, which all others must equal. */
        private @Nullable Rows expected;

        private final Set<Long> tiles;
        private int drained;

        Measurement(TestBed testBed, Load load, Progress progress) {
            this.testBed = testBed;
            this.progress = progress;
            // In the future, so that the wall clock cannot overtake the events.
            long fromMs = (System.currentTimeMillis() / Load.MINUTE_MS + 240) * Load.MINUTE_MS;
            order = new Generator.Order(
                    load,
                    seed,
                    testBed.bootstrap(),
                    "events-" + load.name(),
                    TestBed.PARTITIONS,
                    fromMs,
                    fromMs + load.minutes() * Load.MINUTE_MS + 2 * Generator.OUT_OF_ORDER_MS,
                    true);
            tiles = Recount.tiles(order.cities(), COMPARED);
        }

        /** Sends all events before any system reads. */
        void generate() throws IOException, InterruptedException {
            testBed.createTopic(order.topic(), KEPT_BYTES);
            progress.say("load %s: sending %d minutes of %,d events a second"
                    .formatted(
                            order.load().name(),
                            order.load().minutes(),
                            order.load().eventsPerSecond()));
            String name = "generator-" + order.load().name();
            try (Child generator = Child.java(name, testBed.folder(), Generator.PROGRAM, this::heard, order)) {
                generator.tell("0 %d 1 %d".formatted(order.endMs(), order.endMs()));
                generator.await("all events sent", SENT, () -> done);
            }
        }

        private void heard(String line) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "sent" -> sent = Long.parseLong(words[1]);
                case "passed" -> lastEndMs = Long.parseLong(words[1]);
                case "done" -> done = true;
                default -> {
                    // Ready.
                }
            }
        }

        /** Lets a system drain the warm-up, then this load, in one process. */
        Score drain(String system, Measurement warmUp) throws IOException, InterruptedException {
            BlockingQueue<String> said = new LinkedBlockingQueue<>();
            String name = "%s-%s-%d".formatted(system, order.load().name(), drained++);
            DrainProcess contestant =
                    new DrainProcess(system, testBed.bootstrap(), testBed.folder(), parallelism, products());
            try (Child child = Child.java(name, testBed.folder(), program(), said::add, contestant)) {
                Score unused = warmUp.drain(system, child, said, "warm-up-" + name, Duration.ZERO);
                return drain(system, child, said, "rows-" + name, QUIET);
            }
        }

        private Score drain(String system, Child child, BlockingQueue<String> said, String topic, Duration quiet)
                throws IOException, InterruptedException {
            testBed.createTopic(topic, KEPT_BYTES);
            Path definition = testBed.folder().resolve(topic + ".yaml");
            Files.writeString(
                    definition,
                    TestBed.definitions(testBed.setup())
                            .replace("topic: " + TestBed.EVENTS, "topic: " + order.topic())
                            .replace("topic: " + TestBed.ROWS, "topic: " + topic)
                            .replace("start: lookback", "start: earliest"));
            child.tell(order.topic() + " " + topic + " " + definition);
            while (said.poll(200, TimeUnit.MILLISECONDS) == null) {
                child.requireAlive();
            }
            long begin = System.nanoTime();
            double before = child.cpuSeconds();
            long compilersBefore = ProcessorTime.of(child.pid()).compilers();
            try (ContestRows read = new ContestRows(testBed, topic, lastEndMs, tiles)) {
                boolean inTime = true;
                while (inTime && !(expected == null ? read.isComplete() : read.rows() >= expected.rows())) {
                    child.requireAlive();
                    read.look();
                    progress.show("%s: %,d rows".formatted(system, read.rows()));
                    inTime = System.nanoTime() - begin < patience.toNanos();
                }
                double cpu = child.cpuSeconds() - before;
                double compilers = (ProcessorTime.of(child.pid()).compilers() - compilersBefore) / 1e9;
                double seconds = (System.nanoTime() - begin) / 1e9;
                if (inTime) {
                    read.lookUntilQuiet(quiet);
                }
                return new Figures()
                        .rate("events", sent, seconds, cpu)
                        .put(COMPILED_COST, (cpu - compilers) / sent * 1e6)
                        .put("rows", read.rows())
                        .put("finished", inTime ? 1L : 0L)
                        .score(difference(read));
            }
        }

        /**
         * Compares the first rows with the recount of the last window end: their number, and each row of the largest city. The
         * rows of all other systems are compared with them.
         */
        private String difference(ContestRows read) {
            Rows found = new Rows(read.rows(), read.digest());
            if (expected == null) {
                expected = found;
                Recount recount = new Recount(order, testBed.view(), lastEndMs);
                long recounted = recount.rows();
                return read.rowsOfLastEnd() == recounted
                        ? Recount.difference(testBed.view(), read.kept(), recount.sums(COMPARED))
                        : "%,d rows at the last window end, the recount has %,d"
                                .formatted(read.rowsOfLastEnd(), recounted);
            }
            if (found.rows() != expected.rows()) {
                return "%,d rows, Thalweg %,d".formatted(found.rows(), expected.rows());
            }
            return found.digest() == expected.digest() ? "" : "as many rows as Thalweg, of other values";
        }
    }

    private static Child.Program program() {
        List<String> options = new ArrayList<>(OPTIONS);
        options.add("@" + Clone.launcher().resolveSibling("build").resolve("java.options"));
        return Child.Program.of(DrainProcess.class, options.toArray(String[]::new));
    }

    private static String[] products() {
        return IntStream.range(0, Cities.PRODUCTS).mapToObj(Cities::product).toArray(String[]::new);
    }
}
