package io.thalweg.bench.publish;

import com.sun.management.OperatingSystemMXBean;
import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.demand.Folders;
import io.thalweg.devkit.DriverTable;
import io.thalweg.formats.BadReason;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.jobs.load.MaterializeJob;
import io.thalweg.model.Definitions;
import io.thalweg.model.Materialization;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.StoredRow;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import io.thalweg.store.redis.RedisAddress;
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.tables.TableFiles;
import io.thalweg.tables.TablePart;
import io.thalweg.tables.TableReader;
import io.thalweg.tables.TableSplit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * A table in Parquet into one Redis, each way of writing in turn and into an empty one. All read the table alike.
 *
 * <p><b>Ways.</b> With the order rule and the TTL: a call per row, 500 calls at a time, {@code thalweg materialize}, and the same
 * calls once more from memory. Without them, as published: {@code HSET} of a text, one by one and 500 at a time.
 */
public final class TableLoads {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int FILES = 4;
    private static final int ROW_GROUP_ROWS = 100_000;
    private static final int TOGETHER = 500;
    private static final int BATCH = 1_024;
    private static final int READ_KEYS = 1_000;
    private static final long DAY_MS = 86_400_000;

    private final long rows;
    private final List<Integer> parallelisms;
    private final Progress progress;
    private final long endMs;
    private final List<Result> found = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    /** A measurement of so many rows; ways with a call per row write a thirtieth of them. */
    public TableLoads(long rows, List<Integer> parallelisms, Progress progress) {
        this.rows = rows;
        this.parallelisms = parallelisms;
        this.progress = progress;
        this.endMs = Math.floorDiv(Clock.systemUTC().millis(), DAY_MS) * DAY_MS;
    }

    /** How what stood in the store differed from the table; empty if it did not. */
    public String wrong() {
        return String.join("; ", wrong);
    }

    /** A way of writing the first {@code most} rows; returns how many it wrote. */
    private interface Way {
        long write(long most) throws Exception;
    }

    /** Measures all ways. */
    public List<Result> run() throws Exception {
        Path folder = Files.createTempDirectory("thalweg-materialize");
        try (RedisServer redis = RedisServer.start(folder)) {
            progress.say("Redis " + redis.version() + "; writing a table of " + rows + " rows");
            writeTable(folder);
            Materialization spec = spec(folder);
            TableFiles files = TableFiles.of(spec, TablePart.ALL);
            long few = Math.max(1, Math.min(rows, Math.max(rows / 30, 50_000)));
            Way reading = most -> Reading.of(spec, files, most, BATCH, block -> {});
            measure("read_only", "nothing written", reading, rows, redis, false);
            ordered(spec, files, few, redis);
            plain(spec, files, few, redis);
            for (int parallelism : parallelisms) {
                job(spec, files, parallelism, redis); // for the compiler
                measureJob(spec, files, parallelism, redis);
            }
            replay(spec, files, redis);
        } finally {
            Folders.delete(folder);
        }
        return found;
    }

    private void writeTable(Path folder) throws IOException {
        for (int file = 0; file < FILES; file++) {
            DriverTable.write(
                    folder.resolve("lake/part-%d.parquet".formatted(file)),
                    rows * file / FILES,
                    rows * (file + 1) / FILES,
                    endMs,
                    ROW_GROUP_ROWS);
        }
    }

    private static Materialization spec(Path folder) {
        return Definitions.parse("""
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {parquet: lake}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}, {name: rating, field: avg_rating}, {name: vip, type: bool}]
                event_time: {field: ts}
                online: {ttl: 7d}
                """, folder.resolve("driver_stats.yaml").toString())
                .materializations()
                .get(0);
    }

    private void ordered(Materialization spec, TableFiles files, long few, RedisServer redis) throws Exception {
        try (OnlineStore store = RedisOnlineStore.open(redis.uri(), "bench", Clock.systemUTC())) {
            Way calls = most -> Reading.of(spec, files, most, BATCH, block -> {
                for (int row = 0; row < block.rows(); row++) {
                    store.write(spec.view(), List.of(block.rows(row, row + 1)));
                }
            });
            measure("one_call_per_row", "order rule, ttl", calls, few, redis, true);
            measure(
                    "pipelined",
                    TOGETHER + " calls, order rule, ttl",
                    most -> pipelined(spec, files, most, store),
                    rows,
                    redis,
                    true);
        }
    }

