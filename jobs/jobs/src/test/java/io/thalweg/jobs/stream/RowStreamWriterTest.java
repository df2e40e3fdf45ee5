package io.thalweg.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Struct;
import io.thalweg.testing.Await;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.EncodedRows.Origin;
import io.thalweg.warehouse.LostCommitException;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a writer with streams whose answers the test controls. */
@Timeout(Await.TIMEOUT_SECONDS)
class RowStreamWriterTest {
    private static final Struct ROWS = new Struct(List.of());
    private static final SinkWriter.Context NONE = new SinkWriter.Context() {
        @Override
        public long currentWatermark() {
            return 0;
        }

        @Override
        public @Nullable Long timestamp() {
            return null;
        }
    };

    /** The requests sent over all streams. */
    private final List<Sent> sent = new ArrayList<>();

    private final List<Integer> refused = new ArrayList<>();
    private final String job = UUID.randomUUID().toString();
    private final List<StreamCommit> required = new ArrayList<>();
    private int closed;
    private int streams;

    private record Sent(
            int stream, EncodedRows rows, int from, int to, CompletableFuture<List<RowStream.Refused>> answer) {}

    private final class Table extends FakeTable {
        private static final long serialVersionUID = 1L;

        /** Opens a stream that has already retried a request. */
        @Override
        public RowStream stream(Consumer<RetryCause> retried) {
            retried.accept(RetryCause.QUOTA);
            int number = streams++;
            return new RowStream() {
                @Override
                public CompletableFuture<List<Refused>> append(EncodedRows rows, int from, int to) {
                    CompletableFuture<List<Refused>> answer = new CompletableFuture<>();
                    synchronized (sent) {
                        sent.add(new Sent(number, rows, from, to, answer));
                        sent.notifyAll();
                    }
                    return answer;
                }

                @Override
                public Optional<StreamCommit> cut() {
                    return Optional.of(new StreamCommit("s" + number, 1));
                }

                @Override
                public void close() {
                    // Nothing is open.
                }
            };
        }

