package io.thalweg.bench.layouts;

import static io.thalweg.bench.TestLauncher.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.bench.TestLauncher;
import io.thalweg.bench.layouts.Layout.Features;
import io.thalweg.bench.layouts.PlainRedis.RedisColumns;
import io.thalweg.bench.layouts.PlainRedis.RedisMap;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.model.row.HexRowBlock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a real Redis. */
@Tag("soak")
class LayoutsIT {
    @Test
    void redis_everyLayout_holdsTheSameRowsInAnotherSize(@TempDir Path folder) throws Exception {
        JsonNode all = TestLauncher.bench(folder, "layouts", "--store", "redis", "--rows", "2000", "--seconds", "0.05");
        List<JsonNode> results = List.copyOf(all.path("results").findParents("system"));

        Map<String, Double> bytes = results.stream()
                .collect(Collectors.toMap(
                        result -> result.path("system").asText() + " "
                                + result.path("variant").asText(),
                        result -> number(result, "bytes_per_row")));
        assertThat(bytes).hasSize(7);
        assertThat(bytes.get("packed redis")).isBetween(33.0, 200.0);
        assertThat(bytes.get("feast-array redis")).isGreaterThan(54 * 4);
        assertThat(bytes.get("columns redis, binary")).isGreaterThan(54 * (8 + 6));
        assertThat(bytes.get("map redis, json, zstd")).isLessThan(bytes.get("map redis, json"));
        assertThat(results).allSatisfy(result -> {
            assertThat(number(result, "rows_per_second")).isPositive();
            assertThat(number(result, "read_100_p99_ms")).isGreaterThanOrEqualTo(number(result, "read_100_p50_ms"));
        });
    }

    @Test
    void read_cellsInAnyOrderAndUnknown_answersEachItsOwn(@TempDir Path folder) throws Exception {
        HexRowBlock block = new DemandRows(700, 1_767_225_600_000L).block(0, 0);
        long unknown = DemandRows.cell(3, 0);
        long[] asked = {block.cells()[650], unknown, block.cells()[0], block.cells()[6], block.cells()[7]};
        try (RedisServer redis = RedisServer.start(folder)) {
            for (int levels = 0; levels < 2; levels++) {
                check(new RedisColumns(redis.port(), levels), block, asked);
                redis.clear();
            }
            check(new RedisMap(redis.port(), false), block, asked);
            redis.clear();
            check(new RedisMap(redis.port(), true), block, asked);
        }
    }

    private static void check(Layout opened, HexRowBlock block, long[] asked) throws Exception {
        try (Layout layout = opened) {
            assertThat(layout.read(asked)).containsOnlyNulls();
            layout.write(block);
            assertThat(layout.read(asked))
                    .containsExactly(
                            Features.of(block, 650),
                            null,
                            Features.of(block, 0),
                            Features.of(block, 6),
                            Features.of(block, 7));
        }
    }
}
