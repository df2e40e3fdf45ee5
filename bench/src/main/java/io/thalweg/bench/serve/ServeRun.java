package io.thalweg.bench.serve;

import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.Status;
import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.demand.Child;
import io.thalweg.bench.demand.Folders;
import io.thalweg.bench.demand.Ports;
import io.thalweg.bench.demand.ThalwegServer;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/** {@code ./thalweg serve} in a process of its own, in front of each store in turn, each filled with the same rows. */
public final class ServeRun {
    private static final Duration START = Duration.ofSeconds(60);
    private static final int REQUESTS = 500;
    private static final int SHARDS = 4;
    /** Of a load, once more before it is measured. */
    private static final double AGAIN_SECONDS = 3;

    /** What is asked for how often. */
    private enum Load {
        MANY(100, 200),
        ONE(1, 1_000);

        private final int keys;
        private final int perSecond;

        Load(int keys, int perSecond) {
            this.keys = keys;
            this.perSecond = perSecond;
        }
    }

    private final DemandRows rows;
    private final double seconds;
    private final double warmUp;
    private final Path launcher;
    private final Progress progress;
    private final List<Result> found = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    /**
     * A measurement.
     *
     * @param count of rows in the store; each cell has its last five
     * @param launcher the file {@code thalweg} of a clone that is built
     */
    public ServeRun(long count, double seconds, double warmUp, Path launcher, Progress progress) {
        long every = DemandRows.VIEW.windows().every().millis();
        this.rows = new DemandRows(count, Math.floorDiv(Clock.systemUTC().millis(), every) * every - 10 * every);
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.launcher = launcher;
        this.progress = progress;
    }

    /** How answers differed from what was written; empty if they did not. */
    public String wrong() {
        return String.join("; ", wrong);
    }

    /** Measures the stores of these names: {@code redis}, {@code rocksdb}. */
    public List<Result> run(List<String> stores) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-serve");
        try {
            for (String store : stores) {
                Path own = Files.createDirectories(folder.resolve(store));
                if (store.equals("redis")) {
                    try (RedisServer redis = RedisServer.start(own)) {
                        fill(RedisOnlineStore.open(redis.uri(), "bench", Clock.systemUTC()));
                        measure(store, "{type: redis, uri: \"" + redis.uri() + "\", project: bench}", own);
                    }
                } else {
                    fill(RocksDbOnlineStore.open(own.resolve("store"), Clock.systemUTC()));
                    measure(store, "{path: store}", own);
                }
            }
        } finally {
            Folders.delete(folder);
        }
        return found;
    }

    /** The last window end that all cells have a row of. */
    private long watermarkMs() {
        return rows.lastEndMs() - DemandRows.VIEW.windows().every().millis();
    }

    private void fill(OnlineStore store) {
        progress.say("writing " + (long) rows.blocks() * rows.blockRows() + " rows of 54 features");
        long[][] samples = DemandRows.samples();
        try (store) {
            for (int b = 0; b < rows.blocks(); b++) {
                store.write(DemandRows.VIEW, List.of(rows.block(b, samples)));
            }
            for (int shard = 0; shard < SHARDS; shard++) {
                store.writeProgress(
                        new io.thalweg.model.Progress(DemandRows.VIEW.qualifiedName(), shard, SHARDS, watermarkMs()));
            }
            store.flush();
        }
    }

    private void measure(String store, String address, Path folder) throws IOException, InterruptedException {
        int port = Ports.free();
        Files.writeString(folder.resolve("demand.yaml"), DemandRows.DEFINITION);
        Files.writeString(folder.resolve("thalweg.yaml"), "store: %s\nserver: {port: %d}\n".formatted(address, port));
        List<String> command = List.of(launcher.toString(), "serve", "demand.yaml", "--config", "thalweg.yaml");
        try (Child server = Child.start("serve", folder, Map.of("THALWEG_NO_BUILD", "1"), command, line -> {})) {
            await(server, port);
            // All that the server will do, before any of it is measured: it is compiled as it goes.
            for (Load load : Load.values()) {
                try (GrpcReaders grpc = new GrpcReaders(port, cells(load));
                        HttpReaders http = new HttpReaders(port, cells(load))) {
                    check(store, grpc, load);
                    progress.say(store + ": warming up, " + keys(load));
                    new OpenLoop(grpc, load.perSecond, 1).run(warmUp);
                    new OpenLoop(http, load.perSecond, 1).run(warmUp);
                }
            }
            for (Load load : Load.values()) {
                try (GrpcReaders grpc = new GrpcReaders(port, cells(load));
                        HttpReaders http = new HttpReaders(port, cells(load))) {
                    measure(store, "grpc", load, grpc, server);
                    measure(store, "http", load, http, server);
                }
            }
        }
    }

    private static String keys(Load load) {
        return load.keys == 1 ? "1 key" : load.keys + " keys";
    }

    private static void await(Child server, int port) throws InterruptedException {
        ThalwegServer answers = new ThalwegServer(port);
        long deadline = System.nanoTime() + START.toNanos();
        while (!answers.isUp()) {
            server.requireAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("thalweg serve does not answer after " + START);
            }
            Thread.sleep(100);
        }
    }

    /** Any cells of those written, by chance. */
    private List<long[]> cells(Load load) {
        Random random = new Random(load.keys);
        List<long[]> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(LongStream.generate(
                            () -> DemandRows.cell(random.nextInt(rows.tiles()), random.nextInt(rows.blockRows())))
                    .limit(load.keys)
                    .toArray());
        }
        return requests;
    }

    /** Every request's answer has the newest rows. */
    private void check(String store, GrpcReaders readers, Load load) throws IOException {
        for (int i = 0; i < readers.requests(); i++) {
            ReadFeaturesResponse answer = readers.answer(i);
            if (answer.getRowsCount() != load.keys) {
                wrong.add("%s answered %d of %d keys".formatted(store, answer.getRowsCount(), load.keys));
                return;
            }
            for (FeatureRow row : answer.getRowsList()) {
                long endMs = row.getWindowEnd().getSeconds() * 1_000;
                if (row.getStatus() != Status.PRESENT
                        || row.getValuesCount()
                                != DemandRows.VIEW.featureNames().size()
                        || endMs
                                < rows.lastEndMs()
                                        - DemandRows.VIEW.windows().every().millis()) {
                    wrong.add(store + " answered " + row.getStatus() + " at " + endMs);
                    return;
                }
            }
        }
    }

    private void measure(String store, String protocol, Load load, Readers readers, Child server) {
        String variant = "%s, %s, %s, %d/s".formatted(store, protocol, keys(load), load.perSecond);
        progress.say(variant);
        OpenLoop loop = new OpenLoop(readers, load.perSecond, 1);
        loop.run(AGAIN_SECONDS);
        Duration before = server.processorTime();
        loop.run(seconds);
        Map<String, Number> figures = new LinkedHashMap<>(loop.figures());
        figures.put("server_cores", server.processorTime().minus(before).toNanos() / 1e9 / seconds);
        found.add(new Result("thalweg", variant, figures));
        if (loop.failures() > 0) {
            wrong.add(variant + ": " + loop.failures() + " reads failed");
        }
    }
}
