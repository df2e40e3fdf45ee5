package io.thalweg.bench.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The clone that benchmarks run from.
 *
 * @param root its folder
 */
public record Clone(Path root) {
    private static final List<String> ALL_BUT_PAGES = List.of("--", ".", ":!docs", ":!bench/results", ":!*.md");

    /**
     * Returns the clone of the launcher.
     *
     * @throws IllegalStateException if a benchmark was started in another way
     */
    public static Clone ofLauncher() {
        return new Clone(Objects.requireNonNull(launcher().toAbsolutePath().getParent()));
    }

    /** The file {@code thalweg}. */
    public static Path launcher() {
        String launcher = System.getProperty("thalweg.launcher");
        if (launcher == null) {
            throw new IllegalStateException("thalweg bench runs from a clone: ./thalweg bench");
        }
        return Path.of(launcher);
    }

    /** The jars of Cassandra's server, which is built with the benchmarks. */
    public static Path cassandraJars() {
        return launcher().resolveSibling("storage/store-cassandra/server/target/lib");
    }

    /** The folder of the answers. */
    public Path results() {
        return root.resolve("bench/results");
    }

    /**
     * Returns the commit, followed by {@code -dirty} if any file except pages and results differs from it; {@code unknown}
     * without git.
     */
    public String commit() {
        Optional<List<String>> commit = git(List.of("rev-parse", "--short=7", "HEAD"), List.of());
        Optional<List<String>> changes = git(List.of("status", "--porcelain"), ALL_BUT_PAGES);
        return commit.isEmpty() || changes.isEmpty()
                ? "unknown"
                : commit.get().get(0) + (changes.get().isEmpty() ? "" : "-dirty");
    }

    /** Returns how many later commits have changed some folders; empty without git or if the commit is missing. */
    public OptionalInt commitsSince(String commit, List<String> folders) {
        List<String> paths = new ArrayList<>(List.of("--"));
        paths.addAll(folders);
        return git(List.of("log", "--format=%h", commit + "..HEAD"), paths).stream()
                .mapToInt(List::size)
                .findFirst();
    }

    /** Whether a part of the history is missing, so that results cannot be compared with the code that they measure. */
    public boolean isShallow() {
        return git(List.of("rev-parse", "--is-shallow-repository"), List.of())
                .map(lines -> lines.get(0).equals("true"))
                .orElse(true);
    }

    private Optional<List<String>> git(List<String> command, List<String> paths) {
        List<String> words = new ArrayList<>(List.of("git", "-C", root.toString()));
        words.addAll(command);
        words.addAll(paths);
        try {
            Process git = new ProcessBuilder(words)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String lines = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return git.waitFor() == 0 ? Optional.of(lines.lines().toList()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
