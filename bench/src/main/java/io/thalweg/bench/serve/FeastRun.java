package io.thalweg.bench.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.demand.Child;
import io.thalweg.bench.publish.DemandRows;
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
    private final Progress progress;
    private final int workers = Runtime.getRuntime().availableProcessors();
    private final Map<String, Double> held = new LinkedHashMap<>();

    /**
     * A measurement.
     *
     * @param count of rows in the store
     * @param launcher the file {@code thalweg} of a clone that is built
     */
    public FeastRun(
            FeastEnvironment feast, long count, double seconds, double warmUp, Path launcher, Progress progress) {
        this.feast = feast;
        this.rows = new ServedRows(count, launcher, progress);
        this.meter = new LoadMeter(seconds, progress);
        this.seconds = seconds;
        this.warmUp = warmUp;
        this.progress = progress;
    }

    /** How answers differed; empty if they did not. */
    public String wrong() {
        return meter.wrong();
    }

    /** How many reads a second Thalweg's server holds, divided by how many Feast's does. */
    public Map<String, Double> ratios() {
        Map<String, Double> ratios = new LinkedHashMap<>();
        for (Load load : Load.values()) {
            double ratio = held("thalweg", load) / held("feast", load);
            ratios.put("thalweg_vs_feast_" + load.text().replace(' ', '_'), Math.rint(ratio * 100) / 100);
        }
        return ratios;
    }

    private double held(String system, Load load) {
        return held.getOrDefault(system + load, Double.NaN);
    }

    /** Measures both. */
    public List<Result> run() throws IOException, InterruptedException {
        List<String> unused = MeasuredStore.each(List.of("redis"), Path.of(""), (name, store, folder) -> {
            Online online = DemandRows.VIEW.online();
            FeatureView view = DemandRows.VIEW.withOnline(new Online(online.ttl(), null, LAYOUT));
            rows.fill(store.open(Clock.systemUTC()), view);
            measure(folder, store.address());
        });
        return meter.found();
    }

    private void measure(Path folder, String address) throws IOException, InterruptedException {
        String definition =
                DemandRows.DEFINITION.replace("online: {", "online: {layout: %s, ".formatted(LAYOUT.text()));
        Map<Load, List<Map<String, List<String>>>> ours = new LinkedHashMap<>();
        try (ServedRows.Server server = rows.serve(folder, definition, address)) {
            for (Load load : Load.values()) {
                ours.put(load, answers(server.port(), load));
            }
            measure("thalweg", "", server.port(), server.process()::processorTime);
        }
        Path repository = repository(folder);
        try (FeastServer server = FeastServer.start(feast, repository, workers)) {
            ours.forEach((load, answers) -> {
                if (!answers.equals(answers(server.port(), load))) {
                    meter.wrong("Feast's server answers other values than Thalweg's to reads of " + load.text());
                }
            });
            measure("feast", ", %d workers".formatted(workers), server.port(), server::processorTime);
        }
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

    private void measure(String system, String suffix, int port, Supplier<Duration> processorTime)
            throws InterruptedException {
        for (Load load : Load.values()) {
            try (HttpReaders readers = HttpReaders.asFeast(port, rows.cells(load))) {
                ClosedLoop callers = new ClosedLoop(readers);
                progress.say(system + ": what it holds, " + load.text());
                double unused = callers.perSecond(warmUp);
                double most = callers.perSecond(seconds);
                held.put(system + load, most);
                double rate = meter.bearable(readers, load.perSecond(), most);
                String variant = "redis, %s, /get-online-features%s, %s, %.0f/s"
                        .formatted(LAYOUT.text(), suffix, load.text(), rate);
                long failed = meter.measure(
                        system, variant, rate, Map.of("reads_per_second_held", most), readers, processorTime);
                if (failed > 0) {
                    meter.wrong(variant + ": " + failed + " reads failed");
                }
            }
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
