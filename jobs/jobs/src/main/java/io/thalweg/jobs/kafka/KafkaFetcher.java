package io.thalweg.jobs.kafka;

import io.thalweg.jobs.JobPriority;
import io.thalweg.jobs.ThreadTime;
import io.thalweg.jobs.kafka.cluster.BrokerContact;
import io.thalweg.jobs.kafka.cluster.TopicEnds;
import io.thalweg.jobs.kafka.fetch.DecompressedBytes;
import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.jobs.kafka.fetch.PartitionReader;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that polls Kafka, decodes the fetched records and passes them to the reader, at most a few blocks ahead. This thread decodes,
 * not the reader, because the bytes just fetched are in its core's cache.
 *
 * <p><b>Losses.</b> If Kafka has deleted the next records of a partition, it reports that and continues with the first existing record.
 *
 * <p><b>Idleness.</b> If a partition brings no records for a while, it requests the partition's end from the broker and reports the
 * answer, because silence alone does not distinguish an empty partition from an unreachable broker.
 *
 * <p><b>Threads.</b> The consumer belongs to the thread; other threads queue orders.
 *
 * @param <B> a block of records
 */
final class KafkaFetcher<B> implements AutoCloseable {
    /**
     * A report of the fetcher thread.
     *
     * @param <B> a block of records
     */
    @SuppressWarnings("unused") // the parameter is that of the fetcher
    sealed interface Report<B> {}

    /**
     * Records of one partition, in offset order. The reader {@link #giveBack gives back} their memory once it has read them, in the
     * order of the reports.
     *
     * @param behind the position after the records
     * @param memory arrays that no later records use
     */
    record Fetched<B>(TopicPartition partition, B block, LogPosition behind, List<byte[]> memory)
            implements Report<B> {}

    /**
     * Kafka deleted records of a partition before they were read.
     *
     * @param from the position of the first lost record
     * @param to the first existing offset; not every offset before it was that of a record
     */
    record Lost<B>(TopicPartition partition, LogPosition from, long to) implements Report<B> {
        /** The position that reading continues from. */
        LogPosition behind() {
            return from.at(to, LogPosition.NO_EPOCH);
        }
    }

    /**
     * The broker's answer about quiet partitions: some are read to their end; the others are not, or the broker did not answer.
     *
     * @param askedMs {@code now} when the request was sent: the answer may be old by the time the reader sees it
     * @param atEnd with the positions after everything read, which includes transaction markers and events of aborted transactions
     */
    record Quiet<B>(long askedMs, Map<TopicPartition, LogPosition> atEnd, Set<TopicPartition> unknown)
            implements Report<B> {}

    /** A pending request for the ends of quiet partitions; other partitions are read while the broker answers. */
    private record Question(
            long askedMs,
            Set<TopicPartition> partitions,
            KafkaFuture<Map<TopicPartition, ListOffsetsResultInfo>> ends) {}

    /** Result of {@link #lag} before the first answer and after the fetcher is closed. */
    static final long UNKNOWN = -1;

    private static final Logger LOG = LoggerFactory.getLogger(KafkaFetcher.class);
    private static final int AHEAD = 4;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int ASK_MS = 2_000;
    private static final long ASK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final TopicRead read;
    private final Properties properties;
    private final BrokerContact contact;
    private final PollDecoder<B> decoder;
    private final Clock now;
    private final DecompressedBytes memory = new DecompressedBytes();
    private final BlockingQueue<Report<B>> reports = new ArrayBlockingQueue<>(AHEAD);
    private final Queue<Consumer<PartitionReader>> orders = new ConcurrentLinkedQueue<>();
    private final Set<TopicPartition> quiet = new HashSet<>();
    /** Partitions refused by the brokers for which a deletion has already been confirmed or ruled out. */
    private final Set<TopicPartition> judged = new HashSet<>();

    private Runnable reported = () -> {};
    private volatile boolean running;
    private volatile @Nullable Throwable failure;
    private @Nullable PartitionReader consumer;
    private @Nullable Thread thread;
    private volatile @Nullable ThreadTime time;
    private volatile long lag = UNKNOWN;
    private @Nullable Admin admin;
    private @Nullable Question question;
    private long lastAskNanos;

