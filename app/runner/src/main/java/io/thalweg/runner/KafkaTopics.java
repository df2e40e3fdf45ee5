package io.thalweg.runner;

import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Checks, before a job starts, that its brokers are reachable and that the topics it reads exist. Creates missing topics that
 * the job writes to.
 */
public final class KafkaTopics {
    private static final long ANSWER_SECONDS = 10;
    private static final String TO_INGEST =
            "create it with --provision, or see source.topic; files are read with --input";

    private final Map<String, Map<String, String>> clusters;

    KafkaTopics(Map<String, Map<String, String>> clusters) {
        this.clusters = clusters;
    }

    /** Checks and creates the topics that a run of these views needs; returns what it created, for people. */
    List<String> prepare(List<FeatureView> views) {
        Map<String, Set<String>> read = new LinkedHashMap<>();
        Map<String, Set<String>> written = new LinkedHashMap<>();
        for (FeatureView view : views) {
            names(read, view.source().kafka()).addAll(view.source().topics());
            names(written, view.source().kafka()).add(view.deadLetterTopic());
            SinkSpec sink = view.sink();
            if (sink != null) {
                names(written, sink.kafka()).add(sink.topic());
            }
        }
        return prepare(read, written, "create it, or see source.topic");
    }

    /** Checks and creates the topics that publishing these views needs; returns what it created, for people. */
    List<String> prepareToPublish(List<FeatureView> views) {
        Map<String, Set<String>> read = new LinkedHashMap<>();
        Map<String, Set<String>> written = new LinkedHashMap<>();
        for (FeatureView view : views) {
            SinkSpec sink = Objects.requireNonNull(view.sink(), "checked before");
            names(read, sink.kafka()).add(sink.topic());
            names(written, view.source().kafka()).add(view.deadLetterTopic());
        }
        return prepare(read, written, "thalweg run makes it and writes rows there; or see sink.topic");
    }

    /** Checks that a topic exists. */
    void requireTopic(Ingest.Topic topic) {
        prepare(Map.of(topic.kafka(), Set.of(topic.topic())), Map.of(), "create it, or see source.topic");
    }

    /** Creates a missing topic with the broker's default number of partitions; returns what it created, for people. */
    List<String> create(Ingest.Topic topic) {
        return ask(topic.kafka(), (kafka, existing) -> make(kafka, existing, Optional.empty(), Set.of(topic.topic())));
    }

    /** Checks that a topic to ingest exists. */
    void requireToIngest(Ingest.Topic topic) {
        prepare(Map.of(topic.kafka(), Set.of(topic.topic())), Map.of(), TO_INGEST);
    }

    /** Checks and creates the topics that ingesting a topic needs; returns what it created, for people. */
    List<String> prepareToIngest(Ingest.Topic topic, Ingest.Sink sink, Set<String> letters) {
        Map<String, Set<String>> written = written(sink);
        names(written, topic.kafka()).addAll(letters);
        return prepare(Map.of(topic.kafka(), Set.of(topic.topic())), written, TO_INGEST);
    }

    /** Creates the topic that an ingest of files writes to; returns what it created, for people. */
    List<String> prepareToWrite(Ingest.Sink sink) {
        return prepare(Map.of(), written(sink), "");
    }

    private static Map<String, Set<String>> written(Ingest.Sink sink) {
        Map<String, Set<String>> written = new LinkedHashMap<>();
        if (sink instanceof Ingest.TopicSink topic) {
            names(written, topic.kafka()).add(topic.topic());
        }
        return written;
    }

    private List<String> prepare(Map<String, Set<String>> read, Map<String, Set<String>> written, String hint) {
        List<String> made = new ArrayList<>();
        Set<String> used = new LinkedHashSet<>(read.keySet());
        used.addAll(written.keySet());
        int partitions = 1;
        for (String cluster : used) {
            Needed needed = new Needed(
                    cluster, read.getOrDefault(cluster, Set.of()), written.getOrDefault(cluster, Set.of()), partitions);
            partitions = prepare(needed, hint, made);
        }
        return made;
    }

    private static Set<String> names(Map<String, Set<String>> byCluster, String cluster) {
        return byCluster.computeIfAbsent(cluster, c -> new LinkedHashSet<>());
    }

    /**
     * The topics that a job needs in a cluster.
     *
     * @param partitions the number of partitions of created topics, unless a topic that is read here has more
     */
    private record Needed(String cluster, Set<String> read, Set<String> written, int partitions) {}