        @Override
        public void requireNothingBehind(StreamCommit end) {
            if (end.lastRow() < 0) {
                throw new LostCommitException("older than the table", null);
            }
            required.add(end);
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private RowStreamWriter writer(int writers) {
        return writer(writers, List.of(new StreamState(new StreamTotals(100, 0, 0, 0), List.of())));
    }

    private RowStreamWriter writer(int writers, List<StreamState> restored) {
        Refusals refusals = subtask -> new Refusals.Writer() {
            @Override
            public void refused(EncodedRows rows, RowStream.Refused why) {
                refused.add(why.row());
            }

            @Override
            public void flush() {
                // Refused rows are kept in memory.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        StreamSpec spec = new StreamSpec(new Table(), ROWS, new StreamSpec.Writers(writers, writers), job, refusals);
        return new RowStreamWriter(spec, 0, 1, restored, StreamTime.SYSTEM);
    }

    private static EncodedRows rows(int count, int bytes) {
        EncodedRows.Builder rows = new EncodedRows.Builder();
        for (int i = 0; i < count; i++) {
            rows.add(new byte[bytes], 0, bytes, new Origin("rides", 0, i, 0));
        }
        return rows.take();
    }

    @Test
    void write_largeBatch_isSplitAndSpreadOverTheStreams() throws Exception {
        RowStreamWriter writer = writer(2);

        writer.write(rows(6, 400_000), NONE);
        writer.write(rows(12_000, 10), NONE);

        assertThat(sent)
                .extracting(Sent::stream)
                .as("the one with fewer bytes on their way")
                .containsExactly(0, 1, 0, 1, 1, 1);
        assertThat(sent)
                .extracting(each -> each.to() - each.from())
                .as("at most 1 MiB and 5,000 rows")
                .containsExactly(2, 2, 2, 5_000, 5_000, 2_000);
    }

    @Test
    void write_idleStreams_takeTurns() throws Exception {
        RowStreamWriter writer = writer(3);
        for (int i = 0; i < 7; i++) {
            writer.write(rows(1, 10), NONE);
            sent.get(i).answer().complete(List.of());
        }

        assertThat(sent).extracting(Sent::stream).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }

    @Test
    void flush_countsWhatIsDurableAndHandsOnWhatIsRefused() throws Exception {
        RowStreamWriter writer = writer(1);
        writer.write(rows(10, 100), NONE);
        sent.get(0)
                .answer()
                .complete(List.of(new RowStream.Refused(3, false, "no"), new RowStream.Refused(7, true, "no")));

        writer.flush(false);

        assertThat(refused).containsExactly(3, 7);
        assertThat(writer.snapshotState(1))
                .containsExactly(new StreamState(new StreamTotals(108, 2, 800, 1), List.of()));
        assertThat(StreamAccount.of(job).sinceStart()).isEqualTo(new StreamTotals(8, 2, 800, 1));
        assertThat(StreamAccount.of(job).retries().get(RetryCause.QUOTA)).isEqualTo(1);
        assertThat(writer.prepareCommit()).containsExactly(new StreamCommit("s0", 1));
        assertThat(writer.snapshotState(2))
                .containsExactly(new StreamState(new StreamTotals(108, 2, 800, 1), List.of(new StreamCommit("s0", 1))));
    }

    @Test
    void restore_statesOfTwoSubtasks_addsCountsAndRequiresNothingBehindTheEnds() throws Exception {
        StreamCommit first = new StreamCommit("old0", 7);
        StreamCommit second = new StreamCommit("old1", 9);

        RowStreamWriter writer = writer(
                1,
                List.of(
                        new StreamState(new StreamTotals(1, 2, 3, 4), List.of(first)),
                        new StreamState(new StreamTotals(10, 20, 30, 40), List.of(second))));

        assertThat(required).containsExactly(first, second);
        assertThat(writer.snapshotState(1))
                .as("streams of the run before are kept until they are given up")
                .containsExactly(new StreamState(new StreamTotals(11, 22, 33, 44), List.of(first, second)));
    }

    /** A resumed checkpoint commits again, which fails on a finalized stream. */
    @Test
    void prepareCommit_streamOfTheRunBefore_isGivenUpAfterLaterRows() throws Exception {
        StreamCommit old = new StreamCommit("old", 7);
        RowStreamWriter writer = writer(1, List.of(new StreamState(StreamTotals.NONE, List.of(old))));
        assertThat(writer.prepareCommit()).as("no rows").isEmpty();
        writer.write(rows(1, 10), NONE);
        StreamCommit own = new StreamCommit("s0", 1);
        for (int checkpoint = 0; checkpoint < EndedStreams.LATER; checkpoint++) {
            assertThat(writer.prepareCommit()).containsExactly(own);
            assertThat(writer.snapshotState(checkpoint).get(0).ends()).containsExactly(old, own);
        }

        assertThat(writer.prepareCommit()).containsExactly(own, old.ending());

        assertThat(writer.snapshotState(9).get(0).ends()).containsExactly(own);
        assertThat(writer.prepareCommit()).containsExactly(own);
    }

    @Test
    void restore_rowsBehindAnEnd_fails() {
        List<StreamState> restored = List.of(new StreamState(StreamTotals.NONE, List.of(new StreamCommit("old", -1))));

        assertThatThrownBy(() -> writer(1, restored))
                .isInstanceOf(LostRowsException.class)
                .hasMessage("older than the table");
        assertThat(closed).isEqualTo(1);
    }

    @Test
    void stateSerializer_givesBackWhatItWrote() throws Exception {
        StreamState state = new StreamState(
                new StreamTotals(1, 2, 3, 4), List.of(new StreamCommit("s", 5), new StreamCommit("t", 6)));
        StreamStateSerializer serializer = new StreamStateSerializer();

        assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(state)))
                .isEqualTo(state);
        assertThatThrownBy(() -> serializer.deserialize(2, serializer.serialize(state)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void commitSerializer_givesBackWhatItAndVersionOneWrote() throws Exception {
        StreamCommitSerializer serializer = new StreamCommitSerializer();
        StreamCommit commit = new StreamCommit("s", 5);
        for (StreamCommit each : List.of(commit, commit.ending())) {
            assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(each)))
                    .isEqualTo(each);
        }
        byte[] now = serializer.serialize(commit);
        assertThat(serializer.deserialize(1, Arrays.copyOf(now, now.length - 1)))
                .isEqualTo(commit);
        assertThatThrownBy(() -> serializer.deserialize(3, now))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("3");
    }

    @Test
    void flush_lostStream_fails() throws Exception {
        RowStreamWriter writer = writer(1);
        writer.write(rows(10, 100), NONE);
        sent.get(0).answer().completeExceptionally(new WarehouseException("no access", null));

        assertThatThrownBy(() -> writer.flush(false))
                .isInstanceOf(IOException.class)
                .hasMessage("no access");
        assertThatThrownBy(() -> writer.write(rows(1, 1), NONE)).hasMessage("no access");
    }

    /** A stream accepts twenty requests in flight; the twenty-first waits for an answer. */
    @Test
    void write_lanesAreFull_waits() throws Exception {
        RowStreamWriter writer = writer(1);
        CountDownLatch written = new CountDownLatch(1);
        Thread task = new Thread(() -> {
            try {
                for (int i = 0; i < 21; i++) {
                    writer.write(rows(1, 10), NONE);
                }
                written.countDown();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        task.start();
        synchronized (sent) {
            while (sent.size() < 20) {
                sent.wait();
            }
        }
        Await.blocked(task);
        assertThat(sent).hasSize(20);
        assertThat(written.getCount()).isEqualTo(1);

        sent.get(0).answer().complete(List.of());

        Await.zero("the end of the writes", written);
        assertThat(sent).hasSize(21);
    }

    /** A subtask has a bounded number of bytes in flight, independent of the number of streams. */
    @Test
    void write_manyStreams_memoryIsBounded() throws Exception {
        RowStreamWriter writer = writer(50);
        CountDownLatch written = new CountDownLatch(1);
        Thread task = new Thread(() -> {
            try {
                for (int i = 0; i < 80; i++) {
                    writer.write(rows(1, 1 << 20), NONE);
                }
                written.countDown();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        task.start();
        synchronized (sent) {
            while (sent.size() < 64) {
                sent.wait();
            }
        }
        Await.blocked(task);
        assertThat(sent).hasSize(64);
        assertThat(written.getCount()).isEqualTo(1);
        for (int i = 0; i < 16; i++) {
            sent.get(i).answer().complete(List.of());
        }

        Await.zero("the end of the writes", written);
    }
}
