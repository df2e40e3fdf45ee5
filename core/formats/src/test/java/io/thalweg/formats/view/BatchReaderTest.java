package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.formats.BadReason;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.Views;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class BatchReaderTest {
    private static final String REST = ",\"lat\":40.5,\"lng\":-74,\"product_id\":\"" + Views.UUID_A
            + "\",\"rider_id\":\"" + Views.UUID_A + "\",\"kind\":";

    @Test
    void read_eventsInOrder_movesTheClockAsTheSemanticsSay() throws IOException {
        Views views = new Views().where(new Condition.In(FieldPath.parse("kind"), List.of(1L)));
        long minute = 60_000;
        List<EventVerdict> verdicts = read(
                views,
                event(Views.T0, "1"),
                "not json",
                event(Views.T0 + 2 * minute, "2"), // skipped, but advances the clock to 18:01:50
                event(Views.T0 + minute, "1"), // pane ends 18:02:00: in time
                event(Views.T0 + minute - 1, "1"), // pane ended 18:01:00: late
                "{\"ts\":4102444800000" + REST + "1}", // out of range: does not advance it
                "{\"ts\":" + (Views.T0 + 10 * minute) + "}", // bad in where, but advances the clock to 18:09:50
                event(Views.T0 + 8 * minute, "1")); // late now
        assertThat(verdicts.stream().map(v -> v.outcome().text()))
                .containsExactly("accepted", "bad", "skipped", "accepted", "late", "bad", "bad", "late");
        assertThat(verdicts.stream()
                        .map(EventVerdict::deadLetter)
                        .filter(Objects::nonNull)
                        .map(l -> l.reason().text()))
                .containsExactly("undecodable", "late", "time_out_of_range", "missing_field", "late");
        assertThat(verdicts.get(0).group()).containsExactly(Views.UUID_A);
        assertThat(HexTiling.resolution(verdicts.get(0).cell())).isEqualTo(9);
        assertThat(verdicts.get(4).eventTimeMs()).isEqualTo(Views.T0 + minute - 1);
    }

    @Test
    void read_csv_takesTheHeaderFromTheFirstLine() throws IOException {
        Views views = new Views();
        views.format = Source.Format.CSV;
        String ids = Views.UUID_A + ",\"" + Views.UUID_A + "\"";
        List<EventVerdict> verdicts = read(
                views,
                "note,ts,lat,lng,product_id,rider_id",
                "\"a \"\"b\"\",\nc\"," + Views.T0 + ",40.5,-74," + ids,
                "x," + Views.T0 + ",40.5,-74," + ids + ",7",
                "x\"," + Views.T0 + ",40.5,-74," + ids,
                "\"x\"y," + Views.T0 + ",40.5,-74," + ids,
                ",,40.5,-74," + ids,
                "," + Views.T0 + ",40.5,," + ids);
        assertThat(verdicts.stream()
                        .map(v -> v.deadLetter() == null
                                ? "accepted"
                                : v.deadLetter().reason().text()))
                .containsExactly(
                        "accepted", "undecodable", "undecodable", "undecodable", "missing_field", "missing_field");
        assertThat(read(views)).isEmpty();
        assertThatThrownBy(() -> read(views, "a,a"))
                .hasMessageContaining("input: a CSV header must name each column once");
    }

    @Test
    void deadLetter_json_hasTheFields() throws IOException {
        List<EventVerdict> verdicts = read(
                new Views(),
                "{\"ts\":" + Views.T0 + ",\"é\":\"\u0001 \"x\"}",
                event(Views.T0, "1").replace("40.5", "95"));
        JsonNode undecodable = json(verdicts.get(0));
        List<String> names = new ArrayList<>();
        undecodable.fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactly(
                        "view",
                        "reason",
                        "detail",
                        "source",
                        "partition",
                        "offset",
                        "time",
                        "raw",
                        "raw_encoding",
                        "raw_bytes",
                        "truncated");
        assertThat(undecodable.get("time").isNull()).isTrue();
        assertThat(undecodable.get("raw").textValue()).contains("\"é\":\"\u0001 \"x\"");
        JsonNode coordinate = json(verdicts.get(1));
        assertThat(coordinate.get("reason").textValue()).isEqualTo("coordinate");
        assertThat(coordinate.get("detail").textValue()).isEqualTo("'lat' must lie within [-90, 90], was 95");
        assertThat(coordinate.get("time").textValue()).isEqualTo("2016-01-01T18:00:00Z");
        assertThat(coordinate.get("source").textValue()).isEqualTo("input");
        assertThat(coordinate.get("offset").longValue()).isEqualTo(2);
        assertThat(coordinate.get("truncated").booleanValue()).isFalse();
    }

    @Test
    void deadLetter_notUtf8_isBase64() throws IOException {
        byte[] data = {'{', (byte) 0xFF, '}'};
        JsonNode letter = json(readBytes(new Views(), data).get(0));
        assertThat(letter.get("raw_encoding").textValue()).isEqualTo("base64");
        assertThat(Base64.getDecoder().decode(letter.get("raw").textValue())).isEqualTo(data);
    }

    @Test
    void deadLetter_large_isCutBetweenCharacters() throws IOException {
        for (int size : new int[] {200_000, 600_000}) {
            for (String lead : List.of("", "a", "aa")) {
                String text = lead + "€".repeat(size);
                DeadLetter letter =
                        Objects.requireNonNull(read(new Views(), text).get(0).deadLetter());
                assertThat(letter.reason()).isEqualTo(size > 400_000 ? BadReason.TOO_LARGE : BadReason.UNDECODABLE);
                assertThat(letter.truncated()).isTrue();
                assertThat(letter.rawIsText()).isTrue();
                assertThat(letter.rawBytes()).isEqualTo(lead.length() + 3L * size);
                assertThat(text).startsWith(letter.raw());
                assertThat(letter.raw().getBytes(StandardCharsets.UTF_8).length)
                        .isBetween(DeadLetter.MAX_RAW_BYTES - 2, DeadLetter.MAX_RAW_BYTES);
            }
        }
    }

    @Test
    void of_differentSources_isRefused() {
        Views other = new Views();
        other.timeField = "other";
        assertThatThrownBy(() -> BatchReader.of(List.of(new Views().build(), other.build())))
                .hasMessageContaining("must share one source");
    }

    private static String event(long timeMs, String kind) {
        return "{\"ts\":" + timeMs + REST + kind + "}";
    }

    private static JsonNode json(EventVerdict verdict) throws IOException {
        return new ObjectMapper()
                .readTree(Objects.requireNonNull(verdict.deadLetter()).toJson());
    }

    private static List<EventVerdict> read(Views views, String... lines) throws IOException {
        return readBytes(views, String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }

    private static List<EventVerdict> readBytes(Views views, byte[] data) throws IOException {
        List<EventVerdict> verdicts = new ArrayList<>();
        BatchReader.of(List.of(views.build())).read(new ByteArrayInputStream(data), "input", verdicts::add);
        return verdicts;
    }
}
