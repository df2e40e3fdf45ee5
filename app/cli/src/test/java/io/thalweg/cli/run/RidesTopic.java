package io.thalweg.cli.run;

import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A topic of rides, and the folder of an ingest that reads it. The deployment has the name of the topic.
 *
 * @param partitions to which rides are sent in turn
 */
record RidesTopic(RidesBroker broker, String name, int partitions, IngestFolder ingest) {
    /** The format of the rides. */
    static final Format FORMAT = Format.THRIFT_COMPACT;

    /**
     * Writes {@code thalweg.yaml}.
     *
     * @param more lines at the top level
     */
    void configure(String more) throws IOException {
        Files.writeString(
                ingest.file("thalweg.yaml"), """
                deployment: %s
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: %s}
                %s
                """.formatted(name, broker.bootstrap(), ingest.file("checkpoints"), more));
    }

    /**
     * Writes the definition.
     *
     * @param source entries of {@code source} behind those of the topic and the format, each with a comma in front
     * @param sink entries of {@code sink}
     */
    void define(String source, String sink) throws IOException {
        Files.writeString(ingest.file("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: %s, %s%s}
                sink: {%s, every: 1s}
                """.formatted(name, FORMAT.source, source, sink));
    }

    Encoder encoder() {
        return Rides.encoder(FORMAT, ingest.folder());
    }

    void send(long from, long to) {
        send(broker.producer(), from, to);
    }

    /** Sends rides within what the producer has begun. */
    void send(KafkaProducer<byte[], byte[]> by, long from, long to) {
        Encoder encoder = encoder();
        for (long id = from; id < to; id++) {
            var unused = by.send(new ProducerRecord<>(name, (int) (id % partitions), null, encoder.encode(id)));
        }
        by.flush();
    }

    /** Sends a record with any value to partition 0. */
    void send(byte @Nullable [] value) {
        var unused = broker.producer().send(new ProducerRecord<>(name, 0, null, value));
        broker.producer().flush();
    }
}
