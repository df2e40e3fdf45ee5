package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.kernel.hex.HexTiling;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventTextTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Load LOAD = Load.of("medium");
    private static final HexTiling TILING = HexTiling.of(Cities.RESOLUTION);
    private static final long FIRST_TICK = 17_672_904_000L;
    private static final int TICKS = 20;

    private final Cities cities = new Cities(LOAD);
    private final RiderEvents events = new RiderEvents(LOAD, cities, 7);
    private final EventText text = new EventText(events, cities, 7);

    private void forEachEvent(Checker checker) throws Exception {
        for (long tick = FIRST_TICK; tick < FIRST_TICK + TICKS; tick++) {
            int count = events.begin(tick);
            for (int e = 0; e < count; e++) {
                events.draw(tick, e, count);
                byte[] json = text.write();
                checker.check(JSON.readTree(json), json);
            }
        }
    }

    private interface Checker {
        void check(JsonNode event, byte[] json);
    }

    @Test
    void write_anyEvent_saysWhatWasDrawn() throws Exception {
        forEachEvent((event, json) -> {
            long traits = events.traits(events.rider());
            Cities.Zone zone = cities.zones().get(events.zone(traits));
            assertThat(TILING.cell(
                            event.get("lat").doubleValue(), event.get("lng").doubleValue()))
                    .as(event.toString())
                    .isEqualTo(zone.cells()[events.cell(traits)]);
            assertThat(event.get("ts").longValue()).isEqualTo(events.timeMs());
            assertThat(event.get("product_id").textValue())
                    .isEqualTo(new UUID(Cities.productHi(zone.product()), Cities.productLo(zone.product())).toString());
            assertThat(event.get("rider_id").textValue())
                    .isEqualTo(new UUID(EventText.riderHi(traits), EventText.riderLo(traits)).toString())
                    .isEqualTo(new String(text.key(), StandardCharsets.US_ASCII));
            assertThat(Set.of("app_open", "request")
                            .contains(event.get("event_type").textValue()))
                    .isEqualTo(events.isCounted());
            assertThat(event.get("lng").doubleValue()).isBetween(-180.0, 180.0);
            assertThat(json.length).isBetween(780, 860);
        });
    }

    @Test
    void write_manyEvents_haveIdsOfTheirOwn() throws Exception {
        Set<String> ids = new HashSet<>();
        forEachEvent((event, json) ->
                assertThat(ids.add(event.get("event_id").textValue())).isTrue());
        assertThat(ids).hasSize(LOAD.eventsPerSecond() * (int) (TICKS * Load.TICK_MS) / 1_000);
    }
}
