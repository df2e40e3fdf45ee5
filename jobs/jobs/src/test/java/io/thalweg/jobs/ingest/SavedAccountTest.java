package io.thalweg.jobs.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.file.RawBlock;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.IncompleteStateException;
import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.jobs.sink.TopicTotals;
import io.thalweg.jobs.stream.StreamTotals;
import io.thalweg.model.Definitions;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings({"NullAway.Init", "try"}) // harnesses: close() throws Exception
class SavedAccountTest {
    private static final BlockType<ColumnBatch> ROWS = Chained.type(ColumnBatch.class);

    @TempDir
    Path folder;

    private Ingest ingest;

    @BeforeEach
    void define() throws IOException {
        Files.writeString(folder.resolve("ride.json"), """
                {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
                """);
        Path spec = Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: rides, format: json, schema: {file: ride.json}}
                sink: {parquet: table}
                """);
        ingest = Definitions.load(List.of(spec)).ingests().get(0);
    }

    /** Returns the state of a subtask that has read these records. */
    private OperatorSubtaskState read(String... records) throws Exception {
        try (OneInputStreamOperatorTestHarness<RawRecords, ColumnBatch> subtask =
                new OneInputStreamOperatorTestHarness<>(new IngestOperator<>(
                        UUID.randomUUID().toString(),
                        IngestPlan.of(ingest).packed(),
                        false,
                        new RowForm.Columns(),
                        new FileDeadLetters(folder.resolve("dead.jsonl").toString())))) {
            subtask.setup(ROWS.createSerializer(new SerializerConfigImpl()));
            subtask.open();
            for (int i = 0; i < records.length; i++) {
                byte[] bytes = records[i].getBytes(UTF_8);
                RawBlock block = new RawBlock("rides", null);
                block.add(bytes, 0, bytes.length, bytes.length, i);
                subtask.processElement(new StreamRecord<>(block));
            }
            subtask.prepareSnapshotPreBarrier(1);
            return subtask.snapshot(1, 1);
        }
    }

    private SavedState checkpoint(OperatorSubtaskState... subtasks) throws IOException {
        OperatorState operator =
                new OperatorState(null, IngestJob.translateUid("rides"), new OperatorID(1, 2), subtasks.length, 128);
        for (int i = 0; i < subtasks.length; i++) {
            operator.putState(i, subtasks[i]);
        }
        Path checkpoint = Files.createDirectories(folder.resolve("chk-1"));
        try (DataOutputStream out =
                new DataOutputStream(Files.newOutputStream(checkpoint.resolve(SavedState.METADATA)))) {
            Checkpoints.storeCheckpointMetadata(new CheckpointMetadata(1, List.of(operator), List.of()), out);
        }
        return SavedState.of(StatePath.of(checkpoint));
    }

    @Test
    void of_severalSubtasks_isTheirSum() throws Exception {
        SavedAccount account =
                SavedAccount.of(checkpoint(read("{\"id\": 1}", "{\"id\": 2}", "bad"), read("{\"id\": 3}", "")), ingest);

        assertThat(account.totals().get(Count.EVENTS)).isEqualTo(5);
        assertThat(account.totals().get(Count.ROWS)).isEqualTo(3);
        assertThat(account.totals().badByReason()).isEqualTo(Map.of("undecodable", 1L, "empty", 1L));
        assertThat(account.streams()).isEqualTo(StreamTotals.NONE);
    }

    @Test
    void since_anEarlierCheckpoint_isTheDifference() throws Exception {
        SavedAccount before = SavedAccount.of(checkpoint(read("{\"id\": 1}", "bad")), ingest);
        SavedAccount after = SavedAccount.of(checkpoint(read("{\"id\": 1}", "bad", "{\"id\": 2}")), ingest);

        SavedAccount since = after.since(before);

        assertThat(since.totals().get(Count.EVENTS)).isEqualTo(1);
        assertThat(since.totals().get(Count.ROWS)).isEqualTo(1);
        assertThat(since.totals().badByReason()).isEmpty();
    }

    @Test
    void hasPassed_aPartitionThatWasNotRead_isFalse() {
        Map<Integer, Long> passed = Map.of(0, 7L, 1, 3L);
        SavedAccount account = new SavedAccount(
                SavedAccount.NONE.totals(), StreamTotals.NONE, TopicTotals.NONE, passed, Duration.ZERO);

        assertThat(account.hasPassed(Map.of())).isTrue();
        assertThat(account.hasPassed(Map.of(0, 7L))).isTrue();
        assertThat(account.hasPassed(Map.of(0, 8L))).isFalse();
        assertThat(account.hasPassed(Map.of(0, 7L, 2, 0L))).isFalse();
    }

    @Test
    void of_aFolderThatIsNoCheckpoint_saysSo() {
        assertThatThrownBy(() -> SavedState.of(StatePath.of(folder))).isInstanceOf(IncompleteStateException.class);
    }
}
