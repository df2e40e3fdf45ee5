package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.store.StoreException;
import io.thalweg.testing.Await;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Await.TIMEOUT_SECONDS)
class StoreWriterTest {
    private final RecordingStore store = new RecordingStore();
    private final Letters letters = new Letters();
    private final CountDownLatch pauses = new CountDownLatch(10);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private volatile boolean pausesEnd = true;
    private StoreWriter writer = writer(Duration.ZERO);

    private StoreWriter writer(Duration standsBack) {
        return new StoreWriter(
                RecordingStore.VIEW,
                store,
                letters,
                JobMetrics.of("store-writer-test").view("demand"),
                item -> {},
                1,
                standsBack,
                this::pause);
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
            writer.write(RecordingStore.rows(i));
            writer.write(RecordingStore.done(i));
        }
        writer.flush().get();

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
        writer.write(RecordingStore.rows(1));
        writer.write(RecordingStore.done(1));
        writer.write(RecordingStore.rows(2));
        awaitAtTheGate();
        assertThat(store.calls).isEmpty();

        writer.standBackNoLonger();
        awaitCalls(3);
        assertThat(store.calls).containsExactly("rows 1", "progress 1", "rows 2");

        writer.write(RecordingStore.rows(3));
        Future<?> flush = writer.flush();
        awaitAtTheGate();
        assertThat(flush.isDone()).as("a checkpoint may wait, too").isFalse();
        writer.standBackNoLonger();
        flush.get();
        assertThat(store.calls).endsWith("rows 2", "rows 3", "flush");
    }

    /** Waits until the writer's thread stands back. It has then written everything that it may. */
    private static void awaitAtTheGate() {
        Await.until(
                "a writer that stands back",
                () -> Thread.getAllStackTraces().entrySet().stream()
                        .filter(entry -> entry.getKey().getName().equals("thalweg-store-demand"))
                        .filter(entry -> entry.getKey().getState() == Thread.State.TIMED_WAITING)
                        .anyMatch(entry -> Arrays.stream(entry.getValue())
                                .anyMatch(frame -> frame.getClassName().equals(SequenceGate.class.getName()))));
    }

    /** The gate must not cost a timer tick per row, so it must not wait, however shortly. */
    @Test
    void write_doesNotStandBack_waitsForNothing() throws Exception {
        SequenceGate gate = new SequenceGate();
        long untilNanos = System.nanoTime();
        long before = waits();
        for (int number = 1; number <= 1_000; number++) {
            gate.await(number, untilNanos);
        }
        assertThat(waits() - before).isZero();
    }

    /** How often this thread has waited. */
    private static long waits() {
        return ManagementFactory.getThreadMXBean()
                .getThreadInfo(Thread.currentThread().getId())
                .getWaitedCount();
    }

    @Test
    void write_standsBackForLong_writesWithoutAWatermark() throws Exception {
        writer.close();
        writer = writer(Duration.ofMillis(50));
        store.gate.countDown();
        writer.write(RecordingStore.rows(1));
        awaitCalls(1);
        assertThat(store.calls).containsExactly("rows 1");
    }

    @Test
    void write_standsBackAndTheRoomEnds_writes() throws Exception {
        writer.close();
        writer = writer(Duration.ofHours(1));
        store.gate.countDown();
        OutputItem many = RecordingStore.rows(1_000_000);
        for (int i = 1; i <= 20; i++) {
            writer.write(many); // blocks forever if nothing is written
        }
        assertThat(store.calls).isNotEmpty();
    }

    @Test
    void close_standsBack_dropsWhatWaits() throws Exception {
        writer.close();
        writer = writer(Duration.ofHours(1));
        writer.write(RecordingStore.rows(1));
        writer.close();
        assertThat(store.calls).isEmpty();
    }

    @Test
    void flush_afterAFailedWrite_failsAndNothingFollowedTheFailure() throws Exception {
        requireNothingAfterTheFailure();
    }

    /** For example because a class or a native library is missing. */
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
            writer.write(RecordingStore.rows(i));
        }
        writer.flush().get();
        assertThatThrownBy(() -> {
                    writer.write(RecordingStore.rows(3));
                    writer.write(RecordingStore.done(3));
                    writer.flush().get();
                })
                .isInstanceOfAny(StoreException.class, ExecutionException.class)
                .hasMessageContaining("rows of demand could not be written: no such family");
        assertThat(store.calls).containsExactly("rows 1", "rows 2", "flush");
    }

    @Test
    void close_duringAFlush_leavesNobodyWaiting() throws Exception {
        writer.write(RecordingStore.rows(1));
        writer.write(RecordingStore.rows(2));
        Future<?> flush = writer.flush();
        writer.close();
        assertThatThrownBy(flush::get).isInstanceOf(CancellationException.class);
    }

    @Test
    void write_storeStandsStill_waitsInsteadOfPilingUp() throws Exception {
        Thread task = new Thread(() -> {
            try {
                OutputItem many = RecordingStore.rows(500_000);
                for (int i = 1; i <= 24; i++) {
                    writer.write(many);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        task.start();
        Await.blocked(task);
        store.gate.countDown();
        task.join();
        writer.flush().get();
        assertThat(store.calls).hasSize(25);
    }

    @Test
    void write_rowsOfAKeyedView_areWrittenBeforeTheirProgress() throws Exception {
        store.gate.countDown();
        long[] two = {1, 2};
        writer.write(new OutputItem.Rows(new KeyedRowBlock(
                BlockHead.ofFinal("demand", 0, 60_000),
                KeyColumns.ofWords(two, two),
                ValueColumns.ofNumbers(two, two, new boolean[2]))));
        writer.write(RecordingStore.done(1));
        writer.flush().get();

        assertThat(store.calls).containsExactly("rows 2", "progress 1", "flush");
    }

    @Test
    void write_diskFullForAWhile_waitsAndGoesOnInOrder() throws Exception {
        store.refusals.set(10);
        store.gate.countDown();
        for (int i = 1; i <= 3; i++) {
            writer.write(RecordingStore.rows(i));
            writer.write(RecordingStore.done(i));
        }
        pauses.await();
        store.refusals.set(2);
        writer.flush().get();

        assertThat(store.calls)
                .containsExactly("rows 1", "progress 1", "rows 2", "progress 2", "rows 3", "progress 3", "flush");
    }

    @Test
    void close_whileTheDiskIsFull_endsAtOnce() throws Exception {
        pausesEnd = false;
        store.refusals.set(Integer.MAX_VALUE);
        store.gate.countDown();
        writer.write(RecordingStore.rows(1));
        writer.write(RecordingStore.rows(2));
        Await.until("a pause", () -> pauses.getCount() < 10);
        writer.close();

        interrupted.await();
        assertThat(store.calls).isEmpty();
    }

    @Test
    void write_rowThatTheStoreRefuses_isADeadLetterAndTheOthersAreWritten() throws Exception {
        store.refusedCell = 5;
        store.gate.countDown();
        long refusedBefore = JobMetrics.of("store-writer-test").view("demand").refused();
        writer.write(RecordingStore.rows(8));
        writer.write(RecordingStore.done(8));
        writer.flush().get();

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
        Await.until(calls + " calls", () -> store.calls.size() >= calls);
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
}
