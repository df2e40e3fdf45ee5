package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadRule;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the join with a loop over all loads of a table: rows that arrive late, twice, with other values, or with a time after their load;
 * loads that overlap, and loads that were never complete.
 */
class LoadedTableTest {
    private static final long HOUR = 3_600_000;
    private static final long BASE = 480_000 * HOUR;
    private static final int LOADS = 8;
    private static final int KEYS = 8;
    private static final int LABELS = 400;
    private static final int[] FEATURES = {0, 1, 2};
    private static final FeatureView TABLE = Definitions.parse("""
            apiVersion: thalweg/v1
            kind: Materialization
            name: driver_stats
            source: {csv: drivers.csv}
            entities: [{name: driver, field: driver_id, type: int64}]
            features: [{name: trips, type: int64}, rating, {name: tier, type: string}]
            event_time: {field: ts, unit: ms}
            online: {ttl: 6h}
            offline: true
            """, "driver_stats.yaml")
            .materializations()
            .get(0)
            .view();

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final KeyCodec keys = new KeyCodec(TABLE);
    private final RowCodec codec = RowCodec.of(TABLE);

    /** A load: when it listed the table, and when all of it was readable; {@code Long.MAX_VALUE} if it was never completed. */
    private record Load(long listedMs, long readableMs, List<Row> rows) {
        long logged() {
            return readableMs == Long.MAX_VALUE ? ReadOutcome.NONE : listedMs;
        }
    }

