package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Broker;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A topic with all events of a load, and behind them in each partition one that shows that time has gone on.
 *
 * @param events how many of so many campaigns
 */
public record AdTopic(String bootstrap, String name, int partitions, int campaigns, long events) {
    /** Beyond the last window by more than events may come late for anybody. */
    private static final long BEYOND_MS = 60_000;

    private static final long SAY_EVENTS = 1_000_000;

    /** Creates it and sends the events; {@code sent} receives the number sent from time to time. */
    public void produce(LongConsumer sent) throws InterruptedException {
        Broker.createTopic(bootstrap, name, partitions, Map.of());
        AdLoad load = load();
        AdJson json = new AdJson(load);
        AtomicReference<@Nullable Exception> refused = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long event = 0; event < events; event++) {
                send(producer, (int) (event % partitions), load.timeMs(event), json.event(event), refused);
                if (event % SAY_EVENTS == 0) {
                    sent.accept(event);
                }
            }
            long beyondMs = AdLoad.lastWindowEndMs() + BEYOND_MS;
            for (int partition = 0; partition < partitions; partition++) {
                send(producer, partition, beyondMs, json.last(beyondMs), refused);
            }
        }
        Exception failure = refused.get();
        if (failure != null) {
            throw new IllegalStateException("not all events were taken: " + failure.getMessage(), failure);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback learns what the future would tell
    private void send(
            KafkaProducer<byte[], byte[]> producer,
            int partition,
            long timeMs,
            byte[] event,
            AtomicReference<@Nullable Exception> refused) {
        producer.send(new ProducerRecord<>(name, partition, timeMs, null, event), (metadata, error) -> {
            if (error != null) {
                refused.compareAndSet(null, error);
            }
        });
    }

    private Properties settings() {
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "bootstrap.servers",
                bootstrap,
                "acks",
                "1",
                "compression.type",
                "lz4",
                "linger.ms",
                "20",
                "batch.size",
                Integer.toString(1 << 20),
                "buffer.memory",
                Integer.toString(64 << 20)));
        return settings;
    }

    /** What it holds. */
    AdLoad load() {
        return AdLoad.of(campaigns, events);
    }
}
