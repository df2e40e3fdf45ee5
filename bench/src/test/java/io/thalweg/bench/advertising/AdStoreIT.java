package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.stores.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("test")
class AdStoreIT {
    private static final int CAMPAIGNS = 1_300;

    @Test
    void read_whatWasWrittenTwice_isWhatWasCounted(@TempDir Path folder) throws Exception {
        Random random = new Random(7);
        AdCounts expected = new AdCounts();
        List<AdStore.Row> rows = new ArrayList<>();
        for (int campaign = 0; campaign < CAMPAIGNS; campaign += 1 + random.nextInt(3)) {
            for (int window = 0; window < 3; window++) {
                rows.add(new AdStore.Row(campaign, AdLoad.windowEndMs(window), 1 + random.nextInt(100)));
            }
        }
        try (RedisServer server = RedisServer.start(folder);
                AdStore store = new AdStore(server.port())) {
            store.begin(CAMPAIGNS);
            assertThat(store.read().rows()).isZero();
            store.write(rows);
            store.write(rows.subList(0, 5));
            rows.forEach(row -> expected.add(row.campaign(), row.windowEndMs(), row.count()));
            assertThat(expected.differenceOf(store.read())).isEmpty();

            store.write(List.of(new AdStore.Row(0, AdLoad.windowEndMs(0), 101)));
            assertThat(expected.differenceOf(store.read())).contains("of other counts");

            store.begin(CAMPAIGNS);
            assertThat(store.read().rows()).isZero();
        }
    }
}
