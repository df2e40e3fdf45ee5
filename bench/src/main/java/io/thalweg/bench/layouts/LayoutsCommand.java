package io.thalweg.bench.layouts;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.layouts.Layout.Features;
import io.thalweg.bench.layouts.Layout.StoreLayout;
import io.thalweg.bench.layouts.PlainCassandra.CassandraColumns;
import io.thalweg.bench.layouts.PlainCassandra.CassandraMap;
import io.thalweg.bench.layouts.PlainRedis.RedisColumns;
import io.thalweg.bench.layouts.PlainRedis.RedisMap;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.CassandraNode;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.Online;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code thalweg bench layouts}: the same rows in each layout, in a real Redis and a real Cassandra, one layout at a time. They
 * overwrite those of the previous window end, are measured in size, read back and compared, and read at random.
 */
@Command(
        name = "layouts",
        description =
                "The same rows of 54 features in Thalweg's layout, Feast's and plain ones, in Redis and Cassandra:"
                        + " bytes, rows a second, latency of reads.",
        footer = {"", "Example:", "  thalweg bench layouts --rows 200000"})
public final class LayoutsCommand extends Benchmark {
    private static final int[] READ_KEYS = {1, 100};
    private static final int COMPARED_KEYS = 100;
    private static final String PARENT_OF_7 = "parent-of-7";

