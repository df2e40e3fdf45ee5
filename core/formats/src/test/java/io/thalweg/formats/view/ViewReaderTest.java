package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.Views;
import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.ValueType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ViewReaderTest {
    private static final FieldPath X = FieldPath.parse("x");

    private @Nullable ViewReader reader;
    private String detail = "";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "in | `\"a\"` | ACCEPTED",
                "in | `\"\\u0061\"` | ACCEPTED",
                "in | `\"A\"` | SKIPPED",
                "in | 1 | ACCEPTED",
                "in | 1.0 | ACCEPTED",
                "in | 10e-1 | ACCEPTED",
                "in | `\"1\"` | SKIPPED",
                "in | 2.5 | ACCEPTED",
                "in | 9007199254740993 | ACCEPTED",
                "in | 9007199254740992 | SKIPPED",
                "in | 9007199254740993.0 | SKIPPED",
                "in | true | ACCEPTED",
                "in | false | SKIPPED",
                "in | `\"true\"` | SKIPPED",
                "in | {} | WRONG_TYPE",
                "in | [] | WRONG_TYPE",
                "in | `[\"a\"]` | WRONG_TYPE",
                "in | null | MISSING_FIELD",
                "in | | MISSING_FIELD",
                "in | `\"\\ud83d\"` | INVALID_TEXT",
                "in-null | `\"\\ude00\"` | INVALID_TEXT",
                "not | `\"\\ud83d\"` | INVALID_TEXT",
                "range | `\"\\ud83d\"` | INVALID_TEXT",
                "exists | `\"\\ud83d\"` | ACCEPTED",
                "absent | `\"\\ud83d\"` | SKIPPED",
                "in-null | null | ACCEPTED",
                "in-null | | ACCEPTED",
                "in-null | 1 | SKIPPED",
                "in-null | [] | WRONG_TYPE",
                "not | `\"a\"` | SKIPPED",
                "not | `\"b\"` | ACCEPTED",
                "not | [] | WRONG_TYPE",
                "not | {} | WRONG_TYPE",
                "not | null | MISSING_FIELD",
                "not | | MISSING_FIELD",
                "not-null | null | SKIPPED",
                "not-null | | SKIPPED",
                "not-null | 3 | ACCEPTED",
                "range | 0 | ACCEPTED",
                "range | -0.0 | ACCEPTED",
                "range | -0.1 | SKIPPED",
                "range | 499.999 | ACCEPTED",
                "range | 500 | SKIPPED",
                "range | 500.0 | SKIPPED",
                "range | 1e400 | SKIPPED",
                "range | `\"5\"` | WRONG_TYPE",
                "range | true | WRONG_TYPE",
                "range | {} | WRONG_TYPE",
                "range | null | MISSING_FIELD",
                "range | | MISSING_FIELD",
                "open | 0 | SKIPPED",
                "open | 0.1 | ACCEPTED",
                "open | 500 | ACCEPTED",
                "open | 500.1 | SKIPPED",
                "exists | 0 | ACCEPTED",
                "exists | {} | ACCEPTED",
                "exists | [] | ACCEPTED",
                "absent | [] | SKIPPED",
                "exists | null | SKIPPED",
                "exists | | SKIPPED",
                "absent | 0 | SKIPPED",
                "absent | null | ACCEPTED",
                "absent | | ACCEPTED",
            })
    void judge_where_keepsSkipsOrNamesTheReason(String condition, @Nullable String value, String expected) {
        Condition where = switch (condition) {
            case "in" -> new Condition.In(X, List.of("a", 1L, 2.5, true, 9007199254740993L));
            case "in-null" -> new Condition.In(X, Arrays.asList("a", null));
            case "not" -> new Condition.NotIn(X, List.of("a"));
            case "not-null" -> new Condition.NotIn(X, Arrays.asList("a", null));
            case "range" -> new Condition.Range(X, null, 0L, 500.0, null);
            case "open" -> new Condition.Range(X, 0.0, null, null, 500L);
            default -> new Condition.Exists(X, condition.equals("exists"));
        };
        String extra = value == null ? "" : ",\"x\":" + value;
        assertThat(judge(new Views().where(where).build(), event("", "") + extra + "}"))
                .isEqualTo(expected);
    }

    @Test
    void judge_whereOnAnArray_namesTheFieldAndTheRule() {
        FeatureView view = new Views().where(new Condition.In(X, List.of("a"))).build();
        assertThat(judge(view, event("", "") + ",\"x\":[\"a\"]}")).isEqualTo("WRONG_TYPE");
        assertThat(detail).isEqualTo("where: 'x' must be text, a number, true or false, was an object or array");
    }

    @Test
    void judge_badAndNotMatching_isBadWhateverTheOrder() {
        Condition no = new Condition.In(X, List.of("never"));
        Condition missing = new Condition.In(FieldPath.parse("y"), List.of("a"));
        String event = event("", "") + ",\"x\":1}";
        assertThat(judge(new Views().where(no).where(missing).build(), event)).isEqualTo("MISSING_FIELD");
        assertThat(judge(new Views().where(missing).where(no).build(), event)).isEqualTo("MISSING_FIELD");
        assertThat(detail).contains("'y'");
    }

    @Test
    void judge_skippedWithABadEntity_isSkipped() {
        FeatureView view = new Views().where(new Condition.In(X, List.of(1L))).build();
        assertThat(judge(view, "{\"x\":2}")).isEqualTo("SKIPPED");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "lat | 90 | ACCEPTED",
                "lat | -90.0 | ACCEPTED",
                "lat | 90.000001 | COORDINATE",
                "lat | -91 | COORDINATE",
                "lat | 1e400 | COORDINATE",
                "lat | `\"40.7\"` | WRONG_TYPE",
                "lat | true | WRONG_TYPE",
                "lat | null | MISSING_FIELD",
                "lat | | MISSING_FIELD",
                "lng | 180 | ACCEPTED",
                "lng | 180.1 | COORDINATE",
                "lng | -1e300 | COORDINATE",
                "lng | [] | WRONG_TYPE",
                "lng | | MISSING_FIELD",
                "product_id | 7 | WRONG_TYPE",
                "product_id | `\"17a2b60c29dd5f7695f3b65da5cbbdbe\"` | WRONG_TYPE",
                "product_id | `\"17a2b60c-29dd-5f76-95f3-b65da5cbbdbg\"` | WRONG_TYPE",
                "product_id | `\"17A2B60C-29DD-5F76-95F3-B65DA5CBBDBE\"` | ACCEPTED",
                "product_id | null | MISSING_FIELD",
                "rider_id | `\"\"` | WRONG_TYPE",
                "rider_id | 12 | WRONG_TYPE",
                "lat | `\"\\ud83d\"` | INVALID_TEXT",
                "product_id | `\"\\ud83d\"` | INVALID_TEXT",
                "rider_id | `\"a\\ude00\"` | INVALID_TEXT",
                "rider_id | | MISSING_FIELD",
            })
    void judge_entityOrMeasure_acceptsOrNamesTheReason(String field, @Nullable String value, String expected) {
        String outcome = judge(new Views().build(), event(field, value) + "}");
        assertThat(outcome).isEqualTo(expected);
        if (!outcome.equals("ACCEPTED")) {
            assertThat(detail).contains("'" + field + "' must ").contains("was ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "JSON | `\"892a1008003ffff\"` | ACCEPTED",
                "JSON | `\"892A1008003FFFF\"` | ACCEPTED",
                "JSON | 617733122422996991 | ACCEPTED",
                "JSON | `\"617733122422996991\"` | CELL",
                "JSON | `\"882a100801fffff\"` | CELL",
                "JSON | `\"8a2a1008003ffff\"` | CELL",
                "JSON | `\"hexagon\"` | CELL",
                "JSON | `\"\\ud83d\"` | INVALID_TEXT",
                "JSON | `\"\"` | CELL",
                "JSON | 0 | CELL",
                "JSON | -1 | CELL",
                "JSON | 6.1e17 | CELL",
                "JSON | true | WRONG_TYPE",
                "JSON | {} | WRONG_TYPE",
                "JSON | null | MISSING_FIELD",
                "CSV | 892a1008003ffff | ACCEPTED",
                "CSV | 617733122422996991 | ACCEPTED",
                "CSV | 12345678901234567 | CELL",
            })
    void judge_cellField_acceptsOrNamesTheReason(Source.Format format, String value, String expected) {
        Views views = new Views();
        views.format = format;
        views.cell = new Entity.Cell("cell", null, null, FieldPath.parse("h"), 9);
        views.group.clear();
        views.measure = new Measure.Count();
        boolean json = format == Source.Format.JSON;
        assertThat(Long.parseUnsignedLong(Views.CELL, 16)).isEqualTo(617733122422996991L);
        assertThat(judge(views.build(), json ? "{\"h\":" + value + "}" : value, List.of("h"), Views.T0, Long.MIN_VALUE))
                .isEqualTo(expected);
        if (expected.equals("ACCEPTED")) {
            assertThat(read().cell()).isEqualTo(617733122422996991L);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "STRING | `\"x\"` | x",
                "STRING | `\"\"` | ``",
                "STRING | 1 | WRONG_TYPE",
                "INT64 | -7 | -7",
                "INT64 | 9223372036854775807 | 9223372036854775807",
                "INT64 | 9223372036854775808 | WRONG_TYPE",
                "INT64 | 1.0 | WRONG_TYPE",
                "INT64 | `\"1\"` | WRONG_TYPE",
                "BOOL | true | true",
                "BOOL | `\"true\"` | WRONG_TYPE",
                "BOOL | 1 | WRONG_TYPE",
                "UUID | `\"17A2B60C-29DD-5F76-95F3-B65DA5CBBDBE\"` | 17a2b60c-29dd-5f76-95f3-b65da5cbbdbe",
            })
    void judge_groupOfEachType_readsItsValue(ValueType type, String value, String expected) {
        Views views = new Views();
        views.group.set(0, new Entity.Field("product", FieldPath.parse("product_id"), type));
        String outcome = judge(views.build(), event("product_id", value) + "}");
        assertThat(outcome.equals("ACCEPTED") ? group().get(0).toString() : outcome)
                .isEqualTo(expected);
    }

    @Test
    void judge_identityOfEachType_has128Bits() {
        assertThat(identity(ValueType.UUID, "\"00000001-0002-0003-0004-000000000005\""))
                .containsExactly(0x0000000100020003L, 0x0004000000000005L);
        assertThat(identity(ValueType.STRING, "\"hello\"")).containsExactly(0xcbd8a7b341bd9b02L, 0x5b1e906a48ae1d19L);
        assertThat(identity(ValueType.INT64, "-3")).containsExactly(0, -3);
        assertThat(identity(ValueType.BOOL, "true")).containsExactly(0, 1);
        assertThat(identity(ValueType.BOOL, "false")).containsExactly(0, 0);
    }

    private long[] identity(ValueType type, String value) {
        Views views = new Views();
        views.measure = new Measure.CountDistinct(FieldPath.parse("rider_id"), type);
        assertThat(judge(views.build(), event("rider_id", value) + "}")).isEqualTo("ACCEPTED");
        return new long[] {read().idHi(), read().idLo()};
    }

    @Test
    void judge_lateness_byThePaneEnd() {
        FeatureView view = new Views().build();
        String event = event("", "") + "}";
        long paneEnd = Views.T0 + 60_000;
        assertThat(judge(view, event, List.of(), paneEnd - 1, paneEnd - 1)).isEqualTo("ACCEPTED");
        assertThat(judge(view, event, List.of(), Views.T0, paneEnd - 1)).isEqualTo("ACCEPTED");
        assertThat(judge(view, event, List.of(), paneEnd - 1, paneEnd)).isEqualTo("LATE");
        assertThat(judge(view, event, List.of(), paneEnd, paneEnd)).isEqualTo("ACCEPTED");
        assertThat(judge(view, event("lat", "91") + "}", List.of(), paneEnd - 1, paneEnd))
                .isEqualTo("COORDINATE");
    }

    @Test
    void judge_csv_takesTextThatIsANumber() {
        Views views = new Views().where(new Condition.Range(X, null, 0L, 500L, null));
        views.where(new Condition.In(FieldPath.parse("y"), List.of(7L, true)));
        views.format = Source.Format.CSV;
        FeatureView view = views.build();
        List<String> header = List.of("lat", "lng", "product_id", "rider_id", "x", "y");
        String ids = Views.UUID_A + "," + Views.UUID_A;
        assertThat(csv(view, "40.7,-74," + ids + ",499.9,7.0", header)).isEqualTo("ACCEPTED");
        assertThat(csv(view, "40.7,-74," + ids + ",499.9,true", header)).isEqualTo("ACCEPTED");
        assertThat(csv(view, "40.7,-74," + ids + ",500,7", header)).isEqualTo("SKIPPED");
        assertThat(csv(view, "40.7,-74," + ids + ",many,7", header)).isEqualTo("WRONG_TYPE");
        assertThat(csv(view, "40.7,-74," + ids + ",1,", header)).isEqualTo("MISSING_FIELD");
        assertThat(csv(view, "NaN,-74," + ids + ",1,7", header)).isEqualTo("COORDINATE");
        assertThat(csv(view, "north,-74," + ids + ",1,7", header)).isEqualTo("WRONG_TYPE");
        assertThat(csv(view, "0x1p3,-74," + ids + ",1,7", header)).isEqualTo("WRONG_TYPE");
    }

    private String csv(FeatureView view, String record, List<String> header) {
        return judge(view, record, header, Views.T0, Long.MIN_VALUE);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void groupIndex_manyGroups_numbersEachOnce(long seed) {
        Random random = new Random(seed);
        Views views = new Views();
        views.group.set(0, new Entity.Field("a", FieldPath.parse("a"), ValueType.STRING));
        views.group.add(new Entity.Field("b", FieldPath.parse("b"), ValueType.STRING));
        views.group.add(new Entity.Field("n", FieldPath.parse("n"), ValueType.INT64));
        FeatureView view = views.build();
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        EventDecoder decoder = EventDecoder.create(projection);
        ViewReader groups = ViewReader.of(view, projection);
        GroupCodec codec = new GroupCodec(view.group());
        for (int e = 0; e < 1_000; e++) {
            String a = "x".repeat(random.nextInt(12));
            String b = "x".repeat(random.nextInt(12));
            long n = random.nextInt(3);
            byte[] data = (event("", "") + ",\"a\":\"" + a + "\",\"b\":\"" + b + "\",\"n\":" + n + "}")
                    .getBytes(StandardCharsets.UTF_8);
            decoder.decode(data, 0, data.length, 0, e, events);
            if (e == 500) {
                groups.resetGroups();
            }
            assertThat(groups.judge(events, e, Views.T0, Long.MIN_VALUE)).isEqualTo(EventOutcome.ACCEPTED);
            assertThat(groups.group()).isEqualTo(List.of(a, b, n));
            assertThat(groups.groupBytes(groups.groupIndex())).isEqualTo(codec.encode(List.of(a, b, n)));
        }
        assertThat(IntStream.range(0, groups.groupCount()).mapToObj(g -> Arrays.toString(groups.groupBytes(g))))
                .doesNotHaveDuplicates();
    }

    /** Returns an accepted event without its closing brace; {@code field} has {@code value} instead, or is omitted. */
    private static String event(String field, @Nullable String value) {
        StringBuilder event = new StringBuilder("{\"ts\":" + Views.T0);
        for (String each : List.of("lat", "lng", "product_id", "rider_id")) {
            String usual = each.startsWith("l") ? "40.5" : '"' + Views.UUID_A + '"';
            String text = each.equals(field) ? value : usual;
            event.append(text == null ? "" : ",\"" + each + "\":" + text);
        }
        return event.toString();
    }

    private String judge(FeatureView view, String event) {
        return judge(view, event, List.of(), Views.T0, Long.MIN_VALUE);
    }

    private String judge(FeatureView view, String event, List<String> header, long timeMs, long clockMs) {
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        byte[] data = event.getBytes(StandardCharsets.UTF_8);
        EventDecoder.create(projection, header).decode(data, 0, data.length, 0, 0, events);
        assertThat(events.decodeError(0)).isNull();
        reader = ViewReader.of(view, projection);
        EventOutcome outcome = reader.judge(events, 0, timeMs, clockMs);
        BadReason reason = reader.reason();
        detail = reader.detail();
        assertThat(reason != null).isEqualTo(outcome == EventOutcome.BAD || outcome == EventOutcome.LATE);
        return reason == null ? outcome.name() : reason.name();
    }

    private ViewReader read() {
        return java.util.Objects.requireNonNull(reader);
    }

    private List<Object> group() {
        return read().group();
    }
}
