package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.StoreServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Measures {@code ./thalweg serve} in its own process, in front of each store in turn, each filled with the same rows.
 *
 * @param count of rows in the store; each cell has its last five
 * @param share of the usual rates, for machines that do not sustain them
 * @param seconds of a measurement
 * @param warmUp seconds of each load before
 */
public record ServeRun(long count, double share, double seconds, double warmUp, int rounds, Progress progress) {
    /** Stores that are expected to sustain every load; for others the capacity is measured. */
    private static final Set<String> HOLDS = Set.of("rocksdb", "redis");

    /** Measures a store, which is empty. */
    public Contest run(StoreServer store, Path folder) throws Exception {
        try (ServedRows rows = new ServedRows(count, progress);
                Server server = rows.serve(store, folder, DemandRows.DEFINITION)) {
            List<Contestant> ways = new ArrayList<>();
            // Exercises everything before any of it is measured, because the server is compiled as it runs.
            for (Load load : Load.values()) {
                List<long[]> cells = rows.cells(load);
                ways.add(way(store, "grpc", load, rows.grpc(server, cells), server));
                ways.add(way(store, "http", load, rows.http(server, cells), server));
            }
            return Contest.run(ways, rounds, progress);
        }
    }

    private Contestant way(StoreServer store, String protocol, Load load, CheckedReaders readers, Server server)
            throws Exception {
        String variant = "%s, %s, %s".formatted(store.name(), protocol, load.text());
        boolean holds = HOLDS.contains(store.name());
        double rate = share * load.perSecond();
        progress.say("warming up and comparing, " + variant);
        if (holds) {
            new OpenLoop(readers, rate, 1).run(warmUp);
        } else {
            double unused = ClosedLoop.readsPerSecond(readers, warmUp);
        }
        readers.compareAll();
        return new Contestant("thalweg", variant, () -> {
            Supplier<Duration> time = server::processorTime;
            LoadMeter meter = new LoadMeter(seconds);
            Figures figures = holds ? meter.measure(readers, rate, time) : meter.measureHeld(readers, rate, time);
            return readers.score(figures, holds);
        });
    }
}
