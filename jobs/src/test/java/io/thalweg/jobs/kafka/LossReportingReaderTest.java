package io.thalweg.jobs.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A reader in front of logs whose beginnings move, and of a reader that fails there as Flink's does. */
class LossReportingReaderTest {
    private static final TopicPartition FIRST = new TopicPartition("rides", 0);
    private static final TopicPartition SECOND = new TopicPartition("rides", 1);

    private final Map<TopicPartition, TopicEnds.Range> logs = new HashMap<>();
    private final List<String> out = new ArrayList<>();
    private int opened;
    private int closed;

    /** Reads an offset of the first partition at each poll. */
    private final class Fake implements SourceReader<String, KafkaPartitionSplit> {
        private final Map<TopicPartition, Long> positions = new HashMap<>();
        private final Map<TopicPartition, Long> stops = new HashMap<>();
        private boolean noMoreSplits;

        @Override
        public void start() {
            opened++;
        }

        @Override
        public InputStatus pollNext(ReaderOutput<String> output) {
            for (TopicPartition partition : List.of(FIRST, SECOND)) {
                long position = positions.getOrDefault(partition, -1L);
                TopicEnds.Range log = Objects.requireNonNull(logs.get(partition));
                if (position >= 0 && (position < log.first() || position > log.end())) {
                    // As Flink's fetchers report what a consumer throws.
                    throw new RuntimeException(
                            "One or more fetchers have encountered exception",
                            new ExecutionException(new OffsetOutOfRangeException(Map.of(partition, position))));
                }
            }
            output.collect("read " + positions.merge(FIRST, 1L, Long::sum));
            return noMoreSplits ? InputStatus.END_OF_INPUT : InputStatus.MORE_AVAILABLE;
        }

        @Override
        public List<KafkaPartitionSplit> snapshotState(long checkpointId) {
            return positions.entrySet().stream()
                    .map(entry -> stops.containsKey(entry.getKey())
                            ? new KafkaPartitionSplit(entry.getKey(), entry.getValue(), stops.get(entry.getKey()))
                            : new KafkaPartitionSplit(entry.getKey(), entry.getValue()))
                    .collect(Collectors.toList());
        }

        @Override
        public void addSplits(List<KafkaPartitionSplit> splits) {
            splits.forEach(split -> {
                positions.put(split.getTopicPartition(), split.getStartingOffset());
                split.getStoppingOffset().ifPresent(stop -> stops.put(split.getTopicPartition(), stop));
            });
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void notifyNoMoreSplits() {
            noMoreSplits = true;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private final class Output implements ReaderOutput<String> {
        @Override
        public void collect(String element) {
            out.add(element);
        }

        @Override
        public void collect(String element, long timestamp) {
            out.add(element);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new UnsupportedOperationException();
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
        public SourceOutput<String> createOutputForSplit(String splitId) {
            return this;
        }

        @Override
        public void releaseOutputForSplit(String splitId) {
            throw new UnsupportedOperationException();
        }
    }

    private LossReportingReader<String> reader(@Nullable LostRecords<String> lost) throws Exception {
        LossReportingReader<String> reader = new LossReportingReader<>(
                Fake::new, partitions -> partitions.stream().collect(Collectors.toMap(each -> each, logs::get)), lost);
        reader.start();
        reader.addSplits(List.of(new KafkaPartitionSplit(FIRST, 10), new KafkaPartitionSplit(SECOND, 20, 90)));
        return reader;
    }

    private static String lost(String topic, int partition, long from, long to) {
        return "lost %s-%d %d..%d".formatted(topic, partition, from, to);
    }

    private void logs(long first, long second) {
        logs.put(FIRST, new TopicEnds.Range(first, 100));
        logs.put(SECOND, new TopicEnds.Range(second, 100));
    }

    @Test
    void pollNext_recordsDeleted_reportsThemOnceAndContinuesBehindThem() throws Exception {
        logs(0, 0);
        LossReportingReader<String> reader = reader(LossReportingReaderTest::lost);
        Output output = new Output();
        reader.pollNext(output);
        logs(30, 20);
        reader.notifyNoMoreSplits();

        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.MORE_AVAILABLE);
        assertThat(reader.snapshotState(1))
                .as("the other partition stays where it is, and its end")
                .containsExactlyInAnyOrder(new KafkaPartitionSplit(FIRST, 30), new KafkaPartitionSplit(SECOND, 20, 90));
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);

        assertThat(out).containsExactly("read 11", "lost rides-0 11..30", "read 31");
        assertThat(opened).isEqualTo(2);
        assertThat(closed).isEqualTo(1);
    }

    @Test
    void pollNext_bothPartitionsDeleted_reportsBothAtOnce() throws Exception {
        logs(15, 25);
        LossReportingReader<String> reader = reader(LossReportingReaderTest::lost);

        reader.pollNext(new Output());

        assertThat(out).containsExactlyInAnyOrder("lost rides-0 10..15", "lost rides-1 20..25");
    }

    @Test
    void pollNext_recordsDeletedAndNotToBeSkipped_failsForGood() throws Exception {
        logs(15, 0);
        LossReportingReader<String> reader = reader(null);

        assertThatThrownBy(() -> reader.pollNext(new Output()))
                .isInstanceOf(LostPositionException.class)
                .hasMessage(
                        "rides-0 cannot be read on from offset 10: Kafka deleted its records up to offset 15 before they were read. Set source.on_lost_records: skip to continue there; 5 offsets are lost");
    }

    @Test
    void pollNext_logEndsBeforeThePosition_failsForGoodAlsoIfLossesAreSkipped() throws Exception {
        logs.put(FIRST, new TopicEnds.Range(0, 3));
        logs.put(SECOND, new TopicEnds.Range(0, 100));
        LossReportingReader<String> reader = reader(LossReportingReaderTest::lost);

        assertThatThrownBy(() -> reader.pollNext(new Output()))
                .isInstanceOf(LostPositionException.class)
                .hasMessageContaining("rides-0 cannot be read on from offset 10: it ends at 3");
    }
}
