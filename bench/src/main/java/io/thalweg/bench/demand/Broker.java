package io.thalweg.bench.demand;

import io.thalweg.devkit.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;

/** The process that is the Kafka broker: says where it listens, and ends with its standard input. */
public final class Broker {
    private Broker() {}

    /** Starts the broker; the argument is the folder of its data. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(args[0]), 0)) {
            System.out.println("bootstrap " + kafka.bootstrap());
            while (System.in.read() >= 0) {
                // Until the one who started it is gone.
            }
        }
    }
}
