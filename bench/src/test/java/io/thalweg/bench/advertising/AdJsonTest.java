package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AdJsonTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void event_all_countToTheRecount() throws Exception {
        AdLoad load = AdLoad.of(20, 5_000);
        AdJson json = new AdJson(load);
        long[] counts = new long[20 * 10];
        for (long event = 0; event < load.events(); event++) {
            JsonNode read = JSON.readTree(json.event(event));
            if (read.path("event_type").asText().equals("view")) {
                int campaign =
                        AdIds.campaignOf(read.path("campaign_id").asText().getBytes(StandardCharsets.US_ASCII));
                counts[AdLoad.window(read.path("event_time").asLong()) * 20 + campaign]++;
            }
        }
        AdCounts counted = new AdCounts();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                counted.add(i % 20, AdLoad.windowEndMs(i / 20), counts[i]);
            }
        }
        assertThat(load.recount().differenceOf(counted)).isEmpty();
    }

    @Test
    void event_any_hasThePublishedShape() throws Exception {
        byte[] event = new AdJson(AdLoad.of(100, 1_000)).event(17);
        JsonNode read = JSON.readTree(event);
        assertThat(event).hasSizeBetween(240, 330);
        assertThat(read.fieldNames())
                .toIterable()
                .containsExactly(
                        "user_id",
                        "page_id",
                        "ad_id",
                        "campaign_id",
                        "ad_type",
                        "event_type",
                        "event_time",
                        "ip_address");
        for (String id : new String[] {"user_id", "page_id", "ad_id"}) {
            assertThat(UUID.fromString(read.path(id).asText()).toString())
                    .isEqualTo(read.path(id).asText());
        }
    }

    @Test
    void last_isNoView() throws Exception {
        JsonNode read = JSON.readTree(new AdJson(AdLoad.of(100, 1_000)).last(123_456));
        assertThat(read.path("event_type").asText()).isEqualTo("click");
        assertThat(read.path("event_time").asLong()).isEqualTo(123_456);
    }
}
