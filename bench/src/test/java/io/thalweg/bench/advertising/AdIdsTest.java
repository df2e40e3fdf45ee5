package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdIdsTest {
    @Test
    void campaignOf_anyCampaign_isItsNumber() {
        Set<String> ids = new HashSet<>();
        for (int campaign = 0; campaign < 2_000_000; campaign += 997) {
            String id = AdIds.campaign(campaign);
            assertThat(AdIds.campaignOf(id)).isEqualTo(campaign);
            for (String other : new String[] {id, AdIds.ad(campaign)}) {
                assertThat(ids.add(other)).as("nothing else has this id").isTrue();
            }
        }
    }
}
