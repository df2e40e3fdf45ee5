package io.thalweg.runner;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Prints what the demo shows: for every minute of event time its rows, freshness and hottest hexagons, and once, as soon as
 * there are rows, the commands to read them with.
 */
final class DemoScreen {
    private static final long LOOK_MS = 200;
    private static final long MINUTE_MS = 60_000;
    /** Minutes after which a job that has not caught up with the city is considered too slow to do so at this speed. */
    private static final long PAST_MINUTES = 60;

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final List<FeatureView> views;
    private final List<HotCells> hot;
    private final LiveJob job;
    private final JobWatch jobWatch;
    private final Serving serving;
    private final ProducerLines producing;
    private final Clock now;
    private final ProgressLine progress;
    private final PrintWriter out;
    private long shownEndMs = Long.MIN_VALUE;
    private long pastMinutesShown;
    private long minutesShown;
    private boolean readingShown;

    /** The running parts of a demo. */
    record Watched(LiveJob job, JobWatch jobWatch, Serving serving, ProducerLines producing) {}

    DemoScreen(
            List<FeatureView> views,
            List<HotCells> hot,
            Watched watched,
            Clock now,
            ProgressLine progress,
            Console console) {
        this.views = views;
        this.hot = hot;
        this.job = watched.job;
        this.jobWatch = watched.jobWatch;
        this.serving = watched.serving;
        this.producing = watched.producing;
        this.now = now;
        this.progress = progress;
        this.out = console.out();
    }

    /**
     * Shows this many minutes of event time, counted from when the job has caught up with the city. Then, with {@code exit},
     * returns; otherwise shows the current state until the process ends.
     */
    void run(long minutes, boolean exit, Runnable stopTheCity) throws InterruptedException {
        boolean over = false;
        while (true) {
            await(job.ended());
            jobWatch.look(job.embedded(), progress);
            showNewMinute();
            progress.show(this::line);
            if (!over && minutesShown >= minutes) {
                over = true;
                stopTheCity.run();
                out.printf(Locale.ROOT, "done: %s%n", totals());
                out.flush();
                if (exit) {
                    return;
                }
                out.println("the city sleeps; what was computed is still served, Ctrl-C ends the demo");
                out.flush();
            }
        }
    }

    private static void await(CompletableFuture<?> ended) throws InterruptedException {
        try {
            ended.get(LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // It is still running.
        } catch (ExecutionException e) {
            throw Jobs.failure(e.getCause());
        }
    }

    /** The newest window end that is readable in every view. */
    private long readableMs() {
        long readable = Long.MAX_VALUE;
        for (FeatureView view : views) {
            OptionalLong watermark = serving.store().watermark(view.qualifiedName());
            readable = Math.min(readable, watermark.orElse(Long.MIN_VALUE));
        }
        return readable;
    }

    private void showNewMinute() {
        long readable = readableMs();
        if (readable <= shownEndMs) {
            return;
        }
        // While the job is catching up with the past, reads would report that it is behind.
        boolean caughtUp = now.millis() - readable < views.get(0).online().ttl().millis() / 2;
        long ends = shownEndMs == Long.MIN_VALUE ? 1 : (readable - shownEndMs) / MINUTE_MS;
        shownEndMs = readable;
        if (minutesShown == 0 && !caughtUp && pastMinutesShown < PAST_MINUTES) {
            pastMinutesShown += ends;
        } else {
            minutesShown += ends;
        }
        for (int i = 0; i < views.size(); i++) {
            out.println(minute(views.get(i), hot.get(i), readable));
            hot.get(i).hottest(readable).forEach(cell -> out.println(hexagon(cell)));
        }
        List<HotCells.Hot> hottest = hot.get(0).hottest(readable);
        if (!readingShown && minutesShown > 0 && !hottest.isEmpty()) {
            readingShown = true;
            showReading(views.get(0), hottest.get(0));
        }
        out.flush();
    }

    private String minute(FeatureView view, HotCells cells, long readable) {
        JobMetrics.View counts = job.metrics().view(view.qualifiedName());
        return String.format(
                Locale.ROOT,
                "%s  %-7s %,7d rows this minute, fresh after %.2f s, %,d events so far",
                MINUTE.format(Instant.ofEpochMilli(readable)),
                view.qualifiedName(),
                cells.rows(readable),
                counts.lastFreshnessSeconds(),
                counts.events());
    }

    private static String hexagon(HotCells.Hot cell) {
        return String.format(
                Locale.ROOT,
                "         %x %s  k0_1m=%-4.0f k5_8m=%-7.3f k0_32m=%.3f",
                cell.cell(),
                String.join(" ", cell.group().stream().map(String::valueOf).toList()),
                cell.values()[0],
                cell.values()[1],
                cell.values()[2]);
    }

    private void showReading(FeatureView view, HotCells.Hot cell) {
        String url = "http://127.0.0.1:" + serving.port();
        StringBuilder json = new StringBuilder();
        StringBuilder keys = new StringBuilder();
        int group = 0;
        for (Entity entity : view.entities()) {
            String value = entity instanceof Entity.Cell
                    ? Long.toHexString(cell.cell())
                    : String.valueOf(cell.group().get(group++));
            json.append(json.isEmpty() ? "" : ",").append("\"%s\":\"%s\"".formatted(entity.name(), value));
            keys.append(" -e ").append(entity.name()).append('=').append(value);
        }
        out.println();
        out.println("read it, from another terminal:");
        out.printf(
                "  curl -s %s/v1/views/%s:read -d '{\"entities\":[{%s}],\"features\":[\"k0_1m\",\"k5_8m\"]}'%n",
                url, view.qualifiedName(), json);
        out.printf("  %s get %s%s --server %s%n", Invocation.name(), view.qualifiedName(), keys, url);
        out.println();
        producing.toPaste(url).forEach(out::println);
        out.println();
    }

    private String line() {
        return String.join(
                        "; ",
                        views.stream()
                                .map(view -> LiveRun.line(view, job.metrics().view(view.qualifiedName()), now))
                                .toList())
                + ", city time " + MINUTE.format(now.instant());
    }

    private String totals() {
        return String.join(
                "; ",
                views.stream()
                        .map(view -> {
                            JobMetrics.View counts = job.metrics().view(view.qualifiedName());
                            return String.format(
                                    Locale.ROOT,
                                    "%s %,d events, %,d rows",
                                    view.qualifiedName(),
                                    counts.events(),
                                    counts.rows());
                        })
                        .toList());
    }
}
