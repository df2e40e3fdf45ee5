package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.history.SkewReport.Cause;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.Shard;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault is found under its own name, and nothing without a fault. */
@SuppressWarnings("NullAway.Init")
class SkewTest {
    private static final long FIRST_END = Instant.parse("2026-11-30T08:00:00Z").toEpochMilli();
    private static final long SECOND_END = FIRST_END + 60_000;
    /** When both window ends are readable, and by more than the grace. */
    private static final long READ = SECOND_END + 30_000;

    private static final String CELL = "892a1008003ffff";
    private static final String OTHER_CELL = "892a100800bffff";

    private static final FeatureView ORDERS =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: orders
                    source: {topic: orders, event_time: {field: ts}}
                    entities: [{name: user, field: user}]
                    measures: [{name: n, count: all}, {name: most, max: price, type: double}]
                    windows: {sizes: [5m], every: 1m}
                    online: {ttl: 10m}
                    """, "orders.yaml").views().get(0);

    private static final FeatureView DEMAND =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: events, event_time: {field: ts}}
                    entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    online: {ttl: 10m}
                    """, "demand.yaml").views().get(0);

    @TempDir
    Path folder;

    private @Nullable KeyHash hash;

    @BeforeEach
    void writeLogs() throws IOException {
        List<RowBlock> orders = new ArrayList<>();
        List<RowBlock> demand = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long endMs = FIRST_END + 60_000L * i;
            orders.add(LogFixture.row(ORDERS, "a", endMs, 1 + i, 2.5));
            long cell = Long.parseUnsignedLong(CELL, 16);
            int shard = ShardOfKey.of(DEMAND).of(List.of(cell));
            demand.add(new HexRowBlock(
                    BlockHead.ofFinal("demand", shard, endMs),
                    1,
                    List.of(),
                    new long[] {cell},
                    new long[] {7 + i},
                    null));
        }
        write(ORDERS, orders);
        write(DEMAND, demand);
    }

    private void write(FeatureView view, List<RowBlock> rows) throws IOException {
        LogFixture log = new LogFixture(view, folder.resolve("warehouse-" + view.name()));
        LogProgress progress = new LogProgress();
        for (long endMs : new long[] {FIRST_END, SECOND_END}) {
            for (int shard = 0; shard < Shard.COUNT; shard++) {
                progress.add(shard, endMs, endMs + 3_000, endMs + 3_000);
            }
        }
        log.rows(rows);
        log.progress(progress);
    }

    private void serve(FeatureView view, String key, long readAtMs, ReadStatus status, long endMs, Object... values)
            throws IOException {
        serve(view, key, readAtMs, status, endMs, view.featureNames(), values);
    }

    private void serve(
            FeatureView view,
            String key,
            long readAtMs,
            ReadStatus status,
            long endMs,
            List<String> features,
            Object... values)
            throws IOException {
        ServedFiles files = new ServedFiles(folder.resolve("served"), view, hash, 7);
        List<@Nullable Object> given = values.length == 0 ? null : Arrays.asList(values);
        boolean added = files.add(new ServedFiles.Answer(
                readAtMs, Map.of(view.entities().get(0).name(), key), status, endMs, features, given));
        assertThat(added).isTrue();
        files.endFile();
    }

    private SkewReport report(FeatureView view) throws Exception {
        return report(view, Skew.Settings.ALWAYS, null);
    }

    private SkewReport report(FeatureView view, long fromMs, @Nullable Path training) throws Exception {
        LogFixture log = new LogFixture(view, folder.resolve("warehouse-" + view.name()));
        try (FeatureLog opened = log.open()) {
            Skew.Settings settings = new Skew.Settings(
                    folder.resolve("served"), hash, fromMs, Skew.Settings.FOREVER, 2_000, training, 1 << 20, 2);
            return new Skew(opened, settings).compare(answers -> {});
        }
    }

    private Cause causeOf(FeatureView view) throws Exception {
        SkewReport report = report(view);
        assertThat(report.reads()).hasSize(1);
        Cause cause = report.reads().keySet().iterator().next();
        assertThat(report.examples()).hasSize(cause == Cause.EQUAL ? 0 : 1);
        return cause;
    }

    @ParameterizedTest(name = "hashed={0}")
    @ValueSource(booleans = {false, true})
    void compare_answersOfTheLog_areEqual(boolean hashed) throws Exception {
        hash = hashed ? new KeyHash("a secret of some length") : null;
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, SECOND_END, 2L, 2.5);
        serve(ORDERS, "b", READ + 1, ReadStatus.NOT_FOUND, ReadOutcome.NONE);
        serve(ORDERS, "a", READ + 2, ReadStatus.PRESENT, SECOND_END, List.of("most_5m"), 2.5);
        serve(DEMAND, CELL, READ, ReadStatus.PRESENT, SECOND_END, 8.0);
        serve(DEMAND, OTHER_CELL, READ + 1, ReadStatus.ZERO, SECOND_END, 0.0);

        assertThat(report(ORDERS).reads()).isEqualTo(Map.of(Cause.EQUAL, 3L));
        assertThat(report(ORDERS).features().get(0).causes()).isEqualTo(Map.of(Cause.EQUAL, 2L));
        assertThat(report(DEMAND).reads()).isEqualTo(Map.of(Cause.EQUAL, 2L));
    }

    @Test
    void compare_olderAnswerWithinTheGrace_isEqual() throws Exception {
        serve(ORDERS, "a", SECOND_END + 4_000, ReadStatus.PRESENT, FIRST_END, 1L, 2.5);
        serve(DEMAND, CELL, SECOND_END + 4_000, ReadStatus.PRESENT, FIRST_END, 7.0);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.EQUAL);
        assertThat(causeOf(DEMAND)).isEqualTo(Cause.EQUAL);
    }

    @Test
    void compare_flippedValue_isDifferentInThatFeatureOnly() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, SECOND_END, 2L, Math.nextUp(2.5));
        serve(DEMAND, CELL, READ, ReadStatus.PRESENT, SECOND_END, Math.nextDown(8.0));
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.DIFFERENT);
        assertThat(report(ORDERS).features().get(0).causes()).isEqualTo(Map.of(Cause.EQUAL, 1L));
        assertThat(report(ORDERS).features().get(1).causes()).isEqualTo(Map.of(Cause.DIFFERENT, 1L));
        assertThat(causeOf(DEMAND)).isEqualTo(Cause.DIFFERENT);
    }

    @Test
    void compare_missingValue_isDifferent() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, SECOND_END, 2L, null);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.DIFFERENT);
    }

    @Test
    void compare_frozenStore_isStale() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, FIRST_END, 1L, 2.5);
        serve(DEMAND, CELL, READ, ReadStatus.PRESENT, FIRST_END, 7.0);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.STALE);
        assertThat(causeOf(DEMAND)).isEqualTo(Cause.STALE);
    }

    @Test
    void compare_rowTheServerDidNotFind_isMissingOnline() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.NOT_FOUND, ReadOutcome.NONE);
        serve(DEMAND, CELL, READ, ReadStatus.ZERO, SECOND_END, 0.0);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.MISSING_ONLINE);
        assertThat(causeOf(DEMAND)).isEqualTo(Cause.MISSING_ONLINE);
    }

    @Test
    void compare_rowTheLogDoesNotHave_isMissingLog() throws Exception {
        serve(ORDERS, "c", READ, ReadStatus.PRESENT, SECOND_END, 2L, 2.5);
        serve(DEMAND, OTHER_CELL, READ, ReadStatus.PRESENT, SECOND_END, 1.0);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.MISSING_LOG);
        assertThat(causeOf(DEMAND)).isEqualTo(Cause.MISSING_LOG);
    }

    @Test
    void compare_pipelineBehind_isBehind() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.OUTSIDE_MAX_AGE, FIRST_END);
        serve(DEMAND, CELL, READ, ReadStatus.OUTSIDE_MAX_AGE, FIRST_END);
        serve(DEMAND, CELL, FIRST_END - 1, ReadStatus.OUTSIDE_MAX_AGE, ReadOutcome.NONE);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.BEHIND);
        assertThat(report(DEMAND).reads()).isEqualTo(Map.of(Cause.BEHIND, 2L));
    }

    @Test
    void compare_beforeAndAfterTheLog_isNotLogged() throws Exception {
        serve(ORDERS, "a", FIRST_END + 1_000, ReadStatus.PRESENT, FIRST_END, 1L, 2.5);
        serve(ORDERS, "a", READ + 60_000, ReadStatus.PRESENT, SECOND_END + 60_000, 1L, 2.5);
        assertThat(report(ORDERS).reads()).isEqualTo(Map.of(Cause.NOT_LOGGED, 2L));
    }

    @Test
    void compare_anotherDefinition_isNamed() throws Exception {
        FeatureView other = Definitions.parse("""
                apiVersion: thalweg/v1
                kind: FeatureView
                name: orders
                source: {topic: orders, event_time: {field: ts}}
                entities: [{name: user, field: user}]
                measures: [{name: n, count: all}]
                windows: {sizes: [5m], every: 1m}
                online: {ttl: 10m}
                """, "orders.yaml").views().get(0);
        serve(other, "a", READ, ReadStatus.PRESENT, SECOND_END, 2L);
        assertThat(causeOf(ORDERS)).isEqualTo(Cause.OTHER_DEFINITION);
    }

    @Test
    void compare_weekBeforeFrom_isTheBaseline() throws Exception {
        for (int i = 0; i < 100; i++) {
            serve(ORDERS, "a", READ - 200 + i, ReadStatus.PRESENT, SECOND_END, (long) i, 2.5);
        }
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, SECOND_END, 1_000L, 2.5);
        SkewReport report = report(ORDERS, READ, null);
        assertThat(report.total()).isEqualTo(1);
        Drift count = report.features().get(0).drift();
        Drift most = report.features().get(1).drift();
        assertThat(count).isNotNull().satisfies(drift -> assertThat(drift.ks()).isEqualTo(1));
        assertThat(most).isEqualTo(new Drift(0, 0));
    }

    @Test
    void compare_trainingSet_isTheBaseline() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, SECOND_END, 2L, 2.5);
        Path training = Files.writeString(
                folder.resolve("train.csv"),
                "orders__n_5m,orders__most_5m,orders__status\n2,2.5,PRESENT\n,,NOT_FOUND\n");
        SkewReport.Feature feature =
                report(ORDERS, Skew.Settings.ALWAYS, training).features().get(0);
        assertThat(feature.drift()).isEqualTo(new Drift(0, 0));
        assertThat(feature.baseline())
                .isNotNull()
                .satisfies(sample -> assertThat(sample.nullShare()).isEqualTo(0.5));
    }

    @Test
    void compare_keysAndSecretDoNotFit_isRefused() throws Exception {
        serve(ORDERS, "a", READ, ReadStatus.PRESENT, SECOND_END, 2L, 2.5);
        hash = new KeyHash("a secret of some length");
        assertThatThrownBy(() -> report(ORDERS))
                .isInstanceOf(LogMismatchException.class)
                .hasMessageContaining("remove server.serving_log.hash_secret");
    }

    @Test
    void endFile_oldDays_areDeleted() throws Exception {
        serve(ORDERS, "a", READ - 9 * 86_400_000L, ReadStatus.NOT_FOUND, ReadOutcome.NONE);
        serve(ORDERS, "a", READ - 6 * 86_400_000L, ReadStatus.NOT_FOUND, ReadOutcome.NONE);
        serve(ORDERS, "a", READ, ReadStatus.NOT_FOUND, ReadOutcome.NONE);
        try (var days = Files.list(folder.resolve("served/orders"))) {
            assertThat(days.map(day -> day.getFileName().toString()))
                    .containsExactlyInAnyOrder("2026-11-24", "2026-11-30");
        }
    }
}
