package io.thalweg.bench.demand;

import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The setup of the pipeline of a run. Each component is a dimension of {@code --vary}, by its name there.
 *
 * @param parallelism of {@code thalweg run}
 * @param delivery of the rows to their topic: {@code at_least_once} or {@code exactly_once}
 * @param views the number of views that count the events, each with its own topic; the rows of the first one are compared
 * @param rings the number of the nine rings of the views
 * @param windows the number of their six windows
 * @param partitioning of the events: by {@code rider}, so that all of a rider's repeats reach one reader, or {@code random}
 * @param store where rows are read from: {@code rocksdb} (embedded), {@code redis} or {@code cassandra}
 * @param checkpoints their interval in seconds; at 1, most bursts of window ends contain one
 * @param gc the JVM's garbage collector: {@code parallel}, {@code g1} or {@code z}; empty = the launcher's
 * @param java the home of its JDK; empty = the one that the launcher finds
 */
public record Setup(
        int parallelism,
        String delivery,
        int views,
        int rings,
        int windows,
        String partitioning,
        String store,
        int checkpoints,
        String gc,
        String java) {
    private static final List<String> DIMENSIONS = Stream.of(Setup.class.getRecordComponents())
            .map(RecordComponent::getName)
            .toList();

    private static final Map<String, String> COLLECTORS =
            Map.of("parallel", "-XX:+UseParallelGC", "g1", "-XX:+UseG1GC", "z", "-XX:+UseZGC");

    /** Returns the setup that users start. */
    static Setup usual(int parallelism, int checkpoints) {
        return new Setup(parallelism, "at_least_once", 1, 9, 6, "rider", "rocksdb", checkpoints, "", "");
    }

    /** Validates every component. */
    public Setup {
        requireBetween("parallelism", parallelism, 64);
        requireOneOf("delivery", delivery, "at_least_once", "exactly_once");
        requireBetween("views", views, 50);
        requireBetween("rings", rings, 9);
        requireBetween("windows", windows, 6);
        requireOneOf("partitioning", partitioning, "rider", "random");
        requireOneOf("store", store, "rocksdb", "redis", "cassandra");
        requireBetween("checkpoints", checkpoints, 120);
        if (!gc.isEmpty()) {
            requireOneOf("gc", gc, "parallel", "g1", "z");
        }
        if (!java.isEmpty() && !(Path.of(java).isAbsolute() && Files.isExecutable(Path.of(java, "bin", "java")))) {
            throw new IllegalArgumentException("java must be the absolute path of a JDK, was '%s'".formatted(java));
        }
    }

    private static void requireBetween(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("%s must be from 1 to %d, was %d".formatted(name, most, value));
        }
    }

    private static void requireOneOf(String name, String value, String... allowed) {
        if (!List.of(allowed).contains(value)) {
            throw new IllegalArgumentException(
                    "%s must be %s, was '%s'".formatted(name, String.join(" or ", allowed), value));
        }
    }

    /**
     * Returns a copy with another value of a dimension.
     *
     * @throws IllegalArgumentException if the dimension is unknown, or the value is invalid
     */
    Setup with(String dimension, String value) {
        if (!DIMENSIONS.contains(dimension)) {
            throw new IllegalArgumentException("there is no dimension '%s'; there are speed, %s"
                    .formatted(dimension, String.join(", ", DIMENSIONS)));
        }
        return new Setup(
                dimension.equals("parallelism") ? number(dimension, value) : parallelism,
                dimension.equals("delivery") ? value : delivery,
                dimension.equals("views") ? number(dimension, value) : views,
                dimension.equals("rings") ? number(dimension, value) : rings,
                dimension.equals("windows") ? number(dimension, value) : windows,
                dimension.equals("partitioning") ? value : partitioning,
                dimension.equals("store") ? value : store,
                dimension.equals("checkpoints") ? number(dimension, value) : checkpoints,
                dimension.equals("gc") ? value : gc,
                dimension.equals("java") ? value : java);
    }

    private static int number(String dimension, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s must be an integer, was '%s'".formatted(dimension, value), e);
        }
    }

    /** The number of values in a row of the first view: one for each ring and window. */
    int featuresPerRow() {
        return rings * windows;
    }

    /** The topics of the views' rows, that of the first view first. */
    List<String> rowTopics() {
        return IntStream.rangeClosed(1, views)
                .mapToObj(view -> view == 1 ? TestBed.ROWS : TestBed.ROWS + "-" + view)
                .toList();
    }

    /** Environment variables of the launcher. */
    Map<String, String> environment() {
        Map<String, String> environment = new TreeMap<>();
        if (!gc.isEmpty()) {
            environment.put("THALWEG_GC", Objects.requireNonNull(COLLECTORS.get(gc)));
        }
        if (!java.isEmpty()) {
            environment.put("JAVA_HOME", java);
        }
        return environment;
    }
}