    private static long pipelined(Materialization spec, TableFiles files, long most, OnlineStore store)
            throws IOException {
        List<KeyedRowBlock> waiting = new ArrayList<>();
        long done = Reading.of(spec, files, most, BATCH, block -> {
            for (int row = 0; row < block.rows(); row++) {
                waiting.add(block.rows(row, row + 1));
                if (waiting.size() == TOGETHER) {
                    store.write(spec.view(), waiting);
                    waiting.clear();
                }
            }
        });
        store.write(spec.view(), waiting);
        return done;
    }

    /** What the published system did: a text of all features, nothing compared, nothing expiring. */
    private void plain(Materialization spec, TableFiles files, long few, RedisServer redis) throws Exception {
        for (int together : new int[] {1, TOGETHER}) {
            KeyCodec keys = new KeyCodec(spec.view());
            Way way = most -> {
                try (PlainCalls calls = new PlainCalls(redis.port(), together)) {
                    long done = Reading.of(spec, files, most, BATCH, block -> {
                        for (int row = 0; row < block.rows(); row++) {
                            calls.hset("driver:" + block.key(keys, row).get(0), "stats", text(block, row));
                        }
                    });
                    calls.settle();
                    return done;
                }
            };
            measure(
                    together == 1 ? "plain_one_call_per_row" : "plain_pipelined",
                    together + " HSET at a time, no order rule, no ttl",
                    way,
                    together == 1 ? few : rows,
                    redis,
                    false);
        }
    }

    private static String text(KeyedRowBlock block, int row) {
        int at = 3 * row;
        return "trips=" + block.values().low()[at] + ",rating="
                + (block.values().nulls()[at + 1]
                        ? ""
                        : Double.longBitsToDouble(block.values().low()[at + 1])) + ",vip="
                + block.values().low()[at + 2];
    }

    private void measure(String system, String variant, Way way, long most, RedisServer redis, boolean checked)
            throws Exception {
        progress.say(system + ", " + variant);
        way.write(Math.min(most, 20_000)); // for the compiler
        redis.clear();
        double server = redis.processorSeconds();
        long processor = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        long written = way.write(most);
        double seconds = (System.nanoTime() - begin) / 1e9;
        note(system, variant, written, seconds, processor, redis.processorSeconds() - server);
        if (checked) {
            check(system, most, redis.uri());
        }
    }

    private void note(String system, String variant, long written, double seconds, long processorBegun, double server) {
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("rows", written);
        figures.put("seconds", seconds);
        figures.put("rows_per_second", Math.rint(written / seconds));
        figures.put(
                "cpu_seconds_per_million_rows", (SYSTEM.getProcessCpuTime() - processorBegun) / 1e9 / written * 1e6);
        figures.put("server_cpu_seconds_per_million_rows", server / written * 1e6);
        found.add(new Result(system, variant, figures));
    }

    /** Rows written, and from the begin of the first write to the end of the last in ns: starting Flink is left out. */
    private long[] job(Materialization spec, TableFiles files, int parallelism, RedisServer redis) throws Exception {
        redis.clear();
        String id = UUID.randomUUID().toString();
        LoadMetrics.View metrics = LoadMetrics.of(id).view("driver_stats");
        AtomicLong first = new AtomicLong(Long.MAX_VALUE);
        AtomicLong last = new AtomicLong(Long.MIN_VALUE);
        metrics.onLatency(seconds -> {
            long now = System.nanoTime();
            first.accumulateAndGet(now - (long) (seconds * 1e9), Math::min);
            last.accumulateAndGet(now, Math::max);
        });
        StreamExecutionEnvironment environment = EmbeddedFlink.bounded(parallelism);
        new MaterializeJob(
                        id,
                        spec,
                        files.splits(),
                        Clock.systemUTC().millis(),
                        Double.POSITIVE_INFINITY,
                        new RedisAddress(redis.uri().toString(), redis.uri(), "bench"),
                        DeploymentConfig.Load.DEFAULTS,
                        ClockSpec.system(),
                        Path.of(spec.table().path(), ".dead.jsonl").toString())
                .addTo(environment);
        environment.execute("materialize");
        return new long[] {metrics.rows(), last.get() - first.get()};
    }

