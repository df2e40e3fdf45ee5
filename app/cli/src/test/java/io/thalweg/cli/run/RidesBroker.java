package io.thalweg.cli.run;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Shared;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The broker of this process and a producer, for all tests of a class, as a static field with {@code @RegisterExtension}. */
final class RidesBroker implements BeforeAllCallback, AfterAllCallback {
    private @Nullable EmbeddedKafka kafka;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    @Override
    public void beforeAll(ExtensionContext context) {
        kafka = Shared.get(EmbeddedKafka.class, EmbeddedKafka::start);
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        producer().close();
    }

    String bootstrap() {
        return Objects.requireNonNull(kafka).bootstrap();
    }

    KafkaProducer<byte[], byte[]> producer() {
        return Objects.requireNonNull(producer);
    }

    /**
     * Makes a topic of rides for a test.
     *
     * @param folder of the test, for its ingest
     */
    RidesTopic topic(Path folder, int partitions) throws IOException {
        String name = "rides-" + folder.getFileName();
        Objects.requireNonNull(kafka).createTopic(name, partitions, Map.of());
        return new RidesTopic(this, name, partitions, IngestFolder.in(folder));
    }
}
