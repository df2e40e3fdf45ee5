package io.thalweg.jobs.kafka.fetch;

import java.util.Map;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ChannelBuilder;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * Creates Kafka's network client, whose constructor changes from release to release. This is the only place that an upgrade of
 * kafka-clients has had to change so far; see ADR 25.
 */
final class NetworkClients {
    /** Requests in flight per broker: at most one fetch, and requests for metadata. */
    private static final int IN_FLIGHT = 100;

    private NetworkClients() {}

    /**
     * Creates a client with the settings that Kafka's own consumer would use.
     *
     * @param metadata bootstrapped here
     * @param received the memory for responses
     */
    static KafkaClient create(
            ConsumerConfig config,
            Metadata metadata,
            MemoryPool received,
            Metrics metrics,
            Time time,
            LogContext logs) {
        metadata.bootstrap(ClientUtils.parseAndValidateAddresses(config));
        ChannelBuilder channels = ClientUtils.createChannelBuilder(config, time, logs);
        Selector selector = new Selector(
                NetworkReceive.UNLIMITED,
                config.getLong(ConsumerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG),
                Selector.NO_FAILED_AUTHENTICATION_DELAY,
                metrics,
                time,
                "consumer",
                Map.of(),
                true,
                false,
                channels,
                received,
                logs);
        return new NetworkClient(
                selector,
                metadata,
                config.getString(ConsumerConfig.CLIENT_ID_CONFIG),
                IN_FLIGHT,
                config.getLong(ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG),
                config.getLong(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG),
                config.getInt(ConsumerConfig.SEND_BUFFER_CONFIG),
                config.getInt(ConsumerConfig.RECEIVE_BUFFER_CONFIG),
                config.getInt(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG),
                config.getLong(ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
                config.getLong(ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
                time,
                true,
                new ApiVersions(),
                logs,
                config.getLong(CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG),
                MetadataRecoveryStrategy.forName(
                        config.getString(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)));
    }
}