    private void measureJob(Materialization spec, TableFiles files, int parallelism, RedisServer redis)
            throws Exception {
        progress.say("thalweg, parallelism " + parallelism);
        double server = redis.processorSeconds();
        long processor = SYSTEM.getProcessCpuTime();
        long[] done = job(spec, files, parallelism, redis);
        note(
                "thalweg",
                "parallelism " + parallelism,
                done[0],
                done[1] / 1e9,
                processor,
                redis.processorSeconds() - server);
        check("thalweg", rows, redis.uri());
    }

    /** The store's own calls, recorded once, then sent from memory: as fast as one connection can say them. */
    private void replay(Materialization spec, TableFiles files, RedisServer redis) throws Exception {
        progress.say("recording the store's calls, and sending them again");
        redis.clear();
        try (Replay replay = new Replay(redis.port())) {
            URI through = URI.create("redis://127.0.0.1:" + replay.port());
            try (OnlineStore store = RedisOnlineStore.open(through, "bench", Clock.systemUTC())) {
                pipelined(spec, files, rows, store);
            }
            double best = Double.MAX_VALUE;
            double server = 0;
            long processor = 0;
            for (int round = 0; round < 3; round++) {
                redis.clear();
                double before = redis.processorSeconds();
                long begunAt = SYSTEM.getProcessCpuTime();
                long begin = System.nanoTime();
                replay.run();
                double seconds = (System.nanoTime() - begin) / 1e9;
                if (seconds < best) {
                    best = seconds;
                    server = redis.processorSeconds() - before;
                    processor = SYSTEM.getProcessCpuTime() - begunAt;
                }
            }
            check("replay", rows, redis.uri());
            note("replay", "the same calls from memory", rows, best, SYSTEM.getProcessCpuTime() - processor, server);
        }
    }

    /** Compares what stands in the store with the table. */
    private void check(String system, long most, URI redis) {
        try (OnlineStore store = RedisOnlineStore.open(redis, "bench", Clock.systemUTC())) {
            Materialization spec = spec(Path.of("."));
            for (long from = 0; from < most; from += READ_KEYS) {
                List<StoreKey> keys = LongStream.range(from, Math.min(most, from + READ_KEYS))
                        .mapToObj(driver -> new StoreKey(0, List.of(driver)))
                        .toList();
                List<@Nullable StoredRow> read = store.read(spec.view(), keys).rows();
                for (int i = 0; i < read.size(); i++) {
                    if (!isAsInTheTable(read.get(i), from + i)) {
                        wrong.add("%s: driver %d is %s".formatted(system, from + i, read.get(i)));
                        return;
                    }
                }
            }
        }
    }

    private boolean isAsInTheTable(@Nullable StoredRow row, long driver) {
        return row != null
                && row.windowEndMs() == DriverTable.timeMs(driver, endMs)
                && row.values()
                        .equals(Arrays.asList(
                                DriverTable.trips(driver),
                                DriverTable.rating(driver),
                                DriverTable.isVip(driver) ? 1L : 0L));
    }

    /** Reads the table in one thread. */
    private static final class Reading implements TableReader.Output {
        private final java.util.function.Consumer<KeyedRowBlock> to;
        private long rows;

        private Reading(java.util.function.Consumer<KeyedRowBlock> to) {
            this.to = to;
        }

        static long of(
                Materialization spec,
                TableFiles files,
                long most,
                int batch,
                java.util.function.Consumer<KeyedRowBlock> to)
                throws IOException {
            Reading reading = new Reading(to);
            for (TableSplit split : files.splits()) {
                try (TableReader reader = TableReader.open(spec, split, 0, 0)) {
                    int read;
                    do {
                        read = reader.read((int) Math.min(batch, most - reading.rows), reading);
                    } while (read > 0 && reading.rows < most);
                }
                if (reading.rows >= most) {
                    break;
                }
            }
            return reading.rows;
        }

        @Override
        public void rows(KeyedRowBlock block) {
            rows += block.rows();
            to.accept(block);
        }

        @Override
        public void bad(BadReason reason, String detail, long row, byte[] raw) {
            throw new UncheckedIOException(new IOException("row " + row + " is bad: " + detail));
        }
    }
}
