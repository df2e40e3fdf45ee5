package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventTimeReaderTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "S | 1451606400 | 1451606400000",
                "S | 1451606400.5 | 1451606400500",
                "S | 1451606400.0009999999999999999999 | 1451606400000",
                "S | 1.4516064e9 | 1451606400000",
                "MS | 1451606400000 | 1451606400000",
                "MS | 1.4516064e12 | 1451606400000",
                "MS | 1451606400000.999 | 1451606400000",
                "MS | 14516064000000000000e-7 | 1451606400000",
                "US | 1451606400000999 | 1451606400000",
                "NS | 1451606400000999999 | 1451606400000",
                "NS | 1451606400000999999.9 | 1451606400000",
                "MS | 946684800000 | 946684800000",
                "MS | 4102444799999 | 4102444799999",
                "MS | 946684799999.9999 | TIME_OUT_OF_RANGE",
                "MS | 4102444800000 | TIME_OUT_OF_RANGE",
                "MS | 0 | TIME_OUT_OF_RANGE",
                "MS | -1.5 | TIME_OUT_OF_RANGE",
                "MS | 1451606400 | TIME_OUT_OF_RANGE",
                "S | 1451606400000 | TIME_OUT_OF_RANGE",
                "S | 9223372036854775807 | TIME_OUT_OF_RANGE",
                "S | -9223372036854775808 | TIME_OUT_OF_RANGE",
                "S | 99999999999999999999999 | TIME_OUT_OF_RANGE",
                "MS | 1e999999999 | TIME_OUT_OF_RANGE",
                "MS | 1e-999999999 | TIME_OUT_OF_RANGE",
                "MS | 1e99999999999999999999 | TIME_OUT_OF_RANGE",
                "MS | \"1451606400000\" | TIME_INVALID",
                "MS | \"soon\" | TIME_INVALID",
                "MS | true | TIME_INVALID",
                "MS | {} | TIME_INVALID",
                "MS | null | MISSING_FIELD",
                "ISO8601 | 1451606400000 | TIME_INVALID",
                "ISO8601 | null | MISSING_FIELD",
                "ISO8601 | \"1999-12-31T23:59:59Z\" | TIME_OUT_OF_RANGE",
                "ISO8601 | \"2016-01-01T00:00:00\" | TIME_INVALID",
                "ISO8601 | \"2016-01-01T00:00:00Z\" | 1451606400000",
            })
    void read_unitAndValue_floorsOrNamesTheReason(Source.TimeUnit unit, String value, String expected) {
        assertThat(read(unit, "{\"ts\":" + value + "}", EventColumns.NO_TIMESTAMP))
                .isEqualTo(expected);
    }

    @Test
    void read_missing_isMissingField() {
        assertThat(read(Source.TimeUnit.MS, "{}", EventColumns.NO_TIMESTAMP)).isEqualTo("MISSING_FIELD");
    }

    @Test
    void read_aheadOfTheRecord_isOutOfRangeBeyondMaxFuture() {
        String event = "{\"ts\":" + Views.T0 + "}";
        assertThat(read(Source.TimeUnit.MS, event, Views.T0 - 60_000)).isEqualTo(Long.toString(Views.T0));
        assertThat(read(Source.TimeUnit.MS, event, Views.T0 - 60_001)).isEqualTo("TIME_OUT_OF_RANGE");
        assertThat(detail).contains("max_future (60000 ms)").contains("'ts'");
        assertThat(read(Source.TimeUnit.MS, event, Views.T0 + 1_000_000_000)).isEqualTo(Long.toString(Views.T0));
    }

    @Test
    void read_simulatedClock_wallTimestampCountsAsTheSimulatedTimeThen() {
        clock = new ClockSpec(Views.T0, Views.T0, 10);
        long wallMs = Views.T0 + 600_000;
        long simulatedMs = Views.T0 + 6_000_000;
        assertThat(read(Source.TimeUnit.MS, "{\"ts\":" + simulatedMs + "}", wallMs))
                .isEqualTo(Long.toString(simulatedMs));
        assertThat(read(Source.TimeUnit.MS, "{\"ts\":" + (simulatedMs + 60_000) + "}", wallMs))
                .isEqualTo(Long.toString(simulatedMs + 60_000));
        assertThat(read(Source.TimeUnit.MS, "{\"ts\":" + (simulatedMs + 60_001) + "}", wallMs))
                .isEqualTo("TIME_OUT_OF_RANGE");
    }

    @Test
    void read_simulatedClock_recordStampedWithSimulatedTimeBeforeTheAnchor_isAccepted() {
        clock = new ClockSpec(Views.T0, Views.T0, 10);
        long pastMs = Views.T0 - 2_000_000;
        assertThat(read(Source.TimeUnit.MS, "{\"ts\":" + pastMs + "}", pastMs)).isEqualTo(Long.toString(pastMs));
    }

    @Test
    void read_noFieldNamed_takesTheRecordTimestamp() {
        Views views = new Views();
        views.timeField = null;
        assertThat(read(views.build(), "{}", Views.T0)).isEqualTo(Long.toString(Views.T0));
        assertThat(read(views.build(), "{}", EventColumns.NO_TIMESTAMP)).isEqualTo("MISSING_FIELD");
        assertThat(detail).contains("event_time.field");
        assertThat(read(views.build(), "{}", 17)).isEqualTo("TIME_OUT_OF_RANGE");
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void floor_randomDecimals_equalsBigDecimal(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            String text = decimal(random);
            byte[] bytes = ("x" + text).getBytes(StandardCharsets.UTF_8);
            int shift = random.nextInt(-6, 4);
            BigInteger exact = new BigDecimal(text)
                    .scaleByPowerOfTen(shift)
                    .setScale(0, RoundingMode.FLOOR)
                    .toBigInteger();
            long expected = exact.signum() < 0
                    ? -1
                    : exact.compareTo(BigInteger.TEN.pow(18)) >= 0 ? Decimals.TOO_BIG : exact.longValueExact();
            assertThat(Decimals.isNumber(bytes, 1, text.length())).isTrue();
            assertThat(Decimals.floor(bytes, 1, text.length(), shift))
                    .as("%s shifted by %d", text, shift)
                    .isEqualTo(expected);
            assertThat(Decimals.parseDouble(bytes, 1, text.length())).as(text).isEqualTo(Double.parseDouble(text));
        }
    }

    private static String decimal(Random random) {
        StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "-" : "");
        digits(text, random, 1 + random.nextInt(16));
        if (random.nextBoolean()) {
            digits(text.append('.'), random, 1 + random.nextInt(random.nextBoolean() ? 4 : 20));
        }
        if (random.nextInt(3) == 0) {
            text.append(random.nextBoolean() ? 'e' : 'E').append(random.nextInt(-30, 31));
        }
        return text.toString();
    }

    private static void digits(StringBuilder text, Random random, int count) {
        for (int i = 0; i < count; i++) {
            text.append(random.nextInt(3) == 0 ? 0 : random.nextInt(10));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void iso_randomTimestamps_equalsJavaTime(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            OffsetDateTime time = Instant.ofEpochSecond(
                            random.nextLong(0, 6_000_000_000L), random.nextInt(1_000_000_000))
                    .atOffset(ZoneOffset.ofTotalSeconds(60 * random.nextInt(-18 * 60, 18 * 60 + 1)));
            String text = time.toString();
            assertThat(iso(text)).as(text).isEqualTo(time.toInstant().toEpochMilli());
            char[] chars = text.toCharArray();
            chars[random.nextInt(chars.length)] = "0129Z-+:.Tx".charAt(random.nextInt(11));
            String mutated = new String(chars);
            try {
                long expected = OffsetDateTime.parse(mutated).toInstant().toEpochMilli();
                assertThat(iso(mutated)).as(mutated).isEqualTo(mutated.endsWith(".") ? IsoTime.INVALID : expected);
            } catch (DateTimeException e) {
                assertThat(iso(mutated))
                        .as(mutated)
                        .satisfiesAnyOf(
                                ms -> assertThat(ms).isEqualTo(IsoTime.INVALID),
                                ms -> assertThat(mutated).matches(".*[+-]\\d\\d(\\d\\d)?$"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2016-01-01T18:00:00Z",
                "2016-01-01t18:00:00z",
                "2016-01-01 18:00:00Z",
                "2016-01-01T18:00Z",
                "2016-01-01T19:30:00.000999999+01:30",
                "2016-01-01T19:30:00,0+0130",
                "2016-01-01T10:00:00-08"
            })
    void iso_forms_areTheSameInstant(String text) {
        assertThat(iso(text)).isEqualTo(Views.T0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2016",
                "2016-01-01",
                "2016-01-01T18:00:00",
                "2016-02-30T00:00:00Z",
                "2016-13-01T00:00:00Z",
                "2016-01-01T24:00:00Z",
                "2016-01-01T18:60:00Z",
                "2016-01-01T18:00:60Z",
                "2016-01-01T18:00:00.Z",
                "2016-01-01T18:00:00.1234567890Z",
                "2016-01-01T18:00:00+19:00",
                "2016-01-01T18:00:00+1:00",
                "2016-01-01T18:00:00Zx",
                "2016-01-01T18:00:00 Europe/Paris",
                "+2016-01-01T18:00:00Z"
            })
    void iso_otherText_isInvalid(String text) {
        assertThat(iso(text)).isEqualTo(IsoTime.INVALID);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-23T04:07:01, 2026-11-23T09:07:01Z",
        "2026-11-23 04:07:01.25, 2026-11-23T09:07:01.250Z",
        "2026-07-01T04:07, 2026-07-01T08:07:00Z",
        "2026-11-23T04:07:01Z, 2026-11-23T04:07:01Z",
        "2026-11-23T04:07:01+01:00, 2026-11-23T03:07:01Z",
        // Clocks are set back from 02:00 EDT to 01:00 EST: the first of the two.
        "2026-11-01T00:59:59, 2026-11-01T04:59:59Z",
        "2026-11-01T01:30:00, 2026-11-01T05:30:00Z",
        "2026-11-01T02:00:00, 2026-11-01T07:00:00Z",
        // Clocks are set forward from 02:00 EST to 03:00 EDT: 02:30 is 03:30.
        "2026-03-08T01:59:59, 2026-03-08T06:59:59Z",
        "2026-03-08T02:30:00, 2026-03-08T07:30:00Z",
        "2026-03-08T03:30:00, 2026-03-08T07:30:00Z",
    })
    void read_zone_isOfTextWithoutOffset(String text, String instant) {
        Views views = new Views();
        views.unit = Source.TimeUnit.ISO8601;
        views.zone = ZoneId.of("America/New_York");

        assertThat(read(views.build(), "{\"ts\":\"" + text + "\"}", EventColumns.NO_TIMESTAMP))
                .isEqualTo(Long.toString(Instant.parse(instant).toEpochMilli()));
    }

    @Test
    void read_noOffset_errorNamesTheZone() {
        String event = "{\"ts\":\"2026-11-23 04:07:01\"}";
        assertThat(read(Source.TimeUnit.ISO8601, event, EventColumns.NO_TIMESTAMP))
                .isEqualTo("TIME_INVALID");
        assertThat(detail)
                .isEqualTo(
                        "event time 'ts' must be ISO 8601 text with an offset, as 2026-01-31T18:00:00.5Z"
                                + " (event_time.zone names the zone of text without an offset), was \"2026-11-23 04:07:01\": it has no offset");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T18:00:00, it has no offset",
        "2026-01-31, it ends too early",
        "2026-01-31T18Z, it is not of this form at character 14",
        "2026-02-30T18:00:00Z, there is no such day",
        "2026-13-01T18:00:00Z, there is no such day",
        "2026-01-31T24:00:00Z, there is no such time of day",
        "2026-01-31T18:00:60Z, there is no such time of day",
        "2026-01-31T18:00:00.Z, its fraction of a second must have 1 to 9 digits",
        "2026-01-31T18:00:00+19:00, its offset is above 18 hours",
        "2026-01-31T18:00:00+01:60, the minutes of its offset are above 59",
        "2026-01-31T18:00:00Z now, text follows the time",
        "20é6-01-31T18:00:00Z, it is not of this form at character 3",
        "yesterday, it is not of this form at character 1",
    })
    void read_invalidTime_detailSaysWhatIsWrong(String text, String reason) {
        assertThat(read(Source.TimeUnit.ISO8601, "{\"ts\":\"" + text + "\"}", EventColumns.NO_TIMESTAMP))
                .isEqualTo("TIME_INVALID");
        assertThat(detail).endsWith(", was \"" + text + "\": " + reason);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void iso_randomLocalTimes_equalJavaTime(long seed) {
        Random random = new Random(seed);
        List<String> zones = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        for (int i = 0; i < 300; i++) {
            ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
            LocalDateTime local = nearTransition(zone, random);
            byte[] bytes = local.toString().getBytes(StandardCharsets.UTF_8);

            assertThat(IsoTime.parseMs(bytes, 0, bytes.length, zone))
                    .as("%s in %s", local, zone)
                    .isEqualTo(local.atZone(zone).toInstant().toEpochMilli());
        }
    }

    /** Within three hours of a change of the zone's clocks, where it has one. */
    private static LocalDateTime nearTransition(ZoneId zone, Random random) {
        Instant any = Instant.ofEpochSecond(random.nextLong(946_684_800L, 4_102_444_800L));
        ZoneOffsetTransition next = zone.getRules().nextTransition(any);
        return LocalDateTime.ofInstant(next == null ? any : next.getInstant(), zone)
                .plusSeconds(random.nextLong(-3 * 3_600, 3 * 3_600))
                .withNano(random.nextInt(1_000_000_000));
    }

    private static long iso(String text) {
        byte[] bytes = ("x" + text).getBytes(StandardCharsets.UTF_8);
        return IsoTime.parseMs(bytes, 1, bytes.length - 1, null);
    }

    @Test
    void read_liveEventAheadOfTheClock_isOutOfRange() {
        readAt = 1_767_290_400_000L;
        String latest = "{\"ts\":%d}".formatted(readAt + 60_000);
        assertThat(read(Source.TimeUnit.MS, latest, readAt + 60_000)).isEqualTo(Long.toString(readAt + 60_000));
        assertThat(read(Source.TimeUnit.MS, "{\"ts\":%d}".formatted(readAt + 60_001), readAt + 60_001))
                .isEqualTo("TIME_OUT_OF_RANGE");
        assertThat(detail)
                .isEqualTo("event time 'ts' must not lie more than max_future (60000 ms) after the time at which it is"
                        + " read, 2026-01-01T18:00:00Z, was 2026-01-01T18:01:00.001Z");
    }

    private long readAt = Long.MAX_VALUE;
    private String detail = "";
    private ClockSpec clock = ClockSpec.system();

    private String read(Source.TimeUnit unit, String event, long recordTimestampMs) {
        Views views = new Views();
        views.unit = unit;
        return read(views.build(), event, recordTimestampMs);
    }

    private String read(FeatureView view, String event, long recordTimestampMs) {
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        byte[] data = event.getBytes(StandardCharsets.UTF_8);
        EventDecoder.create(projection).decode(data, 0, data.length, new KafkaOrigin(0, 0, recordTimestampMs), events);
        EventTimeReader reader = EventTimeReader.of(view.source(), projection, clock);
        reader.readAt(readAt);
        BadReason reason = reader.read(events, 0);
        detail = reader.detail();
        return reason == null ? Long.toString(reader.timeMs()) : reason.name();
    }
}
