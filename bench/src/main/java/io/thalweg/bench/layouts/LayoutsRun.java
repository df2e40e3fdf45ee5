package io.thalweg.bench.layouts;

import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.demand.Folders;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.Online;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.store.cassandra.CassandraOnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The same rows in each layout, in a real Redis and a real Cassandra, each layout by itself: written over those of the window end
 * before, weighed, read back and compared, and read at random.
 */
public final class LayoutsRun {
    private static final int READ_KEYS = 100;
    private static final String PARENT_OF_7 = "parent-of-7";

    private final DemandRows rows;
    private final long[][] samples = DemandRows.samples();
    private final Reads reads;
    private final Progress progress;
    private final List<Result> found = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    /**
     * A measurement of so many rows, each of a cell of its own.
     *
     * @param seconds for how long each kind of read is measured
     */
    public LayoutsRun(long count, double seconds, Progress progress) {
        long every = DemandRows.VIEW.windows().every().millis();
        this.rows = new DemandRows(count, Math.floorDiv(Clock.systemUTC().millis(), every) * every - 10 * every);
        SplittableRandom random = new SplittableRandom(1);
        this.reads = new Reads(
                () -> DemandRows.cell(random.nextInt(rows.blocks()), random.nextInt(rows.blockRows())), seconds);
        this.progress = progress;
    }

    /** What was found so far. */
    public List<Result> results() {
        return List.copyOf(found);
    }

    /** How what was read differed from what was written; empty if it did not. */
    public String wrong() {
        return String.join("; ", wrong);
    }

    /**
     * A server's figures.
     *
     * @param bytes that it has taken for the rows, once it has put them away
     * @param processorSeconds of all its threads, so far
     */
    private record Scales(Figure bytes, Figure processorSeconds) {}

    private interface Figure {
        double get() throws IOException;
    }

    private interface Opener {
        Layout open() throws IOException;
    }

    /** Measures the layouts in a Redis. */
    public void redis() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-layouts");
        try (RedisServer redis = RedisServer.start(folder)) {
            int port = redis.port();
            for (Online.Layout layout : Online.Layout.values()) {
                redis(
                        redis,
                        layout.text(),
                        "redis",
                        () -> new StoreLayout(RedisOnlineStore.open(redis.uri(), "bench", Clock.systemUTC()), layout));
            }
            for (RedisColumns.Numbers numbers : RedisColumns.Numbers.values()) {
                redis(redis, "columns", "redis, " + numbers.text(), () -> new RedisColumns(port, 0, numbers));
            }
            redis(redis, PARENT_OF_7, "redis, binary", () -> new RedisColumns(port, 1, RedisColumns.Numbers.BINARY));
            redis(redis, "map", "redis, json", () -> new RedisMap(port, false));
            redis(redis, "map", "redis, json, zstd", () -> new RedisMap(port, true));
        } finally {
            Folders.delete(folder);
        }
    }

    private void redis(RedisServer redis, String system, String variant, Opener opener) throws IOException {
        redis.clear();
        try (Layout layout = opener.open()) {
            long before = redis.usedMemory();
            write(layout, 0);
            Scales scales = new Scales(() -> redis.usedMemory() - before, redis::processorSeconds);
            measure(system, variant, layout, 1, scales);
        }
    }

    /**
     * Measures the layouts in a Cassandra.
     *
     * @param jars of its server
     * @return why that cannot be done here; empty if it was
     */
    public String cassandra(Path jars) throws IOException {
        Path folder = Files.createTempDirectory("thalweg-layouts");
        try {
            CassandraNode node;
            try {
                node = CassandraNode.start(folder, jars);
            } catch (IllegalStateException | UncheckedIOException e) {
                return String.valueOf(e.getMessage());
            }
            cassandra(node);
            return "";
        } finally {
            Folders.delete(folder);
        }
    }

    private void cassandra(CassandraNode started) throws IOException {
        try (CassandraNode node = started) {
            cassandra(
                    node,
                    Online.Layout.PACKED.text(),
                    DemandRows.VIEW.qualifiedName(),
                    new StoreLayout(CassandraOnlineStore.open(node.where(), Clock.systemUTC()), Online.Layout.PACKED));
            cassandra(node, "columns", "columns", new CassandraColumns(node, "columns", 0));
            cassandra(node, PARENT_OF_7, "parents", new CassandraColumns(node, "parents", 1));
            cassandra(node, "map", "maps", new CassandraMap(node, "maps"));
        }
    }

    private void cassandra(CassandraNode node, String system, String table, Layout opened) throws IOException {
        try (Layout layout = opened) {
            write(layout, 0);
            Figure bytes = () -> {
                node.compact(table);
                return node.bytes(table);
            };
            Scales scales = new Scales(bytes, node::processorSeconds);
            node.compress(table, true);
            measure(system, "cassandra, lz4", layout, 1, scales);
            node.compress(table, false);
            measure(system, "cassandra, uncompressed", layout, 2, scales);
        }
    }

    private void measure(String system, String variant, Layout layout, int end, Scales scales) throws IOException {
        progress.say(system + ", " + variant);
        long count = (long) rows.blocks() * rows.blockRows();
        double processor = scales.processorSeconds.get();
        double seconds = write(layout, end);
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("rows", count);
        figures.put("rows_per_second", Math.rint(count / seconds));
        figures.put("server_cpu_seconds_per_million_rows", (scales.processorSeconds.get() - processor) / count * 1e6);
        figures.put("bytes_per_row", scales.bytes.get() / count);
        String difference = difference(layout, end);
        if (!difference.isEmpty()) {
            wrong.add(system + ", " + variant + ": " + difference);
        }
        figures.putAll(reads.of(layout));
        found.add(new Result(system, variant, figures));
    }

    /** Writes all rows of a window end; the seconds without those for making them. */
    private double write(Layout layout, int end) throws IOException {
        long nanos = 0;
        for (int tile = 0; tile < rows.blocks(); tile++) {
            HexRowBlock block = rows.block(tile, end, samples);
            long begin = System.nanoTime();
            layout.write(block);
            nanos += System.nanoTime() - begin;
        }
        return nanos / 1e9;
    }

    /** How all that is read differs from a window end's rows. */
    private String difference(Layout layout, int end) throws IOException {
        for (int tile = 0; tile < rows.blocks(); tile++) {
            HexRowBlock block = rows.block(tile, end, samples);
            for (int from = 0; from < block.rows(); from += READ_KEYS) {
                int to = Math.min(block.rows(), from + READ_KEYS);
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