    KafkaFetcher(TopicRead read, PollDecoder<B> decoder, Clock now) {
        this.read = read;
        this.decoder = decoder;
        this.now = now;
        properties = new Properties();
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        // Fewer requests and socket reads than with the defaults.
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, String.valueOf(2 << 20));
        properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, String.valueOf(1 << 20));
        properties.putAll(read.properties());
        contact = BrokerContact.of(properties.getProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, ""));
    }

    /** Starts the thread, which calls {@code onReport} after each report that it queues. */
    void start(Runnable onReport) {
        reported = onReport;
        consumer = PartitionReader.create(read.reader(), properties, memory);
        running = true;
        thread = new Thread(this::run, "kafka-fetcher " + read.topics());
        thread.setDaemon(true);
        JobPriority.give(thread);
        thread.start();
    }

    /**
     * Registers {@code fetch_cpu_nanos} and {@code fetch_waited_nanos}, the time of the thread, 0 before it starts; and Flink's {@code
     * pendingRecords}.
     */
    void register(SourceReaderMetricGroup subtask) {
        subtask.setPendingRecordsGauge(() -> Math.max(0, lag));
        MetricGroup group = subtask.addGroup("thalweg");
        group.<Long, Gauge<Long>>gauge("fetch_cpu_nanos", () -> spent(ThreadTime::cpuNanos));
        group.<Long, Gauge<Long>>gauge("fetch_waited_nanos", () -> spent(ThreadTime::waitedNanos));
    }

    /** Returns the offsets between the fetched records and the partitions' ends, see {@link PartitionReader#lag}, or {@link #UNKNOWN}. */
    long lag() {
        return lag;
    }

    private long spent(ToLongFunction<ThreadTime> on) {
        ThreadTime now = time;
        return now == null ? 0 : on.applyAsLong(now);
    }

    /** Adds partitions to read. */
    void add(Map<TopicPartition, LogPosition> from) {
        order(kafka -> from.forEach(kafka::add));
    }

    /** Pauses these partitions and resumes all others. */
    void pauseOnly(Set<TopicPartition> paused) {
        order(kafka -> kafka.pauseOnly(paused));
    }

    /** Commits the offsets of a completed checkpoint, for monitoring of the group's lag. */
    void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        order(kafka -> {
            String group = properties.getProperty(ConsumerConfig.GROUP_ID_CONFIG);
            var unused = admin().alterConsumerGroupOffsets(group, offsets).all().whenComplete((done, e) -> {
                if (e != null) {
                    LOG.info("Failed to commit offsets for group {}; its reported lag is stale: {}", group, e);
                }
            });
        });
    }

    private Admin admin() {
        Admin kafka = admin;
        if (kafka == null) {
            kafka = Admin.create(properties);
            admin = kafka;
        }
        return kafka;
    }

    private void order(Consumer<PartitionReader> order) {
        orders.add(order);
        PartitionReader kafka = consumer;
        if (kafka != null) {
            kafka.wakeup();
        }
    }

    /** Returns the next report, or null if there is none yet; throws the failure that ended the thread. */
    @Nullable
    Report<B> poll() {
        Report<B> report = reports.poll();
        Throwable ended = failure;
        if (report == null && ended != null) {
            throw new IllegalStateException("reading Kafka failed: " + ended.getMessage(), ended);
        }
        return report;
    }

    /** Takes back the memory of records that are no longer read. */
    void giveBack(Fetched<B> fetched) {
        decoder.giveBack(fetched.block());
        memory.giveBack(fetched.memory());
    }

    boolean hasReport() {
        return !reports.isEmpty() || failure != null;
    }

    private void run() {
        PartitionReader kafka = Objects.requireNonNull(consumer, "not started");
        time = ThreadTime.ofThisThread();
        try (kafka) {
            while (running) {
                fetch(kafka);
            }
        } catch (Throwable e) {
            if (running) {
                failure = e;
                reported.run();
            }
        } finally {
            lag = UNKNOWN;
            contact.gone(this);
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
        }
    }

    private void fetch(PartitionReader kafka) throws InterruptedException {
        for (var order = orders.poll(); order != null; order = orders.poll()) {
            order.accept(kafka);
        }
        if (kafka.assignment().isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
            return;
        }
        for (FetchedRecords records : kafka.poll(POLL)) {
            for (B block; (block = decoder.decode(records)) != null; ) {
                quiet.remove(records.topicPartition());
                contact.answered(this);
                report(new Fetched<>(records.topicPartition(), block, records.behind(), records.left()));
            }
        }
        lag = kafka.lag();
        passDeleted(kafka);
        askAboutQuietOnes(kafka);
    }

    /** Continues after records that Kafka has deleted. Any other loss is left to {@link PartitionReader#poll}. */
    private void passDeleted(PartitionReader kafka) throws InterruptedException {
        Set<TopicPartition> refused = new HashSet<>(kafka.refused());
        judged.retainAll(refused);
        refused.removeAll(judged);
        if (refused.isEmpty()) {
            return;
        }
        judged.addAll(refused);
        for (Map.Entry<TopicPartition, Long> first :
                TopicEnds.firsts(properties, refused).entrySet()) {
            LogPosition position = kafka.position(first.getKey());
            if (first.getValue() > position.offset()) {
                Lost<B> lost = new Lost<>(first.getKey(), position, first.getValue());
                report(lost);
                kafka.add(lost.partition, lost.behind());
            }
        }
    }

    private void askAboutQuietOnes(PartitionReader kafka) throws InterruptedException {
        Question open = question;
        if (open != null && open.ends.isDone()) {
            question = null;
            open.partitions.retainAll(quiet); // the others have brought something since
            if (!open.partitions.isEmpty()) {
                report(answer(kafka, open));
            }
        }
        long now = System.nanoTime();
        if (question == null && now - lastAskNanos >= ASK_EVERY_NANOS) {
            lastAskNanos = now;
            Set<TopicPartition> asked = new HashSet<>(quiet);
            asked.removeAll(kafka.paused());
            quiet.addAll(kafka.assignment());
            question = asked.isEmpty() ? null : ask(asked);
        }
    }

    /**
     * Requests the ends of partitions, including uncommitted records: a long open transaction is not silence, although a consumer of
     * committed records cannot read past it.
     */
    private Question ask(Set<TopicPartition> asked) {
        ListOffsetsOptions options = new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED);
        options.timeoutMs(ASK_MS);
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        asked.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        return new Question(
                now.millis(), asked, admin().listOffsets(latest, options).all());
    }

    private Quiet<B> answer(PartitionReader kafka, Question question) throws InterruptedException {
        Map<TopicPartition, LogPosition> atEnd = new HashMap<>();
        try {
            Map<TopicPartition, ListOffsetsResultInfo> ends = question.ends.get();
            contact.answered(this);
            for (TopicPartition partition : question.partitions) {
                ListOffsetsResultInfo end = ends.get(partition);
                LogPosition position = kafka.position(partition);
                if (end != null && position.offset() >= end.offset()) {
                    atEnd.put(partition, position);
                }
            }
        } catch (ExecutionException e) {
            contact.failed(this, e.getCause() == null ? e : e.getCause());
        }
        Set<TopicPartition> unknown = new HashSet<>(question.partitions);
        unknown.removeAll(atEnd.keySet());
        return new Quiet<>(question.askedMs, atEnd, unknown);
    }

    private void report(Report<B> report) throws InterruptedException {
        while (running && !reports.offer(report, 100, TimeUnit.MILLISECONDS)) {
            // The reader is slower: wait, but notice the close.
        }
        reported.run();
    }

    @Override
    public void close() {
        running = false;
        PartitionReader kafka = consumer;
        Thread polling = thread;
        if (kafka == null || polling == null) {
            return;
        }
        kafka.wakeup();
        try {
            polling.join(3_000);
            polling.interrupt(); // it may be waiting for a schema registry
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
