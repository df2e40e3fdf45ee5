package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.store.OnlineStore;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Reads as of a time, by a store's own calls, of partitions with thousands of rows, expired or not, and with a few: the cost of a
 * read must not depend on rows that it does not return. One client reads one key after the other, each time of another random
 * partition, so that disturbances of the machine affect all alike.
 */
public final class HistoryRun {
    /** Servers keep rows for a minute longer than readers use them; plus some seconds for the expiry itself. */
    private static final long EXPIRY_MS = 70_000;

    private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

    private final double seconds;
    private final double warmUp;
    private final Progress progress;
    private final Map<String, Double> ratios = new LinkedHashMap<>();

    /**
     * Creates a measurement.
     *
     * @param seconds for each view, of which a store has six
     * @param warmUp seconds of the same reads before
     */
    public HistoryRun(double seconds, double warmUp, Progress progress) {
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.progress = progress;
    }

    /**
     * The ratios so far: medians of partitions with thousands of rows, divided by those of partitions with a few, for reads with
     * the same result in both.
     */
    public Map<String, Double> ratios() {
        return new LinkedHashMap<>(ratios);
    }

    /** Measures a store, which is empty. */
    public Contest run(StoreServer store) throws Exception {
        String name = store.name();
        List<History> histories = new ArrayList<>();
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
        for (History history : histories) {
            store.settle(table(history));
        }
        Clock reading = Clock.fixed(Instant.ofEpochMilli(History.LAST_MS), ZoneOffset.UTC);
        try (OnlineStore open = store.open(reading)) {
            progress.say(name + ": comparing, then reading");
            String wrong = histories.stream()
                    .map(history -> history.difference(open))
                    .filter(difference -> !difference.isEmpty())
                    .map(difference -> name + ": " + difference)
                    .collect(Collectors.joining("; "));
            List<Kind> unused = read(histories, open, warmUp);
            return new Contest(results(store, histories, read(histories, open, seconds * histories.size())), wrong);
        }
    }

    /**
     * Writes the newest rows first, then the rows to expire, each at the last moment before it does: the server's own expiry
     * removes them a minute later, as in practice.
     */
    private static void write(History history, OnlineStore store, AtomicLong nowMs) {
        for (int i = 0; i < history.ends(); i++) {
            long endMs = history.endMs(i);
            nowMs.set(history.isExpired(endMs) ? endMs + history.keptMs() : History.LAST_MS - DAY_MS);
            history.write(store, endMs);
        }
    }

    /** A kind of reads, with their latencies. */
    private record Kind(History history, History.Read read, Histogram nanos) {
        String figure() {
            return "read_" + text(read);
        }
    }

    private static List<Kind> read(List<History> histories, OnlineStore store, double forSeconds) throws Exception {
        List<Kind> kinds = histories.stream()
                .flatMap(history -> history.reads().stream().map(read -> new Kind(history, read, new Histogram(3))))
                .toList();
        ClosedLoop.run(forSeconds, new SplittableRandom(1), random -> {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            int key = random.nextInt(kind.history().keys());
            long asOf = kind.history().asOfMs(kind.read(), random.nextInt());
            return new ClosedLoop.Call(kind.nanos(), () -> kind.history().read(store, key, asOf));
        });
        return kinds;
    }

    private List<Result> results(StoreServer store, List<History> histories, List<Kind> kinds) throws IOException {
        List<Result> found = new ArrayList<>();
        Map<String, Double> few = new HashMap<>();
        for (History history : histories) {
            Figures figures = new Figures().put("rows", (long) history.rows());
            for (Kind kind : kinds) {
                if (kind.history() == history) {
                    figures.latencies(kind.figure(), kind.nanos());
                    compare(store.name(), kind, few);
                }
            }
            figures.putAll(store.touched(table(history)));
            found.add(new Result("thalweg", store.name() + ", " + history.title(), figures.asMap()));
        }
        return found;
    }

    /**
     * Compares with the same reads of partitions with a few rows, which are first. A gap and the oldest end are different times
     * where rows are kept.
     */
    private void compare(String store, Kind kind, Map<String, Double> few) {
        History history = kind.history();
        if (kind.read() != History.Read.NEWEST && history.holding() == History.Holding.KEPT) {
            return;
        }
        String what = "%s_%s_%s_p50".formatted(store, history.kind(), kind.figure());
        double p50 = kind.nanos().getValueAtPercentile(50) / 1e6;
        Double other = few.putIfAbsent(what, p50);
        if (other != null) {
            ratios.put(text(history.holding()) + "_vs_few_" + what, Math.rint(p50 / other * 100) / 100);
        }
    }

    private static String text(Enum<?> name) {
        return name.name().toLowerCase(Locale.ROOT);
    }

    /** The table of a view in Cassandra. */
    private static String table(History history) {
        return history.view().qualifiedName() + "__history";
    }
}