    private final SplittableRandom random = new SplittableRandom(1);
    private DemandRows rows = new DemandRows(0, 0);

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "redis,cassandra, the default.")
    private List<String> stores = StoreServer.SERVED;

    @Option(names = "--rows", description = "Rows in a store, each of its own cell; default 200000.")
    private long count = 200_000;

    /** After a warm-up of a fifth of it. */
    @Option(names = "--seconds", description = "How long each kind of read is measured; default 3.")
    private double seconds = 3;

    @Override
    public Integer call() throws Exception {
        requireOneOf("--store", StoreServer.SERVED, stores);
        rows = new DemandRows(count, DemandRows.recentEndMs(Clock.systemUTC()));
        return end("layouts", StoreServer.each(stores, out()::println, (store, folder) -> run(store)), Map.of());
    }

    private Contest run(StoreServer store) throws Exception {
        List<Contestant> layouts = new ArrayList<>();
        if (store instanceof RedisServer redis) {
            redis(redis, layouts);
        } else if (store instanceof CassandraNode cassandra) {
            cassandra(cassandra, layouts);
        }
        return contest(layouts);
    }

    private void redis(RedisServer store, List<Contestant> layouts) {
        int port = store.port();
        for (Online.Layout layout : Online.Layout.values()) {
            layouts.add(redis(store, layout.text(), "redis", () -> own(store, layout)));
        }
        layouts.add(redis(store, "columns", "redis, binary", () -> new RedisColumns(port, 0)));
        layouts.add(redis(store, PARENT_OF_7, "redis, binary", () -> new RedisColumns(port, 1)));
        layouts.add(redis(store, "map", "redis, json", () -> new RedisMap(port, false)));
        layouts.add(redis(store, "map", "redis, json, zstd", () -> new RedisMap(port, true)));
    }

    private static Layout own(StoreServer store, Online.Layout layout) {
        return StoreLayout.of(store.open(Clock.systemUTC()), layout);
    }

    private Contestant redis(RedisServer store, String system, String variant, Callable<Layout> opener) {
        return new Contestant(system, variant, () -> {
            store.clear();
            try (Layout layout = opener.call()) {
                long before = store.usedMemory();
                double unused = write(layout, 0);
                return measure(layout, store, () -> store.usedMemory() - before);
            }
        });
    }

    private void cassandra(CassandraNode store, List<Contestant> layouts) {
        for (boolean compressed : new boolean[] {true, false}) {
            layouts.add(cassandra(
                    store,
                    Online.Layout.PACKED.text(),
                    DemandRows.VIEW.qualifiedName(),
                    compressed,
                    () -> own(store, Online.Layout.PACKED)));
            layouts.add(cassandra(
                    store, "columns", "columns", compressed, () -> new CassandraColumns(store, "columns", 0)));
            layouts.add(cassandra(
                    store, PARENT_OF_7, "parents", compressed, () -> new CassandraColumns(store, "parents", 1)));
            layouts.add(cassandra(store, "map", "maps", compressed, () -> new CassandraMap(store, "maps")));
        }
    }

    private Contestant cassandra(
            CassandraNode store, String system, String table, boolean compressed, Callable<Layout> opener) {
        return new Contestant(system, "cassandra, " + (compressed ? "lz4" : "uncompressed"), () -> {
            store.clear();
            try (Layout layout = opener.call()) {
                double unused = write(layout, 0);
                store.compress(table, compressed);
                return measure(layout, store, () -> {
                    store.settle(table);
                    return store.bytes(table);
                });
            }
        });
    }

    /** Measures a layout. {@code bytes} returns the size of the rows in the server once they are stored. */
    private Score measure(Layout layout, StoreServer store, Callable<Long> bytes) throws Exception {
        double count = rows.count();
        double processor = store.processorSeconds();
        double writing = write(layout, 1);
        Figures figures = new Figures()
                .put("rows", rows.count())
                .put("rows_per_second", Math.rint(count / writing))
                .put("server_cpu_seconds_per_million_rows", (store.processorSeconds() - processor) / count * 1e6)
                .put("bytes_per_row", bytes.call() / count);
        String difference = difference(layout, 1);
        return figures.putAll(reads(layout)).score(difference);
    }

    /** Writes all rows of a window end; returns the seconds of writing, without those of creating the rows. */
    private double write(Layout layout, int end) throws IOException {
        long nanos = 0;
        for (int tile = 0; tile < rows.blocks(); tile++) {
            HexRowBlock block = rows.block(tile, end);
            long begin = System.nanoTime();
            layout.write(block);
            nanos += System.nanoTime() - begin;
        }
        return nanos / 1e9;
    }

    private Map<String, Number> reads(Layout layout) throws Exception {
        Figures figures = new Figures();
        for (int keys : READ_KEYS) {
            Histogram unused = read(layout, keys, seconds / 5);
            Histogram nanos = read(layout, keys, seconds);
            figures.put("reads_of_" + keys, nanos.getTotalCount()).latencies("read_" + keys, nanos);
        }
        return figures.asMap();
    }

    /** Reads random written cells with one client. */
    private Histogram read(Layout layout, int keys, double forSeconds) throws Exception {
        Histogram nanos = new Histogram(3);
        ClosedLoop.run(forSeconds, random, drawn -> {
            long[] asked = rows.draw(keys, rows.blocks(), drawn);
            return new ClosedLoop.Call(nanos, () -> found(layout, asked));
        });
        return nanos;
    }

    private static List<double @Nullable []> found(Layout layout, long[] cells) throws IOException {
        List<double @Nullable []> features = layout.read(cells);
        if (features.contains(null)) {
            throw new IllegalStateException("a row that was written is not read");
        }
        return features;
    }

    /** Returns how the rows read differ from those of a window end. */
    private String difference(Layout layout, int end) throws IOException {
        for (int tile = 0; tile < rows.blocks(); tile++) {
            HexRowBlock block = rows.block(tile, end);
            for (int from = 0; from < block.rows(); from += COMPARED_KEYS) {
                int to = Math.min(block.rows(), from + COMPARED_KEYS);
                List<double @Nullable []> read = layout.read(Arrays.copyOfRange(block.cells(), from, to));
                for (int row = from; row < to; row++) {
                    double[] features = read.get(row - from);
                    if (!Arrays.equals(features, Features.of(block, row))) {
                        return "row %d of tile %d is %s".formatted(row, tile, features == null ? "missing" : "another");
                    }
                }
            }
        }
        return "";
    }
}
