package io.thalweg.bench.publish;

import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.devkit.DriverTable;
import io.thalweg.formats.BadReason;
import io.thalweg.jobs.load.MaterializeJob;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.StoreKey;
import io.thalweg.tables.TableFiles;
import io.thalweg.tables.TablePart;
import io.thalweg.tables.TableReader;
import io.thalweg.tables.TableSplit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** The rows of a table in Parquet, in a folder: row {@code i} is that of driver {@code i}. */
record DriverRows(String folder, long count, long endMs) implements Rows {
    private static final int FILES = 4;
    private static final int ROW_GROUP_ROWS = 100_000;
    private static final int BATCH = 1_024;
    private static final int READ_KEYS = 1_000;

    /** Writes a table. */
    static DriverRows write(Path folder, long count, long endMs) throws IOException {
        for (int file = 0; file < FILES; file++) {
            DriverTable.write(
                    folder.resolve("lake/part-%d.parquet".formatted(file)),
                    count * file / FILES,
                    count * (file + 1) / FILES,
                    endMs,
                    ROW_GROUP_ROWS);
        }
        return new DriverRows(folder.toString(), count, endMs);
    }

    private Materialization spec() {
        return Definitions.parse("""
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {parquet: lake}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}, {name: rating, field: avg_rating}, {name: vip, type: bool}]
                event_time: {field: ts}
                online: {ttl: 7d}
                """, Path.of(folder, "driver_stats.yaml").toString())
                .materializations()
                .get(0);
    }

    @Override
    public FeatureView view() {
        return spec().view();
    }

    @Override
    public void read(Consumer<RowBlock> taker) throws IOException {
        TableReader.Output output = new TableReader.Output() {
            @Override
            public void rows(KeyedRowBlock block) {
                taker.accept(block);
            }

            @Override
            public void bad(BadReason reason, String detail, long row, byte[] raw) {
                throw new IllegalStateException("row " + row + " is bad: " + detail);
            }
        };
        Materialization spec = spec();
        for (TableSplit split : TableFiles.of(spec, TablePart.ALL).splits()) {
            try (TableReader reader = TableReader.open(spec, split, 0, 0)) {
                int read;
                do {
                    read = reader.read(BATCH, output);
                } while (read > 0);
            }
        }
    }

    @Override
    public void addJob(
            StreamExecutionEnvironment environment, String id, StoreAddress store, DeploymentConfig.Load limits)
            throws IOException {
        Materialization spec = spec();
        new MaterializeJob(
                        id,
                        spec,
                        TableFiles.of(spec, TablePart.ALL).splits(),
                        Clock.systemUTC().millis(),
                        Double.POSITIVE_INFINITY,
                        store,
                        limits,
                        ClockSpec.system(),
                        Path.of(spec.table().path(), ".dead.jsonl").toString(),
                        null)
                .addTo(environment);
    }

    @Override
    public String difference(Way way, RedisServer redis) throws IOException {
        return switch (way) {
            case PLAIN -> plainDifference(redis);
            case CALLS, JOB -> difference(redis);
        };
    }

    private String difference(RedisServer redis) {
        FeatureView view = view();
        try (OnlineStore store = redis.open(Clock.systemUTC())) {
            for (long from = 0; from < count; from += READ_KEYS) {
                List<StoreKey> keys = LongStream.range(from, Math.min(count, from + READ_KEYS))
                        .mapToObj(driver -> new StoreKey(0, List.of(driver)))
                        .toList();
                List<@Nullable StoredRow> read = store.read(view, keys).rows();
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

    private String plainDifference(RedisServer redis) throws IOException {
        try (RedisPipe pipe = new RedisPipe(redis.port())) {
            for (long from = 0; from < count; from += READ_KEYS) {
                long to = Math.min(count, from + READ_KEYS);
                for (long driver = from; driver < to; driver++) {
                    pipe.add(RedisPipe.bytes("HGET"), RedisPipe.bytes("driver:" + driver), RedisPipe.bytes("stats"));
                }
                pipe.send();
                for (long driver = from; driver < to; driver++) {
                    if (!Arrays.equals(pipe.text(), RedisPipe.bytes(text(driver)))) {
                        return "driver %d has other stats than %s".formatted(driver, text(driver));
                    }
                }
            }
        }
        return "";
    }

    /** Returns the features of the only row of a block, as the published system wrote them. */
    static String text(KeyedRowBlock row) {
        long[] low = row.values().low();
        Double rating = row.values().nulls()[1] ? null : (Double) Double.longBitsToDouble(low[1]);
        return text(low[0], rating, low[2]);
    }

    private static String text(long driver) {
        return text(DriverTable.trips(driver), DriverTable.rating(driver), DriverTable.isVip(driver) ? 1 : 0);
    }

    private static String text(long trips, @Nullable Double rating, long vip) {
        return "trips=" + trips + ",rating=" + (rating == null ? "" : rating) + ",vip=" + vip;
    }
}
