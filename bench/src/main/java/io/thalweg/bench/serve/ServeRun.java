package io.thalweg.bench.serve;

import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.StoreServer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * {@code ./thalweg serve} in a process of its own, in front of each store in turn, each filled with the same rows.
 *
 * @param count of rows in the store; each cell has its last five
 * @param share of the usual rates, for machines that do not hold them
 * @param seconds of a measurement
 * @param warmUp seconds of each load before
 */
public record ServeRun(long count, double share, double seconds, double warmUp, int rounds, Progress progress) {
    /** Stores that are expected to hold every load; of others it is found out what they hold. */
    private static final Set<String> HOLDS = Set.of("rocksdb", "redis");

    /** Measures a store, which is empty. */
    public Contest run(StoreServer store, Path folder) throws Exception {
        ServedRows rows = new ServedRows(count, progress);
        rows.fill(store.open(Clock.systemUTC()), DemandRows.VIEW);
        store.settle(DemandRows.VIEW.qualifiedName());
        List<CheckedReaders> opened = new ArrayList<>();
        try (Server server = rows.serve(folder, DemandRows.DEFINITION, store.yaml())) {
            List<Contestant> ways = new ArrayList<>();
            // All that the server will do, before any of it is measured: it is compiled as it goes.
            for (Load load : Load.values()) {
                progress.say(store.name() + ": warming up and comparing, " + load.text());
                List<long[]> cells = rows.cells(load);
                CheckedReaders grpc =
                        rows.checked(new GrpcReaders(server.port(), requests(cells)), cells, Answers::ofGrpc);
                CheckedReaders http = rows.checked(HttpReaders.ofView(server.port(), cells), cells, Answers::ofView);
                opened.addAll(List.of(grpc, http));
                ways.add(way(store, "grpc", load, grpc, server));
                ways.add(way(store, "http", load, http, server));
                for (CheckedReaders readers : List.of(grpc, http)) {
                    warmUp(store, readers, load);
                    readers.compareAll();
                }
            }
            return Contest.run(ways, rounds, progress);
        } finally {
            opened.forEach(Readers::close);
        }
    }

    private void warmUp(StoreServer store, Readers readers, Load load) throws Exception {
        if (HOLDS.contains(store.name())) {
            new OpenLoop(readers, share * load.perSecond(), 1).run(warmUp);
        } else {
            double unused = ClosedLoop.readsPerSecond(readers, warmUp);
        }
    }

    private Contestant way(StoreServer store, String protocol, Load load, CheckedReaders readers, Server server) {
        String variant = "%s, %s, %s".formatted(store.name(), protocol, load.text());
        boolean holds = HOLDS.contains(store.name());
        return new Contestant("thalweg", variant, () -> {
            Supplier<Duration> time = server::processorTime;
            double rate = share * load.perSecond();
            LoadMeter meter = new LoadMeter(seconds);
            Figures figures = holds ? meter.measure(readers, rate, time) : meter.measureHeld(readers, rate, time);
            return readers.score(figures, holds);
        });
    }

    /** By gRPC. */
    static List<ReadFeaturesRequest> requests(List<long[]> cells) {
        return cells.stream()
                .map(each -> GrpcReaders.request(
                        DemandRows.VIEW.qualifiedName(),
                        LongStream.of(each)
                                .mapToObj(cell -> Map.of("cell", Long.toHexString(cell)))
                                .toList()))
                .toList();
    }
}
