package io.thalweg.bench.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rounds of a result file, to which those of later runs are added: a round may take most of an hour, and rounds on several
 * days show how much a day matters. Nothing is added to contests, because they have ratios and need their rounds in turn.
 *
 * @param json the whole file
 */
public record KeptRounds(ObjectNode json) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads a file that a benchmark wrote. */
    public static KeptRounds read(Path file) throws IOException {
        return new KeptRounds((ObjectNode) JSON.readTree(Files.readString(file)));
    }

    /** Whether it is of a contest. */
    public boolean hasRatios() {
        return !json.path("ratios").isEmpty();
    }

    /** Returns why no rounds can be added on this machine; empty if they can. */
    public String refusal() {
        if (hasRatios()) {
            return "it has ratios, whose rounds must take turns";
        }
        if (!json.path("equal_results").asBoolean()) {
            return "its rows differed";
        }
        String machine = json.path("machine").asText();
        return kind(machine).equals(kind(Results.machine()))
                ? ""
                : "it is of another machine (" + machine + "; this is " + Results.machine() + ")";
    }

    /**
     * Returns the kind of a machine: virtual machines of one kind differ by some kilobytes of memory from start to start, and
     * JDKs by their patch versions.
     */
    private static String kind(String machine) {
        return machine.replaceAll(", \\d+ kB", "").replaceAll("(JDK \\d+)\\S*", "$1");
    }

    /** Writes a file with the rounds of both. The header is that of the later run; {@code earlier} lists the runs before. */
    public void add(KeptRounds later, Path file) throws IOException {
        ObjectNode head = later.json.deepCopy();
        head.remove(List.of("results", "ratios", "equal_results"));
        ArrayNode earlier = head.putArray("earlier");
        json.path("earlier").forEach(earlier::add);
        ObjectNode run = earlier.addObject();
        for (String field : List.of("commit", "date", "machine", "step_ns", "command")) {
            if (json.has(field)) {
                run.set(field, json.get(field));
            }
        }
        ObjectNode end = JSON.createObjectNode();
        end.putObject("ratios");
        end.put("equal_results", true);
        List<Result> all = new ArrayList<>(rounds());
        all.addAll(later.rounds());
        Results.write(file, head, Result.medians(all), end);
    }

    private List<Result> rounds() {
        List<Result> rounds = new ArrayList<>();
        for (JsonNode result : json.path("results")) {
            int count = 1;
            for (JsonNode values : result.path("rounds")) {
                count = Math.max(count, values.size());
            }
            for (int round = 0; round < count; round++) {
                rounds.add(new Result(
                        result.path("system").asText(), result.path("variant").asText(), figures(result, round)));
            }
        }
        return rounds;
    }

    /** Returns the figures of a round; if only some rounds have a figure, the first ones have it. */
    private static Map<String, Number> figures(JsonNode result, int round) {
        Map<String, Number> figures = new LinkedHashMap<>();
        result.properties().forEach(field -> {
            JsonNode values = result.path("rounds").path(field.getKey());
            JsonNode value = values.isMissingNode() ? field.getValue() : values.path(round);
            if (value.isIntegralNumber()) {
                figures.put(field.getKey(), value.asLong());
            } else if (value.isNumber()) {
                figures.put(field.getKey(), value.asDouble());
            }
        });
        return figures;
    }
}
