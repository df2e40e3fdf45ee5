package io.thalweg.jobs.deadletters;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes letters as records without a key. It connects to Kafka with the first letter, so not at all if every row is good.
 *
 * @param properties of the cluster
 */
public record KafkaDeadLetters(String topic, Map<String, String> properties) implements DeadLetters {
    @Override
    public DeadLetters.Writer open(int subtask) {
        return new Writer(topic, properties);
    }

    /** Contains only the names of the properties, because values may be secrets. */
    @Override
    public String toString() {
        return "KafkaDeadLetters[" + topic + ", " + properties.keySet() + "]";
    }

    private static final class Writer implements DeadLetters.Writer {
        private final String topic;
        private final Map<String, Object> properties;
        private @Nullable KafkaProducer<byte[], byte[]> producer;
        private volatile @Nullable Exception failure;

        Writer(String topic, Map<String, String> properties) {
            this.topic = topic;
            this.properties = new HashMap<>(properties);
        }

        private synchronized KafkaProducer<byte[], byte[]> producer() {
            if (producer == null) {
                producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
            }
            return producer;
        }

        @Override
        public void write(byte[] letter) {
            var unused = producer().send(new ProducerRecord<>(topic, letter), (done, failed) -> {
                if (failed != null) {
                    failure = failed;
                }
            });
        }

        @Override
        public void flush() {
            synchronized (this) {
                if (producer == null) {
                    return;
                }
            }
            producer().flush();
            Exception failed = failure;
            if (failed != null) {
                throw new KafkaException("dead letters could not be written to topic " + topic, failed);
            }
        }

        @Override
        public synchronized void close() {
            if (producer != null) {
                producer.close(Duration.ZERO);
            }
        }
    }
}
