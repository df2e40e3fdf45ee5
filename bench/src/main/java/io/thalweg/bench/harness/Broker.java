package io.thalweg.bench.harness;

import io.thalweg.devkit.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * A Kafka broker in its own process.
 *
 * @param bootstrap its address
 */
public record Broker(Child process, String bootstrap) implements AutoCloseable {
    private static final String BOOTSTRAP = "bootstrap";
    private static final Duration START = Duration.ofMinutes(3);

    private record Order(Path data) {}

    /**
     * Starts a broker with its data in a folder.
     *
     * @throws IllegalStateException with the end of its standard error, if it does not start
     */
    public static Broker start(Path folder) throws IOException, InterruptedException {
        Child.Program program = Child.Program.of(Broker.class, "-Xmx1g", "-XX:+UseParallelGC");
        Child process = Child.java("broker", folder, program, line -> {}, new Order(folder.resolve("kafka")));
        return new Broker(process, process.await(BOOTSTRAP, START));
    }

    /** Runs a broker until its standard input ends, and prints its address. */
    public static void main(String[] args) throws IOException {
        Path data = Messages.read(args[0], Order.class).data();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(data, 0)) {
            Messages.say(BOOTSTRAP + " " + kafka.bootstrap());
            Messages.awaitEndOfInput();
        }
    }

    public static void createTopic(String bootstrap, String name, int partitions, Map<String, String> configs)
            throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(configs)))
                    .all()
                    .get(START.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("topic " + name + " was not created: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
