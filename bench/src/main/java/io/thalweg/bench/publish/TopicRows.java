package io.thalweg.bench.publish;

import io.thalweg.bench.harness.TopicReader;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.jobs.load.LoadJob;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Packed rows of the demand view in a topic. */
record TopicRows(String bootstrap, String topic, DemandRows rows) implements Rows {
    private static final Duration POLL = Duration.ofMillis(100);

    static TopicRows send(EmbeddedKafka kafka, String topic, DemandRows rows) throws IOException {
        kafka.createTopic(topic, DemandRows.PARTITIONS, Map.of("max.message.bytes", "8388608"));
        rows.send(kafka.bootstrap(), topic);
        return new TopicRows(kafka.bootstrap(), topic, rows);
    }

    @Override
    public long count() {
        return rows.count();
    }

    @Override
    public FeatureView view() {
        return DemandRows.viewOf(topic);
    }

    @Override
    public void read(Consumer<RowBlock> taker) {
        HexRowCodec packed = new HexRowCodec(DemandRows.VIEW);
        try (TopicReader records = TopicReader.ofBlocks(bootstrap, topic)) {
            while (records.hasMore()) {
                for (ConsumerRecord<byte[], byte[]> record : records.next(POLL)) {
                    if (record.value()[0] != '{') { // the last ones are progress records
                        taker.accept(packed.decodeBlock(record.value()));
                    }
                }
            }
        }
    }

    @Override
    public void addJob(
            StreamExecutionEnvironment environment, String id, StoreAddress store, DeploymentConfig.Load limits) {
        new LoadJob(
                        id,
                        "bench",
                        List.of(view()),
                        Map.of("default", Map.of("bootstrap.servers", bootstrap)),
                        store,
                        limits,
                        ClockSpec.system(),
                        true)
                .addTo(environment);
    }

    @Override
    public String difference(Way way, RedisServer redis) {
        try (OnlineStore store = redis.open(Clock.systemUTC())) {
            if (way == Way.JOB && store.watermark("demand").orElse(0) != rows.lastEndMs()) {
                return "progress is not " + rows.lastEndMs();
            }
            return rows.difference(store);
        }
    }
}