    /** Checks and creates topics, adds the created ones to {@code made}, and returns the most partitions of any topic that is read. */
    private int prepare(Needed needed, String hint, List<String> made) {
        String cluster = needed.cluster();
        return ask(cluster, (kafka, existing) -> {
            int partitions = Math.max(needed.partitions(), partitions(kafka, existing, needed.read(), cluster, hint));
            made.addAll(make(kafka, existing, Optional.of(partitions), needed.written()));
            return partitions;
        });
    }

    /**
     * A request to a cluster with these existing topics.
     *
     * @param <T> the answer
     */
    private interface Question<T> {
        T ask(Admin kafka, Set<String> existing) throws ExecutionException, InterruptedException, TimeoutException;
    }

    private <T> T ask(String cluster, Question<T> question) {
        Properties admin = new Properties();
        admin.putAll(properties(cluster));
        admin.put("default.api.timeout.ms", String.valueOf(TimeUnit.SECONDS.toMillis(ANSWER_SECONDS)));
        admin.put("request.timeout.ms", "5000");
        try (Admin kafka = Admin.create(admin)) {
            return question.ask(kafka, kafka.listTopics().names().get(ANSWER_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            throw failure(cluster, bootstrap(cluster), e);
        } catch (org.apache.kafka.common.KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw UserError.failed(
                            named(cluster, bootstrap(cluster)) + " cannot be used: " + cause.getMessage(),
                            "see kafka." + cluster + " in thalweg.yaml")
                    .causedBy(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.failed("interrupted while asking Kafka for its topics", "");
        }
    }

    private Map<String, String> properties(String cluster) {
        Map<String, String> properties = clusters.get(cluster);
        if (properties == null) {
            throw UserError.usage(
                    "kafka cluster '" + cluster + "' is not in thalweg.yaml",
                    "add kafka: {" + cluster + ": {bootstrap: \"host:9092\"}}; there are: "
                            + String.join(", ", clusters.keySet()));
        }
        return properties;
    }

    private String bootstrap(String cluster) {
        return properties(cluster).getOrDefault("bootstrap.servers", "");
    }

    private static String named(String cluster, String bootstrap) {
        return "kafka cluster '" + cluster + "' at " + bootstrap;
    }

    /** Explains a failure. The client reports an unreachable broker as a timeout of the call that waited for it. */
    private static UserError failure(String cluster, String bootstrap, Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        boolean away = cause instanceof TimeoutException
                || cause instanceof org.apache.kafka.common.errors.TimeoutException
                || cause.getMessage() == null;
        String reason = away ? "within " + ANSWER_SECONDS + " s" : "as it should: " + cause.getMessage();
        return UserError.failed(
                        named(cluster, bootstrap) + " does not answer " + reason,
                        "is it running? kafka." + cluster + ".bootstrap in thalweg.yaml names its address")
                .causedBy(e);
    }

    /** Returns the most partitions of the topics that are read; fails if one is missing. */
    private int partitions(Admin kafka, Set<String> existing, Set<String> read, String cluster, String hint)
            throws ExecutionException, InterruptedException, TimeoutException {
        Set<String> missing = new TreeSet<>(read);
        missing.removeAll(existing);
        if (!missing.isEmpty()) {
            throw UserError.failed(
                    "topic " + String.join(", ", missing) + " does not exist at " + bootstrap(cluster),
                    hint + "; there are: " + String.join(", ", new TreeSet<>(existing)));
        }
        Collection<TopicDescription> topics = kafka.describeTopics(read)
                .allTopicNames()
                .get(ANSWER_SECONDS, TimeUnit.SECONDS)
                .values();
        return topics.stream()
                .mapToInt(topic -> topic.partitions().size())
                .max()
                .orElse(1);
    }

    private static List<String> make(
            Admin kafka, Set<String> existing, Optional<Integer> partitions, Set<String> written)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<String, NewTopic> missing = new HashMap<>();
        for (String topic : written) {
            if (!existing.contains(topic)) {
                missing.put(topic, new NewTopic(topic, partitions, Optional.empty()));
            }
        }
        List<String> made = new ArrayList<>();
        var results = kafka.createTopics(missing.values()).values();
        for (var result : results.entrySet()) {
            try {
                result.getValue().get(ANSWER_SECONDS, TimeUnit.SECONDS);
                made.add("created topic " + result.getKey() + " with "
                        + partitions.map(String::valueOf).orElse("the broker's number of") + " partitions");
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
        }
        return made;
    }
}