    private record Row(long driver, StoredRow row) {}

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void join_logged_answersAsOfTheLastCompleteLoad(long seed) throws Exception {
        Random random = new Random(seed);
        LogFixture log = new LogFixture(TABLE, folder.resolve("logged" + seed));
        List<Load> loads = loads(random, log);
        Labels labels = labels(random, loads);
        loads.sort(Comparator.comparingLong(Load::readableMs));
        try (FeatureLog opened = log.open()) {
            AsOfJoin.Answers answers = answers(opened, labels, opened.logged(labels.firstMs()));
            for (int i = 0; i < LABELS; i++) {
                long timeMs = labels.timeMs(i);
                long newest = ReadOutcome.NONE;
                for (Load load : loads) {
                    newest = load.readableMs() <= timeMs ? Math.max(newest, load.logged()) : newest;
                }
                check(
                        answers,
                        labels,
                        i,
                        newest == ReadOutcome.NONE ? null : newest,
                        newestRow(loads, labels.keyOf(i), timeMs, (load, row) -> load.readableMs() <= timeMs));
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void join_delay_answersByTheTimesOfRows(long seed) throws Exception {
        Random random = new Random(seed);
        long delayMs = random.nextLong(3 * HOUR);
        LogFixture log = new LogFixture(TABLE, folder.resolve("delay" + seed));
        List<Load> loads = loads(random, log);
        long lastMs = loads.stream().mapToLong(Load::logged).max().orElseThrow();
        Labels labels = labels(random, loads);
        try (FeatureLog opened = log.open()) {
            AsOfJoin.Answers answers = answers(opened, labels, opened.after(delayMs));
            for (int i = 0; i < LABELS; i++) {
                long untilMs = Math.min(lastMs, labels.timeMs(i) - delayMs);
                check(
                        answers,
                        labels,
                        i,
                        untilMs,
                        newestRow(
                                loads,
                                labels.keyOf(i),
                                labels.timeMs(i),
                                (load, row) -> row.row().windowEndMs() <= untilMs));
            }
        }
    }

    private AsOfJoin.Answers answers(FeatureLog log, Labels labels, Availability available)
            throws IOException, InterruptedException {
        AsOfJoin join = new AsOfJoin(labels, FEATURES, available);
        join.read(log, threads, bytes -> {});
        return join.answers();
    }

    private interface Counts {
        boolean test(Load load, Row row);
    }

    /** Returns the newest row that counts; of several of the same time, that of the first load. */
    private static @Nullable StoredRow newestRow(List<Load> loads, int key, long timeMs, Counts counts) {
        StoredRow newest = null;
        for (Load load : loads) {
            for (Row each : load.rows()) {
                boolean kept =
                        each.row().windowEndMs() >= timeMs - TABLE.online().keptMs();
                if (each.driver() == key
                        && kept
                        && counts.test(load, each)
                        && (newest == null || each.row().windowEndMs() > newest.windowEndMs())) {
                    newest = each.row();
                }
            }
        }
        return newest;
    }

    private static void check(
            AsOfJoin.Answers answers, Labels labels, int label, @Nullable Long watermarkMs, @Nullable StoredRow row) {
        String what = "label %d: driver %d at %d".formatted(label, labels.keyOf(label), labels.timeMs(label));
        assertThat(answers.isLogged(label)).as(what).isEqualTo(watermarkMs != null);
        if (watermarkMs != null) {
            ReadOutcome outcome = ReadRule.of(TABLE).latest(labels.timeMs(label), watermarkMs, row);
            assertThat(answers.outcome(label)).as(what).isEqualTo(outcome);
            boolean present = outcome.status() == ReadStatus.PRESENT;
            assertThat(LogFixture.values(answers, label, TABLE))
                    .as(what)
                    .isEqualTo(
                            present && row != null
                                    ? new ArrayList<>(row.values())
                                    : new ArrayList<>(Collections.nCopies(FEATURES.length, null)));
        }
    }

    /** Drivers are numbered in the order in which their labels are added, so each gets one first. */
    private static Labels labels(Random random, List<Load> loads) {
        Labels labels = new Labels(TABLE, LABELS);
        for (int i = 0; i < LABELS; i++) {
            long driver = i < KEYS ? i : random.nextInt(KEYS);
            Load near = loads.get(random.nextInt(loads.size()));
            long edge = near.readableMs() == Long.MAX_VALUE ? near.listedMs() : near.readableMs();
            long timeMs = random.nextBoolean()
                    ? edge + random.nextInt(3) - 1
                    : BASE - 2 * HOUR + random.nextLong((LOADS + 12) * HOUR);
            labels.add(timeMs, 0, List.of(driver));
        }
        return labels;
    }

    private List<Load> loads(Random random, LogFixture log) throws IOException {
        List<Load> loads = new ArrayList<>();
        for (int i = 0; i < LOADS; i++) {
            long listedMs = BASE + i * HOUR;
            boolean complete = i == LOADS - 1 || random.nextInt(4) > 0;
            List<RowBlock> blocks = new ArrayList<>();
            List<Row> rows = new ArrayList<>();
            for (long driver = 0; driver < KEYS; driver++) {
                if (random.nextInt(3) > 0) {
                    long timeMs = listedMs + (random.nextInt(6) - 4) * HOUR / 2;
                    RowBlock block = block(random, driver, timeMs);
                    blocks.add(block);
                    rows.add(new Row(driver, codec.decodeRow(codec.encodeRow(block, 0))));
                }
            }
            log.load(blocks, listedMs);
            long readableMs = complete ? listedMs + random.nextLong(3 * HOUR) : Long.MAX_VALUE;
            if (complete) {
                LogProgress.append(log.address(), listedMs, readableMs);
            }
            loads.add(new Load(listedMs, readableMs, rows));
        }
        return loads;
    }

    private RowBlock block(Random random, long driver, long timeMs) {
        byte[] tier = ("tier-" + random.nextInt(5)).getBytes(StandardCharsets.UTF_8);
        boolean noTier = random.nextInt(5) == 0;
        boolean noRating = random.nextInt(5) == 0;
        ValueColumns values = new ValueColumns(
                new long[3],
                new long[] {random.nextInt(100), noRating ? 0 : Double.doubleToRawLongBits(random.nextDouble(5)), 0},
                new boolean[] {false, noRating, noTier},
                new byte[][] {null, null, noTier ? null : tier});
        return new KeyedRowBlock(
                BlockHead.ofFinal(TABLE.qualifiedName(), 0, timeMs),
                KeyColumns.ofOne(keys, List.<Object>of(driver)),
                values);
    }
}
