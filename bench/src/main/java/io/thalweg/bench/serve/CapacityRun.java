package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures how many reads of 100 keys per second and core {@code ./thalweg serve} answers within the limit, in front of each
 * store, compared with plain {@code MGET} from the same Redis.
 *
 * @param count of rows in the store; each cell has its last five
 * @param seconds of a measurement
 * @param warmUp seconds before
 */
public record CapacityRun(long count, double seconds, double warmUp, int rounds, Progress progress) {
    private static final String FIGURE = "reads_per_cpu_second";

    /** Returns the ratios of gRPC and HTTP in front of Redis to {@code MGET}, in CPU time of all servers. */
    public static Map<String, Double> ratios(List<Result> results) {
        return Contest.rateRatios(
                results.stream()
                        .filter(result -> result.variant().startsWith("redis"))
                        .toList(),
                FIGURE);
    }

    /** Measures a store, which is empty. */
    public Contest run(StoreServer store, Path folder) throws Exception {
        try (ServedRows rows = new ServedRows(count, progress);
                Server server = rows.serve(store, folder)) {
            List<long[]> cells = rows.cells();
            Supplier<Duration> servers = () -> server.processorTime().plus(storeTime(store));
            List<Contestant> ways = new ArrayList<>();
            ways.add(way("thalweg", store.name() + ", grpc", rows.grpc(server, cells), servers));
            ways.add(way("thalweg", store.name() + ", http", rows.http(server, cells), servers));
            if (store instanceof RedisServer redis) {
                ways.add(way("mget", "redis, a value per key", rows.mget(redis, cells), () -> storeTime(store)));
            }
            return Contest.run(ways, rounds, progress);
        }
    }

    private Contestant way(String system, String variant, CheckedReaders readers, Supplier<Duration> processorTime)
            throws Exception {
        progress.say("warming up and comparing, %s %s".formatted(system, variant));
        double unused = ClosedLoop.readsPerSecond(readers, warmUp);
        readers.compareAll();
        return new Contestant(
                system, variant, () -> readers.score(new LoadMeter(seconds).capacity(readers, processorTime)));
    }

    private static Duration storeTime(StoreServer store) {
        try {
            return Duration.ofNanos((long) (store.processorSeconds() * 1e9));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
