package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a keyed view reads of an event, and what makes an event bad for it. */
class KeyedReaderTest {
    private static final long T0 = 1_451_671_200_000L;
    private static final String UUID = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";
    private static final String MEASURES = """
            measures:
              - {name: events, count: all}
              - {name: spend, sum: cost, where: {billed: true}}
              - {name: items, sum: items, type: int64}
              - {name: riders, count_distinct: rider, type: uuid}
              - {name: pages, count_distinct: page}
            """;

    private String detail = "";
    private @Nullable ViewReader reader;

    private static FeatureView view(String entities, String format) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: spending
                        source: {topic: clicks, format: %s, event_time: {field: ts}}
                        where: {kind: click}
                        entities: %s
                        %swindows: {sizes: [1m], every: 1m}
                        """.formatted(format, entities, MEASURES), "spending.yaml")
                .views()
                .get(0);
    }

    private String judge(FeatureView view, String event, List<String> header) {
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        byte[] data = event.getBytes(StandardCharsets.UTF_8);
        EventDecoder.create(projection, header).decode(data, 0, data.length, 0, 0, events);
        ViewReader judging = ViewReader.of(view, projection);
        reader = judging;
        EventOutcome outcome = judging.judge(events, 0, T0, Long.MIN_VALUE);
        BadReason reason = judging.reason();
        detail = judging.detail();
        return reason == null ? outcome.name() : reason.name();
    }

    private String judge(String extra) {
        return judge(
                view("[{name: campaign, field: campaign_id}]", "json"),
                "{\"ts\":1,\"kind\":\"click\",\"campaign_id\":\"c1\",\"cost\":2.5,\"billed\":true,\"items\":3,\"rider\":\""
                        + UUID + "\",\"page\":\"p\"" + extra + "}",
                List.of());
    }

    private ViewReader read() {
        return java.util.Objects.requireNonNull(reader);
    }

    @Test
    void judge_accepted_readsKeyConditionsAndInputs() {
        assertThat(judge("")).isEqualTo("ACCEPTED");
        assertThat(read().group()).containsExactly("c1");
        assertThat(read().matches()).isEqualTo(1);
        Murmur3Id128 hash = new Murmur3Id128();
        hash.hash(new byte[] {'p'}, 0, 1);
        assertThat(read().inputs())
                .containsExactly(
                        Double.doubleToRawLongBits(2.5),
                        3,
                        java.util.UUID.fromString(UUID).getMostSignificantBits(),
                        java.util.UUID.fromString(UUID).getLeastSignificantBits(),
                        hash.hi(),
                        hash.lo());
    }

    /** The last value of a duplicate key wins, so each of these changes one field. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`\"kind\":\"view\"` | SKIPPED | ",
                "`\"kind\":\"view\",\"items\":null` | SKIPPED | ",
                "`\"campaign_id\":7` | WRONG_TYPE | 'campaign_id' must be of type string, was 7",
                "`\"campaign_id\":null` | MISSING_FIELD | 'campaign_id' must be there, was null",
                "`\"billed\":null` | MISSING_FIELD | where: 'billed' must be there, was null",
                "`\"cost\":\"2\"` | WRONG_TYPE | 'cost' must be a number",
                "`\"cost\":1e999` | WRONG_TYPE | 'cost' must be a finite number, was 1e999",
                "`\"cost\":null,\"billed\":false` | ACCEPTED | ",
                "`\"items\":3.5` | WRONG_TYPE | 'items' must be of type int64, was 3.5",
                "`\"items\":null` | MISSING_FIELD | 'items'",
                "`\"rider\":\"r\"` | WRONG_TYPE | 'rider' must be of type uuid",
                "`\"page\":1` | WRONG_TYPE | 'page' must be of type string",
            })
    void judge_oneFieldChanged_isJudgedByIt(String change, String expected, @Nullable String why) {
        assertThat(judge("," + change)).isEqualTo(expected);
        assertThat(why == null || detail.contains(why)).as(detail).isTrue();
    }

    @Test
    void judge_measuresOwnConditionDoesNotHold_leavesItsFieldAlone() {
        assertThat(judge(",\"billed\":false,\"cost\":{}")).isEqualTo("ACCEPTED");
        assertThat(read().matches()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{name: a, field: n, type: int64}] | 0 | 41 | [41]",
                "[{name: a, field: b, type: bool}] | 0 | 1 | [true]",
                "[{name: a, field: n, type: int64}, {name: c, field: b, type: bool}] | 41 | 1 | [41, true]",
                "[{name: a, field: rider, type: uuid}] | 1703123772457705334 | -7641563629387792962 | [" + UUID + "]",
            })
    void judge_keyOfWords_isReadWithoutADictionary(String entities, long high, long low, String group) {
        String event = "{\"ts\":1,\"kind\":\"click\",\"cost\":2.5,\"billed\":true,\"items\":3,\"rider\":\"" + UUID
                + "\",\"page\":\"p\",\"n\":41,\"b\":true}";
        assertThat(judge(view(entities, "json"), event, List.of())).isEqualTo("ACCEPTED");
        assertThat(read().group().toString()).isEqualTo(group);
        assertThat(read().keyLow()).isEqualTo(low);
        assertThat(read().keyHigh()).isEqualTo(high);
        assertThat(read().groupCount()).isZero();
    }

    @Test
    void judge_csv_readsNumbersOfText() {
        List<String> header = List.of("ts", "kind", "campaign_id", "cost", "billed", "items", "rider", "page");
        FeatureView view = view("[{name: campaign, field: campaign_id}]", "csv");
        assertThat(judge(view, "1,click,c1,2.5,true,3," + UUID + ",p", header)).isEqualTo("ACCEPTED");
        assertThat(read().inputs()[0]).isEqualTo(Double.doubleToRawLongBits(2.5));
        assertThat(read().inputs()[1]).isEqualTo(3);
        assertThat(judge(view, "1,click,c1,NaN,true,3," + UUID + ",p", header)).isEqualTo("WRONG_TYPE");
        assertThat(detail).contains("finite");
    }
}
