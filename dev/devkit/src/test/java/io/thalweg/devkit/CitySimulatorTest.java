package io.thalweg.devkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CitySimulatorTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long FROM = 1_767_290_400_000L;

    static LongStream seeds() {
        return new Random().longs(20);
    }

    @Test
    void riderEvents_sameSeed_sameEvents() {
        assertThat(riders(CityConfig.defaults(), FROM, FROM + 3_000))
                .isNotEmpty()
                .isEqualTo(riders(CityConfig.defaults(), FROM, FROM + 3_000));
    }

    @Test
    void riderEvents_anotherSeed_otherEvents() {
        assertThat(riders(CityConfig.defaults(), FROM, FROM + 3_000))
                .doesNotContainAnyElementsOf(riders(CityConfig.defaults().withSeed(2), FROM, FROM + 3_000));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void riderEvents_anySlicing_sameEvents(long seed) {
        Random random = new Random(seed);
        CityConfig config = CityConfig.defaults().withSeed(seed).withEventsPerSecond(random.nextDouble(0.5, 2_000));
        long from = FROM + random.nextInt(-100_000, 100_000);
        CitySimulator city = new CitySimulator(config);
        List<String> sliced = new ArrayList<>();
        long at = from;
        while (at < from + 4_000) {
            long to = Math.min(from + 4_000, at + 1 + random.nextInt(700));
            city.riderEvents(at, to, (timeMs, id, json) -> sliced.add(text(json)));
            at = to;
        }
        assertThat(sliced).isEqualTo(riders(config, from, from + 4_000));
    }

    @Test
    void riderEvents_tenSeconds_asManyAsAsked() {
        CityConfig config = CityConfig.defaults().withEventsPerSecond(1_000);
        assertThat(riders(config, FROM, FROM + 10_000)).hasSize(7_000);
        assertThat(drivers(config, FROM, FROM + 10_000)).hasSize(3_000);
    }

    @Test
    void riderEvents_everyEvent_isJsonWithTheFieldsOfTheViews() throws Exception {
        Set<String> products = new HashSet<>(CitySimulator.products());
        for (String event : riders(CityConfig.defaults(), FROM, FROM + 5_000)) {
            JsonNode json = JSON.readTree(event);
            UUID.fromString(json.get("event_id").textValue());
            assertThat(json.get("event_type").textValue())
                    .isIn("app_open", "request", "heartbeat", "product_view", "cancel");
            assertThat(UUID.fromString(json.get("rider_id").textValue()).version())
                    .isEqualTo(4);
            assertThat(products).contains(json.get("product_id").textValue());
            assertThat(json.get("lat").doubleValue()).isCloseTo(40.75, within(0.3));
            assertThat(json.get("lng").doubleValue()).isCloseTo(-73.99, within(0.3));
            assertThat(json.get("ts").isIntegralNumber()).isTrue();
            assertThat(event.length()).isBetween(700, 900);
        }
    }

    @Test
    void driverEvents_everyEvent_isJsonWithTheFieldsOfTheViews() throws Exception {
        for (String event : drivers(CityConfig.defaults(), FROM, FROM + 5_000)) {
            JsonNode json = JSON.readTree(event);
            assertThat(json.get("event_type").textValue()).isIn("available", "on_trip", "offline");
            assertThat(UUID.fromString(json.get("driver_id").textValue()).version())
                    .isEqualTo(4);
            assertThat(json.has("rider_id")).isFalse();
            assertThat(event.length()).isBetween(700, 900);
        }
    }

    @Test
    void riderEvents_eventTimes_areOutOfOrderWithinTheBound() {
        List<Long> times = new ArrayList<>();
        long[] arrival = {FROM};
        CitySimulator city = new CitySimulator(CityConfig.defaults());
        for (; arrival[0] < FROM + 20_000; arrival[0] += 100) {
            city.riderEvents(arrival[0], arrival[0] + 100, (timeMs, id, json) -> {
                assertThat(timeMs).isBetween(arrival[0] - 4_000, arrival[0] + 99);
                times.add(timeMs);
            });
        }
        long latest = times.get(0);
        long largestStepBack = 0;
        for (long time : times) {
            largestStepBack = Math.max(largestStepBack, latest - time);
            latest = Math.max(latest, time);
        }
        assertThat(largestStepBack).isBetween(2_000L, 4_000L);
    }

    @Test
    void riderEvents_theCallback_hasTimeAndIdOfTheEvent() {
        new CitySimulator(CityConfig.defaults())
                .riderEvents(
                        FROM,
                        FROM + 200,
                        (timeMs, id, json) -> assertThat(text(json))
                                .contains("\"ts\":" + timeMs)
                                .contains("\"rider_id\":\"" + text(id) + "\""));
    }

    @Test
    void riderEvents_aMinute_repeatsTheShareAsked() throws Exception {
        long minute = Math.floorDiv(FROM, 60_000L) * 60_000;
        for (double share : new double[] {0.2, 0.7, 0.9}) {
            CityConfig d = CityConfig.defaults();
            CityConfig config = new CityConfig(
                    d.seed(), 500, 0, d.centreLat(), d.centreLng(), 12, d.riders(), d.drivers(), 14, share, 4_000);
            List<String> events = riders(config, minute, minute + 60_000);
            double distinct = values(events, "rider_id").size();
            assertThat(1 - distinct / events.size()).isCloseTo(share, within(0.02));
        }
    }

    @Test
    void riderEvents_aMinute_gathersAtHotSpots() throws Exception {
        Map<String, Long> perSquare = new HashMap<>();
        List<String> events = riders(CityConfig.defaults(), FROM, FROM + 30_000);
        for (String event : events) {
            JsonNode json = JSON.readTree(event);
            String square = Math.round(json.get("lat").doubleValue() * 100) + ","
                    + Math.round(json.get("lng").doubleValue() * 100);
            perSquare.merge(square, 1L, Long::sum);
        }
        long busiest =
                perSquare.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        assertThat(busiest).isGreaterThan(8L * events.size() / perSquare.size());
        assertThat(perSquare).hasSizeGreaterThan(100);
    }

    @Test
    void riderEvents_anHourLater_theHotSpotsHaveMoved() throws Exception {
        assertThat(busiestSquare(FROM)).isNotEqualTo(busiestSquare(FROM + 10 * 60_000));
    }

    private static String busiestSquare(long from) throws Exception {
        Map<String, Long> perSquare = new HashMap<>();
        for (String event : riders(CityConfig.defaults(), from, from + 20_000)) {
            JsonNode json = JSON.readTree(event);
            perSquare.merge(
                    Math.round(json.get("lat").doubleValue() * 300) + ","
                            + Math.round(json.get("lng").doubleValue() * 300),
                    1L,
                    Long::sum);
        }
        return perSquare.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    @Test
    void riderEvents_beforeTheEpochAndAtTheAntimeridian_areInRange() throws Exception {
        CityConfig config = new CityConfig(3, 200, 0, -17.8, 179.99, 30, 1_000, 10, 3, 0.5, 4_000);
        Set<Boolean> sides = new HashSet<>();
        for (String event : riders(config, -100_000, -90_000)) {
            double lng = JSON.readTree(event).get("lng").doubleValue();
            assertThat(lng).isBetween(-180.0, 180.0);
            sides.add(lng > 0);
        }
        assertThat(sides).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void products_always_areFiveUuids() {
        assertThat(CitySimulator.products()).hasSize(5).doesNotHaveDuplicates().allSatisfy(UUID::fromString);
    }

    @Test
    void config_outOfRange_namesKeyRuleValueAndRemedy() {
        assertThatThrownBy(() -> CityConfig.defaults().withEventsPerSecond(0))
                .hasMessage("events_per_second must be above 0 and up to 10000000, was 0; for example 1000");
        assertThatThrownBy(() -> CityConfig.defaults().withEventsPerSecond(Double.NaN))
                .hasMessageContaining("was NaN");
    }

    static Set<String> values(List<String> events, String field) throws Exception {
        Set<String> values = new HashSet<>();
        for (String event : events) {
            values.add(JSON.readTree(event).get(field).asText());
        }
        return values;
    }

    private static List<String> riders(CityConfig config, long from, long to) {
        List<String> events = new ArrayList<>();
        new CitySimulator(config).riderEvents(from, to, (timeMs, id, json) -> events.add(text(json)));
        return events;
    }

    private static List<String> drivers(CityConfig config, long from, long to) {
        List<String> events = new ArrayList<>();
        new CitySimulator(config).driverEvents(from, to, (timeMs, id, json) -> events.add(text(json)));
        return events;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
