package io.thalweg.bench.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A result file: {@code commit}, {@code date}, {@code machine}, its speed as {@code step_ns}, and for each system and variant of the load the medians of its
 * figures, with the values of all {@code rounds} if there was more than one.
 *
 * @param json the whole file
 */
public record Answer(JsonNode json) {
    /** The answer to a scenario, if there is one. */
    public static Optional<Answer> of(Scenario scenario, Path results) throws IOException {
        Path file = scenario.file(results);
        return Files.exists(file)
                ? Optional.of(new Answer(new ObjectMapper().readTree(Files.readString(file))))
                : Optional.empty();
    }

    /** The measured commit; it ends with {@code -dirty} if the measured code differed from it. */
    public String commit() {
        return json.path("commit").asText("unknown");
    }

    /** The day, in UTC. */
    public String date() {
        return json.path("date").asText("unknown");
    }

    /** The command that was run: {@code thalweg bench} with the options that determine the figures. */
    public String command() {
        return json.path("command").asText("unknown");
    }

    /** The number of its rounds. */
    public int rounds() {
        return StreamSupport.stream(json.path("results").spliterator(), false)
                .flatMap(result -> StreamSupport.stream(result.path("rounds").spliterator(), false))
                .mapToInt(JsonNode::size)
                .max()
                .orElse(1);
    }

    /** The time that a round took; empty for a result that does not contain it. */
    public Optional<Duration> roundDuration() {
        return json.has("round_seconds")
                ? Optional.of(Duration.ofSeconds(json.path("round_seconds").asLong()))
                : Optional.empty();
    }

    /** The runs whose rounds are in it: the runs before, then the last one, each with commit, date, machine and command. */
    List<Answer> runs() {
        List<Answer> runs = new ArrayList<>();
        json.path("earlier").forEach(run -> runs.add(new Answer(run)));
        runs.add(this);
        return runs;
    }

    /** Cores, memory, system, JDK, and the speed if it was measured. */
    public String machine() {
        String machine = json.path("machine").asText("unknown");
        JsonNode step = json.path("step_ns");
        return step.isMissingNode()
                ? machine
                : "%s, a step in %s ns alone and in %s on all cores"
                        .formatted(machine, step.path("alone"), step.path("together"));
    }

    /** Returns every value of a figure or ratio of this name. */
    public List<Figure> figures(String name) {
        Stream<JsonNode> results = StreamSupport.stream(json.path("results").spliterator(), false);
        return Stream.concat(results, Stream.of(json.path("ratios")))
                .filter(values -> values.has(name))
                .map(values -> figure(name, values))
                .toList();
    }

    /** Returns a figure; ratios have neither a system nor a variant. */
    private static Figure figure(String name, JsonNode values) {
        JsonNode rounds = values.path("rounds").path(name);
        String system = values.path("system").asText();
        String variant = values.path("variant").asText();
        double median = values.path(name).asDouble();
        double[] all = rounds.isEmpty()
                ? new double[] {median}
                : IntStream.range(0, rounds.size())
                        .mapToDouble(round -> rounds.path(round).asDouble())
                        .sorted()
                        .toArray();
        return new Figure(system, variant, name, median, all[0], all[all.length - 1], all.length);
    }
}
