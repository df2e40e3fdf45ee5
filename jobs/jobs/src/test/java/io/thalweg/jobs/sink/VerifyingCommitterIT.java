package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.internal.BackchannelFactory;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.connector.kafka.sink.internal.KafkaCommitter;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the commit of transactions of a restored checkpoint against a real broker. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class VerifyingCommitterIT {
    /** Records what the committer reports about its transaction. */
    private static final class Request implements CommitRequest<KafkaCommittable> {
        private final KafkaCommittable committable;
        boolean alreadyCommitted;
        boolean retried;
        boolean counted;

        @Nullable
        Throwable ignored;

        @Nullable
        Throwable failed;

        Request(KafkaCommittable committable) {
            this.committable = committable;
        }

        @Override
        public KafkaCommittable getCommittable() {
            return committable;
        }

        @Override
        public int getNumberOfRetries() {
            return 0;
        }

        @Override
        public void signalFailedWithKnownReason(Throwable reason) {
            ignored = reason;
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable reason) {
            failed = reason;
        }

        @Override
        public void retryLater() {
            retried = true;
        }

        @Override
        public void updateAndRetryLater(KafkaCommittable committable) {
            retried = true;
        }

        @Override
        public void signalAlreadyCommitted() {
            alreadyCommitted = true;
        }
    }

    private static EmbeddedKafka broker;

    @BeforeAll
    static void start() {
        broker = EmbeddedKafka.start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static Properties properties() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", broker.bootstrap());
        properties.put("key.serializer", ByteArraySerializer.class.getName());
        properties.put("value.serializer", ByteArraySerializer.class.getName());
        return properties;
    }

    /** Writes a transaction with one record to a separate topic, because an open transaction hides all later records. */
    private static FlinkKafkaInternalProducer<byte[], byte[]> written(String id) throws Exception {
        broker.createTopic(id, 1, Map.of());
        FlinkKafkaInternalProducer<byte[], byte[]> producer = new FlinkKafkaInternalProducer<>(properties(), id);
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(id, id.getBytes(StandardCharsets.UTF_8)))
                .get();
        return producer;
    }

    /** Returns the transaction as a checkpoint stores it: without its producer. */
    private static KafkaCommittable kept(FlinkKafkaInternalProducer<byte[], byte[]> producer) {
        return new KafkaCommittable(producer.getProducerId(), producer.getEpoch(), producer.getTransactionalId(), null);
    }

    private static Request commit(KafkaCommittable kept) throws Exception {
        Request request = new Request(kept);
        KafkaCommitter committer =
                new KafkaCommitter(properties(), "verify", 0, 0, false, FlinkKafkaInternalProducer::new);
        // The committer reports to a writer; there is none here.
        try (AutoCloseable writer = BackchannelFactory.getInstance().getReadableBackchannel(0, 0, "verify");
                VerifyingCommitter verifying = new VerifyingCommitter(
                        committer, () -> Admin.create(properties()), id -> request.counted = true)) {
            assertThat(writer).isNotNull();
            verifying.commit(List.of(request));
        }
        assertThat(request.ignored).as("a loss that is only logged").isNull();
        assertThat(request.retried).isFalse();
        assertThat(request.counted).as("counted as committed").isEqualTo(request.failed == null);
        return request;
    }

    @Test
    void commit_ofWhatIsStillOpen_commitsIt() throws Exception {
        try (FlinkKafkaInternalProducer<byte[], byte[]> producer = written("open")) {
            Request request = commit(kept(producer));

            assertThat(request.failed).isNull();
            awaitCommitted("open");
        }
    }

    @Test
    void commit_ofWhatWasCommittedBeforeTheFailure_isFine() throws Exception {
        try (FlinkKafkaInternalProducer<byte[], byte[]> producer = written("committed")) {
            KafkaCommittable kept = kept(producer);
            producer.commitTransaction();

            Request request = commit(kept);

            assertThat(request.failed).isNull();
        }
    }

    @Test
    void commit_ofWhatKafkaRolledBack_failsTheJobAndSaysWhatToDo() throws Exception {
        try (FlinkKafkaInternalProducer<byte[], byte[]> producer = written("rolled-back")) {
            KafkaCommittable kept = kept(producer);
            producer.abortTransaction();

            Request request = commit(kept);

            assertThat(request.failed)
                    .isInstanceOf(LostTransactionException.class)
                    .hasMessageContainingAll("'rolled-back'", "CompleteAbort", "--resume", "transaction.timeout.ms");
            assertThat(request.alreadyCommitted).isFalse();
        }
    }

    @Test
    void commit_ofWhatANewProducerTookOver_failsTheJob() throws Exception {
        try (FlinkKafkaInternalProducer<byte[], byte[]> producer = written("taken")) {
            KafkaCommittable kept = kept(producer);
            try (FlinkKafkaInternalProducer<byte[], byte[]> other =
                    new FlinkKafkaInternalProducer<>(properties(), "taken")) {
                other.initTransactions();

                assertThat(commit(kept).failed).isInstanceOf(LostTransactionException.class);
            }
        }
    }

    @Test
    void commit_withTheBrokerSilentAboutIt_failsTheJobForAnotherTry() throws Exception {
        try (FlinkKafkaInternalProducer<byte[], byte[]> producer = written("unasked")) {
            Request request = new Request(kept(producer));
            VerifyingCommitter verifying =
                    new VerifyingCommitter(new Refusing(), () -> Admin.create(nowhere()), id -> request.counted = true);

            verifying.commit(List.of(request));

            assertThat(request.failed).isInstanceOf(IOException.class).hasMessageContaining("'unasked'");
            assertThat(request.counted).isFalse();
        }
    }

    private static Properties nowhere() {
        Properties properties = properties();
        properties.put("bootstrap.servers", "127.0.0.1:1");
        properties.put("default.api.timeout.ms", "500");
        properties.put("request.timeout.ms", "500");
        return properties;
    }

    /** Refuses every transaction. */
    private static final class Refusing implements org.apache.flink.api.connector.sink2.Committer<KafkaCommittable> {
        @Override
        public void commit(java.util.Collection<CommitRequest<KafkaCommittable>> requests) {
            requests.forEach(request -> request.signalFailedWithKnownReason(new IOException("refused")));
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** Waits until a reader of committed records receives the record. */
    private static void awaitCommitted(String id) {
        Properties properties = properties();
        properties.put("isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> reader =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(id, 0);
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            List<String> read = new ArrayList<>();
            Await.until("record " + id, () -> {
                reader.poll(Duration.ofMillis(500))
                        .forEach(row -> read.add(new String(row.value(), StandardCharsets.UTF_8)));
                return read.contains(id);
            });
        }
    }
}
