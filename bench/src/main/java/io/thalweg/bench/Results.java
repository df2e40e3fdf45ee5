package io.thalweg.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a benchmark found, as a table and as the JSON that {@code docs/reference/cli.md} describes.
 *
 * @param command what repeats it
 * @param ratios {@code thalweg_vs_<rival>}: the rival's cost divided by Thalweg's; {@code skew_vs_even_<figure>}
 * @param wrong how systems or a recount differ; empty if they are equal
 */
record Results(String benchmark, String command, List<Result> results, Map<String, Double> ratios, String wrong) {
    void print(PrintWriter out) {
        out.println(benchmark + " at " + commit() + " on " + machine());
        out.println(command);
        for (Result result : results) {
            out.println(result.system() + " " + result.variant());
            int width = result.figures().keySet().stream()
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            result.figures()
                    .forEach((name, value) ->
                            out.println("  " + name + " ".repeat(width - name.length()) + shown(value)));
        }
        ratios.forEach((name, ratio) -> out.printf(Locale.ROOT, "%s %.2f%n", name, ratio));
        out.println(wrong.isEmpty() ? "rows: equal" : "rows: NOT EQUAL: " + wrong);
    }

    private static String shown(Number value) {
        return value instanceof Long
                ? String.format(Locale.ROOT, "%,20d", value.longValue())
                : String.format(Locale.ROOT, "%,24.3f", value.doubleValue());
    }

    void write(Path file) throws IOException {
        ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        ObjectNode json = mapper.createObjectNode()
                .put("benchmark", benchmark)
                .put("commit", commit())
                .put("machine", machine())
                .put("command", command);
        var list = json.putArray("results");
        for (Result result : results) {
            ObjectNode one = list.addObject().put("system", result.system()).put("variant", result.variant());
            one.setAll((ObjectNode) mapper.valueToTree(result.figures()));
        }
        json.set("ratios", mapper.valueToTree(ratios));
        json.put("equal_results", wrong.isEmpty());
        if (!wrong.isEmpty()) {
            json.put("difference", wrong);
        }
        Files.writeString(file, mapper.writeValueAsString(json) + "\n");
    }

    /** Cores, memory, processor, JDK. */
    static String machine() {
        return "%d cores, %s, %s %s, JDK %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        first("/proc/meminfo", "MemTotal:\\s*(\\d+) kB"),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"))
                .replaceFirst("(\\d{6,}),", "$1 kB,");
    }

    private static String first(String file, String pattern) {
        try {
            var found = java.util.regex.Pattern.compile(pattern).matcher(Files.readString(Path.of(file)));
            return found.find() ? found.group(1) : "?";
        } catch (IOException e) {
            return "?";
        }
    }

    /** The commit of the clone; {@code -dirty} behind it if files differ from it. */
    static String commit() {
        Path clone = DemandCommand.launcher().resolveSibling(".");
        try {
            Process git = new ProcessBuilder("git", "-C", clone.toString(), "describe", "--always", "--dirty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor(5, TimeUnit.SECONDS) && !said.isEmpty() ? said : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
