package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.store.OnlineStore;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Reads as of a time, by a store's own calls, of partitions with thousands of rows, expired or not, and with a few: what a read costs
 * must not depend on rows that it does not answer. One client reads one key after the other, each time of another partition by
 * chance, so that whatever disturbs the machine disturbs all alike.
 */
public final class HistoryRun {
    /** Servers keep rows for a minute more than readers use them; plus some seconds for the expiry to happen. */
    private static final long EXPIRY_MS = 70_000;

    private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

    private final double seconds;
    private final double warmUp;
    private final Progress progress;
    private final List<Result> found = new ArrayList<>();
    private final Map<String, Double> ratios = new LinkedHashMap<>();
    private final List<String> wrong = new ArrayList<>();

    /**
     * A measurement.
     *
     * @param seconds for each view, of which a store has six
     * @param warmUp seconds of the same reads before
     */
    public HistoryRun(double seconds, double warmUp, Progress progress) {
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.progress = progress;
    }

    /** What was found so far, and how what was read differed from what was written. */
    public Contest found() {
        return new Contest(List.copyOf(found), String.join("; ", wrong));
    }

    /** Medians of partitions with thousands of rows, divided by those of partitions with a few, of the reads that both answer alike. */
    public Map<String, Double> ratios() {
        return new LinkedHashMap<>(ratios);
    }

    /** Measures a store, which is empty. */
    public void measure(StoreServer store) throws IOException, InterruptedException {
        String name = store.name();
        List<History<?>> histories = new ArrayList<>();
        for (History.Holding holding : History.Holding.values()) {
            histories.add(new KeyedHistory(holding));
            histories.add(new CellHistory(holding));
        }
        progress.say(name + ": writing, then a minute until servers have let rows expire");
        AtomicLong nowMs = new AtomicLong(History.LAST_MS);
        InstantSource now = () -> Instant.ofEpochMilli(nowMs.get());
        try (OnlineStore open = store.open(now.withZone(ZoneOffset.UTC))) {
            histories.forEach(history -> write(history, open, nowMs));
            open.flush();
        }
        Thread.sleep(EXPIRY_MS);
        for (History<?> history : histories) {
            store.settle(table(history));
        }
        Clock reading = Clock.fixed(Instant.ofEpochMilli(History.LAST_MS), ZoneOffset.UTC);
        try (OnlineStore open = store.open(reading)) {
            progress.say(name + ": comparing, then reading");
            for (History<?> history : histories) {
                String difference = history.difference(open);
                if (!difference.isEmpty()) {
                    wrong.add(name + ": " + difference);
                }
            }
            Map<History<?>, Map<History.Read, Histogram>> unused = read(histories, open, warmUp);
            note(name, store, read(histories, open, seconds * histories.size()));
        }
    }

    /**
     * Writes the newest rows first, and those that are to have expired at their last moment: so the server's own expiry takes them
     * a minute later, as it does wherever rows grow old.
     */
    private static void write(History<?> history, OnlineStore store, AtomicLong nowMs) {
        for (int i = 0; i < history.ends(); i++) {
            long endMs = history.endMs(i);
            nowMs.set(history.isExpired(endMs) ? endMs + history.keptMs() : History.LAST_MS - DAY_MS);
            history.write(store, endMs);
        }
    }

    private static Map<History<?>, Map<History.Read, Histogram>> read(
            List<History<?>> histories, OnlineStore store, double forSeconds) {
        Map<History<?>, Map<History.Read, Histogram>> nanos = new LinkedHashMap<>();
        histories.forEach(history -> {
            Map<History.Read, Histogram> of = new EnumMap<>(History.Read.class);
            history.reads().forEach(read -> of.put(read, new Histogram(3)));
            nanos.put(history, of);
        });
        SplittableRandom random = new SplittableRandom(1);
        long end = System.nanoTime() + (long) (forSeconds * 1e9);
        do {
            History<?> history = histories.get(random.nextInt(histories.size()));
            History.Read read =
                    history.reads().get(random.nextInt(history.reads().size()));
            int key = random.nextInt(history.keys());
            long asOf = history.asOfMs(read, random.nextInt());
            long begin = System.nanoTime();
            Object unused = history.read(store, key, asOf);
            long taken = System.nanoTime() - begin;
            Histogram of = Objects.requireNonNull(
                    Objects.requireNonNull(nanos.get(history)).get(read));
            of.recordValue(taken);
        } while (System.nanoTime() - end < 0);
        return nanos;
    }

    private void note(String name, StoreServer store, Map<History<?>, Map<History.Read, Histogram>> read)
            throws IOException {
        Map<String, Double> few = new HashMap<>();
        for (Map.Entry<History<?>, Map<History.Read, Histogram>> of : read.entrySet()) {
            History<?> history = of.getKey();
            Figures figures = new Figures().put("rows", (long) history.rows());
            of.getValue().forEach((kind, nanos) -> {
                String figure = "read_" + text(kind);
                figures.latencies(figure, nanos);
                if (kind == History.Read.NEWEST || history.holding() != History.Holding.KEPT) {
                    double p50 = nanos.getValueAtPercentile(50) / 1e6;
                    compare(history, name + "_" + history.kind() + "_" + figure + "_p50", p50, few);
                }
            });
            figures.putAll(store.touched(table(history)));
            found.add(new Result("thalweg", name + ", " + history.title(), figures.asMap()));
        }
    }

    private void compare(History<?> history, String what, double p50, Map<String, Double> few) {
        Double other = few.putIfAbsent(what, p50);
        if (other != null) {
            ratios.put(text(history.holding()) + "_vs_few_" + what, Math.rint(p50 / other * 100) / 100);
        }
    }

    private static String text(Enum<?> name) {
        return name.name().toLowerCase(Locale.ROOT);
    }

    /** Where Cassandra keeps it. */
    private static String table(History<?> history) {
        return history.view().qualifiedName() + "__history";
    }
}
