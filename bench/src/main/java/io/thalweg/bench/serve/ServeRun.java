package io.thalweg.bench.serve;

import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.Status;
import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import io.thalweg.bench.publish.DemandRows;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** {@code ./thalweg serve} in a process of its own, in front of each store in turn, each filled with the same rows. */
public final class ServeRun {
    /** Stores that are expected to hold every load, and have targets; of others it is found out what they do. */
    public static final Set<String> HOLDS = Set.of("rocksdb", "redis");

    private final ServedRows rows;
    private final LoadMeter meter;
    private final double seconds;
    private final double warmUp;
    private final Path cassandraJars;
    private final Progress progress;
    private final List<String> missing = new ArrayList<>();

    /**
     * A measurement.
     *
     * @param count of rows in the store; each cell has its last five
     * @param launcher the file {@code thalweg} of a clone that is built
     * @param cassandraJars of a Cassandra server
     */
    public ServeRun(long count, double seconds, double warmUp, Path launcher, Path cassandraJars, Progress progress) {
        this.rows = new ServedRows(count, launcher, progress);
        this.meter = new LoadMeter(seconds, progress);
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.cassandraJars = cassandraJars;
        this.progress = progress;
    }

    /** How answers differed from what was written; empty if they did not. */
    public String wrong() {
        return meter.wrong();
    }

    /** Stores that could not be started here, and why. */
    public List<String> missing() {
        return List.copyOf(missing);
    }

    /** Measures the stores of these names. */
    public List<Result> run(List<String> stores) throws IOException, InterruptedException {
        missing.addAll(MeasuredStore.each(stores, cassandraJars, (name, store, folder) -> {
            rows.fill(store.open(Clock.systemUTC()), DemandRows.VIEW);
            store.settle(DemandRows.VIEW.qualifiedName());
            measure(name, store.address(), folder);
        }));
        return meter.found();
    }

    private void measure(String store, String address, Path folder) throws IOException, InterruptedException {
        try (ServedRows.Server server = rows.serve(folder, DemandRows.DEFINITION, address)) {
            // All that the server will do, before any of it is measured: it is compiled as it goes.
            for (Load load : Load.values()) {
                try (GrpcReaders grpc = new GrpcReaders(server.port(), requests(rows.cells(load)));
                        HttpReaders http = HttpReaders.ofView(server.port(), rows.cells(load))) {
                    progress.say(store + ": warming up, " + load.text());
                    warmUp(store, grpc, load);
                    warmUp(store, http, load);
                    check(store, grpc, load);
                }
            }
            for (Load load : Load.values()) {
                try (GrpcReaders grpc = new GrpcReaders(server.port(), requests(rows.cells(load)));
                        HttpReaders http = HttpReaders.ofView(server.port(), rows.cells(load))) {
                    measure(store, "grpc", load, grpc, server);
                    measure(store, "http", load, http, server);
                }
            }
        }
    }

    private void warmUp(String store, Readers readers, Load load) throws InterruptedException {
        if (HOLDS.contains(store)) {
            new OpenLoop(readers, load.perSecond(), 1).run(warmUp);
        } else {
            double unused = new ClosedLoop(readers).perSecond(warmUp);
        }
    }

    private void measure(String store, String protocol, Load load, Readers readers, ServedRows.Server server)
            throws InterruptedException {
        double rate = load.perSecond();
        Map<String, Number> held = Map.of();
        if (!HOLDS.contains(store)) {
            double most = new ClosedLoop(readers).perSecond(seconds);
            rate = meter.bearable(readers, load.perSecond(), most);
            held = Map.of("reads_per_second_held", most);
        }
        String variant = "%s, %s, %s, %.0f/s".formatted(store, protocol, load.text(), rate);
        long failed = meter.measure("thalweg", variant, rate, held, readers, server.process()::processorTime);
        if (failed > 0 && held.isEmpty()) {
            meter.wrong(variant + ": " + failed + " reads failed");
        }
    }

    /** Every request's answer has the newest rows. */
    private static List<ReadFeaturesRequest> requests(List<long[]> cells) {
        return cells.stream()
                .map(each -> ReadFeaturesRequest.newBuilder()
                        .setView(DemandRows.VIEW.qualifiedName())
                        .addAllEntities(LongStream.of(each)
                                .mapToObj(cell -> EntityKey.newBuilder()
                                        .putValues(
                                                "cell",
                                                EntityValue.newBuilder()
                                                        .setStringValue(Long.toHexString(cell))
                                                        .build())
                                        .build())
                                .toList())
                        .build())
                .toList();
    }

    private void check(String store, GrpcReaders readers, Load load) throws IOException {
        for (int i = 0; i < readers.requests(); i++) {
            ReadFeaturesResponse answer = readers.answer(i);
            if (answer.getRowsCount() != load.keys()) {
                meter.wrong("%s answered %d of %d keys".formatted(store, answer.getRowsCount(), load.keys()));
                return;
            }
            for (FeatureRow row : answer.getRowsList()) {
                long endMs = row.getWindowEnd().getSeconds() * 1_000;
                if (row.getStatus() != Status.PRESENT
                        || row.getValuesCount()
                                != DemandRows.VIEW.featureNames().size()
                        || endMs < rows.watermarkMs()) {
                    meter.wrong(store + " answered " + row.getStatus() + " at " + endMs);
                    return;
                }
            }
        }
    }
}
