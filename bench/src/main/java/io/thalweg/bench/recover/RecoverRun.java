package io.thalweg.bench.recover;

import io.thalweg.bench.demand.JobCheckpoints;
import io.thalweg.bench.demand.LiveThalweg;
import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.TopicWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A job with many keys in its state and a steady load is killed and restarted at once, as a supervisor would do. The measurement
 * is that of its readers: rows of the steady load, which arrive every second.
 *
 * @param keys in the state, besides those of the steady load
 * @param seconds of steady load before the kill and after the job has caught up
 */
public record RecoverRun(long keys, int seconds, Progress progress) {
    private static final String EVENTS = "events";
    private static final String ROWS = "steady-rows";
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final long WINDOW_MS = 10_000;
    private static final long SLIDE_MS = 1_000;
    /** The {@code max_out_of_orderness} of the views, before which rows of a window end cannot arrive. */
    private static final long DISORDER_MS = 1_000;

    /** The time after which rows that were written before the kill have been read. */
    private static final long ON_THEIR_WAY_MS = 300;

    private static final long PROBE_MS = 100;
    private static final Duration LAST_ROWS = Duration.ofSeconds(60);
    private static final long SAY_EVENTS = 1_000_000;
    private static final long DISK_BYTES_PER_KEY = 250;
    private static final long HEAP_BYTES_PER_KEY = 250;

    /** Measures one recovery. */
    public Score measure() throws IOException, InterruptedException {
        Folders.requireRoom(keys * DISK_BYTES_PER_KEY, "--keys", " for events and checkpoints", "lower --keys, or ");
        Path folder = Files.createTempDirectory("thalweg-recover-");
        try (Broker broker = Broker.start(folder)) {
            for (String topic : List.of(EVENTS, ROWS, "wide-rows", EVENTS + "-dead")) {
                Broker.createTopic(broker.bootstrap(), topic, PARTITIONS, Map.of());
            }
            try (InputStream views = RecoverRun.class.getResourceAsStream("views.yaml")) {
                Files.copy(Objects.requireNonNull(views), folder.resolve("views.yaml"));
            }
            fill(broker.bootstrap());
            try (SteadyRows rows = new SteadyRows(broker.bootstrap(), ROWS)) {
                return new Measurement(folder, broker.bootstrap(), rows).run();
            }
        } finally {
            Folders.delete(folder);
        }
    }

    private void fill(String bootstrap) throws IOException {
        try (TopicWriter topic = new TopicWriter(bootstrap, EVENTS)) {
            for (long key = 0; key < keys; key++) {
                long timeMs = SteadyEvents.BASE_MS;
                String json = "{\"kind\":\"wide\",\"key\":%d,\"amount\":%d,\"ts\":%d}"
                        .formatted(SteadyEvents.KEYS + key, key % 1_000, timeMs);
                topic.send((int) (key % PARTITIONS), timeMs, null, json.getBytes(StandardCharsets.UTF_8));
                if (key % SAY_EVENTS == 0) {
                    progress.show("keys sent: %,d of %,d".formatted(key, keys));
                }
            }
        }
    }

    private final class Measurement {
        private final Path folder;
        private final String bootstrap;
        private final SteadyRows rows;
        private final Figures figures = new Figures();

        Measurement(Path folder, String bootstrap, SteadyRows rows) {
            this.folder = folder;
            this.bootstrap = bootstrap;
            this.rows = rows;
        }

        Score run() throws IOException, InterruptedException {
            LiveThalweg first = start();
            await(first, "keys in its state", () -> counted(first) >= keys);
            try (first;
                    SteadyEvents events = new SteadyEvents(bootstrap, EVENTS)) {
                awaitEnd(first, SteadyEvents.BASE_MS + WINDOW_MS);
                long usualMs = usualDelay(events, first);
                awaitCheckpoint(first);

                progress.say("killing it");
                long killedMs = System.currentTimeMillis();
                first.process().kill();
                TimeUnit.MILLISECONDS.sleep(ON_THEIR_WAY_MS);
                long seenMs = rows.newestEndMs();
                try (LiveThalweg second = start()) {
                    figures.put("start_seconds", secondsSince(killedMs, System.currentTimeMillis()));
                    await(second, "rows after the kill", () -> rows.arrivalAfterMs(seenMs) != null);
                    long firstMs = Objects.requireNonNull(rows.arrivalAfterMs(seenMs));
                    figures.put("first_rows_seconds", secondsSince(killedMs, firstMs));
                    awaitCaughtUp(second, events, killedMs, usualMs);
                    TimeUnit.SECONDS.sleep(seconds);
                    events.stop();
                    return figures.score(difference(second, events));
                }
            }
        }

