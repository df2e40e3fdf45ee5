package io.thalweg.bench.demand;

import io.thalweg.bench.demand.JobCheckpoints.Checkpoint;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.soak.Series;
import io.thalweg.bench.soak.Soak;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One measurement of the whole pipeline: it warms the pipeline up, sustains the load for some minutes, and recounts the rows.
 *
 * @param setup of the pipeline
 * @param soak whether figures are watched over time
 * @param profile file for a flame graph of the measured time; null = none
 * @param readsPerSecond reads of 100 keys a second while it is measured; 0 = none
 */
public record DemandRun(
        Load load,
        Setup setup,
        long seed,
        boolean soak,
        @Nullable Path profile,
        double readsPerSecond) {
    /** The least that event time may run ahead of the events read during the warm-up. */
    private static final long AHEAD_MS = 30_000;

    /** The event time after a window end by which each partition has an event that passes it. */
    private static final long PASSED_MS = Generator.OUT_OF_ORDER_MS + Load.MAX_DELAY_MS + 1_000;

    private static final long EVENTS_KEPT_BYTES = 8L << 30;
    private static final long ROWS_KEPT_BYTES = 2L << 30;
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration LAST_ROWS = Duration.ofMinutes(3);
    private static final long LOOK_MS = 50;
    /** The number of cities that are recounted besides the largest one. */
    private static final int OTHER_CITIES = 4;

    /** The time between two polls of Flink's history of checkpoints, which holds at most ten. */
    private static final long CHECKPOINTS_MS = 20_000;

    /** Creates a run of a load with the setup that users start. */
    public DemandRun(
            Load load, int parallelism, long seed, boolean soak, @Nullable Path profile, double readsPerSecond) {
        this(load, Setup.usual(parallelism, load.checkpointSeconds()), seed, soak, profile, readsPerSecond);
    }

    /** Returns a copy with another duration in minutes of event time. */
    public DemandRun withMinutes(int minutes) {
        return new DemandRun(load.withMinutes(minutes), setup, seed, soak, profile, readsPerSecond);
    }

    /** Returns a copy with another value of a dimension: {@code speed}, or one of {@link Setup}. */
    DemandRun with(String dimension, String value) {
        boolean ofLoad = dimension.equals("speed");
        return new DemandRun(
                ofLoad ? load.withSpeed(value) : load,
                ofLoad ? setup : setup.with(dimension, value),
                seed,
                soak,
                profile,
                readsPerSecond);
    }

    /**
     * Returns the runs of all combinations of the values of some dimensions, by the name of their load; the values of the last
     * dimension vary first. A dimension is {@code speed} (a multiple of the scale's load) or a component of {@link Setup}.
     *
     * @param vary {@code DIMENSION=VALUE,…} for each dimension
     * @throws IllegalArgumentException if a dimension is unknown or repeated, or a value is repeated or invalid
     */
    static Map<String, DemandRun> sweep(DemandRun base, List<String> vary) {
        Map<String, DemandRun> runs = new LinkedHashMap<>(Map.of(base.load().name(), base));
        Set<String> seen = new HashSet<>();
        for (String each : vary) {
            String[] parts = each.split("=", 2);
            if (parts.length < 2 || !seen.add(parts[0])) {
                throw new IllegalArgumentException(
                        "--vary must be DIMENSION=VALUE,… with each dimension once, such as speed=4,8, was '%s'"
                                .formatted(each));
            }
            Map<String, DemandRun> more = new LinkedHashMap<>();
            runs.forEach((name, run) -> {
                for (String value : parts[1].split(",", -1)) {
                    String label = "%s, %s %s".formatted(name, parts[0], label(value));
                    if (more.put(label, run.with(parts[0], value)) != null) {
                        throw new IllegalArgumentException(
                                "--vary %s has the value %s twice".formatted(each, label(value)));
                    }
                }
            });
            runs = more;
        }
        return runs;
    }

    /** Returns a value; of the home of a JDK only the folder's name, because results are read on other machines. */
    private static String label(String value) {
        return String.valueOf(Path.of(value).getFileName());
    }

    /**
     * The result of a run.
     *
     * @param watched the figures over time; empty unless it was a soak
     */
    public record Outcome(Score score, List<Series> watched) {}

    /** Runs the measurement. */
    public Outcome run(Progress progress) throws IOException, InterruptedException {
        progress.say("starting a Kafka broker");
        try (TestBed testBed = TestBed.start(setup)) {
            testBed.createTopic(TestBed.EVENTS, EVENTS_KEPT_BYTES);
            for (String topic : setup.rowTopics()) {
                testBed.createTopic(topic, ROWS_KEPT_BYTES / setup.views());
            }
            progress.say("starting thalweg run");
            try (LiveThalweg thalweg = LiveThalweg.start(testBed, load)) {
                return new Measurement(testBed, thalweg, progress).run();
            }
        }
    }

    /** A run in progress. */
    private final class Measurement {
        private final TestBed testBed;
        private final LiveThalweg thalweg;
        private final Progress progress;
        private final Generator.Order order;
        private final Cities cities;
        private final Set<Integer> sample;
        private final WindowEnds windowEnds;
        private final RowTopic rows;
        private final Child generator;
        private final Figures figures = new Figures();
        private final long warmMs;
        private volatile long sent;
        private volatile long sentMs;

        Measurement(TestBed testBed, LiveThalweg thalweg, Progress progress) throws IOException {
            this.testBed = testBed;
            this.thalweg = thalweg;
            this.progress = progress;
            // So far before now that event time has caught up when the warm-up ends, and does not exceed the lookback.
            double leadMinutes = Math.min(30, load.warmUpMinutes() * (1 - 1 / load.warmUpSpeed()));
            long leadMs = (long) (leadMinutes * Load.MINUTE_MS);
            long fromMs = Math.floorDiv(System.currentTimeMillis() - leadMs, Load.MINUTE_MS) * Load.MINUTE_MS;
            warmMs = fromMs + load.warmUpMinutes() * Load.MINUTE_MS;
            windowEnds = new WindowEnds(testBed.view().qualifiedName(), warmMs, load.speed());
            boolean byRider = setup.partitioning().equals("rider");
            order = new Generator.Order(
                    load,
                    seed,
                    testBed.bootstrap(),
                    TestBed.EVENTS,
                    TestBed.PARTITIONS,
                    fromMs,
                    Long.MAX_VALUE,
                    byRider);
            sentMs = fromMs;
            cities = order.cities();
            sample = new TreeSet<>(
                    Set.of(0)); // the largest city and some random ones, whose rows are compared one by one
            new SplittableRandom(seed).ints(OTHER_CITIES, 0, load.cities()).forEach(sample::add);
            rows = new RowTopic(testBed.bootstrap(), TestBed.ROWS, Recount.tiles(cities, sample));
            Child.Program program = load.yields() ? Generator.PROGRAM.with(Child.yielding()) : Generator.PROGRAM;
            generator = Child.java("generator", testBed.folder(), program, this::heard, order);
        }

        private void heard(String line) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("sent")) {
                sent = Long.parseLong(words[1]);
                sentMs = Long.parseLong(words[2]);
            } else if (words[0].equals("passed")) {
                windowEnds.passed(Long.parseLong(words[1]), Long.parseLong(words[2]));
            }
        }

        Outcome run() throws IOException, InterruptedException {
            try (rows;
                    generator) {
                progress.say("drawing a map of %,d cities".formatted(load.cities()));
                String unused = generator.await("ready", START);
                warmUp();
                return measure();
            }
        }

        private long consumed() throws InterruptedException {
            return thalweg.server().metrics().sum("thalweg_events_total", Sample.OF_VIEW);
        }

        private void requireAlive() {
            generator.requireAlive();
            thalweg.process().requireAlive();
        }

        /** Sends past events at the given speed, but never far beyond those read, because the topic's retention is limited. */
        private void warmUp() throws IOException, InterruptedException {
            long beginMs = System.currentTimeMillis();
            double before = thalweg.process().cpuSeconds();
            long aheadMs = (long) Math.max(AHEAD_MS, load.warmUpSpeed() * 3_000);
            long limitMs = order.fromMs();
            while (sentMs < warmMs || consumed() < sent) {
                requireAlive();
                long read = consumed();
                long readMs = order.fromMs() + aheadMs + read * 1_000 / load.eventsPerSecond();
                limitMs = Math.max(limitMs, Math.min(warmMs, readMs));
                generator.tell("%d %d %s %d".formatted(beginMs, order.fromMs(), load.warmUpSpeed(), limitMs));
                progress.show("warming up: %d of %d minutes of event time, %,d events"
                        .formatted((sentMs - order.fromMs()) / Load.MINUTE_MS, load.warmUpMinutes(), read));
                Thread.sleep(200);
            }
            double seconds = (System.currentTimeMillis() - beginMs) / 1_000.0;
            double cpu = thalweg.process().cpuSeconds() - before;
            figures.put("warm_up_speed", load.warmUpMinutes() * 60 / seconds)
                    .put("warm_up_events_per_second", sent / seconds)
                    .put("warm_up_cpu_seconds_per_million_events", cpu / (sent / 1e6));
        }

        private Outcome measure() throws IOException, InterruptedException {
            double settleMs = load.settleMs() / load.speed();
            double lastingMs = load.minutes() * Load.MINUTE_MS / load.speed();
            // Started here, because on a busy machine that takes seconds, which must not be part of the measured time.
            Profiler profiler =
                    profile != null ? Profiler.start(thalweg.process().pid(), testBed.folder()) : null;
            String view = testBed.view().qualifiedName();
            Path file = testBed.folder().resolve("reads");
            LiveReader.Order reads = new LiveReader.Order(order, sample, thalweg.port(), view, readsPerSecond, file);
            try (LiveReads live = new LiveReads(reads, cities, testBed.folder(), progress)) {
                live.awaitReady();
                long anchorMs = windowEnds.start();
                long endMs = anchorMs + (long) (settleMs + lastingMs);
                generator.tell(windowEnds.schedule(Long.MAX_VALUE));
                live.start(endMs);
                watch(anchorMs + (long) settleMs);
                Sample begin = Sample.take(testBed, thalweg, generator);
                List<ProcessMonitor.Look> looks = hold(endMs);
                awaitFirsts(begin.wallMs());
                long now = System.currentTimeMillis();
                long lastEndMs = windowEnds.lastDue(now);
                // No later window ends, so the rows of this one stay the newest and can be read back.
                generator.tell(windowEnds.schedule(lastEndMs + PASSED_MS));
                rows.hold();
                Sample end = Sample.take(testBed, thalweg, generator);
                figures.put("generator_behind_seconds", Math.max(0, behindMs(now)) / 1e3 / load.speed());
                if (profiler != null && profile != null) {
                    String commit = Clone.ofLauncher().commit();
                    profiler.stop("thalweg run at scale %s at %s".formatted(load.name(), commit), profile);
                }
                awaitRows(lastEndMs);
                NavigableMap<Long, Long> ends = windowEnds.due(begin.wallMs(), lastEndMs);
                live.readBack(testBed.views());
                String wrong = report(begin, end, ends);
                NavigableMap<Long, Long> bursts = new TreeMap<>();
                ends.forEach((windowEnd, passed) -> bursts.put(passed, windowEnds.readableMs(windowEnd)));
                live.report(begin.wallMs(), end.wallMs(), bursts, figures);
                List<Series> watched = soak ? series(begin, end, ends, looks) : List.of();
                if (soak) {
                    figures.put(
                            "drifting_figures", new Soak("", watched).drifts().size());
                }
                generator.close();
                return new Outcome(figures.score(wrong.isEmpty() ? recount(ends, live) : wrong), watched);
            }
        }

        /**
         * Continues to measure until a window has ended and a checkpoint has completed. On a busy machine a short run may be over
         * before that. The rates show it.
         */
        private void awaitFirsts(long fromMs) throws IOException, InterruptedException {
            long now = System.currentTimeMillis();
            long deadlineMs = now + LAST_ROWS.toMillis();
            for (; !hasFirsts(fromMs, now); now = System.currentTimeMillis()) {
                if (now > deadlineMs) {
                    String missing = windowEnds.hasPassed(fromMs, now) ? "checkpoint completed" : "window ended";
                    throw new IllegalStateException("no %s while measuring; the generator is behind by %s"
                            .formatted(missing, Duration.ofMillis(behindMs(now))));
                }
                watch(now + LOOK_MS);
            }
        }

        private boolean hasFirsts(long fromMs, long toMs) throws IOException, InterruptedException {
            if (!windowEnds.hasPassed(fromMs, toMs)) {
                return false;
            }
            thalweg.flink().look();
            return !thalweg.flink().checkpoints(fromMs, toMs).isEmpty();
        }

        private List<ProcessMonitor.Look> hold(long untilMs) throws IOException, InterruptedException {
            if (!soak) {
                watch(untilMs);
                return List.of();
            }
            Duration lasting = Duration.ofMillis(untilMs - System.currentTimeMillis());
            LongSupplier behind = () -> behindMs(System.currentTimeMillis());
            try (ProcessMonitor vitals = new ProcessMonitor(thalweg, lasting, () -> sent, behind)) {
                watch(untilMs);
                return vitals.end();
            }
        }

        private List<Series> series(
                Sample begin, Sample end, NavigableMap<Long, Long> ends, List<ProcessMonitor.Look> looks)
                throws IOException {
            return new SoakSeries(begin.wallMs(), end.wallMs())
                    .heap(thalweg.gcLog())
                    .latency("assembled_ms", ends, at -> rows.at(at).assembledMs)
                    .latency("acknowledged_ms", ends, at -> rows.at(at).acknowledgedMs)
                    .latency("readable_ms", ends, windowEnds::readableMs)
                    .looks(looks, load)
                    .checkpoints(thalweg.flink().checkpoints(begin.wallMs(), end.wallMs()))
                    .all();
        }

        /** Waits until a time, and meanwhile polls the server for the progress of readers. */
        private void watch(long untilMs) throws IOException, InterruptedException {
            long checkpointsMs = 0;
            for (long now = System.currentTimeMillis(); now < untilMs; now = System.currentTimeMillis()) {
                requireAlive();
                windowEnds.look(thalweg.server());
                if (now >= checkpointsMs && now + 2_000 < untilMs) {
                    checkpointsMs = now + Math.min(CHECKPOINTS_MS, 5_000L * setup.checkpoints());
                    thalweg.flink().look();
                    progress.show("measuring: %d s to go, event time %d s behind"
                            .formatted((untilMs - now) / 1_000, Math.max(0, behindMs(now)) / 1_000));
                }
                Thread.sleep(Math.max(1, Math.min(LOOK_MS, untilMs - System.currentTimeMillis())));
            }
        }

        private long behindMs(long now) {
            return windowEnds.eventMs(now) - sentMs;
        }

        private void awaitRows(long lastEndMs) throws InterruptedException {
            thalweg.process().await("rows of the last window end", LAST_ROWS, () -> {
                generator.requireAlive();
                windowEnds.look(thalweg.server());
                return windowEnds.isReadable(lastEndMs) && rows.isAcknowledged(lastEndMs);
            });
            for (FeatureView view : testBed.views()) {
                String name = view.qualifiedName();
                thalweg.process()
                        .await(
                                "rows of the last window end of view " + name,
                                LAST_ROWS,
                                () -> thalweg.server().watermarkMs(name) >= lastEndMs);
            }
        }

        /** Returns how the number of rows of the other views differs from that of the first; empty once it does not. */
        private String unequalViews() throws InterruptedException {
            long deadline = System.nanoTime() + LAST_ROWS.toNanos();
            while (true) {
                ThalwegServer.Metrics metrics = thalweg.server().metrics();
                long first = metrics.sum(Sample.ROWS_TOTAL, Sample.OF_VIEW);
                long all = metrics.sum(Sample.ROWS_TOTAL, "");
                if (all == first * setup.views()) {
                    return "";
                }
                if (System.nanoTime() - deadline > 0) {
                    return "the first of %d views has %,d rows, all have %,d".formatted(setup.views(), first, all);
                }
                Thread.sleep(LOOK_MS);
            }
        }

        /** Puts all figures. Returns why the rows are wrong, as far as counters show it; empty otherwise. */
        private String report(Sample begin, Sample end, NavigableMap<Long, Long> ends)
                throws IOException, InterruptedException {
            long rowsOut =
                    ends.keySet().stream().mapToLong(at -> rows.at(at).rows).sum();
            long bytesOut =
                    ends.keySet().stream().mapToLong(at -> rows.at(at).bytes).sum();
            end.report(begin, setup.featuresPerRow(), figures);
            figures.put("offered_events_per_second", load.eventsPerSecond() * load.speed())
                    .put("window_ends", (long) ends.size())
                    .put("rows_per_window_end", rowsOut / ends.size())
                    .put("packed_bytes_per_row", bytesOut / (double) rowsOut)
                    .latencies("assembled", WindowEnds.since(ends, at -> rows.at(at).assembledMs))
                    .latencies("acknowledged", WindowEnds.since(ends, at -> rows.at(at).acknowledgedMs))
                    .latencies("readable", WindowEnds.since(ends, windowEnds::readableMs))
                    .latencies("due_acknowledged", windowEnds.sinceDue(ends, at -> rows.at(at).acknowledgedMs))
                    .latencies("due_readable", windowEnds.sinceDue(ends, windowEnds::readableMs));
            ThalwegServer.Metrics metrics = thalweg.server().metrics();
            figures.put("bad_events", metrics.sum("thalweg_events_total", "outcome=\"bad\""))
                    .put("late_events", metrics.sum("thalweg_events_total", "outcome=\"late\""));
            String unequal = unequalViews();
            thalweg.flink().look();
            List<Checkpoint> completed = thalweg.flink().checkpoints(begin.wallMs(), end.wallMs());
            figures.put("checkpoints", (long) completed.size())
                    .put("state_bytes", max(completed, Checkpoint::stateBytes))
                    .put("checkpoint_bytes", max(completed, Checkpoint::fileBytes))
                    .put("checkpoint_max_ms", max(completed, Checkpoint::durationMs))
                    .put("snapshot_pause_max_ms", max(completed, Checkpoint::pauseMs));
            if (!setup.gc().equals("z")) { // its log has another format than the one that is parsed
                GcLog pauses = thalweg.gcLog().between(begin.wallMs(), end.wallMs());
                long liveBytes = thalweg.liveHeapBytes();
                GcLog all = thalweg.gcLog().between(begin.wallMs(), Long.MAX_VALUE);
                figures.put("heap_peak_bytes", all.heapPeakBytes())
                        .put("heap_live_bytes", liveBytes)
                        .put("gc_pause_max_ms", pauses.longestMillis())
                        .put("gc_share", pauses.totalMillis() / 1_000 / end.secondsSince(begin));
            }
            long expired = metrics.sum("thalweg_store_expired_rows_total", "");
            return expired > 0
                    ? "%,d rows had expired before they reached the store: its part was not measured".formatted(expired)
                    : unequal;
        }

        private static long max(List<Checkpoint> of, ToLongFunction<Checkpoint> figure) {
            return of.stream().mapToLong(figure).max().orElse(0);
        }

        /**
         * Recounts each measured window end, in a soak the last {@link RowTopic#KEPT_ENDS}. Compares the number of all rows, and
         * every row of some cities, both as it arrived in the topic and as it was read from the server.
         */
        private String recount(NavigableMap<Long, Long> ends, LiveReads read) throws IOException {
            long compared = 0;
            long lastEndMs = ends.lastKey();
            long firstMs = lastEndMs - (RowTopic.KEPT_ENDS - 1) * Load.MINUTE_MS;
            for (long windowEnd : ends.tailMap(firstMs).keySet()) {
                Instant at = Instant.ofEpochMilli(windowEnd);
                progress.say("recounting the rows of " + at);
                Recount recount = new Recount(order, testBed.view(), windowEnd);
                long expected = recount.rows();
                RowTopic.End found = rows.at(windowEnd);
                if (found.rows != expected) {
                    return "at %s %,d rows came, the recount has %,d".formatted(at, found.rows, expected);
                }
                Map<Recount.Key, long[]> sums = recount.sums(sample);
                String difference = Recount.difference(testBed.view(), found.kept, sums);
                if (difference.isEmpty()) {
                    difference = read.difference(testBed.view(), windowEnd, sums);
                }
                if (difference.isEmpty() && windowEnd == lastEndMs) {
                    difference = differenceBack(read, windowEnd, sums);
                }
                if (!difference.isEmpty()) {
                    return "at %s %s".formatted(at, difference);
                }
                compared += sums.size();
                figures.put("distinct_per_second", recount.distinct() / 60.0).put("recounted_rows", expected);
            }
            figures.put("rows_compared_one_by_one", compared).put("rows_read_and_compared", read.rowsCompared());
            return "";
        }

        /** Returns how the rows read back of any view differ from the recount of the last window end; empty if they do not. */
        private String differenceBack(LiveReads read, long lastEndMs, Map<Recount.Key, long[]> sums)
                throws IOException {
            for (FeatureView view : testBed.views()) {
                long before = read.rowsCompared();
                String difference = read.differenceBack(view, lastEndMs, sums);
                if (!difference.isEmpty()) {
                    return difference;
                }
                if (read.rowsCompared() == before) {
                    return "no row of view %s could be read back: newer ones were there"
                            .formatted(view.qualifiedName());
                }
            }
            return "";
        }
    }
}
