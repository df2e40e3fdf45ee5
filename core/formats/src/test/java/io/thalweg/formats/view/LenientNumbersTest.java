package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.DeadLetter;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code source.numbers}: with {@code lenient}, JSON text is read as CSV reads the same text, which is the oracle here. */
class LenientNumbersTest {
    private static final String KEYED = """
            where: {least: {gte: 0}, listed: [7, 2.5], most: {exists: true}}
            entities: [{name: key, field: key, type: int64}]
            measures:
              - {name: cost, sum: cost}
              - {name: items, sum: items, type: int64}
              - {name: high, max: cost, where: {most: {lt: 1e3}}}
              - {name: who, count_distinct: who, type: int64}
            """;
    private static final String OF_COORDINATES =
            "entities: [{name: cell, h3: {lat: lat, lng: lng}}]\nmeasure: {count: all}\nrings: [0]\n";
    private static final String OF_CELLS =
            "entities: [{name: cell, h3: {cell: h, resolution: 9}}]\nmeasure: {count: all}\nrings: [0]\n";
    private static final Map<String, String> EVENT = new LinkedHashMap<>();
    private static final String[] TOKENS = {
        "1451671200000",
        "1451671200000.75",
        "1.4516712e12",
        "617733122422996991",
        "892a1008003ffff",
        "7",
        "+7.0",
        "25e-1",
        "-0",
        "-0.0",
        ".5",
        "5.",
        "9223372036854775807",
        "9223372036854775808",
        "1e400",
        "NaN",
        "-Infinity",
        "0x1p3",
        " 7",
        "7 ",
        "1_000",
        "true",
        "seven"
    };
    private static final String DIGITS = "0123456789+-.eE ";

    static {
        EVENT.put("ts", "1451671200000");
        EVENT.put("least", "1");
        EVENT.put("listed", "7");
        EVENT.put("most", "1");
        EVENT.put("key", "3");
        EVENT.put("cost", "2.5");
        EVENT.put("items", "4");
        EVENT.put("who", "5");
        EVENT.put("lat", "40.72");
        EVENT.put("lng", "-74");
        EVENT.put("h", "617733122422996991");
    }

