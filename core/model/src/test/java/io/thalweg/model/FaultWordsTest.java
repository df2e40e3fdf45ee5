package io.thalweg.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.JsonFault;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.yaml.DurationText;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts that the libraries refuse, in our words. */
class FaultWordsTest {
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(20).build())
                    .build())
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final String VIEW = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: orders
            source:
              topic: orders
              event_time: {field: created_at, unit: ms}
            entities:
              - {name: user, field: user_id}
            measures:
              - {name: spent, sum: amount}
            windows: {sizes: [5m, 1d], every: 5m}
            online: {ttl: 2d}
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":NaN} | 'NaN' is not a value; text must be in double quotes",
                "{\"a\":x} | 'x' is not a value; text must be in double quotes",
                "{a:1} | unexpected 'a'",
                "{\"a\":1,} | unexpected '}'",
                "{\"a\" 1} | unexpected '1'",
                "{'a':1} | unexpected '''",
                "{\"a\":01} | a number is malformed",
                "{\"a\":\"\\x\"} | an unknown escape in text",
                "{\"a\":1,\"a\":2} | the key 'a' is there twice",
                "{\"a\":1} 2 | text follows the value",
                "{\"a\": | it ends too early",
                "[[[[[[[[[[[[[[[[[[[[[[[[ | it is nested too deeply, or has a value that is too long",
            })
    void json_refused_isDescribedInOurWords(String text, String words) {
        JsonProcessingException refused =
                catchThrowableOfType(JsonProcessingException.class, () -> JSON.readTree(text));
        assertThat(JsonFault.words(refused)).isEqualTo(words);
    }

    @Test
    void json_refused_placeIsShown() {
        JsonProcessingException refused =
                catchThrowableOfType(JsonProcessingException.class, () -> JSON.readTree("{\n \"a\" 1}"));
        assertThat(JsonFault.wordsAndPlace(refused)).isEqualTo("unexpected '1' at line 2, column 6");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "source:~    topic: a~  event_time: b | v.yaml:3: is not YAML at column 3: the line is not indented",
                "source:~\ttopic: a | v.yaml:2: is not YAML at column 1: a tab; indent with spaces",
                "name: a: b | v.yaml:1: is not YAML at column 8: a ':' that does not belong here",
                "sizes: [1m, 2m~every: 1m | a list or map in brackets lacks a comma or its closing bracket",
                "name: @a | v.yaml:1: is not YAML at column 7: a character that cannot begin a value; quote the text",
                "name: *a | v.yaml:1: is not YAML at column 7: an alias (*) without its anchor",
                "name: \"a | text in quotes is not closed",
                "name: \"\\q\" | v.yaml:1: is not YAML at column 9: an unknown escape in double quotes",
                "- a~b: 1 | v.yaml:2: is not YAML at column 1: the line is not indented as the lines above it",
                "{ | v.yaml:2: is not YAML at column 1: a value is missing, or a bracket is not closed",
                "a~b | v.yaml",
            })
    void yaml_refused_isDescribedInOurWords(String text, String expected) {
        assertThat(problems(text.replace('~', '\n') + "\n"))
                .contains(expected)
                .doesNotContain("<", "expected", "token", "malformed");
    }

    private static String problems(String yaml) {
        return catchThrowableOfType(DefinitionException.class, () -> Definitions.parse(yaml, "v.yaml"))
                .problems()
                .stream()
                .map(Object::toString)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void suggestion_nameOfAnotherSystem_isOurs() {
        List<String> functions = List.of("count", "count_distinct", "sum", "min", "max", "mean");
        assertThat(Suggestion.to("avg", functions)).contains("mean");
        assertThat(Suggestion.to("distinct", functions)).contains("count_distinct");
        assertThat(Suggestion.to("avg", List.of("day"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"avg, mean", "distinct, count_distinct", "summ, sum"})
    void measure_functionOfAnotherName_suggestsOurs(String function, String ours) {
        assertThat(problems(VIEW.replace("sum:", function + ":")))
                .isEqualTo("v.yaml:10: measures[0]." + function + ": is not a known key; did you mean '" + ours + "'?");
    }

    @Test
    void size_notAMultiple_nearestIsReadable() {
        assertThat(problems(VIEW.replace("every: 5m", "every: 7m").replace("5m, ", "")))
                .contains("nearest below: 23h55m");
    }

    @ParameterizedTest
    @CsvSource({"86100000, 23h55m", "31449600000, 364d", "1500, 1s500ms", "0, 0s", "60000, 1m"})
    void shown_duration_hasEachUnitOnce(long millis, String text) {
        assertThat(DurationText.shown(millis)).isEqualTo(text);
    }

    @Test
    void name_ofAnotherDefinition_bothPlacesAreNamed() {
        assertThat(problems(VIEW + "---\n" + VIEW))
                .isEqualTo("v.yaml:16: name: the definition at v.yaml:3 is named orders too;"
                        + " rename one or raise its version");
    }
}
