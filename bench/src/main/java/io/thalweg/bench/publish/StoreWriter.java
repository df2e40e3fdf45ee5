package io.thalweg.bench.publish;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.redis.RedisAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The process that writes rows to a store, as each {@link Order} on its standard input requests. The time of all ways is from the
 * start of the first write to the end of the last; opening the topic or the table and the store, and starting Flink, are not
 * included.
 */
public final class StoreWriter {
    private final Order order;
    private final FeatureView view;
    private final ConcurrentHistogram nanos = new ConcurrentHistogram(3);
    private final AtomicLong firstBegin = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastEnd = new AtomicLong(Long.MIN_VALUE);
    private long rows;

    private StoreWriter(Order order) {
        this.order = order;
        this.view = order.rows().view();
    }

    /** How rows are written. */
    enum Way {
        /** Calls the store for single rows, in one thread. */
        CALLS,
        /** Writes to Redis like the published system: a text of all features, without comparison and expiry; in one thread. */
        PLAIN,
        /** Runs Thalweg's job. */
        JOB
    }

    /**
     * An order to write rows.
     *
     * @param together calls that are sent before their answers are awaited; the most rows of a write of the job
     * @param parallelism of the job
     */
    record Order(
            Rows rows,
            Way way,
            int together,
            int parallelism,
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) StoreAddress store) {}

    /** Writes until its standard input ends. */
    public static void main(String[] args) {
        Messages.endAfter(() -> Messages.answer(Order.class, order -> new StoreWriter(order).score()));
    }

    private Score score() throws Exception {
        double cpu = Meter.cpuSeconds();
        write();
        return new Figures()
                .rate("rows", rows, (lastEnd.get() - firstBegin.get()) / 1e9, Meter.cpuSeconds() - cpu)
                .put("rows_per_write", rows / (double) nanos.getTotalCount())
                .latencies("write", nanos)
                .score("");
    }

    private void write() throws Exception {
        switch (order.way()) {
            case CALLS -> {
                try (OnlineStore store = order.store().open(Clock.systemUTC())) {
                    read(each -> store.write(view, each));
                }
            }
            case PLAIN -> {
                RedisAddress redis = (RedisAddress) order.store();
                KeyCodec keys = new KeyCodec(view);
                try (RedisPipe pipe = new RedisPipe(redis.server().uri().getPort())) {
                    read(each -> hset(pipe, keys, each));
                }
            }
            case JOB -> job();
        }
    }

    private void wrote(long begin, long end) {
        nanos.recordValue(end - begin);
        firstBegin.accumulateAndGet(begin, Math::min);
        lastEnd.accumulateAndGet(end, Math::max);
    }

    private void job() throws Exception {
        String id = UUID.randomUUID().toString();
        LoadMetrics.View metrics = LoadMetrics.of(id).view(view.qualifiedName());
        metrics.onLatency(seconds -> {
            long now = System.nanoTime();
            wrote(now - (long) (seconds * 1e9), now);
        });
        DeploymentConfig.Load usual = DeploymentConfig.Load.DEFAULTS;
        DeploymentConfig.Load limits = new DeploymentConfig.Load(
                order.together(), usual.batchBytes(), usual.linger(), usual.inFlight(), usual.targetLatency());
        StreamExecutionEnvironment environment = EmbeddedFlink.bounded(order.parallelism());
        order.rows().addJob(environment, id, order.store(), limits);
        environment.execute("write");
        rows = metrics.rows();
    }

    /** Sends single rows and waits for the answers. */
    private interface Calls {
        void send(List<RowBlock> each) throws IOException;
    }

    private void read(Calls calls) throws IOException {
        List<RowBlock> waiting = new ArrayList<>();
        order.rows().read(block -> {
            for (int row = 0; row < block.rows(); row++) {
                waiting.add(block.rows(row, row + 1));
                if (waiting.size() == order.together()) {
                    send(calls, waiting);
                }
            }
        });
        if (!waiting.isEmpty()) {
            send(calls, waiting);
        }
    }

    private void send(Calls calls, List<RowBlock> waiting) {
        long begin = System.nanoTime();
        try {
            calls.send(waiting);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        wrote(begin, System.nanoTime());
        rows += waiting.size();
        waiting.clear();
    }

    private static void hset(RedisPipe pipe, KeyCodec keys, List<RowBlock> rows) throws IOException {
        for (RowBlock each : rows) {
            KeyedRowBlock row = (KeyedRowBlock) each;
            pipe.command(
                    RedisPipe.bytes("HSET"),
                    RedisPipe.bytes("driver:" + row.key(keys, 0).get(0)),
                    RedisPipe.bytes("stats"),
                    RedisPipe.bytes(DriverRows.text(row)));
        }
        pipe.settle();
    }
}
