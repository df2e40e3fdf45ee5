package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.letters.DeadLetters;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ReadRows;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StoreWriterTest {
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: rider-events}
                    entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    """, "demand.yaml").views().get(0);
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

    private final Recording store = new Recording();
    private final Letters letters = new Letters();
    private final CountDownLatch pauses = new CountDownLatch(10);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private volatile boolean pausesEnd = true;
    private StoreWriter writer = writer(Duration.ZERO);

    private StoreWriter writer(Duration standsBack) {
        return new StoreWriter(
                VIEW, store, letters, JobMetrics.of("store-writer-test").view("demand"), 1, standsBack, this::pause);
    }

    private void pause(long ms) throws InterruptedException {
        pauses.countDown();
        if (!pausesEnd) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
        }
    }

    @AfterEach
    void close() {
        store.gate.countDown();
        writer.close();
    }

    @Test
    void flush_afterWrites_findsEverythingWrittenInOrder() throws Exception {
        store.gate.countDown();
        for (int i = 1; i <= 20; i++) {
            writer.write(rows(i), CONTEXT);
            writer.write(done(i), CONTEXT);
        }
        writer.flush(false);

        assertThat(store.calls)
                .hasSize(41)
                .startsWith("rows 1", "progress 1", "rows 2")
                .endsWith("progress 20", "flush");
    }

    @Test
    void write_standsBack_waitsForTheWatermarkBehindAllRows() throws Exception {
        writer.close();
        writer = writer(Duration.ofHours(1));
        store.gate.countDown();
        writer.write(rows(1), CONTEXT);
        writer.write(done(1), CONTEXT);
        writer.write(rows(2), CONTEXT);
        TimeUnit.MILLISECONDS.sleep(100);
        assertThat(store.calls).isEmpty();

        writer.writeWatermark(new Watermark(1));
        awaitCalls(3);
        assertThat(store.calls).containsExactly("rows 1", "progress 1", "rows 2");

        writer.write(rows(3), CONTEXT);
        writer.flush(false);
        assertThat(store.calls).endsWith("rows 2", "rows 3", "flush");
    }

    /** Without a timer's tick for each. */
    @Test
    void write_doesNotStandBack_waitsForNothing() {
        SequenceGate gate = new SequenceGate();
        long untilNanos = System.nanoTime();
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            for (int number = 1; number <= 1_000_000; number++) {
                gate.await(number, untilNanos);
            }
        });
    }

    @Test
    void write_standsBackForLong_writesWithoutAWatermark() throws Exception {
        writer.close();
        writer = writer(Duration.ofMillis(50));
        store.gate.countDown();
        writer.write(rows(1), CONTEXT);
        awaitCalls(1);
        assertThat(store.calls).containsExactly("rows 1");
    }

    @Test
    void write_standsBackAndTheRoomEnds_writes() throws Exception {
        writer.close();
        writer = writer(Duration.ofHours(1));
        store.gate.countDown();
        OutputItem many = rows(1_000_000);
        for (int i = 1; i <= 20; i++) {
            writer.write(many, CONTEXT); // waits for ever if nothing is written
        }
        assertThat(store.calls).isNotEmpty();
    }

    @Test
    void close_standsBack_dropsWhatWaits() throws Exception {
        writer.close();
        writer = writer(Duration.ofHours(1));
        writer.write(rows(1), CONTEXT);
        writer.close();
        assertThat(store.calls).isEmpty();
    }

    @Test
    void flush_afterAFailedWrite_failsAndNothingFollowedTheFailure() throws Exception {
        requireNothingAfterTheFailure();
    }

    /** As of a class or a native library that is missing. */
    @Test
    void flush_afterAnErrorInTheStore_failsAndNothingFollowedTheError() throws Exception {
        store.fail = () -> {
            throw new LinkageError("no such family");
        };
        requireNothingAfterTheFailure();
    }

    private void requireNothingAfterTheFailure() throws Exception {
        store.failAt = 3;
        store.gate.countDown();
        for (int i = 1; i <= 2; i++) {
            writer.write(rows(i), CONTEXT);
        }
        writer.flush(false);
        assertThatThrownBy(() -> {
                    writer.write(rows(3), CONTEXT);
                    writer.write(done(3), CONTEXT);
                    writer.flush(false);
                })
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("demand")
                .hasMessageContaining("no such family");
        assertThat(store.calls).containsExactly("rows 1", "rows 2", "flush");
    }

    @Test
    void write_storeStandsStill_waitsInsteadOfPilingUp() throws Exception {
        Thread task = new Thread(() -> {
            try {
                OutputItem many = rows(500_000);
                for (int i = 1; i <= 24; i++) {
                    writer.write(many, CONTEXT);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        task.start();
        while (task.getState() != Thread.State.WAITING) {
            assertThat(task.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        store.gate.countDown();
        task.join();
        writer.flush(false);
        assertThat(store.calls).hasSize(25);
    }

    @Test
    void write_rowsOfAKeyedView_areWrittenBeforeTheirProgress() throws Exception {
        store.gate.countDown();
        long[] two = {1, 2};
        writer.write(
                new OutputItem.Rows(new KeyedRowBlock(
                        BlockHead.ofFinal("demand", 0, 60_000),
                        KeyColumns.ofWords(two, two),
                        ValueColumns.ofNumbers(two, two, new boolean[2]))),
                CONTEXT);
        writer.write(done(1), CONTEXT);
        writer.flush(false);

        assertThat(store.calls).containsExactly("rows 2", "progress 1", "flush");
    }

    @Test
    void write_diskFullForAWhile_waitsAndGoesOnInOrder() throws Exception {
        store.refusals.set(10);
        store.gate.countDown();
        for (int i = 1; i <= 3; i++) {
            writer.write(rows(i), CONTEXT);
            writer.write(done(i), CONTEXT);
        }
        pauses.await();
        store.refusals.set(2);
        writer.flush(false);

        assertThat(store.calls)
                .containsExactly("rows 1", "progress 1", "rows 2", "progress 2", "rows 3", "progress 3", "flush");
    }

    @Test
    void close_whileTheDiskIsFull_endsAtOnce() throws Exception {
        pausesEnd = false;
        store.refusals.set(Integer.MAX_VALUE);
        store.gate.countDown();
        writer.write(rows(1), CONTEXT);
        writer.write(rows(2), CONTEXT);
        while (pauses.getCount() == 10) {
            Thread.onSpinWait();
        }
        writer.close();

        interrupted.await();
        assertThat(store.calls).isEmpty();
    }

    @Test
    void write_rowThatTheStoreRefuses_isADeadLetterAndTheOthersAreWritten() throws Exception {
        store.refusedCell = 5;
        store.gate.countDown();
        long refusedBefore = JobMetrics.of("store-writer-test").view("demand").refused();
        writer.write(rows(8), CONTEXT);
        writer.write(done(8), CONTEXT);
        writer.flush(false);

        assertThat(store.calls).containsExactly("rows 4", "rows 1", "rows 2", "progress 8", "flush");
        assertThat(letters.taken)
                .singleElement()
                .asString()
                .contains("\"view\":\"demand\",\"reason\":\"refused\",\"detail\":\"WRONGTYPE\"")
                .contains("\\\"cell\\\":\\\"5\\\"");
        assertThat(letters.flushed).isEqualTo(1);
        assertThat(JobMetrics.of("store-writer-test").view("demand").refused() - refusedBefore)
                .isEqualTo(1);
    }

    private void awaitCalls(int calls) {
        while (store.calls.size() < calls) {
            Thread.onSpinWait();
        }
    }

    private static OutputItem rows(int rows) {
        long[] cells = LongStream.rangeClosed(1, rows).toArray();
        return new OutputItem.Rows(
                new HexRowBlock(BlockHead.ofFinal("demand", 0, 60_000), 1, List.of(), cells, new long[rows], null));
    }

    private static OutputItem done(int minute) {
        return new OutputItem.Done(new Progress("demand", 0, 1, minute));
    }

    private static final class Letters implements DeadLetters.Writer {
        private final List<String> taken = new CopyOnWriteArrayList<>();
        private volatile int flushed;

        @Override
        public void write(byte[] letter) {
            taken.add(new String(letter, StandardCharsets.UTF_8));
        }

        @Override
        public void flush() {
            flushed = taken.size();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** Notes what it is asked; stands still until the gate opens. */
    private static final class Recording implements OnlineStore {
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final CountDownLatch gate = new CountDownLatch(1);
        private final AtomicInteger refusals = new AtomicInteger();
        private volatile int failAt = Integer.MAX_VALUE;
        private volatile Runnable fail = () -> {
            throw new StoreException("no such family");
        };
        private volatile long refusedCell;

        private void refuseIfFull() {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new StoreException(StoreException.Kind.PASSING, "its disk is full", null);
            }
        }

        @Override
        public void write(FeatureView view, List<? extends RowBlock> blocks) {
            int rows = blocks.get(0).rows();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (blocks.get(0) instanceof HexRowBlock block
                    && LongStream.of(block.cells()).anyMatch(cell -> cell == refusedCell)) {
                throw new StoreException(StoreException.Kind.ROWS, "WRONGTYPE", null);
            }
            if (rows == failAt) {
                fail.run();
            }
            refuseIfFull();
            calls.add("rows " + rows);
        }

        @Override
        public void writeProgress(Progress progress) {
            refuseIfFull();
            calls.add("progress " + progress.windowEndMs());
        }

        @Override
        public void flush() {
            refuseIfFull();
            calls.add("flush");
        }

        @Override
        public ReadRows read(FeatureView view, List<StoreKey> keys) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Coverage> coverage(FeatureView view) {
            return List.of();
        }

        @Override
        public OptionalLong watermark(String view) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> alias(String name) {
            return Optional.empty();
        }

        @Override
        public void setAlias(String name, String view) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long expiredRows() {
            return 0;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
