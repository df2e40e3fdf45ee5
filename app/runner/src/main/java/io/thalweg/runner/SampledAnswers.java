package io.thalweg.runner;

import io.thalweg.history.KeyHash;
import io.thalweg.history.ServedFiles;
import io.thalweg.model.deployment.ServingLogConfig;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.read.ReadAnswer;
import io.thalweg.server.read.ServingLog;
import io.thalweg.server.telemetry.Metrics;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The serving log of a server: keeps a sample of its answers in files.
 *
 * <p>A key is sampled by its hash and the minute, so all servers keep the answers of the same keys, and a key's answers within a minute
 * can be compared. A read only hashes its keys and queues what is kept; if the queue is full, the answer is counted and lost.
 *
 * <p><b>Threads.</b> {@link #offer} by any; one thread writes.
 */
final class SampledAnswers implements ServingLog, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SampledAnswers.class);
    private static final int QUEUED = 8_192;
    private static final int ROWS_PER_FILE = 100_000;
    private static final long FILE_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long LOOK_MS = 500;
    private static final long MINUTE_MS = 60_000;

    private final Map<String, ServedFiles> files = new LinkedHashMap<>();
    private final double sample;
    private final int maxPerSecond;
    private final BlockingQueue<Kept> queue = new ArrayBlockingQueue<>(QUEUED);
    private final LongAdder kept = new LongAdder();
    private final Map<Loss, LongAdder> lost = new EnumMap<>(Loss.class);
    /** The second, from any origin, and how many answers it has had: {@code second << 20 | answers}. */
    private final AtomicLong second = new AtomicLong();

    private final Thread thread;
    private volatile boolean closing;
    private long warnedNanos = System.nanoTime() - FILE_EVERY_NANOS;

    /** Why a sampled answer is not kept. */
    private enum Loss {
        /** The server answers more than {@code max_per_second}. */
        RATE,
        /** The thread that writes is behind. */
        QUEUE,
        /** The file could not be written. */
        FILE,
        /** A value has more than 64 bits, or cannot be written. */
        VALUE
    }

    private record Kept(String view, long readAtMs, List<String> features, ReadAnswer.Row row) {}

    private SampledAnswers(ServingLogConfig config, List<FeatureView> views) {
        sample = config.sample();
        maxPerSecond = config.maxPerSecond();
        String secret = config.hashSecret();
        KeyHash hash = secret == null ? null : new KeyHash(secret);
        Duration keep = config.keep().duration();
        long days = keep.plusDays(1).minusNanos(1).toDays();
        views.forEach(view -> files.put(view.qualifiedName(), new ServedFiles(config.dir(), view, hash, days)));
        for (Loss each : Loss.values()) {
            lost.put(each, new LongAdder());
        }
        thread = new Thread(this::write, "serving-log");
        thread.setDaemon(true);
    }

    /**
     * Starts the log of a server.
     *
     * @param views all that are served
     * @throws UserError if the folder cannot be written, or a view has no feature log to compare with
     */
    static SampledAnswers start(ServingLogConfig config, List<FeatureView> views, Metrics metrics) {
        try {
            Files.createDirectories(config.dir());
        } catch (IOException e) {
            throw UserError.failed(
                            "server.serving_log.dir %s cannot be created: %s".formatted(config.dir(), FileReason.of(e)),
                            "name a folder that this user may write to")
                    .causedBy(e);
        }
        SampledAnswers log = new SampledAnswers(config, chosen(config, views));
        log.register(metrics);
        log.thread.start();
        return log;
    }

    private static List<FeatureView> chosen(ServingLogConfig config, List<FeatureView> views) {
        List<FeatureView> logged =
                views.stream().filter(view -> view.offline() != null).toList();
        List<String> names = logged.stream().map(FeatureView::qualifiedName).toList();
        for (String name : config.views()) {
            if (!names.contains(name)) {
                throw UserError.usage(
                        "server.serving_log.views: '%s' is not a served view with offline; %s"
                                .formatted(name, Suggestion.hint(name, names)),
                        "write offline: true into its definition");
            }
        }
        if (logged.isEmpty()) {
            throw UserError.usage(
                    "server.serving_log keeps answers of views with offline, and none of the served views has it",
                    "write offline: true into a definition, or remove server.serving_log");
        }
        return config.views().isEmpty()
                ? logged
                : logged.stream()
                        .filter(view -> config.views().contains(view.qualifiedName()))
                        .toList();
    }

    private void register(Metrics metrics) {
        metrics.counter(
                "thalweg_serving_log_answers_total", "Answers kept in the serving log.", Metrics.labels(), kept::sum);
        lost.forEach((reason, count) -> metrics.counter(
                "thalweg_serving_log_lost_total",
                "Sampled answers that the serving log has lost.",
                Metrics.labels("reason", reason.name().toLowerCase(Locale.ROOT)),
                count::sum));
    }

    @Override
    public void offer(FeatureView view, long readAtMs, ReadAnswer answer) {
        if (!files.containsKey(view.qualifiedName())) {
            return;
        }
        long minute = Math.floorDiv(readAtMs, MINUTE_MS);
        for (ReadAnswer.Row row : answer.rows()) {
            if (isSampled(row.keyHash(), minute)) {
                if (!isWithinRate()) {
                    count(Loss.RATE, 1);
                } else if (!queue.offer(new Kept(view.qualifiedName(), readAtMs, answer.features(), row))) {
                    count(Loss.QUEUE, 1);
                }
            }
        }
    }

    /** The same for all servers, because hashes of text, numbers and booleans are those of the Java specification. */
    private boolean isSampled(long key, long minute) {
        long hash = (key + minute * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        hash = (hash ^ hash >>> 29) * 0x94D049BB133111EBL;
        return ((hash ^ hash >>> 32) >>> 11) * 0x1p-53 < sample;
    }

    private boolean isWithinRate() {
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
        long counted = second.updateAndGet(before -> before >> 20 == now ? before + 1 : now << 20 | 1);
        return (counted & ((1 << 20) - 1)) <= maxPerSecond;
    }

    private void count(Loss reason, long answers) {
        LongAdder adder = lost.get(reason);
        if (adder != null) {
            adder.add(answers);
        }
    }

    private void write() {
        long fileNanos = System.nanoTime();
        try {
            while (!closing || !queue.isEmpty()) {
                Kept next = queue.poll(LOOK_MS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    addOrCount(next);
                }
                if (System.nanoTime() - fileNanos >= FILE_EVERY_NANOS) {
                    files.values().forEach(this::endFile);
                    fileNanos = System.nanoTime();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        files.values().forEach(this::endFile);
    }

    /** An answer that cannot be written must not end the log. */
    private void addOrCount(Kept next) {
        try {
            add(next);
        } catch (RuntimeException e) {
            count(Loss.VALUE, 1);
            warn(1, e.toString());
        }
    }

    private void add(Kept next) {
        ServedFiles of = files.get(next.view());
        if (of == null) {
            return;
        }
        ReadAnswer.Row row = next.row();
        boolean added = of.add(new ServedFiles.Answer(
                next.readAtMs(),
                row.entities(),
                row.status(),
                row.windowEndMs().orElse(ReadOutcome.NONE),
                next.features(),
                row.values()));
        if (!added) {
            count(Loss.VALUE, 1);
        } else if (of.rows() >= ROWS_PER_FILE) {
            endFile(of);
        }
    }

    private void endFile(ServedFiles of) {
        int rows = of.rows();
        try {
            of.endFile();
            kept.add(rows);
        } catch (IOException | RuntimeException e) {
            count(Loss.FILE, rows);
            warn(rows, e instanceof IOException failure ? FileReason.of(failure) : e.toString());
        }
    }

    private void warn(int answers, String reason) {
        if (System.nanoTime() - warnedNanos >= FILE_EVERY_NANOS) {
            warnedNanos = System.nanoTime();
            LOG.warn("The serving log cannot be written, and {} answers are lost; reads go on: {}", answers, reason);
        }
    }

    /** Writes what is queued. Call this when no more answers are offered. */
    @Override
    public void close() {
        closing = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