    private static FeatureView view(String source, String body) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: trips
                        source: {topic: trips, event_time: {field: ts}%s}
                        %swindows: {sizes: [1m], every: 1m}
                        """.formatted(source, body), "trips.yaml")
                .views()
                .get(0);
    }

    private static EventVerdict read(String source, String body, String input) throws IOException {
        List<EventVerdict> verdicts = new ArrayList<>();
        byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
        BatchReader.of(List.of(view(source, body))).read(new ByteArrayInputStream(bytes), "trips", verdicts::add);
        return verdicts.get(0);
    }

    private static EventVerdict json(String source, String body, String field, String value) throws IOException {
        List<String> members = new ArrayList<>();
        EVENT.forEach((name, usual) -> members.add("\"" + name + "\":" + (name.equals(field) ? value : usual)));
        return read(source, body, "{" + String.join(",", members) + "}\n");
    }

    private static EventVerdict csv(String body, String field, String value) throws IOException {
        List<String> values = new ArrayList<>();
        EVENT.forEach((name, usual) -> values.add(name.equals(field) ? value : usual));
        return read(", format: csv", body, String.join(",", EVENT.keySet()) + "\n" + String.join(",", values) + "\n");
    }

    private static List<Object> outcome(EventVerdict verdict) {
        DeadLetter letter = verdict.deadLetter();
        List<Object> outcome = new ArrayList<>(List.of(
                verdict.outcome(),
                verdict.cell(),
                verdict.group(),
                verdict.idLo(),
                verdict.matches(),
                verdict.inputs(),
                String.valueOf(verdict.eventTimeMs())));
        outcome.add(letter == null ? "" : letter.reason() + " " + letter.detail());
        return outcome;
    }

    private static String body(String field) {
        return field.equals("h") ? OF_CELLS : field.startsWith("l") && field.length() == 3 ? OF_COORDINATES : KEYED;
    }

    private static String token(Random random) {
        if (random.nextBoolean()) {
            return TOKENS[random.nextInt(TOKENS.length)];
        }
        StringBuilder token = new StringBuilder();
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            token.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
        }
        return token.toString();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_lenientText_isReadAsCsvReadsIt(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            String token = token(random);
            for (String field : EVENT.keySet()) {
                assertThat(outcome(json(", numbers: lenient", body(field), field, '"' + token + '"')))
                        .as("%s: '%s'", field, token)
                        .usingRecursiveComparison()
                        .isEqualTo(outcome(csv(body(field), field, token)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ts", "least", "key", "cost", "items", "who", "lat", "lng", "h"})
    void read_strictText_isBadAndNamesTheSwitch(String field) throws IOException {
        String text = '"' + EVENT.get(field) + '"';
        DeadLetter letter =
                Objects.requireNonNull(json("", body(field), field, text).deadLetter());
        assertThat(letter.detail())
                .contains("'" + field + "' must be ")
                .endsWith(" (source.numbers: lenient accepts it), was " + text);
        assertThat(json(", numbers: lenient", body(field), field, text).outcome())
                .isEqualTo(EventOutcome.ACCEPTED);
    }

    /** As pandas writes columns of integers that have nulls. */
    @ParameterizedTest
    @CsvSource({
        "1.0, 1",
        "-17.000, -17",
        "1e3, 1000",
        "25e-1, ",
        "0.0, 0",
        "-0.0, 0",
        "1e-400, ",
        "1.5, ",
        "9007199254740992.0, 9007199254740992",
        "-9007199254740992.0, -9007199254740992",
        "9007199254740993.0, ",
        "9007199254740994.0, ",
        "4503599627370497.3, ",
        "1.00000000000000000001, ",
        "1e300, "
    })
    void read_wholeNumberWithAFraction_isAnIntegerIfLenient(String token, @Nullable Long expected) throws IOException {
        for (String value : List.of(token, '"' + token + '"')) {
            EventVerdict key = json(", numbers: lenient", body("key"), "key", value);
            assertThat(key.outcome()).as(value).isEqualTo(expected == null ? EventOutcome.BAD : EventOutcome.ACCEPTED);
            if (expected != null) {
                assertThat(key.group()).isEqualTo(List.of(expected));
                EventVerdict items = json(", numbers: lenient", body("items"), "items", value);
                assertThat(items.inputs()).contains(expected);
            }
            assertThat(json("", body("key"), "key", value).outcome()).isEqualTo(EventOutcome.BAD);
        }
        DeadLetter strict =
                Objects.requireNonNull(json("", body("key"), "key", "1.0").deadLetter());
        assertThat(strict.detail())
                .isEqualTo("'key' must be of type int64 (source.numbers: lenient accepts it), was 1.0");
    }

    @Test
    void read_strictTextThatIsNotANumber_doesNotNameTheSwitch() throws IOException {
        for (String field : List.of("ts", "least", "key", "cost", "items", "lat", "h")) {
            DeadLetter letter = Objects.requireNonNull(
                    json("", body(field), field, "\"seven\"").deadLetter());
            assertThat(letter.detail()).doesNotContain("source.numbers");
        }
    }

    @Test
    void read_lenient_leavesBooleansAndTextAlone() throws IOException {
        String texts = """
                where: {listed: [true, '8']}
                entities: [{name: key, field: key}]
                measures: [{name: n, count: all}]
                """;
        String numbers = ", numbers: lenient";
        assertThat(json(numbers, texts, "listed", "\"true\"").outcome()).isEqualTo(EventOutcome.SKIPPED);
        assertThat(json(numbers, texts, "listed", "8").outcome()).isEqualTo(EventOutcome.SKIPPED);
        assertThat(Objects.requireNonNull(json(numbers, texts.replace("true", "7"), "key", "3")
                                .deadLetter())
                        .detail())
                .isEqualTo("'key' must be of type string, was 3");
    }
}
