package io.thalweg.jobs.kafka.partition;

import io.thalweg.jobs.kafka.fetch.LogPosition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Discovers the partitions of the topics, at the start and periodically, and assigns each to one reader. Sends readers with nothing to
 * read the watermark that the other readers have reached.
 *
 * <p><b>New partitions.</b> Watermarks were emitted before a partition was discovered, also by the readers of an earlier run. A new
 * partition is assigned once all readers have reported their watermarks, and carries the smallest. The reader thus knows which of its
 * events belong to closed panes; these become dead letters.
 *
 * <p><b>Threads.</b> The coordinator's thread; Kafka is queried on a worker thread.
 */
public final class KafkaPartitionEnumerator implements SplitEnumerator<KafkaSplit, KafkaAssignment> {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaPartitionEnumerator.class);
    private static final long DISCOVERY_MS = 10_000;

    private final SplitEnumeratorContext<KafkaSplit> context;
    private final List<String> topics;
    private final Properties properties;
    private final long startMs;
    private final Map<TopicPartition, KafkaSplit> assigned = new LinkedHashMap<>();
    private final Map<TopicPartition, KafkaSplit> pending = new LinkedHashMap<>();
    private final IdleClock idleClock;
    private long allowedMs = IdleClock.UNKNOWN;
    private boolean discovered;
    private @Nullable Admin admin;

    public KafkaPartitionEnumerator(
            SplitEnumeratorContext<KafkaSplit> context,
            List<String> topics,
            Properties properties,
            long startMs,
            long silenceMs,
            @Nullable KafkaAssignment restored) {
        this.context = context;
        this.topics = topics;
        this.properties = properties;
        this.startMs = startMs;
        this.idleClock = new IdleClock(silenceMs);
        if (restored != null) {
            restored.assigned().forEach(split -> assigned.put(split.topicPartition(), split));
            restored.pending().forEach(split -> pending.put(split.topicPartition(), split));
        }
    }

    @Override
    public void start() {
        admin = Admin.create(properties);
        // Only the partitions of the first discovery start where the view says; later ones are read from their first
        // record.
        boolean firstLook = assigned.isEmpty() && pending.isEmpty();
        context.callAsync(() -> find(known(), firstLook ? startMs : Long.MIN_VALUE), this::found);
        context.callAsync(() -> find(known(), Long.MIN_VALUE), this::found, DISCOVERY_MS, DISCOVERY_MS);
    }

    private synchronized Set<TopicPartition> known() {
        Set<TopicPartition> known = new HashSet<>(assigned.keySet());
        known.addAll(pending.keySet());
        return known;
    }

    /** Queries Kafka for unknown partitions and their start offsets. */
    private List<KafkaSplit> find(Set<TopicPartition> known, long fromMs)
            throws ExecutionException, InterruptedException {
        Admin kafka = java.util.Objects.requireNonNull(admin, "not started");
        Map<TopicPartition, OffsetSpec> wanted = new LinkedHashMap<>();
        for (TopicDescription topic :
                kafka.describeTopics(topics).allTopicNames().get().values()) {
            for (int partition = 0; partition < topic.partitions().size(); partition++) {
                TopicPartition found = new TopicPartition(topic.name(), partition);
                if (!known.contains(found)) {
                    wanted.put(found, spec(fromMs));
                }
            }
        }
        return wanted.isEmpty() ? List.of() : begun(kafka, wanted);
    }

    private static OffsetSpec spec(long fromMs) {
        if (fromMs == Long.MIN_VALUE) {
            return OffsetSpec.earliest();
        }
        return fromMs == Long.MAX_VALUE ? OffsetSpec.latest() : OffsetSpec.forTimestamp(fromMs);
    }

    private static List<KafkaSplit> begun(Admin kafka, Map<TopicPartition, OffsetSpec> wanted)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, ListOffsetsResultInfo> first =
                kafka.listOffsets(wanted).all().get();
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        first.forEach((partition, info) -> {
            // No record is that recent: start after the last one.
            if (info.offset() < 0) {
                ends.put(partition, OffsetSpec.latest());
            }
        });
        Map<TopicPartition, ListOffsetsResultInfo> last =
                ends.isEmpty() ? Map.of() : kafka.listOffsets(ends).all().get();
        List<KafkaSplit> splits = new ArrayList<>();
        for (TopicPartition partition : wanted.keySet()) {
            ListOffsetsResultInfo end = last.get(partition);
            ListOffsetsResultInfo begin = first.get(partition);
            long offset = end != null ? end.offset() : begin == null ? 0 : begin.offset();
            splits.add(KafkaSplit.at(partition, LogPosition.unread(offset)));
        }
        return splits;
    }

    private void found(@Nullable List<KafkaSplit> splits, @Nullable Throwable failure) {
        if (failure != null) {
            if (!discovered) {
                throw new FlinkRuntimeException("cannot find the partitions of " + topics, failure);
            }
            LOG.warn("Cannot look for new partitions of {}: {}", topics, failure.toString());
            return;
        }
        synchronized (this) {
            if (splits != null) {
                for (KafkaSplit split : splits) {
                    if (!assigned.containsKey(split.topicPartition())) {
                        pending.putIfAbsent(split.topicPartition(), split);
                    }
                }
            }
            discovered = true;
            assign();
        }
    }

    private void assign() {
        if (!idleClock.hasHeardAll(context.currentParallelism())) {
            return;
        }
        long restoredMs = idleClock.restoredMs();
        Map<Integer, List<KafkaSplit>> perReader = new HashMap<>();
        for (KafkaSplit found : List.copyOf(pending.values())) {
            KafkaSplit split = restoredMs == ReaderClock.NONE ? found : found.promised(restoredMs);
            int reader = owner(split);
            if (context.registeredReaders().containsKey(reader)) {
                perReader.computeIfAbsent(reader, r -> new ArrayList<>()).add(split);
                pending.remove(split.topicPartition());
                assigned.put(split.topicPartition(), split);
            }
        }
        if (!perReader.isEmpty()) {
            context.assignSplits(new SplitsAssignment<>(perReader));
        }
        allowIdleOnes();
    }

    /** Sends the watermark that readers without active partitions may promise, if it has advanced. */
    private void allowIdleOnes() {
        if (!discovered || !pending.isEmpty()) {
            return;
        }
        long watermarkMs = idleClock.watermarkMs(context.currentParallelism(), assigned.size());
        if (watermarkMs > allowedMs) {
            allowedMs = watermarkMs;
            context.registeredReaders()
                    .keySet()
                    .forEach(reader -> context.sendEventToSourceReader(reader, new SourceClock(watermarkMs)));
        }
    }

    @Override
    public synchronized void handleSourceEvent(int subtaskId, SourceEvent event) {
        if (event instanceof ReaderClock clock) {
            idleClock.heard(subtaskId, clock);
            assign();
        }
    }

    private int owner(KafkaSplit split) {
        return Math.floorMod(split.topic().hashCode() * 31 + split.partition(), context.currentParallelism());
    }

    @Override
    public void handleSplitRequest(int subtaskId, @Nullable String requesterHostname) {
        // Partitions are assigned when they are discovered, without requests.
    }

    @Override
    public synchronized void addSplitsBack(List<KafkaSplit> splits, int subtaskId) {
        for (KafkaSplit split : splits) {
            assigned.remove(split.topicPartition());
            pending.put(split.topicPartition(), split);
        }
        assign();
    }

    @Override
    public synchronized void addReader(int subtaskId) {
        idleClock.forget(subtaskId);
        // The new reader has not received the watermark that the others have.
        allowedMs = IdleClock.UNKNOWN;
        assign();
    }

    @Override
    public synchronized KafkaAssignment snapshotState(long checkpointId) {
        return new KafkaAssignment(List.copyOf(assigned.values()), List.copyOf(pending.values()));
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(java.time.Duration.ofSeconds(1));
        }
    }
}
