package io.thalweg.bench.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The results of a benchmark as JSON, which {@code docs/internal/benchmarks.md} describes: commit, machine and command, and for
 * each system and variant of the load the medians of its figures, with the values of all {@code rounds} if there was more than
 * one.
 *
 * @param json the whole file, or the header of a run in {@code earlier}
 */
public record ResultFile(ObjectNode json) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads a file that a benchmark wrote. */
    public static ResultFile read(Path file) throws IOException {
        return new ResultFile((ObjectNode) JSON.readTree(Files.readString(file)));
    }

    /** Reads a file if it exists. */
    public static Optional<ResultFile> find(Path file) throws IOException {
        return Files.exists(file) ? Optional.of(read(file)) : Optional.empty();
    }

    /**
     * Creates the file of results that were measured now.
     *
     * @param command that repeats the benchmark
     * @param roundSeconds the time that a round took, with its share of the preparation
     * @param ratios {@code thalweg_vs_<rival>}: the rival's cost divided by Thalweg's
     */
    static ResultFile of(
            String benchmark, String command, double roundSeconds, Contest found, Map<String, Double> ratios) {
        ObjectNode json = JSON.createObjectNode()
                .put("benchmark", benchmark)
                .put("commit", Clone.ofLauncher().commit())
                .put("date", LocalDate.now(ZoneOffset.UTC).toString())
                .put("machine", presentMachine())
                .put("command", command)
                .put("round_seconds", (long) Math.ceil(roundSeconds));
        json.set("step_ns", JSON.valueToTree(MachineSpeed.measure()));
        putResults(json, found.results());
        json.set("ratios", JSON.valueToTree(ratios));
        json.put("equal_results", found.wrong().isEmpty());
        return new ResultFile(found.wrong().isEmpty() ? json : json.put("difference", found.wrong()));
    }

    private static void putResults(ObjectNode json, List<Result> results) {
        ArrayNode all = json.putArray("results");
        for (Result result : results) {
            ObjectNode each = all.addObject().put("system", result.system()).put("variant", result.variant());
            each.setAll((ObjectNode) JSON.valueToTree(result.figures()));
            if (!result.rounds().isEmpty()) {
                each.set("rounds", JSON.valueToTree(result.rounds()));
            }
        }
    }

    /**
     * Writes one result per line, so that the length of a file corresponds to its contest, and a diff shows whose figures have
     * changed.
     */
    public void write(Path file) throws IOException {
        List<String> fields = new ArrayList<>();
        json.properties()
                .forEach(field -> fields.add("  \"%s\": %s"
                        .formatted(
                                field.getKey(),
                                field.getKey().equals("results")
                                        ? "[\n    " + String.join(",\n    ", texts(field.getValue())) + "\n  ]"
                                        : field.getValue())));
        Files.writeString(file, "{\n" + String.join(",\n", fields) + "\n}\n");
    }

    private static List<String> texts(JsonNode array) {
        return stream(array).map(JsonNode::toString).toList();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Describes this machine: cores, memory, processor, JDK. */
    static String presentMachine() {
        return "%d cores, %d kB, %s %s, JDK %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        Meter.totalBytes() / 1024,
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"));
    }

    private String text(String field) {
        return json.path(field).asText("unknown");
    }

    /** The measured commit; it ends with {@code -dirty} if the measured code differed from it. */
    public String commit() {
        return text("commit");
    }

    /** The day, in UTC. */
    public String date() {
        return text("date");
    }

    /** The command that was run: {@code thalweg bench} with the options that determine the figures. */
    public String command() {
        return text("command");
    }

    /** Whether the rows of all systems were equal. */
    public boolean hasEqualResults() {
        return json.path("equal_results").asBoolean();
    }

    /** Cores, memory, system, JDK, and the speed if it was measured. */
    public String machine() {
        JsonNode step = json.path("step_ns");
        return step.isMissingNode()
                ? text("machine")
                : "%s, a step in %s ns alone and in %s on all cores"
                        .formatted(text("machine"), step.path("alone"), step.path("together"));
    }

    /** The number of its rounds. */
    public int rounds() {
        return stream(json.path("results")).mapToInt(ResultFile::rounds).max().orElse(1);
    }

    private static int rounds(JsonNode result) {
        return stream(result.path("rounds")).mapToInt(JsonNode::size).max().orElse(1);
    }

    /** The time that a round took; empty for a result that does not contain it. */
    public Optional<Duration> roundDuration() {
        return Optional.ofNullable(json.get("round_seconds")).map(each -> Duration.ofSeconds(each.asLong()));
    }

    /** The runs whose rounds are in it: the runs before, then the last one, each with commit, date, machine and command. */
    public List<ResultFile> runs() {
        return Stream.concat(stream(json.path("earlier")).map(run -> new ResultFile((ObjectNode) run)), Stream.of(this))
                .toList();
    }

    /** Returns every value of a figure or ratio of this name. */
    public List<Figure> figures(String name) {
        return Stream.concat(stream(json.path("results")), Stream.of(json.path("ratios")))
                .filter(values -> values.has(name))
                .map(values -> figure(name, values))
                .toList();
    }

    /** Returns a figure; ratios have neither a system nor a variant. */
    private static Figure figure(String name, JsonNode values) {
        double median = values.path(name).asDouble();
        double[] rounds = stream(values.path("rounds").path(name))
                .mapToDouble(JsonNode::asDouble)
                .sorted()
                .toArray();
        double[] all = rounds.length == 0 ? DoubleStream.of(median).toArray() : rounds;
        return new Figure(
                values.path("system").asText(),
                values.path("variant").asText(),
                name,
                median,
                all[0],
                all[all.length - 1],
                all.length);
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
        if (!hasEqualResults()) {
            return "its rows differed";
        }
        return kind(text("machine")).equals(kind(presentMachine()))
                ? ""
                : "it is of another machine (%s; this is %s)".formatted(text("machine"), presentMachine());
    }

    /**
     * Returns the kind of a machine: virtual machines of one kind differ by some kilobytes of memory from start to start, and
     * JDKs by their patch versions.
     */
    private static String kind(String machine) {
        return machine.replaceAll(", \\d+ kB", "").replaceAll("(JDK \\d+)\\S*", "$1");
    }

    /**
     * Returns a file with the rounds of both: a round may take most of an hour, and rounds on several days show how much a day
     * matters. The header is that of the later run; {@code earlier} lists the runs before. Nothing is added to contests, because
     * they have ratios and need their rounds in turn.
     */
    public ResultFile plus(ResultFile later) {
        ObjectNode sum = later.json.deepCopy();
        sum.remove(List.of("results", "ratios", "equal_results"));
        ArrayNode earlier = sum.putArray("earlier");
        json.path("earlier").forEach(earlier::add);
        earlier.add(json.deepCopy().retain("commit", "date", "machine", "step_ns", "command"));
        putResults(
                sum,
                Result.medians(Stream.concat(eachRound(), later.eachRound()).toList()));
        sum.putObject("ratios");
        return new ResultFile(sum.put("equal_results", true));
    }

    private Stream<Result> eachRound() {
        return stream(json.path("results"))
                .flatMap(result -> Stream.iterate(0, round -> round + 1)
                        .limit(rounds(result))
                        .map(round -> new Result(
                                result.path("system").asText(),
                                result.path("variant").asText(),
                                figures(result, round))));
    }

    /** Returns the figures of a round; if only some rounds have a figure, the first ones have it. */
    private static Map<String, Number> figures(JsonNode result, int round) {
        Map<String, Number> figures = new LinkedHashMap<>();
        result.properties().forEach(field -> {
            JsonNode values = result.path("rounds").path(field.getKey());
            JsonNode value = values.isMissingNode() ? field.getValue() : values.path(round);
            if (value.isNumber()) {
                figures.put(field.getKey(), value.isIntegralNumber() ? (Number) value.asLong() : value.asDouble());
            }
        });
        return figures;
    }
}
