package io.thalweg.bench.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.devkit.FeastEnvironment;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Online;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Thalweg's server and Feast's own, one after the other in front of the same Redis, in which Thalweg wrote rows as Feast looks for
 * them; both asked the same by {@code POST /get-online-features}, and their answers compared.
 *
 * @param count of rows in the store
 * @param seconds of a measurement
 * @param warmUp seconds of each load before
 */
public record FeastRun(
        FeastEnvironment feast, long count, double seconds, double warmUp, int rounds, Progress progress) {
    private static final Online.Layout LAYOUT = Online.Layout.FEAST_SCALARS;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Values that are compared for each load. */
    private static final int COMPARED = 300_000;

    /** How many reads a second Thalweg's server holds, divided by how many Feast's does. */
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
        Online online = DemandRows.VIEW.online();
        FeatureView view = DemandRows.VIEW.withOnline(new Online(online.ttl(), null, LAYOUT));
        ServedRows rows = new ServedRows(count, progress);
        int workers = Runtime.getRuntime().availableProcessors();
        rows.fill(store.open(Clock.systemUTC()), view);
        String definition =
                DemandRows.DEFINITION.replace("online: {", "online: {layout: %s, ".formatted(LAYOUT.text()));
        try (ServedRows.Server own = rows.serve(folder, definition, store.yaml());
                FeastServer other = FeastServer.start(feast, repository(rows, folder), workers)) {
            List<Contestant> servers = new ArrayList<>();
            for (Load load : Load.values()) {
                String difference = answers(rows, own.port(), load).equals(answers(rows, other.port(), load))
                        ? ""
                        : "Feast's server answers other values than Thalweg's to reads of " + load.text();
                servers.add(server("thalweg", "", rows, load, own.port(), own.process()::processorTime, difference));
                servers.add(server(
                        "feast",
                        ", %d workers".formatted(workers),
                        rows,
                        load,
                        other.port(),
                        other::processorTime,
                        difference));
            }
            return Contest.run(servers, rounds, progress);
        }
    }

    private Contestant server(
            String system,
            String suffix,
            ServedRows rows,
            Load load,
            int port,
            Supplier<Duration> processorTime,
            String difference) {
        String variant = "%s, /get-online-features%s, %s".formatted(LAYOUT.text(), suffix, load.text());
        return new Contestant(system, variant, () -> {
            try (HttpReaders readers = HttpReaders.asFeast(port, rows.cells(load))) {
                double unused = new ClosedLoop(readers).perSecond(warmUp);
                Figures figures = new LoadMeter(seconds).measureHeld(readers, load.perSecond(), processorTime);
                long failed = figures.get("failed").longValue();
                return figures.score(failed > 0 ? failed + " reads failed" : difference);
            }
        });
    }

    /** What {@code export feast} makes, applied. */
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

    private static void requireSuccess(String what, Child child) throws InterruptedException {
        if (child.awaitExit(PATIENCE) != 0) {
            throw new IllegalStateException(what + " failed: " + child.said());
        }
    }

    /** Of the first requests the values, by feature. */
    private static List<Map<String, List<String>>> answers(ServedRows rows, int port, Load load) {
        try (HttpReaders readers = HttpReaders.asFeast(port, rows.cells(load))) {
            int values = load.keys() * DemandRows.VIEW.featureNames().size();
            return IntStream.range(0, Math.min(readers.requests(), COMPARED / values))
                    .mapToObj(request -> values(readers.answer(request).join()))
                    .toList();
        }
    }

    private static Map<String, List<String>> values(byte[] answer) {
        try {
            JsonNode json = new ObjectMapper().readTree(answer);
            Map<String, List<String>> values = new LinkedHashMap<>();
            int column = 0;
            for (JsonNode name : json.path("metadata").path("feature_names")) {
                List<String> of = new ArrayList<>();
                json.path("results").path(column++).path("values").forEach(value -> of.add(text(value)));
                values.put(name.asText(), of);
            }
            return values;
        } catch (IOException e) {
            throw new UncheckedIOException("an answer is not JSON", e);
        }
    }

    /** The same for 1 and 1.0. */
    private static String text(JsonNode value) {
        return value.isNumber() ? String.valueOf(value.doubleValue()) : value.toString();
    }
}
