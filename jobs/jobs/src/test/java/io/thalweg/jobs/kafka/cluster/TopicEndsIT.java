package io.thalweg.jobs.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@link TopicEnds} on a real broker. */
@Tag("test")
class TopicEndsIT {
    private static final int PARTITIONS = 12;
    private static final String TOPIC = "rides";

    @TempDir
    Path folder;

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedKafka kafka) {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap(), "transactional.id", "test"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    /** Partition p has p committed records, and all have as many aborted ones, so the last offset is never that of a record. */
    @Test
    void lastRecords_manyPartitionsWithTransactions_areFoundWithoutWaitingForMore() {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0)) {
            kafka.createTopic(TOPIC, PARTITIONS, Map.of());
            try (KafkaProducer<byte[], byte[]> producer = producer(kafka)) {
                producer.beginTransaction();
                send(producer, 0);
                producer.commitTransaction();
                producer.beginTransaction();
                send(producer, 1);
                producer.flush();
                producer.abortTransaction();
            }

            // A single fetch that waits for more records, as the settings ask, fails: a read may take a minute.
            Map<String, String> settings = Map.of(
                    "bootstrap.servers",
                    kafka.bootstrap(),
                    "fetch.max.wait.ms",
                    Long.toString(2 * Await.PATIENCE.toMillis()),
                    "request.timeout.ms",
                    Long.toString(3 * Await.PATIENCE.toMillis()));
            Map<Integer, Long> last = TopicEnds.lastRecords(TOPIC, settings, 0);

            assertThat(last).hasSize(PARTITIONS - 1).doesNotContainKey(0);
            last.forEach((partition, offset) -> assertThat(offset).isEqualTo(partition - 1L));
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, int more) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int record = 0; record < partition + more; record++) {
                var unused = producer.send(new ProducerRecord<>(TOPIC, partition, null, new byte[] {1}));
            }
        }
    }
}
