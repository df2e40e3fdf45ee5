package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.Replay;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.devkit.DriverTable;
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
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.tables.TableFiles;
import io.thalweg.tables.TablePart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * A table in Parquet into one Redis, each way of writing in turn, into an empty one, from which all rows are read back and
 * compared. All read the table alike. Ways with a call per row write a thirtieth of the rows.
 *
 * <p><b>Ways.</b> With the order rule and the TTL: a call per row, 500 calls at a time, {@code thalweg materialize}, and the same
 * calls once more from memory. Without them, as published: {@code HSET} of a text, one by one and 500 at a time.
 */
public record TableLoads(long rows, List<Integer> parallelisms, int rounds, Progress progress) {
    private static final int FILES = 4;
    private static final int ROW_GROUP_ROWS = 100_000;
    private static final int TOGETHER = 500;
    private static final int FEWER = 30;
    private static final int LEAST_ROWS = 50_000;
    private static final int WARM_UP_ROWS = 20_000;
    private static final int READ_KEYS = 1_000;
    private static final long DAY_MS = 86_400_000;

    /** Measures all ways. */
    public Contest run() throws Exception {
        Path folder = Files.createTempDirectory("thalweg-materialize");
        long endMs = Math.floorDiv(Clock.systemUTC().millis(), DAY_MS) * DAY_MS;
        try (RedisServer redis = RedisServer.start(folder)) {
            progress.say("Redis %s; writing a table of %d rows".formatted(redis.version(), rows));
            for (int file = 0; file < FILES; file++) {
                DriverTable.write(
                        folder.resolve("lake/part-%d.parquet".formatted(file)),
                        rows * file / FILES,
                        rows * (file + 1) / FILES,
                        endMs,
                        ROW_GROUP_ROWS);
            }
            return new Ways(folder, redis, endMs).run();
        } finally {
            Folders.delete(folder);
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

    /** The ways of writing, once the table is there. */
    private final class Ways {
        private final Materialization spec;
        private final TableFiles files;
        private final RedisServer store;
        private final long endMs;

        Ways(Path folder, RedisServer store, long endMs) throws IOException {
            this.spec = spec(folder);
            this.files = TableFiles.of(spec, TablePart.ALL);
            this.store = store;
            this.endMs = endMs;
        }

        /** Writes the first {@code most} rows; returns how many it wrote, and from the begin of the first write in ns. */
        private interface Way {
            Written write(long most) throws Exception;
        }

        private record Written(long rows, long nanos) {}

        /** How what is in Redis differs from the first {@code most} rows. */
        private interface Check {
            String difference(long most) throws Exception;
        }

        Contest run() throws Exception {
            long few = Math.max(1, Math.min(rows, Math.max(rows / FEWER, LEAST_ROWS)));
            List<Contestant> ways = new ArrayList<>();
            ways.add(way(
                    "read_only",
                    "nothing written",
                    rows,
                    most -> TableRows.read(spec, files, most, block -> {}),
                    most -> ""));
            ways.add(
                    way("one_call_per_row", "order rule, ttl", few, most -> calls(most, 1, store()), this::difference));
            ways.add(way(
                    "pipelined",
                    TOGETHER + " calls, order rule, ttl",
                    rows,
                    most -> calls(most, TOGETHER, store()),
                    this::difference));
            ways.add(way(
                    "plain_one_call_per_row",
                    "1 HSET at a time, no order rule, no ttl",
                    few,
                    most -> plain(most, 1),
                    this::plainDifference));
            ways.add(way(
                    "plain_pipelined",
                    TOGETHER + " HSET at a time, no order rule, no ttl",
                    rows,
                    most -> plain(most, TOGETHER),
                    this::plainDifference));
            for (int parallelism : parallelisms) {
                Written unused = job(parallelism); // for the compiler
                ways.add(new Contestant(
                        "thalweg",
                        "parallelism " + parallelism,
                        () -> measured(most -> job(parallelism), rows, this::difference)));
            }
            try (Replay replay = recorded()) {
                ways.add(new Contestant(
                        "replay",
                        "the same calls from memory",
                        () -> replay.measure(store, rows).score(difference(rows))));
                return Contest.run(ways, rounds, progress);
            }
        }

        /** Writes some rows before, for the compiler. */
        private Contestant way(String system, String variant, long most, Rows way, Check check) {
            return new Contestant(system, variant, () -> {
                long unused = way.write(Math.min(most, WARM_UP_ROWS));
                return measured(timed(way), most, check);
            });
        }

        private Score measured(Way way, long most, Check check) throws Exception {
            store.clear();
            double server = store.processorSeconds();
            double cpu = Meter.cpuSeconds();
            Written written = way.write(most);
            return new Figures()
                    .rate("rows", written.rows(), written.nanos() / 1e9, Meter.cpuSeconds() - cpu)
                    .put(
                            "server_cpu_seconds_per_million_rows",
                            (store.processorSeconds() - server) / written.rows() * 1e6)
                    .score(check.difference(most));
        }

        private interface Rows {
            long write(long most) throws Exception;
        }

        private Way timed(Rows way) {
            return most -> {
                long begin = System.nanoTime();
                long written = way.write(most);
                return new Written(written, System.nanoTime() - begin);
            };
        }

        private OnlineStore store() {
            return store.open(Clock.systemUTC());
        }

        /** With the order rule's script for each row. */
        private long calls(long most, int together, OnlineStore opened) throws IOException {
            List<KeyedRowBlock> waiting = new ArrayList<>();
            try (opened) {
                long done = TableRows.read(spec, files, most, block -> {
                    for (int row = 0; row < block.rows(); row++) {
                        waiting.add(block.rows(row, row + 1));
                        if (waiting.size() == together) {
                            opened.write(spec.view(), waiting);
                            waiting.clear();
                        }
                    }
                });
                opened.write(spec.view(), waiting);
                return done;
            }
        }

        /** What the published system did: a text of all features, nothing compared, nothing expiring. */
        private long plain(long most, int together) throws IOException {
            KeyCodec keys = new KeyCodec(spec.view());
            try (RedisPipe pipe = new RedisPipe(store.port())) {
                pipe.together(together);
                long done = TableRows.read(spec, files, most, block -> {
                    for (int row = 0; row < block.rows(); row++) {
                        pipe.command(
                                RedisPipe.bytes("HSET"),
                                RedisPipe.bytes("driver:" + block.key(keys, row).get(0)),
                                RedisPipe.bytes("stats"),
                                RedisPipe.bytes(text(block, row)));
                    }
                });
                pipe.settle();
                return done;
            }
        }

        private Written job(int parallelism) throws Exception {
            String id = UUID.randomUUID().toString();
            LoadMetrics.View metrics = LoadMetrics.of(id).view("driver_stats");
            WriteSpan span = new WriteSpan(metrics, new ConcurrentHistogram(60_000_000_000L, 2));
            StreamExecutionEnvironment environment = EmbeddedFlink.bounded(parallelism);
            new MaterializeJob(
                            id,
                            spec,
                            files.splits(),
                            Clock.systemUTC().millis(),
                            Double.POSITIVE_INFINITY,
                            store.address(),
                            DeploymentConfig.Load.DEFAULTS,
                            ClockSpec.system(),
                            Path.of(spec.table().path(), ".dead.jsonl").toString())
                    .addTo(environment);
            environment.execute("materialize");
            return new Written(metrics.rows(), span.nanos());
        }

        /** The store's own calls, to be sent once more from memory: as fast as one connection can. */
        private Replay recorded() throws IOException {
            store.clear();
            Replay replay = new Replay(store.port());
            long unused =
                    calls(rows, TOGETHER, RedisOnlineStore.open(replay.uri(), StoreServer.PROJECT, Clock.systemUTC()));
            return replay;
        }

        private String difference(long most) {
            try (OnlineStore opened = store()) {
                for (long from = 0; from < most; from += READ_KEYS) {
                    List<StoreKey> keys = LongStream.range(from, Math.min(most, from + READ_KEYS))
                            .mapToObj(driver -> new StoreKey(0, List.of(driver)))
                            .toList();
                    List<@Nullable StoredRow> read =
                            opened.read(spec.view(), keys).rows();
                    for (int i = 0; i < read.size(); i++) {
                        if (!isAsInTheTable(read.get(i), from + i)) {
                            return "driver %d is %s".formatted(from + i, read.get(i));
                        }
                    }
                }
            }
            return "";
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

        private String plainDifference(long most) throws IOException {
            try (RedisPipe pipe = new RedisPipe(store.port())) {
                for (long from = 0; from < most; from += READ_KEYS) {
                    long to = Math.min(most, from + READ_KEYS);
                    for (long driver = from; driver < to; driver++) {
                        pipe.add(
                                RedisPipe.bytes("HGET"), RedisPipe.bytes("driver:" + driver), RedisPipe.bytes("stats"));
                    }
                    pipe.send();
                    for (long driver = from; driver < to; driver++) {
                        byte[] found = pipe.text();
                        if (!Arrays.equals(found, RedisPipe.bytes(text(driver)))) {
                            return "driver %d is %s"
                                    .formatted(
                                            driver,
                                            found == null ? "missing" : new String(found, StandardCharsets.US_ASCII));
                        }
                    }
                }
            }
            return "";
        }
    }

    private static String text(KeyedRowBlock block, int row) {
        int at = 3 * row;
        long[] low = block.values().low();
        Double rating = block.values().nulls()[at + 1] ? null : (Double) Double.longBitsToDouble(low[at + 1]);
        return text(low[at], rating, low[at + 2]);
    }

    private static String text(long driver) {
        return text(DriverTable.trips(driver), DriverTable.rating(driver), DriverTable.isVip(driver) ? 1 : 0);
    }

    private static String text(@Nullable Object trips, @Nullable Object rating, long vip) {
        return "trips=" + trips + ",rating=" + (rating == null ? "" : rating) + ",vip=" + vip;
    }
}
