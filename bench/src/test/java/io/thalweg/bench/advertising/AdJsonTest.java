package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdJsonTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void event_all_countToTheRecount() throws Exception {
        AdLoad load = AdLoad.of(20, 5_000);
        AdJson json = new AdJson(load);
        Map<String, Integer> campaignOf = campaignOfAd(json.writeTable(folder));
        long[] counts = new long[20 * 10];
        for (long event = 0; event < load.events(); event++) {
            JsonNode read = JSON.readTree(json.event(event));
            if (read.path("event_type").asText().equals("view")) {
                int campaign =
                        Objects.requireNonNull(campaignOf.get(read.path("ad_id").asText()));
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

    private static Map<String, Integer> campaignOfAd(Path table) throws IOException {
        Map<String, Integer> campaignOf = new HashMap<>();
        for (String line : Files.readAllLines(table)) {
            String[] columns = line.split(",", -1);
            if (!columns[0].equals("ad_id")) {
                campaignOf.put(columns[0], AdJson.campaignOf(columns[1]));
            }
        }
        return campaignOf;
    }

    @Test
    void event_any_hasThePublishedShape() throws Exception {
        byte[] event = new AdJson(AdLoad.of(100, 1_000)).event(17);
        JsonNode read = JSON.readTree(event);
        assertThat(event).hasSizeBetween(190, 280);
        assertThat(read.fieldNames())
                .toIterable()
                .containsExactly("user_id", "page_id", "ad_id", "ad_type", "event_type", "event_time", "ip_address");
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

    @Test
    void campaignOf_anyCampaign_isItsNumber() {
        Set<String> ids = new HashSet<>();
        for (int campaign = 0; campaign < 2_000_000; campaign += 997) {
            String id = AdJson.campaign(campaign);
            assertThat(AdJson.campaignOf(id)).isEqualTo(campaign);
            for (String other : new String[] {id, AdJson.ad(campaign)}) {
                assertThat(ids.add(other)).as("nothing else has this id").isTrue();
            }
        }
    }
}
