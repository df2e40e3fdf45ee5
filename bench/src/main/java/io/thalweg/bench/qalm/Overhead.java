package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Micro;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Measures the cost of protection to the process without an overload. The same service runs without and with it; both are up, and
 * the load alternates between them in turns of {@value #TURN_SECONDS} s. The result is CPU time (user and system, all threads)
 * per call. The turns are short because the machine drifts: minutes apart, the same code takes a third more or less.
 */
public final class Overhead implements AutoCloseable {
    private static final String BASE = "none";
    private static final String OWN = "thalweg";
    private static final int TURN_SECONDS = 2;

    private final QalmRun run;
    private final List<String> systems;
    private final List<Service> services = new ArrayList<>();
    private final Map<String, Score> round = new HashMap<>();

    /** Creates a measurement with experiment E4. {@code none} is added to the systems, because the others are compared with it. */
    public Overhead(QalmRun run, List<String> systems) {
        this.run = run;
        this.systems =
                Stream.concat(Stream.of(BASE), systems.stream()).distinct().toList();
    }

    /**
     * Returns the systems, then admission and release alone if Thalweg is among them. The first contestant measures a round for
     * all.
     */
    public List<Contestant> contestants() {
        List<Contestant> all = new ArrayList<>();
        for (String system : systems) {
            all.add(new Contestant(system, run.setup().experiment(), () -> score(system)));
        }
        if (systems.contains(OWN)) {
            all.add(new Contestant(OWN, "lane", Overhead::lane));
        }
        return all;
    }

    private Score score(String system) throws IOException, InterruptedException {
        if (services.isEmpty()) {
            start();
        }
        if (system.equals(BASE)) {
            measureRound();
        }
        return Objects.requireNonNull(round.get(system), system);
    }

    private void start() throws IOException, InterruptedException {
        for (String system : systems) {
            services.add(Service.start(system, run.setup(), run.folder()));
        }
        // The compilers finish after some ten thousand calls, not after some hundred.
        var unused = load(Math.max(4, run.setup().scale()), run.setup().warmUpSeconds());
    }

    /** Sends the load to all systems in turn, for {@code seconds} each. */
    private Load load(double scale, int seconds) throws IOException, InterruptedException {
        QalmRun.Setup now = new QalmRun.Setup(
                run.setup().experiment(),
                scale,
                seconds * systems.size(),
                TURN_SECONDS,
                run.setup().seed());
        TurnMeter meter = new TurnMeter(services, now.made(), seconds % TURN_SECONDS == 0 ? TURN_SECONDS : 1);
        return new Load(now.made(), run.load(services, now, meter), meter);
    }

    private record Load(Experiment experiment, Figures figures, TurnMeter meter) {
        private Score score(int system) {
            double micros = meter.microsPerCall(system);
            long calls = figures.get("whole_all_calls").longValue();
            return new Figures()
                    .put("cpu_us_per_call_median", micros)
                    .put("compiler_us_per_call", meter.compilerMicrosPerCall(system))
                    .put("more_cpu_percent_median", 100 * (micros / meter.microsPerCall(0) - 1))
                    .put("calls_lost", calls - figures.get("whole_all_answered").longValue())
                    .put("send_lag_p99_ms", figures.number("send_lag_p99_ms"))
                    .put("others_cores_max", figures.number("others_cores_max"))
                    .score(QalmRun.difference(figures, experiment));
        }
    }

    private void measureRound() throws IOException, InterruptedException {
        Load load = load(run.setup().scale(), run.setup().seconds());
        for (int i = 0; i < systems.size(); i++) {
            round.put(systems.get(i), load.score(i));
        }
    }

    private static Score lane() {
        Figures lane = new Figures()
                .putAll(new Micro("LaneBenchmark", Map.of()).measure(1).get(0).figures());
        return new Figures()
                .put("admit_and_release_ns", lane.number("ns_per_call"))
                .put("admit_and_release_bytes", lane.number("allocated_bytes_per_call"))
                .score("");
    }

    @Override
    public void close() {
        services.forEach(Service::close);
    }
}
