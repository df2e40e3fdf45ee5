package io.thalweg.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.WrittenStore;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(Await.TIMEOUT_SECONDS)
class LoadWriterTest {
    private static final long END = 1_451_671_260_000L;
    private static final SinkWriter.Context CONTEXT = new SinkWriter.Context() {
        @Override
        public long currentWatermark() {
            return 0;
        }

        @Override
        public @Nullable Long timestamp() {
            return null;
        }
    };

    private final Shelf store = new Shelf();
    private final Desk outside = new Desk();
    private final Letters letters = new Letters();
    private final String job = "load-writer-test-" + System.identityHashCode(this);
    private final LoadMetrics.View metrics = LoadMetrics.of(job).view("demand");
    private final List<LoadWriter> writers = new ArrayList<>();

    private LoadWriter writer(int batchRows, int inFlight) {
        DeploymentConfig.Load limits = new DeploymentConfig.Load(
                batchRows, 1 << 20, DurationText.parse("20ms"), inFlight, DurationText.parse("1h"));
        LoadWriter writer = new LoadWriter(
                LoadViews.DEMAND,
                store,
                letters,
                limits,
                new ViewLoadMetrics(job, LoadViews.DEMAND, limits, new UnregisteredMetricsGroup()),
                outside);
        writers.add(writer);
        return writer;
    }

    @AfterEach
    void close() {
        store.gate.countDown();
        writers.forEach(LoadWriter::close);
    }

    @Test
    void write_blocks_stayWholeUnlessLargerThanABatch() throws Exception {
        LoadWriter writer = writer(10, 1);
        for (int rows : List.of(4, 4, 4, 25, 3)) {
            writer.write(rows(0, rows), CONTEXT);
        }
        writer.flush(false);

        assertThat(store.writes).containsExactly("4+4", "4", "10", "10", "5+3");
        assertThat(metrics.rows()).isEqualTo(40);
        assertThat(metrics.writes()).isEqualTo(5);
        assertThat(store.flushes.get()).isEqualTo(1);
        assertThat(metrics.newestEndMs()).isEqualTo(END);
        assertThat(metrics.lastFreshnessSeconds()).isEqualTo(2.0);
    }

    @Test
    void write_rowsOneByOne_reachTheStoreTogether() throws Exception {
        LoadWriter writer = writer(100, 1);
        for (int i = 0; i < 7; i++) {
            writer.write(rows(i, 1), CONTEXT);
        }
        writer.write(rows(2, 1), CONTEXT);
        writer.write(new LoadItem.Rows(LoadViews.rows(3, 1, END + 60_000), new Origin("rows", 0, 1)), CONTEXT);
        writer.flush(false);

        assertThat(store.writes).containsExactly("7+1+1");
        assertThat(store.count(3)).isEqualTo(3);
    }

    @Test
    void lingered_oneRowThenSilence_isWritten() throws Exception {
        LoadWriter writer = writer(100, 1);
        writer.write(rows(0, 1), CONTEXT);
        writer.write(done(1, END), CONTEXT);
        assertThat(store.writes).isEmpty();

        outside.advance(20);

        store.awaitProgress(1, END);
        assertThat(store.writes).containsExactly("1");
    }

    @Test
    void lingered_batchesThatFillUp_areNotCutShort() throws Exception {
        LoadWriter writer = writer(10, 4);
        writer.write(rows(0, 9), CONTEXT);
        outside.advance(15);
        writer.write(rows(0, 9), CONTEXT);
        outside.advance(15);
        writer.flush(false);

        assertThat(store.writes).containsExactlyInAnyOrder("9", "9");
        assertThat(outside.timers).hasSize(1);
    }

