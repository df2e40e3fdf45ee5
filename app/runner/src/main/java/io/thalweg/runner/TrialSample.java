package io.thalweg.runner;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.file.RawBlock;
import io.thalweg.formats.file.RecordFile;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.source.Source;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Copies a bounded part of what a job reads into a broker of this process, whose topics have the same names. Topics are read without a
 * consumer group, so nothing is committed, and records keep their partitions, keys, headers and timestamps.
 *
 * <p><b>Threads.</b> One.
 */
final class TrialSample implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String LARGEST_RECORD = String.valueOf(100 << 20);

    private final EmbeddedKafka broker;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private int partitions;
    private long records;
    private long bytes;

    TrialSample(EmbeddedKafka broker) {
        this.broker = broker;
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "linger.ms",
                        "5",
                        "batch.size",
                        "262144",
                        "max.request.size",
                        LARGEST_RECORD),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    long records() {
        return records;
    }

    /** For people. */
    String text() {
        return "%,d records in %d %s, %.1f MB"
                .formatted(records, partitions, partitions == 1 ? "partition" : "partitions", bytes / 1e6);
    }

    /**
     * Copies the newest records of the topics that a job reads. Each partition contributes in proportion to its length.
     *
     * @param most the most records of all topics together
     * @param patience the time limit, after which the records copied so far must suffice
     * @throws UserError if a topic does not exist, cannot be read, or has no records
     */
    void copy(TrialSpec spec, DeploymentConfig deployment, long most, Duration patience, ProgressLine progress) {
        Map<String, String> cluster = KafkaClusters.required(deployment, spec.kafka());
        for (String topic : spec.topics()) {
            new KafkaTopics(KafkaClusters.of(deployment))
                    .requireTopic(new Ingest.Topic(topic, spec.kafka(), TrialSpec.EARLIEST, Ingest.OnLost.FAIL));
            try {
                copy(topic, cluster, Math.max(1, most / spec.topics().size()), patience, progress);
            } catch (KafkaException e) {
                throw UserError.failed(
                                "topic %s cannot be read: %s".formatted(topic, e.getMessage()),
                                "is the broker reachable? See kafka.%s in thalweg.yaml".formatted(spec.kafka()))
                        .causedBy(e);
            }
        }
        if (records == 0) {
            throw UserError.failed(
                    "topic %s has no records to try with".formatted(String.join(", ", spec.topics())),
                    "send some, or name a file of records with --input");
        }
    }

    private void copy(String topic, Map<String, String> cluster, long most, Duration patience, ProgressLine progress) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                DeadLetterTopic.withoutGroup(cluster), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> all = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            create(topic, all.size());
            Map<TopicPartition, Long> begins = consumer.beginningOffsets(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            consumer.assign(all);
            newest(begins, ends, most).forEach(consumer::seek);
            long deadline = System.nanoTime() + patience.toNanos();
            while (System.nanoTime() < deadline
                    && ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    long end = ends.getOrDefault(new TopicPartition(topic, record.partition()), 0L);
                    if (record.value() != null && record.offset() < end) {
                        send(new ProducerRecord<>(
                                topic,
                                record.partition(),
                                record.timestamp() < 0 ? null : (Long) record.timestamp(),
                                record.key(),
                                record.value(),
                                record.headers()));
                    }
                }
                progress.show(() -> "copying the sample: %,d records".formatted(records));
            }
        }
        flush();
    }

    /** Returns the offset to start from in each partition. */
    static Map<TopicPartition, Long> newest(
            Map<TopicPartition, Long> begins, Map<TopicPartition, Long> ends, long most) {
        long length = 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            length += end.getValue() - begins.getOrDefault(end.getKey(), 0L);
        }
        double share = length <= most ? 1 : (double) most / length;
        Map<TopicPartition, Long> from = new HashMap<>();
        ends.forEach((partition, end) -> {
            long begin = Objects.requireNonNull(begins.get(partition));
            from.put(partition, end - (long) Math.floor((end - begin) * share));
        });
        return from;
    }

    /**
     * Copies the records of files into the topic that a job reads, to its partitions in turn.
     *
     * @param into number of partitions
     * @throws UserError if a file cannot be read, or there are no records
     */
    void copy(TrialSpec spec, List<Path> files, int into, long most) throws IOException {
        String topic = spec.topics().get(0);
        if (spec.topics().size() > 1) {
            throw UserError.usage(
                    "--input names files for one topic, and %s reads %s"
                            .formatted(spec.command(), String.join(", ", spec.topics())),
                    "leave --input out");
        }
        create(topic, into);
        for (Path file : files) {
            copy(topic, file, framing(spec, file), most);
        }
        flush();
        if (records == 0) {
            throw UserError.failed("--input has no records to try with", "name a file that has some");
        }
    }

    private static Framing framing(TrialSpec spec, Path file) {
        Framing framing = Framing.LENGTH_PREFIXED;
        if (spec instanceof TrialSpec.OfIngest of) {
            framing = IngestInput.framing(of.ingest().input(), file);
        } else if (spec instanceof TrialSpec.OfView of) {
            Source source = of.view().source();
            framing = source.hasSchema() ? Framing.ofName(String.valueOf(file.getFileName())) : Framing.LINES;
        }
        if (framing == Framing.AVRO_CONTAINER) {
            throw UserError.usage(
                    "--input %s is an Avro object container file, which no topic has as a record".formatted(file),
                    "name a file of records, or leave --input out");
        }
        return framing;
    }

    private void copy(String topic, Path file, Framing framing, long most) throws IOException {
        try (RecordFile in = RecordFile.open(file, framing, 0, Limits.DEFAULT)) {
            for (RawBlock block = in.read(); block != null && records < most; block = in.read()) {
                for (int i = 0; i < block.size() && records < most; i++) {
                    if (block.damage(i) == null) {
                        byte[] value = Arrays.copyOfRange(block.data(i), block.from(i), block.to(i));
                        send(new ProducerRecord<>(topic, (int) (records % partitions), null, value));
                    }
                }
            }
        }
    }

    private void create(String topic, int count) {
        broker.createTopic(topic, count, Map.of("max.message.bytes", LARGEST_RECORD));
        partitions += count;
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        records++;
        bytes += record.value().length;
        var unused = producer.send(record, (done, failed) -> {
            if (failed != null) {
                failure.compareAndSet(null, failed);
            }
        });
    }

    private void flush() {
        producer.flush();
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("the sample cannot be written: " + failed.getMessage(), failed);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
