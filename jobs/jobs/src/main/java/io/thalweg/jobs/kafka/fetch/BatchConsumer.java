package io.thalweg.jobs.kafka.fetch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.clients.FetchSessionHandler.FetchRequestData;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads partitions as the batches that brokers store and send. {@code KafkaConsumer} creates an object for each record, which took up
 * to a third of the processor time of reading and counting small events. Connections, metadata, fetch sessions and settings
 * ({@link ConsumerConfig}) are those of Kafka's own client.
 *
 * <p><b>Threads.</b> Single-threaded, except for {@link #wakeup}.
 */
final class BatchConsumer implements PartitionReader {
    private static final Logger LOG = LoggerFactory.getLogger(BatchConsumer.class);
    /** The last version of a fetch request with topic names; later versions use topic ids. */
    private static final short LAST_WITH_NAMES = 12;

    /** The read position of a partition. */
    private static final class Position {
        LogPosition log;
        /** The end of the readable records, as of the last response. */
        long end;

        boolean paused;
        long retryAtMs;
        /** The follower that the leader prefers for a while, because it is nearer. */
        int follower = FetchResponse.INVALID_PREFERRED_REPLICA_ID;

        long followerUntilMs;
        /** Whether the fetch in flight, or the last one, was sent to the follower. */
        boolean followerAsked;
        /** Whether a follower did not have the requested offset: it may lag, or the records may be lost. */
        boolean leaderJudges;
        /** Since when leaders have consistently reported the offset as lost; 0 if they do not. */
        long lostSinceMs;
        /** The topic id in the fetch in flight, or the last one; the response shows whether it is right. */
        Uuid topicIdAsked = Uuid.ZERO_UUID;

        Position(LogPosition from) {
            log = from;
        }

        /** Returns whether the position is known to be in the topic with this id. */
        boolean isOf(Uuid topicId) {
            return !topicId.equals(Uuid.ZERO_UUID) && topicId.equals(log.topicId());
        }

        boolean isOfAnother(Uuid topicId) {
            return !topicId.equals(Uuid.ZERO_UUID)
                    && !isOf(topicId)
                    && !log.topicId().equals(Uuid.ZERO_UUID);
        }

        boolean readsFollower(long nowMs) {
            return follower != FetchResponse.INVALID_PREFERRED_REPLICA_ID && nowMs < followerUntilMs;
        }
    }

    /** The fetch state of a broker. */
    private static final class Broker {
        final FetchSessionHandler session;
        /** The offsets requested by the fetch in flight; empty if there is none. */
        Map<TopicPartition, Long> asked = Map.of();

        Broker(FetchSessionHandler session) {
            this.session = session;
        }
    }

    private final ConsumerConfig config;
    private final IsolationLevel isolation;
    private final LogContext logs;
    private final Time time = Time.SYSTEM;
    private final Metrics metrics = new Metrics();
    private final BufferSupplier buffers = BufferSupplier.create();
    private final ReceivedBytes received = new ReceivedBytes();
    private final DecompressedBytes memory;
    private final Map<TopicPartition, Position> positions = new LinkedHashMap<>();
    private final Map<String, Broker> brokers = new HashMap<>();
    private final Metadata metadata;
    private final KafkaClient client;

    /**
     * Creates a consumer without partitions.
     *
     * @param properties of a consumer, without deserializers; {@code auto.offset.reset} is always {@code none}
     * @param memory for decompressed batches
     * @throws org.apache.kafka.common.config.ConfigException if a setting is invalid
     */
    BatchConsumer(Properties properties, DecompressedBytes memory) {
        this.memory = memory;
        Properties all = new Properties();
        all.putAll(properties);
        // Required by the configuration, but not used.
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        config = new ConsumerConfig(all);
        isolation = IsolationLevel.valueOf(
                config.getString(ConsumerConfig.ISOLATION_LEVEL_CONFIG).toUpperCase(Locale.ROOT));
        logs = new LogContext("[batches " + config.getString(ConsumerConfig.GROUP_ID_CONFIG) + "] ");
        metadata = new TopicsMetadata();
        client = NetworkClients.create(config, metadata, received, metrics, time, logs);
    }

    /** Metadata of the topics that are read. */
    private final class TopicsMetadata extends Metadata {
        TopicsMetadata() {
            super(
                    config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG),
                    config.getLong(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG),
                    config.getLong(ConsumerConfig.METADATA_MAX_AGE_CONFIG),
                    logs,
                    new ClusterResourceListeners());
        }

        @Override
        protected MetadataRequest.Builder newMetadataRequestBuilder() {
            return MetadataRequest.Builder.forTopicNames(List.copyOf(topics()), false);
        }

        @Override
        protected boolean retainTopic(String topic, boolean internal, long nowMs) {
            return topics().contains(topic);
        }
    }

    private Set<String> topics() {
        Set<String> topics = new HashSet<>();
        positions.keySet().forEach(partition -> topics.add(partition.topic()));
        return topics;
    }

    @Override
    public Set<TopicPartition> assignment() {
        return Set.copyOf(positions.keySet());
    }

    @Override
    public void add(TopicPartition partition, LogPosition from) {
        positions.put(partition, new Position(from));
        metadata.requestUpdateForNewTopics();
    }

    @Override
    public Set<TopicPartition> paused() {
        Set<TopicPartition> paused = new HashSet<>();
        positions.forEach((partition, position) -> {
            if (position.paused) {
                paused.add(partition);
            }
        });
        return paused;
    }

    @Override
    public void pauseOnly(Set<TopicPartition> partitions) {
        positions.forEach((partition, position) -> position.paused = partitions.contains(partition));
    }

    @Override
    public LogPosition position(TopicPartition partition) {
        Position position = positions.get(partition);
        if (position == null) {
            throw new IllegalArgumentException(partition + " is not read");
        }
        return position.log;
    }

    @Override
    public long lag() {
        return positions.values().stream()
                .mapToLong(position -> Math.max(0, position.end - position.log.offset()))
                .sum();
    }

    @Override
    public Set<TopicPartition> refused() {
        Set<TopicPartition> refused = new HashSet<>();
        positions.forEach((partition, position) -> {
            if (position.lostSinceMs != 0) {
                refused.add(partition);
            }
        });
        return refused;
    }

    @Override
    public void wakeup() {
        client.wakeup();
    }

    @Override
    public List<FetchedRecords> poll(Duration timeout) {
        received.reuse();
        // The next batches are requested before the returned ones are read, so that they arrive meanwhile.
        List<FetchedRecords> fetched = new ArrayList<>();
        sendFetches();
        receive(timeout.toMillis(), fetched);
        sendFetches();
        receive(0, fetched);
        return fetched;
    }

    private void receive(long timeoutMs, List<FetchedRecords> into) {
        for (ClientResponse response : client.poll(timeoutMs, time.milliseconds())) {
            if (response.requestHeader().apiKey() == ApiKeys.FETCH) {
                take(response, into);
            }
        }
        metadata.maybeThrowAnyException();
    }

    private void sendFetches() {
        long nowMs = time.milliseconds();
        Map<Node, FetchSessionHandler.Builder> fetches = new LinkedHashMap<>();
        Set<Node> judges = new HashSet<>();
        boolean someAreUnknown = false;
        for (Map.Entry<TopicPartition, Position> each : positions.entrySet()) {
            Position position = each.getValue();
            if (position.paused || nowMs < position.retryAtMs) {
                continue;
            }
            Uuid topicId = metadata.topicIds().getOrDefault(each.getKey().topic(), Uuid.ZERO_UUID);
            if (position.isOfAnother(topicId)) {
                lost(each.getKey(), position, "its topic was deleted and created again");
                continue;
            }
            Node node = node(each.getKey(), position, topicId, nowMs);
            if (node == null) {
                someAreUnknown = true;
            } else if (isReady(node, nowMs)) {
                position.followerAsked = position.readsFollower(nowMs);
                position.topicIdAsked = topicId;
                fetches.computeIfAbsent(
                                node, to -> broker(to.idString()).session.newBuilder())
                        .add(each.getKey(), request(each.getKey(), position, topicId));
                if (position.leaderJudges) {
                    judges.add(node);
                }
            }
        }
        // A leader that knows our rack redirects to a nearer follower before it looks up the offset.
        String rack = config.getString(ConsumerConfig.CLIENT_RACK_CONFIG);
        fetches.forEach(
                (node, fetch) -> send(node.idString(), fetch.build(), judges.contains(node) ? "" : rack, nowMs));
        if (someAreUnknown) { // not earlier: no broker is ready while an update is pending
            metadata.requestUpdate(false);
        }
    }

    /** Returns the node to fetch from; null if it is not known. */
    private @Nullable Node node(TopicPartition partition, Position position, Uuid topicId, long nowMs) {
        if (position.readsFollower(nowMs)) {
            Node follower = metadata.fetch().nodeById(position.follower);
            if (follower != null) {
                return follower;
            }
            position.follower = FetchResponse.INVALID_PREFERRED_REPLICA_ID;
        }
        Metadata.LeaderAndEpoch current = metadata.currentLeader(partition);
        boolean isOutdated =
                position.isOf(topicId) && current.epoch.orElse(Integer.MAX_VALUE) < position.log.leaderEpoch();
        return isOutdated ? null : current.leader.orElse(null);
    }

    private boolean isReady(Node node, long nowMs) {
        AuthenticationException refused = client.authenticationException(node);
        if (refused != null) {
            throw refused;
        }
        return broker(node.idString()).asked.isEmpty() && client.ready(node, nowMs);
    }

    private Broker broker(String id) {
        return brokers.computeIfAbsent(
                id, broker -> new Broker(new FetchSessionHandler(logs, Integer.parseInt(broker))));
    }

    private FetchRequest.PartitionData request(TopicPartition partition, Position position, Uuid topicId) {
        return new FetchRequest.PartitionData(
                topicId,
                position.log.offset(),
                FetchRequest.INVALID_LOG_START_OFFSET,
                config.getInt(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG),
                metadata.currentLeader(partition).epoch,
                position.log.isUnread() ? Optional.empty() : Optional.of(position.log.leaderEpoch()));
    }

    private void send(String broker, FetchRequestData fetch, String rack, long nowMs) {
        short version = fetch.canUseTopicIds() ? ApiKeys.FETCH.latestVersion() : LAST_WITH_NAMES;
        FetchRequest.Builder request = FetchRequest.Builder.forConsumer(
                        version,
                        config.getInt(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG),
                        config.getInt(ConsumerConfig.FETCH_MIN_BYTES_CONFIG),
                        fetch.toSend())
                .isolationLevel(isolation)
                .setMaxBytes(config.getInt(ConsumerConfig.FETCH_MAX_BYTES_CONFIG))
                .metadata(fetch.metadata())
                .removed(fetch.toForget())
                .replaced(fetch.toReplace())
                .rackId(rack);
        Map<TopicPartition, Long> asked = new HashMap<>();
        fetch.sessionPartitions().forEach((partition, data) -> asked.put(partition, data.fetchOffset));
        broker(broker).asked = asked;
        ClientRequest sent = client.newClientRequest(broker, request, nowMs, true);
        client.send(sent, nowMs);
    }

    private void take(ClientResponse response, List<FetchedRecords> into) {
        Broker broker = broker(response.destination());
        Map<TopicPartition, Long> asked = broker.asked;
        broker.asked = Map.of();
        if (response.versionMismatch() != null) {
            throw response.versionMismatch();
        }
        if (!response.hasResponse()) {
            broker.session.handleError(
                    response.wasTimedOut()
                            ? new org.apache.kafka.common.errors.TimeoutException()
                            : new DisconnectException());
            retry(asked.keySet());
            return;
        }
        FetchResponse fetched = (FetchResponse) response.responseBody();
        short version = response.requestHeader().apiVersion();
        if (!broker.session.handleResponse(fetched, version)) {
            retry(asked.keySet());
            return;
        }
        fetched.responseData(broker.session.sessionTopicNames(), version).forEach((partition, data) -> {
            Position position = positions.get(partition);
            Long from = asked.get(partition);
            if (position != null
                    && from != null
                    && from == position.log.offset()) { // otherwise it was added again meanwhile
                take(partition, position, data, into);
            }
        });
    }

    private void take(TopicPartition partition, Position position, PartitionData data, List<FetchedRecords> into) {
        Errors error = Errors.forCode(data.errorCode());
        switch (error) {
            case NONE -> takeBatches(partition, position, data, into);
            case OFFSET_OUT_OF_RANGE -> unread(partition, position, DELETED_OR_LOST);
            case TOPIC_AUTHORIZATION_FAILED -> throw new TopicAuthorizationException(Set.of(partition.topic()));
            case NOT_LEADER_OR_FOLLOWER,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_LEADER_EPOCH,
                    REPLICA_NOT_AVAILABLE,
                    KAFKA_STORAGE_ERROR,
                    OFFSET_NOT_AVAILABLE,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    INCONSISTENT_TOPIC_ID,
                    UNKNOWN_SERVER_ERROR -> {
                LOG.info("{} at offset {} is tried again: {}", partition, position.log.offset(), error.message());
                retry(Set.of(partition));
            }
            default ->
                throw new KafkaException(
                        partition + " at offset " + position.log.offset() + " cannot be read: " + error.message(),
                        error.exception());
        }
    }

    private void takeBatches(
            TopicPartition partition, Position position, PartitionData data, List<FetchedRecords> into) {
        if (FetchResponse.isDivergingEpoch(data)) {
            unread(partition, position, "its brokers lost records that had been read");
            return;
        }
        position.leaderJudges &= position.followerAsked;
        position.lostSinceMs = 0;
        if (!position.topicIdAsked.equals(Uuid.ZERO_UUID)) {
            position.log = position.log.of(position.topicIdAsked);
        }
        FetchResponse.preferredReadReplica(data).ifPresent(follower -> {
            position.follower = follower;
            position.followerUntilMs = time.milliseconds() + config.getLong(ConsumerConfig.METADATA_MAX_AGE_CONFIG);
        });
        position.end = isolation == IsolationLevel.READ_COMMITTED ? data.lastStableOffset() : data.highWatermark();
        MemoryRecords records = (MemoryRecords) FetchResponse.recordsOrFail(data);
        RecordBatch last = null;
        for (RecordBatch batch : records.batches()) {
            last = batch;
        }
        received.read(records.buffer());
        if (last == null) {
            if (records.sizeInBytes() > 0) {
                throw new KafkaException(
                        partition + " at offset " + position.log.offset() + " cannot be read: its broker sent "
                                + records.sizeInBytes() + " bytes, which are less than a batch");
            }
            return;
        }
        // Moved to the end of the next request: brokers send an oversized batch whole only for the first partition.
        positions.remove(partition);
        positions.put(partition, position);
        into.add(new BatchRecords(
                partition,
                records.batches().iterator(),
                new AbortedTransactions(isolation == IsolationLevel.READ_COMMITTED ? data.abortedTransactions() : null),
                position.log,
                config.getBoolean(ConsumerConfig.CHECK_CRCS_CONFIG),
                buffers,
                memory));
        position.log = position.log.at(Math.max(position.log.offset(), last.nextOffset()), last.partitionLeaderEpoch());
    }

    /** Handles an offset that is not in the log of the broker that was asked. */
    private void unread(TopicPartition partition, Position position, String what) {
        if (position.followerAsked) {
            position.leaderJudges = true;
            retry(Set.of(partition));
        } else {
            lost(partition, position, what);
        }
    }

    /** Fails if the loss persists: a broker with old metadata may report one although it no longer leads, or for a replaced topic. */
    private void lost(TopicPartition partition, Position position, String what) {
        long nowMs = time.milliseconds();
        long sinceMs = position.lostSinceMs == 0 ? nowMs : position.lostSinceMs;
        if (nowMs - sinceMs >= LOST_AFTER_MS) {
            throw new LostPositionException(partition, position.log, what);
        }
        retry(Set.of(partition));
        position.lostSinceMs = sinceMs;
    }

    /** Schedules a retry after a pause, from the leader and with fresh metadata. */
    private void retry(Set<TopicPartition> partitions) {
        long retryAtMs = time.milliseconds() + config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG);
        for (TopicPartition each : partitions) {
            Position position = positions.get(each);
            if (position != null) {
                position.retryAtMs = retryAtMs;
                position.lostSinceMs = 0;
                position.follower = FetchResponse.INVALID_PREFERRED_REPLICA_ID;
            }
        }
        metadata.requestUpdate(false);
    }

    @Override
    public void close() {
        Utils.closeQuietly(client, "network client");
        Utils.closeQuietly(metadata, "metadata");
        Utils.closeQuietly(metrics, "metrics");
        Utils.closeQuietly(buffers, "buffers");
    }
}
