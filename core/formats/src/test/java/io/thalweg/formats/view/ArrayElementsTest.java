package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.JsonDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.ScannedJson;
import io.thalweg.formats.Views;
import io.thalweg.model.Definitions;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks paths whose segments are indexes of array elements against a walk over Jackson's tree. */
class ArrayElementsTest {
    private static final String[] FIELDS = {
        "a", "a.0", "a.1", "a.0.1", "a.1.b", "a.00", "a.2.0.0", "b", "b.2", "b.0.0.0", "b.1.a.0", "0", "1.0", "1.1.1"
    };
    private static final String[] NAMES = {"a", "b", "0", "1", "2", "00", "zz"};
    private static final String[] SCALARS = {"1", "-0", "2.5", "1e3", "true", "null", "\"\"", "\"x\"", "\"\\u00e9\""};
    private static final String[] SPICE = {"[", "]", "{", "}", ",", ":", "0", "\"", " "};
    private static final Projection PROJECTION = Views.projection(Source.Format.JSON, FIELDS);
    private static final JsonMapper TREES = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final EventColumns events = new EventColumns(PROJECTION);
    private final JsonDecoder scanning = JsonDecoder.scanning(PROJECTION);
    private final JsonDecoder parsing = JsonDecoder.parsing(PROJECTION);

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_randomDocuments_agreesWithTheTreeModel(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            StringBuilder document = new StringBuilder();
            object(document, random, 5);
            for (int m = Math.max(0, random.nextInt(4) - 1); m > 0; m--) {
                int at = random.nextInt(document.length());
                document.replace(at, at + random.nextInt(2), SPICE[random.nextInt(SPICE.length)]);
            }
            List<String> expected = expected(document.toString(), FIELDS);
            assertThat(decoded(scanning, document)).as("%s", document).isEqualTo(expected);
            assertThat(decoded(scanning, document)).as("%s, again", document).isEqualTo(expected);
            assertThat(decoded(parsing, document)).as("%s, parsed", document).isEqualTo(expected);
        }
    }

    /** Otherwise, the test above might only exercise the full parser. */
    @Test
    void decode_arraysOfEveryLength_fullParserIsNotNeeded() {
        for (int round = 0; round < 3; round++) {
            for (int length = 0; length < 40; length++) {
                String numbers = "1.5, ".repeat(length) + "7";
                String document = "{\"a\": [%s], \"zz\": [%s], \"b\": [[[%s]], {\"a\":[2]}]}"
                        .formatted(numbers, numbers, numbers);
                assertThat(decoded(scanning, document)).isEqualTo(expected(document, FIELDS));
            }
        }
        assertThat(scanning.parsed()).isZero();
    }

    @Test
    void decode_largeIndexes_areElements() {
        String[] fields = {"a." + (ScannedJson.MAX_INDEX - 1), "a.%d.b".formatted(ScannedJson.MAX_INDEX), "a.5000"};
        for (int count = 1; count <= fields.length; count++) {
            String[] some = java.util.Arrays.copyOf(fields, count);
            Projection projection = Views.projection(Source.Format.JSON, some);
            JsonDecoder decoder = JsonDecoder.scanning(projection);
            EventColumns columns = new EventColumns(projection);
            for (int length : new int[] {0, 254, 255, 256, 5000, 5001}) {
                String document = "{\"a\":[" + "{\"b\":1},".repeat(length) + "3]}";
                assertThat(decoded(decoder, columns, count, document)).isEqualTo(expected(document, some));
            }
            assertThat(decoder.parsed()).isEqualTo(count < fields.length ? 0 : 6);
        }
    }

    @Test
    void read_geoJson_countsTheEventInItsCell() throws IOException {
        String view = """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: trips
                source: {topic: trips, event_time: {field: times.0}}
                where: {tags.1: [paid]}
                entities:
                  - {name: cell, h3: {lat: location.coordinates.1, lng: location.coordinates.0}}
                  - {name: product, field: legs.0.product}
                measure: {count_distinct: riders.0}
                rings: [0]
                windows: {sizes: [1m], every: 1m}
                """;
        String event = "{\"times\":[1451671200000],\"tags\":[\"app\",\"paid\"],\"legs\":[{\"product\":\"x\"}],"
                + "\"location\":{\"type\":\"Point\",\"coordinates\":[-74.0,40.72]},\"riders\":[\"r\"]}";
        List<EventVerdict> verdicts = read(
                view,
                event,
                event.replace("-74.0,40.72", "-74.0"),
                event.replace("paid", "open"),
                event.replace(",\"paid\"", ""),
                event.replace("[1451671200000]", "1451671200000"));
        assertThat(verdicts.stream().map(EventVerdict::outcome))
                .containsExactly(
                        EventOutcome.ACCEPTED,
                        EventOutcome.BAD,
                        EventOutcome.SKIPPED,
                        EventOutcome.BAD,
                        EventOutcome.BAD);
        String csvView = view.replace("topic: trips", "topic: trips, format: csv");
        List<EventVerdict> csv = read(
                csvView,
                "times.0,tags.1,legs.0.product,location.coordinates.0,location.coordinates.1,riders.0",
                "1451671200000,paid,x,-74.0,40.72,r");
        assertThat(verdicts.get(0).cell()).isNotZero().isEqualTo(csv.get(0).cell());
        assertThat(verdicts.get(0).group()).isEqualTo(List.of("x"));
        assertThat(detail(verdicts.get(1))).isEqualTo("'location.coordinates.1' must be there, was nothing");
        assertThat(detail(verdicts.get(3))).isEqualTo("where: 'tags.1' must be there, was nothing");
        assertThat(detail(verdicts.get(4))).isEqualTo("event time 'times.0' must be there, was nothing");
    }

    private static String detail(EventVerdict verdict) {
        return Objects.requireNonNull(verdict.deadLetter()).detail();
    }

    private static List<EventVerdict> read(String definition, String... lines) throws IOException {
        FeatureView view = Definitions.parse(definition, "trips.yaml").views().get(0);
        List<EventVerdict> verdicts = new ArrayList<>();
        byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        BatchReader.of(List.of(view)).read(new ByteArrayInputStream(bytes), "trips", verdicts::add);
        return verdicts;
    }

    private static void value(StringBuilder out, Random random, int depth) {
        switch (depth == 0 ? 0 : random.nextInt(5)) {
            case 1, 2 -> array(out, random, depth - 1);
            case 3 -> object(out, random, depth - 1);
            default -> out.append(SCALARS[random.nextInt(SCALARS.length)]);
        }
    }

    private static void array(StringBuilder out, Random random, int depth) {
        out.append('[');
        for (int i = random.nextInt(5); i > 0; i--) {
            value(out, random, depth);
            out.append(i == 1 ? "" : random.nextBoolean() ? "," : " , ");
        }
        out.append(']');
    }

    /** Appends an object; some names are duplicates. */
    private static void object(StringBuilder out, Random random, int depth) {
        out.append('{');
        for (int i = random.nextInt(5); i > 0; i--) {
            out.append('"').append(NAMES[random.nextInt(NAMES.length)]).append("\":");
            value(out, random, depth);
            out.append(i == 1 ? "" : ",");
        }
        out.append('}');
    }

    private static List<String> expected(String document, String... fields) {
        List<String> values = new ArrayList<>();
        JsonNode tree = tree(document);
        values.add(tree == null ? "bad" : "good");
        for (String field : fields) {
            JsonNode node = tree;
            for (String segment : FieldPath.parse(field).segments()) {
                node = node == null ? null : step(node, segment);
            }
            values.add(value(node));
        }
        return values;
    }

    private static @Nullable JsonNode step(JsonNode node, String segment) {
        if (!node.isArray()) {
            return node.get(segment);
        }
        for (int i = 0; i < node.size(); i++) {
            if (Integer.toString(i).equals(segment)) {
                return node.get(i);
            }
        }
        return null;
    }

    private static @Nullable JsonNode tree(String document) {
        try {
            JsonNode tree = TREES.readTree(document);
            return tree.isObject() ? tree : null;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static String value(@Nullable JsonNode node) {
        if (node == null) {
            return "MISSING";
        }
        return node.isContainerNode()
                ? "OTHER"
                : node.isNull() ? "NULL" : node.isTextual() ? '"' + node.asText() : number(node);
    }

    private static String number(JsonNode node) {
        return node.isNumber() ? String.valueOf(node.doubleValue() + 0.0) : node.asText();
    }

    private List<String> decoded(JsonDecoder decoder, CharSequence document) {
        return decoded(decoder, events, FIELDS.length, document);
    }

    private static List<String> decoded(JsonDecoder decoder, EventColumns columns, int count, CharSequence document) {
        byte[] data = document.toString().getBytes(StandardCharsets.UTF_8);
        columns.clear();
        decoder.decode(data, 0, data.length, 0, 0, columns);
        List<String> values = new ArrayList<>();
        values.add(columns.decodeReason(0) == null ? "good" : "bad");
        for (int c = 0; c < count; c++) {
            values.add(
                    switch (columns.kind(0, c)) {
                        case STRING -> '"' + columns.string(0, c);
                        case BOOL -> String.valueOf(columns.bool(0, c));
                        case INTEGER, DOUBLE -> String.valueOf(columns.number(0, c) + 0.0);
                        default -> columns.kind(0, c).name();
                    });
        }
        return values;
    }
}
