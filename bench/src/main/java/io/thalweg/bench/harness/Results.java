package io.thalweg.bench.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.bench.suite.Clone;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results of a benchmark, as a table and as the JSON that {@code docs/internal/benchmarks.md} describes.
 *
 * @param command that repeats the benchmark
 * @param roundSeconds the time that a round took, with its share of the preparation
 * @param ratios {@code thalweg_vs_<rival>}: the rival's cost divided by Thalweg's
 * @param wrong how systems or a recount differ; empty if they are equal
 */
record Results(
        String benchmark,
        String command,
        double roundSeconds,
        List<Result> results,
        Map<String, Double> ratios,
        String wrong) {
    private static final ObjectMapper JSON = new ObjectMapper();

    void print(PrintWriter out) {
        out.println(benchmark + " at " + Clone.ofLauncher().commit() + " on " + machine());
        out.println(command);
        for (Result result : results) {
            out.println(result.system() + " " + result.variant());
            int width = result.figures().keySet().stream()
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            result.figures()
                    .forEach((name, value) -> out.println(
                            "  " + name + " ".repeat(width - name.length()) + shown(value) + range(result, name)));
        }
        ratios.forEach((name, ratio) -> out.printf(Locale.ROOT, "%s %.2f%n", name, ratio));
        out.println(wrong.isEmpty() ? "run: valid" : "run: NOT VALID: " + wrong);
    }

    private static String shown(Number value) {
        return value instanceof Long
                ? String.format(Locale.ROOT, "%,20d", value.longValue())
                : String.format(Locale.ROOT, "%,24.3f", value.doubleValue());
    }

    private static String range(Result result, String name) {
        double[] range = result.range(name);
        return result.rounds().containsKey(name)
                ? String.format(Locale.ROOT, "  (%,.3f to %,.3f)", range[0], range[1])
                : "";
    }

    void write(Path file) throws IOException {
        ObjectNode head = JSON.createObjectNode()
                .put("benchmark", benchmark)
                .put("commit", Clone.ofLauncher().commit())
                .put("date", LocalDate.now(ZoneOffset.UTC).toString())
                .put("machine", machine())
                .put("command", command)
                .put("round_seconds", (long) Math.ceil(roundSeconds));
        head.set("step_ns", JSON.valueToTree(MachineSpeed.measure()));
        ObjectNode end = JSON.createObjectNode();
        end.set("ratios", JSON.valueToTree(ratios));
        end.put("equal_results", wrong.isEmpty());
        if (!wrong.isEmpty()) {
            end.put("difference", wrong);
        }
        write(file, head, results, end);
    }

    /**
     * Writes one result per line, so that the length of a file corresponds to its contest, and a diff shows whose figures have
     * changed.
     */
    static void write(Path file, ObjectNode head, List<Result> results, ObjectNode end) throws IOException {
        List<String> lines = fields(head);
        List<String> each = new ArrayList<>();
        for (Result result : results) {
            each.add("    " + JSON.writeValueAsString(json(result)));
        }
        lines.add("  \"results\": [\n" + String.join(",\n", each) + "\n  ]");
        lines.addAll(fields(end));
        Files.writeString(file, "{\n" + String.join(",\n", lines) + "\n}\n");
    }

    private static List<String> fields(ObjectNode object) throws JsonProcessingException {
        List<String> lines = new ArrayList<>();
        for (var field : object.properties()) {
            lines.add("  \"%s\": %s".formatted(field.getKey(), JSON.writeValueAsString(field.getValue())));
        }
        return lines;
    }

    private static ObjectNode json(Result result) {
        ObjectNode json = JSON.createObjectNode().put("system", result.system()).put("variant", result.variant());
        json.setAll((ObjectNode) JSON.valueToTree(result.figures()));
        if (!result.rounds().isEmpty()) {
            json.set("rounds", JSON.valueToTree(result.rounds()));
        }
        return json;
    }

    /** Describes the machine: cores, memory, processor, JDK. */
    static String machine() {
        return "%d cores, %d kB, %s %s, JDK %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        Meter.totalBytes() / 1024,
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"));
    }
}
