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
 */
public final class FeastRun {
    private static final Online.Layout LAYOUT = Online.Layout.FEAST_SCALARS;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Values that are compared for each load. */
    private static final int COMPARED = 300_000;

    private final FeastEnvironment feast;
    private final ServedRows rows;
    private final LoadMeter meter;
    private final double seconds;
    private final double warmUp;
    private final int rounds;
    private final Progress progress;
    private final int workers = Runtime.getRuntime().availableProcessors();

    /**
     * A measurement.
     *
     * @param count of rows in the store
     */
    public FeastRun(FeastEnvironment feast, long count, double seconds, double warmUp, int rounds, Progress progress) {
        this.feast = feast;
        this.rows = new ServedRows(count, progress);
        this.meter = new LoadMeter(seconds);
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.rounds = rounds;
        this.progress = progress;
    }

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
        rows.fill(store.open(Clock.systemUTC()), view);
        String definition =
                DemandRows.DEFINITION.replace("online: {", "online: {layout: %s, ".formatted(LAYOUT.text()));
        try (ServedRows.Server own = rows.serve(folder, definition, store.yaml());
                FeastServer other = FeastServer.start(feast, repository(folder), workers)) {
            List<Contestant> servers = new ArrayList<>();
            for (Load load : Load.values()) {
                String difference = answers(own.port(), load).equals(answers(other.port(), load))
                        ? ""
                        : "Feast's server answers other values than Thalweg's to reads of " + load.text();
                servers.add(server("thalweg", "", load, own.port(), own.process()::processorTime, difference));
                servers.add(server(
                        "feast",
                        ", %d workers".formatted(workers),
                        load,
                        other.port(),
                        other::processorTime,
                        difference));
            }
            return Contest.run(servers, rounds, progress);
        }
    }

    private Contestant server(
            String system, String suffix, Load load, int port, Supplier<Duration> processorTime, String difference) {
        String variant = "%s, /get-online-features%s, %s".formatted(LAYOUT.text(), suffix, load.text());
        return new Contestant(system, variant, () -> {
            try (HttpReaders readers = HttpReaders.asFeast(port, rows.cells(load))) {
                ClosedLoop callers = new ClosedLoop(readers);
                double unused = callers.perSecond(warmUp);
                double most = callers.perSecond(seconds);
                double rate = meter.bearable(readers, load.perSecond(), most);
                Figures figures = new Figures()
                        .put("reads_per_second_held", most)
                        .put("reads_per_second", rate)
                        .putAll(meter.measure(readers, rate, processorTime).asMap());
                long failed = figures.get("failed").longValue();
                return figures.score(failed > 0 ? failed + " reads failed" : difference);
            }
        });
    }

    /** What {@code export feast} makes, applied. */
    private Path repository(Path folder) throws IOException, InterruptedException {
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
    private List<Map<String, List<String>>> answers(int port, Load load) {
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
