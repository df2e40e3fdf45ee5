package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.runner.Checkpoints;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** A folder with the schemas of {@link Rides}, a definition {@code rides.yaml}, its table, checkpoints and dead letters. */
record IngestFolder(Path folder) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Puts the schemas and {@code thalweg.yaml} into a folder. */
    static IngestFolder in(Path folder) throws IOException {
        Rides.writeSchemas(folder);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                checkpoints: {dir: %s}
                """.formatted(folder.resolve("checkpoints")));
        return new IngestFolder(folder);
    }

    /**
     * Writes the definition.
     *
     * @param source entries of {@code source} besides {@code files}
     * @param more lines at the top level
     */
    void define(String source, String more) throws IOException {
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {files: "*.in", %s}
                sink: {parquet: table, every: 1s}
                dead_letters: {file: dead.jsonl}
                %s
                """.formatted(source, more));
    }

    /**
     * Puts the function {@link Misbehaving} into the folder, where it hangs until a file {@code once} exists. Returns the line of the
     * definition that names it.
     */
    String misbehaving(String timeout) throws IOException {
        return "transform: {%s, config: {once: \"%s\"}, timeout: %s}"
                .formatted(classOf(Misbehaving.class), file("once"), timeout);
    }

    /** Puts the function {@link Slow} and the file {@code slow} into the folder; returns the line of the definition that names it. */
    String slow() throws IOException {
        return "transform: {%s, config: {slow: \"%s\"}}".formatted(classOf(Slow.class), Files.createFile(file("slow")));
    }

    /** Removes the limit of the function {@link Slow}. */
    void hurry() throws IOException {
        Files.delete(file("slow"));
    }

    private String classOf(Class<?> function) throws IOException {
        Path classes = Files.createDirectories(folder.resolve("classes/io/thalweg/cli/run"));
        String name = function.getSimpleName() + ".class";
        try (InputStream code = function.getResourceAsStream(name)) {
            Files.copy(Objects.requireNonNull(code), classes.resolve(name));
        }
        return "class: %s, jars: [classes]".formatted(function.getName());
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    Path table() {
        return folder.resolve("table");
    }

    private Object[] command(Object... options) {
        Object[] command = {
            "ingest", folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml"), "--quiet"
        };
        return Stream.concat(Arrays.stream(command), Arrays.stream(options)).toArray();
    }

    /** Runs {@code ingest} in this process. */
    CommandRun run(Object... options) {
        return CommandRun.of(command(options));
    }

    /** Runs {@code ingest} and requires that it succeeds. */
    Map<String, Long> succeed(Object... options) {
        CommandRun run = run(options);
        assertThat(run.exit()).as(run.err()).isZero();
        return counts(run.err().lines().toList());
    }

    /** Starts {@code ingest} as a process of its own. */
    Subprocess start(Object... options) {
        return Launched.start(folder, command(options));
    }

    /** The whole numbers of the last line, which must balance. */
    static Map<String, Long> counts(List<String> lines) {
        String last = lines.stream()
                .filter(line -> line.contains(": records="))
                .reduce((a, b) -> b)
                .orElseThrow(() -> new AssertionError("no line of counts in " + lines));
        Map<String, Long> counts = new HashMap<>();
        for (String count : last.split(" ", -1)) {
            String[] pair = count.split("=", 2);
            if (pair.length == 2 && pair[1].matches("\\d+")) {
                counts.put(pair[0], Long.valueOf(pair[1]));
            }
        }
        assertThat(Stream.of("filtered", "bad", "kept")
                        .mapToLong(outcome -> counts.getOrDefault(outcome, -1L))
                        .sum())
                .as(last)
                .isEqualTo(counts.get("events"));
        assertThat(counts.get("kept"))
                .as(last)
                .isEqualTo(counts.get("rows"))
                .isEqualTo(counts.getOrDefault("written", -1L) + counts.getOrDefault("refused", 0L));
        return counts;
    }

    /** The folders of the complete checkpoints and savepoints. */
    List<Path> checkpoints() throws IOException {
        return Checkpoints.in(folder.resolve("checkpoints"));
    }

    /** The dead letters in the order of the file. */
    List<JsonNode> letters() throws IOException {
        List<JsonNode> letters = new ArrayList<>();
        if (Files.exists(file("dead.jsonl"))) {
            for (String line : Files.readAllLines(file("dead.jsonl"))) {
                letters.add(JSON.readTree(line));
            }
        }
        return letters;
    }
}
