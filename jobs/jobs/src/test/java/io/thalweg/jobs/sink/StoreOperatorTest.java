package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.store.Stores;
import io.thalweg.testing.Await;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a checkpoint waits for, and what does not wait for a checkpoint. */
@SuppressWarnings("NullAway.Init")
@Timeout(Await.TIMEOUT_SECONDS)
class StoreOperatorTest {
    private static final String NAME = "recording://store-operator-test";

    private final RecordingStore store = new RecordingStore();
    private OnlineStore open;
    private OneInputStreamOperatorTestHarness<OutputItem, ReadableEnd> harness;
    /** The thread that completes the last checkpoint. */
    private @Nullable Thread completing;

    @BeforeEach
    void open() throws Exception {
        open = Stores.share(NAME, () -> store);
        harness = new OneInputStreamOperatorTestHarness<>(operator());
        harness.open();
    }

    private static StoreOperator operator() {
        return new StoreOperator(RecordingStore.VIEW, NAME, new NoLetters(), ClockSpec.system(), "store-operator-test");
    }

    @AfterEach
    void close() throws Exception {
        store.gate.countDown();
        harness.getOperator().close(); // the harness would finish it first, which fails after a failed write
        open.close();
    }

    @Test
    void snapshotState_storeStandsStill_completesWhenTheRowsBeforeAreWrittenAndTheTaskGoesOn() throws Exception {
        process(RecordingStore.rows(1));
        process(RecordingStore.done(1));
        CompletableFuture<Void> checkpoint = checkpoint(1);
        process(RecordingStore.rows(2));
        harness.processWatermark(new Watermark(1));
        Await.zero("the write of the rows", store.entered);
        Await.blocked(Objects.requireNonNull(completing));
        assertThat(checkpoint).isNotDone();
        assertThat(store.calls).isEmpty();

        store.gate.countDown();
        checkpoint.get();
        assertThat(store.calls).startsWith("rows 1", "progress 1", "flush");
        checkpoint(2).get();
        assertThat(store.calls).containsExactly("rows 1", "progress 1", "flush", "rows 2", "flush");
    }

    /** The task ends with the savepoint, so what the store had before is emitted by the next one. */
    @Test
    void snapshotState_progressIsWrittenAfterTheBarrier_nextTaskEmitsItWithItsTime() throws Exception {
        process(RecordingStore.rows(1));
        process(RecordingStore.done(1));
        OperatorSnapshotFutures futures = snapshot(1);
        long beforeMs = System.currentTimeMillis();
        store.gate.countDown();
        OperatorSubtaskState state = OperatorSnapshotFinalizer.create(futures).getJobManagerOwnedState();
        long afterMs = System.currentTimeMillis();
        assertThat(harness.extractOutputValues()).isEmpty();
        harness.getOperator().prepareSnapshotPreBarrier(2);
        assertThat(harness.extractOutputValues()).as("if the task goes on").hasSize(1);

        harness.getOperator().close();
        harness = new OneInputStreamOperatorTestHarness<>(operator());
        harness.initializeState(state);
        harness.open();
        harness.getOperator().prepareSnapshotPreBarrier(2);
        assertThat(harness.extractOutputValues()).singleElement().satisfies(end -> {
            assertThat(end.windowEndMs()).isEqualTo(1);
            assertThat(end.rowsAtMs()).isBetween(beforeMs, end.atMs());
            assertThat(end.atMs()).isLessThanOrEqualTo(afterMs);
        });
    }

    @Test
    void snapshotState_rowsCannotBeWritten_failsAndThenTheTaskDoes() throws Exception {
        store.failAt = 2;
        process(RecordingStore.rows(1));
        process(RecordingStore.rows(2));
        CompletableFuture<Void> checkpoint = checkpoint(1);
        store.gate.countDown();
        assertThatThrownBy(checkpoint::get).hasStackTraceContaining("rows of demand could not be written");
        assertThatThrownBy(() -> checkpoint(2)).as("without more input").isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> harness.processWatermark(new Watermark(1)))
                .as("with more input")
                .isInstanceOf(StoreException.class);
        assertThat(store.calls).containsExactly("rows 1");
    }

    /** Flink aborts a snapshot when the checkpoint times out. */
    @Test
    void snapshotState_isAborted_nobodyWaitsAndTheNextOneCompletes() throws Exception {
        process(RecordingStore.rows(1));
        OperatorSnapshotFutures futures = snapshot(1);
        CompletableFuture<Void> checkpoint = complete(futures);
        var unused = futures.cancel();
        assertThatThrownBy(checkpoint::get).hasRootCauseInstanceOf(CancellationException.class);

        store.gate.countDown();
        checkpoint(2).get();
        assertThat(store.calls).startsWith("rows 1").endsWith("flush");
    }

    @Test
    void finish_waitsUntilAllRowsAreWritten() throws Exception {
        store.gate.countDown();
        process(RecordingStore.rows(1));
        harness.getOperator().finish();
        assertThat(store.calls).containsExactly("rows 1", "flush");
    }

    private void process(OutputItem item) throws Exception {
        harness.processElement(new StreamRecord<>(item));
    }

    private CompletableFuture<Void> checkpoint(long id) throws Exception {
        return complete(snapshot(id));
    }

    private OperatorSnapshotFutures snapshot(long id) throws Exception {
        return harness.getOperator()
                .snapshotState(
                        id,
                        id,
                        CheckpointOptions.forCheckpointWithDefaultLocation(),
                        new MemCheckpointStreamFactory(1 << 20));
    }

    /** Runs the asynchronous part as Flink does, on another thread. */
    private CompletableFuture<Void> complete(OperatorSnapshotFutures futures) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        var unused = OperatorSnapshotFinalizer.create(futures);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                finalizer -> {
                    completing = new Thread(finalizer);
                    completing.start();
                });
    }

    private static final class NoLetters implements DeadLetters, DeadLetters.Writer {
        private static final long serialVersionUID = 1L;

        @Override
        public Writer open(int subtask) {
            return this;
        }

        @Override
        public void write(byte[] letter) {
            throw new AssertionError("no row is refused");
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
