package io.thalweg.bench.rivals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The parts that all rivals share: Flink configured as its documentation advises, with Kafka on both ends. */
public final class RivalFlink {
    static final Duration OUT_OF_ORDER = Duration.ofSeconds(10);

    /** As in Thalweg's jobs: with Flink's 100 ms, rows would wait in network buffers. */
    private static final Duration BUFFER_TIMEOUT = Duration.ofMillis(5);

    private RivalFlink() {}

    /**
     * Creates an environment of Flink in this process: exactly once, with a checkpoint every ten seconds. It has more memory than
     * by default, because windows of SQL are kept in managed memory, and checkpoints have hundreds of megabytes.
     */
    public static StreamExecutionEnvironment environment(int parallelism, Path checkpoints) {
        Configuration configuration = settings(checkpoints)
                .set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(2048))
                .set(CheckpointingOptions.FS_WRITE_BUFFER_SIZE, 1 << 20);
        return StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    }

    /** Returns the configuration of that environment. */
    public static Configuration settings(Path checkpoints) {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(ExecutionOptions.BUFFER_TIMEOUT, BUFFER_TIMEOUT);
        configuration.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(10));
        configuration.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofMinutes(30));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(256));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(256));
        return configuration;
    }

    /** Reads events of a topic, with their records' timestamps. */
    public static <T> DataStream<T> read(
            StreamExecutionEnvironment environment,
            String bootstrap,
            String topic,
            DeserializationSchema<T> decoder,
            TypeInformation<T> type) {
        // A record's timestamp is the event's time, and the source's strategy tracks partitions separately.
        return environment
                .fromSource(
                        source(bootstrap, topic, decoder).build(),
                        WatermarkStrategy.forBoundedOutOfOrderness(OUT_OF_ORDER),
                        "events")
                .returns(type);
    }

    /** Reads messages of a topic up to its present end, without event time. */
    public static <T> DataStream<T> readToEnd(
            StreamExecutionEnvironment environment, String bootstrap, String topic, DeserializationSchema<T> decoder) {
        KafkaSource<T> source = source(bootstrap, topic, decoder)
                .setBounded(OffsetsInitializer.latest())
                .setProperty("isolation.level", "read_committed")
                .build();
        return environment.fromSource(source, WatermarkStrategy.noWatermarks(), "messages");
    }

    private static <T> KafkaSourceBuilder<T> source(String bootstrap, String topic, DeserializationSchema<T> decoder) {
        return KafkaSource.<T>builder()
                .setBootstrapServers(bootstrap)
                .setTopics(topic)
                .setGroupId("rival")
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setValueOnlyDeserializer(decoder);
    }

    static void write(DataStream<byte[]> rows, String bootstrap, String topic) {
        write(rows, bootstrap, topic, true);
    }

    /** Writes rows to a topic, either in transactions or immediately. */
    public static void write(DataStream<byte[]> rows, String bootstrap, String topic, boolean transactions) {
        Properties producer = new Properties();
        producer.setProperty("compression.type", "lz4");
        producer.setProperty("linger.ms", "5");
        producer.setProperty("batch.size", "131072");
        producer.setProperty("transaction.timeout.ms", "900000");
        rows.sinkTo(KafkaSink.<byte[]>builder()
                        .setBootstrapServers(bootstrap)
                        .setKafkaProducerConfig(producer)
                        .setRecordSerializer(KafkaRecordSerializationSchema.<byte[]>builder()
                                .setTopic(topic)
                                .setValueSerializationSchema(new AsIs())
                                .build())
                        .setDeliveryGuarantee(
                                transactions ? DeliveryGuarantee.EXACTLY_ONCE : DeliveryGuarantee.AT_LEAST_ONCE)
                        .setTransactionalIdPrefix(topic)
                        .build())
                .name("rows");
    }

    /** A class rather than a lambda, because Flink needs its type. */
    private static final class AsIs implements SerializationSchema<byte[]> {
        @Override
        public byte[] serialize(byte[] row) {
            return row;
        }
    }

    static TypeInformation<byte[]> rowType() {
        return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    }
}
