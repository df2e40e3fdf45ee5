package io.thalweg.jobs.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.jobs.kafka.fetch.LostPositionException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class RawBlockReaderTest {
    private static final TopicPartition PARTITION = new TopicPartition("rides", 3);

    private static final KafkaFetcher.Lost<FetchedBlock> LOST =
            new KafkaFetcher.Lost<>(PARTITION, LogPosition.unread(10), 15);

    @Test
    void block_recordsDeletedAndSkipped_countsThem() {
        RawRecords block = RawBlockReader.block(LOST, true);

        assertThat(block.size()).isZero();
        assertThat(block.lost()).isEqualTo(5);
        assertThat(block.last()).isEqualTo(14);
        assertThat(block.source()).isEqualTo("rides");
        assertThat(block.partition()).isEqualTo(3);
        assertThat(LOST.behind().offset()).isEqualTo(15);
    }

    @Test
    void block_recordsDeletedAndNotSkipped_failsForGood() {
        assertThatThrownBy(() -> RawBlockReader.block(LOST, false))
                .isInstanceOf(LostPositionException.class)
                .hasMessage(
                        "rides-3 cannot be read on from offset 10: Kafka deleted its records up to offset 15 before they were read. Set source.on_lost_records: skip to continue there; 5 offsets are lost");
    }
}