    @Test
    void write_answersOutOfOrder_progressWaitsForAllRowsBeforeIt() throws Exception {
        LoadWriter writer = writer(5, 8);
        for (int i = 0; i < 5; i++) {
            writer.write(rows(0, 5), CONTEXT);
            writer.flush(false);
        }
        CountDownLatch first = new CountDownLatch(1);
        store.before = blocks -> {
            if (blocks.get(0).cells()[0] == LoadViews.cell(100)) {
                await(first);
            }
            return null;
        };
        writer.write(rows(100, 5), CONTEXT);
        writer.write(done(1, END), CONTEXT);
        writer.write(rows(200, 5), CONTEXT);
        writer.write(done(1, END + 60_000), CONTEXT);
        writer.write(rows(300, 5), CONTEXT);
        store.awaitRow(304);
        assertThat(store.progress).isEmpty();

        first.countDown();
        writer.flush(false);

        assertThat(store.progress).containsEntry(1, END + 60_000);
        assertThat(store.ahead).isEmpty();
    }

    @Test
    void write_storeAwayForAWhile_isTriedAgainEverMoreSlowly() throws Exception {
        AtomicInteger failures = new AtomicInteger(8);
        List<Long> troubled = new CopyOnWriteArrayList<>();
        store.before = blocks -> {
            troubled.add((long) (metrics.trouble() == null ? 0 : 1));
            return failures.getAndDecrement() > 0
                    ? new StoreException(StoreException.Kind.PASSING, "the store is full", null)
                    : null;
        };
        LoadWriter writer = writer(10, 1);
        writer.write(rows(0, 10), CONTEXT);
        writer.write(done(3, END), CONTEXT);
        writer.flush(false);

        assertThat(store.count(9)).isEqualTo(9);
        assertThat(store.progress).containsEntry(3, END);
        assertThat(metrics.retries()).isEqualTo(8);
        assertThat(troubled).containsExactly(0L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L);
        assertThat(metrics.trouble()).isNull();
        assertThat(outside.pauses).hasSize(8).allSatisfy(ms -> assertThat(ms).isBetween(25L, 2_000L));
        assertThat(outside.pauses.get(0)).isLessThanOrEqualTo(50);
        assertThat(outside.pauses.get(7)).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void write_someRowsRefused_goToDeadLettersAndTheOthersAreWritten() throws Exception {
        store.before = blocks -> blocks.stream()
                        .flatMapToLong(block -> java.util.Arrays.stream(block.cells()))
                        .anyMatch(cell -> cell == LoadViews.cell(13) || cell == LoadViews.cell(40))
                ? new StoreException(StoreException.Kind.ROWS, "WRONGTYPE", null)
                : null;
        LoadWriter writer = writer(100, 2);
        writer.write(rows(0, 30), CONTEXT);
        writer.write(rows(30, 30), CONTEXT);
        writer.write(done(3, END), CONTEXT);
        writer.flush(false);

        assertThat(store.rows).hasSize(58).doesNotContainKeys(LoadViews.cell(13), LoadViews.cell(40));
        assertThat(store.progress).containsEntry(3, END);
        assertThat(metrics.deadLetters(DeadLetterReason.REFUSED)).isEqualTo(2);
        assertThat(metrics.rows()).isEqualTo(58);
        assertThat(letters.flushed)
                .hasSize(2)
                .allSatisfy(letter -> assertThat(letter)
                        .contains("\"reason\":\"refused\",\"detail\":\"WRONGTYPE\"", "\"source\":\"rows\""))
                .anySatisfy(letter -> assertThat(letter).contains(Long.toHexString(LoadViews.cell(40))));
    }

    @Test
    void write_badRecord_isALetterWithItsBytes() throws Exception {
        LoadWriter writer = writer(100, 2);
        byte[] raw = "nonsense".getBytes(StandardCharsets.UTF_8);
        writer.write(new LoadItem.Bad(DeadLetterReason.UNDECODABLE, "why", new Origin("rows", 2, 77), raw), CONTEXT);
        writer.flush(false);

        assertThat(letters.flushed)
                .containsExactly(
                        "{\"view\":\"demand\",\"reason\":\"undecodable\",\"detail\":\"why\",\"source\":\"rows\","
                                + "\"partition\":2,\"offset\":77,\"time\":null,\"raw\":\"nonsense\",\"raw_encoding\":\"text\","
                                + "\"raw_bytes\":8,\"truncated\":false}");
        assertThat(metrics.deadLetters(DeadLetterReason.UNDECODABLE)).isEqualTo(1);
    }

    @Test
    void flush_afterALastingFailure_failsAndProgressIsNotTold() throws Exception {
        store.before = blocks -> new StoreException("no permission");
        LoadWriter writer = writer(10, 2);
        writer.write(rows(0, 10), CONTEXT);
        writer.write(done(3, END), CONTEXT);

        assertThatThrownBy(() -> writer.flush(false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("rows of demand")
                .hasMessageContaining("no permission");
        assertThat(store.progress).isEmpty();
        assertThat(store.flushes.get()).isZero();
        assertThat(metrics.trouble()).isEqualTo("no permission");
    }

    @Test
    void write_storeStandsStill_waitsInsteadOfPilingUp() throws Exception {
        CountDownLatch gate = store.gate;
        store.before = blocks -> {
            await(gate);
            return null;
        };
        LoadWriter writer = writer(10, 3);
        AtomicInteger taken = new AtomicInteger();
        Thread task = new Thread(() -> {
            try {
                for (int i = 0; i < 100; i++) {
                    writer.write(rows(10 * i, 10), CONTEXT);
                    taken.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        task.start();
        Await.until("a write", () -> taken.get() > 0);
        Await.blocked(task);
        assertThat(taken.get()).isBetween(1, 3);

        gate.countDown();
        task.join();
        writer.flush(false);
        assertThat(store.rows).hasSize(1_000);
    }

    /** Whatever fails transiently, and in whatever order writes complete, all rows are written and no progress precedes them. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_randomBlocksAndFailures_leaveWhatOneByOneWouldHave(long seed) throws Exception {
        Random random = new Random(seed);
        AtomicInteger calls = new AtomicInteger(random.nextInt(7));
        int failEvery = 2 + random.nextInt(5);
        store.before = blocks -> calls.incrementAndGet() % failEvery == 0
                ? new StoreException(StoreException.Kind.PASSING, "busy", null)
                : null;
        LoadWriter writer = writer(1 + random.nextInt(40), 1 + random.nextInt(6));
        Map<Long, Long> expected = new HashMap<>();
        Map<Integer, Long> progress = new HashMap<>();
        long end = END;
        for (int i = 0; i < 60; i++) {
            int first = random.nextInt(500);
            int count = 1 + random.nextInt(random.nextBoolean() ? 1 : 60);
            HexRowBlock block = LoadViews.rows(first, count, end);
            store.expect(block);
            writer.write(new LoadItem.Rows(block, new Origin("rows", 0, i)), CONTEXT);
            for (int cell = first; cell < first + count; cell++) {
                expected.put(LoadViews.cell(cell), end);
            }
            if (random.nextInt(4) == 0) {
                writer.write(done(random.nextInt(3), end), CONTEXT);
                progress.put(0, end);
                end += 60_000;
            }
            if (random.nextInt(20) == 0) {
                writer.flush(false);
            }
        }
        writer.flush(true);

        assertThat(store.rows).containsExactlyInAnyOrderEntriesOf(expected);
        assertThat(store.progress.isEmpty()).isEqualTo(progress.isEmpty());
        assertThat(store.ahead).isEmpty();
    }

    private LoadItem rows(int first, int count) {
        HexRowBlock block = LoadViews.rows(first, count, END);
        store.expect(block);
        return new LoadItem.Rows(block, new Origin("rows", 0, first));
    }

    private LoadItem done(int shard, long endMs) {
        store.expectProgress(endMs);
        return new LoadItem.Done(new Progress("demand", shard, 4, endMs));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted", e);
        }
    }

    /** Stops time, records pauses, and runs timers on request. */
    private static final class Desk implements LoadWriter.Outside {
        private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(END + 2_000));
        private final Queue<Timer> timers = new ArrayDeque<>();
        private final List<Long> pauses = new CopyOnWriteArrayList<>();
        private final Random random = new Random(1);

        private record Timer(long dueMs, Runnable run) {}

        void advance(long ms) {
            clock.advance(Duration.ofMillis(ms));
            List<Timer> due = timers.stream()
                    .filter(timer -> timer.dueMs() <= clock.millis())
                    .toList();
            timers.removeAll(due);
            due.forEach(timer -> timer.run().run());
        }

        @Override
        public void after(long ms, Runnable run) {
            timers.add(new Timer(clock.millis() + ms, run));
        }

        @Override
        public void pause(long ms) {
            pauses.add(ms);
        }

        @Override
        public synchronized RandomGenerator random() {
            return random;
        }

        @Override
        public LongSupplier nanoTime() {
            return () -> 0;
        }

        @Override
        public Clock clock() {
            return clock;
        }
    }

    private static final class Letters implements DeadLetters.Writer {
        private final List<String> taken = new CopyOnWriteArrayList<>();
        private final List<String> flushed = new CopyOnWriteArrayList<>();

        @Override
        public void write(byte[] letter) {
            taken.add(new String(letter, StandardCharsets.UTF_8));
        }

        @Override
        public void flush() {
            flushed.addAll(taken);
            taken.clear();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** A store in memory that fails and blocks on request. It records progress that precedes its rows. */
    private static final class Shelf extends WrittenStore {
        private final CountDownLatch gate = new CountDownLatch(1);
        private final Map<Long, Long> rows = new ConcurrentHashMap<>();
        private final Map<Long, Long> counts = new ConcurrentHashMap<>();
        private final Map<Integer, Long> progress = new ConcurrentHashMap<>();
        private final List<String> writes = new CopyOnWriteArrayList<>();
        private final List<String> ahead = new CopyOnWriteArrayList<>();
        private final List<HexRowBlock> expected = new CopyOnWriteArrayList<>();
        private final Map<Long, List<HexRowBlock>> wanted = new ConcurrentHashMap<>();
        private final AtomicInteger flushes = new AtomicInteger();
        private volatile Function<List<HexRowBlock>, @Nullable StoreException> before = blocks -> null;

        void expect(HexRowBlock block) {
            expected.add(block);
        }

        void expectProgress(long endMs) {
            wanted.put(endMs, List.copyOf(expected));
        }

        long count(int cell) {
            return counts.getOrDefault(LoadViews.cell(cell), -1L);
        }

        void awaitRow(int cell) {
            Await.until("a row of cell " + cell, () -> rows.containsKey(LoadViews.cell(cell)));
        }

        void awaitProgress(int shard, long endMs) {
            Await.until("progress of shard " + shard, () -> progress.getOrDefault(shard, 0L) >= endMs);
        }

        @Override
        public void write(FeatureView view, List<? extends RowBlock> rowBlocks) {
            List<HexRowBlock> blocks =
                    rowBlocks.stream().map(HexRowBlock.class::cast).toList();
            StoreException failure = before.apply(blocks);
            if (failure != null) {
                throw failure;
            }
            for (HexRowBlock block : blocks) {
                for (int row = 0; row < block.rows(); row++) {
                    rows.merge(block.cells()[row], block.windowEndMs(), Math::max);
                    counts.put(block.cells()[row], block.sums()[2 * row]);
                }
            }
            writes.add(String.join(
                    "+",
                    blocks.stream().map(block -> String.valueOf(block.rows())).toList()));
        }

        @Override
        public void writeProgress(Progress record) {
            progress.merge(record.shard(), record.windowEndMs(), Math::max);
            for (HexRowBlock block : wanted.getOrDefault(record.windowEndMs(), List.of())) {
                for (long cell : block.cells()) {
                    if (rows.getOrDefault(cell, 0L) < block.windowEndMs()) {
                        ahead.add("progress " + record + " before cell " + Long.toHexString(cell));
                    }
                }
            }
        }

        @Override
        public void flush() {
            flushes.incrementAndGet();
        }
    }
}
