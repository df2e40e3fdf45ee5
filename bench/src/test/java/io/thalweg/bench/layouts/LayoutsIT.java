package io.thalweg.bench.layouts;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.model.row.HexRowBlock;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a real Redis. */
@Tag("soak")
class LayoutsIT {
    @Test
    void redis_everyLayout_holdsTheSameRowsInAnotherSize(@TempDir Path folder) throws Exception {
        LayoutsRun run = new LayoutsRun(2_000, 0.05, 1, new Progress(new PrintWriter(Writer.nullWriter()), true));

        Contest contest;
        try (StoreServer redis = StoreServer.start("redis", folder)) {
            contest = run.run(redis);
        }

        assertThat(contest.wrong()).isEmpty();
        Map<String, Double> bytes = contest.results().stream()
                .collect(Collectors.toMap(
                        result -> result.system() + " " + result.variant(), result -> figure(result, "bytes_per_row")));
        assertThat(bytes).hasSize(8);
        assertThat(bytes.get("packed redis")).isBetween(33.0, 200.0);
        assertThat(bytes.get("feast-array redis")).isGreaterThan(54 * 4);
        assertThat(bytes.get("columns redis, binary")).isGreaterThan(54 * (8 + 6));
        assertThat(bytes.get("columns redis, text")).isGreaterThan(bytes.get("columns redis, binary"));
        assertThat(bytes.get("map redis, json, zstd")).isLessThan(bytes.get("map redis, json"));
        assertThat(contest.results()).allSatisfy(result -> {
            assertThat(figure(result, "rows_per_second")).isPositive();
            assertThat(figure(result, "read_100_p99_ms")).isGreaterThanOrEqualTo(figure(result, "read_100_p50_ms"));
        });
    }

    private static double figure(Result result, String name) {
        return Objects.requireNonNull(result.figures().get(name), name).doubleValue();
    }

    @Test
    void read_cellsInAnyOrderAndUnknown_answersEachItsOwn(@TempDir Path folder) throws Exception {
        HexRowBlock block = new DemandRows(700, 1_767_225_600_000L).block(0, 0);
        long unknown = DemandRows.cell(3, 0);
        long[] asked = {block.cells()[650], unknown, block.cells()[0], block.cells()[6], block.cells()[7]};
        try (RedisServer redis = RedisServer.start(folder)) {
            for (int levels = 0; levels < 2; levels++) {
                for (RedisColumns.Numbers numbers : RedisColumns.Numbers.values()) {
                    check(new RedisColumns(redis.port(), levels, numbers), block, asked);
                    redis.clear();
                }
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
