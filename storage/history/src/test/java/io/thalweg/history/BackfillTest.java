package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a log gets from another that was computed from recorded events. */
class BackfillTest {
    private static final long MINUTE = 60_000;
    private static final long FIRST = 29_000_000 * MINUTE;
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: orders
                    source: {topic: orders, event_time: {field: ts}}
                    entities: [{name: user, field: user}]
                    measures: [{name: n, count: all}]
                    windows: {sizes: [2m], every: 1m}
                    """, "orders.yaml").views().get(0);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** A log with one row at each of some window ends, in minutes after the first. */
    private LogFixture log(String name, int from, int to, long count) throws IOException {
        return log(OfflineSpec.Format.PACKED, name, from, to, count);
    }

    private LogFixture log(OfflineSpec.Format format, String name, int from, int to, long count) throws IOException {
        LogFixture log = new LogFixture(VIEW, format, folder.resolve(name));
        LogProgress progress = new LogProgress();
        List<KeyedRowBlock> rows = IntStream.range(from, to)
                .mapToObj(minute -> row(FIRST + minute * MINUTE, count))
                .toList();
        for (KeyedRowBlock row : rows) {
            progress.add(0, row.windowEndMs(), LogProgress.UNKNOWN, LogProgress.UNKNOWN);
        }
        log.rows(rows);
        log.progress(progress);
        return log;
    }

    private static KeyedRowBlock row(long endMs, long count) {
        KeyCodec keys = new KeyCodec(VIEW);
        ValueColumns values = ValueColumns.ofNumbers(1);
        values.low()[0] = count;
        return new KeyedRowBlock(
                BlockHead.ofFinal("orders", keys.shard(List.of("a")), endMs),
                KeyColumns.ofOne(keys, List.of("a")),
                values);
    }

    private static Backfill.Result merge(LogFixture computed, LogFixture into) throws IOException {
        try (FeatureLog from = computed.open();
                FeatureLog to = into.open()) {
            return Backfill.merge(from, to);
        }
    }

    private static long rows(LogFixture log) throws IOException {
        try (FeatureLog opened = log.open()) {
            return opened.size().rows();
        }
    }

    @ParameterizedTest
    @EnumSource(OfflineSpec.Format.class)
    void merge_overlap_addsWhatIsMissingOnce(OfflineSpec.Format format) throws IOException {
        LogFixture log = log(format, "log", 0, 10, 7);
        LogFixture computed = log("computed", 6, 15, 7);

        // The first window end began before the recorded events; the last is added, as no log has it.
        assertThat(merge(computed, log)).isEqualTo(new Backfill.Result(5, 5, 3, 1));
        assertThat(rows(log)).isEqualTo(15);
        assertThat(merge(computed, log)).isEqualTo(new Backfill.Result(0, 0, 7, 1));
        assertThat(rows(log)).isEqualTo(15);
    }

    @Test
    void merge_emptyLog_getsEverything() throws IOException {
        LogFixture log = log("log", 0, 0, 7);

        assertThat(merge(log("computed", 0, 4, 7), log)).isEqualTo(new Backfill.Result(4, 4, 0, 0));
        assertThat(rows(log)).isEqualTo(4);
    }

    @Test
    void merge_differentRow_addsNothingAndShowsIt() throws IOException {
        LogFixture log = log("log", 0, 10, 7);
        LogFixture computed = log("computed", 0, 15, 8);

        assertThatThrownBy(() -> merge(computed, log))
                .isInstanceOf(LogMismatchException.class)
                .hasMessageStartingWith(
                        "row [a] of view orders at 2025-02-19T21:20:00Z is [7] in the log, and [8] by the recorded events; nothing was added");
        assertThat(rows(log)).isEqualTo(10);
    }
}
