package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AdIdsTest {
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_anyBits_areWrittenAsTheJdkWritesThem(long seed) {
        Random random = new Random(seed);
        UUID id = new UUID(random.nextLong(), random.nextLong());
        byte[] text = new byte[AdIds.BYTES + 2];
        AdIds.write(id.getMostSignificantBits(), id.getLeastSignificantBits(), text, 1);
        assertThat(new String(text, 1, AdIds.BYTES, StandardCharsets.US_ASCII)).isEqualTo(id.toString());
    }

    @Test
    void campaignOf_anyCampaign_isItsNumber() {
        Set<String> ids = new HashSet<>();
        for (int campaign = 0; campaign < 2_000_000; campaign += 997) {
            byte[] id = AdIds.campaign(campaign);
            assertThat(AdIds.campaignOf(id)).isEqualTo(campaign);
            for (byte[] other :
                    new byte[][] {id, AdIds.ad(campaign), AdIds.windows(campaign), AdIds.window(campaign, 10_000)}) {
                assertThat(ids.add(new String(other, StandardCharsets.US_ASCII)))
                        .as("nothing else has this id")
                        .isTrue();
            }
        }
    }
}
