package io.thalweg.bench.harness;

import io.thalweg.devkit.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** A Kafka broker in its own process. */
public final class Broker implements AutoCloseable {
    private static final String BOOTSTRAP = "bootstrap ";
    private static final Duration START = Duration.ofMinutes(3);

    private final Child process;
    private final String bootstrap;

    private Broker(Child process, String bootstrap) {
        this.process = process;
        this.bootstrap = bootstrap;
    }

    /**
     * Starts a broker with its data in a folder.
     *
     * @throws IllegalStateException with the end of its standard error, if it does not start
     */
    public static Broker start(Path folder) throws IOException, InterruptedException {
        CompletableFuture<String> bootstrap = new CompletableFuture<>();
        Child process = Child.java(
                "broker",
                folder,
                List.of("-Xmx1g", "-XX:+UseParallelGC"),
                Broker.class,
                List.of(folder.resolve("kafka").toString()),
                line -> {
                    if (line.startsWith(BOOTSTRAP)) {
                        bootstrap.complete(line.substring(BOOTSTRAP.length()));
                    }
                });
        return new Broker(process, process.await("address", bootstrap, START));
    }

    /** Runs a broker until its standard input ends, and prints its address; the argument is the folder of its data. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(args[0]), 0)) {
            System.out.println(BOOTSTRAP + kafka.bootstrap());
            while (System.in.read() >= 0) {
                // Until the parent process has ended.
            }
        }
    }

    /** The address for clients. */
    public String bootstrap() {
        return bootstrap;
    }

    /** Its process. */
    public Child process() {
        return process;
    }

    /** Creates a topic. */
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
