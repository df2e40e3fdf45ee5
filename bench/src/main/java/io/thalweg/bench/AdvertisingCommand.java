package io.thalweg.bench;

import io.thalweg.bench.advertising.AdContestant;
import io.thalweg.bench.demand.Child;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code thalweg bench advertising}: counts per campaign and window, beside what one would otherwise use. */
@Command(
        name = "advertising",
        description =
                "Views per campaign in windows of ten seconds, drawn inside the job: Thalweg, Flink and Hazelcast Jet.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench advertising --seconds 20",
            "  thalweg bench advertising --campaigns 1000000 --live-reads 5000 --seconds 20"
        })
final class AdvertisingCommand implements Callable<Integer> {
    private static final List<String> SYSTEMS = List.of("thalweg", "flink", "jet");
    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final List<String> OPTIONS = List.of(
            "-Xmx6g",
            "-XX:+UseParallelGC",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED");

    private final PrintWriter out;
    private final PrintWriter err;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each system counts, about; default 20.")
    private int seconds = 20;

    @Option(names = "--campaigns", paramLabel = "N", description = "Default 100; ten ads each.")
    private int campaigns = 100;

    @Option(names = "--parallelism", paramLabel = "N", description = "Of each system; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--live-reads",
            paramLabel = "N",
            description = "Campaigns read from Thalweg's job each second while it counts; default 0.")
    private int liveReads;

    @Option(names = "--system", paramLabel = "NAME", description = "Only thalweg, flink or jet. May be repeated.")
    private List<String> systems = SYSTEMS;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    AdvertisingCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws Exception {
        if (!SYSTEMS.containsAll(systems)) {
            throw new ParameterException(
                    java.util.Objects.requireNonNull(spec).commandLine(),
                    "--system must be " + String.join(", ", SYSTEMS) + ", was " + String.join(", ", systems));
        }
        List<Results.Result> results = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        Progress progress = new Progress(err, quiet);
        for (String system : systems) {
            progress.say(system + " counts");
            results.add(measure(system, wrong));
        }
        Results all = new Results(
                "advertising",
                "thalweg bench advertising --seconds %d --campaigns %d --parallelism %d --live-reads %d"
                        .formatted(seconds, campaigns, parallelism, liveReads),
                results,
                ratios(results),
                String.join("; ", wrong));
        all.print(out);
        if (json != null) {
            all.write(json);
        }
        return wrong.isEmpty() ? 0 : 1;
    }

    private Results.Result measure(String system, List<String> wrong) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-advertising");
        List<String> args = List.of(
                system,
                String.valueOf(campaigns),
                String.valueOf(parallelism),
                folder.toString(),
                String.valueOf(seconds),
                String.valueOf(liveReads));
        CompletableFuture<String> said = new CompletableFuture<>();
        try (Child child = Child.java(system, folder, OPTIONS, AdContestant.class, args, line -> {
            if (line.startsWith("result ")) {
                said.complete(line);
            }
        })) {
            child.awaitExit(PATIENCE);
            String[] words = said.get(1, TimeUnit.SECONDS).split(" ", -1);
            if (!words[6].equals("true")) {
                wrong.add("%s has %s rows, the recount %s%s"
                        .formatted(system, words[4], words[5], words[4].equals(words[5]) ? ", of other counts" : ""));
            }
            return result(system, words);
        } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
            throw new IllegalStateException(system + " ended without a result; see " + folder, e);
        }
    }

    private Results.Result result(String system, String[] words) {
        long events = Long.parseLong(words[1]);
        double cpu = Double.parseDouble(words[2]);
        double wall = Double.parseDouble(words[3]);
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("events", events);
        figures.put("events_per_second", Math.rint(events / wall));
        figures.put("events_per_cpu_second", Math.rint(events / cpu));
        figures.put("cpu_seconds_per_million_events", cpu / (events / 1e6));
        figures.put("seconds", wall);
        figures.put("rows", Long.parseLong(words[4]));
        if (words.length > 8) {
            figures.put("live_reads", Long.parseLong(words[7]));
            figures.put("live_read_p50_ms", Long.parseLong(words[8]) / 1e3);
            figures.put("live_read_p99_ms", Long.parseLong(words[9]) / 1e3);
            figures.put("live_read_max_ms", Long.parseLong(words[10]) / 1e3);
            figures.put("live_reads_refused", Long.parseLong(words[11]));
        }
        return new Results.Result(system, campaigns + "_campaigns", figures);
    }

    private static Map<String, Double> ratios(List<Results.Result> results) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        Results.Result own = results.get(0);
        for (Results.Result other : results) {
            if (own.system().equals("thalweg") && !other.equals(own)) {
                ratios.put("thalweg_vs_" + other.system(), Math.rint(cost(other) / cost(own) * 100) / 100);
            }
        }
        return ratios;
    }

    private static double cost(Results.Result result) {
        return java.util.Objects.requireNonNull(result.figures().get("cpu_seconds_per_million_events"))
                .doubleValue();
    }
}
