package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Ports;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.devkit.FeastEnvironment;
import io.thalweg.model.Online;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Thalweg's server and Feast's own, one after the other in front of the same Redis, to which Thalweg wrote rows in Feast's
 * format. Both get the same requests by {@code POST /get-online-features}, and the answers of both are compared with the rows.
 *
 * @param count of rows in the store
 * @param seconds of a measurement
 * @param warmUp seconds of each load before
 */
public record FeastRun(
        FeastEnvironment feast, long count, double seconds, double warmUp, int rounds, Progress progress) {
    private static final Online.Layout LAYOUT = Online.Layout.FEAST_SCALARS;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Returns the reads a second that Thalweg's server sustains, divided by those of Feast's. */
    public static Map<String, Double> ratios(List<Result> results) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        for (Load load : Load.values()) {
            List<Result> ofLoad = results.stream()
                    .filter(result -> result.variant().contains(" " + load.text()))
                    .toList();
            Contest.rateRatios(ofLoad, "reads_per_second_held")
                    .forEach(
                            (name, ratio) -> ratios.put(name + "_" + load.text().replace(' ', '_'), ratio));
        }
        return ratios;
    }

    /** Measures both in front of a Redis, which is empty. */
    public Contest run(StoreServer store, Path folder) throws Exception {
        int workers = Runtime.getRuntime().availableProcessors();
        String definition =
                DemandRows.DEFINITION.replace("online: {", "online: {layout: %s, ".formatted(LAYOUT.text()));
        try (ServedRows rows = new ServedRows(count, progress);
                Server own = rows.serve(store, folder, definition);
                Server other = serve(repository(rows, folder), workers)) {
            List<Contestant> servers = new ArrayList<>();
            for (Load load : Load.values()) {
                progress.say("comparing, " + load.text());
                List<long[]> cells = rows.cells(load);
                servers.add(server("thalweg", "", load, rows.feast(own, cells), own));
                servers.add(server("feast", ", %d workers".formatted(workers), load, rows.feast(other, cells), other));
            }
            return Contest.run(servers, rounds, progress);
        }
    }

    private Contestant server(String system, String suffix, Load load, CheckedReaders readers, Server server)
            throws IOException {
        String variant = "%s, /get-online-features%s, %s".formatted(LAYOUT.text(), suffix, load.text());
        readers.compareAll();
        return new Contestant(system, variant, () -> {
            double unused = ClosedLoop.readsPerSecond(readers, warmUp);
            Figures figures = new LoadMeter(seconds).measureHeld(readers, load.perSecond(), server::processorTime);
            return readers.score(figures, false);
        });
    }

    /** Applies the repository that {@code export feast} creates. */
    private Path repository(ServedRows rows, Path folder) throws IOException, InterruptedException {
        String name = "feature_repo";
        try (Child export =
                rows.thalweg(folder, "export", "feast", "demand.yaml", "--config", "thalweg.yaml", "--out", name)) {
            requireSuccess("thalweg export feast", export);
        }
        Path repository = folder.resolve(name);
        String program = feast.bin().resolve("feast").toString();
        try (Child apply =
                Child.start("apply", repository, FeastEnvironment.VARIABLES, List.of(program, "apply"), line -> {})) {
            requireSuccess("feast apply", apply);
        }
        return repository;
    }

    /** Starts Feast's server; its workers are not restarted every thousand requests, as they are by default. */
    private Server serve(Path repository, int workers) throws IOException, InterruptedException {
        int port = Ports.free();
        List<String> command = List.of(
                feast.bin().resolve("feast").toString(),
                "serve",
                "--port",
                String.valueOf(port),
                "--workers",
                String.valueOf(workers),
                "--max-requests",
                "0",
                "--no-access-log");
        Child server = Child.start("feast", repository, FeastEnvironment.VARIABLES, command, line -> {});
        server.awaitHttp(port, "/health", PATIENCE);
        return new Server(server, port);
    }

    private static void requireSuccess(String what, Child child) throws InterruptedException {
        if (child.awaitExit(PATIENCE) != 0) {
            throw new IllegalStateException(what + " failed: " + child.said());
        }
    }
}
