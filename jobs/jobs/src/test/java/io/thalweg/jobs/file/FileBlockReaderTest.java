package io.thalweg.jobs.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.file.FileBlockSource.Partitions;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the output of a reader around a gate and a checkpoint with that of a reader that reads to the end at once. */
class FileBlockReaderTest {
    private static final Path EXAMPLES = Checkout.file("examples");
    private static final FeatureView VIEW =
            Definitions.load(List.of(EXAMPLES.resolve("demand.yaml"))).views().get(0);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private List<String> files = List.of();

    @BeforeEach
    void writeTwoFiles() throws IOException {
        List<String> lines = Files.readAllLines(EXAMPLES.resolve("rider-events.jsonl"));
        files = List.of(
                Files.write(folder.resolve("1.jsonl"), lines.subList(0, 60)).toString(),
                Files.write(folder.resolve("2.jsonl"), lines.subList(60, 100)).toString());
    }

    private FileBlockReader reader(String jobId, long emittedBefore) throws IOException {
        return reader(jobId, Partitions.ONE, emittedBefore);
    }

    private FileBlockReader reader(String jobId, Partitions partitions, long emittedBefore) throws IOException {
        LookupTables tables = LookupTables.open(jobId, List.of(VIEW), LookupSources.files(), Clock.systemUTC());
        FileBlockReader reader = new FileBlockReader(VIEW.source(), List.of(VIEW), files, partitions, tables, jobId);
        reader.addSplits(List.of(new FileBlockSource.Whole(emittedBefore)));
        return reader;
    }

    private static InputStatus poll(FileBlockReader reader, Output into) throws IOException {
        InputStatus status = InputStatus.MORE_AVAILABLE;
        while (status == InputStatus.MORE_AVAILABLE) {
            status = reader.pollNext(into);
        }
        return status;
    }

    private List<String> whole() throws IOException {
        Output all = new Output();
        try (FileBlockReader reader = reader("whole", 0)) {
            assertThat(poll(reader, all)).isEqualTo(InputStatus.END_OF_INPUT);
        }
        assertThat(all.events).hasSize(100);
        return all.events;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 59, 60, 61, 100})
    void pollNext_fromACheckpoint_emitsTheRestWithTheSameClocks(int emitted) throws IOException {
        String job = "gated-" + emitted;
        Output before = new Output();
        List<FileBlockSource.Whole> kept;
        FileGate gate = FileGate.register(job);
        var unused = gate.moveTo(emitted);
        try (FileBlockReader reader = reader(job, 0)) {
            poll(reader, before);
            kept = reader.snapshotState(1);
        } finally {
            new JobAccounts(job).close();
        }
        Output after = new Output();
        try (FileBlockReader reader = reader(job, kept.get(0).events())) {
            assertThat(poll(reader, after)).isEqualTo(InputStatus.END_OF_INPUT);
        }

        assertThat(before.events).isEqualTo(whole().subList(0, emitted));
        assertThat(after.events).isEqualTo(whole().subList(emitted, 100));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 61})
    void pollNext_aPartitionPerFile_judgesEachByItsOwnClock(int emitted) throws IOException {
        Output both = new Output();
        try (FileBlockReader reader = reader("partitions", Partitions.ONE_PER_FILE, emitted)) {
            assertThat(poll(reader, both)).isEqualTo(InputStatus.END_OF_INPUT);
        }
        List<String> expected = new ArrayList<>();
        List<String> all = files;
        for (String file : all) {
            files = List.of(file);
            Output alone = new Output();
            try (FileBlockReader reader = reader("alone", 0)) {
                poll(reader, alone);
            }
            expected.addAll(alone.events);
            if (!file.equals(all.get(1))) {
                assertThat(both.watermarksMs).doesNotContainAnyElementsOf(alone.watermarksMs);
            } else if (emitted == 0) {
                assertThat(both.watermarksMs).isEqualTo(alone.watermarksMs);
            }
        }

        assertThat(both.events).isEqualTo(expected.subList(emitted, 100));
    }

    @Test
    void pollNext_atTheGate_waitsUntilItMoves() throws IOException {
        Output out = new Output();
        FileGate gate = FileGate.register("waiting");
        var reached = gate.moveTo(10);
        try (FileBlockReader reader = reader("waiting", 0)) {
            assertThat(reached).isNotDone();
            assertThat(poll(reader, out)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
            assertThat(reached).isDone();
            var available = reader.isAvailable();
            assertThat(available).isNotDone();
            gate.open();
            assertThat(available).isDone();
            assertThat(poll(reader, out)).isEqualTo(InputStatus.END_OF_INPUT);
        } finally {
            new JobAccounts("waiting").close();
        }

        assertThat(out.events).isEqualTo(whole());
    }

    /** Records the time of each event and the clock before it. */
    private static final class Output implements ReaderOutput<DecodedBlock> {
        private final List<String> events = new ArrayList<>();
        private final List<Long> watermarksMs = new ArrayList<>();

        @Override
        public void collect(DecodedBlock block) {
            for (int e = 0; e < block.events().size(); e++) {
                events.add(block.timesMs()[e] + " after " + block.clocksMs()[e]);
            }
        }

        @Override
        public void collect(DecodedBlock block, long timestamp) {
            collect(block);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            watermarksMs.add(watermark.getTimestamp());
        }

        @Override
        public void markIdle() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void markActive() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SourceOutput<DecodedBlock> createOutputForSplit(String splitId) {
            return this;
        }

        @Override
        public void releaseOutputForSplit(String splitId) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void gate_severalReaders_takeWhatAllMayRead() {
        FileGate gate = FileGate.register("several");
        try {
            CompletableFuture<Void> reached = gate.moveTo(2);

            assertThat(gate.take(1)).isEqualTo(1);
            assertThat(gate.take(5)).isEqualTo(1);
            assertThat(reached).isNotDone();
            assertThat(gate.take(1)).isZero();
            assertThat(reached).isDone();
            CompletableFuture<Void> opened = gate.opened();
            assertThat(opened).isNotDone();
            gate.giveBack(1);
            assertThat(opened).isDone();
            assertThat(gate.take(1)).isEqualTo(1);
        } finally {
            new JobAccounts("several").close();
        }
    }
}