        private LiveThalweg start() throws IOException, InterruptedException {
            progress.say("starting thalweg run");
            String heap = "-Xmx%dm".formatted(1_024 + keys * HEAP_BYTES_PER_KEY / (1 << 20));
            Path files = folder.resolve("thalweg");
            return LiveThalweg.start(
                    new LiveThalweg.Start(files, bootstrap, "10s", List.of(heap)),
                    List.of(folder.resolve("views.yaml").toString(), "--parallelism", "2"));
        }

        private long counted(LiveThalweg thalweg) throws InterruptedException {
            return thalweg.server().metrics().sum("thalweg_events_total", "view=\"wide\"");
        }

        private void awaitEnd(LiveThalweg thalweg, long endMs) throws InterruptedException {
            await(thalweg, "rows of the steady load", () -> rows.newestEndMs() >= endMs);
        }

        /** Returns how late rows are without a failure: the worst of some seconds. */
        private long usualDelay(SteadyEvents events, LiveThalweg thalweg) throws InterruptedException {
            long fromMs = rows.newestEndMs();
            awaitEnd(thalweg, fromMs + seconds * 1_000L);
            long[] delays = rows.arrivals(fromMs + SLIDE_MS, rows.newestEndMs()).entrySet().stream()
                    .mapToLong(end -> end.getValue() - due(events, end.getKey()))
                    .sorted()
                    .toArray();
            figures.latencies("usual", delays);
            return delays[delays.length - 1];
        }

        /** Returns when a window end's rows can arrive at the earliest, epoch ms. */
        private long due(SteadyEvents events, long endMs) {
            return events.clockMs(endMs + DISORDER_MS);
        }

        private void awaitCheckpoint(LiveThalweg thalweg) throws IOException, InterruptedException {
            long fromMs = System.currentTimeMillis();
            await(thalweg, "checkpoint", () -> {
                thalweg.flink().look();
                return !thalweg.flink().checkpoints(fromMs, Long.MAX_VALUE).isEmpty();
            });
            List<JobCheckpoints.Checkpoint> completed = thalweg.flink().checkpoints(fromMs, Long.MAX_VALUE);
            figures.put("state_bytes", completed.get(0).stateBytes())
                    .put("checkpoint_ms", completed.get(0).durationMs());
        }

        private void awaitCaughtUp(LiveThalweg thalweg, SteadyEvents events, long killedMs, long usualMs)
                throws InterruptedException {
            long[] caughtUpMs = {0};
            await(thalweg, "rows as early as before", () -> {
                long newestMs = rows.newestEndMs();
                Long arrivedMs = rows.arrivals(newestMs, newestMs + 1).get(newestMs);
                caughtUpMs[0] = arrivedMs == null ? 0 : arrivedMs;
                return arrivedMs != null && arrivedMs - due(events, newestMs) <= usualMs + SLIDE_MS;
            });
            figures.put("caught_up_seconds", secondsSince(killedMs, caughtUpMs[0]));
        }

        private void await(LiveThalweg thalweg, String what, Child.Probe probe) throws InterruptedException {
            progress.show("waiting for " + what);
            thalweg.process().await(what, PATIENCE, probe);
        }

        /**
         * Returns how rows are wrong: every window end must have the events that were sent, and the counts of the other view must
         * include each event once.
         */
        private String difference(LiveThalweg thalweg, SteadyEvents events) throws InterruptedException {
            long sent = keys + events.count();
            await(thalweg, "account of the last events", () -> counted(thalweg) >= sent);
            if (counted(thalweg) != sent) {
                return "%,d events were sent, %,d are in the account".formatted(sent, counted(thalweg));
            }
            long lastMs = events.lastEndMs(SLIDE_MS, DISORDER_MS);
            long deadline = System.nanoTime() + LAST_ROWS.toNanos();
            while (rows.sum(lastMs) < events.between(lastMs - WINDOW_MS, lastMs) && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(PROBE_MS);
            }
            for (long endMs = SteadyEvents.BASE_MS + SLIDE_MS; endMs <= lastMs; endMs += SLIDE_MS) {
                long expected = events.between(endMs - WINDOW_MS, endMs);
                if (rows.sum(endMs) != expected) {
                    return "%s: %,d events were sent in the window, its rows have %,d"
                            .formatted(Instant.ofEpochMilli(endMs), expected, rows.sum(endMs));
                }
            }
            figures.put("window_ends_compared", (lastMs - SteadyEvents.BASE_MS) / SLIDE_MS);
            return rows.difference();
        }
    }

    private static double secondsSince(long fromMs, long toMs) {
        return (toMs - fromMs) / 1e3;
    }
}
