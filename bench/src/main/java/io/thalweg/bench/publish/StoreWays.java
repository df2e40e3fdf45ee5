package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.publish.StoreWriter.Order;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.Replay;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ways to write rows to Redis. Each in turn writes to the emptied Redis, in one process that all share. Then its contents are read
 * back and compared.
 */
public final class StoreWays implements AutoCloseable {
    /** The calls in flight of pipelined ways. */
    static final int TOGETHER = 500;
    /** The default batch of the job. */
    static final int BATCH = DeploymentConfig.Load.DEFAULTS.batchRows();
    /** Ways with one call per row write only one in this many rows, which also takes seconds. */
    static final int FEWER = 10;

    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final int WARM_UPS = 4;

    private final RedisServer redis;
    private final Progress progress;
    private final Processes.Running writer;
    private final List<Contestant> ways = new ArrayList<>();
    private @Nullable Replay replay;

    /** Starts the process that writes. */
    StoreWays(RedisServer redis, Progress progress) throws IOException {
        this.redis = redis;
        this.progress = progress;
        writer = new Processes(progress, PATIENCE).start("store-writer", Child.Program.of(StoreWriter.class, "-Xmx2g"));
    }

    /** Returns Thalweg's rows a second, by one subtask with the default batch, divided by those of each other way with one thread. */
    public static Map<String, Double> ratios(List<Result> results) {
        List<Result> compared = results.stream()
                .filter(result ->
                        !result.system().equals("thalweg") || result.variant().equals(variant(BATCH, 1)))
                .toList();
        return Contest.rateRatios(compared, "rows_per_second");
    }

    private static String variant(int batch, int parallelism) {
        return "batch %d, parallelism %d".formatted(batch, parallelism);
    }

    /** Writes rows {@value #WARM_UPS} times, so that most of the code is compiled. */
    void warmUp(Rows rows, Way way) throws Exception {
        progress.say("warming up");
        for (int time = 0; time < WARM_UPS; time++) {
            redis.clear();
            int together = way == Way.JOB ? BATCH : TOGETHER;
            Score unused = writer.ask(new Order(rows, way, together, 1, redis.address()));
        }
    }

    /** Adds a way with one thread. */
    void add(String system, String variant, Rows rows, Way way, int together) {
        add(system, variant, new Order(rows, way, together, 1, redis.address()));
    }

    void addJob(Rows rows, int batch, int parallelism) {
        add("thalweg", variant(batch, parallelism), new Order(rows, Way.JOB, batch, parallelism, redis.address()));
    }

    private void add(String system, String variant, Order order) {
        ways.add(new Contestant(system, variant, () -> measure(order)));
    }

    private Score measure(Order order) throws Exception {
        redis.clear(); // before its CPU time is read: emptying it costs almost as much as filling it
        double before = redis.processorSeconds();
        Score score = writer.ask(order);
        Rows rows = order.rows();
        double processor = redis.processorSeconds() - before;
        Number written = score.figures().get("rows");
        return new Figures()
                .putAll(score.figures())
                .put("server_cpu_seconds_per_million_rows", processor / rows.count() * 1e6)
                .score(
                        written == null || written.longValue() != rows.count()
                                ? "wrote %s of %d rows".formatted(written, rows.count())
                                : rows.difference(order.way(), redis));
    }

    /** Adds the calls of the job with its defaults, replayed from memory. */
    void addReplay(Rows rows) throws Exception {
        Replay recorded = new Replay(redis.port());
        replay = recorded;
        Score unused = writer.ask(new Order(rows, Way.JOB, BATCH, 1, recorded.address()));
        ways.add(new Contestant(
                "replay",
                "the job's calls from memory",
                () -> recorded.measure(redis, rows.count()).score(rows.difference(Way.JOB, redis))));
    }

    /** All ways. */
    List<Contestant> all() {
        return ways;
    }

    @Override
    public void close() throws IOException {
        writer.close();
        if (replay != null) {
            replay.close();
        }
    }
}
