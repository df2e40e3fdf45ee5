package io.thalweg.bench.training;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.training.CityLog.Load;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code thalweg bench training}: adds the features of a log to labels, compared with DuckDB, and on a smaller load with Feast. Each
 * system is a process from start to end, and their answers are compared.
 */
@Command(
        name = "training",
        description =
                "Training sets of 54 features from the log of the demo's city, beside DuckDB and Feast: processor time, memory, and answers compared.",
        footer = {"", "Example:", "  thalweg bench training --labels 100000 --minutes 60"})
public final class TrainingCommand extends Benchmark {
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    @Option(names = "--labels", description = "Default 1000000.")
    private int labels = 1_000_000;

    @Option(names = "--minutes", description = "Window ends of the log, one a minute; default 360.")
    private int minutes = 360;

    @Option(names = "--feast-labels", description = "Labels of the contest with Feast; default 100000, 0 = none.")
    private int feastLabels = 100_000;

    @Option(names = "--feast-minutes", description = "The part of the log in that contest; default 60.")
    private int feastMinutes = 60;

    @Option(names = "--seed", description = "Of the events and the labels; default 1.")
    private long seed = 1;

    private final Map<Load, AnswerDigest> answers = new HashMap<>();

    @Override
    public Integer call() throws Exception {
        requireAtLeastOne("--labels", labels);
        requireAtLeastOne("--minutes", minutes);
        requireAtLeastOne("--feast-minutes", feastMinutes);
        progress().say("computing a log of %d minutes".formatted(minutes));
        try (CityLog log = CityLog.compute(seed, minutes)) {
            List<Contest> found = new ArrayList<>();
            Map<String, Double> ratios = new LinkedHashMap<>();
            measure(
                    log,
                    log.load(labels, minutes, seed),
                    List.of(
                            TrainingSystem.THALWEG,
                            TrainingSystem.THALWEG_SMALL,
                            TrainingSystem.DUCKDB_ASOF,
                            TrainingSystem.DUCKDB_EQUALITY),
                    found,
                    ratios);
            if (feastLabels > 0) {
                measure(
                        log,
                        log.load(feastLabels, Math.min(minutes, feastMinutes), seed),
                        List.of(TrainingSystem.THALWEG, TrainingSystem.FEAST),
                        found,
                        ratios);
            }
            return end("training", Contest.all(found), ratios);
        }
    }

    private void measure(
            CityLog log, Load load, List<TrainingSystem> systems, List<Contest> found, Map<String, Double> ratios)
            throws Exception {
        Contest contest = contest(systems.stream()
                .map(system -> new Contestant(system.text(), load.text(), () -> measure(system, log, load)))
                .toList());
        found.add(contest);
        ratios.putAll(Contest.costRatios(contest.results(), "cpu_seconds_per_million_labels"));
    }

    private Score measure(TrainingSystem system, CityLog log, Load load) throws Exception {
        Path out = log.folder().resolve(system.text() + ".parquet");
        try (Child child = system.start(log.folder(), load, out)) {
            Child.Cost cost = child.costToTheEnd(PATIENCE);
            List<String> features = CityLog.view().featureNames().stream()
                    .map(name -> "demand__" + name)
                    .toList();
            AnswerDigest found = AnswerDigest.of(out, "label", features);
            return new Figures()
                    .rate("labels", load.count(), cost.seconds(), cost.cpuSeconds())
                    .put("resident_peak_bytes", cost.residentPeakBytes())
                    .put("nonzero_values", found.nonZero())
                    .score(found.difference(answers.computeIfAbsent(load, first -> found), features));
        }
    }
}
